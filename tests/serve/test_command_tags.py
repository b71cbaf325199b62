"""`notewell tags`, `notewell apply-renames` and their routes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.serve.serving import serving

from notewell import Vault

Run = Callable[..., tuple[int, str, str]]
NOTES = {
    "notewell.toml": '[curate]\nfolders = ["."]\n\n[embed]\nmodel = "words"\n',
    "_taxonomy.md": "- #garden: what grows (aliases: yard)\n- #kitchen: what is cooked\n",
    "a.md": "---\ntags: [yard]\n---\nRye\n",
    "b.md": "#garden #recipe\n",
    "c.md": "#recipes `#yard`\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path, text in NOTES.items():
        (tmp_path / path).write_text(text)
    return tmp_path


def test_tags_are_listed_and_compared(root: Path, run_command: Run) -> None:
    code, out, _ = run_command(root, "tags")
    assert code == 0
    assert "not in the taxonomy:\n  #recipe (1)\n  #recipes (1)\n" in out
    assert "aliases in use (`notewell apply-renames` replaces them):\n  #yard → #garden\n" in out
    assert "nearly the same:\n  #recipe and #recipes: singular and plural\n" in out
    assert "never used:\n  #kitchen\n" in out
    assert json.loads(run_command(root, "tags", "--json")[1])["unused"] == ["kitchen"]


def test_without_renames_the_aliases_of_the_taxonomy_are_replaced(root: Path, run_command: Run) -> None:
    run_command(root, "index")
    code, out, said = run_command(root, "apply-renames", "--dry-run")
    assert (code, out) == (0, "a.md  1 tag\n      2 - tags: [yard]\n        + tags: [garden]\n")
    assert "1 note would change" in said
    assert run_command(root, "apply-renames")[0] == 0
    assert (root / "a.md").read_text() == "---\ntags: [garden]\n---\nRye\n"
    assert run_command(root, "apply-renames", "--undo")[1] == "a.md  1 tag\n"
    assert (root / "a.md").read_text() == NOTES["a.md"]


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (("recipe=garden",), "2 notes have the tag #garden already"),
        (("recipe=two words",), "'two words' is not a tag"),
        (("recipe",), "'recipe' is not OLD=NEW"),
        (("--undo",), "There are no renames to undo"),
        (("--undo", "a=b"), "--undo takes no other option"),
        (("--under", "_taxonomy.md"), "There is nothing to rename"),
    ],
)
def test_a_wrong_rename_is_an_error_and_touches_nothing(
    root: Path, run_command: Run, arguments: tuple[str, ...], fact: str
) -> None:
    (root / "a.md").write_text("#garden\n")
    before = {path: (root / path).read_text() for path in NOTES}
    code, _, said = run_command(root, "apply-renames", *arguments)
    assert code in (1, 2) and fact in said and "hint:" in said
    assert {path: (root / path).read_text() for path in NOTES} == before


def test_a_taxonomy_in_a_circle_is_an_error(root: Path, run_command: Run) -> None:
    (root / "_taxonomy.md").write_text("- a (parent: b)\n- b (parent: a)\n")
    code, _, said = run_command(root, "tags")
    assert code == 1 and "the parents form a circle: #a → #b → #a" in said


def test_tags_are_listed_and_renamed_over_http(root: Path) -> None:
    with Vault.open(root) as vault, serving(vault) as served:
        vault.index()
        assert [one["tag"] for one in served.get("/tags")["tags"]] == ["garden", "recipe", "recipes", "yard"]

        def post(**body: object) -> tuple[int, dict[str, object]]:
            sent = {"content-type": "application/json"}
            reply = served.ask("/apply-renames", sent, method="POST", body=json.dumps(body).encode())
            return reply.status, reply.data

        status, done = post(renames=["yard=garden"], merge=True)
        assert (status, done["applied"]) == (200, True)
        assert (root / "a.md").read_text() == "---\ntags: [garden]\n---\nRye\n"
        assert post(undo=True)[1]["applied"] is True
        assert (root / "a.md").read_text() == NOTES["a.md"]
        assert post(renames=["recipe=garden"])[0] == post()[0] == post(renames=["x"])[0] == 400
        (root / "notewell.toml").write_text("")
        assert post(renames=["yard=lawn"]) == (
            400,
            {
                "error": "This vault has no folder whose notes may be changed",
                "hint": f'To allow it, add two lines to {root / "notewell.toml"}: `[curate]` and `folders = ["."]`',
            },
        )
