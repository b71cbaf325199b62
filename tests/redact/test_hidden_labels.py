"""Labels and values that markup, lists, tables, headings, languages or odd characters keep apart."""

from __future__ import annotations

import json
import unicodedata
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.redact.made_up import ALNUM, HEX, some, strong_password

from notewell.index.readers import json_values, yaml_values
from notewell.redact import LINE_IN_LINE, redact_text

SEEDS = st.integers(0, 10**6)
LABELS = ["Password", "PW", "Passwort", "Wifi password"]
# `~` is the label, `«»` the value.
MARKED_UP = [
    *("<b>~:</b> «»", "<strong>~</strong>: «»", "<span class='x'>~</span> «»", "<em>~</em> = «»", "<u>~</u>: «»"),
    *("<div>~</div><div>«»</div>", "<p>~</p>\n\n<p>«»</p>", "<b>~:</b><br>«»", "<h3>~</h3>\n<p>«»</p>"),
    *("<summary>~</summary>\n\n«»\n\n</details>", "<dl><dt>~</dt><dd>«»</dd></dl>", "- <li><b>~</b> &ndash; «»</li>"),
    *("~: <code>«»</code>", "~: <kbd>«»</kbd> and more", "| <b>~:</b> «» | x |", "| a<br>~: <code>«»</code> | x |"),
    *("<tr><th>~</th><td>«»</td></tr>", "<tr>\n  <td>~</td>\n  <td><code>«»</code></td>\n</tr>", "~&nbsp;&mdash; «»"),
    "<table>\n<thead><tr>\n<th>Site</th>\n<th>~</th>\n</tr></thead>\n<tbody>\n<tr><td>a</td>\n<td>«»</td></tr>\n</tbody></table>",
]
SETEXT = ["~\n====\n\n«»\n", "~\n--------\n«»\n", "> ~\n> ---\n> «»\n", "~\n~~~~~\n\n```\n«»\n```\n"]
TABLES = [
    *(
        "| ~ |\n|---|\n| «» |\n",
        "| ~ |\n| :-: |\n| a-word |\n| «» |\n",
        "| | ~ |\n|---|---|\n| | «» |\n",
        "|~|\n|-|\n|«»|",
    ),
    *("| Site | ~[^1] |\n|---|---|\n| a | «» |\n", "| Site | `~`* |\n|---|---|\n| a | «» |\n"),
    *("| Site | ~<br>(home) |\n|---|---|\n| a | «» |\n", "| Site | <b>~</b> |\n|---|---|\n| a | «» |\n"),
    *("~ | «»\n", "x\n\n~ | «»\n"),
]
SIGNS = ["~ - «»", "~ [admin]: «»", "~: («»)", "~: ||«»||", "~: ==«»==", "~ >> «»", "~ | «»", "ilse:«» (~)"]
LANGUAGES = [
    *("密码是«»", "密码：«»", "密碼為«»", "パスワードは«»です", "パスワード：«»", "비밀번호는 «»", "mot de passe : «»"),
    *("contraseña: «»", "senha: «»", "wachtwoord: «»", "hasło: «»", "пароль: «»", "mdp : «»", "Clave: «»"),
    *(
        "Das WLAN-Passwort heißt «»",
        "🔑 «»",
        "🔐 NAS: «»",
        "u: ilse\np: «»",
        "- user: ilse\n- p: «»",
        "users:\n- ilse:«»\n",
    ),
    *('{"type": "password", "val": "«»"}', "net use z: \\\\nas\\home «» /user:ilse", "#pw-«»"),
]
TOKENS = ["GitLab PAT: «»", "GITLAB_PAT=«»", "API キー：«»", "API密钥：«»", "clave API: «»", "токен: «»", "令牌是«»"]


def human(chance: Random) -> str:
    """Return a password as people make them, of words and a year."""
    return chance.choice(["Winter", "Garden"]) + str(chance.randint(1950, 2020)) + "Otter" + some(chance, "kmpz", 2)


@pytest.mark.parametrize("form", [*MARKED_UP, *SETEXT, *TABLES])
@given(SEEDS, st.sampled_from(LABELS), st.booleans())
def test_nothing_between_a_label_and_its_value_hides_either(form: str, seed: int, label: str, made: bool) -> None:
    secret = (human if made else strong_password)(Random(seed))
    note = f"# x\n\n{form.replace('~', label, 1).replace('«»', secret)}\n\nMore text.\n"
    out, redactions = redact_text(note)
    assert secret not in out
    # Markup around the secret stays.
    assert out == note.replace(secret, f"[REDACTED:{redactions[0].rule}]")


