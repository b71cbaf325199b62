from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from notewell.redact import RULES, redact_text
from notewell.redact.rule import ALNUM, Made, Rule, some

from .held_out import LATE_NEGATIVES, LATE_POSITIVES, NEGATIVES, POSITIVES, SLIPS, made

DASHES = "-" * 5
PRIVATE = "PRIVATE" + " KEY"
KINDS = tuple(rule.name for rule in RULES)
TOKENS = tuple(rule.name for rule in RULES if rule.sure)

Plant = Callable[..., Made]


def redacted(text: str) -> str:
    return redact_text(text)[0]


def test_every_rule_has_a_name_of_its_own() -> None:
    assert len(set(KINDS)) == len(KINDS)


def test_every_rule_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "concepts" / "redaction.md").read_text(encoding="utf-8")
    assert [kind for kind in KINDS if f"`{kind}`" not in page] == []
    assert f"{len(RULES)} rules" in page


@pytest.mark.parametrize("rule", RULES, ids=KINDS)
def test_every_example_holds_a_keyword_of_its_rule(rule: Rule) -> None:
    chance = Random(1)
    for _ in range(20):
        text, secret = rule.example(chance)
        assert secret in text
        assert any(keyword in (text.lower() if rule.any_case else text) for keyword in rule.keywords)


@pytest.mark.parametrize("rule", RULES, ids=KINDS)
def test_keywords_are_such_as_the_search_for_them_can_find(rule: Rule) -> None:
    for keyword in rule.keywords:
        assert keyword == keyword.lower() or not rule.any_case
        assert len(keyword) >= 3 or not keyword.isascii()


@pytest.mark.parametrize("kind", KINDS)
def test_every_rule_takes_its_secrets_out_and_leaves_the_lines_around(plant: Plant, kind: str) -> None:
    for seed in range(20):
        planted = plant(kind, seed)
        out, redactions = redact_text(f"Before it.\n\n{planted.text}\n\nAfter it.")
        assert kind in {redaction.rule for redaction in redactions}
        assert out.startswith("Before it.\n") and out.endswith("\nAfter it.")
        assert not any(line in out for line in planted.secret.split("\n"))


AROUND = [
    "`{}`",
    *('"{}"', "'{}'", "> {}", "- {}", "| a | {} |", "({})", "<{}>", "**{}**", "_{}_", "{},", "It is {}.", "X={}"),
    *('{{"k": "{}"}}', '{{\\"k\\": \\"{}\\"}}', "x\\n{}\\ny", "k: {}", "https://a.org/?q={}&p=1", "a%3D{}"),
    "[a](https://a.org/{})",
]


