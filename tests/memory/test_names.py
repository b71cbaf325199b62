"""Whatever the title, the file lies in the folder and has a valid name on every system."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from notewell import Vault
from notewell.errors import NoteError
from notewell.memory import Memory
from notewell.memory.page import LONGEST_NAME, LONGEST_NAME_BYTES, numbered_names, stem_of

# What a program that writes files must not be given, and what may be added to it.
HOSTILE = (
    *("../../etc/passwd", "..\\..\\boot.ini", "/etc/passwd", "C:\\Windows\\x", "\\\\server\\share", "~root/x", "."),
    *(
        "..",
        "...",
        ".ssh/authorized_keys",
        "a\0b",
        "a\nb: c\n---",
        "CON",
        "nul.txt",
        "com1 .md",
        "LPT¹",
        "-rf",
        "\u202emoc",
    ),
    *("x" * 5_000, "🐝" * 200, "é" * 300, "e\u0301" * 200, "a/" * 100, "a:b", '<>|?*"', "  ", "\ud800", "[[x]]#^y"),
    *("trailing. . ", "name.md", ".notewell-unfinished-1", "$(reboot)`id`", "%PATH%", "日本語のメモ", "مرحبا"),
)
titles = st.one_of(
    st.sampled_from(HOSTILE), st.text(max_size=300), st.tuples(st.sampled_from(HOSTILE), st.text()).map("".join)
)
DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)\s*(\.|$)", re.IGNORECASE)


@given(titles)
@settings(max_examples=200)
def test_a_name_is_one_on_every_system(title: str) -> None:
    stem = stem_of(title)
    assert not set(stem) & set('\\/:*?"<>|\0')
    assert not any(unicodedata.category(sign)[0] == "C" for sign in stem)
    assert stem == stem.strip(" .")
    assert stem == unicodedata.normalize("NFC", stem)
    assert not stem.startswith((".", "-", "~"))
    assert not DEVICE.match(stem)
    assert len(stem) <= LONGEST_NAME + len("Note ")
    assert len(stem.encode()) <= LONGEST_NAME_BYTES + len("Note ")
    assert Path(f"{stem}.md").name == f"{stem}.md"


def test_a_name_is_readable() -> None:
    assert stem_of("Deploy: two approvals (since March)") == "Deploy two approvals (since March)"
    assert stem_of("日本語のメモ 🐝") == "日本語のメモ 🐝"
    assert stem_of("Mu\u0308ller's Brief") == "Müller's Brief"
    assert stem_of("CON") == "Note CON"


def test_a_name_that_is_taken_gets_a_number() -> None:
    names = numbered_names("Rye.md")
    assert [next(names) for _ in range(3)] == ["Rye.md", "Rye 2.md", "Rye 3.md"]


@given(titles)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_file_of_any_title_lies_in_the_folder_and_is_found(make_other: Callable[[], Vault], title: str) -> None:
    vault = make_other()
    before = {path for path in vault.root.parent.rglob("*") if ".notewell" not in path.parts}
    done = vault.remember("The heating is bled every autumn.", title=title, anyway=True)
    after = {path for path in vault.root.parent.rglob("*") if ".notewell" not in path.parts}
    (made,) = (path for path in after - before if path.is_file())
    assert made.parent == vault.root / "Memories"
    assert made.relative_to(vault.root).as_posix() == done.path
    assert done.notices == ()
    with vault.store.reading() as snapshot:
        assert snapshot.chunks_of(done.path)
    assert vault.forget(done.path).trash == f".trash/{made.name}"
    (vault.root / ".trash" / made.name).unlink()


@pytest.fixture
def make_other(allowed: Vault) -> Callable[[], Vault]:
    """One vault for all examples: each takes away what it wrote."""
    return lambda: allowed


def test_a_folder_full_of_one_name_is_an_error(allowed: Vault) -> None:
    memories, now = replace(allowed._memories(), most=3), datetime(2026, 5, 1, tzinfo=UTC)
    for text in ("The heating is bled.", "Kim likes tea."):
        memories.remember(Memory(text, now, title="Kim"), anyway=False)
    with pytest.raises(NoteError, match="too many notes with this name"):
        memories.remember(Memory("Postgres listens on port 5433.", now, title="Kim"), anyway=False)
    assert len(list((allowed.root / "Memories").iterdir())) == 2
