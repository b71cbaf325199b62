"""What a model is asked: short instructions, the passages in fences, and the question; nothing of it has secrets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from notewell.chat.passages import Passage
from notewell.llm import Message
from notewell.redact import redact_text
from notewell.search.budget import fenced, line_in_prompt, path_in_prompt, safe_in_prompt
from notewell.types.query import NO_FILTERS, Query

# Bytes of a passage that a model gets, because a Chinese character is about one token: seven of these and an answer
# fit into 8,192 tokens.
LONGEST = 2_500


def make_messages(query: Query, passages: Sequence[Passage]) -> list[Message]:
    """Return the messages that ask for an answer from these passages."""
    shown = "\n".join(f"[{one.number}]\n{fenced(_passage(one))}" for one in passages)
    question = _prompt("question").format(
        scope=_scope(query), passages=shown, question=line_in_prompt(redact_text(query.text)[0])
    )
    return [Message("system", _prompt("system")), Message("user", question)]


def _passage(passage: Passage) -> str:
    """Return a passage with its place and headings, which are the note's words too."""
    hit = passage.hit
    place = f"{path_in_prompt(hit.path)}:{hit.line} {line_in_prompt(hit.heading)}".strip()
    text = safe_in_prompt(hit.text).encode()[:LONGEST].decode("utf-8", "ignore")
    return f"{place}\n\n{text}"


def _scope(query: Query) -> str:
    """Return which notes may answer; the prompt says it twice, because small models overlook what is said once."""
    under = f" under {path_in_prompt(query.under)}" if query.under else ""
    return f"{under} that match the filters" if query.filters != NO_FILTERS else under


@cache
def _prompt(name: str) -> str:
    return (Path(__file__).parent / "prompts" / f"{name}.txt").read_text("utf-8").strip()
