"""Checks of a value that a label points to: whether it is a password, a token, or only a placeholder."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error

from notewell.patterns import lazy_pattern


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A reference to where the value is stored, or a mark that it was left out.
_REFERENCE = lazy_pattern(
    "|".join(
        (
            # <x>  {{ x }}  [x]  (x): a name in brackets, with or without more behind it, or cut off
            r"[\\*_]{0,4}(?:[<{\[(]+[^\d>})\]!#^~?]*|<[\w-]*|<[^<>]*>.*|\{[^{}]*\}.*|\{\{.*|\[[^\[\]]*\].*|\([^()]*\).*)",
            r"\$[a-z_]\w*(?:[.\[({:-].*)?\W?|\$[({].*",  # $x  ${x}  $(x)
            r"[@%&:?][a-z_(]\w*[%)]?|%[-\d.]*[a-z]\W?",  # @x  %x%  &x  :x  %s
            r"\s*[+&.,;]\s.*",  # what follows a string: + x
            r"[x*•●#-]{3,}\W*|(.)\1+|[\W_]+",  # xxxx  ****
            r"0x[0-9a-f]{1,8}|\d+<<\d+",  # numbers of a program
            r"(?:os|sys|process|env|self|this|config|conf|cfg|settings|request|req|params|args|options|opts|data|user|form"
            r"|secrets|vault|var|local|module|ctx|context|props|state|event|import|system|environment|credentials?)\b[.(\[].*",
            # f(x)  x[0]  x->y
            r"[a-z_][\w.]*(?:->|::).*|[a-z_][a-z_.]*[(\[][\w\s.,'\"=:()\[\]-]*|[a-z_][\w.]*(?:\(.*\)|\[.*\])\W?",
            r"[a-z_]+(?:\.[a-z_]+)+|![a-z]+",  # x.y  !vault
            r"https?://.*|[~.]{0,2}/[\w./-]*|[a-z]:\\.*|file:.*|\d+[-/]\d+",  # where a file or a page is
            r"(?:cat|echo|pass|op) .*",  # a command that prints it
        )
    ),
    re.DOTALL | re.IGNORECASE,
)
# The same anywhere in a value. The first part is a quick test: most values have none of these signs.
_REFERENCE_PARTS = (
    ("$", lazy_pattern(r"\$[({]\w|-\$[A-Za-z]{4,}\Z")),
    ("%", lazy_pattern(r"(?<![0-9])%[sd](?!\w)")),
    ("\\", lazy_pattern(r"\\x[0-9A-Fa-f]{2}")),
)
_ELLIPSES = ("...", "…", "xxxx", "***")
_TEMPLATE_WORDS = ("your", "replace", "enter", "insert", "put", "password")
_TEMPLATE = lazy_pattern(
    r"(?:your|replace|enter|insert|put)[-_ ]?"
    r"(?:with|this|here|own|my|the|your|api|p[a@]ss|token|key|secret|client|\d{3}[-_]bit)"
    r"|(?:your|replace|insert)[-_ ]?(?:new)?strong|(?:sample|strong|example)\W?_?.{0,3}password",
    re.DOTALL,
)
# Words for the kind or the state of a value, and logins that everyone knows.
_WORDS = _words(
    """none null nil true false yes no on off undefined unset string str text char varchar nvarchar sysname int
    integer bool boolean float number bytes object array any all some other value values default required
    optional mandatory requires hidden redacted masked input empty blank here there todo tbd n/a test tests testing
    example sample demo dummy fake foo bar baz foobar error option options parameter argument flag switch
    field found admin root guest user username changeme changeit letmein qwerty abc abcd abcde abcdef abc123
    asdf encrypted plaintext plain basic digest prompt interactive stdin enter type use set see same as the
    a an in is and or not with for der die das siehe wie ist steht im leer kein keine keines mysql postgres
    postgresql oracle redis mongo rabbitmq minio sa"""
)
_COUNTING = lazy_pattern(r"1234\d*|0{4,}|12345\w{0,4}")
# A placeholder made of label words: YOUR_PASSWORD, winPassword, my-secret-token1, password123. It has no digits but a
# short number at its end, and contains one of these words.
_NAME_LIKE = lazy_pattern(r"\D*(?:\d{1,2}|123\d{0,3}|4321)?[\W_]*")
_LABEL_PART = lazy_pattern(
    r"(?<!com)pass(?!ion|eng)|pasw|pwd|pswd|pword|pw$|secret|token|(?<!mon)(?<!don)(?<!tur)(?<!hoc)(?<!joc)(?<!whis)key|credential|kennwort|geheim|here$|your|example|placeholder"
    r"|change[\W_]?(?:me|it)|sample|dummy|replace|insert|value|auth|hash|variable|redacted|username|database",
    re.IGNORECASE,
)
# A name made of such words has none of these signs inside.
_NOT_IN_A_NAME = lazy_pattern(r"[a-z\d][!*%^~]+[A-Za-z\d]")
_LETTERS = lazy_pattern(r"[^\W\d_]+(?:[-_'’ .][^\W\d_]+)*[.!?:,]?")
# Words that describe a password in a sentence, and how such words end.
_STATE_WORDS = _words(
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
_STATE_ENDING = lazy_pattern(
    r".*(?:ed|ing|able|ible|ive|al|ly|ent|ant|ic|ous|ful|less|ary|ory|rd|wn|pt|ert|bar|lich|ig|isch|haft|los|[^aeiou]en)",
    re.IGNORECASE,
)
# German nouns that describe a password in a sentence, and endings of abstract nouns.
_NOUN_ENDINGS = (
    *("ung", "heit", "keit", "tion", "tät", "schaft", "pflicht", "sache", "standard", "quatsch", "unsinn", "blödsinn"),
    *("müll", "käse", "teil", "problem", "risiko", "thema", "muss", "feld", "fehler", "geheimnis", "vorschrift"),
    *("regel", "nachteil", "vorteil", "ende", "gefahr", "schwachstelle", "lücke", "eigentum", "zwang", "aufwand"),
    *("schlüssel", "zugang", "schutz", "geschichte", "vergangenheit", "anfang", "idee", "frage", "bestandteil"),
    *("vergessen", "willen", "geschehen", "verfahren", "vorhaben", "zeichen", "buchstaben", "wissen", "beispiel"),
    *("vorname", "nachname", "name", "nummer", "geburtsdatum", "anders", "gesetz", "history", "rubbish", "garbage"),
)
# The pairs of letters that make up 98 % of English and German. Of random pairs, 52 % are among them.
_PAIRS = frozenset(
    group[0] + second
    for group in _words(
        """abcdfghiklmnprstuvwxyz baceijlorsu caehiklorstuy dabdeilorstuy eabcdefghiklmnopqrstuvwxyz faefilortuy
        gaehilnorstu haeilmnorstuw iabcdefgklmnoprstvxz jaesou kaeilnorstu labcdefgiklmopstuvy mabeilmnopsuxy
        nabcdefgiklnopstuvyz oabcdefghiklmnoprstuvwxy padefhiloprstuy qlu rabcdefgiklmnoprstuvwyz
        sacdefhiklmnopqrstuvwxyz tacehilmoprstuwyz uabcdefgilmnoprstx vaegilo waehinorstu xaeimprt
        yaceilmnopst zeiustw"""
    )
    for second in group[1:]
)
_SAME_CASE = lazy_pattern(r"(?=([a-z]{2}|[A-Z]{2}))")
# Where letters turn to digits or back, or small letters to capitals: frequent in a token, rare in a name.
_TURN = lazy_pattern(r"[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])")
_HEX = lazy_pattern(r"[0-9a-f]{32,}")
# Signs that join the parts of a name; a token with them has capitals, small letters and digits.
_JOINED = lazy_pattern(r"[._-]")
_THREE_KINDS = lazy_pattern(r"(?=.*[a-z])(?=.*[A-Z]).*[0-9]")
# A checksum, a UUID or a number in hexadecimal, alone or with words around it.
_HEX_IN_NAME = lazy_pattern(r"(?:[A-Za-z]+[_-])*(?:0x)?[0-9a-fA-F]+(?:-[0-9a-fA-F]+)*=*[A-Za-z_]*")
# How pictures, archives, PDFs, public keys and certificates begin in base64.
_FILES = ("iVBORw0KGgo", "R0lGOD", "H4sI", "UEsDB", "JVBERi", "AAAAB3", "AAAAC3", "MII")
_PATH = lazy_pattern(r"[\w.:-]+(?:[/\\][\w.:-]+)+|[\w-]+(?:\.[\w-]+)*:\d{2,5}|\w+\.__\w+__")
# UUIDs, fingerprints of public keys, bytes one by one, generated names of databases, media types.
_IDENTIFIER = lazy_pattern(
    r"\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?|(?-i:[0-9A-F]{16,40})|[0-9a-f]{2}(?:[-:][0-9a-f]{2})+"
    r"|(?:PK|FK|UQ|DF|IX|CK)_.*|sha\d+-.*|[a-z]+/[a-z]+/.*",
    re.IGNORECASE,
)
# An e-mail address, a place in a file or on a page, an issue, several fields.
_ADDRESS = lazy_pattern(
    r"[\w.+-]+@[a-z0-9.-]+|[\w./-]+#\d+|[\w./-]*\.[a-z]{2,4}[#?].*|(?:.*[&?;,])?(?:[A-Z]?[a-z_]{2,40}|[A-Z_]{2,40})\d{0,2}=.*|.*[/\\].*[/\\].*"
)
_SIGN_INSIDE = lazy_pattern(r"\w[!@#$%^&*+?~-]*[!@#$%^&*+?~][!@#$%^&*+?~.-]*\w")
_DATE = lazy_pattern(r"\W*\d{1,4}[-./]\d{1,2}[-./]\d{1,4}.*|v?\d+(?:\.\d+)+[-\w]*|\d{1,2}:\d\d.*")


def is_placeholder(value: str) -> bool:
    """Tell whether a value only marks where a secret belongs.

    >>> is_placeholder("${PASSWORD}"), is_placeholder("my-secret-token"), is_placeholder("hunter2-again")
    (True, True, False)
    """
    if value.endswith(_ELLIPSES[:2]):
        return True
    # Long enough to decide, and short enough for patterns that backtrack.
    value = value[:200].rstrip(" \t.,;:")
    lowered = value.lower()
    if lowered in _WORDS or _COUNTING.fullmatch(value) or _REFERENCE.fullmatch(value):
        return True
    if any(sign in lowered for sign in _ELLIPSES) or any(
        sign in value and at.search(value) for sign, at in _REFERENCE_PARTS
    ):
        return True
    if any(word in lowered for word in _TEMPLATE_WORDS) and _TEMPLATE.search(lowered):
        return True
    return bool(_NAME_LIKE.fullmatch(value) and _LABEL_PART.search(value) and not _NOT_IN_A_NAME.search(value))


def is_password(value: str) -> bool:
    """Tell whether a value assigned to a password's label is one."""
    return not is_placeholder(value)


