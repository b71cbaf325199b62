from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
from tests.redact.made_up import Made

from notewell import Vault
from notewell.redact import LINE_IN_LINE, all_rules, names_secret, redact, redact_text
from notewell.types.note import Note, RedactedSpan, Stamp

MakeVault = Callable[..., Vault]
Stored = Callable[[Vault], str]
Plant = Callable[..., Made]

KINDS = tuple(rule.name for rule in all_rules())

SECRET = "-".join(("hunter", "2", "again"))
SENTENCE = "The server hums quietly all night in the cellar."


def test_a_note_without_secrets_is_the_same_note() -> None:
    note = Note("a.md", SENTENCE, Stamp(0, 0))
    assert redact(note) is note


def test_a_redaction_says_rule_line_and_place_and_not_the_secret() -> None:
    text = f"one\ntwo\nlogin password: {SECRET} end\n"
    redacted, (redaction,) = redact_text(text)
    assert redacted == "one\ntwo\nlogin password: [REDACTED:password] end\n"
    assert redaction == RedactedSpan("password", 3, 24, 24 + len(SECRET), 24, len("[REDACTED:password]"))
    assert text[redaction.start : redaction.end] == SECRET
    assert SECRET not in repr(redaction)


def test_every_secret_of_a_text_goes() -> None:
    text = f"password: {SECRET}\npwd={SECRET}\n" * 3
    redacted, redactions = redact_text(text)
    assert SECRET not in redacted
    assert [redaction.line for redaction in redactions] == [1, 2, 3, 4, 5, 6]


def test_a_secret_that_two_rules_see_goes_once_and_whole(plant: Plant) -> None:
    redacted, redactions = redact_text(f"Authorization: Bearer {plant('jwt').text} end")
    assert redacted == "Authorization: Bearer [REDACTED:jwt] end"
    assert len(redactions) == 1


def test_the_matches_of_two_overlapping_rules_go_together(plant: Plant) -> None:
    redacted, redactions = redact_text(f"password={plant('github-token').text}!tail-of-it end")
    assert redacted == "password=[REDACTED:password] end"
    assert len(redactions) == 1


def test_a_key_of_many_lines_keeps_the_number_of_lines(plant: Plant) -> None:
    key = plant("private-key").text
    redacted, (redaction,) = redact_text(f"before\n{key}\nafter\n")
    assert redacted.split("\n")[:2] == ["before", "[REDACTED:private-key]"]
    assert redacted.count("\n") == key.count("\n") + 3
    assert redacted.split("\n").index("after") == key.count("\n") + 2
    assert redaction.line == 2


def test_a_redacted_text_is_not_redacted_again(plant: Plant) -> None:
    text, _ = redact_text("\n\n".join(plant(kind, seed).text for kind in KINDS for seed in range(5)))
    assert redact_text(text) == (text, ())


def test_only_real_stand_ins_count_as_redacted(plant: Plant) -> None:
    key = plant("private-key")
    first, rest = key.text.split("\n", 1)
    for said in ("[REDACTED:", "[REDACTED:jwt]", "[REDACTED:nothing]"):
        redacted, redactions = redact_text(f"{first}\n{said}\n{rest}")
        assert redacted.strip() == "[REDACTED:private-key]" and len(redactions) == 1
        assert redact_text(redacted) == (redacted, ())
        assert SECRET not in redact_text(f"password: {SECRET}{said} end")[0]
    assert redact_text(f"password: [REDACTED:jwt]{SECRET} end")[0] == "password: [REDACTED:password] end"


LINES = st.lists(st.text(st.sampled_from("bcdg .,#-*`|>é日\r"), max_size=30), max_size=5)


@given(st.lists(st.tuples(LINES, st.sampled_from(KINDS), st.integers(0, 10**6)), min_size=1, max_size=4))
def test_no_planted_secret_survives_and_every_line_keeps_its_number(
    plant: Plant, planted: list[tuple[list[str], str, int]]
) -> None:
    secrets = [(lines, plant(kind, seed)) for lines, kind, seed in planted]
    text = "\n".join("\n".join((*lines, "", made.text, "")) for lines, made in secrets)
    redacted, redactions = redact_text(text)
    assert redacted.count("\n") == text.count("\n")
    assert len(redactions) >= len(planted)
    for (_, kind, _), (_, made) in zip(planted, secrets, strict=True):
        assert made.secret not in redacted, kind
    for redaction in redactions:
        assert redaction.line == text.count("\n", 0, redaction.start) + 1
        assert redacted[redaction.at :].startswith(f"[REDACTED:{redaction.rule}]")


PIECES = (
    *("password", "Passwort", " is ", ": ", "=", '"', "'", "`", "**", "| ", "\n", "\\n", "\\", "\\_", "token", "key"),
    *(
        "hunter2-again",
        "swordfish",
        "api_",
        "://",
        "a:b@c",
        "İ",
        "ß",
        "日本",
        "--",
        "<",
        ">",
        ",",
        "\t",
        "9fceb02d0ae598e9",
        "[REDACTED:",
        "[REDACTED:password]",
        "]",
    ),
)


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=40).map("".join))
def test_any_mixture_keeps_its_lines_and_the_text_around_secrets(text: str) -> None:
    text = text.replace(LINE_IN_LINE, " ")
    redacted, redactions = redact_text(text)
    assert redacted.count("\n") == text.count("\n")
    read = 0
    parts: list[str] = []
    for redaction in redactions:
        assert redaction.start >= read
        parts += text[read : redaction.start], redacted[redaction.at : redaction.at + redaction.length]
        read = redaction.end
    assert "".join((*parts, text[read:])) == redacted


