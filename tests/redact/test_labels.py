"""Secrets by their form and by a label before them: what is redacted, exactly, and what stays."""

from __future__ import annotations

from itertools import product
from random import Random

from tests.redact.made_up import ALNUM, some

from notewell.redact import redact_text

DASHES = "-" * 5
PRIVATE = "PRIVATE" + " KEY"
PASSWORD = "-".join(("Tr0ub4dor", "3"))


def redacted(text: str) -> str:
    return redact_text(text)[0]


def changed(texts: list[str]) -> list[str]:
    """Return the texts that redaction changes."""
    return [text for text in texts if redact_text(text) != (text, ())]


def pem(kind: str = "", lines: int = 6, end: str = "\n") -> tuple[str, str]:
    body = end.join("Q7" + "aB12" * 15 for _ in range(lines))
    return f"{DASHES}BEGIN {kind}{PRIVATE}{DASHES}{end}{body}", f"{end}{DASHES}END {kind}{PRIVATE}{DASHES}"


def test_private_keys_of_every_kind_go() -> None:
    kinds = ["RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", ""]
    assert [kind for kind in kinds if redacted("".join(pem(kind))).strip() != "[REDACTED:private-key]"] == []


def test_a_pgp_private_block_goes_with_its_headers() -> None:
    block = "".join(pem("PGP ")).replace(PRIVATE, PRIVATE + " BLOCK").replace("\n", "\nVersion: GnuPG v2\n\n", 1)
    assert redacted(block).strip() == "[REDACTED:private-key]"
    assert "aB12" not in redacted(block.partition(f"\n{DASHES}END")[0])


def test_a_private_key_cut_off_before_its_end_goes_too() -> None:
    key, _ = pem(lines=2)
    assert redacted(f"{key}\n\nAnd then some text.\n") == "[REDACTED:private-key]\n\n\n\nAnd then some text.\n"


def test_a_private_key_with_other_line_ends_goes() -> None:
    ends = ["\\n", "\\\\n", " ", "\r\n", "\n> ", "\n    "]
    keys = [key for end in ends for key in ("".join(pem(end=end)), pem(end=end)[0])]
    assert [key for key in keys if "aB12" in redacted(f'{{"key": "{key}"}}')] == []


def test_a_public_key_stays() -> None:
    assert changed(["".join(pem()).replace("PRIVATE", "PUBLIC")]) == []


def test_an_aws_secret_is_recognised_by_its_label() -> None:
    secret = "Q7" + "aB12" * 9 + "/x"
    assert [redacted(label + secret) for label in AWS_LABELS] == [
        label + "[REDACTED:aws-secret-key]" for label in AWS_LABELS
    ]


AWS_LABELS = [
    *("AWS_SECRET_ACCESS" + "_KEY=", "aws.secret" + "Key: ", '"awsSecretAccess' + 'Key": "', "AWS secret access key: "),
]
LABELS = [
    *("password", "Password", "DB_PASSWORD", "db.password", "passwd", "pwd", "passphrase", "Passwort", "Kennwort"),
    "spring.datasource.password",
]
SIGNS = [": ", "=", " = ", ":", " := ", " => "]
BOLD_LABELS = ["**Password:** ", "**Password**: ", "*Password:* ", "- **password:** ", "__Password__: "]


def test_a_password_goes_whatever_its_label() -> None:
    starts = [f"{label}{sign}" for label, sign in product(LABELS, SIGNS)]
    assert [start for start in starts if redacted(start + PASSWORD) != f"{start}[REDACTED:password]"] == []
    assert [label for label in BOLD_LABELS if PASSWORD in redacted(label + PASSWORD)] == []


def test_quotes_around_a_password_stay() -> None:
    for quote in ('"', "'", "`"):
        assert redacted(f"password = {quote}{PASSWORD}{quote}") == f"password = {quote}[REDACTED:password]{quote}"
    assert redacted(f'{{"password": "{PASSWORD}"}}') == '{"password": "[REDACTED:password]"}'


COMMON_WORDS = [
    *("the-cat-in-1987", "secret!2024", "my.dog.rex.77", "none-of-them-9", "password-2024!", "string_quartet-5"),
    *("Change.2024.now", "hunter2,again", "hunter2;again"),
]


