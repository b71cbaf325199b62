"""Labels and signs in other characters: wide spaces, full-width letters, entities of HTML."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from tests.redact.made_up import password, strong_password

from notewell.index.readers import csv_rows
from notewell.redact import redact_text

SEEDS = st.integers(0, 10**6)
SPACES = ["\u00a0", "\u202f", "\u2009", "\u2003", "\u200a", "\u3000", "\u205f", " "]
SPACED = [
    *("Mot de passe~: «»", "password:~«»", "password~=~«»", "The~wifi~password~is~«».", "Passwort für~NAS: «»"),
    *(
        "| Password~|~«»~|",
        "|~Site |~Password |\n|---|---|\n| a |~«» |",
        "DB_PASSWORD~:=~'«»'",
        "user ilse, password~«»",
    ),
    *("curl~-u~ilse:«»~https://a.org", "Password:~~\n«»\n", "mysql~-u~root~-p«»", "«»~is~the~password"),
]
SIGNS = ["&#58; ", "&#x3A;", "&colon; ", "&#61;", "&#x3d;", "&equals;", "&nbsp;: ", "&#160;=&nbsp;", ":&nbsp;"]


def wide(text: str) -> str:
    """Return a text in full-width letters."""
    return "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text)


@given(SEEDS, st.sampled_from(SPACES), st.sampled_from(SPACED))
def test_a_wide_space_is_a_space(seed: int, space: str, form: str) -> None:
    secret = password(Random(seed))
    note = f"# x\n\n{form.replace('~', space).replace('«»', secret)}\n"
    out, redactions = redact_text(note)
    assert secret not in out
    # All else stays as it is written.
    assert len(redactions) == 1 and out == note.replace(secret, f"[REDACTED:{redactions[0].rule}]")


@given(SEEDS, st.sampled_from(SPACES))
def test_a_wide_space_in_the_header_of_a_column_is_a_space(seed: int, space: str) -> None:
    secret = password(Random(seed))
    table = csv_rows.extract(f"site;mot{space}de{space}passe\na;{secret}\n".encode())
    assert secret not in redact_text(table.text)[0]


@given(
    SEEDS, st.sampled_from(["password", "PASSWORD", "wifi pw", "API_KEY"]), st.sampled_from([":", "：", "＝", " = "])
)
def test_full_width_letters_are_letters(seed: int, label: str, sign: str) -> None:
    secret = strong_password(Random(seed))
    assert secret not in redact_text(f"# x\n\n{wide(label)}{sign}{secret}\n")[0]


@given(SEEDS, st.sampled_from(["password", "Passwort", "db_pwd"]), st.sampled_from(SIGNS))
def test_an_entity_is_the_sign_it_means(seed: int, label: str, sign: str) -> None:
    secret = password(Random(seed))
    out = redact_text(f"<p>{label}{sign}{secret}</p>\n")[0]
    assert secret not in out and out.startswith(f"<p>{label}") and out.endswith("[REDACTED:password]</p>\n")


def test_texts_in_other_scripts_stay() -> None:
    texts = [
        "パスワードは　必要です。\n",
        "ＰＡＳＳ　２０２４年\n",
        "Le mot de passe\u00a0: voir le coffre.\n",
        "a&nbsp;b&#58;c\n",
    ]
    assert [text for text in texts if redact_text(text) != (text, ())] == []


BLANKS = [*SPACES, "\u2800", "\u3164", "\u1160", "\uffa0"]
UNSEEN = ["\u180e", "\u200b", "\u200d", "\u2060", "\u2063", "\u00ad", "\ufe0f", "\U000e0020"]


@given(SEEDS, st.sampled_from([*BLANKS, *UNSEEN]), st.sampled_from([form for form in SPACED if "\n" not in form]))
def test_whatever_looks_like_a_space_or_like_nothing_may_stand_for_each_space(seed: int, blank: str, form: str) -> None:
    secret = strong_password(Random(seed))
    text = form.replace("~", blank).replace(" ", blank).replace("«»", secret)
    assert secret not in redact_text(f"# x\n\n{text}\n")[0]


@given(SEEDS, st.sampled_from([*BLANKS[:-5], *BLANKS[-4:], *UNSEEN]), st.integers(1, 11))
def test_a_blank_inside_a_value_does_not_end_it(seed: int, blank: str, at: int) -> None:
    secret = strong_password(Random(seed))
    out = redact_text(f"# x\n\npassword: {secret[:at]}{blank}{secret[at:]}\n")[0]
    assert out == "# x\n\npassword: [REDACTED:password]\n"


def test_words_and_numbers_with_wide_spaces_between_them_stay() -> None:
    texts = [
        "The password is 12\u00a0characters long.\n",
        "password:\u00a0see\u00a0below\n",
        "Passwort: 8\u202fZeichen\n",
    ]
    assert [text for text in texts if redact_text(text) != (text, ())] == []
