"""Domains have taxonomies and review queues of their own; what is for one leaves the others alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from notewell import Vault
from notewell.curate.promote import promote, read_review, review
from notewell.curate.suggest import suggest_tags
from notewell.curate.tag_report import report_tags
from notewell.errors import SettingsError

Run = Callable[..., tuple[int, str, str]]
REGISTRY = """[curate]
folders = ["."]
[llm]
model = "off"
[domains.gym]
folders = ["Gym"]
curate.taxonomy = "Gym/_words.md"
curate.queue = "Gym/_todo.md"
[domains.food]
folders = ["Food"]
curate.taxonomy = "Food/_words.md"
[domains.rest]
legacy = true
curate.taxonomy = "Food/_words.md"
"""
NOTES = {
    "notewell.toml": REGISTRY,
    **{f"Gym/{number}.md": f"---\ntags: [legs]\n---\nHeavy squats with a barbell {number}.\n" for number in range(4)},
    **{f"Food/{number}.md": f"---\ntags: [bread]\n---\nRye dough rises overnight {number}.\n" for number in range(4)},
    "Gym/New.md": "Heavy squats with a barbell again.\n",
    "Food/New.md": "Rye dough rises overnight again.\n",
    "Gym/_words.md": "- #strength: squats with a barbell (aliases: legs)\n- #sprint\n",
    "Food/_words.md": "- #bread: rye dough\n",
}


@pytest.fixture
def vault(make_vault: Callable[..., Vault]) -> Vault:
    made = make_vault(NOTES)
    made.index()
    return made


def tick_all(file: Path) -> None:
    file.write_text(file.read_text().replace("- [ ]", "- [x]"))


def test_each_note_is_offered_the_tags_of_its_own_domain(vault: Vault) -> None:
    found = {note.path: {tag.tag for tag in note.tags} for note in suggest_tags(vault).notes}
    assert found == {"Gym/New.md": {"strength"}, "Food/New.md": {"bread"}}
    assert suggest_tags(vault).taxonomy == "Gym/_words.md, Food/_words.md"


def test_tags_are_compared_with_the_taxonomies_of_the_notes_that_have_them(vault: Vault) -> None:
    (vault.root / "Food/Leg of lamb.md").write_text("---\ntags: [legs, sprint]\n---\nRoast lamb.\n")
    vault.index()
    report = report_tags(vault)
    found = {one.tag: (one.notes, one.known, one.alias_of) for one in report.tags}
    # The lists themselves are no notes, and Food knows neither of the two tags.
    assert found == {"legs": (5, False, "strength"), "bread": (4, True, ""), "sprint": (1, False, "")}
    assert report.unused == ("strength", "sprint")
    alone = report_tags(vault.within("food"))
    assert alone.unused == () and {one.tag for one in alone.tags if not one.known} == {"legs", "sprint"}


def test_each_domain_has_its_queue_and_all_are_applied_together(vault: Vault) -> None:
    found = review(vault)
    assert {(item.queue, item.path) for item in found.items} == {
        ("Gym/_todo.md", "Gym/New.md"),
        ("_review-queue.md", "Food/New.md"),
    }
    assert "Food" not in (vault.root / "Gym/_todo.md").read_text()
    tick_all(vault.root / "Gym/_todo.md")
    tick_all(vault.root / "_review-queue.md")
    assert {one.path for one in promote(vault).done} == {"Gym/New.md", "Food/New.md"}
    assert "strength" in (vault.root / "Gym/New.md").read_text() and not read_review(vault).items
    # Neither a taxonomy nor a queue is a note for which something is proposed.
    assert review(vault).items == ()


def test_a_queue_that_domains_share_keeps_the_lines_of_those_that_are_not_asked(vault: Vault) -> None:
    (vault.root / "New.md").write_text("Rye dough rises overnight, too.\n")
    vault.index()
    review(vault)
    tick_all(vault.root / "_review-queue.md")
    before = (vault.root / "Gym/_todo.md").read_bytes()
    done = promote(vault.within("food"))
    assert [one.path for one in done.done] == ["Food/New.md"] and done.open == 0
    text = (vault.root / "_review-queue.md").read_text()
    assert "- [x] `#bread` for [[New]]" in text and "Declined" not in text
    assert (vault.root / "Gym/_todo.md").read_bytes() == before
    assert [one.path for one in promote(vault).done] == ["New.md"]


def test_what_is_declined_in_one_queue_stays_declined(vault: Vault) -> None:
    review(vault)
    (vault.root / "Gym/_todo.md").write_text((vault.root / "Gym/_todo.md").read_text().replace("[ ]", "[-]"))
    assert [item.path for item in review(vault).items] == ["Food/New.md"]
    assert "## Declined" in (vault.root / "Gym/_todo.md").read_text()


def test_a_domain_with_another_embedder_is_judged_by_words_alone(vault: Vault) -> None:
    own = REGISTRY.replace("[domains.food]", '[domains.food]\nembed.model = "static"')
    (vault.root / "notewell.toml").write_text(f'[embed]\nmodel = "words"\nencoder = "off"\n{own}')
    with Vault.open(vault.root) as mixed:
        mixed.index()
        tags = {note.path: note.tags for note in suggest_tags(mixed).notes}
        assert [tag.tag for tag in tags["Food/New.md"]] == ["bread"]
        assert "its meaning has words of the note" in tags["Food/New.md"][0].why


def test_a_queue_of_a_domain_outside_the_allowed_folders_is_an_error(make_vault: Callable[..., Vault]) -> None:
    with make_vault({**NOTES, "notewell.toml": REGISTRY.replace('["."]', '["Gym"]')}) as vault:
        vault.index()
        with pytest.raises(SettingsError, match="_review-queue"):
            review(vault)
        assert {item.queue for item in review(vault.within("gym")).items} == {"Gym/_todo.md"}
        assert not (vault.root / "_review-queue.md").exists()


def test_the_command_line_names_domains_to_curate(vault: Vault, run_command: Run) -> None:
    vault.close()
    (vault.root / "Food/Leg of lamb.md").write_text("---\ntags: [legs]\n---\nRoast lamb.\n")
    (vault.root / "notewell.toml").write_text(f'[embed]\nmodel = "words"\nencoder = "off"\n{REGISTRY}')
    code, listed, said = run_command(vault.root, "review", "--domain", "gym")
    assert (code, "Gym/New" in listed, "Food" in listed, "Gym/_todo.md" in said) == (0, True, False, True)
    assert run_command(vault.root, "promote", "--dry-run", "--domain", "food")[0] == 0
    # Without renames, the aliases of a taxonomy are replaced in its own domain.
    assert run_command(vault.root, "apply-renames")[0] == 0
    assert (
        "strength" in (vault.root / "Gym/0.md").read_text()
        and "legs" in (vault.root / "Food/Leg of lamb.md").read_text()
    )
    # A scope limits what is renamed, and not what exists.
    assert "1 note has" in run_command(vault.root, "apply-renames", "strength=legs", "--domain", "gym")[2]
    assert run_command(vault.root, "apply-renames", "--undo", "--domain", "gym")[0] == 2
    (vault.root / "Food/_words.md").write_text("- #meat (aliases: legs)\n- #bread\n")
    (vault.root / "Gym/_words.md").write_text("- #legs (aliases: strength)\n")
    code, _, said = run_command(vault.root, "apply-renames", "--dry-run")
    assert (code, "Several taxonomies" in said) == (1, True)
    assert "Food/Leg of lamb.md" in run_command(vault.root, "apply-renames", "--dry-run", "--domain", "food")[1]


def test_routes_take_domains_to_curate(vault: Vault) -> None:
    from tests.serve.serving import serving  # noqa: PLC0415

    def post(path: str, **asked: Any) -> Any:
        sent = {"Content-Type": "application/json"}
        return served.ask(path, sent, method="POST", body=json.dumps(asked).encode()).data

    with serving(vault) as served:
        assert {item["path"] for item in post("/review", domain="gym")["items"]} == {"Gym/New.md"}
        assert {item["path"] for item in post("/review")["items"]} == {"Gym/New.md", "Food/New.md"}
        assert {item["path"] for item in served.get("/queue", domain="food")["items"]} == {"Food/New.md"}
        assert served.get("/tags", domain="gym")["taxonomy"] == "Gym/_words.md"
        assert {note["path"] for note in served.get("/tags/suggest", domain="gym")["notes"]} == {"Gym/New.md"}
        renamed = post("/apply-renames", renames=["legs=lamb"], domain="food", dry_run=True)
        assert renamed["notes"] == []
        assert post("/promote", domain="gym", dry_run=True)["open"] == 1
        assert served.ask("/review", method="POST").status == 200
        refused = served.ask("/promote", {"Content-Type": "application/json"}, method="POST", body=b"[]")
        assert (refused.status, refused.data["hint"]) == (400, "Send {} with the header Content-Type: application/json")


def test_a_broken_link_means_no_note_of_another_domain_unless_it_has_the_same_name(vault: Vault) -> None:
    (vault.root / "Gym/Plan.md").write_text("[[Old/Loaf]] and [[Knead]] and [[Lunge]].\n")
    for path in ("Food/Loaf.md", "Food/Kneads.md", "Gym/Lunges.md"):
        (vault.root / path).write_text("A page.\n")
    vault.index()
    found = {item.text.partition(" → ")[2].partition(": ")[0] for item in review(vault).items if item.kind == "link"}
    assert found == {"`[[Food/Loaf]]`", "`[[Gym/Lunges]]`"}
