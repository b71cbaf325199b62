"""What a reader makes of a file: its text, and the parts it falls into."""

from __future__ import annotations

from dataclasses import dataclass

from notewell.types.note import Part


@dataclass(frozen=True, slots=True)
class Content:
    """What a reader makes of a file's bytes: text, the parts it falls into, and the title it has beside its text."""

    text: str
    parts: tuple[Part, ...] = ()
    title: str = ""
    warnings: tuple[str, ...] = ()
