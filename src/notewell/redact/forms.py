"""The secrets that have a form of their own, whoever issued them: keys, tokens, hashes, addresses with a password."""

from __future__ import annotations

from base64 import b64encode
from random import Random

from notewell.redact.names import password_in
from notewell.redact.rule import ALNUM, BASE64, HEX, LOWER, START, Made, Rule, any_case, exactly, some, written
from notewell.redact.values import is_login, is_password, is_token, stands_in


def _basic(chance: Random) -> Made:
    secret = b64encode(f"{some(chance, LOWER, 6)}:{some(chance, ALNUM, 14)}".encode()).decode("ascii")
    return Made(f"Authorization: Basic {secret}", secret)


def _pem(chance: Random) -> Made:
    kind = chance.choice(("", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "))
    dashes, key = "-" * 5, kind + "PRIVATE" + " KEY"
    lines = "\n".join(some(chance, BASE64, 64) for _ in range(chance.randint(3, 25)))
    return Made(f"{dashes}BEGIN {key}{dashes}\n{lines}\n{dashes}END {key}{dashes}", lines)


def _putty(chance: Random) -> Made:
    lines = "\n".join(some(chance, BASE64, 64) for _ in range(4))
    return Made(f"Private-Lines: 4\n{lines}\nPrivate-MAC: {some(chance, HEX, 40)}", lines)


def _crypt(chance: Random) -> Made:
    secret = "$2" + "b$12$" + some(chance, ALNUM + "./", 53)
    return Made(f"ilse:{secret}", secret)


# Base64 between spaces, line breaks, or the two characters that stand for one in a string.
_KEY_LINES = r"(?:(?:[\s>\"'+,]|\\{1,2}[nr]){0,12}[A-Za-z0-9+/=]{16,5000}+){1,2000}+"

FORMS: tuple[Rule, ...] = (
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
        _pem,
    ),
    Rule("putty-key", ("private-lines",), any_case(rf"Private-Lines: ?\d+(?P<secret>{_KEY_LINES})"), _putty),
    Rule(
        "jwt",
        ("eyJ",),
        exactly(START + r"eyJ[\w-]{8,4000}\.[\w-]{8,16000}\.[\w-]{8,2000}"),
        written("eyJ{s33}.eyJ{s80}.{s43}"),
        sure=True,
    ),
    Rule(
        "password-hash",
        ("$2a$", "$2b$", "$2y$", "$1$", "$5$", "$6$", "$apr1$", "$argon2", "$y$", "pbkdf2_sha"),
        any_case(
            r"(?:\$2[aby]\$\d\d\$[A-Za-z0-9./]{50,53}|\$(?:1|5|6|apr1|y)\$[\w./=$]{20,180}|\$argon2i?d?\$[\w./=$,+]{40,200}"
            r"|pbkdf2_sha\d+\$\d+\$[\w./=$+]{40,120})"
        ),
        _crypt,
    ),
    Rule(
        "bearer",
        ("bearer",),
        any_case(r"\bbearer[\"']?[ \t:=]{1,4}[\"'`]?(?P<secret>[A-Za-z0-9._~+/-]{16,8000}+=*)"),
        written("Authorization: Bearer «{s40}»"),
        check=is_token,
    ),
    Rule(
        "basic-login",
        ("basic ",),
        any_case(r"\bbasic[ \t]{1,3}[\"'`]?(?P<secret>[A-Za-z0-9+/]{8,400}+={0,2})"),
        _basic,
        check=is_login,
    ),
    Rule(
        "authorization",
        ("authorization",),
        any_case(
            r"authorization[\"'`*]{0,3}\s?[:=]\s{0,3}[\"'`]{0,2}(?:[A-Za-z-]{2,12} )?(?P<secret>[\w.~+/=-]{16,4000}+)"
        ),
        written("Authorization: Token «{h40}»"),
        check=is_token,
    ),
    Rule(
        "database-url",
        ("://",),
        any_case(
            "(?:"
            + "|".join(
                f"(?<={scheme})"
                for scheme in (
                    *(
                        "postgres",
                        "postgresql",
                        "mysql",
                        "mariadb",
                        "mongodb",
                        r"\+srv",
                        "redis",
                        "rediss",
                        "amqp",
                        "amqps",
                    ),
                    *(
                        "mssql",
                        "sqlserver",
                        "cockroachdb",
                        "clickhouse",
                        "oracle",
                        "snowflake",
                        "neo4j",
                        "bolt",
                        "psycopg",
                    ),
                    *(
                        "psycopg2",
                        "pymysql",
                        "asyncpg",
                        "pyodbc",
                        "influxdb",
                        "elasticsearch",
                        "couchdb",
                        "ldap",
                        "ldaps",
                    ),
                )
            )
            + r")://[^\s:@/\"'`<>]{0,80}:(?P<secret>[^\s/\"'`<>]{2,200})@[\w.\[$({-]"
        ),
        password_in("postgres" + "://app:<>@db.example.org:5432/app"),
        check=is_password,
    ),
    Rule(
        "url-password",
        ("://",),
        any_case(r"://[^\s:@/\"'`<>]{0,80}:(?P<secret>[^\s/\"'`<>]{2,200})@[\w.\[$({-]"),
        password_in("https" + "://ilse:<>@example.org/feed.xml"),
        check=is_password,
    ),
    Rule(
        "otp-secret",
        ("otpauth",),
        any_case(
            r"otpauth(?:-migration)?://[^\s\"'`<>]{1,300}?[?&](?:secret|data)=(?P<secret>[A-Z0-9+/%_-]{12,600}+=*)"
        ),
        written("otpauth://totp/Mail:ilse?secret=«{u32}»&issuer=Mail"),
        check=lambda value: not stands_in(value),
    ),
    Rule(
        "wifi-code",
        ("wifi:",),
        any_case(r"WIFI:(?:[A-OQ-Z]:[^;\n]{0,64};){0,4}P:(?P<secret>[^;\n]{4,64})"),
        password_in("WIFI:T:WPA;S:Cellar;P:<>;;"),
        check=is_password,
    ),
)
