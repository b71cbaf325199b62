"""Secrets that a label before them gives away: assigned, in a sentence, on the next line, or a few words later."""

from __future__ import annotations

from notewell.redact.rule import Ahead, Rule, any_case
from notewell.redact.values import (
    is_password,
    is_password_in_prose,
    is_surely_random,
    is_token,
    is_token_not_id,
    lists_password,
    lists_token,
    looks_like_password,
)

# Labels of passwords, in several languages.
PASSWORD = (
    r"(?:pass(?:wor[dt]|wd|phrase|code|key)s?(?![a-z]{2})"
    r"|(?:(?-i:(?<![A-Za-z])|(?<=[a-z])(?=P))|(?<=require))pass(?![a-z])|pwds?|kennwort"
    r"|(?-i:(?<![A-Za-z])|(?<=[a-z])(?=P))(?:pw|psk)(?![a-z])|contraseña|mot de passe|wachtwoord|senha|lösenord"
    r"|parola(?![a-z])|hasło|пароль|密码|密碼|パスワード)"
)
PASSWORD_KEYWORDS = (
    *("pass", "pwd", "kennwort", "contraseña", "mot de passe", "wachtwoord", "senha", "lösenord", "parola", "hasło"),
    *("пароль", "密码", "密碼", "パスワード", "psk", "pw:", "pw=", "pw ", "pw*", "pw_", "pw`", 'pw"', "pw'", "pw\n"),
)
# Labels of tokens and keys. `key` alone is the key of a map, or of a keyboard.
_BEFORE_KEY = [
    *("api", "access", "account", "secret", "private", "auth", "encryption", "signing", "master", "shared", "session"),
    *("service", "consumer", "app"),
]
SECRET = (
    r"(?:(?<!publickey)token(?![a-z]{2})|secret(?![a-z]{3})|(?:"
    + "|".join(rf"(?<={word})|(?<={word}[_ .-])" for word in _BEFORE_KEY)
    + r")key(?![a-z]{2})|schlüssel|clé api)"
)
SECRET_KEYWORDS = ("token", "secret", "key", "schlüssel", "clé api")
# How a label may continue: password2, token_value, secretAccessKey, api_key_base64, tokens[0], password.value.
MORE = (
    r"(?:[_-]?(?:key|access[_-]?key|token|value|base64|b64|prod|dev|live|[a-z]?\d{1,2})){0,2}(?:s?\[\d{1,6}\])?"
    r"(?:\.(?:value|default))?"
)
# The sign after a label, inside or outside of quotes, bold, italics or a cell: **Password:** or "password":
SIGN = (
    r"[\"'`*_\])]{0,4}[ \t]{0,8}"
    r"(?::[ \t]?\w{2,16}[ \t]?=|:=|=>|={1,3}|::(?=[ \t])|[:：]|->|→|[—–](?=[ \t]))"
    r"[*_]{0,2}[ \t]{0,8}(?:[rbuf@](?=[\"']))?"
)
# A quoted value may contain anything; a bare one ends at a space, and is neither a call nor a word of a sentence.
# Quoted values have no length limit: none can begin inside another, so no text takes long.
_QUOTED_VALUE = (
    r"\"(?P<double>(?=[^\"\n]{4})[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+)\"|'(?P<single>(?=[^'\n]{4})[^'\\\n]*+(?:\\.[^'\\\n]*+)*+)'"
    r"|`(?P<code>[^`\n]{4,}+)`"
)
# Punctuation is part of a bare value only if the value continues behind it.
_BARE_VALUE = (
    # A number in JSON is a count or an index.
    r"(?!(?:(?<=\":)|(?<=\": ))\d+[,}\s])"
    r"(?![A-Za-z-]{1,40}[.,:;]?[ \t]+[^\s#|/<])"
    r"(?P<bare>(?:[^\s\"'`()|<;&.,:*\]]|\](?!\()|[.,:;&*]{1,8}+(?=[^\s\"'`()|<.,:;&*])(?!(?<=[;&])[\w ]{1,40}=)|<(?!/"
    r"|br)){4,512}+)(?![(\[])"
)
VALUE = rf"(?:{_QUOTED_VALUE}|[*_]{{0,2}}{_BARE_VALUE})"
# The values of a list in JSON or YAML, in brackets or on lines that begin with a dash.
_LIST_ITEM = r"(?:\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+\"|'[^'\n]*+'|[^\s\"'`,\[\]{}#-][^\s\"'`,\[\]{}]{0,512}+)"
LIST = (
    r"s?[\"'`*_]{0,3}[ \t]{0,8}[:=][ \t]{0,8}"
    rf"(?:\[\s{{0,200}}+(?P<row>{_LIST_ITEM}(?:\s{{0,200}}+,\s{{0,200}}+{_LIST_ITEM})*+)"
    rf"|\r?\n[ \t]{{0,40}}-[ \t]{{1,8}}(?P<lines>{_LIST_ITEM}(?=[ \t]*(?:\r?\n|$))"
    rf"(?:[ \t]*\r?\n[ \t]{{0,40}}-[ \t]{{1,8}}{_LIST_ITEM}(?=[ \t]*(?:\r?\n|$)))*+))"
)