@pytest.mark.parametrize("kind", TOKENS)
@pytest.mark.parametrize("around", AROUND)
def test_every_token_is_seen_through_what_is_around_it(plant: Plant, kind: str, around: str) -> None:
    for seed in range(3):
        secret = plant(kind, seed).secret
        assert secret[len(secret) // 2 :] not in redacted(around.format(plant(kind, seed).text))


@pytest.mark.parametrize("kind", TOKENS)
def test_escaped_underscores_hide_nothing(plant: Plant, kind: str) -> None:
    for seed in range(3):
        escaped = plant(kind, seed).text.replace("_", r"\_")
        assert escaped[len(escaped) // 2 :] not in redacted(f"It is {escaped} now")


@pytest.mark.parametrize("form", [*POSITIVES, *LATE_POSITIVES])
def test_what_people_write_down_goes(form: str) -> None:
    drawn = [made(form, Random(seed)) for seed in range(5)]
    caught = [one.secret not in redacted(one.text) for one in drawn]
    # What slips is listed, so that the list stays true in both directions.
    assert all(caught) != any(slip in form for slip in SLIPS)


@pytest.mark.parametrize("text", [*NEGATIVES, *LATE_NEGATIVES])
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact_text(text) == (text, ())


def pem(kind: str = "", lines: int = 6, end: str = "\n") -> tuple[str, str]:
    body = end.join("Q7" + "aB12" * 15 for _ in range(lines))
    return f"{DASHES}BEGIN {kind}{PRIVATE}{DASHES}{end}{body}", f"{end}{DASHES}END {kind}{PRIVATE}{DASHES}"


@pytest.mark.parametrize("kind", ["RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", ""])
def test_private_keys_of_every_kind_go(kind: str) -> None:
    assert redacted("".join(pem(kind))).strip() == "[REDACTED:private-key]"


def test_a_pgp_private_block_goes_with_its_headers() -> None:
    block = "".join(pem("PGP ")).replace(PRIVATE, PRIVATE + " BLOCK").replace("\n", "\nVersion: GnuPG v2\n\n", 1)
    assert redacted(block).strip() == "[REDACTED:private-key]"
    assert "aB12" not in redacted(block.partition(f"\n{DASHES}END")[0])


def test_a_private_key_cut_off_before_its_end_goes_too() -> None:
    key, _ = pem(lines=2)
    assert redacted(f"{key}\n\nAnd then some text.\n") == "[REDACTED:private-key]\n\n\n\nAnd then some text.\n"


@pytest.mark.parametrize("end", ["\\n", "\\\\n", " ", "\r\n", "\n> ", "\n    "])
def test_a_private_key_with_other_ends_of_line_goes(end: str) -> None:
    for key in ("".join(pem(end=end)), pem(end=end)[0]):
        assert "aB12" not in redacted(f'{{"key": "{key}"}}')


def test_a_public_key_stays() -> None:
    text = "".join(pem()).replace("PRIVATE", "PUBLIC")
    assert redacted(text) == text


@pytest.mark.parametrize(
    "name",
    ["AWS_SECRET_ACCESS" + "_KEY=", "aws.secret" + "Key: ", '"awsSecretAccess' + 'Key": "', "AWS secret access key: "],
)
def test_an_aws_secret_is_known_by_its_name(name: str) -> None:
    secret = "Q7" + "aB12" * 9 + "/x"
    assert redacted(name + secret) == name + "[REDACTED:aws-secret-key]"


def test_every_row_of_a_table_is_looked_at() -> None:
    rows = "".join(f"| mail | ilse{number} | Tr0ub4dor{number} |\n" for number in range(5))
    text = redacted(f"| Site | User | Password |\n|---|---|---|\n{rows}\n| a | b | Tr0ub4dor9 |\n")
    assert text.count("[REDACTED:password-column]") == 5
    assert "ilse4" in text and "Tr0ub4dor9" in text


def test_a_cell_with_an_escaped_bar_goes_whole() -> None:
    assert "b77" not in redacted("| Site | Password |\n|---|---|\n| mail | Tr0\\|b77 |\n")


def test_a_cell_that_ends_in_a_backslash_goes() -> None:
    assert "Tr0ub" not in redacted("| Site | Password |\n|---|---|\n| mail | Tr0ub4dor\\")


def test_a_row_in_the_middle_of_a_table_heads_nothing() -> None:
    text = "| Name | Kind |\n|---|---|\n| user | password |\n| mail2024 | text2024 |\n"
    assert redacted(text) == text


VALUE = "-".join(("Tr0ub4dor", "3"))


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "Password",
        "DB_PASSWORD",
        "db.password",
        "passwd",
        "pwd",
        "passphrase",
        "Passwort",
        "Kennwort",
        "spring.datasource.password",
    ],
)
@pytest.mark.parametrize("sign", [": ", "=", " = ", ":", " := ", " => "])
def test_a_password_goes_whatever_it_is_called(name: str, sign: str) -> None:
    assert redacted(f"{name}{sign}{VALUE}") == f"{name}{sign}[REDACTED:password]"


@pytest.mark.parametrize("quote", ['"', "'", "`"])
def test_quotes_around_a_password_stay(quote: str) -> None:
    assert redacted(f"password = {quote}{VALUE}{quote}") == f"password = {quote}[REDACTED:password]{quote}"
    assert redacted(f'{{"password": "{VALUE}"}}') == '{"password": "[REDACTED:password]"}'


@pytest.mark.parametrize(
    "label", ["**Password:** ", "**Password**: ", "*Password:* ", "- **password:** ", "__Password__: "]
)
def test_a_password_after_a_label_in_bold_goes(label: str) -> None:
    assert VALUE not in redacted(label + VALUE)


@pytest.mark.parametrize(
    "value",
    [
        "the-cat-in-1987",
        "secret!2024",
        "my.dog.rex.77",
        "none-of-them-9",
        "password-2024!",
        "string_quartet-5",
        "Change.2024.now",
    ],
)
def test_a_password_that_begins_with_a_common_word_goes(value: str) -> None:
    assert value not in redacted(f"password: {value}")


@pytest.mark.parametrize(
    "value", ["x7" * 100, f'"{"x7" * 100}"', "'correct horse battery staple'", '"hunter2,again;(now)"']
)
def test_a_long_password_or_one_with_spaces_in_quotes_goes_whole(value: str) -> None:
    quote = value[0] if value[0] in "'\"" else ""
    assert redacted(f"password: {value}") == f"password: {quote}[REDACTED:password]{quote}"


def test_a_secret_that_is_longer_than_any_pattern_goes_whole() -> None:
    assert redacted(f"API_KEY={some(Random(0), ALNUM, 4000)} end") == "API_KEY=[REDACTED:secret] end"