def looks_like_password(value: str) -> bool:
    """Tell whether a value looks like a password by itself: not a word, a number or a date.

    >>> looks_like_password("Tr0ub4dor"), looks_like_password("swordfish"), looks_like_password("2024-01-02")
    (True, False, False)
    """
    value = value.strip("*_")
    if (
        is_placeholder(value)
        or _LETTERS.fullmatch(value)
        or _DATE.fullmatch(value)
        or (_PATH.fullmatch(value) and len(_TURN.findall(value)) < len(value) * 0.25)
        or len(value) < 6
    ):
        return False
    return bool(re.search(r"\d", value) and re.search(r"[^\W\d_]", value)) or bool(re.search(r"\w[!@#$%^&]\w", value))


def is_strong(value: str) -> bool:
    """Tell whether a value is a password wherever it stands: letters, digits, and a sign among them or much noise.

    >>> is_strong("Tr0ub+dour"), is_strong("version2.1"), is_strong("ilse@example2.org"), is_strong("notes.md#line-12")
    (True, False, False, False)
    """
    cut_off = value.endswith(_ELLIPSES[:2])
    value = value.strip("*_.:=~%$!?")
    if cut_off or len(value) < 8 or not looks_like_password(value) or _ADDRESS.fullmatch(value):
        return False
    if _SIGN_INSIDE.search(value) and re.search(r"\d", value):
        return True
    return is_token(value) and not _IDENTIFIER.fullmatch(value)


