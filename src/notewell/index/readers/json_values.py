"""JSON: exported chats by turns, other values flat, such as `servers[0].host: db1`, on their lines of the file."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from notewell.index.readers import chats
from notewell.index.readers.content import Content, not_json_error
from notewell.index.readers.nested import Flat, Value, by_line, load_json, on_source_lines
from notewell.index.readers.text import decode

# With more values than this on one line, the file is minified: each value gets a line of its own.
MOST_ON_A_LINE = 20
# Comments, and a comma after the last value, are accepted: people write both into settings.
TOKEN = re.compile(
    r"[ \t\r\ufeff]*+(?:"
    r"(?P<line>\n)"
    r'|(?P<string>"[^"\\\n]*+(?>(?:\\.[^"\\\n]*+)*)")(?P<colon>[ \t\r\n]*:)?'
    r"|(?P<sign>[{}\[\],])"
    r"|(?P<bare>-?(?:\d[\d.eE+-]*+|NaN|Infinity)|true|false|null)(?![\w.])"
    r"|(?P<comment>//[^\n]*+|/\*(?>(?:[^*]|\*(?!/))*)\*/)"
    r"|(?P<end>\Z)|(?P<other>.))"
)
# What may come next.
VALUE, KEY, COMMA = "value", "key", "comma"


def extract(data: bytes) -> Content:
    """Return the turns of an exported chat, or the file's values."""
    text, warnings = decode(data)
    if chats.may_be_export(text) and (content := chats.export(load_json(text))):
        return replace(content, warnings=warnings)
    values = flatten(text)
    if max((len(held) for _, held in by_line(values)), default=0) <= MOST_ON_A_LINE:
        return Content("\n".join(on_source_lines(values, text.count("\n") + 1)), warnings=warnings)
    return Content("\n".join(str(value) for value in values), warnings=warnings)


def flatten(text: str) -> list[Value]:
    """Return the values of JSON in the order of the file, which may contain several documents.

    >>> [str(value) for value in flatten('{"a": [1, {"b": "c d"}], "e": [true, null]}')]
    ['a[0]: 1', 'a[1].b: c d', 'e: true, null']
    """
    flat, line, wanted = Flat(), 1, VALUE
    for token in TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "line":
            line += 1
        elif kind == "sign":
            wanted = _after_sign(flat, token["sign"], wanted, line)
        elif kind == "colon" and wanted == KEY:
            flat.key(_unquoted(token["string"], line))
            line += token["colon"].count("\n")
            wanted = VALUE
        elif kind in ("string", "bare") and wanted == VALUE:
            is_string = kind == "string"
            flat.add(_unquoted(token["string"], line) if is_string else token["bare"], line, quoted=is_string)
            wanted = COMMA if flat.depth else VALUE
        elif kind == "comment":
            line = _remark(flat, token["comment"], line)
        elif kind == "end" and not flat.depth:
            return flat.values
        else:
            break
    raise not_json_error(line)


def _after_sign(flat: Flat, sign: str, wanted: str, line: int) -> str:
    """Handle a bracket or a comma, and return what may come next."""
    if sign == "," and wanted == COMMA:
        return VALUE if flat.in_list else KEY
    if sign in "{[" and wanted == VALUE:
        flat.open(is_list=sign == "[")
        return VALUE if sign == "[" else KEY
    closes = flat.depth and (sign == "]") == flat.in_list
    if sign in "]}" and closes and wanted in (COMMA, VALUE if flat.in_list else KEY):
        flat.close()
        return COMMA if flat.depth else VALUE
    raise not_json_error(line)


def _remark(flat: Flat, written: str, line: int) -> int:
    """Add a comment, each of its lines where it is, and return the number of the last one."""
    last = line
    for last, text in enumerate(written.split("\n"), line):
        if text.strip(" */\t\r"):
            flat.remark(text.strip(), last)
    return last


def _unquoted(string: str, line: int) -> str:
    if "\\" not in string:
        return string[1:-1]
    try:
        return str(json.loads(string, strict=False))
    except ValueError as error:
        raise not_json_error(line) from error
