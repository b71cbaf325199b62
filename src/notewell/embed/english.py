"""Whether a text is English: some encoders read nothing else, and score other languages with confidence."""

from __future__ import annotations

import re

WORD = re.compile(r"[^\W\d_]+")


def words_in(text: str) -> frozenset[str]:
    """Return the words of a text in lower case."""
    return frozenset(WORD.findall(text.lower()))


# Function words that every longer English text contains, and that the other languages here do not have.
ENGLISH = words_in(
    "the and to that for with are by this be from or at not have you which can if when your "
    "has but they their its one more how what then than there use used my should does into"
)
OTHERS = words_in(
    # German, French, Spanish, Italian, Portuguese, Dutch, Swedish
    "der die und das ist nicht ein eine mit für auf von zu dem den sich auch wird werden sind oder bei nach wie nur "
    "es le la les et est une dans que pour pas sur avec qui au du ce sont "
    "el los las por con del como para una más su al "
    "il di che non sono della nel gli anche questo "
    "os em não uma com ao dos das seu qual o "
    "het een van en niet voor zijn op te aan ook door dat dit hoe "
    "och att det som är på av inte till"
)
# Letters from here on belong to another script.
LATIN = 0x0250
FOREIGN_SHARE = 0.3


def is_english(text: str) -> bool:
    """Tell whether a text may be English, by its script and its function words.

    >>> is_english("Salt slows the yeast down."), is_english("Salz bremst die Hefe, und das ist gut.")
    (True, False)
    >>> is_english("sourdough hydration"), is_english("京都で猪を見た")
    (True, False)
    """
    words = WORD.findall(text.lower())
    other_script = sum(len(word) for word in words if ord(word[0]) >= LATIN)
    if other_script > FOREIGN_SHARE * sum(map(len, words)):
        return False
    return sum(word in ENGLISH for word in words) >= sum(word in OTHERS for word in words)
