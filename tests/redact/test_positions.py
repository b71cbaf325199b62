"""Secrets beside their label: in two fields, two cells, a definition, a file's name; and secrets cut or hidden."""

from __future__ import annotations

import json
from itertools import product
from random import Random

from tests.redact.made_up import ALNUM, HEX, some

from notewell.index.readers import json_values, yaml_values
from notewell.index.readers.nested import LONGEST_KEY
from notewell.index.readers.writing import shortened
from notewell.redact import names_secret, redact_path, redact_text

PASSWORD = "Zanzi" + "bar77quux"
TOKEN = some(Random(5), ALNUM, 32)
NOUN = "Sommer" + "regen"


def gone(text: str) -> bool:
    redacted = redact_text(text)[0]
    assert redacted.count("\n") == text.count("\n")
    assert redact_text(redacted) == (redacted, ())
    return PASSWORD not in redacted and TOKEN not in redacted


def left_in(texts: list[str]) -> list[str]:
    """Return the texts that still contain their secret after redaction."""
    return [text for text in texts if not gone(text)]


def changed(texts: list[str]) -> list[str]:
    """Return the texts that redaction changes."""
    return [text for text in texts if redact_text(text) != (text, ())]


LABELLED = [("DB_PASSWORD", PASSWORD), ("password", PASSWORD), ("api_token", TOKEN), ("API key", TOKEN)]
BETWEEN: list[dict[str, object]] = [{}, {"type": "text", "enabled": True}]


def test_a_label_and_its_value_in_two_fields() -> None:
    for name, (label, secret), order, between in product(["name", "key", "field", "label"], LABELLED, [1, -1], BETWEEN):
        first, last = ((name, label), ("value", secret))[::order]
        fields = {"id": 7, first[0]: first[1], **between, last[0]: last[1], "kind": "plain"}
        for indent in (None, 2):
            source = json.dumps({"spec": {"env": [{"name": "PORT", "value": "80"}, fields]}}, indent=indent)
            read = [reader.extract(source.encode()).text for reader in (json_values, yaml_values)]
            assert all(secret in text for text in read)
            assert left_in([source, *read]) == []
        rows = "\n    ".join(f"{key}: {value}" for key, value in fields.items())
        source = f"env:\n  - {rows}\n"
        assert left_in([source, yaml_values.extract(source.encode()).text]) == []


MAPPINGS = [
    "password:\n  value: {}\n",
    "password: {{value: {}}}\n",
    "outputs:\n  db_password:\n    sensitive: true\n    type: string\n    value: {}\n",
    '{{"outputs": {{"db_password": {{"value": "{}", "type": "string"}}}}}}',
    '{{"db_password": {{"sensitive": true, "type": "string", "value": "{}"}}}}',
]


def test_a_value_inside_the_mapping_of_its_label() -> None:
    sources = [source.format(PASSWORD) for source in MAPPINGS]
    assert left_in([*sources, *(yaml_values.extract(source.encode()).text for source in sources)]) == []
    assert gone(f"a.db_password.value: {PASSWORD}\n")
    assert gone(f'variable "db_password" {{\n  type = string\n  default = "{PASSWORD}"\n}}\n')


ROWS = [
    *("| DB_PASSWORD | {p} |", "| db_password | `{p}` | x |", "DB_PASSWORD | {p}", "| dbPassword | {p} |"),
    *("DB_PASSWORD,{p}", "password;{p}", '"Wifi password","{p}"', "DB_PASSWORD\t{p}", "password,{p},note"),
    *("API key,{t}", "weather_token;{t};x", "| API_KEY | {t} |"),
]
DEFINITIONS = [
    *("- password :: {p}", "password:: {p}", "wifi password::  {p}", "- pw {p}", "* pw {p}", "+ pw {p}", "1. pw {p}"),
]


