"""Detects the encoding of text that is not UTF-8: the one in which its words are most likely in some language."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from notewell.frozen import frozen

# Bytes that are examined, from shortly before the first one beyond ASCII: more would change no result.
SAMPLE = 4_000
BEFORE = 100
HIGH = re.compile(rb"[\x80-\xff]")

# The cost of a character in bits, as if the text were compressed for a language: its usual letters are cheap.
ASCII, ODD = 5.0, 16.0
# The cost of an alphabet's most frequent letter, the step to each further one, the most for a rare one, and a capital.
LETTER, STEP, RARE, CAPITAL = 4.0, 0.3, 8.0, 2.0
# In scripts of thousands of characters: the most frequent ones, those of its syllables, others in use.
USED, SYLLABLE, KNOWN = 7.0, 8.5, 11.5
# Quotation marks and dashes; other signs.
MARK, SIGN = 8.0, 11.0
# The cost of what no word has: a capital after a small letter, a sign or digit inside, two scripts.
BROKEN = 8.0
# A language or encoding further down in its list is less likely by this much; some encodings are rare.
LESS_LANGUAGE, LESS_ENCODING, FAR_LESS = 0.3, 5.0, 12.0
RARE_ENCODINGS = frozenset({"mac_roman", "cp850", "cp852", "cp857", "cp737", "cp862", "iso8859_3"})
# Text costs less than this for each byte beyond ASCII, and noise more.
DEAREST = 11.0

PLAIN = "\t\n\r\f" + "".join(map(chr, range(32, 127)))
MARKS = "„“”‘’–—…«»\xa0€°§¿¡•·"
SIGNS = "²³½¼¾×÷®©™±µ¹ºª£¢¥†´¶"
WIDE_MARKS = "，。、：；？！（）「」『』“”《》　・…—"
WIDE_SIGNS = "".join(map(chr, (*range(0xFF01, 0xFF5F), *range(0x2190, 0x2194), *range(0x25A0, 0x2610))))
TWO_SCRIPTS = re.compile(
    r"[A-Za-z][\u0370-\u0fff]|[\u0370-\u0fff][A-Za-z]|[a-z][\u3400-\u9fff\uac00-\ud7a3]{1,2}(?=[a-z])"
)
SIGN_IN_WORD = re.compile(
    r"[^\W\d_][±¶¹¿¡¼½×®£†„§°•](?=[^\W\d_]|\b)|[^\W\d_][²³©™µ](?=[^\W\d_])|\b[±¶¹³¼](?=[^\W\d_])|[À-ſ]\d"
)
# Letters that only occur before certain others in Portuguese, Spanish, Danish and French, or never at a word's end.
MISPLACED = re.compile(r"õ(?!e)|ñ(?![aeiouáéíóúü])|æ\b|œ(?![a-z])|œ(?=[bcfghjkmpqrwz])")


@frozen
class Alphabet:
    """The letters of a language beyond ASCII, the most frequent first, and its encodings."""

    letters: str
    encodings: tuple[str, ...]


@frozen
class Script:
    """A script of thousands of characters: the most frequent, its syllables, and the bytes of those in use."""

    used: str
    syllables: str
    leads: range
    trails: range
    encodings: tuple[str, ...]


WESTERN = ("cp1252", "mac_roman", "cp850")
CENTRAL = ("cp1250", "iso8859_2", "cp852")
CYRILLIC = ("cp1251", "koi8_r", "cp866", "iso8859_5")
ALPHABETS = (
    Alphabet("’“”–‘—…•£€é", WESTERN),
    Alphabet("üäößé", WESTERN),
    Alphabet("éèàêçâîôûùïëœ", WESTERN),
    Alphabet("áéíóúñãçõâêôà", WESTERN),
    Alphabet("äåöøæéü", WESTERN),
    Alphabet("àèòìùé", WESTERN),
    Alphabet("éëïóöáèüí", WESTERN),
    Alphabet("łąęóżśćńź", CENTRAL),
    Alphabet("áíěéčřžýšůúňťóďľôĺä", CENTRAL),
    Alphabet("áéöóőüíúű", CENTRAL),
    Alphabet("čšžćđ", CENTRAL),
    Alphabet("оаеинтсрвлкмдпуяызьбгчйхжшюцщэфъё", CYRILLIC),
    Alphabet("оанитверсклудмпзьяібгчйхшїжюєцщфґ", ("cp1251", "koi8_u", "iso8859_5")),
    Alphabet("ıüşöçğâ", ("cp1254", "cp857")),
    Alphabet("αοιετσνηυρπκμλςωίόγάέδήβχθύφώξζψ", ("cp1253", "iso8859_7", "cp737")),
    Alphabet("ăîşţâ", CENTRAL),
    Alphabet("ėšųžąįčūę", ("cp1257",)),
    Alphabet("āīšēūņļžģķč", ("cp1257",)),
    Alphabet("äüõö", ("cp1252",)),
    Alphabet("áíéóöþðæúý", ("cp1252",)),
    Alphabet("ĝĉŭŝĵĥ", ("iso8859_3",)),
    Alphabet("יוהלאתבשרמםנעדקחפטגזסצכןךץף", ("cp1255", "cp862")),
    Alphabet("اليمونترةبعدسفهكقحجشطأصخذزئإىءضظغثؤآ", ("cp1256", "iso8859_6")),
    Alphabet("านรอกเงมยลวดทสต่ปะบคหแ้จพขใ็ีัิื์ไุชูโถำผซธศษณญฉ", ("cp874",)),
)

NAMES = {
    "cp932": "Shift-JIS",
    "euc_jp": "EUC-JP",
    "gb18030": "GB18030",
    "cp950": "Big5",
    "cp949": "EUC-KR",
    "koi8_r": "KOI8-R",
    "koi8_u": "KOI8-U",
    "mac_roman": "Mac Roman",
    "iso2022_jp": "ISO-2022-JP",
    "utf_16_le": "UTF-16",
    "utf_16_be": "UTF-16",
}

KANA = "".join(map(chr, (*range(0x3041, 0x3094), *range(0x30A1, 0x30FD), *range(0xFF61, 0xFFA0))))
HAN = "的一是不了在人有我他中上大和地到以要就出可也你生能而子那得下自之年作用道行所家事成方多去法如都同面起看定天分好小"
KOREAN = "이다는의에을를가고하지한로은기사서도리시자어대해인나라그있아정으과수전스들부일보것니만게여주제장원상구조"
# Second bytes of a character: above ASCII alone, as in EUC, or also among it, as in Shift-JIS and Big5.
UPPER, ALL = range(0xA1, 0xFF), range(0x40, 0xFF)
SCRIPTS = (
    Script(HAN + "这个们来为国说时会对着过发后里经么学现当没动还进", "", range(0xB0, 0xD8), UPPER, ("gb18030",)),
    Script("のにいるしてとたをはがでなスントルーイ", KANA, range(0xB0, 0xD0), UPPER, ("euc_jp",)),
    Script("のにいるしてとたをはがでなスントルーイ", KANA, range(0x88, 0x98), ALL, ("cp932",)),
    Script(HAN + "這個們來為國說時會對著過發後裡經麼學現當沒動還進", "", range(0xA4, 0xC7), ALL, ("cp950",)),
    Script(KOREAN, "", range(0xB0, 0xC9), UPPER, ("cp949",)),
)


@frozen
class Model:
    """The costs of a language in one encoding: of each character, of any other, and a fixed one."""

    encoding: str
    costs: dict[str, float]
    odd: float
    first: float


def encoding_name(encoding: str) -> str:
    """Return the usual name of an encoding.

    >>> encoding_name("cp932"), encoding_name("cp1252"), encoding_name("cp850"), encoding_name("iso8859_2")
    ('Shift-JIS', 'Windows-1252', 'DOS 850', 'ISO-8859-2')
    """
    page = encoding.removeprefix("cp")
    if page != encoding and encoding not in NAMES:
        return f"Windows-{page}" if page.startswith("125") or page == "874" else f"DOS {page}"
    return NAMES.get(encoding) or encoding.replace("iso8859_", "ISO-8859-")


def detect_encoding(data: bytes) -> str:
    """Return the most likely encoding of bytes beyond ASCII; empty if they are text in none.

    >>> detect_encoding("Grüße aus Köln".encode("latin-1")), detect_encoding("Привет".encode("cp1251"))
    ('cp1252', 'cp1251')
    >>> detect_encoding(bytes(range(128, 256)))
    ''
    """
    first = HIGH.search(data)
    if first is None:
        return ""
    start = max(0, first.start() - BEFORE)
    sample = data[start : start + SAMPLE]
    cost, encoding = min(_costs(sample, whole=start + SAMPLE >= len(data)), default=(0.0, ""))
    high = len(HIGH.findall(sample))
    return encoding if cost <= DEAREST * high + FAR_LESS + ASCII * (len(sample) - high) else ""


def _costs(sample: bytes, *, whole: bool) -> Iterator[tuple[float, str]]:
    """Yield the cost of the sample in each language and encoding that can decode it."""
    read: dict[str, tuple[Counter[str], float] | None] = {}
    for model in models():
        if model.encoding not in read:
            text = _decoded(sample, model.encoding, whole=whole)
            read[model.encoding] = None if text is None else (Counter(text), BROKEN * implausible(text))
        if counted := read[model.encoding]:
            letters, extra = counted
            each = sum(model.costs.get(letter, model.odd) * count for letter, count in letters.items())
            yield model.first + extra + each, model.encoding


def _decoded(sample: bytes, encoding: str, *, whole: bool) -> str | None:
    try:
        # If the sample ends before the text, its last character may be incomplete.
        return codecs.getincrementaldecoder(encoding)().decode(sample, final=whole)
    except UnicodeDecodeError:
        return None


def implausible(text: str) -> int:
    """Return how often a text has what no word of any language has.

    >>> implausible("Grüße"), implausible("grÏåë"), implausible("ma³y"), implausible("wоrd")
    (0, 1, 1, 1)
    """
    shifts = sum(1 for one, two in pairwise(text) if two > "\x7f" and one.islower() and two.isupper())
    return shifts + sum(len(pattern.findall(text)) for pattern in (TWO_SCRIPTS, SIGN_IN_WORD, MISPLACED))


@cache
def models() -> list[Model]:
    """Return a model of each language in each of its encodings."""
    found = []
    kinds: tuple[Alphabet | Script, ...] = (*ALPHABETS, *SCRIPTS)
    for place, kind in enumerate(kinds):
        costs = _script_costs(kind) if isinstance(kind, Script) else _alphabet_costs(kind)
        # A character of two bytes counts as two odd ones.
        odd = 2 * ODD if isinstance(kind, Script) else ODD
        for further, encoding in enumerate(kind.encodings):
            less = FAR_LESS if encoding in RARE_ENCODINGS else LESS_ENCODING * further
            found.append(Model(encoding, costs, odd, LESS_LANGUAGE * place + less))
    return found


def _alphabet_costs(alphabet: Alphabet) -> dict[str, float]:
    costs = dict.fromkeys(PLAIN, ASCII) | dict.fromkeys(SIGNS, SIGN) | dict.fromkeys(MARKS, MARK)
    small = {letter: min(LETTER + STEP * rank, RARE) for rank, letter in enumerate(alphabet.letters)}
    capitals = {letter.upper(): cost + CAPITAL for letter, cost in small.items() if letter.upper() not in small}
    return costs | capitals | small


def _script_costs(script: Script) -> dict[str, float]:
    pairs = b"".join(bytes((lead, trail)) for lead in script.leads for trail in script.trails)
    known = pairs.decode(script.encodings[0], "ignore")
    # ASCII last: invalid pairs decode to some of it.
    costs = dict.fromkeys(known + WIDE_SIGNS, KNOWN) | dict.fromkeys(PLAIN, ASCII)
    return costs | dict.fromkeys(script.syllables, SYLLABLE) | dict.fromkeys(script.used + WIDE_MARKS, USED)
