"""A memory as a page of Markdown: front matter that says what it is, then its text, both without secrets."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import yaml

from notewell.errors import NoteError
from notewell.index.shapes.front_matter import STAND_IN, split_front_matter
from notewell.memory.names import SUFFIX, stem_of
from notewell.redact import names_secret, redact_text

# What the front matter of a memory has as its `type`: the mark by which it may be forgotten.
MARK = "memory"
# Longer than anything worth remembering; a document is put into the vault as a file.
LONGEST = 100_000
# A title is a line; so is where something comes from.
LONGEST_LINE = 200
MOST_TAGS = 20
# Of a text without a title, so many characters become one.
LONGEST_FIRST = 70
LINE_BREAK = re.compile(r"\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
# What no note holds, and what would let a text be taken for no text; tabs and line breaks stay.
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")
# How Markdown begins what is no word yet: headings, items, boxes, quotations, emphasis.
MARKUP = re.compile(r"^(?:[\s#>*+\-_`~|]+|\[[ xX]?\])+")
# A line that is nothing but a secret, and perhaps the name of what it is: `password:`, `export API_KEY=`.
SECRET_LINE = re.compile(rf"\W*(?:(?:\w[\w.-]*[ \t]+){{0,3}}\w[\w.-]*[\W_]*[:=]\W*)?(?:{STAND_IN.pattern}\W*)+")


@dataclass(frozen=True, slots=True)
class Memory:
    """What is to be remembered: a text, what it is called, where it comes from, and when it was said."""

    text: str
    created: datetime
    title: str = ""
    tags: tuple[str, ...] = ()
    source: str = ""


def tidy(memory: Memory) -> tuple[Memory, int]:
    """Return the memory as it can be written: one line where one line belongs, no secrets; and how many there were."""
    text = _text(memory.text).strip()
    if not text:
        raise NoteError("There is nothing to remember: the text is empty", "Give it a sentence")
    if len(text) > LONGEST:
        raise NoteError(
            f"The text has {len(text):,} characters; a memory has at most {LONGEST:,}",
            "Remember what matters of it, or put it into the vault as a file",
        )
    # A title may be what gives the text below it away as a secret: they are looked at together.
    joined, found = redact_text(f"{_line(memory.title)}\n{text}")
    title, _, text = joined.partition("\n")
    if all(SECRET_LINE.fullmatch(line) for line in text.split("\n") if line.strip()):
        raise NoteError("There is nothing to remember but a secret", "Say where it is kept; it is not written here")
    source, of_source = redact_text(_line(memory.source))
    tags = [redact_text(tag) for tag in dict.fromkeys(map(_tag, memory.tags[:MOST_TAGS])) if tag]
    clean = Memory(
        text.strip(),
        memory.created,
        # Cut when no secret is left: half of one would not be known for what it is.
        title[:LONGEST_LINE].strip() or first_words(text),
        tuple(tag[:LONGEST_LINE] for tag, _ in tags),
        source[:LONGEST_LINE].strip(),
    )
    return clean, len(found) + len(of_source) + sum(len(more) for _, more in tags)


def _text(text: str) -> str:
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return CONTROL.sub("", LINE_BREAK.sub("\n", unicodedata.normalize("NFC", whole)))


def _line(text: str) -> str:
    """Return a text on one line, without what cannot be seen in it."""
    seen = (sign for sign in _text(text) if unicodedata.category(sign) != "Cf")
    return " ".join("".join(seen).split())


def _tag(tag: str) -> str:
    """Return a tag as Obsidian has it: without `#`, and with no space in it."""
    return re.sub(r"[\s,]+", "-", _line(tag).lstrip("#")).strip("-")


def first_words(text: str) -> str:
    """Return what a text without a title is called: its first words.

    >>> first_words("## Rye needs more water. Wheat does not.")
    'Rye needs more water'
    """
    line = next((bare for line in text.split("\n") if (bare := MARKUP.sub("", line).strip())), "")
    sentence = re.split(r"(?<=\w)[.!?:;](?=\s|$)|[。！？]", line, maxsplit=1)[0]
    return sentence if len(sentence) <= LONGEST_FIRST else sentence[:LONGEST_FIRST].rsplit(" ", 1)[0].rstrip(" ,;:–-")


def name_of(memory: Memory, folder: str) -> str:
    """Return the name of the memory's file, as yet without a number: its title's, or else its day's."""
    name = f"{stem_of(memory.title)}{SUFFIX}"
    by_day = f"Memory {memory.created:%Y-%m-%d}{SUFFIX}"
    return by_day if name == SUFFIX or names_secret(f"{folder}/{name}") else name


def write_page(memory: Memory) -> tuple[str, int]:
    """Return the memory as Markdown, and how many secrets only the whole of it gave away."""
    page, found = redact_text(_page(memory))
    if found and split_page(page)[0].get("type") != MARK:
        # A stand-in broke the front matter: what is left out of it cannot be told without the secret.
        bare = Memory(memory.text, memory.created)
        page, found = redact_text(_page(bare))
    return page, len(found)


def _page(memory: Memory) -> str:
    fields = {"title": memory.title, "tags": list(memory.tags), "source": memory.source}
    told = {key: value for key, value in fields.items() if value}
    # Every value quoted as it must be, and none folded over lines: no text ends the front matter or adds to it.
    written = yaml.safe_dump(told, allow_unicode=True, sort_keys=False, width=math.inf) if told else ""
    created = memory.created.isoformat(timespec="seconds")
    return f"---\ntype: {MARK}\ncreated: {created}\n{written}---\n\n{memory.text}\n"


def split_page(page: str) -> tuple[dict[str, Any], str]:
    """Return what the front matter of a page says, and the text below it."""
    page = page.removeprefix("\ufeff")
    fields, body, _ = split_front_matter(page)
    return fields, page[body:].replace("\r\n", "\n").strip()