def test_a_label_and_its_value_in_two_cells_or_a_definition() -> None:
    rows = [row.format(p=PASSWORD, t=TOKEN) for row in ROWS]
    assert left_in([*rows, *(f"NAME,VALUE\nPORT,80\n{row}\nHOST,server\n" for row in rows)]) == []
    lines = [line.format(p=PASSWORD) for line in DEFINITIONS]
    assert left_in([*lines, *(f"* Wifi\n{line}\n- more\n" for line in lines)]) == []


def test_fields_and_cells_without_a_secret_stay() -> None:
    assert changed(HARMLESS) == []


HARMLESS = [
    "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: app2024x\n",
    "env[0].name: DB_PASSWORD; env[0].value: ${{DB_PASSWORD}}; env[1].name: PORT; env[1].value: tcp8080x",
    "- name: DB_PASSWORD\n- name: HOST\n  value: server2024\n",
    '{"key": "token", "value": "string"}',
    "password:\n  value: required\n",
    "tokens:\n  default: 4096\n",
    "value: release2024\nname: server\npassword: ${PASSWORD}\n",
    "password,required\npassword,email,name\n",
    "password,username,server\n",
    "Give user, password,and press return2day now",
    "pass,fail2024x and more\n",
    "| password_policy | strict |",
]


def test_a_record_below_a_header_loses_no_more_than_its_secret() -> None:
    for sign in (";", ",", "\t", "|"):
        text = sign.join(("site", "user", "password")) + "\n" + sign.join(("shop", "me", PASSWORD))
        assert redact_text(text)[0] == text.replace(PASSWORD, "[REDACTED:password-column]")
    assert gone(f"for you, the password:\n{PASSWORD}\n")


SENTENCES = ["Wifi password is {}", "the password is {}.", "Das Passwort ist {}\n", "PW ist {}"]
DESCRIPTIONS = [
    *("Pflicht", "Pflichtfeld", "Chefsache", "Voraussetzung", "Geheimnis", "Standard", "Unsinn", "Vertraulich"),
    *("Required", "Optional", "Disabled", "Missing", "Unknown", "Wrong", "Sicherheit", "Vergessen"),
    *("Abgelaufen", "Verschlüsselt", "Vertrauenssache", "Dasselbe"),
]


def test_a_noun_goes_if_it_is_the_password_and_stays_if_it_describes_it() -> None:
    assert [form for form in SENTENCES if NOUN in redact_text(form.format(NOUN))[0]] == []
    starts = ["Ein Passwort ist", "The password is"]
    assert changed([f"{start} {noun}." for start, noun in product(starts, DESCRIPTIONS)]) == []


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


FILE_NAMES = [
    *("password {p}.md", "pw {p}.txt", "Wifi PSK {p}.md", "API key {t}.md", "the password is sword{f}.md"),
    *("Server/password is {p}/a.md", "login ilse/password {p}", "DB_PASSWORD,{p}.csv"),
]


def test_a_secret_in_a_file_name_is_recognised_and_not_shown() -> None:
    for path in (name.format(p=PASSWORD, t=TOKEN, f="fish") for name in FILE_NAMES):
        assert names_secret(path) and names_secret(f"a/{path}"), path
        shown = redact_path(path)
        assert "REDACTED" in shown and not any(secret in shown for secret in (PASSWORD, TOKEN, "fish"))


def test_characters_of_no_width_hide_nothing() -> None:
    token = "gh" + "p_" + some(Random(3), HEX, 36)
    for sign in ("\u200b", "\u200c", "\u00ad", "\u2060", "\ufeff"):
        for at in range(1, len(token)):
            left = redact_text(f"before\nIt is {token[:at]}{sign}{token[at:]} now\n{sign}after")[0]
            assert left == f"before\nIt is [REDACTED:github-token] now\n{sign}after"
        assert gone(f"pass{sign}word: {PASSWORD}") and gone(f"password: {sign}{PASSWORD[:5]}{sign}{PASSWORD[5:]}")
        assert changed([f"The gar{sign}den is {sign}green.\n"]) == []
