"""The review queue of a vault: written, ticked, applied, taken back, beside a person and other programs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from notewell import Vault
from notewell.curate.promote import promote, read_review, review, undo_promote
from notewell.errors import CurateError, SettingsError
from notewell.files.folder import Folder

MakeVault = Callable[..., Vault]
LONG = " ".join(f"word{number} and more of it" for number in range(60))
NOTES = {
    "notewell.toml": '[curate]\nfolders = ["."]\n[llm]\nmodel = "off"\n',
    **{
        f"bees {number}.md": f"---\ntags: [bees]\n---\nThe hive has a queen, brood and honey {number}.\n"
        for number in range(4)
    },
    "Sub/New hive.md": "\ufeffA new hive needs a queen and brood; honey follows. See [[Wax-moths]].\r\n",
    "Wax moths.md": f"---\ntags: [bees]\n---\n{LONG} moths.\n",
    "Wax moths copy.md": f"---\ntags: [bees]\n---\n{LONG} moths!\n",
}
QUEUE = "_review-queue.md"


@pytest.fixture
def vault(make_vault: MakeVault) -> Vault:
    made = make_vault(NOTES)
    made.index()
    return made


def queue(vault: Vault) -> str:
    return (vault.root / QUEUE).read_text()


def tick(vault: Vault, part: str) -> None:
    lines = queue(vault).split("\n")
    assert sum(part in line for line in lines) == 1, part
    (vault.root / QUEUE).write_text(
        "\n".join(line.replace("- [ ]", "- [x]") if part in line else line for line in lines)
    )


def contents(vault: Vault) -> dict[str, bytes]:
    files = (file for file in vault.root.rglob("*.md") if ".trash" not in file.parts and file.name != QUEUE)
    return {str(file.relative_to(vault.root)): file.read_bytes() for file in files}


def test_the_queue_proposes_tags_links_and_duplicates_with_reasons(vault: Vault) -> None:
    found = review(vault)
    assert [item.kind for item in found.items] == ["tag", "link", "duplicate"] and found.new == 3
    text = queue(vault)
    assert "- [ ] `#bees` for [[Sub/New hive]]: " in text and "similar notes have it" in text
    assert "- [ ] [[Sub/New hive]], line 1: `[[Wax-moths]]` → `[[Wax moths]]`" in text
    assert "- [ ] Trash [[Wax moths copy]], keep [[Wax moths]]: " in text
    assert review(vault).new == 0 and queue(vault) == text
    assert read_review(vault).items == found.items


def test_a_deleted_queue_is_proposed_anew_and_declines_nothing(vault: Vault) -> None:
    review(vault)
    text = queue(vault)
    (vault.root / QUEUE).unlink()
    found = review(vault)
    assert queue(vault) == text and (found.new, found.declined) == (3, 0)


def test_what_is_declined_is_not_counted_as_new(vault: Vault) -> None:
    review(vault)
    (vault.root / QUEUE).write_text("\n".join(line for line in queue(vault).split("\n") if "Trash" not in line))
    found = review(vault)
    assert (found.new, found.declined) == (0, 1)


def test_names_that_look_like_parts_of_the_queue_are_proposed_or_left_out(vault: Vault) -> None:
    names = ("a ^nw-0123456789.md", "b [[x]].md", "c - [x] d.md", "e # f | g.md", "i.md.md", "j `k`.md")
    for name in names:
        (vault.root / name).write_text(f"The hive of {name.split()[0]} has a queen, brood and honey.\n")
    vault.index()
    assert {item.path for item in review(vault).items if item.kind == "tag"} == {"Sub/New hive.md", *names[:-1]}
    (vault.root / QUEUE).write_text(queue(vault).replace("- [ ] `#bees`", "- [x] `#bees`"))
    assert not promote(vault).left
    assert [(vault.root / name).read_text().startswith("---\ntags:") for name in names] == [True] * 5 + [False]


def test_read_only_files_are_left(vault: Vault) -> None:
    review(vault)
    tick(vault, "`#bees`")
    before = contents(vault)
    (vault.root / "Sub/New hive.md").chmod(0o444)
    assert [one.reason for one in promote(vault).left] == ["it is read-only"]
    (vault.root / "Sub/New hive.md").chmod(0o644)
    (vault.root / QUEUE).chmod(0o444)
    with pytest.raises(CurateError, match="read-only"):
        promote(vault)
    assert contents(vault) == before


def test_ticks_are_applied_byte_for_byte_and_taken_back(vault: Vault) -> None:
    review(vault)
    before = contents(vault)
    for part in ("`#bees`", "[[Wax-moths]]", "Trash"):
        tick(vault, part)
    assert promote(vault, dry_run=True).done and contents(vault) == before
    done = promote(vault)
    assert [one.kind for one in done.done] == ["tag", "link", "duplicate"] and done.applied and not done.left
    after = (vault.root / "Sub/New hive.md").read_bytes()
    assert (
        after
        == (
            "\ufeff---\r\ntags:\r\n  - bees\r\n---\r\nA new hive needs a queen and brood; honey follows. "
            "See [[Wax moths]].\r\n"
        ).encode()
    )
    assert not (vault.root / "Wax moths copy.md").exists() and list((vault.root / ".trash").iterdir())
    assert "^nw-" not in queue(vault) and done.open == 0
    assert {hit.path for hit in vault.search("tag:bees")} >= {"Sub/New hive.md"}
    undo_promote(vault)
    assert contents(vault) == before
    with pytest.raises(CurateError, match="no promotion"):
        undo_promote(vault)


def test_a_queue_that_cannot_be_read_stops_no_undo(vault: Vault) -> None:
    review(vault)
    before = contents(vault)
    tick(vault, "Trash")
    promote(vault)
    (vault.root / QUEUE).write_text(f"{queue(vault)}\nNo box. ^nw-0123456789\n")
    assert [one.path for one in undo_promote(vault).done] == ["Wax moths copy.md"] and contents(vault) == before


def test_a_pair_that_was_declined_is_not_proposed_the_other_way_round(vault: Vault) -> None:
    (found,) = (item for item in review(vault).items if item.kind == "duplicate")
    assert found.path == "Wax moths copy.md"
    promote(vault, decline=[found.id])
    (vault.root / "Links.md").write_text("See [[Wax moths copy]].\n")
    vault.refresh()
    assert "duplicate" not in {item.kind for item in review(vault).items}


def test_what_was_removed_or_crossed_out_is_not_proposed_again_and_what_is_open_stays(vault: Vault) -> None:
    review(vault)
    lines = [line for line in queue(vault).split("\n") if "`#bees`" not in line]
    (vault.root / QUEUE).write_text("\n".join(lines).replace("- [ ] Trash", "- [-] Trash") + "My own words.\n")
    promote(vault)
    (vault.root / "another.md").write_text("# Another\n\nUnlike all others.\n")
    vault.index()
    found = review(vault)
    assert [item.kind for item in found.items] == ["link"] and found.declined == 2
    assert "My own words.\n" in queue(vault)


def test_nothing_is_written_until_the_vault_names_folders(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "notewell.toml": '[llm]\nmodel = "off"\n'})
    vault.index()
    for act in (review, promote, undo_promote):
        with pytest.raises(SettingsError, match="no folder"):
            act(vault)
    assert not (vault.root / QUEUE).exists() and read_review(vault).items == ()


def test_the_queue_has_to_be_in_an_allowed_folder_and_only_notes_there_are_proposed(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "notewell.toml": '[curate]\nfolders = ["Sub"]\n[llm]\nmodel = "off"\n'})
    vault.index()
    with pytest.raises(SettingsError, match="not a Markdown note in a folder"):
        review(vault)
    settings = '[curate]\nfolders = ["Sub"]\nqueue = "Sub/queue.md"\n[llm]\nmodel = "off"\n'
    (vault.root / "notewell.toml").write_text(settings)
    assert {item.path for item in review(vault).items} == {"Sub/New hive.md"}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("`#bees` for [[../../outside]]", r"_review-queue\.md:\d+: '../../outside.md' is not a note of this vault"),
        ("Trash [[Wax moths]], keep [[../outside]]", r"_review-queue\.md:\d+: '../outside.md' is not a note"),
        ("`#bees` for `/etc/passwd.md`", "is not a note of this vault"),
        ("`#bees` for [[.obsidian/x]]", "is not a note of this vault"),
        ("`#bees]evil` for [[Wax moths]]", "is not a tag"),
        ("do something", "can no longer be read"),
    ],
)
def test_a_hostile_or_unreadable_tick_is_an_error_and_nothing_is_touched(vault: Vault, line: str, reason: str) -> None:
    review(vault)
    tick(vault, "[[Wax-moths]]")
    (vault.root / QUEUE).write_text(queue(vault) + f"- [x] {line}: why ^nw-0123456789\n")
    before, text = contents(vault), queue(vault)
    with pytest.raises(CurateError, match=reason):
        promote(vault)
    assert contents(vault) == before and queue(vault) == text


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("`#bees` for [[gone]]", "No such file"),
        ("`#bees` for [[link]]", "it is a link"),
        ("`#bees` for [[_taxonomy]]", "it is a taxonomy"),
        ("[[Wax moths]], line 4: `[[nowhere]]` → `[[Wax moths]]`", "is no longer there"),
        ("[[Wax moths]], line 4: `word1` → `<script>`", "is not a link"),
        ("Trash [[Wax moths]], keep [[gone]]", "No such file"),
        ("Trash [[Wax moths]], keep [[Wax moths]]", "would be removed"),
    ],
)
def test_what_cannot_be_applied_stays_ticked_and_the_rest_is_applied(vault: Vault, line: str, reason: str) -> None:
    (vault.root / "link.md").symlink_to("bees 1.md")
    review(vault)
    tick(vault, "[[Wax-moths]]")
    ticked = f"- [x] {line}: why ^nw-0123456789"
    (vault.root / QUEUE).write_text(queue(vault) + ticked + "\n")
    done = promote(vault)
    assert [one.kind for one in done.done] == ["link"]
    assert [reason in one.reason for one in done.left] == [True]
    assert ticked in queue(vault)


@pytest.mark.parametrize("path", ["Wax moths.md", "Wax moths copy.md"])
def test_a_note_that_somebody_rewrote_since_is_not_trashed_as_a_duplicate(vault: Vault, path: str) -> None:
    review(vault)
    tick(vault, "Trash")
    (vault.root / path).write_text(" ".join(f"thought{number} of mine" for number in range(60)))
    before = contents(vault)
    (left,) = promote(vault).left
    assert left.reason == "it is no longer nearly the same as Wax moths.md" and contents(vault) == before
    assert "- [x] Trash" in queue(vault)


def test_front_matter_does_not_tell_whether_notes_are_still_the_same(vault: Vault) -> None:
    def written(*others: str, body: str = LONG) -> str:
        return f"---\nwords: {' '.join(others)}\n---\n{body}\n"

    review(vault)
    tick(vault, "Trash")
    same = [f"shared{number}" for number in range(300)]
    (vault.root / "Wax moths.md").write_text(written(*same))
    (vault.root / "Wax moths copy.md").write_text(written(*same, body="My own thoughts."))
    assert [left.path for left in promote(vault).left] == ["Wax moths copy.md"]
    (vault.root / "Wax moths copy.md").write_text(written(*(f"other{number}" for number in range(300))))
    assert promote(vault).left == () and not (vault.root / "Wax moths copy.md").exists()


def test_an_edited_tick_does_what_it_says_now(vault: Vault) -> None:
    review(vault)
    (vault.root / QUEUE).write_text(queue(vault).replace("- [ ] `#bees`", "- [x] `#bees/swarm`"))
    assert promote(vault).done
    assert "  - bees/swarm\r\n" in (vault.root / "Sub/New hive.md").read_bytes().decode()
    assert "#bees" not in queue(vault)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"x" * 2_100_000])
def test_a_queue_that_is_no_text_or_too_large_is_left(vault: Vault, content: bytes) -> None:
    (vault.root / QUEUE).write_bytes(content)
    with pytest.raises(CurateError, match=r"_review-queue.md cannot be read"):
        review(vault)
    assert (vault.root / QUEUE).read_bytes() == content


def test_a_queue_that_is_a_link_is_not_written_through(vault: Vault, tmp_path: Path) -> None:
    (outside := tmp_path / "outside.md").write_text("mine")
    (vault.root / QUEUE).symlink_to(outside)
    with pytest.raises(CurateError, match="cannot be read"):
        review(vault)
    (vault.root / QUEUE).unlink()
    os.link(outside, vault.root / QUEUE)
    with pytest.raises(CurateError, match="cannot be read"):
        review(vault)
    assert outside.read_text() == "mine"


def test_what_another_program_saves_while_the_queue_is_written_is_merged(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    review(vault)
    tick(vault, "[[Wax-moths]]")
    usual = Folder.replace
    saved: list[str] = []

    def obsidian_saves_first(folder: Folder, name: str, before: bytes, after: bytes) -> None:
        if name == QUEUE and not saved:
            saved.append(name)
            (vault.root / QUEUE).write_bytes(before.replace(b"# Review queue", b"# Review queue, with a word of mine"))
        usual(folder, name, before, after)

    monkeypatch.setattr(Folder, "replace", obsidian_saves_first)
    assert promote(vault).done and saved
    assert "with a word of mine" in queue(vault) and "[[Wax-moths]]" not in queue(vault)


def test_ids_can_be_ticked_and_declined_by_a_program(vault: Vault) -> None:
    found = {item.kind: item.id for item in review(vault).items}
    before = contents(vault)
    shown = promote(vault, tick=[found["tag"], found["link"]], dry_run=True)
    assert ({one.kind for one in shown.done}, shown.applied, contents(vault)) == ({"tag", "link"}, False, before)
    done = promote(vault, tick=[found["tag"]], decline=[found["link"]])
    assert [one.kind for one in done.done] == ["tag"] and done.open == 1
    assert read_review(vault).declined == 1
    with pytest.raises(CurateError, match="There is no proposal 'nothing'"):
        promote(vault, tick=["nothing"])
    assert undo_promote(vault).open == len(read_review(vault).items) == 1


def test_without_the_record_of_what_was_written_last_nothing_is_lost(vault: Vault) -> None:
    from notewell.curate.journal import Journal  # noqa: PLC0415

    review(vault)
    next(Journal(vault.root).folder.glob("queue-*.json")).write_text("{nonsense")
    tick(vault, "[[Wax-moths]]")
    assert promote(vault).done
    assert [item.kind for item in review(vault).items] == ["tag", "duplicate"]


def test_an_edit_in_a_queue_of_another_machine_stays_after_intake_added_to_it(vault: Vault) -> None:
    from notewell.curate.queue import Proposal  # noqa: PLC0415
    from notewell.curate.queues import Queues  # noqa: PLC0415

    review(vault)
    queues = Queues(vault)
    next(queues.journal.folder.glob("queue-*.json")).unlink()
    (vault.root / QUEUE).write_text(queue(vault).replace("`#bees`", "`#bees/swarm`"))
    with queues.journal.alone():
        queues.add([Proposal("intake", "0123456789", "Add `Sub/Rye.md` from news: 0.50, like other notes")])
    assert "Sub/Rye.md" in queue(vault)
    review(vault)
    assert "- [ ] `#bees/swarm` for" in queue(vault)


def test_what_a_killed_run_changed_is_not_forgotten_while_it_cannot_be_read(vault: Vault) -> None:
    from notewell.curate.journal import Journal  # noqa: PLC0415

    review(vault)
    (running := Journal(vault.root).folder / "running.json").mkdir()
    with pytest.raises(CurateError, match="cannot be read"):
        promote(vault)
    assert running.exists()
