"""Secrets that their position gives away: in a command, an XML element, a table row or column, beside a login."""

from __future__ import annotations

from notewell.redact.by_label import PASSWORD, PASSWORD_KEYWORDS, SECRET, SECRET_KEYWORDS
from notewell.redact.rule import Ahead, Rule, any_case
from notewell.redact.values import (
    is_password,
    is_password_cell,
    is_strong_cell,
    is_token,
    is_token_not_id,
    looks_like_password,
)

# A command's argument: in quotes, or up to the next space.
_ARGUMENT = r"(?:\"(?P<double>[^\"\n]{3,}+)\"|'(?P<single>[^'\n]{3,}+)'|(?P<bare>[^\s\"'`|;&<>()]{3,512}+)(?![(\[]))"

# The cell to the right of a label.
_CELL = r"[ \t]{0,24}[*_`]{0,3}(?P<cell>[^\s|`]{6,512}+)[*_`]{0,3}[ \t]{0,24}(?=\||\r?\n|$)"
# Other fields of a mapping between the label and its value, nested or flat: `env[0].type: text`.
_PATH = r"(?:[^\s:=\"']{1,200}\.)?"
_FIELD = (
    r"(?![\"']?(?:[^\s:=\"']{1,200}\.)?(?:value|default|name|key)[\"']?[ \t]?[:=])"
    r"[\"']?[\w.\[\]-]{1,200}+[\"']?[ \t]?[:=][ \t]?[^\n,;{}]{0,80}+[,;\n]\s{0,40}+"
)
_VALUE = r"[ \t]?(?:\"(?P<double>[^\"\n]{4,512}+)\"|'(?P<single>[^'\n]{4,512}+)'|(?P<bare>[^\s\"'`,;}]{6,512}+))"
_HEAD = r"[\w )(]{0,16}+[\"'`*_]{0,3}[ \t]{0,24}(?=[|,;\t\r\n]|$)"
# The first cell of a CSV record, and the next one.
_FIRST = r"(?<![^\s\"'`<>|*\[])[\w.-]{0,24}?"
_NEXT = (
    r"[\w)(-]{0,16}+\"?[,;\t](?:\"(?P<quoted>[^\"\n]{6,512}+)\"|(?!\w{1,40}=\w)(?P<cell>[^\s\"'`|,;<>()\[\]]{6,512}+))"
    r"(?=[,;\t\"'`|<>)\]]|[ \t]{0,8}(?:\r?\n|$))"
)
_ELEMENT = r"[\w-]{0,16}+(?:[\"'][^<>\n]{0,60})?>(?:<!\[CDATA\[)?(?P<text>[^<>\n\]]{4,256}+)(?:\]\]>)?</"

