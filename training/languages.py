"""Gather pairs of six languages for widen.py: dictionaries, translations, manuals and thesauri.

WORDNETS + freedict ─→ words.<language>.tsv      a word and its English translations
the same + glosses, Tatoeba, LibreOffice ─→ …    a text and its English
LibreOffice, GIMP, MDN, manual pages ─→ …        a heading and the text below it
mythes ─→ …                                      a word and its synonyms
"""

from __future__ import annotations

import argparse
import html
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from places import Place
from readers import manuals

# Our code of each language, and that of the sources.
CODES = {"de": "deu", "fr": "fra", "es": "spa", "it": "ita", "nl": "nld", "pt": "por"}
WORDNETS = "omwn/omw-data"
TATOEBA = "Helsinki-NLP/Tatoeba-Challenge"
MDN = "mdn/translated-content"
SEED = 4
MOST = 30_000
TAG = re.compile(r"<[^>]+>")
HEADING = re.compile(r"<h([1-4])\b[^>]*>(.*?)</h\1>", re.DOTALL | re.IGNORECASE)
ASIDE = re.compile(r"<(script|style|head|nav)\b.*?</\1>", re.DOTALL | re.IGNORECASE)
PARAGRAPH = re.compile(r'<(p|h[1-4]) id="((?:par|hd|tit)_?[^"]*)"[^>]*>(.*?)</\1>', re.DOTALL)
NOTES = re.compile(r"\[[^\]]*\]|\d+\.|<.*?>|\(.*?\)")

Pair = tuple[str, str]


def plain(markup: str) -> str:
    """The text of some HTML."""
    return re.sub(r"\s+", " ", html.unescape(TAG.sub(" ", markup))).strip()


def synsets(place: Place) -> dict[str, tuple[str, str]]:
    """English words and gloss of each synset, by its number and part of speech."""
    found: dict[str, tuple[str, str]] = {}
    for kind, letter in (("noun", "n"), ("verb", "v"), ("adj", "a"), ("adv", "r")):
        for text in place.package("wordnet-base", f"data.{kind}"):
            for line in text.splitlines():
                head, _, gloss = line.partition("|")
                if line.startswith(" ") or not gloss:
                    continue
                fields = head.split()
                words = [fields[4 + 2 * place].replace("_", " ").split("(")[0] for place in range(int(fields[3], 16))]
                found[f"{fields[0]}-{letter}"] = (", ".join(words), gloss.split('"')[0].strip(" ;\n"))
    return found


def wordnet(place: Place, code: str, glosses: bool) -> Iterator[Pair]:
    """A word and the English words of its synset, with or without the gloss."""
    english = synsets(place)
    pattern = rf"^wns/({code}/wn-data|iwn/wn-data|wikt/wn-wikt|cldr/wn-cldr)-{code}\.tab$"
    for _, text in place.texts(WORDNETS, pattern):
        for fields in (line.split("\t") for line in text.splitlines()):
            if len(fields) >= 3 and "lemma" in fields[1] and (entry := english.get(fields[0].replace("-s", "-a"))):
                yield fields[2].replace("_", " "), "; ".join(entry) if glosses else entry[0]


def dictionary(place: Place, code: str) -> Iterator[Pair]:
    """A word and its English, from the dictionaries of both directions."""
    for package, turned in ((f"dict-freedict-{code}-eng", False), (f"dict-freedict-eng-{code}", True)):
        for text in place.package(package, "*.dict.dz"):
            for head, body in re.findall(r"^(\S[^/\n]*?) /[^/\n]*/[^\n]*\n\s?([^\n]+)", text, re.M):
                said = NOTES.sub("", body).strip()[:200]
                yield (said, head) if turned else (head, said)


def sentences(place: Place, code: str) -> Iterator[Pair]:
    """A short sentence and its English."""
    for _, text in place.texts(TATOEBA, rf"^data/(devtest|test)/(eng-{code}|{code}-eng)/(test|dev).*txt$"):
        for fields in (line.split("\t") for line in text.splitlines()):
            if len(fields) == 4:
                yield (fields[2], fields[3]) if fields[1] == "eng" else (fields[3], fields[2])


def paragraphs(place: Place, language: str) -> dict[str, str]:
    """The paragraphs of LibreOffice's help by page and number, which are the same in every language."""
    name = "en-us" if language == "en" else language
    root = place.packages / f"libreoffice-help-{name}"
    found = {}
    for page in sorted(root.rglob("text/**/*.html")):
        inside = page.as_posix().split("/text/", 1)[1]
        for _, number, body in PARAGRAPH.findall(page.read_text(encoding="utf-8", errors="replace")):
            found[f"{inside}#{number}"] = plain(body)[:800]
    return found


