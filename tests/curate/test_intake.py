"""Intake: signals become notes, wait in the queue or are dropped; every decision is logged, explained, reversed."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from notewell import Vault
from notewell.curate.intake import explain, read_log, take_in, undo
from notewell.curate.intake_page import page_of, tamed
from notewell.curate.promote import promote, read_review, review
from notewell.curate.signals import Signal, make_signal
from notewell.curate.sources import Read
from notewell.errors import CurateError, SettingsError
from notewell.index.shapes.front_matter import split_front_matter

MakeVault = Callable[..., Vault]
Run = Callable[..., tuple[int, str, str]]
TOPICS = ("varroa mites", "spring swarms", "queen rearing", "winter feeding", "honey extraction", "brood disease")
BEES = "The hive and its bees need care: {}. Check the frames, the brood and the queen; keep notes of honey stores."
BREAD = "Rye bread rises with sourdough: {}. Bake the loaf in a hot oven with steam, and cool it on a rack."
SETTINGS = '[curate]\nfolders = ["."]\n[intake]\nfolders = ["Bees", "Baking"]\n[llm]\nmodel = "off"\n'
NOTES = {
    "notewell.toml": SETTINGS,
    **{f"Bees/Bees {number}.md": f"# Bees {number}\n\n{BEES.format(topic)}\n" for number, topic in enumerate(TOPICS)},
    **{f"Baking/Rye {number}.md": f"# Rye {number}\n\n{BREAD.format(topic)}\n" for number, topic in enumerate(TOPICS)},
}
GOOD = make_signal(
    "How to care for bees",
    "# Steps\n\n1. Check the frames.\n2. Check the brood and the queen.\n3. Keep notes of honey stores.\n\n# Why\n\n"
    + BEES.format("the hive in summer"),
    url="https://bees.example/care",
    author="Kim",
    source="Bee news",
)
BAD = make_signal("Stock markets fall", "Shares of banks lost value on Tuesday as investors sold bonds.", source="News")
UNSURE = make_signal("Honey", "Bees and brood, the hive and a queen.", source="News")


@pytest.fixture
def vault(make_vault: MakeVault) -> Vault:
    made = make_vault(NOTES)
    made.index()
    return made


def verdicts(vault: Vault, *signals: Signal, **ways: Any) -> dict[str, str]:
    return {one.title: one.verdict for one in take_in(vault, Read([*signals]), **ways).decisions}


def files(vault: Vault) -> set[str]:
    return {str(file.relative_to(vault.root)) for file in vault.root.rglob("*.md")}


def test_a_signal_that_belongs_becomes_a_note_in_the_folder_of_the_notes_like_it(vault: Vault) -> None:
    before = files(vault)
    (done,) = take_in(vault, Read([GOOD])).decisions
    assert (done.verdict, done.path) == ("added", "Bees/How to care for bees.md") and done.total >= 0.55
    assert "most like notes in Bees" in done.why and "like “Bees" in done.scores.relevance.why
    assert "3 numbered steps" in done.scores.actionability.why and "by Kim" in done.scores.authority.why
    assert files(vault) - before == {done.path}
    fields, body, _ = split_front_matter(text := (vault.root / done.path).read_text())
    assert (fields["title"], fields["source"], fields["author"]) == (GOOD.title, GOOD.url, "Kim")
    assert text[body:].strip() == GOOD.text
    assert done.path in {hit.path for hit in vault.search("care for bees in summer")}


def test_what_does_not_belong_is_dropped_and_what_is_unsure_waits_in_the_queue(vault: Vault) -> None:
    settings = SETTINGS.replace("[intake]", "[intake]\naccept = 0.9\nreview = 0.3")
    (vault.root / "notewell.toml").write_text(settings)
    before = files(vault)
    assert verdicts(vault, GOOD, BAD) == {GOOD.title: "queued", BAD.title: "dropped"}
    assert files(vault) - before == {"_review-queue.md"}
    (item,) = read_review(vault).items
    assert (item.kind, item.path) == ("intake", "Bees/How to care for bees.md")
    done = promote(vault, tick=[item.id])
    assert [one.kind for one in done.done] == ["intake"] and (vault.root / item.path).exists()
    assert explain(vault, GOOD.url).later == "accepted"
    assert all(one.kind != "intake" for one in review(vault).items)


def test_what_is_declined_in_the_queue_is_rejected_and_not_proposed_again(vault: Vault) -> None:
    (vault.root / "notewell.toml").write_text(SETTINGS.replace("[intake]", "[intake]\naccept = 0.9\nreview = 0.3"))
    take_in(vault, Read([GOOD]))
    (item,) = read_review(vault).items
    promote(vault, decline=[item.id])
    assert explain(vault, GOOD.title).later == "rejected"
    assert verdicts(vault, GOOD) == {} and not any(one.kind == "intake" for one in review(vault).items)


def test_what_was_decided_is_not_decided_again_unless_asked(vault: Vault) -> None:
    take_in(vault, Read([GOOD, GOOD]))
    again = take_in(vault, Read([GOOD]))
    assert (again.decisions, again.seen) == ((), 1)
    again = take_in(vault, Read([GOOD]), again=True)
    assert (again.decisions, again.seen) == ((), 1)
    undo(vault, GOOD.id)
    assert verdicts(vault, GOOD, again=True) == {GOOD.title: "added"}


def test_an_address_alone_is_judged_by_its_words_until_there_is_a_text(vault: Vault) -> None:
    url = "https://x.example/2024/bees-brood-hive-queen.html"
    done = take_in(vault, Read([make_signal("", url=url), make_signal("", url="https://x.example/7")]))
    assert [(one.title, one.verdict) for one in done.decisions] == [("bees brood hive queen", "queued")]
    assert [(one.path, "no words" in one.reason) for one in done.left] == [("https://x.example/7", True)]
    assert take_in(vault, Read([make_signal("", url=url)])).seen == 1
    fetched = make_signal("How to care for bees", GOOD.text, url=url)
    assert verdicts(vault, fetched) == {"How to care for bees": "added"}
    assert not review(vault).items and take_in(vault, Read([fetched])).seen == 1


def test_near_duplicates_of_notes_and_of_each_other_are_recognised(vault: Vault) -> None:
    same = make_signal("Another title", BEES.format(TOPICS[0]))
    twice = [make_signal(title, GOOD.text, url=f"https://x.example/{title}") for title in ("One", "Two")]
    done = take_in(vault, Read([same, *twice])).decisions
    assert [one.verdict for one in done] == ["duplicate", "added", "duplicate"]
    assert "Bees/Bees 0.md says nearly the same" in done[0].why


def test_a_dry_run_writes_nothing(vault: Vault) -> None:
    before = files(vault)
    assert verdicts(vault, GOOD, BAD, dry_run=True)
    assert files(vault) == before and read_log(vault) == ()


def test_nothing_is_written_until_the_vault_names_folders_and_only_into_these(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "notewell.toml": ""})
    vault.index()
    with pytest.raises(SettingsError, match="no folder"):
        take_in(vault, Read([GOOD]))
    for folders, fact in (('["Baking"]', "Bees, which curate.folders does not name"), ('["../x"]', "outside")):
        (vault.root / "notewell.toml").write_text(SETTINGS.replace('["."]', folders))
        with pytest.raises(SettingsError, match=fact):
            take_in(vault, Read([GOOD]))


@pytest.mark.parametrize(
    ("settings", "fact"),
    [
        ("accept = 0.3\nreview = 0.5", "intake.review (0.5) is above intake.accept (0.3)"),
        ("relevance = 0\ndepth = 0\nauthority = 0\nactionability = 0", "All weights"),
        ('folders = ["../x"]', "'../x', which is not a folder of this vault"),
        ('folders = ["/tmp"]', "'/tmp', which is not a folder of this vault"),
    ],
)
def test_settings_that_make_no_sense_are_a_fact_and_a_hint(make_vault: MakeVault, settings: str, fact: str) -> None:
    vault = make_vault({**NOTES, "notewell.toml": f'[curate]\nfolders = ["."]\n[intake]\n{settings}\n'})
    with pytest.raises(SettingsError) as error:
        take_in(vault, Read([GOOD]))
    assert fact in error.value.fact and error.value.hint


@pytest.mark.parametrize("asked", ["", " "])
def test_a_signal_without_a_name_undoes_no_run(vault: Vault, asked: str) -> None:
    (done,) = take_in(vault, Read([GOOD])).decisions
    with pytest.raises(CurateError, match="No signal is named"):
        undo(vault, asked)
    assert done.path in files(vault)


def test_without_folders_notes_go_to_the_inbox(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "notewell.toml": '[curate]\nfolders = ["Bees"]\nqueue = "Bees/q.md"\n'})
    vault.index()
    assert take_in(vault, Read([GOOD])).decisions[0].path == "Bees/Inbox/How to care for bees.md"


def test_a_run_is_undone_and_an_edited_note_is_not(vault: Vault) -> None:
    path = take_in(vault, Read([GOOD])).decisions[0].path
    assert undo(vault).decisions[0].later == "undone"
    assert not (vault.root / path).exists() and list((vault.root / ".trash").iterdir())
    with pytest.raises(CurateError, match="no intake to undo"):
        undo(vault)
    take_in(vault, Read([GOOD]), again=True)
    (vault.root / path).write_text("mine")
    for asked in (None, GOOD.id):
        with pytest.raises(CurateError, match="nothing was undone"):
            undo(vault, asked)
    assert (vault.root / path).read_text() == "mine"


def test_a_dropped_signal_can_be_taken_back_into_the_queue(vault: Vault) -> None:
    assert verdicts(vault, BAD) == {BAD.title: "dropped"}
    undo(vault, BAD.id)
    (item,) = read_review(vault).items
    assert item.kind == "intake" and "Stock markets fall" in item.text
    assert promote(vault, tick=[item.id]).done


def test_the_log_says_why_and_survives_half_a_line(vault: Vault) -> None:
    from notewell.curate.journal import Journal  # noqa: PLC0415

    take_in(vault, Read([BAD]))
    with (Journal(vault.root).folder / "intake.jsonl").open("a") as stream:
        stream.write('{"id": "half')
    take_in(vault, Read([GOOD]))
    assert [one.title for one in read_log(vault)] == [GOOD.title, BAD.title]
    found = explain(vault, BAD.id)
    assert found.scores.relevance.why and "limits of 0.40 and 0.55" in found.why
    with pytest.raises(CurateError, match="No signal is called 'nothing'"):
        explain(vault, "nothing")


HOSTILE = (
    "../../outside",
    "a/b\\c\x00\x1b[2J",
    "x]] [[Bees/Bees 0]] #evil",
    "CON",
    "---\ntags: [evil]\n---",
    "title: x\nevil: true",
    "`rm`: ^nw-0123456789",
    "a" * 5_000,
    "\u202e",
    ".hidden",
)


@pytest.mark.parametrize("title", HOSTILE)
def test_a_hostile_title_is_a_name_in_its_folder_and_nothing_else(vault: Vault, title: str) -> None:
    (vault.root / "notewell.toml").write_text(SETTINGS.replace("[intake]", "[intake]\naccept = 0.9\nreview = 0.2"))
    signal = make_signal(title, GOOD.text, url="https://x.example/)](y) `#evil` ^nw-0123456789")
    take_in(vault, Read([signal]))
    queue = read_review(vault)
    (item,) = queue.items
    assert item.kind == "intake" and item.path.startswith("Bees/") and item.path.endswith(".md")
    assert not {"..", "."} & {*item.path.split("/")} and all(part.isprintable() for part in item.path)
    assert promote(vault, tick=[item.id]).done
    fields, _, warnings = split_front_matter((vault.root / item.path).read_text())
    assert not warnings and {*fields} <= {"title", "source", "created", "score"}
    vault.index()
    assert "evil" not in vault.store.about(tags=True).tags


def test_a_hostile_text_runs_loads_links_and_tags_nothing() -> None:
    text = (
        "---\nevil: true\n---\n![p](https://t.example/1.png) ![[Private]] [[Home]] #evil <img src=x> <% x %> "
        "`$= dv.x` evil:: yes\n\n```dataviewjs\nx()\n```\n\n```python\n#ok\n```\n"
    )
    safe = tamed(text)
    for bad in ("![", "[[", "<img", "<%", "`$=", "dataviewjs", ":: yes"):
        assert bad not in safe, bad
    assert "```python\n#ok\n```" in safe and r"\#evil" in safe
    page = page_of(make_signal("[[Home]]", text), datetime(2026, 1, 1, tzinfo=UTC), 0.5).decode()
    assert "evil" not in split_front_matter(page)[0] and "[[" not in page


@pytest.mark.parametrize(
    ("written", "gone"),
    [
        ("![a [b] c](https://t.example/1.png)", "!["),
        ("!![p](https://t.example/1.png)", "!["),
        ("![a\nb](https://t.example/1.png)", "!["),
        ("![p][x]\n\n[x]: https://t.example/1.png", "!["),
        ("[a](../Private.md) and [b](<Home.md>)", "]("),
        ("[a](obsidian://adv-uri?x) [b](file:///etc/passwd) [c]( javascript:x)", "]("),
        ("[a][x]\n\n[x]:\n  Private.md", "]:"),
        ("- ```dataview\n  list\n  ```", "dataview\n"),
        ("1. > ~~~dataviewjs\n   x\n", "dataviewjs"),
        ("`= this.x ` and ` $= dv.x`", "`="),
        ("`  = this.x`", "`  ="),
    ],
)
def test_a_hostile_text_finds_no_way_around(written: str, gone: str) -> None:
    assert gone in written and gone not in tamed(written)


def test_harmless_text_stays_as_it_is() -> None:
    text = (
        "Wow! See [a](https://a.example/x_(y)) or <https://a.example>, [b][x] and [me](mailto:a@b.example).[^1]\n\n"
        "```one``` and `a == b`\n\n[x]: https://a.example\n[^1]: A footnote.\n"
    )
    assert tamed(text) == text


def test_the_command_scores_explains_logs_and_undoes(tmp_path: Path, run_command: Run) -> None:
    for path, text in NOTES.items():
        (tmp_path / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "vault" / path).write_text(text + ('[embed]\nmodel = "words"\n' if path == "notewell.toml" else ""))
    item = f"<item><title>{GOOD.title}</title><description><![CDATA[{GOOD.text}]]></description></item>"
    (tmp_path / "feed.xml").write_text(f"<rss><channel><title>Bee news</title>{item}</channel></rss>")
    root = tmp_path / "vault"
    code, out, said = run_command(root, "intake", str(tmp_path / "feed.xml"), "--explain")
    assert code == 0, said
    assert "added" in out and "relevance: like “Bees" in out and "1 signal: 1 added" in said
    assert run_command(root, "intake", str(tmp_path / "feed.xml"))[2].count("1 signal decided before") == 1
    (logged,) = json.loads(run_command(root, "intake", "log", "--json")[1])
    assert run_command(root, "intake", "explain", logged["id"])[0] == 0
    assert len(json.loads(run_command(root, "intake", "--json", "log")[1])) == 1
    assert run_command(root, "intake", "undo")[0] == 0 and not (root / logged["path"]).exists()
    assert run_command(root, "intake", "nowhere.xml")[0] == 1
    assert "accepted 0 signals" in run_command(root, "intake", "tune")[2]


def test_a_text_is_taken_in_listed_and_taken_back_over_http(vault: Vault) -> None:
    from tests.serve.serving import serving  # noqa: PLC0415

    def post(path: str, **asked: Any) -> Any:
        sent = {"Content-Type": "application/json"}
        return served.ask(path, sent, method="POST", body=json.dumps(asked).encode())

    feed = (
        f"<rss><channel><item><title>{GOOD.title}</title><description>{GOOD.text}</description></item></channel></rss>"
    )
    with serving(vault) as served:
        done = post("/intake", text=feed).data
        (one,) = done["decisions"]
        assert one["verdict"] == "added" and done["applied"] and (vault.root / one["path"]).exists()
        assert served.get("/intake/log", limit=1)["decisions"] == done["decisions"]
        assert post("/intake/undo", signal=one["id"]).data["decisions"][0]["later"] == "undone"
        assert not (vault.root / one["path"]).exists()
        # A path is a text: no file is read for a request.
        assert post("/intake", text="/etc/passwd", dry_run=True).data["decisions"][0]["title"] == "/etc/passwd"