# Names of techniques and versions, which mix letters and digits as passwords do: Base64-encoded, OAuth2.0, SHA-256.
_TECHNIQUE = lazy_pattern(
    r"[A-Za-z]+-?\d[\d.]*(?:[-_/.]?[a-z]+)*|[A-Z][A-Za-z]*(?:\d{1,3}|\d[\d.]*\.\d+)(?:[A-Z][a-z]+)?(?:-[A-Za-z\d]+)*"
)


def is_likely_password(value: str) -> bool:
    """Tell whether a value near a label is a password: strong, a token, or of three kinds of characters.

    >>> is_likely_password("Winter2017!"), is_likely_password("Base64-encoded"), is_likely_password("SHA-256")
    (True, False, False)
    """
    if is_strong(value) or is_token_not_id(value):
        return True
    if len(value) < 8 or not looks_like_password(value) or _ADDRESS.fullmatch(value) or _IDENTIFIER.fullmatch(value):
        return False
    kinds = [r"[a-z]", r"[A-Z]", r"\d", r"[^\w\s.-]"]
    return sum(bool(re.search(kind, value)) for kind in kinds) >= 3 and not _TECHNIQUE.fullmatch(value)


def is_secret_line(value: str) -> bool:
    """Tell whether a line below a token's label is one, even if it is full of signs."""
    return is_token_not_id(value) or (is_strong(value) and not _IDENTIFIER.fullmatch(value))


