"""Forms that strangers wrote without having seen the rules, by class: label, sentence, code, command, file."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.redact.made_up import DIGITS, LOWER, UPPER, strong_password

from notewell.redact import redact_text

SEEDS = st.integers(0, 10**6)
AROUND = ["{}\n", "# x\n\n{}\n\nMore text.\n", "```\n{}\n```\n", "- {}\n- next\n"]
FORMS = {
    "compound labels": [
        *(
            "dbpass=«»",
            "userpw: «»",
            "rootpw = «»",
            "wifipass: «»",
            "smtppass='«»'",
            '"mailpass": "«»"',
            "**vpnpw:** «»",
        ),
        *(
            'passwordOld = "«»"',
            "passwordNew: «»",
            "password_old=«»",
            "passwordBackup := '«»'",
            '{"passwordConfirm": "«»"}',
        ),
        *("pass phrase: «»", "Pass Code: «»", "Pass-Phrase = «»", "p/w: «»", "P/W = «»", "P.W.: «»"),
    ],
    "sentences": [
        *("The password (for now) is «».", "The wifi password (since May) was «»", "Das Passwort (bis Mai) lautet «»"),
        *("API key: «»", "client token = «»", "bearer token: «»"),
    ],
    "code": [
        *(
            'static const char pass[] = "«»";',
            'char db_pass[64] = "«»";',
            'let token = String::from("«»");',
            'password <- "«»"',
        ),
        *("api_key <- '«»'", 'public string ApiKey { get; set; } = "«»";', 'String Password { get; init; } = "«»";'),
        *(
            'os.getenv("API_KEY", "«»")',
            'process.env.SECRET || "«»"',
            "process.env.API_TOKEN ?? '«»'",
            '$t = getenv("TOKEN") ?: "«»";',
        ),
    ],
    "logins in calls": [
        *(
            'requests.get(url, auth=("ilse", "«»"))',
            "s.auth = ('ilse', '«»')",
            'server.login("ilse@example.org", "«»")',
        ),
        *(
            'imap.login(user, "«»")',
            '.basic_auth("ilse", Some("«»"))',
            'jwt.sign(p, "«»")',
            'jwt.sign({ id: 1 }, "«»")',
        ),
        *(
            'jwt.encode(payload, "«»", algorithm="HS256")',
            "jwt.verify(req.token, '«»')",
            'hmac.new(b"«»", msg, "sha256")',
        ),
        *(
            'DriverManager.getConnection(url, "ilse", "«»");',
            "mysqli_connect('h', 'u', '«»', 'db');",
            "new PDO($dsn, 'u', '«»');",
        ),
        *('WiFi.begin("net", "«»");', "crypto.createHmac('sha256', '«»')", 'req.SetBasicAuth("ilse", "«»")'),
    ],
    "structure": [
        *(
            "passwords:\n  mail: «»\n  nas: x",
            "tokens:\n  ci: «»",
            "app:\n  credentials:\n    ilse: '«»'",
            'secrets:\n  a: "«»"',
        ),
        *(
            '{"credentials": {"ilse": "«»"}}',
            'PASSWORDS = {"db": "«»"}',
            "tokens = {'a': 'x', 'b': '«»'}",
            "credentials.ilse: «»",
        ),
        *(
            "Password\n: «»",
            "Wifi password\n:   «»",
            "<dl><dt>Password</dt><dd>«»</dd></dl>",
            "<tr><th>Password</th><td>«»</td></tr>",
        ),
        "<table><tr><th>user</th><th>password</th></tr><tr><td>ilse</td><td>«»</td></tr></table>",
        "<details><summary>password</summary>«»</details>",
        *('["redis-server", "--requirepass", "«»"]', "command: redis-server, --requirepass, «»", "- --password\n- «»"),
        "args[0]: --api-token\nargs[1]: «»",
    ],
    "commands": [
        *("curl --proxy-user ilse:«» https://a.org", "keytool -storepass «» -list", "jarsigner -keypass «» a.jar b"),
        *("sqlplus ilse/«»@db", "xfreerdp /u:ilse /p:«» /v:host", "mosquitto_pub -u ilse -P «» -t x", "vault login «»"),
        *(
            "rabbitmqctl add_user ilse «»",
            "rabbitmqctl change_password ilse «»",
            "unrar x -p«» a.rar",
            "zip -er -P«» a.zip b",
        ),
        *(
            "bcp t out f -U sa -P «»",
            "ipmitool -U ilse -P «» lan print",
            "snmpwalk -v3 -A «» -X x host",
            "podman login -u ilse -p «»",
        ),
        *("iwconfig wlan0 key s:«»", "useradd -p «» ilse", "evil-winrm -i host -u ilse -p «»", "lftp -u ilse,«» host"),
        *(
            "psexec.py corp/ilse:«»@host",
            'restic --password-command "echo «»" backup',
            "I ran `keytool -keypass «»` here.",
        ),
    ],
    "directives": [
        *(
            "bindpw «»",
            "rootpw «»",
            "rootbindpw «»",
            "snmp_community: «»",
            'community_string = "«»"',
            "AuthUserPass ilse «»",
        ),
        *("secret-key-base «»", "auth:\n  basic: ilse:«»", "auth.basic: ilse:«»"),
    ],
    "addresses": [
        *(
            "https://«»@github.com/a/b.git",
            "git clone https://«»:x-oauth-basic@git.example.org/a",
            "jdbc:oracle:thin:ilse/«»@h:1521:x",
        ),
        *("https://a.s3.amazonaws.com/k?X-Amz-Signature=«»&X-Amz-Expires=3", "[x](https://a.org/v1?key=«»)"),
        *('curl -b "session=«»" https://a.org', 'proxy_set_header Authorization "Basic «»";', "client-key-data: «»"),
    ],
    "headers": [
        "Authorization: Bearer «»",
        'curl -H "Authorization: Bearer «»" https://a.org',
        "{'authorization': 'bearer «»'}",
    ],
}
STAY = {
    "code": [
        *(
            "if (pass <- 3)",
            'String Token { get; set; } = "";',
            'key = String::from("name")',
            'getenv("API_KEY", "default")',
        ),
        *("token ?? 'none'", "process.env.SECRET || fallback", "List<Token> tokens = new(text2)"),
    ],
    "logins in calls": [
        *(
            's.login("ilse", "password")',
            'client.login("ilse", PASSWORD)',
            'jwt.sign(p, "secret")',
            'auth=("user", "pass")',
        ),
        *('jwt.decode(token, "your-256-bit-secret")', "hmac.new(key, msg, 'sha256')", "createHmac('sha256', secret)"),
    ],
    "compound labels": [
        *(
            "bypass: true",
            "compass = north",
            "bypass: enabled",
            "pass code to it",
            "w:p/w:pPr/w:sectPr",
            "assert p.w == w_0*2",
        ),
        *("passwordless: x1y2z3", "overpass: yes", "lowpass = 'butter'"),
    ],
    "sentences": [
        *(
            "Authorization: Bearer authentication",
            "Bearer tokens2 are",
            "token: my-name.v1-2",
            "API key: us-east-1a.zone-2b",
        ),
        'accessToken = "eyJ0eXAiOi..."',
    ],
}


def token(chance: Random, length: int = 16) -> str:
    """Return capitals, small letters and digits, in turn."""
    return "".join(chance.choice((UPPER, LOWER, DIGITS)[at % 3]) for at in range(length))


def dotted(chance: Random) -> str:
    """Return a token in three parts: one has digits."""
    return f"{token(chance, 5)}.{token(chance, 4)}{chance.choice('_-')}{token(chance, 5)}"


VALUES = [strong_password, token, dotted]
# Here, a value has no signs.
TOKENS_ONLY = ["headers", "addresses"]


@pytest.mark.parametrize("kind", FORMS)
@given(seed=SEEDS, made=st.sampled_from(VALUES), around=st.sampled_from(AROUND))
def test_a_secret_goes(kind: str, seed: int, made: Callable[[Random], str], around: str) -> None:
    secret = token(Random(seed), 12 if kind == "headers" else 24) if kind in TOKENS_ONLY else made(Random(seed))
    texts = [around.replace("{}", form.replace("«»", secret)) for form in FORMS[kind]]
    assert [text for text in texts if secret in redact_text(text)[0]] == []


@pytest.mark.parametrize("kind", STAY)
def test_what_only_looks_like_it_stays(kind: str) -> None:
    texts = [around.replace("{}", text) for text in STAY[kind] for around in AROUND]
    assert [text for text in texts if redact_text(text) != (text, ())] == []
