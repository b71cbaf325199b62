"""Secrets beside their names: in two fields, two cells, a definition, a name of a file, and cut or hidden ones."""

from __future__ import annotations

import json
from random import Random

import pytest

from notewell.index.readers import json_values, yaml_values
from notewell.index.readers.flat import LONGEST_KEY
from notewell.index.readers.lines import shortened
from notewell.redact import RULES, names_secret, redact_path, redact_text
from notewell.redact.rule import ALNUM, HEX, Rule, some

PASSWORD = "Zanzi" + "bar77quux"
TOKEN = some(Random(5), ALNUM, 32)
NOUN = "Sommer" + "regen"


def gone(text: str) -> bool:
    redacted = redact_text(text)[0]
    assert redacted.count("\n") == text.count("\n")
    assert redact_text(redacted) == (redacted, ())
    return PASSWORD not in redacted and TOKEN not in redacted


@pytest.mark.parametrize("name", ["name", "key", "field", "label"])
@pytest.mark.parametrize(
    ("called", "secret"), [("DB_PASSWORD", PASSWORD), ("password", PASSWORD), ("api_token", TOKEN), ("API key", TOKEN)]
)
@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("between", [{}, {"type": "text", "enabled": True}])
def test_a_name_and_its_value_in_two_fields(
    name: str, called: str, secret: str, order: int, between: dict[str, object]
) -> None:
    first, last = ((name, called), ("value", secret))[:: -1 if order else 1]
    fields = {"id": 7, first[0]: first[1], **between, last[0]: last[1], "kind": "plain"}
    for indent in (None, 2):
        source = json.dumps({"spec": {"env": [{"name": "PORT", "value": "80"}, fields]}}, indent=indent)
        assert gone(source)
        for reader in (json_values, yaml_values):
            text = reader.extract(source.encode()).text
            assert secret in text and gone(text)
    rows = "\n    ".join(f"{key}: {value}" for key, value in fields.items())
    source = f"env:\n  - {rows}\n"
    assert gone(source) and gone(yaml_values.extract(source.encode()).text)


@pytest.mark.parametrize(
    "source",
    [
        "password:\n  value: {}\n",
        "password: {{value: {}}}\n",
        "outputs:\n  db_password:\n    sensitive: true\n    type: string\n    value: {}\n",
        '{{"outputs": {{"db_password": {{"value": "{}", "type": "string"}}}}}}',
        '{{"db_password": {{"sensitive": true, "type": "string", "value": "{}"}}}}',
    ],
)
def test_a_value_within_what_its_name_holds(source: str) -> None:
    text = source.format(PASSWORD)
    assert gone(text)
    assert gone(yaml_values.extract(text.encode()).text)
    assert gone(f"a.db_password.value: {PASSWORD}\n")
    assert gone(f'variable "db_password" {{\n  type = string\n  default = "{PASSWORD}"\n}}\n')


@pytest.mark.parametrize(
    "text",
    [
        "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: app2024x\n",
        "env[0].name: DB_PASSWORD; env[0].value: ${{DB_PASSWORD}}; env[1].name: PORT; env[1].value: tcp8080x",
        "- name: DB_PASSWORD\n- name: HOST\n  value: server2024\n",
        '{"key": "token", "value": "string"}',
        "password:\n  value: required\n",
        "tokens:\n  default: 4096\n",
        "value: release2024\nname: server\npassword: ${PASSWORD}\n",
    ],
)
def test_fields_without_a_secret_stay(text: str) -> None:
    assert redact_text(text) == (text, ())


@pytest.mark.parametrize(
    "row",
    [
        *("| DB_PASSWORD | {p} |", "| db_password | `{p}` | x |", "DB_PASSWORD | {p}", "| dbPassword | {p} |"),
        *("DB_PASSWORD,{p}", "password;{p}", '"Wifi password","{p}"', "DB_PASSWORD\t{p}", "password,{p},note"),
        *("API key,{t}", "weather_token;{t};x", "| API_KEY | {t} |"),
    ],
)
def test_a_name_and_its_value_in_two_cells(row: str) -> None:
    row = row.format(p=PASSWORD, t=TOKEN)
    assert gone(row) and gone(f"NAME,VALUE\nPORT,80\n{row}\nHOST,server\n")


@pytest.mark.parametrize(
    "text",
    [
        "password,required\npassword,email,name\n",
        "password,username,server\n",
        "Give user, password,and press return2day now",
        "pass,fail2024x and more\n",
        "| password_policy | strict |",
    ],
)
def test_cells_without_a_secret_stay(text: str) -> None:
    assert redact_text(text) == (text, ())