def is_password_in_prose(value: str) -> bool:
    """Tell whether the last word of "the password is …" is the password, and not a description of it.

    >>> is_password_in_prose("swordfish"), is_password_in_prose("required"), is_password_in_prose("wrong")
    (True, False, False)
    """
    lowered = value.lower()
    if is_placeholder(value) or lowered in _STATE_WORDS:
        return False
    if value[:1].isupper() and value[1:].islower():
        # A noun, at least in German: some nouns end like words that describe a state.
        return not (lowered.endswith(_NOUN_ENDINGS) or (_STATE_ENDING.fullmatch(value) and not lowered.endswith("en")))
    return not _STATE_ENDING.fullmatch(value)


def is_random(value: str) -> bool:
    """Tell whether a value looks random, as tokens and keys do.

    >>> is_random("9fceb02d0ae598e95dc970b7"), is_random("SqlServer2019Developer"), is_random("my-first-token-2024")
    (True, False, False)
    >>> is_random("qwjhxkvbzpfmtgrl"), is_random("internationalisation")
    (True, False)
    """
    if len(value) < 16 or len(set(value)) < 8 or is_placeholder(value):
        return False
    return len(_TURN.findall(value)) >= max(4, len(value) * 0.17) or _is_gibberish(value)


def _is_gibberish(value: str) -> bool:
    """Tell whether too many pairs of letters are rare in words."""
    rare, pairs = _rare_pairs(value)
    return rare >= 5 and rare >= pairs * 0.33


def _rare_pairs(value: str) -> tuple[int, int]:
    """Return how many pairs of letters are rare in words, and how many pairs there are in all."""
    pairs = _SAME_CASE.findall(value)
    return sum(pair.lower() not in _PAIRS for pair in pairs), len(pairs)


def is_token(value: str) -> bool:
    """Tell whether a value assigned to a token's label is one; a UUID or a short code can be.

    >>> is_token("k3f9x0q2m7"), is_token("4815162342108151623"), is_token("NextToken2")
    (True, True, False)
    """
    if is_random(value):
        return not _DATE.fullmatch(value)
    if value.isdigit():
        return len(value) >= 15 and len(set(value)) >= 5
    if _HEX.fullmatch(value):
        # With few letters among its digits, it does not look random enough above.
        return len(set(value)) >= 8
    plain = _JOINED.sub("", value)
    if not plain.isalnum() or len(plain) < 10 or (plain != value and not _THREE_KINDS.match(plain)):
        return False
    noise = len(_TURN.findall(plain)) + _rare_pairs(plain)[0]
    return noise >= max(4, len(plain) * 0.3) and not is_placeholder(value)


def is_token_or_strong(value: str) -> bool:
    """Tell whether a value passed along with a token's label is one, even if it is full of signs."""
    return is_token(value) or is_strong(value)


def is_token_in_prose(value: str) -> bool:
    """Tell whether the word after "the key is" is a key: random, or made of letters, digits and signs."""
    if not looks_like_password(value):
        return False
    return is_token(value) or (len(value) >= 8 and bool(re.search(r"\d", value) and re.search(r"[^\w\s.,:/-]", value)))


