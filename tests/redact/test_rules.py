from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from notewell.redact import RULES, redact_text

DASHES = "-" * 5
KINDS = tuple(rule.name for rule in RULES)
BODY = "Q7" + "AB12" * 20

Plant = Callable[[str, str], str]


def redacted(text: str) -> str:
    return redact_text(text)[0]


@pytest.mark.parametrize("kind", KINDS)
def test_every_rule_takes_its_secret_out_of_a_sentence(plant: Plant, kind: str) -> None:
    text = f"Before it {plant(kind, BODY)} and after."
    out, (redaction,) = redact_text(text)
    assert redaction.rule == kind
    assert out.startswith("Before it ") and out.endswith(" and after.")
    assert f"[REDACTED:{kind}]" in out
    assert BODY[2:18] not in out


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("around", ["`{}`", '"{}"', "> {}", "- {}", "| {} |", "({})", "<{}>", "**{}**", "{},"])
def test_every_rule_sees_through_markup(plant: Plant, kind: str, around: str) -> None:
    assert BODY[2:18] not in redacted(around.format(plant(kind, BODY)))


@pytest.mark.parametrize(
    "start", ["sk-" + "svcacct-", "sk-" + "admin-", "sk-", "gh" + "o_", "gh" + "s_", "sk_" + "test_", "rk_" + "live_"]
)
def test_the_other_forms_of_a_vendor_go_too(start: str) -> None:
    assert redacted(start + BODY).startswith("[REDACTED:")


@pytest.mark.parametrize("start", ["whs" + "ec_", "xo" + "xp-", "xap" + "p-", "AS" + "IA"])
def test_webhook_user_app_and_session_keys_go_too(start: str) -> None:
    assert redacted(start + BODY[:16]).startswith("[REDACTED:")


@pytest.mark.parametrize("kind", ["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""])
def test_private_keys_of_every_kind_go(plant: Plant, kind: str) -> None:
    key = plant("private-key", BODY).replace("BEGIN ", f"BEGIN {kind}").replace("END ", f"END {kind}")
    assert redacted(key).strip() == "[REDACTED:private-key]"


def test_a_private_key_cut_off_before_its_end_goes_too(plant: Plant) -> None:
    key = plant("private-key", BODY).partition(f"\n{DASHES}END")[0]
    assert redacted(f"{key}\n\nAnd then some text.\n") == "[REDACTED:private-key]\n\n\n\nAnd then some text.\n"


def test_a_private_key_on_one_line_with_escaped_ends_goes(plant: Plant) -> None:
    key = plant("private-key", BODY).replace("\n", "\\n")
    assert redacted(f'{{"key": "{key}"}}') == '{"key": "[REDACTED:private-key]"}'


@pytest.mark.parametrize(
    "name", ["AWS_SECRET_ACCESS" + "_KEY=", "aws.secret" + "Key: ", '"awsSecretAccess' + 'Key": "']
)
def test_an_aws_secret_is_known_by_its_name(name: str) -> None:
    assert redacted(name + BODY[:40]).startswith(name + "[REDACTED:aws-secret-key]")


def test_an_aws_secret_named_as_the_console_names_it_goes() -> None:
    assert BODY[:40] not in redacted("AWS secret access" + " key: " + BODY[:40])


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


def test_long_lines_and_many_secrets_are_scanned_in_one_go() -> None:
    # In a process of its own: a pattern that runs away cannot be stopped from inside. All take a second.
    program = """
from notewell.redact import redact_text
many = "password: hunter2-again\\n" * 60_000
for run in ("a." * 200_000, "-a" * 200_000, "aws" * 100_000, "-----BEGIN PRIVATE" * 30_000, many):
    redact_text(run + " pwd password aws")
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=10)
