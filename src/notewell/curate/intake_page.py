"""A signal as a Markdown note: its name, its front matter, and its text, in which nothing runs, loads or tags."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import datetime

import yaml

from notewell.curate.signals import Signal
from notewell.files.formats import FAMILIES
from notewell.index.tags import tag_spans
from notewell.memory.page import numbered_names, stem_of
from notewell.redact import redact_text
from notewell.types.note import Note, Stamp

# Languages that a fence may name; plug-ins of Obsidian run what stands in others, such as `dataviewjs`.
LANGUAGES = {*FAMILIES, *(suffix.lstrip(".") for suffixes in FAMILIES.values() for suffix in suffixes.split())}
LANGUAGES |= {"text", "txt", "json", "yaml", "yml", "toml", "xml", "html", "console", "bash", "diff", "markdown", "md"}
# A fence stands in items of lists and in quotes, too.
FENCE = re.compile(r"(?m)^(?P<start>(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*(?P<sign>`{3,}|~{3,}))(?P<info>[^\n]*)$")
# A wikilink or an embed; an image, which would be loaded from its server, also by a reference; a command of Templater;
# HTML; and an inline command of Dataview, which it finds after spaces, too.
WIKILINK = re.compile(r"!?\[\[")
IMAGE = re.compile(r"!\[(?=[^\[\]\n]{0,500}\]\()")
OTHER_IMAGE = re.compile(r"!(?=\[)")
# A link, or the definition of one, that does not lead to the web: to a note, a file, or a command of Obsidian.
LINK_INSIDE = re.compile(r"(?i)\]\((?!\s{0,20}<?(?:https?://|mailto:))")
DEFINED_INSIDE = re.compile(
    r"(?im)^([ \t>]{0,20}\[(?!\^)(?:\\.|[^\[\]\\]){1,300}\]):(?!\s{0,20}<?(?:https?://|mailto:))"
)
TEMPLATE = re.compile(r"<%")
ELEMENT = re.compile(r"<(?=[a-zA-Z/!?])(?!https?://[^\s<>]+>)")
COMMAND = re.compile(r"`(?=\s*\$?=)")
# A field that would become a property of the note.
FIELD = re.compile(r"(?m)(?<=\w)::(?=[ \t])")
NO_TITLE = "Signal"


def file_names(signal: Signal, folder: str) -> Iterator[str]:
    """Yield the paths that a signal's note may have, the best first.

    >>> next(file_names(Signal("../../etc/passwd"), "Inbox"))
    'Inbox/etc passwd.md'
    """
    stem = stem_of(signal.title) or f"{NO_TITLE} {signal.id}"
    yield from (f"{folder}/{name}" if folder else name for name in numbered_names(f"{stem}.md"))


def page_of(signal: Signal, now: datetime, score: float) -> bytes:
    """Return a signal as a note."""
    fields = {
        "title": signal.title,
        "source": signal.url,
        "author": signal.author,
        "published": signal.published,
        "from": signal.source,
        "created": now.isoformat(timespec="seconds"),
        "score": round(score, 2),
    }
    # A link in a property counts as one, too.
    given = {
        key: value.replace("[[", "[") if isinstance(value, str) else value for key, value in fields.items() if value
    }
    # Every value is quoted as needed and none is folded, so that no text can end the front matter or add to it.
    written = yaml.safe_dump(given, allow_unicode=True, sort_keys=False, width=math.inf)
    return redact_text(f"---\n{written}---\n\n{tamed(signal.text)}\n")[0].encode()


def tamed(text: str) -> str:
    """Return a text of a stranger in which nothing runs, loads from the network, links into the vault, or is a tag.

    >>> tamed("![x](https://t.example/p.png) #spam [[../secret]] <script>a</script>")
    '[x](https://t.example/p.png) \\\\#spam \\\\[\\\\[../secret]] &lt;script>a&lt;/script>'
    """
    text = FENCE.sub(_plain_fence, text)
    for pattern, new in ((IMAGE, "["), (TEMPLATE, "&lt;%"), (ELEMENT, "&lt;"), (COMMAND, r"`\\"), (FIELD, ": :")):
        text = pattern.sub(new, text)
    text = WIKILINK.sub(lambda match: match[0].replace("[[", r"\[\[").removeprefix("!"), text)
    for pattern, new in ((OTHER_IMAGE, "&#33;"), (LINK_INSIDE, r"]\\("), (DEFINED_INSIDE, r"\1\\:")):
        text = pattern.sub(new, text)
    parts, at = [], 0
    for start, end in tag_spans(Note("a.md", text, Stamp(0, 0))):
        parts += [text[at : start - 1], "\\" + text[start - 1 : end]]
        at = end
    return "".join((*parts, text[at:]))


def _plain_fence(match: re.Match[str]) -> str:
    info = match["info"].strip()
    if "`" in info and "`" in match["sign"]:
        # Code in a line.
        return match[0]
    return match["start"] + (info if info.casefold() in LANGUAGES else "text" if info else "")
