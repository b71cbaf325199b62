"""UserPromptSubmit: adds notes that are surely about a prompt; most prompts get none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from notewell.serve.hooks import Call
from notewell.serve.hooks.payload import NothingToSay, Payload

# A longer prompt holds pasted text; the question stands before or after it.
LONGEST = 800
# Characters that are read at each end, however much is pasted between.
READ = 3_200
# Text that is pasted, or put into a prompt by the program: fenced code, and tags with their content.
FENCED = re.compile(r"^(`{3,}|~{3,}).*?^\1`*~*[ \t]*$", re.DOTALL | re.MULTILINE)
TAGGED = re.compile(r"<([a-z][a-z0-9]*(?:[-_][a-z0-9]+)+)>.*?</\1>", re.DOTALL)
# A line of a log, a trace, a diff or code, which is no sentence.
PASTED = re.compile(
    r"^[ \t]*+(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|at \S+\(|File \"|Traceback|[+-]{3} |@@ |[>|#$%] ).*"
    r"|^.*[;{}][ \t]*$",
    re.MULTILINE,
)
WORD = re.compile(r"\w+")
# `yes`, `continue`, `go on`, `fix it`: their subject was named before.
TOO_LITTLE = "the prompt says too little"
SENTENCE = re.compile(r"(?<=[.?!:;])\s+")
# A sentence of at least this many words is searched for alone, too; the last few of them, since each is a search.
# With 5 words, the sample vault answers half as many questions in chatter, and errs no less.
ALONE, SENTENCES = 2, 4
# Commands of Claude Code, notes for its memory, and shell commands.
COMMAND = re.compile(r"[/!#]\S")


@contextmanager
def answer(payload: Payload, call: Call) -> Iterator[dict[str, str]]:
    """Yield the block of notes for a prompt."""
    question = gist(payload.prompt)
    if len(WORD.findall(question)) < 2:
        raise NothingToSay(TOO_LITTLE)
    # A prompt that says too little does not wait for a vault to open.
    from notewell.search.relevance import telling_terms  # noqa: PLC0415
    from notewell.serve.hooks.block import CANDIDATES, find_sure, new_block  # noqa: PLC0415
    from notewell.serve.hooks.sessions import save_words  # noqa: PLC0415
    from notewell.serve.hooks.vaults import vault_of  # noqa: PLC0415

    if len(terms := telling_terms(question)) < 2:
        raise NothingToSay(TOO_LITTLE)
    save_words(call.state, payload.session, terms)
    with vault_of(payload, call) as vault:
        found = find_sure(vault, questions(question), limit=CANDIDATES, floor=vault.settings.hook.threshold)
        with new_block(found, vault, payload, call, what="prompt") as block:
            yield block


def gist(prompt: str) -> str:
    """Return what a person wrote in a prompt, without pasted text; only the beginning and end of a long one.

    >>> gist("why does this fail?\\n```\\nTraceback\\n```\\nIt worked with rye.")
    'why does this fail? It worked with rye'
    >>> gist("/compact now"), gist("!ls")
    ('', '')
    """
    if COMMAND.match(prompt.lstrip()):
        return ""
    text = PASTED.sub("", TAGGED.sub("", FENCED.sub("", _ends(prompt))))
    # Each line counts as a sentence.
    text = " ".join(line if line[-1] in ".?!:;," else f"{line}." for line in map(str.strip, text.split("\n")) if line)
    text = " ".join(text.split()).removesuffix(".")
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half].rpartition(' ')[0]} {text[-half:].partition(' ')[2]}"


def questions(prompt: str) -> list[str]:
    """Return the texts to search for: all of a prompt, and its last few sentences, each alone.

    In a long prompt, the question itself would be a small part of the query.

    >>> questions("Thanks! Why does the rye loaf tear at its side? Be brief.")[1:]
    ['Why does the rye loaf tear at its side?', 'Be brief.']
    >>> questions("why does it tear")
    ['why does it tear']
    """
    sentences = [part for part in SENTENCE.split(prompt) if len(WORD.findall(part)) >= ALONE]
    return list(dict.fromkeys((prompt, *sentences[-SENTENCES:])))


def _ends(prompt: str) -> str:
    """Return a prompt, or of one that is too long to read the whole lines at both ends."""
    if len(prompt) <= 2 * READ:
        return prompt
    head, tail = prompt[:READ], prompt[-READ:]
    return f"{head.rpartition(chr(10))[0] or head}\n{tail.partition(chr(10))[2] or tail}"
