from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.database import database

from notewell import Vault
from notewell.store.tables.postings import pack as pack_posting
from notewell.store.tables.postings import unpack as unpack_posting
from notewell.store.tables.rows import pack, unpack

Notewell = Callable[..., tuple[int, str, str]]
Plant = Callable[[Any], None]


# Put together here, so that no scanner takes this file for a leak.
SECRET = "AK" + "IA" + "Q7" * 8


def no_vector(db: Any) -> None:
    db.execute("delete from vector where body = (select min(body) from vector)")


def stray_vector(db: Any) -> None:
    db.execute("insert into vector (body, data) values (999, zeroblob(27))")


def other_vector(db: Any) -> None:
    flipped = (-np.frombuffer(db.execute("select data from vector where body = 1").get, np.int8)).tobytes()
    db.execute("update vector set data = ? where body = 1", (flipped,))


def short_vector(db: Any) -> None:
    db.execute("update vector set data = zeroblob(5) where body = 1")


def heavier_posting(db: Any) -> None:
    places, counts = unpack_posting(db.execute("select data from posting where term = 'hive'").get)
    db.execute("update posting set data = ? where term = 'hive'", (pack_posting(places, counts + np.uint8(1)),))


def no_posting(db: Any) -> None:
    db.execute("delete from posting where term = 'hive'")


def stray_posting(db: Any) -> None:
    db.execute("insert into posting (term, block, data) values ('zzz', 0, x'000005')")


def other_length(db: Any) -> None:
    lengths = np.frombuffer(db.execute("select lengths from block where id = 0").get, np.uint16).copy()
    lengths[0] += 1
    db.execute("update block set lengths = ? where id = 0", (lengths.tobytes(),))


def free_slot(db: Any) -> None:
    lengths = np.frombuffer(db.execute("select lengths from block where id = 0").get, np.uint16).copy()
    lengths[0] = 0
    db.execute("update block set lengths = ? where id = 0", (lengths.tobytes(),))


def other_code(db: Any) -> None:
    codes = np.frombuffer(db.execute("select codes from block where id = 0").get, np.uint64).copy()
    codes[0] ^= np.uint64(1)
    db.execute("update block set codes = ? where id = 0", (codes.tobytes(),))


def short_codes(db: Any) -> None:
    db.execute("update block set codes = substr(codes, 1, 13) where id = 0")


def no_blocks(db: Any) -> None:
    db.execute("delete from block")


def other_uses(db: Any) -> None:
    db.execute("update body set uses = uses + 1 where id = 1")


def stray_body(db: Any) -> None:
    db.execute("insert into body (id, digest, uses, text) values (999, x'00', 1, x'')")


def no_body(db: Any) -> None:
    db.execute("delete from body where id = 1")


def orphan_chunk(db: Any) -> None:
    db.execute("update chunk set note = 999 where id = 0")


def stray_chunk(db: Any) -> None:
    db.execute('insert into chunk (id, note, body, line, end_line, start, "end") values (200, 1, 1, 1, 1, 0, 1)')


def note_that_is_skipped(db: Any) -> None:
    db.execute("insert into skipped select path, 'because', mtime_ns, size, ctime_ns, 0, x'' from note limit 1")


def unreadable_text(db: Any) -> None:
    db.execute("update body set text = x'ffffffff' where id = 1")


def unreadable_links(db: Any) -> None:
    db.execute("update note set links = x'ffffffff' where link_count > 0")


def edge_to_nobody(db: Any) -> None:
    note, data = db.execute("select note, data from edge where length(data) > 0 limit 1").fetchone()
    db.execute("update edge set data = ? where note = ?", (data[:4] + (999).to_bytes(4, "little") + data[8:], note))


def edge_elsewhere(db: Any) -> None:
    note, data = db.execute("select note, data from edge where length(data) > 0 limit 1").fetchone()
    db.execute("update edge set data = ? where note = ?", (data[:4] + note.to_bytes(4, "little") + data[8:], note))


def edge_too_many(db: Any) -> None:
    db.execute("update edge set data = cast(data || x'0000000000000000' as blob) where note = 1")


def edges_of_nobody(db: Any) -> None:
    db.execute("insert into edge (note, data) values (999, x'')")


def no_edges(db: Any) -> None:
    db.execute("delete from edge where note = 1")


def standing_of_nobody(db: Any) -> None:
    db.execute("insert into standing (note, pagerank, centrality, community) values (999, 0, 0, 0)")


def other_standing(db: Any) -> None:
    db.execute("update standing set pagerank = pagerank / 2")


def secret_in_a_body(db: Any) -> None:
    body, text = db.execute("select id, text from body limit 1").fetchone()
    db.execute("update body set text = ? where id = ?", (pack(f"{unpack(text)}\n{SECRET}"), body))


def secret_in_a_title(db: Any) -> None:
    db.execute("update note set title = ? where id = 1", (SECRET,))


def secret_in_fields(db: Any) -> None:
    db.execute("update note set fields = ? where id = 1", (json.dumps({"key": SECRET}),))


