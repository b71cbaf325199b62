from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from notewell import Vault
from notewell.redact import RULES, redact, redact_text
from notewell.types import Note, Redaction, Stamp

MakeVault = Callable[..., Vault]
Stored = Callable[[Vault], str]
Plant = Callable[[str, str], str]

KINDS = tuple(rule.name for rule in RULES)

SECRET = "-".join(("hunter", "2", "again"))
SENTENCE = "The server hums quietly all night in the cellar."


def test_a_note_without_secrets_is_the_same_note() -> None:
    note = Note("a.md", SENTENCE, Stamp(0, 0))
    assert redact(note) is note


def test_a_redaction_says_rule_line_and_place_and_not_the_secret() -> None:
    text = f"one\ntwo\nlogin password: {SECRET} end\n"
    redacted, (redaction,) = redact_text(text)
    assert redacted == "one\ntwo\nlogin password: [REDACTED:password] end\n"
    assert redaction == Redaction("password", 3, 24, 24 + len(SECRET), 24, len("[REDACTED:password]"))
    assert text[redaction.start : redaction.end] == SECRET
    assert SECRET not in repr(redaction)


def test_every_secret_of_a_text_goes() -> None:
    text = f"password: {SECRET}\npwd={SECRET}\n" * 3
    redacted, redactions = redact_text(text)
    assert SECRET not in redacted
    assert [redaction.line for redaction in redactions] == [1, 2, 3, 4, 5, 6]


def test_a_secret_that_two_rules_see_goes_once_and_whole(plant: Plant) -> None:
    token = plant("jwt", "Q7" + "ab12" * 12)
    redacted, redactions = redact_text(f"Authorization: Bearer {token} end")
    assert redacted == "Authorization: Bearer [REDACTED:jwt] end"
    assert len(redactions) == 1


def test_what_either_of_two_overlapping_rules_saw_goes(plant: Plant) -> None:
    key = plant("github-token", "Q7" + "ab12" * 12)
    redacted, redactions = redact_text(f"password={key}!tail-of-it end")
    assert redacted == "password=[REDACTED:password] end"
    assert len(redactions) == 1


def test_a_key_of_many_lines_keeps_the_number_of_lines(plant: Plant) -> None:
    key = plant("private-key", "Q7" + "ab12" * 40)
    redacted, (redaction,) = redact_text(f"before\n{key}\nafter\n")
    assert redacted.split("\n")[:2] == ["before", "[REDACTED:private-key]"]
    assert redacted.count("\n") == key.count("\n") + 3
    assert redacted.split("\n").index("after") == key.count("\n") + 2
    assert redaction.line == 2


def test_a_redacted_text_is_not_redacted_again(plant: Plant) -> None:
    text, _ = redact_text("\n".join(plant(kind, "Q7" + "AB12" * 12) for kind in KINDS))
    assert redact_text(text) == (text, ())


LINES = st.lists(st.text(st.sampled_from("bcdg .,#-*`|>é日\r"), max_size=30), max_size=5)
BODY = st.text(st.sampled_from("ABDEFGHKLMNPQRSTUVWYZ0123456789"), min_size=60, max_size=80).map("Q7".__add__)


@given(st.lists(st.tuples(LINES, st.sampled_from(KINDS), BODY), min_size=1, max_size=4))
def test_no_planted_secret_survives_and_every_line_keeps_its_number(
    plant: Plant, planted: list[tuple[list[str], str, str]]
) -> None:
    text = "\n".join("\n".join((*lines, plant(kind, body))) for lines, kind, body in planted)
    redacted, redactions = redact_text(text)
    assert redacted.count("\n") == text.count("\n")
    assert len(redactions) == len(planted)
    for (_, kind, body), redaction in zip(planted, redactions, strict=True):
        assert body[2:22] not in redacted, kind
        assert redaction.rule == kind
        assert redaction.line == text.count("\n", 0, redaction.start) + 1


@given(st.text())
def test_any_text_at_all_keeps_its_lines(text: str) -> None:
    assert redact_text(text)[0].count("\n") == text.count("\n")


def test_a_secret_reaches_neither_the_store_nor_its_log_nor_the_report(
    plant: Plant, make_vault: MakeVault, stored: Stored
) -> None:
    secrets = {kind: "Q7" + f"{number}Z" * 30 for number, kind in enumerate(KINDS)}
    planted = "\n\n".join(f"{SENTENCE}\n\n{plant(kind, body)}" for kind, body in secrets.items())
    front = f"---\npassword: {SECRET}\ntitle: The password = {SECRET}\n---\n"
    heading = f"## password: {SECRET}\n\n{SENTENCE} [[password={SECRET}]] [x](password={SECRET}.md)\n"
    vault = make_vault({"server.md": f"{front}# Server\n\n{planted}\n\n{heading}"})
    report = vault.index()
    held = stored(vault) + repr(report)
    files = b"".join(file.read_bytes() for file in (vault.root / ".notewell").iterdir())
    for body in (SECRET, *(body[2:22] for body in secrets.values())):
        assert body not in held and body.lower() not in held
        assert body.encode() not in files
    assert {rule for _, _, rule in report.redacted} == set(KINDS)
    assert all(path == "server.md" and line > 1 for path, line, _ in report.redacted)
    assert "hunter" not in held


def test_a_secret_is_neither_found_nor_shown(make_vault: MakeVault) -> None:
    vault = make_vault({"server.md": f"# Server\n\n{SENTENCE}\n\nThe password: {SECRET}\n"})
    vault.index()
    shown = [excerpt.text + excerpt.hit.chunk.text for excerpt in vault.search("password " + SECRET)]
    assert "[REDACTED:password]" in "".join(shown)
    assert "hunter" not in "".join(shown)
    assert vault.read("server.md:5").text == "The password: [REDACTED:password]"
    assert not any(excerpt.hit.ranks["lexical"] for excerpt in vault.search("hunter"))


def test_a_secret_across_the_edge_of_two_chunks_is_in_neither(
    plant: Plant, make_vault: MakeVault, stored: Stored
) -> None:
    key = plant("private-key", "Q7" + "ab12" * 120)
    fillers = [("word " * 400)[:before] for before in range(1400, 2000, 60)]
    vault = make_vault({f"{len(filler)}.md": f"## Long\n\n{filler}\n{key}\n{filler}\n" for filler in fillers})
    report = vault.index()
    assert vault.store.about().chunks > len(report.redacted) == 10
    assert "ab12ab12" not in stored(vault)


def test_the_passwords_of_the_sample_vault_are_not_in_its_store(vault: Vault, stored: Stored) -> None:
    held = stored(vault)
    notes = [
        f"{folder}.md"
        for folder in ("Engineering/Deploy runbook", "Engineering/Backups and restore", "Projects/Home server")
    ]
    for path in notes:
        text = (vault.root / path).read_text(encoding="utf-8")
        _, redactions = redact_text(text)
        assert redactions, path
        for redaction in redactions:
            secret = text[redaction.start : redaction.end]
            assert secret not in held
            assert secret not in vault.read(path).text
