"""Golden queries of a vault: added, read back, asked, and compared with an earlier run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from notewell import Vault
from notewell.errors import CollectionError, NoteError
from notewell.files.safe_open import GOLDEN
from notewell.measure.golden import Golden, add_golden, compare, evaluate_golden, load_baseline, load_golden

MakeVault = Callable[..., Vault]
Run = Callable[..., tuple[int, str, str]]
NOTES = {
    "Bees.md": "# Bees\n\nOxalic acid in December.\n\n## Swarm\n\nA swarm hangs in the pear tree in May.\n",
    "Bread.md": "# Bread\n\nA loaf spreads flat if the dough is slack.\n",
}


@pytest.fixture
def bees(make_vault: MakeVault) -> Vault:
    vault = make_vault(NOTES)
    vault.index()
    return vault


def test_what_is_added_is_read_back_and_all_else_stays(bees: Vault) -> None:
    (bees.root / GOLDEN).write_text('# mine\n[[query]]\ntext = "loaf"\nwant = "Bread.md" # a note')
    added = add_golden(bees, 'a "swarm"\tin May', ["bees#Swarm", "Bread"])
    assert added == Golden('a "swarm" in May', ("Bees.md:5", "Bread.md"))
    assert load_golden(bees.root / GOLDEN) == (Golden("loaf", ("Bread.md",)), added)
    assert (bees.root / GOLDEN).read_text().startswith('# mine\n[[query]]\ntext = "loaf"\nwant = "Bread.md" # a note\n')


def test_a_place_is_added_once_and_a_query_can_have_more(bees: Vault) -> None:
    add_golden(bees, "swarm", ["Bees"])
    add_golden(bees, "swarm", ["Bees", "Bread"])
    assert load_golden(bees.root / GOLDEN) == (Golden("swarm", ("Bees.md", "Bread.md")),)
    with pytest.raises(CollectionError, match="already"):
        add_golden(bees, "swarm", ["Bees"])


def test_a_secret_an_unknown_note_and_no_text_are_not_written(bees: Vault) -> None:
    key = "AK" + "IA" + "QWERTZUIOPASDFGH"
    with pytest.raises(CollectionError, match="contains a secret"):
        add_golden(bees, f"what is {key} for", ["Bees"])
    with pytest.raises(NoteError):
        add_golden(bees, "swarm", ["Wasps"])
    with pytest.raises(CollectionError, match="needs a text"):
        add_golden(bees, " ", ["Bees"])
    assert not (bees.root / GOLDEN).exists()


def test_a_link_at_the_place_of_the_file_is_not_followed(bees: Vault, tmp_path: Path) -> None:
    outside = tmp_path / "outside.toml"
    outside.write_text("# mine\n")
    (bees.root / GOLDEN).symlink_to(outside)
    with pytest.raises(CollectionError, match="cannot be") as raised:
        add_golden(bees, "swarm", ["Bees"])
    assert raised.value.hint == "It has to be a regular file, not a link or a pipe"
    assert outside.read_text() == "# mine\n"


@pytest.mark.parametrize(
    ("written", "fact"),
    [
        ("[[query]\n", "cannot be read"),
        ("[[query]]\nwant = ['a.md']\n", "query 1 has no text"),
        ("[[query]]\ntext = 'a'\nwant = []\n", "names no place"),
        ("[[query]]\ntext = 'a'\nwant = [3]\n", "names no place"),
        ("query = 'a'\n", "has no text"),
        ("text = '\ufffd'\n\xff", "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_understood_is_an_error_that_says_where(bees: Vault, written: str, fact: str) -> None:
    (bees.root / GOLDEN).write_bytes(written.encode("latin-1", "replace"))
    with pytest.raises(CollectionError, match=fact):
        load_golden(bees.root / GOLDEN)


def test_scores_are_those_of_the_ranks_and_lines_count(bees: Vault) -> None:
    queries = [Golden("swarm pear tree", ("Bees.md:7",)), Golden("lex:oxalic", ("Bees.md", "Bread.md"))]
    lost = [Golden("x", ("Wasps.md",)), Golden("lex:slack", ("Bread.md", "Flies.md:2"))]
    scores, gone = evaluate_golden(bees, [*queries, *lost])
    # Of the two notes that the second query wants, the first hit is one, and the other does not have the word.
    assert scores.each == {
        "swarm pear tree": 1.0,
        "lex:oxalic": pytest.approx(1 / (1 + 1 / 1.584962500721156)),
        "lex:slack": 1.0,
    }
    assert scores.means["mrr@10"] == 1.0 and scores.means["recall@10"] == pytest.approx(2.5 / 3)
    assert gone == [lost[0], Golden("lex:slack", ("Flies.md:2",))]
    with pytest.raises(CollectionError, match="None of the golden queries"):
        evaluate_golden(bees, lost[:1])
    with pytest.raises(CollectionError, match="There are no queries"):
        evaluate_golden(bees, [])


def test_a_baseline_is_compared_on_the_queries_that_both_have(tmp_path: Path) -> None:
    (file := tmp_path / "before.json").write_text(json.dumps({"each": {"a": 1.0, "b": 0.5, "gone": 1.0}}))
    assert compare(load_baseline(file), {"a": 0.5, "b": 0.5, "new": 0.0}) == (0.75, 0.5, ("a",))
    with pytest.raises(CollectionError, match="has none of"):
        compare({"z": 1.0}, {"a": 0.5})
    for text in ("{}", "[1]", '{"each": [1]}', '{"each": {"a": "x"}}'):
        file.write_text(text)
        with pytest.raises(CollectionError, match="is not a saved result"):
            load_baseline(file)


def test_a_baseline_that_is_missing_is_an_error_before_anything_is_asked(bees: Vault, run_command: Run) -> None:
    code, out, err = run_command(bees.root, "eval", "--golden", "--baseline", "nope.json")
    assert (code, out) == (1, "") and "There is no nope.json" in err and "running" not in err


def test_a_hit_of_the_last_search_becomes_golden_and_a_regression_fails(bees: Vault, run_command: Run) -> None:
    folder, settings = bees.root, '[embed]\nmodel = "words"\n[search]\nfloor = 0\n'
    (folder / "notewell.toml").write_text(settings)
    assert run_command(folder, "golden", "add", "last:1")[2].startswith("error: There is no last search")
    run_command(folder, "search", "swarm in May")
    code, out, _ = run_command(folder, "golden", "add", "last:1")
    assert code == 0 and out.startswith("swarm in May\n    Bees.md:")
    assert "no hit 9" in run_command(folder, "golden", "add", "last:9")[2]
    code, out, _ = run_command(folder, "eval", "--golden", "--json", "--fail-below", "mrr@10=1")
    assert code == 0 and json.loads(out)["each"] == {"swarm in May": 1.0}
    (before := folder / "before.json").write_text(out)
    (folder / "Bees.md").write_text("# Bees\n\n## May\n\nNothing.\n\nAt all.\n")
    (folder / "Bread.md").write_text("# A swarm in May\n\nA swarm in May.\n")
    code, _, err = run_command(folder, "eval", "--golden", "--baseline", str(before), "--fail-below", "mrr@10=1")
    assert code == 1 and "ndcg@10 fell from 1.0 to" in err and "mrr@10 is" in err
    code, _, err = run_command(folder, "eval", "--golden", "--fail-below", "recall@100=0.5")
    assert code == 2 and "one of ndcg@10, recall@10, recall@50, mrr@10" in err