@pytest.mark.parametrize("form", SIGNS)
@given(SEEDS, st.sampled_from(LABELS), st.booleans())
def test_a_sign_or_a_remark_may_stand_between_them(form: str, seed: int, label: str, made: bool) -> None:
    secret = (human if made else strong_password)(Random(seed))
    assert secret not in redact_text(f"# x\n\n{form.replace('~', label, 1).replace('«»', secret)}\n")[0]


@pytest.mark.parametrize("form", LANGUAGES)
@given(SEEDS)
def test_a_password_has_a_name_in_many_languages(form: str, seed: int) -> None:
    secret = strong_password(Random(seed))
    assert secret not in redact_text(f"# x\n\n{form.replace('«»', secret)}\n")[0]


@pytest.mark.parametrize("form", TOKENS)
@given(SEEDS, st.sampled_from([ALNUM, HEX]))
def test_a_token_has_a_name_in_many_languages(form: str, seed: int, alphabet: str) -> None:
    secret = some(Random(seed), alphabet, 30) + "7a4b"
    assert secret not in redact_text(f"# x\n\n{form.replace('«»', secret)}\n")[0]


@given(SEEDS, st.sampled_from([*LANGUAGES[:7], "contraseña: «»", "🔑 «»"]), st.integers(1, 3))
def test_a_label_may_be_written_by_the_numbers_of_its_letters(seed: int, form: str, times: int) -> None:
    secret = strong_password(Random(seed))
    text = form.replace("«»", secret)
    for _ in range(times):
        text = json.dumps(text)
    assert secret not in redact_text(f"remark: {text}\n")[0]


BLANKS = [
    chr(code)
    for code in range(0x110000)
    if unicodedata.category(chr(code)) in ("Cc", "Cf", "Zs", "Zl", "Zp") and chr(code) not in f"\t\n\r {LINE_IN_LINE}"
] + ["\ufffc", "\ufffd", "\x1b[1m"]


@pytest.mark.parametrize("form", ["Password:_«»", "Password_: «»", "Password:_ _«»", "Pass_word: «»", "Password_is_«»"])
def test_no_blank_control_or_format_character_hides_a_secret(form: str) -> None:
    secret = strong_password(Random(form))
    text = form.replace("«»", secret)
    slips = [blank for blank in BLANKS if secret in redact_text(f"# x\n\n{text.replace('_', blank)}\n")[0]]
    assert len(BLANKS) > 150 and slips == []


@given(SEEDS, st.sampled_from(["stringData", "data"]), st.booleans(), st.sampled_from(["", "---\n", "a: b\n---\n"]))
def test_a_list_of_manifests_may_be_a_whole_file(seed: int, data: str, first: bool, before: str) -> None:
    secret = some(Random(seed), ALNUM, 18) + "7a"
    fields = {data: {"cookie": secret}}
    made = {**fields, "kind": "Secret"} if first else {"kind": "Secret", **fields}
    plain = {"kind": "ConfigMap", "data": {"a": "keep-this-one"}}
    text = json.dumps([plain, made, plain])
    for read in (json_values.extract(text.encode()).text, yaml_values.extract(f"{before}{text}".encode()).text):
        redacted = redact_text(read)[0]
        assert secret not in redacted and redacted.count("keep-this-one") == 2
    tagged = f"- {data}:\n    cookie: {secret}\n  kind: !!str Secret\n"
    assert secret not in redact_text(tagged)[0]
    assert secret not in redact_text(yaml_values.extract(f"{before}{tagged}".encode()).text)[0]


INNOCENT = [
    *(
        "The <b>password:</b> see <code>vault</code>.",
        "<b>Password</b> must have 12 characters.",
        "List<String> password",
    ),
    *(
        "<th>Password</th><td>required</td>",
        "Password\n--------\n\nChoose a good one.\n",
        "| Password |\n|---|\n| required |\n",
    ),
    *(
        "PAT: see below",
        "🔑 Key features of version 2.1",
        "users:\n- name: ilse\n- system:admin\n",
        "palabra clave: python",
    ),
    *("password-reset-2024", "Password - E2E-Verschlüsselungspasswort", "docker run -e PASSWORD=none neo4j:latest"),
    *("密码是必需的", "トークンは2048個です", "[0].kind: ConfigMap; [0].data.a: b"),
]


@pytest.mark.parametrize("text", INNOCENT)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert redact_text(f"# x\n\n{text}\n")[1] == ()
