"""Read pairs (what one might ask, the text that answers) out of public repositories and Debian packages.

    folder of bare repositories + folder of unpacked packages ─read→ pairs ─write→ <source>.tsv

The text itself never enters this repository; `SOURCES` says where each kind was had and under which licence.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import markup
from forums import (
    DELTA,
    MITM,
    MOVIES,
    OFFICE,
    TAGS,
    TRAVEL,
    ask_ubuntu,
    assistant,
    cooks,
    dolly,
    headed,
    more_posts,
    problems,
    reverse_engineering,
    skeptics,
    tagged_questions,
    titled_bodies,
)
from markup import clip
from places import SEED, Place
from readers import (
    Pair,
    anthology,
    articles,
    arxiv,
    covid,
    dictionary,
    doctors,
    freedict,
    gesetze,
    html_pages,
    klexikon,
    manuals,
    markdown_pages,
    medquad,
    recipes,
    stack_exchange,
    statutes,
    tatoeba,
    textbooks,
    trivia,
    wikipedia,
    wordnet,
)


@dataclass(frozen=True, slots=True)
class Source:
    """A kind of text: how to read it, its language, the most pairs to take, and its licence as stated there."""

    name: str
    read: Callable[[Place], Iterator[Pair]]
    language: str
    most: int
    licence: str


SOURCES = (
    Source("wikipedia-en", wikipedia, "en", 420_000, "CC BY-SA"),
    Source("arxiv", arxiv, "en", 150_000, "metadata CC0"),
    Source("acl-anthology", anthology, "en", 50_000, "CC BY"),
    Source(
        "elife",
        articles("elifesciences/elife-article-xml", r"articles/elife-\d+-v1\.xml$", most=14_000),
        "en",
        160_000,
        "CC BY",
    ),
    Source(
        "pmc",
        articles("boudinfl/ake-datasets", r"PubMed/(xml|src)/.*xml$", most=1_400),
        "en",
        20_000,
        "PMC open access",
    ),
    Source("openstax", textbooks, "en", 80_000, "CC BY"),
    Source("medquad", medquad, "en", 40_000, "CC BY"),
    Source("doctors", doctors, "en", 30_000, "MIT"),
    Source("covid", covid, "en", 10_000, "Apache-2.0 / MIT"),
    Source("trivia", trivia, "en", 40_000, "CC BY-SA"),
    Source("recipes", recipes, "en", 70_000, "public domain"),
    Source("dc-code", statutes, "en", 25_000, "public domain"),
    Source("stack-exchange", stack_exchange, "en", 60_000, "CC BY-SA"),
    Source("cooking-biology", tagged_questions(TAGS, r"(cooking|biology)\.csv\.zip$"), "en", 30_000, "CC BY-SA"),
    Source("crypto-robotics", tagged_questions(TAGS, r"(crypto|robotics)\.csv\.zip$"), "en", 14_000, "CC BY-SA"),
    Source("travel", titled_bodies(TRAVEL, r"^data/travel\.csv$", "title", "content"), "en", 3_000, "CC BY-SA"),
    Source("movies", titled_bodies(MOVIES, r"^Posts\.csv$", "Title", "Body"), "en", 3_000, "CC BY-SA"),
    Source("skeptics", skeptics, "en", 6_000, "CC BY-SA"),
    Source("cooks", cooks, "en", 500, "CC BY-SA"),
    Source("more-posts", more_posts, "en", 10_000, "CC BY-SA"),
    Source("reverse-engineering", reverse_engineering, "en", 25_000, "CC BY-SA"),
    Source("man-in-the-middle", titled_bodies(MITM, r"mitm_tag_SE\.csv$", "Title", "Body"), "en", 2_000, "CC BY-SA"),
    Source("ask-ubuntu", ask_ubuntu, "en", 4_000, "CC BY-SA / MIT"),
    Source("dolly", dolly, "en", 15_000, "CC BY-SA"),
    Source("oasst", assistant, "en", 20_000, "Apache-2.0"),
    Source("office-support", problems(OFFICE, r"\.md$"), "en", 6_000, "CC BY"),
    Source("delta-faq", headed(DELTA, r"^en/help\.md$"), "en", 500, "GPL-3+"),
    Source("delta-faq-de", headed(DELTA, r"^de/help\.md$"), "de", 500, "GPL-3+"),
    Source("18f", markdown_pages("18F/handbook", r"\.md$"), "en", 8_000, "public domain"),
    Source("mdn", markdown_pages("mdn/content", r"^files/en-us/.*\.md$"), "en", 40_000, "CC BY-SA"),
    Source("kubernetes", markdown_pages("kubernetes/website", r"^content/en/.*\.md$"), "en", 25_000, "CC BY"),
    Source("github-docs", markdown_pages("github/docs", r"^content/.*\.md$"), "en", 25_000, "CC BY"),
    Source("windows", markdown_pages("MicrosoftDocs/windows-itpro-docs", r"\.md$"), "en", 25_000, "CC BY"),
    Source(
        "freecodecamp",
        markdown_pages("freeCodeCamp/freeCodeCamp", r"^curriculum/challenges/english/.*\.md$"),
        "en",
        20_000,
        "CC BY-SA",
    ),
    Source("manpages", manuals("manpages"), "en", 15_000, "free software licences"),
    Source("libreoffice", html_pages("libreoffice-help-en-us", "*.html"), "en", 20_000, "MPL-2.0"),
    Source("gimp", html_pages("gimp-help-en"), "en", 10_000, "GFDL"),
    Source("handbook", html_pages("debian-handbook", "en-US/*.html"), "en", 10_000, "GPL-2+ / CC BY-SA"),
    Source("anarchism", html_pages("anarchism"), "en", 10_000, "GFDL / GPL"),
    Source("gnucash", html_pages("gnucash-docs", "gnucash-*-en/*.html"), "en", 8_000, "GFDL"),
    Source("wordnet", wordnet, "en", 118_000, "WordNet licence"),
    Source("gcide", dictionary("dict-gcide"), "en", 110_000, "GPL"),
    Source("foldoc", dictionary("dict-foldoc"), "en", 15_000, "GFDL"),
    Source("jargon", dictionary("dict-jargon"), "en", 3_000, "public domain"),
    Source("klexikon", klexikon, "de", 90_000, "CC BY-SA"),
    Source("gesetze", gesetze, "de", 70_000, "public domain"),
    Source("mdn-de", markdown_pages("mdn/translated-content-de", r"^files/de/.*\.md$"), "de", 30_000, "CC BY-SA"),
    Source("manpages-de", manuals("manpages-de"), "de", 15_000, "free software licences"),
    Source("libreoffice-de", html_pages("libreoffice-help-de", "*.html"), "de", 20_000, "MPL-2.0"),
    Source("gimp-de", html_pages("gimp-help-de"), "de", 10_000, "GFDL"),
    Source("gnucash-de", html_pages("gnucash-docs", "gnucash-*-de/*.html"), "de", 8_000, "GFDL"),
    Source("manpages-fr", manuals("manpages-fr"), "fr", 8_000, "free software licences"),
    Source("manpages-es", manuals("manpages-es"), "es", 6_000, "free software licences"),
    Source("tatoeba", tatoeba, "xx-en", 120_000, "CC BY"),
    Source("deu-eng", freedict("dict-freedict-deu-eng"), "xx-en", 180_000, "GPL"),
    Source("fra-eng", freedict("dict-freedict-fra-eng"), "xx-en", 10_000, "GPL"),
    Source("spa-eng", freedict("dict-freedict-spa-eng"), "xx-en", 6_000, "GPL"),
    Source("ita-eng", freedict("dict-freedict-ita-eng"), "xx-en", 6_000, "GPL"),
    Source("nld-eng", freedict("dict-freedict-nld-eng"), "xx-en", 20_000, "GPL"),
)


def sentence_and_rest(passage: str) -> Pair:
    """The first sentence → what follows it; twice nothing when one of them is too short.

    >>> sentence_and_rest("Salt slows yeast down considerably. Add it late, when the dough has already come together.")
    ('Salt slows yeast down considerably.', 'Add it late, when the dough has already come together.')
    """
    first, _, rest = passage.partition(". ")
    enough = 20 <= len(first) <= 250 and len(rest) >= markup.SHORTEST
    return (f"{first}.", rest) if enough else ("", "")


def take(source: Source, place: Place) -> list[Pair]:
    """The source's pairs: each passage once, no query over thrice, at most `most`, drawn evenly."""
    passages: set[str] = set()
    queries: dict[str, int] = {}
    kept: list[Pair] = []
    floor = 2 if source.language == "xx-en" or source.name == "trivia" else markup.SHORTEST
    for raw_query, raw_passage in source.read(place):
        query, passage = clip(markup.SPACE.sub(" ", raw_query).strip(), 300), markup.SPACE.sub(" ", raw_passage).strip()
        if passage in passages:
            continue
        passages.add(passage)
        # "Introduction" asks nothing: where a query stands over many passages, each passage's first sentence asks.
        if len(query) < 3 or queries.get(query, 0) > 2:
            query, passage = sentence_and_rest(passage)
        if len(query) < 3 or len(passage) < floor or query == passage:
            continue
        queries[query] = queries.get(query, 0) + 1
        kept.append((query, passage))
    random.Random(SEED).shuffle(kept)
    return kept[: source.most]


def main() -> None:
    """Write one file of pairs for each source, and print how many."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--repositories", type=Path, required=True, help="folder of owner+name/repo, bare clones")
    parser.add_argument(
        "--packages", type=Path, required=True, help="folder of Debian packages, unpacked with dpkg-deb -x"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for <source>.tsv")
    parser.add_argument("--only", nargs="*", help="names of sources")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    place = Place(given.repositories, given.packages)
    for source in SOURCES:
        if not given.only or source.name in given.only:
            pairs = take(source, place)
            lines = (f"{query}\t{passage}\n" for query, passage in pairs)
            (given.out / f"{source.name}.tsv").write_text("".join(lines), encoding="utf-8")
            print(f"{source.name:18} {source.language:6} {len(pairs):8}  {source.licence}", flush=True)


if __name__ == "__main__":
    main()