def is_token_not_id(value: str) -> bool:
    """Tell whether a value beside or below a token's label is one, and not an identifier or a fingerprint."""
    return is_random(value) and not _DATE.fullmatch(value) and not _IDENTIFIER.fullmatch(value)


def is_surely_random(value: str) -> bool:
    """Tell whether a value a few words after a label is a token: more random than any name."""
    if not is_token_not_id(value):
        return False
    if _HEX.fullmatch(value) or (_is_gibberish(value) and re.search(r"\d", value)):
        return True
    return len(_TURN.findall(value)) >= len(value) * 0.25 and value.count("_") < 4


def is_token_alone(value: str) -> bool:
    """Tell whether a line that is only this value is a token: no name, path, address, checksum or identifier.

    >>> is_token_alone("4g7vsuod6v1or0she6k1"), is_token_alone("9fceb02d0ae598e95dc970b74767f19372d61af8")
    (True, False)
    """
    return is_surely_random(value) and is_not_sample(value) and not (_HEX_IN_NAME.fullmatch(value) or _is_data(value))


def _is_data(value: str) -> bool:
    """Tell whether base64 decodes to a text, or begins as a file or a certificate does."""
    if value.startswith(_FILES):
        return True
    try:
        return b64decode(value, validate=True).decode("ascii").isprintable()
    except (Error, ValueError):
        return False


def is_strong_cell(value: str) -> bool:
    """Tell whether a cell next to or below a password's label is one: a single word that looks like a password."""
    return not re.search(r"\s", value) and looks_like_password(value)


def is_password_cell(value: str) -> bool:
    """Tell whether a cell in a column of passwords is one: anything but a description or a placeholder.

    >>> is_password_cell("correcthorse"), is_password_cell("required"), is_password_cell("see the manager")
    (True, False, False)
    """
    words = value.lower().split()
    several = len(words) > 2 and not _WORDS.intersection(words)
    return len(value) >= 6 and (len(words) == 1 or several) and is_password_in_prose(value)


# One value of a list, quoted or bare.
_ITEM = lazy_pattern(r"\"((?>(?:[^\"\\]|\\.)*))\"|'([^']*+)'|([^\s\"',]{3,})")


def lists_password(values: str) -> bool:
    """Tell whether one value of a list is a password; then all of them are."""
    return any(looks_like_password(item[item.lastindex or 0]) for item in _ITEM.finditer(values))


def lists_token(values: str) -> bool:
    """Tell whether one value of a list is a token."""
    return any(is_token(item[item.lastindex or 0]) for item in _ITEM.finditer(values))


# What is not a value among the fields of YAML or JSON: a key, a comment, a name in brackets; and a word of a value.
_NO_VALUE = lazy_pattern(
    r"<[^<>\n]*>|\$[{(][^})\n]*[})]|\{\{[^\n]*?\}\}|(?<!\S)#[^\n]*"
    r"|^[\s>-]*[\"']?[\w./-]+[\"']?[ \t]*:(?=\s|\Z)|\"[\w./-]+\"\s*:",
    re.MULTILINE,
)
_VALUE_WORD = lazy_pattern(r"[^\s\"'\\{},]{4,}")


def lists_field(lines: str) -> bool:
    """Tell whether one of several fields has a value, and not only a placeholder for it."""
    return any(not is_placeholder(word.lstrip("/")) for word in _VALUE_WORD.findall(_NO_VALUE.sub(" ", lines)))


def is_login(value: str) -> bool:
    """Tell whether base64 decodes to `name:password`, as in `Authorization: Basic`."""
    try:
        plain = b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (Error, ValueError):
        return False
    return ":" in plain and plain.isprintable()


def is_not_sample(secret: str) -> bool:
    """Tell a token from a sample of one: `sk-xxxx`, `ghp_your_token_here`, keys that contain EXAMPLE.

    >>> is_not_sample("abc" + "x" * 20), is_not_sample("pk-" + "4f9aQ27Lk0")
    (False, True)
    """
    if re.search(r"(?i)example|x{5}|your[-_]|0{9}|1{9}|\.\.\.|placeholder|redacted|123456789|abcdefgh", secret):
        return False
    return len(set(secret)) > 4