FAULTS: tuple[tuple[Plant, str], ...] = (
    (no_vector, "1 lines without a vector"),
    (stray_vector, "1 vectors without lines"),
    (other_vector, "1 chunks whose code is not that of their vector"),
    (short_vector, ""),
    (heavier_posting, "1 posting lists that differ from the chunks' terms"),
    (no_posting, "posting lists that differ from the chunks' terms"),
    (stray_posting, "1 posting lists that differ from the chunks' terms"),
    (other_length, "1 chunks whose length is wrong"),
    (free_slot, "the arrays name other chunks than the table"),
    (other_code, "1 chunks whose code is not that of their vector"),
    (short_codes, ""),
    (no_blocks, "the arrays name other chunks than the table"),
    (other_uses, "1 lines that no chunk, or another number of chunks, uses"),
    (stray_body, "1 lines that no chunk, or another number of chunks, uses"),
    (no_body, "1 chunks without lines"),
    (orphan_chunk, "1 chunks without a note"),
    (stray_chunk, "the arrays name other chunks than the table"),
    (note_that_is_skipped, "1 skipped files that are notes, too"),
    (unreadable_text, "a text in it cannot be unpacked"),
    (unreadable_links, "a text in it cannot be unpacked"),
    (edge_to_nobody, "1 links that lead to a note that is not there"),
    (edge_elsewhere, "1 notes whose links lead elsewhere than stored"),
    (edge_too_many, "1 notes with another number of edges than links"),
    (edges_of_nobody, "1 edges of notes that are not there"),
    (no_edges, "1 notes whose links were never resolved"),
    (standing_of_nobody, "1 standings of notes that are not there"),
    (other_standing, "the standings of notes are not those that their links give"),
    (secret_in_a_body, "aws-key-id"),
    (secret_in_a_title, "aws-key-id"),
    (secret_in_fields, "aws-key-id"),
)


@pytest.mark.parametrize(("plant", "problem"), FAULTS, ids=[plant.__name__ for plant, _ in FAULTS])
def test_every_fault_is_named_and_repaired(notewell: Notewell, folder: Path, plant: Plant, problem: str) -> None:
    notewell("index")
    with Vault.open(folder) as vault:
        plant(database(vault.store))
    code, out, err = notewell("doctor", "--json")
    told = json.loads(out)
    assert (code, told["repaired"], err) == (1, False, "")
    assert any(problem in sentence for sentence in told["problems"]), told
    code, out, _ = notewell("doctor", "--repair", "--json")
    repaired = json.loads(out)
    assert (code, repaired["repaired"], repaired["problems"]) == (0, True, told["problems"])
    assert json.loads(notewell("doctor", "--json")[1]) == {"problems": [], "repaired": False}
    with Vault.open(folder) as vault:
        assert vault.search("hive")[0].path == "Garden/Bees.md"
        assert vault.store.about().notes == 3


def test_a_person_reads_a_word_and_whoever_asks_is_told_that_it_takes_a_while(notewell: Notewell) -> None:
    notewell("index")
    assert notewell("doctor") == (0, "no problems found\n", "checking the whole store\n")
    assert notewell("doctor", "--repair") == (0, "no problems found\n", "checking the whole store\n")


def test_a_person_reads_a_sentence_for_each_problem(notewell: Notewell, folder: Path) -> None:
    notewell("index")
    with Vault.open(folder) as vault:
        other_uses(database(vault.store))
    code, out, _ = notewell("doctor")
    problem = "1 lines that no chunk, or another number of chunks, uses"
    assert (code, out) == (1, f"{problem}\nproblems found; `notewell doctor --repair` rebuilds the store\n")
    code, out, _ = notewell("doctor", "--repair")
    assert (code, out) == (0, "1 lines that no chunk, or another number of chunks, uses\nrepaired\n")


@pytest.mark.parametrize("said", ["aliases: [WPA2-PSK, IEEE 802.11i]", "tags: [password, Office2024]"])
def test_the_signs_between_two_values_of_front_matter_make_no_secret(
    notewell: Notewell, folder: Path, said: str
) -> None:
    (folder / "Wireless.md").write_text(f"---\n{said}\n---\nA protocol for wireless networks.\n", encoding="utf-8")
    notewell("index")
    assert json.loads(notewell("doctor", "--json")[1])["problems"] == []


def test_a_secret_is_named_by_its_kind_and_place_and_never_shown(notewell: Notewell, folder: Path) -> None:
    notewell("index")
    with Vault.open(folder) as vault:
        secret_in_a_body(database(vault.store))
    code, out, err = notewell("doctor")
    assert code == 1
    assert ".md:" in out
    assert "AKIA" not in out + err


def test_a_vault_that_was_never_indexed_has_nothing_to_check(notewell: Notewell, folder: Path) -> None:
    code, out, err = notewell("doctor")
    assert (code, out) == (1, "")
    assert "never indexed" in err and "hint:" in err
    assert not (folder / ".notewell").exists()


def test_a_repair_gives_what_indexing_from_scratch_gives(
    notewell: Notewell, folder: Path, content: Callable[[Vault], dict[str, Any]]
) -> None:
    notewell("index")
    with Vault.open(folder) as vault:
        expected = content(vault)
        stray_posting(database(vault.store))
        other_uses(database(vault.store))
    assert notewell("doctor", "--repair")[0] == 0
    with Vault.open(folder) as vault:
        assert content(vault) == expected


def test_ctrl_c_leaves_nothing_open_behind_a_closed_store(notewell: Notewell, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[Iterator[tuple[str, str]]] = []

    def interrupted(texts: Iterator[tuple[str, str]]) -> Iterator[str]:
        held.append(texts)
        yield next(texts)[0]
        raise KeyboardInterrupt

    notewell("index")
    monkeypatch.setattr("notewell.index.diagnose.find_leaks", interrupted)
    assert notewell("doctor")[0] == 130
    assert list(held[0]) == []
