"""UserPromptSubmit: notes that a prompt is surely about, beside it; most prompts get none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from notewell.serve.hooks import Call
from notewell.serve.hooks.payload import Given, Nothing

# A longer prompt holds something that was pasted: what is asked stands before it or after it.
LONGEST = 800
# So many characters at each end are read, however much is pasted between.
READ = 3_200
# What is pasted, or put into a prompt by the program: code in fences, tags with all they hold.
FENCED = re.compile(r"^(`{3,}|~{3,}).*?^\1`*~*[ \t]*$", re.DOTALL | re.MULTILINE)
TAGGED = re.compile(r"<([a-z][a-z0-9]*(?:[-_][a-z0-9]+)+)>.*?</\1>", re.DOTALL)
# A line of a log, of a trace, of a diff, or of code: no sentence that a person writes.
PASTED = re.compile(
    r"^[ \t]*+(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|at \S+\(|File \"|Traceback|[+-]{3} |@@ |[>|#$%] ).*"
    r"|^.*[;{}][ \t]*$",
    re.MULTILINE,
)
WORD = re.compile(r"\w+")
# `yes`, `continue`, `go on`, `fix it`: what they are about was said before.
TOO_LITTLE = "the prompt says too little"
SENTENCE = re.compile(r"(?<=[.?!:;])\s+")
# A sentence of one word is asked with the others only; so many, the last ones, are asked alone: each is a search.
# With 5 words for a sentence, the sample vault answers half as many questions in chatter, and errs no less.
ALONE, SENTENCES = 2, 4
# Commands of Claude Code, notes to its memory, and commands for the shell.
COMMAND = re.compile(r"[/!#]\S")


@contextmanager
def answer(given: Given, call: Call) -> Iterator[dict[str, str]]:
    """Yield the block of notes for a prompt."""
    asked = gist(given.prompt)
    if len(WORD.findall(asked)) < 2:
        raise Nothing(TOO_LITTLE)
    # A prompt that says nothing does not pay for opening a vault.
    from notewell.search.relevance import telling_terms  # noqa: PLC0415
    from notewell.serve.hooks.sessions import keep_words  # noqa: PLC0415
    from notewell.serve.hooks.show import LOOKED_AT, show  # noqa: PLC0415
    from notewell.serve.hooks.vaults import vault_of  # noqa: PLC0415

    if len(terms := telling_terms(asked)) < 2:
        raise Nothing(TOO_LITTLE)
    keep_words(call.state, given.session, terms)
    with vault_of(given, call) as vault:
        found = vault.relevant(*questions(asked), limit=LOOKED_AT, least=vault.settings.hook.threshold)
        with show(found.excerpts, vault, given, call, what="prompt") as shown:
            yield shown


def gist(prompt: str) -> str:
    """Return what of a prompt a person asks: without what is pasted, and of the rest its beginning and its end.

    >>> gist("why does this fail?\\n```\\nTraceback\\n```\\nIt worked with rye.")
    'why does this fail? It worked with rye'
    >>> gist("/compact now"), gist("!ls")
    ('', '')
    """
    if COMMAND.match(prompt.lstrip()):
        return ""
    told = PASTED.sub("", TAGGED.sub("", FENCED.sub("", _ends(prompt))))
    # A line is a sentence, whatever ends it.
    told = " ".join(line if line[-1] in ".?!:;," else f"{line}." for line in map(str.strip, told.split("\n")) if line)
    told = " ".join(told.split()).removesuffix(".")
    if len(told) <= LONGEST:
        return told
    half = LONGEST // 2
    return f"{told[:half].rpartition(' ')[0]} {told[-half:].partition(' ')[2]}"


def questions(asked: str) -> list[str]:
    """Return what is asked: all of it, and each of its sentences that can be asked alone, up to a few.

    What a prompt says besides its question would make the question a small part of it.

    >>> questions("Thanks! Why does the rye loaf tear at its side? Be brief.")[1:]
    ['Why does the rye loaf tear at its side?', 'Be brief.']
    >>> questions("why does it tear")
    ['why does it tear']
    """
    sentences = [part for part in SENTENCE.split(asked) if len(WORD.findall(part)) >= ALONE]
    return list(dict.fromkeys((asked, *sentences[-SENTENCES:])))


def _ends(prompt: str) -> str:
    """Return a prompt, or the whole lines at both ends of one that is too long to be read."""
    if len(prompt) <= 2 * READ:
        return prompt
    head, tail = prompt[:READ], prompt[-READ:]
    return f"{head.rpartition(chr(10))[0] or head}\n{tail.partition(chr(10))[2] or tail}"
