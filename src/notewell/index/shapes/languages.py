"""How definitions look in each programming language, as data: patterns of single lines, by family and suffix."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

NEVER = "(?!)"
# Words that start a statement: what follows them is not a method's name.
STATEMENT = (
    r"(?!(?:if|else|for|foreach|while|do|switch|case|catch|try|return|throw|throws|new|delete|await|yield|using|lock"
    r"|with|assert|import|package|goto|typeof|sizeof|super|this|base|when|fixed|unsafe|typedef|decltype|noexcept"
    r"|alignas|requires|static_assert|template)\b)"
)


@dataclass(frozen=True, slots=True)
class Language:
    """A family of languages. Patterns are matched where a line's text starts; group 1 is a definition's name.

    `types` contain other definitions. `functions` have a keyword and are recognised anywhere; `methods` have only a
    shape, so they are recognised only outside functions. `comment` and `mark` (decorators and the like) start lines
    that belong to the definition below. The indentation of `adrift` lines means nothing. `joins` and `closes` start
    lines that belong to the definition above though they are not indented; `closes` end it. With `body`, a method has a
    brace before the next semicolon. `quotes` open comments and strings that may span lines. With `sections`, a
    definition lasts until the next one.

    Where two adjacent repetitions could match the same character, the first is possessive (`++`, `*+`): otherwise a
    line made of such characters would take for ever.
    """

    types: str = NEVER
    functions: str = NEVER
    methods: str = NEVER
    comment: str = r"//|/\*"
    mark: str = "@"
    adrift: str = NEVER
    joins: str = r"[{})\]]|where\b"
    closes: str = r"\}(?!.*[{(\[,]\s*$)"
    quotes: str = NEVER
    body: bool = False
    sections: bool = False


def _quotes(*opened: str, comment: str = "//", strings: str = "\"'", pattern: str = NEVER) -> str:
    """Return a pattern of opening signs (group 1, here-documents group 2) and of what can hide one.

    >>> [found[1] for found in re.finditer(_quotes("/*"), "a = '/*' // /*\\n/* b")]
    [None, None, '/*']
    """
    hidden = [rf"(?:{comment})[^\n]*"] if comment else []
    here = [rf"(?<!<){sign}[-~]?[\"'`]?([A-Za-z_]\w*)" for sign in opened if sign[0] == "<" and sign != "<#"]
    signs = "|".join(re.escape(sign) for sign in opened if sign[:2] != "<<")
    # A string ends at the latest with its line.
    plain = [rf"{sign}(?:[^{sign}\\\n]|\\.)*+{sign}?" for sign in strings]
    return "|".join((f"({signs or NEVER})", *(here or [f"{NEVER}()"]), *hidden, pattern, *plain))


CLOSED_BY = {
    "/*": "*/",
    "--[[": "]]",
    "[[": "]]",
    'r"': '"',
    '@"': '"',
    '"\\\n': '"',
    'r#"': '"#',
    'r##"': '"##',
    "<#": "#>",
    "{-": "-}",
    "#|": "|#",
    "=begin": "\n=end",
    "#=": "=#",
}

PYTHON = Language(
    types=r"class\s+(\w+)",
    functions=r"(?:async\s+)?(?:def|cdef|cpdef)\s+(\w+)",
    comment="#",
    joins=r"[)\]}]",
    closes=NEVER,
    quotes=_quotes('"""', "'''", comment="#"),
)
_TEST = r"(?:describe|context|it|test|suite|specify|scenario|feature)(?:\.\w+)*"
_JS_WORDS = (
    r"(?:(?:public|private|protected|static|async|override|abstract|readonly|get|set|declare|export|default)\s++)*"
)
# A regular expression may contain a quote. It follows no value: after a value, a slash divides. Like a string, it ends
# at the latest with its line.
_SLASHED = (
    r"(?:(?<=[(=,:;!&|?>])|(?<=[(=,:;!&|?>] )|(?<=return ))"
    r"/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*+\]?)*+/?"
)
JAVASCRIPT = Language(
    types=(
        rf"{_JS_WORDS}(?:class|interface|enum|namespace|module|const\s+enum)\s+([\w$.]+)|{_TEST}\(\s*['\"`]([^'\"`]+)"
    ),
    functions=(
        rf"{_JS_WORDS}function\b\s*+\*?\s*+([\w$]+)"
        r"|(?:export\s+)?(?:declare\s+)?type\s+(\w+)"
        r"|(?:(?:export\s+)?(?:const|let|var)\s+)?([\w$.]++)\s*+(?::[^=]*)?[=:]\s*+(?:\w++\()?(?:async\s*+)?"
        r"(?:function\b|class\b|(?:<[^>]*+>)?\((?:[^;]*=>|\s*+(?:\{\s*+)?$)|\w++\s*+=>)"
        rf"|{_JS_WORDS}\*?\s*+{STATEMENT}((?!function\b)[\w$#]++|\[[\w.]++\])\s*+(?:<[^(]*>)?\((?!.*\bfunction\b).*\)"
        r"\s*+(?::[^={]++)?\{(?:\s*+$|[^}]*+\}\s*+,?$)"
    ),
    methods=rf"{_JS_WORDS}{STATEMENT}([\w$#]++)\s*+\??(?:<[^(]*>)?\((?:[^()]*+$|.*\)\s*+:)",
    quotes=_quotes("/*", "`", pattern=_SLASHED),
)
GO = Language(
    types=r"type\s+(\w+)",
    functions=r"func\s+(?:\(\s*+(?:\w++\s++)?\*?(\w++)[^)]*+\)\s*+)?(\w+)",
    quotes=_quotes("/*", "`"),
    adrift=r"\w+:\s*$",
)
_RUST_WORDS = r"(?:pub(?:\([^)]*\))?\s+)?(?:(?:default|const|async|unsafe|extern(?:\s+\"[^\"]*\")?)\s+)*"
RUST = Language(
    types=(
        rf"{_RUST_WORDS}(?:struct|enum|trait|mod|union)\s+(\w+)|macro_rules!\s*(\w+)"
        r"|(?:unsafe\s+)?impl\b(?:[^{]*\bfor\s+|\s*<[^{]*>\s+|\s+)&?(?:'\w+\s+)?(?:mut\s+)?(?:dyn\s+)?(?:\w+::)*(\w+)"
    ),
    functions=rf"{_RUST_WORDS}fn\s+(?:r#)?(\w+)",
    mark=r"#!?\[",
    # A lone quote is a lifetime.
    quotes=_quotes("/*", 'r"', 'r#"', 'r##"', '"\\\n', strings='"'),
)
_WORDS = (
    r"(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|data|open|inner|inline|override"
    r"|async|suspend|actual|expect|value|annotation|companion|fileprivate|indirect|mutating|nonmutating|convenience"
    r"|required|lazy|implicit|case|unsafe|readonly|ref|virtual|extern|new|strictfp|default|non-sealed|tailrec|operator"
    r"|infix|external|synchronized|native|class|enum|@\w+(?:\([^)]*\))?|(?:private|protected)\[\w+\])\s++)*"
)
# Types in angle brackets, nested up to three deep; only there may a type contain a space.
_TYPES = r"<(?:[^<>(]++|<(?:[^<>(]++|<[^<>(]*+>)*+>)*+>"
_TYPE = rf"(?:[\w>\[\],.?&@]++|{_TYPES}|<)++\s++(?!\()"
_SHAPE = rf"{STATEMENT}((?:\w++(?:{_TYPES})?+\.)*+\w++)(?:{_TYPES})?+\s*+\("
JAVA = Language(
    types=(
        rf"{_WORDS}(?:class|interface|enum|record|struct|object|trait|protocol|extension|actor|@interface|namespace)\s+"
        r"([\w.]+)"
    ),
    functions=(
        rf"{_WORDS}(?:fun|func|def)\s+(?:<[^>]*>\s*)?((?:[\w<>?]++\.)*\w+)"
        rf"|{_WORDS}(init|deinit|constructor|subscript)\s*[?(<]"
        rf"|(?:public|private|protected|internal|override|static|async)\s++(?:{_TYPE})*+{_SHAPE}"
    ),
    methods=rf"{STATEMENT}(?:{_TYPE})++{_SHAPE}|{STATEMENT}(\w+)\s*\([^;]*\{{\s*$",
    mark=r"@|\[\w.*\]\s*$",
    adrift=r"#",
    quotes=_quotes("/*", '"""', '@"'),
)
_C_NAME = r"(?:[\w<>,]++::)*+(?:~?\w++|operator\b[^(;{]++)"
# What precedes the name: a word that is not followed by a bracket, and is not `operator`.
_C_WORD = r"(?![\w:<>,]*\boperator\b)[\w<>\[\],.:~]++[\s*&]++(?!\()"
C = Language(
    types=(
        r"(?:template\s*<.*>\s*)?(?:typedef\s+)?(?:class|struct|union|enum(?:\s+class)?|namespace)\s+"
        r"(?:[A-Z_]+(?:\([^)]*\))?\s+)?((?:\w++::)*+\w++)(?![^{]*[;=()])"
    ),
    methods=(
        rf"(?>template\s*<[^;{{]*>\s+)?{STATEMENT}(?:[*&][\s*&]++)?+(?:{_C_WORD}|\"C\"\s++)*+{STATEMENT}({_C_NAME})\s*+\("
    ),
    # The return type may be on a line of its own.
    mark=rf"template\s*<|\[\[|__attribute__|{STATEMENT}(?:[\w:<>]++[\s*&]*+)++$",
    adrift=r"#|(?:public|private|protected|default|\w+)\s*:\s*$|case\b",
    closes=r"\}(?!.*[{(\[,]\s*$)(?!\s*(?:else|while)\b)",
    quotes=_quotes("/*"),
    body=True,
)
RUBY = Language(
    types=(
        rf"(?:class|module)\s+([\w:]+)|(?:RSpec\.)?{_TEST}\(?\s++['\"]?\s*+([^'\",\s]++(?:\s++(?!do\b)[^'\",\s]++)*+)"
        r"(?:\s*+['\"])?+(?:\s*+,.*\s|\s++)do\b"
    ),
    functions=r"(?:(?:private|protected|public|module_function)\s+)?def\s+((?:self\.|\w+\.)?[^\s(;=]+=?)",
    comment="#",
    joins=r"rescue\b|ensure\b|else\b|[)\]}]",
    closes=r"end\b|\}",
    quotes=_quotes("=begin", "<<", comment="#"),
)
PHP = Language(
    types=r"(?:(?:abstract|final|readonly)\s+)*(?:class|interface|trait|enum)\s+(\w+)",
    functions=r"(?:(?:public|private|protected|static|abstract|final)\s+)*function\s++&?\s*+(\w+)",
    comment=r"//|/\*|#(?!\[)",
    mark=r"#\[|@",
    quotes=_quotes("/*", "<<<", comment=r"//|#(?!\[)"),
)
SHELL = Language(
    functions=r"function\s+([\w:.-]+)|([\w:.-]+)\s*\(\s*\)",
    comment="#",
    closes=r"\}|\)\s*$|end\b",
    joins=r"[{}()]",
    quotes=_quotes("<<", comment=r"(?:^|(?<=\s))#"),
)
POWERSHELL = Language(
    types=r"(?i)(?:class|enum)\s+(\w+)",
    functions=r"(?i)(?:function|filter|workflow)\s+([\w:-]+)",
    comment="#|<#",
    quotes=_quotes("<#", comment="#"),
)
SQL = Language(
    types=(
        r"(?i)create\s+(?:or\s+(?:replace|alter)\s+)?(?:(?:global|local|temp|temporary|unique|materialized|unlogged"
        r"|external|recursive|virtual|definer\s*=\s*\S+)\s+)*(?:table|view|function|procedure|trigger|type|index"
        r"|package(?:\s+body)?|schema|sequence|domain|policy|extension|role|aggregate|operator)\s+"
        r"(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?([\w.\"`\[\]]+)"
    ),
    comment=r"--|/\*",
    quotes=_quotes("/*", "$$", comment="--", strings="'"),
    sections=True,
)
LUA = Language(
    functions=r"(?:local\s+)?function\s+([\w.:]+)|(?:local\s+)?([\w.:]+)\s*=\s*function\b",
    comment="--",
    closes=r"end\b|\}",
    quotes=_quotes("--[[", "[[", comment=r"--(?!\[\[)"),
)
R = Language(
    functions=(r"[`\"']?([\w.]+)[`\"']?\s*(?:<-|=)\s*function\b|set(?:Method|Generic|Class)\(\s*['\"]([\w.]+)"),
    comment="#",
)
PERL = Language(
    functions=r"sub\s+([\w:']+)",
    comment="#",
    quotes=_quotes("<<", comment=r"(?:^|(?<=\s))#"),
)
CSS = Language(
    types=r"(@(?:media|supports|layer|container|keyframes|mixin|function|include|font-face)\b[^{;]*)\{",
    functions=r"([^\s@{};/][^{};]*)(?:\{|,\s*$)",
    mark=NEVER,
    quotes=_quotes("/*", comment=""),
)
SECTIONS = Language(
    types=r"\[{1,2}([^\[\],]+)\]{1,2}\s*(?:[#;].*)?$",
    comment="[#;]",
    mark=NEVER,
    sections=True,
)
ENDED = Language(
    types=(r"(?:defmodule|defprotocol|defimpl|(?:mutable\s+)?struct|(?:bare)?module|abstract\s+type)\s+([\w.]+)"),
    functions=r"(?:defp?|defmacrop?|function|macro)\s+([\w.!?]+)|(\w[\w!]*)\([^=]*\)\s*=(?!=)",
    comment="#",
    joins=r"rescue\b|after\b|else\b|catch\b|[)\]}]",
    closes=r"end\b|\}",
    quotes=_quotes('"""', "#=", comment="#(?!=)"),
)
BLOCKS = Language(
    types=(
        r"(?:resource|data|module|variable|output|provider|locals|terraform|message|service|enum|extend|type|interface"
        r"|input|union)\b\s*([^{=]*[^{=\s])?\s*(?:\{|=|$)"
    ),
    functions=r"rpc\s+(\w+)",
    comment=r"#|//|/\*",
    quotes=_quotes("/*", '"""', comment="#|//"),
)
LISP = Language(
    types=r"\((?:ns|in-ns|defpackage)\s+(\S+?)\)?\s*$",
    functions=r"\(def[\w-]*\*?[\s(]+([^\s()]+)",
    comment=";",
    quotes=_quotes("#|", comment=";", strings='"'),
)
HASKELL = Language(
    types=r"(?:class|data|newtype|type|instance|module)\s++(?:.*=>\s*+)?([\w.]+)",
    functions=r"(\w[\w']*)\s*::",
    comment=r"--|\{-",
    quotes=_quotes("{-", comment="--", strings='"'),
    sections=True,
)