@given(st.lists(st.sampled_from(PIECES) | st.tuples(st.sampled_from(KINDS), st.integers(0, 99)), max_size=30))
def test_a_redacted_text_has_nothing_left_to_redact(plant: Plant, pieces: list[str | tuple[str, int]]) -> None:
    text = "".join(piece if isinstance(piece, str) else plant(*piece).text for piece in pieces)
    once = redact_text(text)[0]
    assert redact_text(once) == (once, ())


@given(st.text())
def test_any_text_at_all_keeps_its_lines(text: str) -> None:
    assert redact_text(text)[0].count("\n") == text.count("\n")


def test_a_secret_reaches_neither_the_store_nor_its_log_nor_the_report(
    plant: Plant, make_vault: MakeVault, stored: Stored
) -> None:
    secrets = {kind: plant(kind) for kind in KINDS}
    planted = "\n\n".join(f"{SENTENCE}\n\n{made.text}" for made in secrets.values())
    front = f"---\npassword: {SECRET}\ntitle: The password = {SECRET}\n---\n"
    heading = f"## password: {SECRET}\n\n{SENTENCE} [[password={SECRET}]] [x](password={SECRET}.md)\n"
    vault = make_vault({"server.md": f"{front}# Server\n\n{planted}\n\n{heading}"})
    report = vault.index()
    held = stored(vault) + repr(report)
    files = b"".join(file.read_bytes() for file in (vault.root / ".notewell").iterdir())
    for secret in (SECRET, *(line for made in secrets.values() for line in made.secret.split("\n"))):
        assert secret not in held and secret.lower() not in held
        assert secret.encode() not in files
    assert {found.rule for found in report.redactions} == set(KINDS)
    assert all(found.path == "server.md" and found.line > 1 for found in report.redactions)
    assert "hunter" not in held


def test_a_secret_is_neither_found_nor_shown(make_vault: MakeVault) -> None:
    vault = make_vault({"server.md": f"# Server\n\n{SENTENCE}\n\nThe password: {SECRET}\n"})
    vault.index()
    shown = [hit.text + hit.excerpt.text for hit in vault.search("password " + SECRET)]
    assert "[REDACTED:password]" in "".join(shown)
    assert "hunter" not in "".join(shown)
    assert vault.read("server.md:5").text == "The password: [REDACTED:password]"
    assert not any(excerpt.retrievers["lexical"] for excerpt in vault.search("hunter"))


def test_a_secret_across_the_edge_of_two_chunks_is_in_neither(
    plant: Plant, make_vault: MakeVault, stored: Stored
) -> None:
    key = plant("private-key").text
    fillers = [("word " * 400)[:before] for before in range(1400, 2000, 60)]
    vault = make_vault({f"{len(filler)}.md": f"## Long\n\n{filler}\n{key}\n{filler}\n" for filler in fillers})
    report = vault.index()
    assert vault.store.about().chunks > report.redacted == 10
    held = stored(vault)
    assert not any(line in held for line in plant("private-key").secret.split("\n"))


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


def test_a_secret_in_a_title_goes() -> None:
    note = redact(Note("a.md", SENTENCE, Stamp(0, 0), title=f"password: {SECRET}"))
    assert note.title == "password: [REDACTED:password]"
    assert note.text == SENTENCE and note.redactions == ()


def test_a_path_with_a_token_or_a_password_is_recognised(plant: Plant) -> None:
    for rule in all_rules():
        if rule.certain and "/" not in (text := plant(rule.name).text):
            assert names_secret(f"Keys/{text}.md"), rule.name
            assert names_secret(f"{text}/a.md"), rule.name
    assert names_secret(f"Server/password={SECRET}.md") == "password"


def test_ordinary_paths_are_not_suspected(vault: Vault) -> None:
    ordinary = [
        *(file.relative_to(vault.root).as_posix() for file in vault.root.rglob("*.md")),
        "Passwords/How to choose a password in 2024.md",
        "docs/sql-server-2019-always-on-availability-groups-transact-sql.md",
        "550e8400-e29b-41d4-a716-446655440000.md",
        "img/9fceb02d0ae598e95dc970b74767f19372d61af8.png",
        "20240102123456 Zettel über Token und Keys.md",
        "task-force/sk-loading-indicator-with-long-name.md",
        "Notes/password=.md",
    ]
    assert [path for path in ordinary if names_secret(path)] == []


def test_lines_that_a_reader_joined_are_still_lines_to_the_rules_and_a_space_to_readers() -> None:
    table = "| Place | Password |\n|---|---|\n| Cellar | Egtxy" + "!lftp76 |"
    joined = "remark: " + table.replace("\n", LINE_IN_LINE) + "\nnext line"
    text, redactions = redact_text(joined)
    assert text == "remark: | Place | Password | |---|---| | Cellar | [REDACTED:password-column] |\nnext line"
    assert [redaction.line for redaction in redactions] == [1]
    assert redact_text(f"one{LINE_IN_LINE}two") == ("one two", ())
    assert redact(Note("a.json", f"one{LINE_IN_LINE}two", Stamp(0, 0))).text == "one two"
