"""Secrets recognisable by their own form, whoever issued them: keys, tokens, hashes, URLs with a password."""

from __future__ import annotations

import re
from base64 import b64encode

from notewell.redact.rule import START, Rule, any_case, exactly
from notewell.redact.values import is_login, is_password, is_token

_DASHES = "-" * 5
_KINDS = ("RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "")


def _wrapped(head: str) -> str:
    return b64encode(head.encode("ascii")).decode("ascii")[: len(head) * 4 // 3]


# Private keys encoded in base64 once more, as in kubeconfig files. Certificates begin alike, and are public.
_PEM_HEADS = [_wrapped(f"{_DASHES}BEGIN {kind}PRIVATE") for kind in _KINDS]
_PEM_EXAMPLES = tuple(
    f"{_DASHES}BEGIN {kind}PRIVATE KEY{_DASHES}\n«{lines}»\n{_DASHES}END {kind}PRIVATE KEY{_DASHES}"
    for kind in (*_KINDS, "DSA ")
    for lines in ("\n".join(["{b64}"] * 3), "\n".join(["{b64}"] * 25))
)
_PUTTY_EXAMPLE = "Private-Lines: 4\n«{b64}\n{b64}\n{b64}\n{b64}»\nPrivate-MAC: {h40}"
# Base64 between spaces, line breaks, or the two characters that write one in a string.
_KEY_LINES = r"(?:(?:[\s>\"'+,]|\\{1,2}[nr]){0,12}[A-Za-z0-9+/=]{16,5000}+){1,2000}+"

_DATABASES = (
    r"postgres postgresql mysql mariadb mongodb \+srv redis rediss amqp amqps mssql sqlserver cockroachdb clickhouse"
    " oracle snowflake neo4j bolt psycopg psycopg2 pymysql asyncpg pyodbc influxdb elasticsearch couchdb ldap ldaps"
)

BY_FORM: tuple[Rule, ...] = (
    Rule(
        "private-key-in-base64",
        (_wrapped(f"{_DASHES}BEGIN"),),
        exactly(f"(?:{'|'.join(map(re.escape, _PEM_HEADS))})[A-Za-z0-9+/]{{40,20000}}={{0,2}}"),
        tuple(f"client-key-data: «{head}{{b800}}==»" for head in _PEM_HEADS),
    ),
    Rule(
        "private-key",
        ("-----begin ", "---- begin "),
        any_case(
            r"-{1,5} ?BEGIN (?-i:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?(?: |-){1,5}-{0,4}"
            # A whole key; or, cut off before its end, as many lines as look like one.
            rf"(?:(?:[^-]|-(?!----)){{0,60000}}+-{{4,5}} ?END (?:[A-Z0-9]{{1,12}} ){{0,3}}PRIVATE KEY"
            rf"(?: BLOCK)?(?: |-){{1,6}}"
            rf"|(?:\s{{1,4}}[A-Za-z-]{{4,20}}: [^\n]{{1,100}}){{0,6}}{_KEY_LINES})"
        ),
        _PEM_EXAMPLES,
    ),
    Rule("putty-key", ("private-lines",), any_case(rf"Private-Lines: ?\d+(?P<secret>{_KEY_LINES})"), (_PUTTY_EXAMPLE,)),
    Rule(
        "jwt",
        ("eyJ",),
        exactly(START + r"eyJ[\w-]{8,4000}\.[\w-]{8,16000}\.[\w-]{8,2000}"),
        ("eyJ{s33}.eyJ{s80}.{s43}",),
        certain=True,
    ),
    Rule(
        "password-hash",
        ("$2a$", "$2b$", "$2y$", "$1$", "$5$", "$6$", "$apr1$", "$argon2", "$y$", "pbkdf2_sha"),
        any_case(
            r"(?:\$2[aby]\$\d\d\$[A-Za-z0-9./]{50,53}|\$(?:1|5|6|apr1|y)\$[\w./=$]{20,180}|\$argon2i?d?\$[\w./=$,+]{40,200}"
            r"|pbkdf2_sha\d+\$\d+\$[\w./=$+]{40,120})"
        ),
        ("ilse:«$2" + "b$12${r53}»",),
    ),
    Rule(
        "bearer",
        ("bearer",),
        any_case(r"\bbearer[\"']?[ \t:=]{1,4}[\"'`]?(?P<secret>[A-Za-z0-9._~+/-]{16,8000}+=*)"),
        ("Authorization: Bearer «{s40}»",),
        check=is_token,
    ),
    Rule(
        "basic-login",
        ("basic ",),
        any_case(r"\bbasic[ \t]{1,3}[\"'`]?(?P<secret>[A-Za-z0-9+/]{8,400}+={0,2})"),
        ("Authorization: Basic «{login}»",),
        check=is_login,
    ),
    Rule(
        "authorization",
        ("authorization",),
        any_case(
            r"authorization[\"'`*]{0,3}\s?[:=]\s{0,3}[\"'`]{0,2}(?:[A-Za-z-]{2,12} )?(?P<secret>[\w.~+/=-]{16,4000}+)"
        ),
        ("Authorization: Token «{h40}»",),
        check=is_token,
    ),
    Rule(
        "database-url",
        ("://",),
        any_case(
            "(?:"
            + "|".join(f"(?<={scheme})" for scheme in _DATABASES.split())
            + r")://[^\s:@/\"'`<>]{0,80}:(?P<secret>[^\s/\"'`<>]{2,200})@[\w.\[$({-]"
        ),
        ("postgres" + "://app:«{p}»@db.example.org:5432/app",),
        check=is_password,
    ),
    Rule(
        "url-password",
        ("://",),
        any_case(r"://[^\s:@/\"'`<>]{0,80}:(?P<secret>[^\s/\"'`<>]{2,200})@[\w.\[$({-]"),
        ("https" + "://ilse:«{p}»@example.org/feed.xml",),
        check=is_password,
    ),
    Rule(
        "otp-secret",
        ("otpauth",),
        any_case(
            r"otpauth(?:-migration)?://[^\s\"'`<>]{1,300}?[?&](?:secret|data)=(?P<secret>[A-Z0-9+/%_-]{12,600}+=*)"
        ),
        ("otpauth://totp/Mail:ilse?secret=«{u32}»&issuer=Mail",),
        check=is_password,
    ),
    Rule(
        "wifi-code",
        ("wifi:",),
        any_case(r"WIFI:(?:[A-OQ-Z]:[^;\n]{0,64};){0,4}P:(?P<secret>[^;\n]{4,64})"),
        ("WIFI:T:WPA;S:Cellar;P:«{p}»;;",),
        check=is_password,
    ),
)