_FAMILIES = (
    (PYTHON, ".py .pyi .pyw .pyx .gd"),
    (JAVASCRIPT, ".js .mjs .cjs .jsx .ts .mts .cts .tsx .vue .svelte"),
    (GO, ".go"),
    (RUST, ".rs .zig"),
    (JAVA, ".java .kt .kts .scala .swift .cs .groovy .gradle .dart"),
    (C, ".c .h .cc .cpp .cxx .hh .hpp .hxx .ino .cu"),
    (RUBY, ".rb .rake .cr"),
    (PHP, ".php"),
    (SHELL, ".sh .bash .zsh .fish .ksh"),
    (POWERSHELL, ".ps1 .psm1"),
    (SQL, ".sql"),
    (LUA, ".lua"),
    (R, ".r"),
    (PERL, ".pl .pm"),
    (CSS, ".css .scss .less"),
    (SECTIONS, ".toml .ini .cfg .conf .properties"),
    (ENDED, ".ex .exs .jl"),
    (BLOCKS, ".tf .hcl .proto .graphql"),
    (LISP, ".clj .cljs .cljc .lisp .el .scm"),
    (HASKELL, ".hs"),
)
LANGUAGES = {suffix: language for language, suffixes in _FAMILIES for suffix in suffixes.split()}
SUFFIXES: tuple[str, ...] = tuple(LANGUAGES)


def language_of(path: str) -> Language:
    """Return the language family of a file by its suffix; an unknown one has no definitions.

    >>> language_of("src/Main.KT") is JAVA
    True
    """
    return LANGUAGES.get(PurePosixPath(path).suffix.lower(), Language())
