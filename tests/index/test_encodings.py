"""Texts in old encodings: found by what language they are, down to a line of them."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from notewell.index.readers.encodings import ALPHABETS, SCRIPTS, detect_encoding, encoding_name, models

TEXTS = {
    "cp1252": (
        "Die schöne Müllerin läßt den Teig über Nacht ruhen, weil er größer wird.",
        "Le pâtissier a déjà préparé la crème brûlée; les élèves français l'ont aimée.",
        "El niño comió una piña mañana por la mañana; ¿qué pasó después? Llegó el otoño.",
        "Não há pão na padaria, então o cão comeu a maçã; as opções são três.",
        "Smörgåsbordet är dukat på ön, och gästerna får äta så mycket de vill.",
        "La città è più bella perché c'è già il caffè, però non c'è più pane così buono.",
        "It’s a “short” text – about bread… and the price is 5 £ or 6 € a loaf.",
    ),
    "cp1250": (
        "Zażółć gęślą jaźń: chleb leży na stole, a żyto rośnie już całą wiosnę.",
        "Příliš žluťoučký kůň úpěl ďábelské ódy, když pekař dělal chléb.",
        "Árvíztűrő tükörfúrógép; a kenyér hűvös helyen, éjszaka, lassan kelő tészta.",
        "Čovjek je još uvijek čekao žetvu, a noću je već počeo peći kruh.",
    ),
    "iso8859_2": ("Zażółć gęślą jaźń: chleb leży na stole, a żyto rośnie już całą wiosnę.",),
    "cp1251": (
        "Тесто должно отдохнуть ночью, потому что хлеб не любит спешки.",
        "Тісто має відпочити вночі, бо хліб не любить поспіху і її рецепт відомий.",
    ),
    "koi8_r": ("Тесто должно отдохнуть ночью, потому что хлеб не любит спешки.",),
    "cp866": ("Тесто должно отдохнуть ночью, потому что хлеб не любит спешки.",),
    "cp1253": ("Το ψωμί χρειάζεται χρόνο και υπομονή πριν μπει στον φούρνο.",),
    "cp1254": ("Ekmek hamuru gece boyunca dinlenmeli, çünkü mayanın işi ağır ağır ilerler ve ışık ister.",),
    "cp932": ("パンの生地は一晩ゆっくり休ませると、味がとても良くなります。",),
    "euc_jp": ("パンの生地は一晩ゆっくり休ませると、味がとても良くなります。",),
    "gb18030": ("面团需要在冰箱里休息一个晚上，这样做出来的面包更好吃。",),
    "cp950": ("麵團需要在冰箱裡休息一個晚上，這樣做出來的麵包更好吃。",),
    "cp949": ("반죽은 밤새 천천히 쉬어야 하고, 그래야 빵이 더 맛있습니다.",),
    "cp1255": ("הבצק צריך לנוח כל הלילה, כי הלחם לא אוהב למהר.",),
    "cp1256": ("يجب أن يرتاح العجين طوال الليل لأن الخبز لا يحب العجلة.",),
    "cp874": ("แป้งต้องพักทั้งคืน เพราะขนมปังไม่ชอบความเร่งรีบ",),
    "mac_roman": ("Die schöne Müllerin läßt den Teig über Nacht ruhen, weil er größer wird.",),
    "cp850": ("Die schöne Müllerin läßt den Teig über Nacht ruhen, weil er größer wird.",),
}
CASES = [(encoding, text) for encoding, texts in TEXTS.items() for text in texts]


@cases(("encoding", "text"), CASES)
@cases("times", [1, 8, 80])
def test_a_line_of_a_language_is_read_in_its_encoding(encoding: str, text: str, times: int) -> None:
    data = "\n".join([text] * times).encode(encoding)
    assert data.decode(detect_encoding(data)) == "\n".join([text] * times)


@cases(("encoding", "text"), CASES)
def test_one_foreign_line_in_a_long_english_text_is_enough(encoding: str, text: str) -> None:
    data = b"The loaf needs a rest.\n" * 5_000 + text.encode(encoding) + b"\nThe loaf needs a rest." * 5_000
    assert text in data.decode(detect_encoding(data))


@cases(
    ("encoding", "text"),
    [
        ("cp1252", "für"),
        ("cp1252", "é"),
        ("cp1252", "ÜBER DIE GRÖSSE"),
        ("cp1252", "50 µg, 6 ÷ 2, £5, ©"),
        ("cp1251", "Война"),
        ("cp932", "名前,年齢,住所\r\n佐藤,30,東京\r\n"),
        ("gb18030", "姓名,年龄\n张三,20\n"),
    ],
)
def test_a_few_letters_are_read_as_the_likeliest_language(encoding: str, text: str) -> None:
    assert detect_encoding(text.encode(encoding)) == encoding


@cases("low", [1, 32, 128])
@cases("length", [300, 3_000, 30_000])
def test_noise_has_no_encoding(low: int, length: int) -> None:
    chance = random.Random(f"{low} {length}")
    assert detect_encoding(bytes(chance.randrange(low, 256) for _ in range(length))) == ""


@given(st.binary(max_size=200))
def test_any_bytes_have_a_guess_that_can_be_named_or_none(data: bytes) -> None:
    encoding = detect_encoding(data)
    assert encoding == "" or encoding_name(encoding)


def test_ascii_needs_no_detection() -> None:
    assert detect_encoding(b"plain") == detect_encoding(b"") == ""


def test_every_letter_can_be_written_in_the_first_encoding_of_its_language() -> None:
    for kind in ALPHABETS:
        assert kind.letters.encode(kind.encodings[0]).decode(kind.encodings[0]) == kind.letters
        assert len(set(kind.letters)) == len(kind.letters)
    for script in SCRIPTS:
        assert script.used.encode(script.encodings[0])


def test_every_encoding_has_a_name_of_its_own() -> None:
    encodings = {model.encoding for model in models()}
    assert len({encoding_name(encoding) for encoding in encodings}) == len(encodings)
    assert not any("_" in encoding_name(encoding) for encoding in encodings)
