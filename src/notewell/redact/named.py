"""The secrets that only a name before them gives away: assigned, told in a sentence, on the next line, or near it."""

from __future__ import annotations

from notewell.redact.names import LIST, MORE, PASSWORD, PASSWORD_KEYS, SECRET, SECRET_KEYS, SIGN, VALUE, password_in
from notewell.redact.rule import Ahead, Made, Rule, any_case, one_of, some, written
from notewell.redact.values import (
    holds_password,
    holds_token,
    is_anonymous,
    is_key,
    is_password,
    is_plain_password,
    is_strong,
    is_token,
)

NAMED: tuple[Rule, ...] = (
    Rule(
        "password",
        PASSWORD_KEYS,
        any_case(PASSWORD + MORE + SIGN + VALUE),
        one_of(
            password_in("DB_PASSWORD=<>"),
            password_in('"password": "<>"'),
            password_in("Passwort: <>"),
            password_in("**PW:** <>"),
        ),
        check=is_password,
        sure=True,
    ),
    Rule(
        "secret",
        SECRET_KEYS,
        any_case(SECRET + MORE + SIGN + VALUE),
        one_of(written("API_KEY=«{a32}»"), written('"client_secret": "«{s40}»"'), written("auth-token: «{h40}»")),
        check=is_token,
    ),
    Rule(
        "password-list",
        PASSWORD_KEYS,
        any_case(PASSWORD + LIST),
        one_of(
            password_in('"passwords": ["<>", "<>"]'), password_in("passwords:\n  - <>\n"), password_in("pwds = ['<>']")
        ),
        check=holds_password,
        whole=True,
    ),
    Rule(
        "secret-list",
        SECRET_KEYS,
        any_case(SECRET + LIST),
        one_of(written('"tokens": [\n  "«{a32}»",\n  1\n]'), written("api_keys:\n- «{h40}»\n")),
        check=holds_token,
        whole=True,
    ),
    Rule(
        "password-in-prose",
        PASSWORD_KEYS,
        any_case(
            PASSWORD
            + r"[\"'`*_]{0,3}(?:(?:[ \t]\([^)\n]{1,30}\)|[ \t](?:for|of|to|on|in|at|für|fürs|zum|zur|vom|von|am|im)"
            r"(?:[ \t][\w'’.-]{1,20}){1,4})[ \t]{0,2}[:=]|(?:[ \t](?!is\b|ist\b|was\b|are\b)[\w'’.-]{1,20}){0,6}?[ \t]"
            r"(?:is|ist|lautet|was|war|est|es|är|to|auf)[:=]?)(?:[ \t](?:now|still|jetzt|nun|set to|always|just))?[ \t]"
            r"[*_(]{0,3}(?:[\"“„'‘`](?P<quoted>[^\s\"”“'’`\n]{4,128})[\"”“'’`]"
            r"|(?P<bare>[^\s\"'`<>()\[\]|,;*]{4,128}+)(?=[*_)\]\"']{0,3}(?:[\s.,;(|]|$)))"
        ),
        one_of(
            password_in("the password is <>."),
            password_in("Das Passwort lautet <>"),
            password_in("The password for the cellar was <>, then"),
        ),
        check=is_strong,
    ),
    Rule(
        "password-word-in-prose",
        PASSWORD_KEYS,
        any_case(
            PASSWORD + r"[\"'`*_]{0,3}(?:[ \t](?:for|of|to|für|fürs|zum|zur|vom|von)(?:[ \t][\w'’-]{1,16}){1,4}?)?[ \t]"
            r"(?:is|ist|lautet|was|war)[:=]?(?:[ \t](?:now|still|jetzt|nun))?[ \t]"
            r"(?:[*_]{0,2}[\"“„'‘`](?P<quoted>[^\s\"”“'’`\n]{6,64})[\"”“'’`]"
            r"|[*_]{1,2}(?P<bold>\w{4,32})[*_]|(?P<bare>[a-zà-ž]{5,32}))"
            r"(?=[*_)]{0,3}[.,;!]?[\"')\]]{0,3}(?:\s{0,8}$|[ \t]{0,8}[\r\n|\t]|[,;]|(?<=\])\(|(?<=[.;!,])[ \t]))"
        ),
        lambda chance: Made("the password is " + (word := some(chance, "bdfgkmpz", 8)) + ".", word),
        check=is_plain_password,
    ),
    Rule(
        "password-on-next-line",
        PASSWORD_KEYS,
        any_case(
            r"(?!pass[ \t]*\r?\n)"
            + PASSWORD
            + r"[\w )(]{0,24}+[\"'`*_]{0,3}[ \t]?[:：=]?[*_]{0,2}[ \t]?(?:[>|][+-]?)?[ \t]{0,4}(?:<br ?/?>)?\r?\n"
            r"(?:[ \t]{0,8}\r?\n)?(?:[ \t>]{0,8}```\w{0,10}\r?\n)?[ \t>]{0,16}"
            r"(?:[-*+][ \t]{1,3})?[\"'`*_]{0,3}(?![!#\[\\$@]|\w{1,40}=)"
            r"(?P<secret>[^\s\"'`|<>]{6,256}+)(?=[\"'`*_]{0,3}[ \t]{0,4}(?:\r?\n|$))"
        ),
        one_of(password_in("Password:\n<>\n"), password_in("**Passwort**\n\n    <>\n")),
        check=is_strong,
        alone=True,
    ),
    Rule(
        "secret-on-next-line",
        SECRET_KEYS,
        any_case(
            SECRET + r"[\w )(]{0,24}+[\"'`*_]{0,3}[ \t]?[:：=]?[*_]{0,2}[ \t]?(?:[>|][+-]?)?[ \t]{0,4}\r?\n"
            r"(?:[ \t]{0,8}\r?\n)?(?:[ \t>]{0,8}```\w{0,10}\r?\n)?[ \t>]{0,16}(?:[-*+][ \t]{1,3})?[\"'`*_]{0,3}"
            r"(?![!#\[\\$@]|\w{1,40}=)(?P<secret>[^\s\"'`|<>]{16,512}+)(?=[\"'`*_]{0,3}[ \t]{0,4}(?:\r?\n|$))"
        ),
        written("API key:\n«{a32}»\n"),
        check=is_key,
        alone=True,
    ),
)

# Last, since every other rule has a better name for what it finds.
NEAR: tuple[Rule, ...] = (
    Rule(
        "secret-near-name",
        (*SECRET_KEYS, "pass", "credential"),
        any_case(
            rf"(?:{SECRET}|(?<![\w.-])key|pass(?:word|code|phrase)|credentials?)(?![a-z])"
            # Up to eight words between, on one line or over its end, none of which says what else it may be.
            r"(?:[\"'`*_:=,.()|>]{0,4}(?:[ \t]|\n(?!\n)){1,3}[(\"'*_`]{0,2}(?!\S{0,40}(?:hash|sum|sha\d|md5"
            r"|commit|version|\bid\b|thumbprint|fingerprint))"
            r"[\w'’/-]{1,15}+){0,8}?"
            r"[\"'`*_:=,.()|>]{0,4}\s{1,4}[\"'`*_(<]{0,3}(?P<secret>[A-Za-z0-9+/_-]{20,512}+={0,2})(?![\w./\\:-]*[./\\(]\w)"
        ),
        one_of(written("The key for the weather service was «{h32}»"), written("token (valid till May) «{a40}»")),
        check=is_anonymous,
        ahead=Ahead(r"[A-Za-z0-9+/_-]{20}", 300),
    ),
)
