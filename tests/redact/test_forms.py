"""The forms in which people write secrets: assignments, sentences, commands, files, a token on a line of its own."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.redact.made_up import ALNUM, DIGITS, LOWER, UPPER, some, strong_password

from notewell.redact import names_secret, redact_text

SEEDS = st.integers(0, 10**6)
SIGNS = "!@#$%^&*-+.?~"
ASSIGNED = [
    *('{} = "«»"', "{}: «»", '{} := "«»"', "{} ?= «»", '{} ::= "«»"', '{} :::= "«»"', '{} += "«»"', '${} .= "«»";'),
    *('{} ??= "«»"', "{} ||= '«»'", 'var {} string = "«»"', 'let {}: &str = "«»";', 'val {}: String = "«»"'),
    *(
        '{} = """«»"""',
        "{} = '''«»'''",
        '{} == "«»"',
        '{} !== "«»"',
        '"{}" => "«»"',
        '{{"{}": "«»"}}',
        "export {}='«»'",
    ),
    *('os.getenv("{}", "«»")', 'env.{} || "«»"', 'os.environ.get("{}") or "«»"', 'System.setProperty("{}", "«»")'),
    *('if ("«»" === {})', "<{0}>\n  «»\n</{0}>", '<add key="{}" value="«»" />', "---\ntitle: x\n{}: «»\n---\n"),
]
SAID = [
    *("The wifi password is «»", "the password for the NAS is «».", "Das Passwort lautet «», bitte merken."),
    *("«» is the password", "We use «» as password.", "I changed the password to «» yesterday."),
]
COMMANDS = [
    *("redis-cli -a '«»' ping", "curl -u ':«»' https://a.org", "curl -X POST \\\n  -u ilse:'«»' https://a.org"),
    *("mongosh -u ilse -p '«»'", "ConvertTo-SecureString '«»' -AsPlainText", "psexec host -u ilse -p '«»'"),
    *("db.example.org:5432:app:ilse:«»", "HTTPBasicAuth('ilse', '«»')", "user.setPassword('«»')"),
]
# What may stand between a label and its value, and around the value.
BETWEEN = [
    *(
        "** ",
        " - ",
        " -- ",
        " ..... ",
        ": ",
        ":" + " " * 30,
        " [wifi]: ",
        " (at home) = ",
        " » ",
        " was changed to ",
        "=\\\n",
    ),
    *(": &a ", ": !!str "),
]
AROUND = ["{}", "<b>{}</b>", "<code>{}</code>", "({})", "<{}>", "||{}||", '("{}")', 'new String("{}")', "`{}`"]
SEVERAL = ["{} / {}", "{}, {}", "{} or {}", "{} und {}", "{} (old: {})", "{}, new password {}", "`{}`, `{}`"]
POSITIONS = [
    *("unzip -P «» a.zip", "7z x -p«» a.7z", "echo «» | sudo -S ls", "echo '«»' | docker login --password-stdin"),
    *("net user ilse «» /add", "smbclient //a/b -U ilse%«»", "wpa-psk «»", "auth_pass «»", "username ilse secret «»"),
    *(
        "## Passwords\n\n- mail: «»\n- bank: «»\n",
        "Logins:\n1. mail «»\n",
        "# Passwords\n\n| a | b |\n|---|---|\n| c | «» |",
    ),
    *("«» # password", "«» (pw)", "«» <- wifi password", "ilse / «» (password)", "bank,password,«»", '{"token": "«»"}'),
    *("WLAN-Schlüssel: «»", "Wi-Fi key: «»", "WPA2: «»", "jelszó: «»", "비밀번호: «»", "pasword: «»"),
]


def mixed(chance: Random, length: int, alphabet: str = ALNUM) -> str:
    """Return random characters among which are digits, far from each other."""
    digits = chance.choices(DIGITS, k=3)
    return digits[0].join(
        (some(chance, alphabet, length // 3), *(digit + some(chance, alphabet, length // 3) for digit in digits[1:]))
    )


def password(chance: Random) -> str:
    """Return a random password with signs in it, which begins and ends with a letter."""
    inner = mixed(chance, 6, LOWER + UPPER + SIGNS)
    return f"{chance.choice(UPPER)}{inner}{chance.choice(SIGNS)}{chance.choice(LOWER)}"


def left(forms: list[str], secret: str) -> list[str]:
    """Return the forms in which the secret survives."""
    return [form for form in forms if secret in redact_text(form.replace("«»", secret))[0]]


@given(SEEDS, st.sampled_from(["weather_token", "API_KEY", "clientSecret", "adminPassword"]))
def test_a_secret_assigned_to_a_name_goes_whatever_the_sign(seed: int, name: str) -> None:
    chance = Random(seed)
    forms = [form.format(name) for form in ASSIGNED]
    assert left(forms, mixed(chance, chance.choice([18, 33, 60]), chance.choice([ALNUM, LOWER + DIGITS]))) == []


@given(SEEDS)
def test_a_password_with_signs_goes_from_sentences_and_commands(seed: int) -> None:
    assert left([*SAID, *COMMANDS], password(Random(seed))) == []


@given(SEEDS)
def test_a_token_goes_from_a_line_of_its_own_and_before_its_name(seed: int) -> None:
    token = mixed(Random(seed), 36)
    assert (
        left(["«»", "Notes:\n\n«»\n\nMore.", "- a\n- «»\n", "`«»`", "«» is the API key", "# «» is the token"], token)
        == []
    )
    # A file may be called anything, and a title or a field is always alone.
    assert names_secret(f"{token}.md") == "" and redact_text(token, alone=False) == (token, ())


@given(SEEDS)
def test_blocks_checksums_and_names_stay(seed: int) -> None:
    chance = Random(seed)
    lines = "\n".join(some(chance, ALNUM + "+/", 64) for _ in range(4))
    digest = some(chance, DIGITS + "abcdef", chance.choice([32, 40, 64]))
    texts = [lines, f"{digest}\n", f"image_{digest}\n", f"{digest[:8]}-{digest[8:12]}-4abc-9def-{digest[-12:]}\n"]
    assert [text for text in texts if redact_text(text) != (text, ())] == []


@given(SEEDS, st.sampled_from(["Password", "wifi pw", "api_token"]), st.sampled_from(BETWEEN), st.sampled_from(AROUND))
def test_a_strong_value_goes_whatever_stands_before_it(seed: int, label: str, between: str, around: str) -> None:
    secret = strong_password(Random(seed))
    text = f"{'**' * between.startswith('**')}{label}{between}{around.format(secret)}\n"
    assert secret not in redact_text(text)[0]


@given(SEEDS, st.sampled_from(SEVERAL))
def test_a_second_value_goes_too(seed: int, form: str) -> None:
    chance = Random(seed)
    first, second = strong_password(chance), strong_password(chance)
    out = redact_text(f"My password: {form.format(first, second)}.")[0]
    assert first not in out and second not in out


@given(SEEDS)
def test_a_strong_value_goes_from_commands_lists_and_before_its_name(seed: int) -> None:
    chance = Random(seed)
    assert left(POSITIONS, strong_password(chance)) == []
    assert left(["TOTP: «»", "otp seed = «»"], some(chance, UPPER, 12) + some(chance, "A2B3C4", 20) + "2Q7X") == []


@pytest.mark.parametrize("label", ["passwords", "secret", "token"])
@pytest.mark.parametrize("value", ["version2", "ilse@example2.org", "notes.md#line-12", "2026-11-16"])
def test_what_is_no_strong_value_stays_behind_a_loose_sign(label: str, value: str) -> None:
    text = f"The {label} of 12 users - {value} and others; {label} ..... {value}, {label} [see {value}]\n"
    assert redact_text(text) == (text, ())


@pytest.mark.parametrize("line", ["password = {}", "- Wifi password = {}", "**PW** = {}", "db.password = {}"])
def test_a_word_is_a_password_if_the_line_has_only_its_name(line: str) -> None:
    text = f"[db]\n{line}\n"
    assert redact_text(text.format("swordfish"))[0] == text.format("[REDACTED:password-word]")
    assert redact_text(text.format("required"))[0] == text.format("required")


def test_programs_stay() -> None:
    assert [text for text in PROGRAMS if redact_text(text) != (text, ())] == []


PROGRAMS = [
    "def f(user, password,\n      p2cread, p2cwrite,\n      c2pread, c2pwrite):\n    pass\n",
    "        (args, executable, pass_fds,\n         p2cread, p2cwrite,\n         c2pread, c2pwrite)\n",
    "NAMES = [\n    'passwd', 'peek4s', 'utf8',\n    'peek4u', 'peek8s', 'utf16',\n]\n",
    "user, password = split\n",
    "password = user_info\n",
    "    password = response\n",
    "self.password = response\n",
    "password = response or default\n",
    "password: HiddenText | None = None\n",
    "navigator.credentials.create({ password: credInit });\n",
    "To accept it, pass :class:`Login2` on.\n",
    "kwargs to pass to `httpx2.request`.\n",
    "credentials = standard_b64encode(credentials).decode('ascii')\n",
    "password = 1<<13,\n",
    "| `STENCIL_PASS_DEPTH_FAIL` | 0x0B95 | Passed on |\n",
    "START = '-----BEGIN PRIVATE KEY-----'\nEND = '-----END PRIVATE KEY-----'\n",
    "mount -o username=<User>,password=<Password>,uid=<UID>,file_mode=0777\n",
    "i32x4.extend_low_i16x8_s\n",
    "--3d6b6a416f9b5f--\n",
    "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ=\n",
]
