from __future__ import annotations

import json

from tests.bounded import run_within

DASHES = "-" * 5
BEGIN = f"{DASHES}BEGIN {'PRIVATE'} KEY{DASHES}"
RUNS = [
    *(
        "a",
        " ",
        "\n",
        '"',
        "\\",
        "|",
        "-",
        ".",
        "=",
        "password ",
        "password: ",
        "password=",
        'password="',
        "password\n",
    ),
    *("password is ", "| password ", "| password |\n", "a,password\n", "password,", "<password>", "--password "),
    *("-password ", "token ", "key ", "api key ", "secret: ", "token a b c d e f g ", "eyJ", "eyJaaaaaaaaaa.", "://"),
    *("://a:", "://a:b", "otpauth://a", "curl ", "curl -u a:", "mysql ", "AKIA", "sk-", "ghp_", "Private-Lines: 4\n"),
    *("$2a$10$", "aws secret key ", "heroku key ", "seed ", "seed phrase: ", "apple ", "login a ", "login: a:", "İ"),
    *("WIFI:S:a;", "123456789:AA", ".atlasv1.", "&sig=", "8Q~", "MTE", "bearer ", "basic ", "\\npassword", "日本"),
    *("password=\n- ", "passwords: [", 'password: ["a", ', "password,b\n1\n", '"x\n,password\n', "password,password\n"),
    *("| password | b |\n|---|---|\n| x |\n", "[REDACTED:password] ", "password: [REDACTED:jwt]", "pw ", '"pw"'),
    *(
        '{"kind": "Secret", "data": {',
        '{{"kind":"Secret"}',
        "items[0].kind: Secret; ",
        "- kind: Secret\n  data:\n    a: b\n",
    ),
    *("kind: secret\n", "data:\n a: b\n", "data:\na: b\n", '"a" == ', "a1b2 is the password ", "a:5432:", "curl \\\n"),
    *(
        "redis-cli ",
        "ZXlK",
        "AZDO",
        "a1b2c3d4e5f6g7h8 is ",
        "log in with ",
        "the token is ",
        "password: 1a(",
        'token("',
    ),
    *('\\"password\\": \\"', "discord.com/api/webhooks/", DASHES + "BEGIN ", DASHES, BEGIN, f"{BEGIN}\n{'A' * 64}\n"),
]


def test_long_runs_of_anything_are_scanned_in_one_go() -> None:
    # Each takes at most a tenth of a second; a step for every pair of characters, 100,000,000 in all, ten or more.
    program = """
import json, sys
from notewell.redact import redact_text
for run in json.load(sys.stdin):
    go_on(ascii(run))
    redact_text("key: " + run * (15_000 // len(run)) + " password=")
"""
    run_within(60, program, given=json.dumps(RUNS))
