"""CSV and TSV: the file's own text, its records in runs of twenty under their header."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from notewell.index.content import Content
from notewell.index.readers.limits import MOST_TEXT
from notewell.index.readers.rows import NEAR, headed, rows_name, runs
from notewell.index.readers.text import decode
from notewell.types.note import Part

# Of two that fit a file as well, the first is meant: commas stand in numbers and sentences, too.
DELIMITERS = ("\t", ";", "|", ",")
# Records, and characters, by which the delimiter is known.
FEW = 50
SAMPLE = 64_000
# How spreadsheets are told the delimiter.
TOLD = re.compile(r"sep=([^\r\n])\r?\n", re.IGNORECASE)


# Every run of rows carries its header: one of more lines is no header but a text.
MOST_UNDER = 10


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its number in the file, its first and its last line, its fields."""

    number: int
    line: int
    end_line: int
    fields: Sequence[str]


def extract(data: bytes) -> Content:
    """Return the file's text, and its records in parts."""
    whole, warnings = decode(data)
    text = whole if len(whole) <= MOST_TEXT else whole[: whole.rfind("\n", 0, MOST_TEXT) + 1 or MOST_TEXT]
    told = TOLD.match(text)
    found = records(text, told[1] if told else delimiter(text), skipped=bool(told))
    parts = tuple(_parts(found))
    if len(text) < len(whole):
        last = f", up to {parts[-1].name}" if parts else ""
        warnings = (*warnings, f"only the first {MOST_TEXT:,} characters are read{last}")
    return Content(text, parts, warnings=warnings)


def _parts(found: Iterator[Record]) -> Iterator[Part]:
    top = list(islice(found, NEAR))
    own, head, rest = headed(top, lambda record: [field.strip() for field in record.fields])
    yield from _part(own, ())
    under = tuple(line for record in head for line in range(record.line, record.end_line + 1))[:MOST_UNDER]
    for run in runs(chain(rest, found)):
        yield from _part(run, under)


def _part(run: Sequence[Record], under: tuple[int, ...]) -> Iterator[Part]:
    filled = [record for record in run if any(field.strip() for field in record.fields)]
    if filled:
        yield Part(filled[0].line, rows_name(filled[0].number, filled[-1].number), under)


def delimiter(text: str) -> str:
    """Return what separates the fields: what gives the first record, and most others, the same number of them.

    >>> delimiter("Name;Preis\\nRoggen;1,50\\nHafer;2,20"), delimiter("a,b\\n1,2"), delimiter("one column")
    (';', ',', ',')
    """
    sample = text if len(text) <= SAMPLE else text[: text.rfind("\n", 0, SAMPLE) + 1 or SAMPLE]
    fits = {sign: _fit(sample, sign) for sign in DELIMITERS}
    best = max(DELIMITERS, key=lambda sign: fits[sign])
    return best if fits[best][1] else ","


def _fit(sample: str, sign: str) -> tuple[bool, float]:
    """Return whether a sign gives the first record the usual number of fields, and how many records, in tenths."""
    counts = [len(record.fields) for record in islice(records(sample, sign), FEW) if record.fields]
    usual, times = next(iter(Counter(counts).most_common(1)), (1, 0))
    return (counts[0] == usual, round(times / len(counts), 1)) if usual > 1 else (False, 0.0)


def records(text: str, sign: str, *, skipped: bool = False) -> Iterator[Record]:
    """Yield the records of a text; a quotation mark that is never closed is only a sign.

    With `skipped`, the first line is none of them.
    """
    # A field may be as long as the file.
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    lines = text.split("\n")
    first = 1 if skipped else 0
    reader = csv.reader((_fed(line) for line in islice(lines, first, None)), delimiter=sign)
    number, end = 0, first
    for fields in reader:
        start, end = end, first + reader.line_num
        if end == len(lines) and end - start > 1 and sum(line.count('"') for line in lines[start:end]) % 2:
            yield from _unquoted(lines, sign, start, number)
            return
        if fields or end < len(lines):
            number += 1
            yield Record(number, start + 1, end, fields)


def _unquoted(lines: list[str], sign: str, start: int, number: int) -> Iterator[Record]:
    for at in range(start, len(lines)):
        number += 1
        yield Record(number, at + 1, at + 1, lines[at].split(sign))


def _fed(line: str) -> str:
    # The end of a line of old Macs, which is an error within a field.
    return line.rstrip("\r").replace("\r", " ") + "\n"
