"""What a secret looks like, and what stands where one will be: checks of a value, given that it has a telling name."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A reference to where the value is, or a sign that it was left out.
_REFERENCE = re.compile(
    "|".join(
        (
            r"[\\*_]{0,4}[<{\[(].*",  # <x>  {{ x }}  [x]  (x)
            r"\$[a-z_({].*",  # $x  ${x}  $(x)
            r"[@%&:?][a-z_(]\w*[%)]?|%[-\d.]*[a-z]\W?",  # @x  %x%  &x  :x  %s
            r"\s*[+&.,;]\s.*",  # what follows a string: + x
            r"[x*•●#-]{3,}\W*|(.)\1+|[\W_]+",  # xxxx  ****
            r"(?:os|sys|process|env|self|this|config|conf|cfg|settings|request|req|params|args|options|opts|data|user|form"
            r"|secrets|vault|var|local|module|ctx|context|props|state|event|import|system|environment|credentials?)\b[.(\[].*",
            r"[a-z_][\w.]*(?:\(|\[|->|::).*|[a-z_]+(?:\.[a-z_]+)+|![a-z]+",  # f(x)  x[0]  x.y  !vault
            r"https?://.*|[~.]{0,2}/[\w./-]*|[a-z]:\\.*|file:.*|\d+[-/]\d+",  # where a file or a page is
            r"(?:cat|echo|pass|op) .*",  # a command that prints it
        )
    ),
    re.DOTALL | re.IGNORECASE,
)
# The same anywhere in a value, each looked for where it can be: most values have none of the signs.
_SIGNS = (
    ("$", re.compile(r"\$[({]|-\$[a-z]{4,}\Z")),
    ("%", re.compile(r"%[sd](?!\w)")),
    ("\\", re.compile(r"\\x[0-9a-f]{2}")),
)
_LEFT_OUT = ("...", "…", "xxxx", "***")
_TELLING = ("your", "replace", "enter", "insert", "put", "password")
_TOLD = re.compile(
    r"(?:your|replace|enter|insert|put)[-_ ]?(?:with|this|here|own|my|the|your|api|p[a@]ss|token|key|secret|client)"
    r"|(?:your|replace|insert)[-_ ]?strong|(?:sample|strong|example)\W?_?.{0,3}password",
    re.DOTALL,
)
# Words that name the kind of a value, or its state, and are none; and logins that everyone knows.
_WORDS = _words(
    """none null nil true false yes no on off undefined unset string str text char varchar nvarchar sysname int
    integer bool boolean float number bytes object array any all some other value values default required
    optional mandatory hidden redacted masked input empty blank here there todo tbd n/a test tests testing
    example sample demo dummy fake foo bar baz foobar error option options parameter argument flag switch
    field found admin root guest user username changeme changeit letmein qwerty abc abcd abcde abcdef abc123
    asdf encrypted plaintext plain basic digest prompt interactive stdin enter type use set see same as the
    a an in is and or not with for der die das siehe wie ist steht im leer kein keine keines mysql postgres
    postgresql oracle redis mongo rabbitmq minio sa"""
)
_COUNTED = re.compile(r"1234\d*|0{4,}|12345\w{0,4}")
# What only says that a value belongs there: YOUR_PASSWORD, winPassword, my-secret-token1, password123. It has no digits
# but a short number at its end, and one of these in it.
_NAME_LIKE = re.compile(r"\D*(?:\d{1,2}|123\d{0,3}|4321)?[\W_]*")
_SAYS_SO = re.compile(
    r"pass|pasw|pwd|pswd|pword|pw$|secret|token|key|credential|kennwort|geheim|here$|your|example|placeholder"
    r"|change[\W_]?(?:me|it)|sample|dummy|replace|insert|value|auth|hash|variable|redacted|username|database",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W\d_]+(?:[-_'’ .][^\W\d_]+)*[.!?:,]?")
# What a sentence says of a password: its words, and how such words end.
_STATES = _words(
    """about above again also back below better both built case clear complex correct different done enough
    even ever first fine free fresh given gone good great half held hard incorrect inside just kept known
    late least left long longer lost made more most much must never next nothing often okay once only open
    over present private public ready right safe secure sent short shorter simple something sometimes still
    strong stronger such sure that their them then these they this those unique unsafe insecure used useless
    valid invalid very weak weaker what when where which whole worth wrong yours zero falsch hier dort
    gleich weg kurz lang alt neu schwach stark sicher unsicher verloren bekannt unbekannt everything
    anything someone verschlüsselt gehasht gespeichert geändert gesetzt gesperrt hinterlegt abgelaufen verfallen
    verboten dasselbe derselbe gestern heute ciphertext
    complete obsolete bad generate stale unknown absent missing"""
)
_STATE_LIKE = re.compile(
    r".*(?:ed|ing|able|ible|ive|al|ly|ent|ant|ic|ous|ful|less|ary|ory|rd|wn|pt|ert|bar|lich|ig|isch|haft|los|[^aeiou]en)",
    re.IGNORECASE,
)
# What a sentence in German says of a password by a noun, and how nouns end that name no thing.
_NOUNS = (
    *("ung", "heit", "keit", "tion", "tät", "schaft", "pflicht", "sache", "standard", "quatsch", "unsinn", "blödsinn"),
    *("müll", "käse", "teil", "problem", "risiko", "thema", "muss", "feld", "fehler", "geheimnis", "vorschrift"),
    *("regel", "nachteil", "vorteil", "ende", "gefahr", "schwachstelle", "lücke", "eigentum", "zwang", "aufwand"),
    *("schlüssel", "zugang", "schutz", "geschichte", "vergangenheit", "anfang", "idee", "frage", "bestandteil"),
    *("vergessen", "willen", "geschehen", "verfahren", "vorhaben", "zeichen", "buchstaben", "wissen", "beispiel"),
    *("vorname", "nachname", "name", "nummer", "geburtsdatum", "anders", "gesetz", "history", "rubbish", "garbage"),
)
# Where letters turn to digits, or back, or small letters to capitals: often in a token, seldom in a name.
_TURN = re.compile(r"[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])")
_HEX = re.compile(r"[0-9a-f]{32,}")
_PATH = re.compile(r"[\w.:-]+(?:[/\\][\w.:-]+)+|[\w-]+(?:\.[\w-]+)*:\d{2,5}|\w+\.__\w+__")
# UUIDs, fingerprints of public keys, bytes one by one, names that databases make up, places of a certificate.
_PRINT = re.compile(
    r"\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?|(?-i:[0-9A-F]{16,40})|[0-9a-f]{2}(?:[-:][0-9a-f]{2})+"
    r"|(?:PK|FK|UQ|DF|IX|CK)_.*|sha\d+-.*|[a-z]+/[a-z]+/.*",
    re.IGNORECASE,
)
_DATE = re.compile(r"\W*\d{1,4}[-./]\d{1,2}[-./]\d{1,4}.*|v?\d+(?:\.\d+)+[-\w]*|\d{1,2}:\d\d.*")


def stands_in(value: str) -> bool:
    """Tell whether a value only stands where a secret will be.

    >>> stands_in("${PASSWORD}"), stands_in("my-secret-token"), stands_in("hunter2-again")
    (True, True, False)
    """
    # Long enough to tell, and short enough for patterns with many ways to read a text.
    value = value[:200].rstrip(" \t.,;:")
    lowered = value.lower()
    if lowered in _WORDS or _COUNTED.fullmatch(value) or _REFERENCE.fullmatch(value):
        return True
    if any(sign in lowered for sign in _LEFT_OUT) or any(sign in lowered and at.search(lowered) for sign, at in _SIGNS):
        return True
    if any(word in lowered for word in _TELLING) and _TOLD.search(lowered):
        return True
    return bool(_NAME_LIKE.fullmatch(value) and _SAYS_SO.search(value))


def is_password(value: str) -> bool:
    """Tell whether what is assigned to the name of a password is one."""
    return not stands_in(value)


def is_strong(value: str) -> bool:
    """Tell whether a value looks like a password wherever it stands: no word, no number, no date.

    >>> is_strong("Tr0ub4dor"), is_strong("swordfish"), is_strong("2024-01-02")
    (True, False, False)
    """
    value = value.strip("*_")
    if (
        stands_in(value)
        or _LETTERS.fullmatch(value)
        or _DATE.fullmatch(value)
        or _PATH.fullmatch(value)
        or len(value) < 6
    ):
        return False
    return bool(re.search(r"\d", value) and re.search(r"[^\W\d_]", value)) or bool(re.search(r"\w[!@#$%^&]\w", value))


def is_plain_password(value: str) -> bool:
    """Tell whether the word that ends "the password is …" is the password, and does not say how it is.

    >>> is_plain_password("swordfish"), is_plain_password("required"), is_plain_password("wrong")
    (True, False, False)
    """
    lowered = value.lower()
    if stands_in(value) or lowered in _STATES:
        return False
    if value[:1].isupper() and value[1:].islower():
        # A noun, in German at least: not all that ends like the word for a state is one.
        return not (lowered.endswith(_NOUNS) or (_STATE_LIKE.fullmatch(value) and not lowered.endswith("en")))
    return not _STATE_LIKE.fullmatch(value)


def is_random(value: str) -> bool:
    """Tell whether a value looks drawn at random, as tokens and keys are.

    >>> is_random("9fceb02d0ae598e95dc970b7"), is_random("SqlServer2019Developer"), is_random("my-first-token-2024")
    (True, False, False)
    """
    turns = len(_TURN.findall(value))
    return len(value) >= 16 and turns >= max(4, len(value) * 0.17) and len(set(value)) >= 8 and not stands_in(value)


def is_token(value: str) -> bool:
    """Tell whether what is assigned to the name of a token or key is one; a UUID can be."""
    return is_random(value) and not _DATE.fullmatch(value)


def is_key(value: str) -> bool:
    """Tell whether what stands beside or beneath such a name is a token, and not the name or the print of a thing."""
    return is_token(value) and not _PRINT.fullmatch(value)


def is_anonymous(value: str) -> bool:
    """Tell whether a value that merely stands near such a name is a token: it is more random than any name is."""
    if not is_key(value):
        return False
    return bool(_HEX.fullmatch(value)) or (len(_TURN.findall(value)) >= len(value) * 0.25 and value.count("_") < 4)


def is_cell(value: str) -> bool:
    """Tell whether a cell beneath the name of a secret holds one: it is one word, and a strong one."""
    return not re.search(r"\s", value) and is_strong(value)


def is_cell_for_sure(value: str) -> bool:
    """Tell whether a cell beneath nothing but the name of a password is one: any that does not say that there is none.

    >>> is_cell_for_sure("correcthorse"), is_cell_for_sure("required"), is_cell_for_sure("see the manager")
    (True, False, False)
    """
    words = value.lower().split()
    several = len(words) > 2 and not _WORDS.intersection(words)
    return len(value) >= 6 and (len(words) == 1 or several) and is_plain_password(value)


# What stands between the values of a list.
_ITEM = re.compile(r"\"((?:[^\"\\]|\\.)*+)\"|'([^']*+)'|([^\s\"',]{3,})")


def holds_password(values: str) -> bool:
    """Tell whether one value of a list is a password; all of them are, then."""
    return any(is_strong(item[item.lastindex or 0]) for item in _ITEM.finditer(values))


def holds_token(values: str) -> bool:
    """Tell whether one value of a list is a token."""
    return any(is_token(item[item.lastindex or 0]) for item in _ITEM.finditer(values))


def is_login(value: str) -> bool:
    """Tell whether base64 holds a name and a password, as `Authorization: Basic` has it."""
    try:
        plain = b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (Error, ValueError):
        return False
    return ":" in plain and plain.isprintable()