def translated_help(place: Place, language: str) -> Iterator[Pair]:
    """A paragraph of LibreOffice's help and its English."""
    english = paragraphs(place, "en")
    for key, text in paragraphs(place, language).items():
        if len(text) > 8 and english.get(key, text) != text:
            yield text, english[key]


def pages(root: Path) -> Iterator[Pair]:
    """A heading and the text below it, of HTML pages."""
    for page in sorted(root.rglob("*.html")):
        parts = HEADING.split(ASIDE.sub(" ", page.read_text(encoding="utf-8", errors="replace")))
        for head, body in zip(parts[2::3], parts[3::3], strict=True):
            title, text = re.sub(r"^[\d.\s]+", "", plain(head)), plain(body)
            if 4 < len(title) < 120 and len(text) > 100:
                yield title, text[:1000]


def web(place: Place, folder: str) -> Iterator[Pair]:
    """A heading and its text, and a first sentence and the rest, of MDN's translated pages."""
    for _, page in place.texts(MDN, rf"^files/{folder}/.*\.md$"):
        title = re.search(r"^title: *[\"']?(.*?)[\"']?$", page, re.M)
        body = re.sub(r"^---\n.*?\n---\n|```.*?```|\{\{.*?\}\}|<!--.*?-->", " ", page, flags=re.DOTALL)
        parts = [title.group(1) if title else "", *re.split(r"^#{1,4} (.*)$", body, flags=re.M)]
        for head, below in zip(parts[::2], parts[1::2], strict=True):
            text = plain(re.sub(r"\]\([^)]*\)", "]", below))
            heading = re.sub(r"[`*]|\{#.*?\}", "", head).strip()
            if len(text) > 200 and 4 < len(heading) < 120:
                yield (heading if len(heading.split()) > 2 else f"{parts[0]} {heading}"), text[:1000]
                cut = text.find(". ")
                if 40 < cut < 220 and len(text) > 400:
                    yield text[:cut], text[cut + 2 : 1200]


def thesaurus(place: Place, package: str) -> Iterator[Pair]:
    """A word and its synonyms."""
    for file in sorted((place.packages / package).rglob("*.dat")):
        data = file.read_bytes()
        encoding = "latin-1" if data.startswith(b"ISO8859-1") else "utf-8"
        word = ""
        for fields in (line.strip().split("|") for line in data.decode(encoding, "replace").splitlines()[1:]):
            if len(fields) == 2 and fields[1].isdigit():
                word = fields[0]
            elif len(fields) > 1:
                yield word, " ".join(re.sub(r"\(.*?\)", "", other).strip() for other in fields[1:9])


def sources(place: Place, language: str) -> Iterator[tuple[str, Iterable[Pair]]]:
    """The sources of a language, each with its pairs."""
    code = CODES[language]
    yield "words", wordnet(place, code, glosses=False)
    yield "wordnet", wordnet(place, code, glosses=True)
    yield "freedict", dictionary(place, code)
    yield "tatoeba", sentences(place, code)
    yield "lo-par", translated_help(place, language)
    yield "lo", pages(place.packages / f"libreoffice-help-{language}")
    yield "gimp", pages(place.packages / f"gimp-help-{language}") if language not in ("de", "pt") else ()
    yield "mdn", web(place, {"pt": "pt-br"}.get(language, language))
    yield "man", manuals(f"manpages-{ {'pt': 'pt-br'}.get(language, language) }")(place) if language != "de" else ()
    yield "mythes", thesaurus(place, f"mythes-{ {'pt': 'pt-pt'}.get(language, language) }")


def write(file: Path, pairs: Iterable[Pair], most: int) -> None:
    """Write the distinct pairs, at most as many, drawn by lot."""
    tidy = (tuple(re.sub(r"\s+", " ", text).strip() for text in pair) for pair in pairs)
    kept = list(dict.fromkeys(pair for pair in tidy if all(pair) and pair[0] != pair[1]))
    random.Random(SEED).shuffle(kept)
    file.write_text("\n".join("\t".join(pair) for pair in kept[:most]), encoding="utf-8")
    print(f"{file.name}: {min(len(kept), most):,}")


def main() -> None:
    """Write one file for each source and language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repositories", type=Path, required=True, help="bare clones as owner+name/repo")
    parser.add_argument("--packages", type=Path, required=True, help="Debian packages, unpacked below their names")
    parser.add_argument("--out", type=Path, required=True, help="folder for the pairs")
    given = parser.parse_args()
    place = Place(given.repositories, given.packages)
    given.out.mkdir(parents=True, exist_ok=True)
    for language in CODES:
        for name, pairs in sources(place, language):
            write(given.out / f"{name}.{language}.tsv", pairs, 10 * MOST if name == "words" else MOST)


if __name__ == "__main__":
    main()
