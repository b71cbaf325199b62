from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from notewell import Results, Session, Vault
from notewell.errors import NoteError
from notewell.files.lock import held
from notewell.session import KEPT, LARGEST, PREFERRED, load_opened, save_opened

MakeVault = Callable[..., Vault]
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)

NOTES = {
    "Bees.md": "# Bees\n\nThe bees bring honey to the hive.\n",
    "Swarm.md": "# Swarm\n\nThe bees left their hive.\n",
    "Rye.md": "# Rye\n\nRye bread needs a tin.\n",
    "Oven.md": "# Oven\n\nA tin of bread in the oven.\n",
}


@pytest.fixture
def session(make_vault: MakeVault) -> Session:
    vault = make_vault(NOTES)
    vault.index()
    return Session(vault)


def read_as(results: Results) -> tuple[str, ...]:
    assert results.read_as is not None
    return results.read_as


def test_a_search_leans_to_what_was_read_and_a_first_one_to_nothing(session: Session) -> None:
    assert read_as(session.search("warm", explain=True))[:2] == ('words and meaning "warm"', "one word")
    assert "honey" in session.read("Bees.md:3").text
    assert read_as(session.search("warm", explain=True))[:2] == ("like Bees.md:3", 'words and meaning "warm"')


def test_more_like_these_are_the_notes_like_those_that_were_read(session: Session) -> None:
    session.read("Bees.md")
    assert session.more_like_these()[0].path == "Swarm.md"
    session.read("Rye.md")
    assert {excerpt.path for excerpt in session.more_like_these(limit=2)} == {"Swarm.md", "Oven.md"}


def test_without_anything_read_there_is_nothing_to_be_like(session: Session) -> None:
    with pytest.raises(NoteError, match="No indexed note was opened"):
        session.more_like_these()


def test_what_was_read_and_is_not_indexed_is_passed_over(session: Session) -> None:
    (session.vault.root / "New.md").write_text("# New\n\nNot indexed yet.\n", encoding="utf-8")
    session.read("Bees.md")
    session.read("New.md")
    assert session.last_places == ("Bees.md:1-3",)


def test_what_was_read_and_is_deleted_since_is_passed_over(session: Session) -> None:
    session.read("Bees.md")
    (session.vault.root / "Bees.md").unlink()
    assert read_as(session.search("warm", refresh=True, explain=True))[0] == 'words and meaning "warm"'


def test_a_pasted_text_stays_a_text_after_a_note_was_read(session: Session) -> None:
    pasted = f'{"honey from the comb " * 20} "not there" -bees'
    before = read_as(session.search(pasted, explain=True))
    session.read("Bees.md:3")
    assert read_as(session.search(pasted, explain=True)) == ("like Bees.md:3", *before)
    assert read_as(session.search("rye", like="Oven.md", explain=True))[:2] == ("like Bees.md:3", "like Oven.md")


def test_the_last_few_count_and_the_last_one_last(session: Session) -> None:
    opened = Session(session.vault, [f"Bees.md:1-{line}" for line in range(2, 50)])
    assert len(opened.opened) == KEPT
    assert opened.last_places == tuple(f"Bees.md:1-{line}" for line in range(50 - PREFERRED, 50))


def test_what_was_opened_is_kept_for_an_hour(tmp_path: Path) -> None:
    file = tmp_path / "opened"
    save_opened(file, "a.md:1-2", NOW)
    save_opened(file, "b.md:1-2", NOW + timedelta(minutes=50))
    save_opened(file, "a.md:1-2", NOW + timedelta(minutes=55))
    assert load_opened(file, NOW + timedelta(minutes=100)) == ("b.md:1-2", "a.md:1-2")
    assert load_opened(file, NOW + timedelta(minutes=120)) == ()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"at": "yesterday"}', '{"at": 3, "opened": []}', "\xff"])
def test_a_damaged_memory_is_an_empty_one(tmp_path: Path, content: str) -> None:
    file = tmp_path / "opened"
    file.write_text(content, encoding="latin-1")
    assert load_opened(file, NOW) == ()
    save_opened(file, "a.md:1-2", NOW)
    assert load_opened(file, NOW) == ("a.md:1-2",)


LONG = json.dumps({"at": NOW.isoformat(), "opened": ["b.md:1-2"]}).encode().ljust(LARGEST + 1)


@pytest.mark.parametrize("content", [b"[" * 60_000, LONG, b'{"at": ' + b"9" * 5_000 + b"}"])
def test_a_hostile_memory_is_an_empty_one(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "opened"
    file.write_bytes(content)
    assert load_opened(file, NOW) == ()
    save_opened(file, "a.md:1-2", NOW)
    assert load_opened(file, NOW) == ("a.md:1-2",)


def test_a_memory_is_not_read_through_a_link_nor_from_a_pipe(tmp_path: Path) -> None:
    save_opened(tmp_path / "other", "a.md:1-2", NOW)
    (tmp_path / "link").symlink_to("other")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe"):
        assert load_opened(tmp_path / name, NOW) == ()
        save_opened(tmp_path / name, "b.md:1-2", NOW)
        assert load_opened(tmp_path / name, NOW) == ("b.md:1-2",)
    assert load_opened(tmp_path / "other", NOW) == ("a.md:1-2",)


def test_a_memory_of_the_future_does_not_count(tmp_path: Path) -> None:
    save_opened(tmp_path / "opened", "a.md:1-2", NOW + timedelta(days=400))
    assert load_opened(tmp_path / "opened", NOW) == ()


def test_notes_read_at_once_are_all_kept(tmp_path: Path) -> None:
    places = [f"{number}.md:1-2" for number in range(8)]
    with ThreadPoolExecutor(len(places)) as pool:
        list(pool.map(lambda place: save_opened(tmp_path / "opened", place, NOW), places))
    assert sorted(load_opened(tmp_path / "opened", NOW)) == places


def test_saving_a_place_waits_for_another_process_that_saves(tmp_path: Path) -> None:
    file = tmp_path / "opened.json"
    with ThreadPoolExecutor() as others:
        with held(tmp_path / "opened.json.lock", 0):
            second = others.submit(save_opened, file, "b.md:1", NOW)
            # Without waiting for the lock it is done by then, and what is written below is all that is left.
            wait([second], timeout=0.3)
            file.write_text(json.dumps({"at": NOW.isoformat(), "opened": ["a.md:1"]}))
        second.result()
    assert load_opened(file, NOW) == ("a.md:1", "b.md:1")


def test_a_name_that_is_not_text_is_not_kept(tmp_path: Path) -> None:
    save_opened(tmp_path / "opened", "\udcff.md:1-2", NOW)
    assert list(tmp_path.iterdir()) == []


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path) -> None:
    save_opened(tmp_path / "no folder" / "opened", "a.md:1-2", NOW)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_holds_a_secret_is_not_kept(tmp_path: Path) -> None:
    name = "ghp_" + "a1B2c3D4e5F6" * 3
    save_opened(tmp_path / "opened", f"{name}.md:1-2", NOW)
    assert list(tmp_path.iterdir()) == []