def test_a_password_that_begins_with_a_common_word_or_contains_a_comma_goes_whole() -> None:
    ends = {value: value[-5:] for value in COMMON_WORDS}
    assert [value for value, end in ends.items() if end in redacted(f"password: {value}\n")] == []


def test_a_long_password_or_one_with_spaces_in_quotes_goes_whole() -> None:
    for value in ("x7" * 100, f'"{"x7" * 100}"', "'correct horse battery staple'", '"hunter2,again;(now)"'):
        quote = value[0] if value[0] in "'\"" else ""
        assert redacted(f"password: {value}") == f"password: {quote}[REDACTED:password]{quote}"


def test_a_secret_that_is_longer_than_any_pattern_goes_whole() -> None:
    assert redacted(f"API_KEY={some(Random(0), ALNUM, 4000)} end") == "API_KEY=[REDACTED:secret] end"
    value = some(Random(1), ALNUM, 1000)
    for text in ("tool --password {} x", "machine a.org login ilse password {}", "the password is {}.", "key: {}."):
        left = redacted(text.format(value))
        assert value[-8:] not in left and left[-1] == text[-1].replace("}", "]"), text


def test_a_value_in_quotes_goes_however_long_it_is() -> None:
    for quote, length in product(('"', "'", "`"), (511, 513, 700, 5000)):
        value = some(Random(length), ALNUM, length)
        assert redacted(f"api_key = {quote}{value}{quote}\n") == f"api_key = {quote}[REDACTED:secret]{quote}\n"
        gone = f"password: {quote}[REDACTED:password]{quote}"
        assert redacted(f"password: {quote}{value} {value}{quote}") == gone
        if quote != "`":
            assert redacted(f"password: {quote}{value}\\{quote}{value}{quote}") == gone
            flag = f"tool --password {quote}[REDACTED:password-flag]{quote} x"
            assert redacted(f"tool --password {quote}{value}{quote} x") == flag


PLACEHOLDERS = [
    *("<password>", "<your password here>", "${PASSWORD}", "$PASSWORD", "$(pass show mail)", "{{ password }}"),
    *("%PASSWORD%", "YOUR_PASSWORD", "your-password", "YOUR-PASSWORD-HERE", "change-me", "xxxx", "XXXXXXXX"),
    *("********", "...", "null", "None", "true", "string", "example", "password", "getPassword()"),
    *("get_password(user)", "os.environ['PASSWORD']", "process.env.PASSWORD", "config.password", "settings.password"),
    *("[REDACTED:password]", '"${PASSWORD}"', '"<password>"', '"YOUR_PASSWORD"', "'xxxxxxxx'"),
]
PROSE = [
    "The password is in the safe.",
    "Forgot your password? Ask Ilse.",
    "Password rules: twelve signs, no words.",
    "## Passwords\n\nThey are kept in a manager.",
    "a task-force and a risk-averse desk-bound clerk",
    "the bearer of good news came early in the morning",
    "pwd\ncd /srv",
    "eyJust a word",
    "git commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    '{"password": ["This field is required."], "token": ["expired", "missing"]}',
    "Passwords:\n- are long\n- are not words\n",
    "passwords: [required, optional]",
    "tokens:\n- id\n- name\n",
]


def test_placeholders_and_prose_stay() -> None:
    assert changed([f"password: {value}\n" for value in PLACEHOLDERS]) == []
    assert changed(PROSE) == []


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


def test_every_value_of_a_list_of_secrets_goes() -> None:
    passwords = ("Xk9!" + "vmQa2", "Qr7?" + "tt-Lm")
    tokens = [some(Random(seed), ALNUM, 32) for seed in range(2)]
    for form in LISTS:
        left = redacted(form.format(*passwords))
        assert not any(secret in left for secret in passwords), form
        assert left.count("\n") == form.count("\n") and "port" in left
        left = redacted(form.replace("passwords", "api_tokens").replace("password[", "token[").format(*tokens))
        assert not any(secret in left for secret in tokens), form