BY_POSITION: tuple[Rule, ...] = (
    Rule(
        "password-flag",
        ("-pass", "-pwd"),
        any_case(rf"(?<![-\w])--[\w-]{{0,24}}?(?:{PASSWORD})(?![\w-])(?:[ \t]+|=)(?!-){_ARGUMENT}"),
        ("restic --password «{p}» check", "mysql --user=app --password='«{p}»' app"),
        check=is_password,
        lead=26,
    ),
    Rule(
        "secret-flag",
        ("-token", "-secret", "-key"),
        any_case(r"(?<![-\w])--[\w-]{0,24}?(?:token|secret|(?<!sign-)key)[ \t]+(?!-)" + _ARGUMENT),
        ("deploy --api-key «{a32}» now", "login --token '«{h40}»'"),
        check=is_token,
        lead=26,
    ),
    Rule(
        "password-argument",
        ("-password ", "-pass ", "-pwd "),
        any_case(r"(?<=[ \t])-(?:password|pass|pwd)[ \t]+(?!-)" + _ARGUMENT),
        ("Connect -User ilse -Password '«{p}»'",),
        check=is_password,
    ),
    Rule(
        "login-argument",
        ("curl", "wget", "http "),
        any_case(
            r"\b(?:curl|wget|http)\b[^\n]{0,200}?[ \t](?:-u|--user|-a|--auth)[ =]{0,2}[\"']?[^\s:\"'$<>{}]{1,64}:"
            r"(?P<secret>[^\s\"'`|;<>]{3,128}+)"
        ),
        ("curl -u ilse:«{p}» https://example.org/api",),
        check=is_password,
    ),
    Rule(
        "password-of-command",
        (
            "sshpass",
            "mysql",
            "docker login",
            "az login",
            "sqlcmd",
            "7z ",
            "htpasswd",
            "net use",
            "ldap",
            "openssl",
            "zip ",
        ),
        any_case(
            r"\b(?:sshpass[ \t]+-p[ \t]?|mysql(?:dump|admin)?\b[^\n]{0,80}?[ \t]-p"
            r"|(?:docker|az) login\b[^\n]{0,80}?[ \t]-p[ \t]+"
            r"|sqlcmd\b[^\n]{0,80}?[ \t]-P[ \t]?|7z a\b[^\n]{0,80}?[ \t]-p"
            r"|htpasswd[ \t]+-\w*b\w*[ \t]+\S{1,80}[ \t]+\S{1,40}[ \t]+|ldap\w{3,8}\b[^\n]{0,80}?[ \t]-w[ \t]+"
            r"|openssl\b[^\n]{0,80}?[ \t]-(?:k|pass(?:in|out)?)[ \t]+(?:pass:)?|zip[ \t]+[^\n]{0,40}?-P[ \t]+"
            r"|net use\b[^\n]{0,80}?/user:\S{1,40}[ \t]+)(?!-)" + _ARGUMENT
        ),
        ("sshpass -p '«{p}»' ssh cellar", "mysql -u root -p«{p}» app"),
        check=is_password,
    ),
    Rule(
        "password-in-xml",
        PASSWORD_KEYWORDS,
        any_case(PASSWORD + _ELEMENT),
        ("<password>«{p}»</password>",),
        check=is_password,
    ),
    Rule(
        "secret-in-xml",
        SECRET_KEYWORDS,
        any_case(SECRET + _ELEMENT),
        ("<apiKey>«{a32}»</apiKey>",),
        check=is_token,
    ),
    Rule(
        "password-in-attribute",
        (*PASSWORD_KEYWORDS, *SECRET_KEYWORDS),
        any_case(
            rf"(?:{PASSWORD}|{SECRET})\w{{0,16}}+[\"'][ \t,]{{1,3}}[\"']?value[\"']?[ \t]?[:=]"
            r"[ \t]?[\"'](?P<value>[^\"'\n]{4,256}+)"
        ),
        ('<add key="MailPassword" value="«{p}»" />',),
        check=looks_like_password,
    ),
    Rule(
        "password-in-call",
        PASSWORD_KEYWORDS,
        any_case(PASSWORD + r"[\"'],[ \t]{0,3}(?:\"(?P<double>[^\"\n]{4,256}+)\"|'(?P<single>[^'\n]{4,256}+)')"),
        ("define('DB_PASSWORD', '«{p}»');",),
        check=looks_like_password,
    ),
    Rule(
        "secret-in-call",
        SECRET_KEYWORDS,
        any_case(SECRET + r"[\"'],[ \t]{0,3}[\"'](?P<secret>[^\s\"'\n]{16,512}+)[\"']"),
        ("define('AUTH_KEY', '«{a64}»');",),
        check=is_token_not_id,
    ),
    Rule(
        "session-cookie",
        ("cookie:",),
        any_case(r"cookie:[^\n]{0,200}?(?:sess|sid|auth|token)\w{0,12}=(?P<secret>[^\s;,\"'`]{16,4000}+)"),
        ("Set-Cookie: theme=dark; session_id=«{a64}»; HttpOnly",),
        check=is_token_not_id,
    ),
    Rule(
        "password-in-sql",
        ("identified by", "password '", 'password "', "password n'"),
        any_case(
            r"(?:identified[ \t]+by(?:[ \t]+password)?|password)[ \t]+N?"
            r"(?:'(?P<single>[^'\n]{4,128}+)'|\"(?P<double>[^\"\n]{4,128}+)\")"
        ),
        ("create user ilse identified by '«{p}»';",),
        check=looks_like_password,
    ),
    Rule(
        "netrc",
        ("login ",),
        any_case(r"\blogin[ \t]+\S{1,64}\s{1,8}password[ \t]+(?P<secret>\S{4,128}+)"),
        ("machine example.org login ilse password «{p}»",),
        check=looks_like_password,
    ),
    Rule(
        "login-pair",
        ("credential", "creds", "zugangsdaten", "login", "zugang:", "admin /", "root /"),
        any_case(
            r"(?:(?:credentials?|creds|zugangsdaten|login|zugang)[*_]{0,2}[ \t]?(?:\([^)\n]{0,30}\)|for [\w .-]{1,30})?"
            r"(?:[:=]|[ \t](?:are|is|sind))[*_]{0,2}[ \t]{0,4}[`\"']?[\w.@+-]{2,48}[`\"']?"
            r"[ \t]?(?::|/|,|und|and|\|)[ \t]?"
            r"|(?<![\w./@-])login[ \t]+[\w.@+-]{2,48}:|(?<![\w./@-])(?:admin|root) / )"
            r"[`\"']?(?P<secret>[^\s\"'`|<>,]{6,400}+)"
        ),
        ("credentials: ilse / «{p}»",),
        check=looks_like_password,
    ),
    Rule(
        "pin",
        ("pin", "puk"),
        any_case(
            r"(?i:(?<![A-Za-z])(?-i:PIN|Pin|pin(?= code| number)|PUK))"
            r"(?i:[ -]?(?:code|number|nummer))?[*_]{0,2}(?: [\w ]{1,24})?"
            r"(?::|=| is| ist| lautet)[*_]{0,2}[ \t]{0,3}[*_`\"']{0,2}(?P<secret>\d{4,10})(?![\w.,:/-]*\d)"
        ),
        ("PIN: «{d6}»",),
    ),
    Rule(
        "password-after-name",
        PASSWORD_KEYWORDS,
        any_case(
            rf"(?:(?<=[\w):#*>|+-] )|(?<=\d\. )|(?<=[\[\"(|,;\t])|(?<=[\w.],[ ])|(?<=\n)|(?<=and )|(?<=und )"
            rf"|(?<=/[ ])|(?<![\s\S])|(?-i:(?<=[A-Z]_))|(?<=require)){PASSWORD}[ \t]{{1,3}}"
            r"[`\"']?(?P<secret>(?!&#)(?:[^\s\"'`|<>()\]]|\](?!\()){6,128}+)"
            r"(?=[`\"'\])]{0,2}(?:[.,;]?[ \t]{0,8}(?:\r?\n|$|[|\t])|(?<=\")[,;])|\]\()"
        ),
        ("user ilse, password «{p}»", "pw «{p}»"),
        check=looks_like_password,
    ),
    Rule(
        "password-in-row",
        PASSWORD_KEYWORDS,
        any_case(
            rf"(?:(?<=[|>*` \t_.-])|(?-i:(?<=[a-z])(?=P))){PASSWORD}[\w )(]{{0,16}}+[*_`]{{0,3}}[ \t]{{0,24}}\|{_CELL}"
        ),
        ("| Password | «{p}» |",),
        check=is_strong_cell,
    ),
    Rule(
        "secret-in-row",
        SECRET_KEYWORDS,
        any_case(rf"{SECRET}[\w )(]{{0,16}}+[*_`]{{0,3}}[ \t]{{0,24}}\|{_CELL}"),
        ("| API key | «{a32}» |",),
        check=is_token_not_id,
    ),
    Rule(
        "password-in-record",
        PASSWORD_KEYWORDS,
        any_case(rf"{_FIRST}{PASSWORD}{_NEXT}"),
        ("DB_PASSWORD,«{p}»", '"password";"«{p}»";x'),
        check=is_strong_cell,
        lead=26,
        ahead=Ahead(r"[,;\t]\S", 60),
    ),
    Rule(
        "secret-in-record",
        SECRET_KEYWORDS,
        any_case(SECRET + _NEXT),
        ("API key,«{a32}»", "weather_token;«{h40}»;x"),
        check=is_token_not_id,
        ahead=Ahead(r"[,;\t]\S", 60),
    ),
    Rule(
        "named-value",
        (*PASSWORD_KEYWORDS, *SECRET_KEYWORDS),
        any_case(
            # The label is itself a value, of `name` or `key`, or the key of a mapping.
            rf"(?:{PASSWORD}|{SECRET})[\w )(-]{{0,24}}+"
            r"(?:[\"'`]?(?:,|;|,?[ \t]{0,8}\r?\n)|[\"']?[ \t]?[:=]?[ \t]?(?:\{|\r?\n))"
            rf"\s{{0,40}}+(?:{_FIELD}){{0,3}}+{_PATH}[\"']?(?:value|default)[\"']?[ \t]?[:=]{_VALUE}"
        ),
        (
            "- name: ADMIN_PASSWORD\n  value: «{p}»",
            'env[0].name: ADMIN_PASSWORD; env[0].value: "«{p}»"',
            '"db_password": {\n  "type": "string",\n  "value": "«{p}»"\n}',
        ),
        check=looks_like_password,
    ),
    Rule(
        "value-before-name",
        ("value:", "value :", 'value"', "value'", "value=", "value ="),
        any_case(
            rf"(?<![a-z])value[\"']?[ \t]?[:=]{_VALUE}[\"'`]?(?:[,;]\s{{0,40}}+|\s{{1,40}}+)(?:{_FIELD}){{0,2}}?{_PATH}"
            r"[\"']?(?:name|key|field|label|title|id)[\"']?[ \t]?[:=][ \t]?[\"']?[\w .-]{0,32}?"
            rf"(?:{PASSWORD}|{SECRET})"
        ),
        ('{"value": "«{p}»", "key": "db_password"}',),
        check=looks_like_password,
    ),
    Rule(
        "recovery-phrase",
        ("seed", "recovery phrase", "mnemonic", "backup phrase", "secret phrase"),
        any_case(
            r"(?:(?:seed|recovery|backup|secret)[ -]?(?:phrase|words?)|mnemonic|seed)"
            r"[ \w()]{0,24}[*_]{0,2}[:=][*_]{0,2}\s{0,4}[`\"']?"
            r"(?P<secret>[a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23})"
            r"(?=[`\"'.\]]{0,2}[ \t]{0,8}(?:\r?\n|$|[|;\t]|,(?=\S))|\]\()"
        ),
        tuple("Seed phrase: «" + " ".join(["{z3}", "{z8}", "{z5}"] * times) + "»" for times in (4, 8)),
    ),
    Rule(
        "secret-column",
        SECRET_KEYWORDS,
        any_case(SECRET + _HEAD),
        ("| Service | Token |\n|---|---|\n| weather | «{h40}» |\n",),
        check=is_token_not_id,
        column_check=is_token_not_id,
    ),
    Rule(
        "password-column",
        PASSWORD_KEYWORDS,
        any_case(PASSWORD + _HEAD),
        ("| Place | Login | Password |\n|---|---|---|\n| Cellar | ilse | «{p}» |\n",),
        check=is_strong_cell,
        column_check=is_password_cell,
    ),
)
