"""YAML: its values flat, as `servers[0].host: db1`, and its comments, each on the line it has in the file."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

import yaml

from notewell.index.readers.content import Content
from notewell.index.readers.nested import Flat, in_own_lines
from notewell.index.readers.text import decode

# Written in C where it was built with the library: ten times as fast.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# A comment, alone on its line or after the last value of it, with what may stand between.
COMMENT = re.compile(r"(?:^|(?:[\s:,\]}|>+-]++|[&!]\S++)*+(?<=\s))(#.*)")
BLOCK = ("|", ">")
# YAML counts lines by more signs than others do, and refuses those that cannot be shown.
OTHER_ENDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def extract(data: bytes) -> Content:
    """Return the file's values on their lines; what is no YAML, such as a template, as the text it is."""
    text, warnings = decode(data)
    text = OTHER_ENDS.sub(" ", text.replace("\r\n", "\n"))
    try:
        # With an end to its last line every value ends on a line of its own.
        lines = Document(f"{text}\n".split("\n")).flattened(f"{text}\n")
        return Content("\n".join(lines).removesuffix("\n"), warnings=warnings)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1:,}" if mark else ""
        return Content(text, warnings=(*warnings, f"not YAML{where}; read as text"))


class Document:
    """A YAML file on its way to flat values."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._flat = Flat()
        # Of mappings: whether a key is next. Of lists: nothing.
        self._wants_key: list[bool | None] = []
        self._key_line = 0
        # Where the last value of a line ends, and the lines that are inside of one.
        self._ends: dict[int, int] = {}
        self._texts: dict[int, str] = {}

    def flattened(self, text: str) -> list[str]:
        """Return a line for each line of the file."""
        for event in yaml.parse(text, Loader=LOADER):
            self._take(event)
        lines = in_own_lines(self._flat.values, len(self._lines))
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
                # A key that is itself a list or mapping has no name; what is in it counts as a value.
                self._flat.key("?")
            self._flat.open(is_list=isinstance(event, yaml.SequenceStartEvent))
            self._wants_key.append(None if isinstance(event, yaml.SequenceStartEvent) else True)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._wants_key.pop()
            self._flat.close()
            self._next()
            self._end(event)

    def _is_template(self, event: yaml.Event) -> bool:
        """Tell whether a mapping that is a key was meant as `{{ x }}`, which a template fills in."""
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
            # A value that is not there is told where the next thing begins; it belongs to its key.
            line = start if text or not self._wants_key or self._wants_key[-1] is None else self._key_line
            self._flat.add(text, line + 1, quoted=isinstance(event, yaml.ScalarEvent))
            # The rest of a value of several lines is on its first one.
            self._texts.update(dict.fromkeys(range(start + 1, end + 1), ""))
        self._next()

    def _end(self, event: yaml.Event) -> int:
        """Note where an event ends, and return its last line, from 0."""
        mark = event.end_mark
        assert mark is not None
        self._ends[mark.line] = mark.column
        return mark.line

    def _keep(self, first: int, end: int) -> None:
        """Keep a text of several lines as it is, indented so that nobody takes it for values."""
        text = textwrap.dedent("\n".join(self._lines[first:end]))
        kept = textwrap.indent(text, "  ").split("\n")
        self._texts.update(zip(range(first, end), kept, strict=False))

    def _next(self) -> None:
        if self._wants_key and self._wants_key[-1] is not None:
            self._wants_key[-1] = not self._wants_key[-1]

    def _comments(self) -> Iterator[tuple[int, str]]:
        for number, line in enumerate(self._lines):
            if "#" in line and (number not in self._texts or number in self._ends):
                found = COMMENT.match(line.lstrip() if number not in self._ends else line, self._ends.get(number, 0))
                if found:
                    yield number, found[1].rstrip()
