"""Who speaks in a conversation: what was asked repeats the query, what was answered says more."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

from notewell.search.sentences import Unit

# As exports name who speaks, and as people do.
ANSWERS = ("Assistant", "Claude", "ChatGPT")
OTHERS = ("Human", "User", "You", "Me", "Summary", "Task", "Thinking", "Result", r"Tool [\w-]+")
SPEAKER = re.compile(rf"^[#*> ]*(?:(?P<answer>{'|'.join(ANSWERS)})|{'|'.join(OTHERS)})[* ]*:", re.MULTILINE)


def asked_in(text: str) -> Callable[[Unit], bool] | None:
    """Return what tells whether a sentence is not of the answer; nothing, where nobody answers.

    >>> asked = asked_in("Human: Why is it dense?\\nAssistant: It was cold.")
    >>> asked(Unit(0, 23)), asked(Unit(24, 47))
    (True, False)
    """
    if not ("Assistant" in text or "Claude" in text or "ChatGPT" in text):
        return None
    turns = [(match.start(), not match["answer"]) for match in SPEAKER.finditer(text)]
    if all(asks for _, asks in turns):
        return None
    starts = [start for start, _ in turns]
    return lambda unit: (place := bisect_right(starts, unit.start)) > 0 and turns[place - 1][1]
