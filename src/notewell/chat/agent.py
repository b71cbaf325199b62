"""The agent: a model that may call tools before it answers, in a few turns; made anew for each question."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from notewell.chat.calls import BEGINS, ReadCall, call_in_text, read_call
from notewell.chat.tools import TOOLS, Result, Toolbox
from notewell.errors import LlmError
from notewell.files.control_chars import without_hidden
from notewell.frozen import frozen
from notewell.llm import MAX_TOKENS, Call, Message, StoppableModel
from notewell.llm import Text as Written
from notewell.llm import Thinking as Thought
from notewell.search.budget import count_tokens, fenced
from notewell.types.answer import Event, Metadata, Text, Thinking
from notewell.types.notices import Notice

# Times that a model is asked for one answer, the last one without tools; and calls of one turn that are made.
TURNS, CALLS = 6, 4
# A model that writes more than this, ten times the longest answer it is asked for, does not come to an end.
LONGEST_ANSWER = 20_000
# A small model may fall into a loop: the same words, of at most so many characters, so many times in a row.
LONGEST_LOOP, ROUNDS = 120, 6
# Numbers of passages and of list items, and signs: nothing else is no answer.
WORDLESS = re.compile(r"(?:\[\d{1,4}\]|^[ \t]*\d{1,4}[.)](?=\s*\S)|[\W_])*", re.MULTILINE)
# Characters of an answer that rests on nothing, after which it is not read on.
BASELESS = 400
# Tokens of a conversation that must be free for another call and its result.
LEAST_ROOM = 800
NAMES = [tool.name for tool in TOOLS]
AGAIN = "You called this before; its result is above. Answer now."


@frozen
class Outcome:
    """What an agent wrote, the tools it used, what these computed or listed, and why it failed if it did."""

    text: str = ""
    tools: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    confidence: float = 0.0
    notices: tuple[Notice, ...] = ()


@dataclass(slots=True)
class Agent:
    """A model at work on one question: its conversation, its tools, and what came of them.

    `confidence` is how surely its passages answer, of at least `enough`. As long as that is less, and no tool gave
    anything else to go by, nothing is shown of what the model writes.
    """

    model: StoppableModel
    box: Toolbox
    messages: list[Message]
    offers_tools: bool
    confidence: float
    enough: float
    written: str = field(default="", init=False)
    made: dict[tuple[str, str], Result] = field(default_factory=dict, init=False)
    announced: int = field(default=0, init=False)
    # Whether it repeats a call, does not come to an end, or was stopped.
    stuck: bool = field(default=False, init=False)
    endless: bool = field(default=False, init=False)
    late: bool = field(default=False, init=False)

    @property
    def grounded(self) -> bool:
        """Tell whether an answer has something to rest on: passages that answer, or what a tool computed or listed."""
        return self.confidence >= self.enough or any(result.suffices for result in self.made.values())

    def run(self) -> Generator[Event, None, Outcome]:
        """Yield what the model thinks and writes, and the passages that its tools find; return what came of it."""
        self.announced = len(self.box.passages)
        text = ""
        try:
            for turn in range(TURNS):
                tools = self._may_call(turn)
                text, calls = yield from self._turn(tools)
                if self.endless:
                    return self._failed(Notice("model_endless", {"model": self.model.name}))
                if not (tools and calls):
                    break
                yield from self._call(text, calls)
        except LlmError as error:
            return self._failed(Notice("model_failed", {"reason": error.fact}))
        if self.late:
            return self._failed(Notice("model_slow", {"model": self.model.name}))
        # What it said before it called a tool is no answer.
        if self.grounded and WORDLESS.fullmatch(without_hidden(text)):
            return self._failed(Notice("model_silent", {"model": self.model.name}))
        return self._outcome(self.written.strip() if self.grounded else "", ())

    def _may_call(self, turn: int) -> bool:
        room = self._room() >= LEAST_ROOM
        return self.offers_tools and self.model.takes_tools and turn < TURNS - 1 and room and not self.stuck

    def _turn(self, tools: bool) -> Generator[Event, None, tuple[str, list[Call]]]:
        """Yield what the model says once; return its text, without what is a call, and its calls."""
        text, shown, calls = "", 0, list[Call]()
        with closing(self.model.reply(self.messages, TOOLS if tools else ())) as reply:
            for piece in reply:
                if isinstance(piece, Thought):
                    yield Thinking(piece.text)
                elif isinstance(piece, Written):
                    text += piece.text
                    self.endless = len(self.written) + len(text) > LONGEST_ANSWER or (self.grounded and is_loop(text))
                    if self.endless or (not self.grounded and len(text) > BASELESS):
                        return text, []
                    # What may be a call is held back until the turn is over.
                    ready = _before_call(text) if self.offers_tools else len(text)
                    if self.grounded and ready > shown:
                        yield from self._say(text[shown:ready])
                        shown = ready
                else:
                    calls.append(piece)
            if reply.ended == "closed":
                # Not by us: its time is up.
                self.late = True
                return text, []
        if not calls and (found := self._written_call(text)):
            # Without tools, it is no call, and no answer either.
            call, first = found
            calls, text = [call], text[: max(first, shown)]
        if self.grounded and text[shown:]:
            yield from self._say(text[shown:])
        return text, calls

    def _say(self, text: str) -> Generator[Event, None, None]:
        """Yield a piece of the answer, and keep it."""
        self.written += text
        yield Text(text)

    def _written_call(self, text: str) -> tuple[Call, int] | None:
        sources = [one.hit.text for one in self.box.passages]
        return call_in_text(text, NAMES, sources) if self.offers_tools and self.model.takes_tools else None

    def _call(self, text: str, calls: Sequence[Call]) -> Generator[Event, None, None]:
        """Make the calls of a turn, and yield the passages that they find."""
        read = [read_call(call, TOOLS) for call in calls[:CALLS]]
        made = [
            Call(call.id, meant.name, json.dumps(dict(meant.given), ensure_ascii=False))
            for call, meant in zip(calls, read, strict=False)
        ]
        self.messages.append(Message("assistant", text, tuple(made)))
        for call, meant in zip(made, read, strict=True):
            result = self._result(call, meant)
            yield from (Metadata(one.cite()) for one in self.box.passages[self.announced :])
            self.announced = len(self.box.passages)
            self.messages.append(Message("tool", fenced(result.text), call_id=call.id, name=call.name))
        # The texts of two turns are two paragraphs.
        if self.grounded and self.written and not self.written.endswith("\n"):
            yield from self._say("\n\n")

    def _result(self, call: Call, meant: ReadCall) -> Result:
        if meant.problem:
            return Result(meant.problem, is_error=True)
        key = (call.name, call.arguments)
        if key in self.made:
            # It would go on like this for ever.
            self.stuck = True
            return Result(AGAIN, is_error=True)
        room = (self._room() - LEAST_ROOM // 2) * 3 // 4
        self.made[key] = result = self.box.run(call.name, meant.given, room)
        self.confidence = max(self.confidence, result.confidence)
        return result

    def _room(self) -> int:
        """Return how many tokens are free, after an answer was given its room."""
        used = sum(count_tokens(message.text) for message in self.messages)
        return self.model.context - MAX_TOKENS // 2 - used

    def _failed(self, notice: Notice) -> Outcome:
        return self._outcome("", (notice,))

    def _outcome(self, text: str, notices: tuple[Notice, ...]) -> Outcome:
        names = tuple(dict.fromkeys(name for (name, _), result in self.made.items() if not result.is_error))
        # Passages speak for themselves, and an analysis is the model's own.
        results = tuple(result.text for result in self.made.values() if result.suffices)
        return Outcome(text, names, results, self.confidence, notices)


def is_loop(text: str) -> bool:
    """Tell whether a text ends in the same words again and again.

    >>> is_loop("It is so." + " ## 1" * 40), is_loop("a, b, c, d, e"), is_loop("| --- " * 3)
    (True, False, False)
    """
    tail = text[-LONGEST_LOOP * ROUNDS :]
    # Fewer than six words in all are no loop: dots, dashes, the line below the head of a table.
    sizes = range(4, min(LONGEST_LOOP, len(tail) // ROUNDS) + 1)
    return any(tail.endswith(tail[-size:] * ROUNDS) and re.search(r"\w", tail[-size:]) for size in sizes)


def _before_call(text: str) -> int:
    """Return how much of a text is certainly no call.

    >>> _before_call("I look. {"), _before_call("Bees"), _before_call("calcul"), _before_call("calculator(")
    (8, 4, 0, 0)
    """
    begun = text.lstrip()
    if begun and any(name.startswith(begun) or begun.startswith(name) for name in NAMES):
        return 0
    found = BEGINS.search(text)
    return found.start() if found else len(text)
