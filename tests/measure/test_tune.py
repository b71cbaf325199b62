"""Tuning: judgements made of notes, weights learned from half of them, and nothing written that does not gain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest

from notewell import Vault
from notewell.config.edit import with_values, write_values
from notewell.errors import CollectionError, SettingsError
from notewell.files.safe_open import GOLDEN
from notewell.graph.link_report import NoteLink
from notewell.index import Progress
from notewell.index.shapes.markdown import parse
from notewell.measure.golden import add_golden, evaluate_golden, load_golden
from notewell.measure.hiding import find_judgements, hidden_vault
from notewell.measure.judgements import Hidden, hide_some
from notewell.measure.tune import HALFWAY, Ranks, learn, measure_gains, tune, undo
from notewell.search.rules import SearchRules
from notewell.types.note import Note, Stamp

MakeVault = Callable[..., Vault]
Run = Callable[..., tuple[int, str, str]]
FILLER = "The rest of the text is long enough to be found by what is left of it, whatever was taken out. " * 3
SUMMARY = "summary: what a beekeeper does from October to March\n"
HEAD = f"---\naliases: [apiary in winter]\n{SUMMARY}---\n"
SECTION = "## Feeding sugar before frost\n\nThree parts sugar.\n\n## Damp\n\nOpen it.\n"
LINK = NoteLink("Bees.md", "Swarm", 3, "wiki", "", "how the swarm was caught", False, "", to="May/Swarm 7.md")


def hidden_in(text: str, *links: NoteLink, often: int = 2) -> list[Hidden]:
    """Return what a note asks for; its title is one that others have, too."""
    note = parse(Note("Garden/Bees.md", text, Stamp(0, 0)))
    return hide_some([note], lambda path: links, Counter({note.title.casefold(): often}), 9)


@pytest.mark.parametrize(
    ("text", "kind", "query", "lines"),
    [
        (f"{HEAD}# Bees\n\n{FILLER}", "alias", "apiary in winter", None),
        (f"---\n{SUMMARY}---\n# Bees\n\n{FILLER}", "property", SUMMARY[9:-1], None),
        (f"# Bees\n\n{FILLER}\n\n{SECTION}", "heading", "Feeding sugar before frost", (6, 8)),
        (f"# Bees\n\n{FILLER}\n\n## Why do hives get damp?\n\nRain.\n", "question", "Why do hives get damp?", (6, 7)),
        (f"# Bees\n\n{FILLER}\n\n- Who feeds them in frost?\n", "question", "Who feeds them in frost?", None),
    ],
)
def test_what_a_note_says_of_itself_asks_for_it_and_is_taken_out(
    text: str, kind: str, query: str, lines: tuple[int, int] | None
) -> None:
    (one,) = hidden_in(text)
    assert (one.judgement.kind, one.judgement.text, one.judgement.lines) == (kind, query, lines)
    assert query not in one.note.text and FILLER in one.note.text
    assert one.note.text.count("\n") == text.count("\n"), "lines keep their numbers"


def test_a_title_is_taken_from_the_name_the_heading_and_the_properties() -> None:
    names = "---\ntitle: Keeping bees alive\naliases:\n  - keeping bees\nslug: keeping\n---\n# Keeping bees alive\n\n"
    text = names + FILLER
    (one,) = hidden_in(text, often=1)
    assert one.judgement.kind == "title" and one.judgement.path == one.note.path != one.was == "Garden/Bees.md"
    assert "eeping" not in one.note.text and one.note.path.startswith("Garden/")


def test_a_link_asks_for_its_target_and_the_note_with_it_loses_the_words() -> None:
    text = f"# Bees\n\nSee [[Swarm|how the swarm was caught]].\n{FILLER}"
    (one,) = hidden_in(text, LINK)
    assert (one.judgement.kind, one.judgement.path, one.was) == ("link", "May/Swarm 7.md", "Garden/Bees.md")
    assert "See [[Swarm|]]." in one.note.text


@pytest.mark.parametrize(
    "text",
    [
        f"# Bees\n\n{FILLER}\n\n## Damp\n\n{FILLER}",
        "# Bees\n\n## Feeding sugar before frost\n\nToo short.\n",
        f"# Bees\n\n{FILLER}\n\n{SECTION}Feeding sugar before frost is what they say.\n",
    ],
    ids=["one word", "too little is left", "the words are still there"],
)
def test_a_note_that_could_not_be_asked_for_fairly_is_left_out(text: str) -> None:
    assert hidden_in(text) == []


def test_weights_are_found_one_by_one_and_moved_back_towards_those_shipped() -> None:
    def ranks(rules: SearchRules) -> Ranks:
        best = abs(np.log(rules.note_weight / 2)) + abs(np.log(rules.vector_weight / 0.175)) + rules.link_weight * 0
        return np.full(HALFWAY, 1 / (1 + best))

    weights = learn(ranks, SearchRules(), ["title"] * HALFWAY, Progress())
    # As many judgements as move them half of the way.
    assert weights["note_weight"] == pytest.approx(2**0.5, abs=1e-3)
    assert weights["vector_weight"] == pytest.approx(0.25 * 0.7**0.5, abs=1e-3)
    assert (weights["link_weight"], weights["fine_weight"]) == (1.0, 0.9), "what changes nothing stays"
    assert "name_weight" not in weights, "where titles were taken out, names only mislead"


def test_gains_are_of_each_kind_and_paired() -> None:
    every, link, title = sorted(
        measure_gains(np.array([0.5, 0.0, 1.0]), np.array([1.0, 0.0, 0.5]), ["title", "title", "link"]),
        key=lambda gain: gain.kind,
    )
    assert (every.before, every.after) == (0.5, 0.5)
    assert (title.after - title.before, link.after - link.before) == (0.25, -0.5)


def notes_of(number: int, headings: int = 2) -> dict[str, str]:
    """Notes of random words, each with a summary in its own words and one of others': words find it, letters do not.

    In every second note, that is a heading, or in so many.
    """
    chance, words = Random(7), [f"{one}{two}" for one in "bdfgklmnprst" for two in ("ador", "elim", "ufan", "igol")]
    notes = {}
    for count in range(number):
        own = [f"{chance.choice(words)}{chance.choice(words)}" for _ in range(6)]
        other, *rest = chance.sample(words, len(words))
        body = " ".join(chance.sample([*chance.choices(rest, k=120), *own], 126))
        name, said = f"n{count:03}", f"{' '.join(own)} {other}"
        with_summary = f"---\nsummary: {said}\n---\n# {name}\n\n{body}.\n"
        notes[f"{name}.md"] = with_summary if count % headings == 0 else f"# {name}\n\n## {said}\n\n{body}.\n"
    return notes


@pytest.fixture
def badly_set(make_vault: MakeVault) -> Vault:
    """A vault whose settings let vectors decide."""
    vault = make_vault(
        {**notes_of(64), "notewell.toml": '# mine\n[search]\nvector_weight = 90 # too much\n[show]\nlinks = "off"\n'}
    )
    vault.index()
    return vault


def test_weights_that_gain_are_written_and_can_be_taken_back(badly_set: Vault) -> None:
    file, store = badly_set.root / "notewell.toml", badly_set.store_file
    before, stored = file.read_text(), store.read_bytes()
    tuned = tune(badly_set)
    assert tuned.written and tuned.gains[0].interval[0] > 0
    assert file.read_text().startswith("# mine\n[search]\nvector_weight = 0.")
    assert "fine_weight" not in file.read_text(), "what stays as shipped is not written"
    assert "# too much\n" in file.read_text() and file.read_text().endswith('[show]\nlinks = "off"\n')
    assert store.read_bytes() == stored, "only a copy was changed"
    badly_set.reread()
    undo(badly_set)
    assert file.read_text() == before
    with pytest.raises(SettingsError, match="Nothing was tuned"):
        undo(badly_set)


@pytest.mark.parametrize("settings", ["search.vector_weight = 90\n", "search = {vector_weight = 90}\n"])
def test_settings_in_another_form_stay_as_they_are(make_vault: MakeVault, settings: str) -> None:
    vault = make_vault({**notes_of(64), "notewell.toml": settings})
    tuned = tune(vault)
    assert not tuned.written and "no table [search]" in tuned.refused and "vector_weight = 0." in tuned.refused
    assert (vault.root / "notewell.toml").read_text() == settings
    with pytest.raises(SettingsError, match="Nothing was tuned"):
        undo(vault)


def test_a_run_that_was_killed_before_it_wrote_has_nothing_to_undo(
    badly_set: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        """As if the process had ended here."""

    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr("notewell.measure.tune.write_values", killed)
        tune(badly_set)
    with pytest.raises(SettingsError, match="Nothing was tuned"):
        undo(badly_set)


def test_golden_queries_are_read_first_and_notes_that_are_gone_do_not_count(badly_set: Vault) -> None:
    (badly_set.root / GOLDEN).write_text("[[query]]\n")
    with pytest.raises(CollectionError, match="has no text"):
        tune(badly_set, shown=lambda stage: pytest.fail("nothing is tried before"))
    (badly_set.root / GOLDEN).write_text('[[query]]\ntext = "x"\nwant = ["gone.md"]\n')
    assert tune(badly_set).written


def test_a_vault_with_domains_is_told_so(make_vault: MakeVault) -> None:
    vault = make_vault({**notes_of(64), "notewell.toml": '[domains.a]\nfolders = ["A"]\n'})
    vault.index()
    with pytest.raises(CollectionError, match="vault with domains"):
        tune(vault)


def test_golden_queries_that_would_lose_keep_the_weights(badly_set: Vault) -> None:
    summaries = [text.splitlines()[1].split()[1:] for text in list(notes_of(64).values())[::2]]
    query = f"{summaries[3][0]} {summaries[4][0]}"
    first = badly_set.search(query).hits[0].path
    assert first not in ("n006.md", "n008.md"), "vectors decide"
    add_golden(badly_set, query, [first])
    tuned = tune(badly_set)
    assert not tuned.written and "your golden queries would lose" in tuned.refused


def test_a_copy_is_deleted_and_has_no_secret(make_vault: MakeVault, stored: Callable[[Vault], str]) -> None:
    key = "AK" + "IA" + "QWERTZUIOPASDFGH"
    vault = make_vault({"Bees.md": f"# Bees\n\n{FILLER}\n\nThe key is {key}.\n\n{SECTION}"})
    vault.index()
    hidden = find_judgements(vault, 9, Progress())
    with hidden_vault(vault, hidden, Progress()) as copy:
        assert key not in stored(copy) and "Feeding sugar" not in stored(copy) and "Feeding sugar" in stored(vault)
        file = copy.store_file
        assert file.exists()
    assert not file.parent.exists()


def test_queries_of_one_kind_do_not_speak_for_all(make_vault: MakeVault) -> None:
    tuned = tune(make_vault({**notes_of(64, headings=1), "notewell.toml": "[search]\nvector_weight = 90\n"}))
    assert tuned.gains[0].interval[0] > 0 and not tuned.written and "are of one kind" in tuned.refused


def test_a_small_vault_is_told_so(make_vault: MakeVault, run_command: Run) -> None:
    vault = make_vault(notes_of(20))
    with pytest.raises(CollectionError, match="Only 20 queries can be made from these notes: too few for tuning"):
        tune(vault)
    code, _, err = run_command(vault.root, "tune", "--undo")
    assert code == 1 and "Nothing was tuned here" in err


def test_values_of_a_setting_are_written_whatever_the_file_has() -> None:
    assert with_values("", "search", {"name_weight": 1.2}) == "[search]\nname_weight = 1.2\n"
    assert with_values("a = 1", "search", {"name_weight": None}) == "a = 1"
    written = with_values("[ search ] # mine\nlimit = 5\n\n[show]\n", "search", {"name_weight": 1.2, "limit": None})
    assert written == "[ search ] # mine\nname_weight = 1.2\n\n[show]\n"
    assert with_values("[search]\r\nlimit = 5\r\n", "search", {"name_weight": 1.2}).startswith(
        "[search]\r\nlimit = 5\n"
    )


def test_line_ends_of_windows_stay_in_settings(tmp_path: Path) -> None:
    settings, file = b"[search]\r\nlimit = 5\r\n\r\n[show]\r\ntext = true\r\n", tmp_path / "notewell.toml"
    file.write_bytes(settings)
    write_values(tmp_path, "search", {"link_weight": 0.5})
    assert file.read_bytes() == settings.replace(b"5\r\n", b"5\r\nlink_weight = 0.5\r\n", 1)
    write_values(tmp_path, "search", {"link_weight": None})
    assert file.read_bytes() == settings


def test_notes_propose_golden_queries_that_can_be_read_back(vault: Vault, run_command: Run) -> None:
    code, out, _ = run_command(vault.root, "golden", "suggest", "-n", "5")
    (vault.root / GOLDEN).write_text(out)
    queries = load_golden(vault.root / GOLDEN)
    assert code == 0 and len(queries) == 5
    scores, gone = evaluate_golden(vault, queries)
    assert not gone and scores.means["mrr@10"] > 0.5
