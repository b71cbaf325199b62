from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from notewell.serve.connect import jsonc, toml_table

KEYS = ("mcpServers", "notewell")
ENTRY = {"command": "notewell", "args": ["mcp", "--vault", "/my notes"]}
COMMENTED = """\
// My servers
{
\t"theme": "dark", // at night
\t/* those of work */
\t"mcpServers": {
\t\t"files": { "command": "files" }, // keep
\t},
}
"""
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
SERVERS = st.dictionaries(st.text().filter(lambda key: key != "notewell"), VALUES, max_size=3)
FILES = st.dictionaries(st.text().filter(lambda key: key != "mcpServers"), VALUES, max_size=3)


@given(FILES, SERVERS | st.none(), st.sampled_from([None, 0, 2, 4, "\t"]), st.booleans(), st.booleans())
def test_an_entry_that_is_put_and_removed_leaves_every_byte_as_it_was(
    others: dict[str, Any], servers: dict[str, Any] | None, indent: Any, ascii_only: bool, ended: bool
) -> None:
    before = others if servers is None else {**others, "mcpServers": servers}
    text = json.dumps(before, indent=indent, ensure_ascii=ascii_only) + ("\n" if ended else "")
    put = jsonc.put(text, KEYS, ENTRY)
    assert jsonc.parse(put).value == {**before, "mcpServers": {**(servers or {}), "notewell": ENTRY}}
    removed = jsonc.remove(put, KEYS if servers is not None else KEYS[:1])
    assert jsonc.parse(removed).value == before
    assert removed == text
    assert jsonc.parse(jsonc.put(put, KEYS, ENTRY)).value == jsonc.parse(put).value


BLANKS = st.sampled_from(["", " ", "\n", "\t", " // mine, {}\n", "/* mine, } */", '\r\n  // "notewell": {},\r\n'])


@st.composite
def commented(draw: st.DrawFn, value: Any) -> str:
    """Return a value as JSON with comments, space and commas anywhere."""

    def written(value: Any) -> str:
        if not isinstance(value, dict | list):
            return json.dumps(value)
        pairs = value.items() if isinstance(value, dict) else ((None, one) for one in value)
        inner = ""
        for key, one in pairs:
            comma = draw(BLANKS) + "," + draw(BLANKS) if inner else ""
            name = "" if key is None else f"{json.dumps(key)}{draw(BLANKS)}:{draw(BLANKS)}"
            inner += f"{comma}{name}{written(one)}"
        end = draw(st.sampled_from(["", ","])) if inner else ""
        text = f"{draw(BLANKS)}{inner}{draw(BLANKS)}{end}{draw(BLANKS)}"
        return f"{{{text}}}" if isinstance(value, dict) else f"[{text}]"

    return draw(BLANKS) + written(value) + draw(BLANKS)


@given(st.data(), st.sampled_from([None, {}, {"a": {"b": [1, {}]}}]), st.booleans())
def test_comments_stay_wherever_they_are(data: st.DataObject, servers: Any, last: bool) -> None:
    before = {"one": [], **({} if servers is None else {"mcpServers": servers}), **({"two": 2} if last else {})}
    text = data.draw(commented(before))
    assert jsonc.parse(text).value == before
    put = jsonc.put(text, KEYS, ENTRY)
    assert jsonc.parse(put).value == {**before, "mcpServers": {**(servers or {}), "notewell": ENTRY}}
    removed = jsonc.remove(put, KEYS if servers is not None else KEYS[:1], jsonc.edge(text, KEYS))
    assert removed == text


def test_what_was_written_around_an_entry_later_stays() -> None:
    text = '{\n  "a": 1, // one\n  "notewell": {}, // ours\n  // two\n  "b": 2\n}\n'
    assert jsonc.remove(text, ["notewell"]) == '{\n  "a": 1, // one\n  // ours\n  // two\n  "b": 2\n}\n'
    assert jsonc.remove('{"notewell": {}, "b": 2}', ["notewell"]) == '{"b": 2}'


def test_comments_and_commas_at_the_end_stay() -> None:
    put = jsonc.put(COMMENTED, KEYS, ENTRY)
    kept = [line for line in put.splitlines() if "notewell" not in line and line.strip() in COMMENTED]
    assert [line for line in COMMENTED.splitlines() if line not in kept] == []
    assert jsonc.parse(put).value["mcpServers"] == {"files": {"command": "files"}, "notewell": ENTRY}
    assert jsonc.parse(jsonc.remove(put, KEYS)).value == jsonc.parse(COMMENTED).value
    windows = COMMENTED.replace("\n", "\r\n")
    assert jsonc.put(windows, KEYS, ENTRY) == put.replace("\n", "\r\n")


@cases(
    "text", ["", "{", '{"a" 1}', '{"a": 1 "b": 2}', '{"a": 1, "a": 2}', "{} {}", '{"a": nope}', '{"a": "\x00}', "[" * 9]
)
def test_what_is_not_json_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):
        jsonc.parse(text)


CODEX = """\
model = "o3" # mine

[mcp_servers.files]
command = "files"

[mcp_servers.notewell-work]
command = "other"
"""


def test_a_table_of_toml_is_put_at_the_end_replaced_and_removed() -> None:
    keys = ("mcp_servers", "notewell")
    put = toml_table.put(CODEX, keys, ENTRY)
    assert put.startswith(CODEX)
    assert toml_table.parse(put)["mcp_servers"]["notewell"] == ENTRY
    assert toml_table.put(put, keys, ENTRY) == put
    assert toml_table.remove(put, keys) == CODEX
    between = put + '\n[mcp_servers.notewell.env]\nA = "1"\n\n[tui]\ntheme = "x"\n'
    assert toml_table.parse(toml_table.remove(between, keys)) == {**toml_table.parse(CODEX), "tui": {"theme": "x"}}
    later = '\n# My terminal\n\n[tui]\ntheme = "x"\n'
    assert toml_table.remove(put + later, keys) == CODEX + later


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"))))
def test_any_folder_can_be_written_as_toml(folder: str) -> None:
    entry = {"command": folder, "args": ["mcp", "--vault", folder]}
    assert toml_table.parse(toml_table.put("", ("mcp_servers", "notewell"), entry)) == {
        "mcp_servers": {"notewell": entry}
    }
