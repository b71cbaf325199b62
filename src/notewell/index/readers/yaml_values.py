"""YAML: values flat, such as `servers[0].host: db1`, and comments, each on the line it has in the file."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

import yaml

from notewell.index.readers.content import Content
from notewell.index.readers.nested import Flat, on_source_lines
from notewell.index.readers.text import decode

# The loader in C, if PyYAML was built with it, is ten times as fast.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# A comment, alone on its line or behind the line's last value, and what may be between them.
COMMENT = re.compile(r"(?:^|(?>(?:[\s:,\]}|>+-]++|[&!]\S++)*)(?<=\s))(#.*)")
BLOCK = ("|", ">")
# Characters that YAML counts as line ends, or refuses.
OTHER_ENDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def extract(data: bytes, loader: Any = LOADER) -> Content:
    """Return the file's values on their lines; a file that is not YAML, such as a template, as plain text."""
    text, warnings = decode(data)
    text = OTHER_ENDS.sub(" ", text.replace("\r\n", "\n"))
    try:
        # With a line end added, the last value ends before the last line.
        lines = YamlLines(f"{text}\n".split("\n")).flattened(f"{text}\n", loader)
        return Content("\n".join(lines).removesuffix("\n"), warnings=warnings)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1:,}" if mark else ""
        return Content(text, warnings=(*warnings, f"not YAML{where}; read as text"))


class YamlLines:
    """A YAML file being turned into flat values."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._flat = Flat()
        # For each open mapping whether a key is next; None for a list.
        self._wants_key: list[bool | None] = []
        self._key_line = 0
        # The column where the last value of a line ends, and the lines inside a value of several lines.
        self._ends: dict[int, int] = {}
        self._texts: dict[int, str] = {}

    def flattened(self, text: str, loader: Any) -> list[str]:
        """Return one line for each line of the file."""
        for event in yaml.parse(text, Loader=loader):
            self._take(event)
        lines = on_source_lines(self._flat.values, len(self._lines))
        for number, line in self._texts.items():
            lines[number] = lines[number] or line
        for number, comment in self._comments():
            lines[number] = f"{lines[number]}  {comment}".strip()
        return lines

    def _take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            self._take_leaf(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            if self._wants_key and self._wants_key[-1]:
                if self._is_template(event):
                    raise yaml.YAMLError("a template")
                # A key that is a list or mapping has no name; its contents count as values.
                self._flat.key("?")
            self._flat.open(is_list=isinstance(event, yaml.SequenceStartEvent))
            self._wants_key.append(None if isinstance(event, yaml.SequenceStartEvent) else True)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._wants_key.pop()
            self._flat.close()
            self._next()
            self._end(event)

    def _is_template(self, event: yaml.Event) -> bool:
        """Tell whether a mapping used as a key is the `{{ x }}` of a template."""
        mark = event.start_mark
        return mark is not None and self._lines[mark.line][max(0, mark.column - 1) : mark.column + 1] == "{{"

    def _take_leaf(self, event: yaml.ScalarEvent | yaml.AliasEvent) -> None:
        start, end = event.start_mark.line if event.start_mark else 0, self._end(event)
        text = event.value if isinstance(event, yaml.ScalarEvent) else f"*{event.anchor}"
        if self._wants_key and self._wants_key[-1]:
            self._flat.key(text)
            self._key_line = start
        elif isinstance(event, yaml.ScalarEvent) and event.style in BLOCK and end > start + 1:
            self._flat.add("", start + 1)
            self._keep(start + 1, end)
        else:
            # YAML reports an absent value where the next one starts; it belongs to the line of its key.
            line = start if text or not self._wants_key or self._wants_key[-1] is None else self._key_line
            self._flat.add(text, line + 1, quoted=isinstance(event, yaml.ScalarEvent))
            # A value of several lines is written on its first line.
            self._texts.update(dict.fromkeys(range(start + 1, end + 1), ""))
        self._next()

    def _end(self, event: yaml.Event) -> int:
        """Record where an event ends, and return its last line, from 0."""
        mark = event.end_mark
        assert mark is not None
        self._ends[mark.line] = mark.column
        return mark.line

    def _keep(self, first: int, end: int) -> None:
        """Keep a text of several lines, indented so that it is not taken for values."""
        text = textwrap.dedent("\n".join(self._lines[first:end]))
        indented = textwrap.indent(text, "  ").split("\n")
        self._texts.update(zip(range(first, end), indented, strict=False))

    def _next(self) -> None:
        if self._wants_key and self._wants_key[-1] is not None:
            self._wants_key[-1] = not self._wants_key[-1]

    def _comments(self) -> Iterator[tuple[int, str]]:
        for number, line in enumerate(self._lines):
            if "#" in line and (number not in self._texts or number in self._ends):
                found = COMMENT.match(line.lstrip() if number not in self._ends else line, self._ends.get(number, 0))
                if found:
                    yield number, found[1].rstrip()