@pytest.mark.parametrize("value", ["hunter2,again", "hunter2;again"])
def test_a_password_with_a_comma_in_it_goes_whole(value: str) -> None:
    assert "again" not in redacted(f"password: {value}\n")


@pytest.mark.parametrize(
    "value",
    [
        "<password>",
        "<your password here>",
        "${PASSWORD}",
        "$PASSWORD",
        "$(pass show mail)",
        "{{ password }}",
        "%PASSWORD%",
        "YOUR_PASSWORD",
        "your-password",
        "YOUR-PASSWORD-HERE",
        "change-me",
        "xxxx",
        "XXXXXXXX",
        "********",
        "...",
        "null",
        "None",
        "true",
        "string",
        "example",
        "password",
        "getPassword()",
        "get_password(user)",
        "os.environ['PASSWORD']",
        "process.env.PASSWORD",
        "config.password",
        "settings.password",
        "[REDACTED:password]",
        '"${PASSWORD}"',
        '"<password>"',
        '"YOUR_PASSWORD"',
        "'xxxxxxxx'",
    ],
)
def test_a_placeholder_stays(value: str) -> None:
    assert redacted(f"password: {value}\n") == f"password: {value}\n"


@pytest.mark.parametrize(
    "text",
    [
        "The password is in the safe.",
        "Forgot your password? Ask Ilse.",
        "Password rules: twelve signs, no words.",
        "## Passwords\n\nThey are kept in a manager.",
        "a task-force and a risk-averse desk-bound clerk",
        "the bearer of good news came early in the morning",
        "pwd\ncd /srv",
        "eyJust a word",
        "git commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    ],
)
def test_prose_stays(text: str) -> None:
    assert redact_text(text) == (text, ())


@pytest.mark.parametrize("quote", ['"', "'", "`"])
@pytest.mark.parametrize("length", [511, 513, 700, 5000])
def test_a_value_in_quotes_goes_however_long_it_is(quote: str, length: int) -> None:
    value = some(Random(length), ALNUM, length)
    assert redacted(f"api_key = {quote}{value}{quote}\n") == f"api_key = {quote}[REDACTED:secret]{quote}\n"
    assert redacted(f"password: {quote}{value} {value}{quote}") == f"password: {quote}[REDACTED:password]{quote}"
    if quote != "`":
        escaped = f"{value}\\{quote}{value}"
        assert redacted(f"password: {quote}{escaped}{quote}") == f"password: {quote}[REDACTED:password]{quote}"
        assert redacted(f"tool --password {quote}{value}{quote} x") == (
            f"tool --password {quote}[REDACTED:password-flag]{quote} x"
        )


def test_what_a_pattern_cuts_off_goes_with_the_rest() -> None:
    value = some(Random(1), ALNUM, 1000)
    for text in ("tool --password {} x", "machine a.org login ilse password {}", "the password is {}.", "key: {}."):
        left = redacted(text.format(value))
        assert value[-8:] not in left and left[-1] == text[-1].replace("}", "]"), text


LISTS = [
    '{{"passwords": ["{}", "{}"], "port": 1}}',
    '{{\n  "passwords": [\n    "{}",\n    "{}"\n  ],\n  "port": 1\n}}',
    "passwords: [{}, {}]\nport: 1",
    "passwords:\n  - {}\n  - '{}'\nport: 1",
    "passwords:\n- {}\n- {}\nport: 1",
    'passwords[0]: "{}"\npasswords[1]: "{}"\nport: 1',
    "password[0]: {}\npassword[1]: {}\nport: 1",
    '\\"passwords\\": [\\"{}\\", \\"{}\\"], port: 1',
]


@pytest.mark.parametrize("form", LISTS)
def test_every_value_of_a_list_of_secrets_goes(form: str) -> None:
    passwords = ("Xk9!" + "vmQa2", "Qr7?" + "tt-Lm")
    left = redacted(form.format(*passwords))
    assert not any(secret in left for secret in passwords)
    assert left.count("\n") == form.count("\n") and "port" in left
    tokens = [some(Random(seed), ALNUM, 32) for seed in range(2)]
    left = redacted(form.replace("passwords", "api_tokens").replace("password[", "token[").format(*tokens))
    assert not any(secret in left for secret in tokens)


@pytest.mark.parametrize(
    "text",
    [
        '{"password": ["This field is required."], "token": ["expired", "missing"]}',
        "Passwords:\n- are long\n- are not words\n",
        "passwords: [required, optional]",
        "tokens:\n- id\n- name\n",
    ],
)
def test_a_list_of_what_is_said_of_secrets_stays(text: str) -> None:
    assert redact_text(text) == (text, ())
