"""A memory as a Markdown file: its name, its front matter and its text, without secrets."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import yaml

from notewell.errors import NoteError
from notewell.files.control_chars import without_hidden
from notewell.frozen import frozen
from notewell.index.shapes.front_matter import STAND_IN, split_front_matter
from notewell.redact import names_secret, redact_text

SUFFIX = ".md"
# The `type` in a memory's front matter; only notes with it may be forgotten.
MARK = "memory"
# The most characters of a memory; a longer document should be a file of its own.
LONGEST = 100_000
# The most characters of a title, and of a source; each is one line.
LONGEST_LINE = 200
MOST_TAGS = 20
# How many characters of a text without a title become its title.
LONGEST_FIRST = 70
# The most characters of a file name, which lists of files show; and bytes, which file systems allow, with a number and
# the suffix behind them.
LONGEST_NAME = 80
LONGEST_NAME_BYTES = 200
# Characters that separate folders, mean something to a shell, Windows or a link of Obsidian, or begin a stand-in.
SPECIAL = re.compile(r"[\\/:*?\"<>|#^\[\]`$%~\x7f]+")
# Names that Windows reserves for devices, whatever follows their first dot.
RESERVED = re.compile(r"(?:con|prn|aux|nul|conin|conout|com[\d¹²³]|lpt[\d¹²³])(?= *(?:\.|$))", re.IGNORECASE)
# The most notes with one name, distinguished by a number; more would be the work of a program in a loop.
MOST = 10_000
LINE_BREAK = re.compile(r"\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
# Markdown before the first word: headings, list items, boxes, quotations, emphasis.
MARKUP = re.compile(r"^(?:[\s#>*+\-_`~|]+|\[[ xX]?\])+")
# A line with nothing but a redacted secret and perhaps its name: `password:`, `export API_KEY=`.
SECRET_LINE = re.compile(rf"\W*(?:(?:\w[\w.-]*[ \t]+){{0,3}}\w[\w.-]*[\W_]*[:=]\W*)?(?:{STAND_IN.pattern}\W*)+")


@frozen
class Memory:
    """A text to remember, its title, tags and source, and when it was said."""

    text: str
    created: datetime
    title: str = ""
    tags: tuple[str, ...] = ()
    source: str = ""


def tidy(memory: Memory) -> tuple[Memory, int]:
    """Return the memory without secrets, its title, tags and source on one line each, and the number of secrets."""
    text = _text(memory.text).strip()
    if not text:
        raise NoteError("There is nothing to remember: the text is empty", "Give at least a sentence")
    if len(text) > LONGEST:
        raise NoteError(
            f"The text has {len(text):,} characters; a memory has at most {LONGEST:,}",
            "Remember the important part, or put the text into the vault as a file",
        )
    # A title may reveal that the text below it is a secret, so both are searched together.
    joined, found = redact_text(f"{_line(memory.title)}\n{text}")
    title, _, text = joined.partition("\n")
    if all(SECRET_LINE.fullmatch(line) for line in text.split("\n") if line.strip()):
        raise NoteError(
            "The text is nothing but a secret, and secrets are not stored", "Remember where it is kept instead"
        )
    source, of_source = redact_text(_line(memory.source))
    written = [tag for tags in memory.tags for tag in tags.split(",")][:MOST_TAGS]
    tags = [redact_text(tag) for tag in dict.fromkeys(map(_tag, written)) if tag]
    clean = Memory(
        text.strip(),
        memory.created,
        # Cut only when no secret is left: half of a secret would not be recognised.
        title[:LONGEST_LINE].strip() or first_words(text),
        tuple(tag[:LONGEST_LINE] for tag, _ in tags),
        source[:LONGEST_LINE].strip(),
    )
    return clean, len(found) + len(of_source) + sum(len(more) for _, more in tags)


def _text(text: str) -> str:
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return without_hidden(LINE_BREAK.sub("\n", unicodedata.normalize("NFC", whole)))


def _line(text: str) -> str:
    """Return a text on one line, without invisible characters."""
    seen = (sign for sign in _text(text) if unicodedata.category(sign) != "Cf")
    return " ".join("".join(seen).split())


def _tag(tag: str) -> str:
    """Return a tag as Obsidian writes it: without `#` and spaces."""
    return re.sub(r"\s+", "-", _line(tag).lstrip("#")).strip("-")


def first_words(text: str) -> str:
    """Return a title for a text without one: its first words.

    >>> first_words("## Rye needs more water. Wheat does not.")
    'Rye needs more water'
    """
    line = next((bare for line in text.split("\n") if (bare := MARKUP.sub("", line).strip())), "")
    sentence = re.split(r"(?<=\w)[.!?:;](?=\s|$)|[。！？]", line, maxsplit=1)[0]
    return sentence if len(sentence) <= LONGEST_FIRST else sentence[:LONGEST_FIRST].rsplit(" ", 1)[0].rstrip(" ,;:–-")


def file_name(memory: Memory, folder: str) -> str:
    """Return the file name of a memory: from its title, or else from its day."""
    name = f"{stem_of(memory.title)}{SUFFIX}"
    by_day = f"Memory {memory.created:%Y-%m-%d}{SUFFIX}"
    return by_day if name == SUFFIX or names_secret(f"{folder}/{name}") else name


def write_page(memory: Memory) -> tuple[str, int]:
    """Return the memory as Markdown, and how many more secrets the whole page shows."""
    page, found = redact_text(_page(memory))
    if found and split_page(page)[0].get("type") != MARK:
        # A redaction broke the front matter: the field cannot be kept without the secret.
        bare = Memory(memory.text, memory.created)
        page, found = redact_text(_page(bare))
    return page, len(found)


def _page(memory: Memory) -> str:
    fields = {"title": memory.title, "tags": list(memory.tags), "source": memory.source}
    given = {key: value for key, value in fields.items() if value}
    # Every value is quoted as needed and none is folded, so that no text can end the front matter or add to it.
    written = yaml.safe_dump(given, allow_unicode=True, sort_keys=False, width=math.inf) if given else ""
    created = memory.created.isoformat(timespec="seconds")
    return f"---\ntype: {MARK}\ncreated: {created}\n{written}---\n\n{memory.text}\n"


def split_page(page: str) -> tuple[dict[str, Any], str]:
    """Return the front matter of a page, and the text below it."""
    page = page.removeprefix("\ufeff")
    fields, body, _ = split_front_matter(page)
    return fields, page[body:].replace("\r\n", "\n").strip()


def stem_of(title: str) -> str:
    """Return a file name for a title, without suffix; empty if none of its characters may be in a name.

    >>> stem_of("Deploy: two approvals"), stem_of("../../etc/passwd"), stem_of("?\\0")
    ('Deploy two approvals', 'etc passwd', '')
    """
    usual = unicodedata.normalize("NFC", title)
    # Drop control and format characters, halves of characters, and unassigned ones.
    seen = "".join(" " if unicodedata.category(sign) in ("Cc", "Zl", "Zp") else sign for sign in usual)
    seen = "".join(sign for sign in seen if unicodedata.category(sign)[0] != "C")
    words = " ".join(SPECIAL.sub(" ", seen).split())
    stem = _trimmed(words[:LONGEST_NAME].encode()[:LONGEST_NAME_BYTES].decode(errors="ignore"))
    return f"Note {stem}" if RESERVED.match(stem) else stem


def _trimmed(stem: str) -> str:
    """Return a name without what would hide the file, look like an option, or be dropped at the end."""
    return stem.lstrip(" .-_").rstrip(" .")


def numbered_names(name: str, most: int = MOST) -> Iterator[str]:
    """Yield the names that a file may have: its own first, then with a number.

    >>> names = numbered_names("Rye.md")
    >>> next(names), next(names)
    ('Rye.md', 'Rye 2.md')
    """
    yield name
    stem, dot, suffix = name.rpartition(".")
    yield from (f"{stem} {number}{dot}{suffix}" for number in range(2, most))
