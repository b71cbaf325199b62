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


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"))))
def test_any_folder_can_be_written_as_toml(folder: str) -> None:
    entry = {"command": folder, "args": ["mcp", "--vault", folder]}
    assert toml_table.parse(toml_table.put("", ("mcp_servers", "notewell"), entry)) == {
        "mcp_servers": {"notewell": entry}
    }
