"""How readers write text: on one line, shortened between words, as Markdown blocks, as parts under a title."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from notewell.frozen import frozen
from notewell.index.readers.content import Content
from notewell.redact import LINE_IN_LINE, redact_text
from notewell.types.note import Part

# Line ends of every kind, and control characters.
NOT_PRINTED = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# Invisible and of no use: control characters other than tabs and line ends, and byte order marks.
INVISIBLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u200b\u2060\ufeff\ufffe\uffff]")
# All other ways to end a line or a page.
LINE_END = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
LAST_WORD = re.compile(r"\s+\S*\Z")
# Of a word that is too long, such as a picture in base64, this much shows what it is.
START_OF_A_LONG_WORD = 100
# How far behind a cut secrets are looked for.
BEHIND_A_CUT = 5000
LAST_LETTERS = re.compile(r"[\w-]*\Z")


def one_line(text: str) -> str:
    """Return a text on one line.

    >>> one_line("one\\n  two\\x00three")
    'one two three'
    """
    # Nearly all texts are printable and need no substitution.
    return text.strip() if text.isprintable() else " ".join(NOT_PRINTED.sub(" ", text).split())


def marked_line(text: str) -> str:
    r"""Return a text on one line, its line breaks marked so that redaction still sees them.

    >>> marked_line("one \n\n two\tthree")
    'one\x0b\x0btwo three'
    """
    return text.strip() if text.isprintable() else LINE_IN_LINE.join(map(one_line, clean(text).split("\n")))


def clean(text: str) -> str:
    r"""Return a text with `\n` as its only line end and without invisible characters.

    >>> clean("one\r\ntwo\x0bthree\x00\n")
    'one\ntwo\nthree'
    """
    return INVISIBLE.sub("", LINE_END.sub("\n", text)).strip("\n")


def in_cell(text: str) -> str:
    r"""Return a text for a table cell, its bars escaped.

    A text that is itself a table row keeps its bars: redaction needs them to find the secrets in it.

    >>> print(in_cell("a|b"), in_cell("| password | bees |"))
    a\|b | password | bees |
    """
    return text if text.startswith("|") else text.replace("|", "\\|")


def shortened(text: str, most: int) -> str:
    """Return a text cut to about `most` characters, with a note of how many were left out.

    The cut is between words, or at a sign in a long word, and secrets near it are redacted first: half a secret would
    not be recognised.

    >>> shortened("one two three", 9), shortened("data:image/png;base64,iVBORw0KGgo", 30)
    ('one two … (6 characters left out)', 'data:image/png;base64, … (11 characters left out)')
    """
    if len(text) <= most:
        return text
    # Far enough behind the cut to include any secret that it would go through.
    near = text[: most + BEHIND_A_CUT]
    text = redact_text(near)[0] + text[len(near) :]
    if len(text) <= most:
        return text
    kept = LAST_WORD.sub("", text[: most + 1])
    if len(kept) > most:
        kept = LAST_LETTERS.sub("", text[: min(most, START_OF_A_LONG_WORD)])
    return f"{kept} … ({len(text) - len(kept):,} characters left out)".lstrip()


# The start of a line that Markdown would read as a heading or a fence.
MARK = re.compile(r"^(?=#{1,6}(?:\s|$)|`{3}|~{3}|=+\s*$|-{2,}\s*$)", re.MULTILINE)
FENCE = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)


@frozen
class Block:
    """A block of Markdown; a list item follows another directly, anything else after a blank line."""

    text: str
    item: bool = False


def paragraph(text: str) -> Block:
    r"""Return a text as a paragraph, escaped where it would read as a heading or code.

    >>> paragraph("# 1 in sales\n---").text
    '\\# 1 in sales\n\\---'
    """
    lines = (" ".join(line.split()) for line in clean(text).split("\n"))
    return Block(MARK.sub(r"\\", "\n".join(line for line in lines if line)))


def heading(level: int, text: str) -> Block:
    """Return a heading, of at most level 6."""
    name = one_line(text)
    return Block(f"{'#' * min(max(level, 1), 6)} {name}" if name else "")


def item(text: str, depth: int, mark: str = "-") -> Block:
    r"""Return a list item, its further lines indented below its first.

    >>> item("one\ntwo", 1, "3.").text
    '  3. one\n     two'
    """
    lines = paragraph(text).text.split("\n")
    lead = f"{'  ' * depth}{mark} "
    return Block(lead + f"\n{' ' * len(lead)}".join(lines) if lines[0] else "", item=True)


def fence(code: str, language: str = "") -> Block:
    """Return code between fences longer than any fence inside it."""
    inner = clean(code)
    longest = max((len(found) for found in FENCE.findall(inner)), default=2)
    mark = "`" * (longest + 1)
    return Block(f"{mark}{language}\n{inner}\n{mark}" if inner.strip() else "")


def table(rows: Sequence[Sequence[str]]) -> Block:
    """Return a table without empty rows, its first row the header; a single column becomes lines of text."""
    lines = [[in_cell(one_line(cell)) for cell in row] for row in rows]
    lines = [line for line in lines if any(line)]
    width = max((number for line in lines for number, cell in enumerate(line, 1) if cell), default=0)
    if width < 2:
        return paragraph("\n".join(line[0] for line in lines))
    written = ["| " + " | ".join([*line[:width], *[""] * (width - len(line))]) + " |" for line in lines]
    return Block("\n".join([written[0], "|" + " --- |" * width, *written[1:]]))


def markdown(blocks: Iterable[Block]) -> str:
    r"""Return the blocks as one text; empty blocks are left out.

    >>> markdown([heading(1, "Bees"), Block(""), item("one", 0), item("two", 0), paragraph("End")])
    '# Bees\n\n- one\n- two\n\nEnd\n'
    """
    text: list[str] = []
    above: Block | None = None
    for block in blocks:
        if block.text.strip():
            if above is not None:
                text.append("\n" if above.item and block.item else "\n\n")
            text.append(block.text)
            above = block
    return "".join([*text, "\n"]) if text else ""


# Titles that programs give to files whose authors gave them none.
NO_TITLE = re.compile(
    r"(?i)untitled.*|unbenannt.*|[^a-z\u0080-\uffff]*"
    r"|.*\.(?:docx?|docm|dotx?|pptx?|pptm|xls[bmx]?|od[pst]|rtf|pdf|e?ps|dvi|tex|indd|qxd|pub|wp[ds]|txt|md|html?|epub)"
    r"|(?:word |powerpoint[ -]?)?(?:document|dokument|presentation|präsentation|slide|title) ?\d*"
)
PROGRAM = re.compile(r"(?i)^microsoft (?:word|powerpoint|excel|office word) - ")


def human_title(title: str) -> str:
    """Return the title that a person gave a file, without what a program added; empty if a program made it up.

    >>> [human_title(title) for title in ("Microsoft Word - Bees", "Document1", "final.docx", "Learning Vue.js")]
    ['Bees', '', '', 'Learning Vue.js']
    """
    title = PROGRAM.sub("", one_line(title))
    return "" if NO_TITLE.fullmatch(title) else title


def join_parts(named: Iterable[tuple[str, str]], title: str = "", warnings: tuple[str, ...] = ()) -> Content:
    r"""Return named texts joined by blank lines, a part for each; empty ones are left out.

    >>> join_parts([("page 1", "one"), ("page 2", " "), ("page 3", "two\nthree")]).text
    'one\n\ntwo\nthree\n'
    """
    parts: list[Part] = []
    lines: list[str] = []
    for name, text in named:
        if stripped := text.strip("\n").rstrip():
            lines += [""] if lines else []
            parts.append(Part(len(lines) + 1, name))
            lines += stripped.split("\n")
    return Content("\n".join([*lines, ""]) if lines else "", tuple(parts), title, warnings)