BY_LABEL: tuple[Rule, ...] = (
    Rule(
        "password",
        PASSWORD_KEYWORDS,
        any_case(PASSWORD + MORE + SIGN + VALUE),
        ("DB_PASSWORD=«{p}»", '"password": "«{p}»"', "Passwort: «{p}»", "**PW:** «{p}»"),
        check=is_password,
        certain=True,
    ),
    Rule(
        "secret",
        SECRET_KEYWORDS,
        any_case(SECRET + MORE + SIGN + VALUE),
        ("API_KEY=«{a32}»", '"client_secret": "«{s40}»"', "auth-token: «{h40}»"),
        check=is_token,
    ),
    Rule(
        "password-list",
        PASSWORD_KEYWORDS,
        any_case(PASSWORD + LIST),
        ('"passwords": ["«{p}»", "{p}"]', "passwords:\n  - «{p}»\n", "pwds = ['«{p}»']"),
        check=lists_password,
        all_or_nothing=True,
    ),
    Rule(
        "secret-list",
        SECRET_KEYWORDS,
        any_case(SECRET + LIST),
        ('"tokens": [\n  "«{a32}»",\n  1\n]', "api_keys:\n- «{h40}»\n"),
        check=lists_token,
        all_or_nothing=True,
    ),
    Rule(
        "password-in-prose",
        PASSWORD_KEYWORDS,
        any_case(
            PASSWORD
            + r"[\"'`*_]{0,3}(?:(?:[ \t]\([^)\n]{1,30}\)|[ \t](?:for|of|to|on|in|at|für|fürs|zum|zur|vom|von|am|im)"
            r"(?:[ \t][\w'’.-]{1,20}){1,4})[ \t]{0,2}[:=]|(?:[ \t](?!is\b|ist\b|was\b|are\b)[\w'’.-]{1,20}){0,6}?[ \t]"
            r"(?:is|ist|lautet|was|war|est|es|är|to|auf)[:=]?)(?:[ \t](?:now|still|jetzt|nun|set to|always|just))?[ \t]"
            r"[*_(]{0,3}(?:[\"“„'‘`](?P<quoted>[^\s\"”“'’`\n]{4,128})[\"”“'’`]"
            r"|(?P<bare>[^\s\"'`<>()\[\]|,;*]{4,128}+)(?=[*_)\]\"']{0,3}(?:[\s.,;(|]|$)))"
        ),
        ("the password is «{p}».", "Das Passwort lautet «{p}»", "The password for the cellar was «{p}», then"),
        check=looks_like_password,
    ),
    Rule(
        "password-word-in-prose",
        PASSWORD_KEYWORDS,
        any_case(
            PASSWORD + r"[\"'`*_]{0,3}(?:[ \t](?:for|of|to|für|fürs|zum|zur|vom|von)(?:[ \t][\w'’-]{1,16}){1,4}?)?[ \t]"
            r"(?:is|ist|lautet|was|war)[:=]?(?:[ \t](?:now|still|jetzt|nun))?[ \t]"
            r"(?:[*_]{0,2}[\"“„'‘`](?P<quoted>[^\s\"”“'’`\n]{6,64})[\"”“'’`]"
            r"|[*_]{1,2}(?P<bold>\w{4,32})[*_]|(?P<bare>[a-zà-ž]{5,32}))"
            r"(?=[*_)]{0,3}[.,;!]?[\"')\]]{0,3}(?:\s{0,8}$|[ \t]{0,8}[\r\n|\t]|[,;]|(?<=\])\(|(?<=[.;!,])[ \t]))"
        ),
        ("the password is «{k8}».",),
        check=is_password_in_prose,
    ),
    Rule(
        "password-on-next-line",
        PASSWORD_KEYWORDS,
        any_case(
            r"(?!pass[ \t]*\r?\n)"
            + PASSWORD
            + r"[\w )(]{0,24}+[\"'`*_]{0,3}[ \t]?[:：=]?[*_]{0,2}[ \t]?(?:[>|][+-]?)?[ \t]{0,4}(?:<br ?/?>)?\r?\n"
            r"(?:[ \t]{0,8}\r?\n)?(?:[ \t>]{0,8}```\w{0,10}\r?\n)?[ \t>]{0,16}"
            r"(?:[-*+][ \t]{1,3})?[\"'`*_]{0,3}(?![!#\[\\$@]|\w{1,40}=)"
            r"(?P<secret>[^\s\"'`|<>]{6,256}+)(?=[\"'`*_]{0,3}[ \t]{0,4}(?:\r?\n|$))"
        ),
        ("Password:\n«{p}»\n", "**Passwort**\n\n    «{p}»\n"),
        check=looks_like_password,
        outside_rows=True,
    ),
    Rule(
        "secret-on-next-line",
        SECRET_KEYWORDS,
        any_case(
            SECRET + r"[\w )(]{0,24}+[\"'`*_]{0,3}[ \t]?[:：=]?[*_]{0,2}[ \t]?(?:[>|][+-]?)?[ \t]{0,4}\r?\n"
            r"(?:[ \t]{0,8}\r?\n)?(?:[ \t>]{0,8}```\w{0,10}\r?\n)?[ \t>]{0,16}(?:[-*+][ \t]{1,3})?[\"'`*_]{0,3}"
            r"(?![!#\[\\$@]|\w{1,40}=)(?P<secret>[^\s\"'`|<>]{16,512}+)(?=[\"'`*_]{0,3}[ \t]{0,4}(?:\r?\n|$))"
        ),
        ("API key:\n«{a32}»\n",),
        check=is_token_not_id,
        outside_rows=True,
    ),
)

NEAR_LABEL: tuple[Rule, ...] = (
    Rule(
        "secret-near-name",
        (*SECRET_KEYWORDS, "pass", "credential"),
        any_case(
            rf"(?:{SECRET}|(?<![\w.-])key|pass(?:word|code|phrase)|credentials?)(?![a-z])"
            # Up to eight words between, over at most one line break, none of which says that it is something else.
            r"(?:[\"'`*_:=,.()|>]{0,4}(?:[ \t]|\n(?!\n)){1,3}[(\"'*_`]{0,2}(?!\S{0,40}(?:hash|sum|sha\d|md5"
            r"|commit|version|\bid\b|thumbprint|fingerprint))"
            r"[\w'’/-]{1,15}+){0,8}?"
            r"[\"'`*_:=,.()|>]{0,4}\s{1,4}[\"'`*_(<]{0,3}(?P<secret>[A-Za-z0-9+/_-]{20,512}+={0,2})(?![\w./\\:-]*[./\\(]\w)"
        ),
        ("The key for the weather service was «{h32}»", "token (valid till May) «{a40}»"),
        check=is_surely_random,
        ahead=Ahead(r"[A-Za-z0-9+/_-]{20}", 300),
    ),
)
