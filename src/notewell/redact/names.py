"""The names that secrets go by, the signs after them, and the values that may follow."""

from __future__ import annotations

from random import Random

from notewell.redact.rule import LOWER, Example, Made, some
from notewell.redact.values import stands_in

# The names of a password, in the languages in which people keep notes.
PASSWORD = (
    r"(?:pass(?:wor[dt]|wd|phrase|code|key)s?(?![a-z]{2})"
    r"|(?:(?-i:(?<![A-Za-z])|(?<=[a-z])(?=P))|(?<=require))pass(?![a-z])|pwds?|kennwort"
    r"|(?-i:(?<![A-Za-z])|(?<=[a-z])(?=P))(?:pw|psk)(?![a-z])|contraseña|mot de passe|wachtwoord|senha|lösenord"
    r"|parola(?![a-z])|hasło|пароль|密码|密碼|パスワード)"
)
PASSWORD_KEYS = (
    *("pass", "pwd", "kennwort", "contraseña", "mot de passe", "wachtwoord", "senha", "lösenord", "parola", "hasło"),
    *("пароль", "密码", "密碼", "パスワード", "psk", "pw:", "pw=", "pw ", "pw*", "pw_", "pw`", 'pw"', "pw'", "pw\n"),
)
# The names of tokens and keys. `key` alone is the key of a map, or of a keyboard.
_BEFORE_KEY = [
    "api",
    "access",
    "account",
    "secret",
    "private",
    "auth",
    "encryption",
    "signing",
    "master",
    "shared",
    "session",
    "service",
    "consumer",
    "app",
]
SECRET = (
    r"(?:(?<!publickey)token(?![a-z]{2})|secret(?![a-z]{3})|(?:"
    + "|".join(rf"(?<={word})|(?<={word}[_ .-])" for word in _BEFORE_KEY)
    + r")key(?![a-z]{2})|schlüssel|clé api)"
)
SECRET_KEYS = ("token", "secret", "key", "schlüssel", "clé api")
# How the name may go on: password2, token_value, secretAccessKey, api_key_base64, tokens[0], password.value.
MORE = (
    r"(?:[_-]?(?:key|access[_-]?key|token|value|base64|b64|prod|dev|live|[a-z]?\d{1,2})){0,2}(?:s?\[\d{1,6}\])?"
    r"(?:\.(?:value|default))?"
)
# The sign may stand inside or outside of quotes, of bold, of italics or of a cell: **Password:** or "password":
SIGN = (
    r"[\"'`*_\])]{0,4}[ \t]{0,8}"
    r"(?::[ \t]?\w{2,16}[ \t]?=|:=|=>|={1,3}|::(?=[ \t])|[:：]|->|→|[—–](?=[ \t]))"
    r"[*_]{0,2}[ \t]{0,8}(?:[rbuf@](?=[\"']))?"
)
# A value in quotes may hold anything; a bare one ends at a space, is no call, and is no word of a sentence.
# However long: no other value in such quotes can begin before they end, so that no text takes long.
_QUOTED = (
    r"\"(?P<double>(?=[^\"\n]{4})[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+)\"|'(?P<single>(?=[^'\n]{4})[^'\\\n]*+(?:\\.[^'\\\n]*+)*+)'"
    r"|`(?P<code>[^`\n]{4,}+)`"
)
# Signs that end a sentence or a clause are part of the value only if it goes on behind them.
_BARE = (
    # A number in JSON is a count, or a place in a list.
    r"(?!(?:(?<=\":)|(?<=\": ))\d+[,}\s])"
    r"(?![A-Za-z-]{1,40}[.,:;]?[ \t]+[^\s#|/<])"
    r"(?P<bare>(?:[^\s\"'`()|<;&.,:*\]]|\](?!\()|[.,:;&*]{1,8}+(?=[^\s\"'`()|<.,:;&*])(?!(?<=[;&])[\w ]{1,40}=)|<(?!/"
    r"|br)){4,512}+)(?![(\[])"
)
VALUE = rf"(?:{_QUOTED}|[*_]{{0,2}}{_BARE})"
# The values of a list in JSON or YAML, in brackets or each on a line with a dash.
_ITEM = r"(?:\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+\"|'[^'\n]*+'|[^\s\"'`,\[\]{}#-][^\s\"'`,\[\]{}]{0,512}+)"
LIST = (
    r"s?[\"'`*_]{0,3}[ \t]{0,8}[:=][ \t]{0,8}"
    rf"(?:\[\s{{0,200}}+(?P<row>{_ITEM}(?:\s{{0,200}}+,\s{{0,200}}+{_ITEM})*+)"
    rf"|\r?\n[ \t]{{0,40}}-[ \t]{{1,8}}(?P<lines>{_ITEM}(?=[ \t]*(?:\r?\n|$))"
    rf"(?:[ \t]*\r?\n[ \t]{{0,40}}-[ \t]{{1,8}}{_ITEM}(?=[ \t]*(?:\r?\n|$)))*+))"
)


def _word(chance: Random) -> str:
    """Return a password as people make them: a word with a capital, a number, a sign."""
    word = some(chance, LOWER, 5).capitalize() + chance.choice("!-.#_") + some(chance, LOWER, 4)
    password = word + str(chance.randint(10, 99))
    # One in a thousand has `key` or the like in it, and is what slips: a name for a password, and none.
    return _word(chance) if stands_in(password) else password


def password_in(form: str) -> Example:
    """Return a maker that sets a password into a form, in place of `<>`."""

    def make(chance: Random) -> Made:
        secret = _word(chance)
        return Made(form.replace("<>", secret), secret)

    return make
