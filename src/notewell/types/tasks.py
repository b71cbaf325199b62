"""Tasks of lists: `- [ ] Sow rye 📅 2025-03-01`, as Markdown and the Tasks plugin of Obsidian write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# `- [ ]` is open, `- [x]` done, `- [-]` cancelled; other signs are stages of an open task.
TASK = re.compile(r"^[ \t]*(?:>[ \t]?)*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([^\]\n])\][ \t]+(\S[^\n]*)$", re.MULTILINE)
CLOSED = "xX-"
# The sign of the Tasks plugin, or a field.
DUE = re.compile(r"(?:[📅📆🗓]\ufe0f?|\bdue::?)[ \t]*(\d{4}-\d\d-\d\d)(?!\d)")


class Task(NamedTuple):
    """A task: whether it is open, and the day it is due, if any."""

    is_open: bool
    due: str = ""


def find_tasks(text: str, start: int = 0) -> Iterator[tuple[int, int, Task]]:
    """Yield the tasks of a text, each with the span of its line.

    >>> [task for _, _, task in find_tasks("- [ ] Sow rye 📅 2025-03-01\\n- [x] Mow")]
    [Task(is_open=True, due='2025-03-01'), Task(is_open=False, due='')]
    """
    for match in TASK.finditer(text, start):
        due = DUE.search(match[2])
        yield *match.span(), Task(match[1] not in CLOSED, due[1] if due else "")