@pytest.mark.parametrize("sign", [";", ",", "\t", "|"])
def test_a_record_beneath_a_head_loses_no_more_than_its_secret(sign: str) -> None:
    text = sign.join(("site", "user", "password")) + "\n" + sign.join(("shop", "me", PASSWORD))
    assert redact_text(text)[0] == text.replace(PASSWORD, "[REDACTED:password-column]")
    assert gone(f"for you, the password:\n{PASSWORD}\n")


@pytest.mark.parametrize(
    "line", ["- password :: {}", "password:: {}", "wifi password::  {}", "- pw {}", "* pw {}", "+ pw {}", "1. pw {}"]
)
def test_definitions(line: str) -> None:
    assert gone(line.format(PASSWORD)) and gone(f"* Wifi\n{line.format(PASSWORD)}\n- more\n")


@pytest.mark.parametrize("form", ["Wifi password is {}", "the password is {}.", "Das Passwort ist {}\n", "PW ist {}"])
def test_a_noun_that_is_the_password_goes(form: str) -> None:
    assert NOUN not in redact_text(form.format(NOUN))[0]


@pytest.mark.parametrize("start", ["Ein Passwort ist", "The password is"])
@pytest.mark.parametrize(
    "noun",
    [
        *("Pflicht", "Pflichtfeld", "Chefsache", "Voraussetzung", "Geheimnis", "Standard", "Unsinn", "Vertraulich"),
        *("Required", "Optional", "Disabled", "Missing", "Unknown", "Wrong", "Sicherheit", "Vergessen"),
        *("Abgelaufen", "Verschlüsselt", "Unsinn", "Vertrauenssache", "Dasselbe"),
    ],
)
def test_a_noun_that_says_how_a_password_is_stays(start: str, noun: str) -> None:
    assert redact_text(f"{start} {noun}.") == (f"{start} {noun}.", ())


def test_a_cut_leaves_no_half_of_a_secret() -> None:
    github = "gh" + "p_" + TOKEN + "1234"
    for before in range(LONGEST_KEY - 50, LONGEST_KEY + 2):
        words = ("word " * 100)[:before]
        for key in (f"{words} {github}", f"{'x' * before}={github}"):
            text = json_values.extract(json.dumps({key + " end" * 40: 1}).encode()).text
            assert TOKEN[:8] not in redact_text(text)[0]
    phrase = " ".join(some(Random(seed), "abcdefgh", 5) for seed in range(12))
    quoted = "correct" + "horse battery staple of " + "zucchini"
    for text, secret in ((f"seed phrase: {phrase}\n", phrase), (f'password: "{quoted}"\n', quoted)):
        for most in range(10, len(text)):
            left = redact_text(shortened(text + "and more words " * 20, most))[0]
            assert not any(f" {word}" in left or f'"{word}' in left for word in secret.split() if word != "of")


@pytest.mark.parametrize(
    "name",
    [
        *("password {p}.md", "pw {p}.txt", "Wifi PSK {p}.md", "API key {t}.md", "the password is sword{f}.md"),
        *("Server/password is {p}/a.md", "login ilse/password {p}", "DB_PASSWORD,{p}.csv"),
    ],
)
def test_a_file_is_not_named_by_a_secret(name: str) -> None:
    path = name.format(p=PASSWORD, t=TOKEN, f="fish")
    assert names_secret(path)
    assert names_secret(f"a/{path}")
    shown = redact_path(path)
    assert "REDACTED" in shown and not any(secret in shown for secret in (PASSWORD, TOKEN, "fish"))


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_what_would_be_taken_out_of_a_stored_path_or_title_names_a_secret(rule: Rule) -> None:
    for seed in range(5):
        text = rule.example(Random(seed)).text.replace("\n", " ").replace("/", "")
        if redact_text(text)[1] or redact_text(f"a/{text}.md")[1]:
            assert names_secret(f"a/{text}.md"), text
            assert not names_secret(redact_path(f"a/{text}.md")), text


@pytest.mark.parametrize("sign", ["\u200b", "\u200c", "\u00ad", "\u2060", "\ufeff"])
def test_signs_that_take_no_room_hide_nothing(sign: str) -> None:
    token = "gh" + "p_" + some(Random(3), HEX, 36)
    for at in range(1, len(token)):
        left = redact_text(f"before\nIt is {token[:at]}{sign}{token[at:]} now\n{sign}after")[0]
        assert left == f"before\nIt is [REDACTED:github-token] now\n{sign}after"
    assert gone(f"pass{sign}word: {PASSWORD}") and gone(f"password: {sign}{PASSWORD[:5]}{sign}{PASSWORD[5:]}")
    plain = f"The gar{sign}den is {sign}green.\n"
    assert redact_text(plain) == (plain, ())
