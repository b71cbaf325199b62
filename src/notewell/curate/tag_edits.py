"""Renaming tags in the text of one note: in its front matter and in its text, byte for byte the same elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from notewell.errors import CurateError, NoteError
from notewell.frozen import frozen
from notewell.index.shapes.front_matter import FRONT_MATTER, LONGEST, NoAliases, split_front_matter
from notewell.index.shapes.markdown import parse, without_drawing
from notewell.index.tags import TAG, tag_spans
from notewell.types.note import MOST, Note, Stamp

# The keys of front matter that hold tags.
KEYS = ("tags", "tag")
UNSAFE = "its front matter has a tag where it cannot be renamed safely"


class TextEdit(NamedTuple):
    """Characters of a text that are replaced."""

    start: int
    end: int
    new: str


@frozen
class Renames:
    """Which tags become which: one for a rename, several for a split."""

    targets: Mapping[str, tuple[str, ...]]

    def of(self, tag: str) -> tuple[str, ...] | None:
        """Return what a tag becomes, nested ones too; None if it stays.

        >>> renames = read_renames(["garden=Home/garden", "misc=a,b"])
        >>> renames.of("Garden/bees"), renames.of("misc"), renames.of("gardens")
        (('Home/garden/bees',), ('a', 'b'), None)
        """
        parts = tag.split("/")
        for depth in range(len(parts), 0, -1):
            if targets := self.targets.get("/".join(parts[:depth]).casefold()):
                return tuple("/".join((target, *parts[depth:])) for target in targets)
        return None


def read_renames(written: Iterable[str]) -> Renames:
    """Return renames from texts such as `old=new` or `old=one,two`; a text that is no rename is an error."""
    targets: dict[str, tuple[str, ...]] = {}
    for text in written:
        old, equals, new = text.partition("=")
        names = [checked_tag(name) for name in (old, *new.split(","))] if equals else []
        if len(names) < 2:
            raise CurateError(f"'{text[:80]}' is not OLD=NEW", "Write a rename such as gardening=garden")
        key = names[0].casefold()
        if key in targets:
            raise CurateError(f"'{names[0]}' is renamed twice", "Name each tag once; old=one,two splits it")
        if (names[0],) == tuple(names[1:]):
            raise CurateError(f"'{names[0]}' would be renamed to itself", "Name another tag")
        targets[key] = tuple(dict.fromkeys(names[1:]))
    return Renames(targets)


def checked_tag(written: str) -> str:
    """Return a tag without `#`; what Obsidian does not accept as a tag is an error."""
    tag = written.strip().removeprefix("#")
    match = TAG.fullmatch(f"#{tag}")
    if not match or tag.strip("/") != tag or "//" in tag:
        raise CurateError(
            f"'{written.strip()[:80]}' is not a tag",
            "A tag has letters, digits, `-`, `_` and `/`, no spaces, and not only digits",
        )
    return tag


def note_of(path: str, text: str) -> Note:
    """Return a Markdown text as a note with the tags that indexing finds in it."""
    return parse(Note(path, text, Stamp(0, 0)))


def rename_tags(note: Note, text: str, renames: Renames) -> list[TextEdit]:
    """Return the edits that rename the tags of a note, in ascending order; none if it has none of them.

    A note in which that is not safe raises `NoteError`.
    """
    if not any(map(renames.of, note.tags)) and len(note.tags) < MOST:
        _check_unread_front_matter(note, text, renames)
        return []
    edits = sorted((*_front_matter_edits(text, renames), *_inline_edits(note.path, text, renames)))
    _check(note, with_edits(text, edits), renames)
    return edits


def with_edits(text: str, edits: Sequence[TextEdit]) -> str:
    """Return a text with its edits made.

    >>> with_edits("#a and #b", [TextEdit(1, 2, "c"), TextEdit(8, 9, "d")])
    '#c and #d'
    """
    parts: list[str] = []
    at = 0
    for start, end, new in edits:
        parts += text[at:start], new
        at = end
    return "".join((*parts, text[at:]))


def _inline_edits(path: str, text: str, renames: Renames) -> Iterator[TextEdit]:
    fields, body, _ = split_front_matter(text)
    note = Note(path, text, Stamp(0, 0), body=body)
    for start, end in tag_spans(without_drawing(note) if "excalidraw-plugin" in fields else note):
        if (new := renames.of(text[start:end])) is not None:
            yield TextEdit(start, end, " #".join(new))


def _check(before: Note, text: str, renames: Renames) -> None:
    """Raise an error unless the index finds exactly the renamed tags, and all other properties, in the new text."""
    after = note_of(before.path, text)
    wanted = {new.casefold() for tag in before.tags for new in renames.of(tag) or (tag,)}
    if len(before.tags) < MOST and len(after.tags) < MOST and wanted != {tag.casefold() for tag in after.tags}:
        raise NoteError(UNSAFE, "Rename it by hand")
    others = [{key: value for key, value in note.fields.items() if key not in KEYS} for note in (before, after)]
    if others[0] != others[1] or len(before.links) != len(after.links):
        raise NoteError(UNSAFE, "Rename it by hand")


def _check_unread_front_matter(note: Note, text: str, renames: Renames) -> None:
    """Raise an error if front matter that cannot be read seems to have one of the tags."""
    match = FRONT_MATTER.match(text)
    if match is None or not any("front matter" in warning for warning in note.warnings):
        return
    words = re.findall(r"[^\s,\[\]\"'#]+", match[1] or "")
    if any(renames.of(word) for word in words):
        raise NoteError("its front matter uses YAML aliases or is not YAML", "Repair it, then rename again")


def _front_matter_edits(text: str, renames: Renames) -> Iterator[TextEdit]:
    match = FRONT_MATTER.match(text)
    if match is None or not match[1] or len(match[1]) > LONGEST or not split_front_matter(text)[0]:
        return
    for key, value in _top_level(match[1]):
        if key in KEYS and isinstance(value, yaml.SequenceNode):
            edits = _sequence_edits(match[1], value, renames)
        elif key in KEYS and isinstance(value, yaml.ScalarNode):
            edits = _scalar_edits(match[1], value, renames)
        else:
            continue
        yield from (TextEdit(start + match.start(1), end + match.start(1), new) for start, end, new in edits)


def _top_level(written: str) -> list[tuple[str, Any]]:
    try:
        root = yaml.compose(written, Loader=NoAliases)
    except yaml.YAMLError as error:
        # The parser in C, which indexing uses, takes a tab between a key and nothing.
        raise NoteError("its front matter is not quite YAML", "Repair it, then try again") from error
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    return [(str(key.value), value) for key, value in pairs if isinstance(key, yaml.ScalarNode)]


def _sequence_edits(written: str, node: yaml.SequenceNode, renames: Renames) -> Iterator[TextEdit]:
    tags = [
        str(item.value).strip().removeprefix("#") if isinstance(item, yaml.ScalarNode) else "" for item in node.value
    ]
    kept = {tag.casefold() for tag in tags if renames.of(tag) is None}
    # Where the last item ends that stays, or what was cut after it; 0 while none stays.
    free = 0
    for item, tag in zip(node.value, tags, strict=True):
        start, end = item.start_mark.index, item.end_mark.index
        new = renames.of(tag)
        fresh = [target for target in new or () if target.casefold() not in kept]
        if new is not None and not fresh:
            cut = _without_item(written, start, end, flow=bool(node.flow_style), free=free)
            yield cut
            free = free and max(free, cut.end)
            continue
        free = end
        if new is None:
            continue
        kept |= {target.casefold() for target in fresh}
        first = _respelt(written[start:end], item, tag, fresh[0])
        if node.flow_style:
            yield TextEdit(start, end, ", ".join((first, *map(_quoted, fresh[1:]))))
        else:
            before = written[written.rfind("\n", 0, start) + 1 : start]
            if before.strip() != "-" and fresh[1:]:
                raise NoteError(UNSAFE, "Rename it by hand")
            ending = "\r\n" if "\r\n" in written else "\n"
            yield TextEdit(start, end, f"{ending}{before}".join((first, *map(_quoted, fresh[1:]))))


def _respelt(raw: str, node: yaml.ScalarNode, old: str, new: str) -> str:
    """Return a scalar with another tag in it, in its own quotes, with or without `#`."""
    if node.style in ("'", '"'):
        inner = raw[1:-1]
        if inner.strip().removeprefix("#") != old:
            raise NoteError(UNSAFE, "Rename it by hand")
        return raw[0] + inner.replace(old, new) + raw[0]
    if node.style is not None or raw.strip() != old:
        raise NoteError(UNSAFE, "Rename it by hand")
    return _quoted(new)


def _quoted(tag: str) -> str:
    """Return a tag as YAML reads it as this text.

    >>> _quoted("garden/bees"), _quoted("yes")
    ('garden/bees', '"yes"')
    """
    try:
        plain = yaml.safe_load(f"[{tag}]") == [tag]
    except yaml.YAMLError:
        plain = False
    return tag if plain else f'"{tag}"'


def _without_item(written: str, start: int, end: int, *, flow: bool, free: int) -> TextEdit:
    """Return the edit that takes an item out of a list, and leaves every comment, and what stands before `free`."""
    if flow:
        before = written[free:start].rstrip(" \t")
        if free and before.endswith(","):
            return TextEdit(free + len(before[:-1].rstrip(" \t")), end, "")
        # A comment keeps the space before it.
        after = re.compile(r"[ \t]*,(?:[ \t]*(?![ \t#]))?").match(written, end)
        return TextEdit(start, after.end() if after else end, "")
    line = written.rfind("\n", 0, start) + 1
    line_end = written.find("\n", end)
    line_end = len(written) if line_end < 0 else line_end - written[:line_end].endswith("\r")
    if written[line:start].strip() != "-":
        raise NoteError(UNSAFE, "Rename it by hand")
    if not written[end:line_end].strip():
        # With the line end above it: the last line has none of its own here.
        return TextEdit(len(written[:line].removesuffix("\n").removesuffix("\r")), line_end, "")
    return TextEdit(written.index("-", line), end, "")


def _scalar_edits(written: str, node: yaml.ScalarNode, renames: Renames) -> Iterator[TextEdit]:
    """Yield the edit of a text such as `a, b`, if it has one of the tags."""
    parts = str(node.value).split(",")
    if not any(renames.of(part.strip().removeprefix("#")) for part in parts):
        return
    start, end = node.start_mark.index, node.end_mark.index
    quote = written[start] if node.style in ("'", '"') else ""
    inner = written[start + len(quote) : end - len(quote)]
    if node.style not in (None, "'", '"') or inner != node.value:
        raise NoteError(UNSAFE, "Rename it by hand")
    kept = {tag.casefold() for part in parts if renames.of(tag := part.strip().removeprefix("#")) is None}
    made: list[str] = []
    for part in parts:
        tag = part.strip().removeprefix("#")
        new = renames.of(tag)
        if new is None:
            made.append(part)
            continue
        fresh = [target for target in new if target.casefold() not in kept]
        kept |= {target.casefold() for target in fresh}
        made += [part.replace(tag, target) if not at else f" {target}" for at, target in enumerate(fresh)]
    text = ",".join(made)
    text = text.lstrip() if not inner[:1].isspace() else text
    text = text.rstrip() if not inner[-1:].isspace() else text
    yield TextEdit(start, end, f"{quote}{text}{quote}" if quote or len(made) > 1 else _quoted(text))


def add_tags(note: Note, text: str, tags: Sequence[str]) -> list[TextEdit]:
    """Return the edits that add tags to the front matter of a note, which is created if there is none.

    Tags that the note has already are left out. A note in which that is not safe raises `NoteError`.
    """
    has = {tag.casefold() for tag in note.tags}
    new = [tag for tag in dict.fromkeys(map(checked_tag, tags)) if tag.casefold() not in has]
    if not new:
        return []
    made = _added(text, new)
    after = note_of(note.path, with_edits(text, [made]))
    others = [{key: value for key, value in one.fields.items() if key not in KEYS} for one in (note, after)]
    wanted = has | {tag.casefold() for tag in new}
    same = others[0] == others[1] and len(note.links) == len(after.links)
    if not same or {tag.casefold() for tag in after.tags} != wanted:
        raise NoteError(UNSAFE, "Add it by hand")
    return [made]


def _added(text: str, tags: Sequence[str]) -> TextEdit:
    """Return the edit that writes tags into front matter: into its list, below its last line, or into a new one."""
    match, ending = FRONT_MATTER.match(text), "\r\n" if "\r\n" in text else "\n"
    lines = "".join(f"{ending}  - {_quoted(tag)}" for tag in tags)
    fields, body, warnings = split_front_matter(text)
    if warnings or (match and len(match[1] or "") > LONGEST):
        raise NoteError("its front matter uses YAML aliases or is not YAML", "Repair it, then try again")
    if match is None or not body:
        return TextEdit(0, 0, f"---{ending}tags:{lines}{ending}---{ending}")
    if not match[1]:
        # Between its two lines of dashes.
        first = text.index("\n") + 1
        return TextEdit(first, first, f"tags:{lines}{ending}")
    for key, value in _top_level(match[1]):
        if key in KEYS:
            at, written = _insertion(match[1], value, tags, lines)
            return TextEdit(match.start(1) + at, match.start(1) + at, written)
    if not fields:
        raise NoteError(UNSAFE, "Add it by hand")
    return TextEdit(match.end(1), match.end(1), f"{ending}tags:{lines}")


def _insertion(written: str, node: Any, tags: Sequence[str], lines: str) -> tuple[int, str]:
    """Return where tags go in the value of a key, and how they are written there."""
    items = ", ".join(map(_quoted, tags))
    if isinstance(node, yaml.SequenceNode) and node.flow_style:
        last = node.value[-1].end_mark.index if node.value else node.start_mark.index + 1
        return last, f", {items}" if node.value else items
    if isinstance(node, yaml.SequenceNode) and node.value:
        last = node.value[-1]
        start = last.start_mark.index
        before = written[written.rfind("\n", 0, start) + 1 : start]
        end = written.find("\n", last.end_mark.index)
        end = len(written) if end < 0 else end - written[:end].endswith("\r")
        ending = "\r\n" if "\r\n" in lines else "\n"
        return end, "".join(f"{ending}{before}{_quoted(tag)}" for tag in tags)
    if isinstance(node, yaml.ScalarNode) and not node.value:
        # Nothing, or a pair of quotes, which stays nothing.
        colon = written.rfind(":", 0, max(1, node.start_mark.index + (node.style is None)))
        return (colon + 1, f" [{items}]") if node.style is None else (node.start_mark.index + 1, ", ".join(tags))
    if isinstance(node, yaml.ScalarNode) and node.style in (None, "'", '"'):
        return node.end_mark.index - (node.style is not None), "".join(f", {tag}" for tag in tags)
    raise NoteError(UNSAFE, "Add it by hand")
