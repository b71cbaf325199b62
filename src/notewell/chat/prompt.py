"""The prompt of a model: short instructions, the passages in fences, and the question, all without secrets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from notewell.chat.history import Turn
from notewell.chat.passages import Passage
from notewell.chat.quotes import NUMBERS
from notewell.llm import Message
from notewell.redact import redact_text
from notewell.search.budget import count_tokens, fenced, line_in_prompt, path_in_prompt, safe_in_prompt
from notewell.types.query import NO_FILTERS, Query

# Bytes of a passage that a model gets, because a Chinese character is about one token: seven of these and an answer
# fit into 8,192 tokens.
LONGEST = 2_500


def make_messages(query: Query, passages: Sequence[Passage], *, tools: bool = False) -> list[Message]:
    """Return the messages that ask for an answer from these passages, or, with tools, from others that they find."""
    scope = _scope(query)
    question = prompt("question").format(
        scope=scope, passages=show_passages(passages), question=line_in_prompt(redact_text(query.text)[0])
    )
    system = [prompt("system"), *([prompt("tools")] if tools else ())]
    return [
        Message("system", "\n".join((*system, *([f"Only notes{scope} may answer."] if scope else ())))),
        Message("user", question),
    ]


def with_history(messages: Sequence[Message], history: Sequence[Turn], room: int) -> list[Message]:
    """Return the messages with the last questions and answers of a conversation, as many as fit into `room` tokens."""
    kept: list[Message] = []
    for turn in reversed(history):
        # The numbers in an old answer mean other passages now.
        answer = NUMBERS.sub("", turn.answer) or "The notes do not answer this."
        pair = [Message("user", line_in_prompt(turn.question)), Message("assistant", safe_in_prompt(answer))]
        room -= sum(count_tokens(message.text) for message in pair)
        if room < 0:
            break
        kept = [*pair, *kept]
    return [*messages[:1], *kept, *messages[1:]]


def show_passages(passages: Sequence[Passage]) -> str:
    """Return passages with their numbers, each in a fence."""
    return "\n".join(f"[{one.number}]\n{fenced(_passage(one))}" for one in passages)


def _passage(passage: Passage) -> str:
    """Return a passage with its place and headings, which are the note's words too."""
    hit = passage.hit
    place = f"{path_in_prompt(hit.path)}:{hit.line} {line_in_prompt(hit.heading)}".strip()
    text = safe_in_prompt(hit.text).encode()[:LONGEST].decode("utf-8", "ignore")
    return f"{place}\n\n{text}"


def _scope(query: Query) -> str:
    """Return which notes may answer; the prompts say it three times, as small models overlook what is said once."""
    under = f" under {path_in_prompt(query.under)}" if query.under else ""
    return f"{under} that match the filters" if query.filters != NO_FILTERS else under


@cache
def prompt(name: str) -> str:
    """Return a prompt by its name."""
    return (Path(__file__).parent / "prompts" / f"{name}.txt").read_text("utf-8").strip()
