"""Forum talk: what ordinary people ask and what others answer, read into pairs.

    bare repositories ─read→ (question, answer) and (title, what the asker wrote below it)

Nothing is read of the sites on beer, which are measured on.
"""

from __future__ import annotations

import csv
import html
import io
import itertools
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import markup
from markup import clean, clip
from places import Place
from readers import posts

Pair = tuple[str, str]
CODE = re.compile(r"<pre\b.*?</pre>", re.S)
# The forum's own voice, not the asker's.
DUPLICATE = re.compile(r"<blockquote>\s*<p><strong>Possible Duplicate.*?</blockquote>", re.S)

TAGS = "swissknife007/Tranfer-Learning-for-Stack-Exchange"
OFFICE = "MicrosoftDocs/OfficeDocs-Support"
DELTA = "deltachat/deltachat-pages"
TRAVEL = "mike-camp/stack-exchange-data-analysis"
MOVIES = "RafaelRon/Stack-Exchange"
MITM = "koncharman/Stack_exchange_questions_framework"


def prose(text: str) -> str:
    """A post's words, without blocks of code and without the note that it was asked before."""
    return clip(clean(CODE.sub(" ", DUPLICATE.sub(" ", text))))


def rows(data: bytes) -> Iterator[dict[str, str]]:
    """The rows of a table with a heading, as text."""
    csv.field_size_limit(10_000_000)
    for row in csv.DictReader(io.StringIO(data.decode("utf-8-sig", "replace"))):
        yield {key: value or "" for key, value in row.items() if isinstance(value, str) or value is None}


def tagged_questions(repository: str, pattern: str) -> Callable[[Place], Iterator[Pair]]:
    """A reader of zipped tables of questions (title, content): title → body."""

    def read(place: Place) -> Iterator[Pair]:
        for _, data in place.files(repository, pattern):
            archive = zipfile.ZipFile(io.BytesIO(data))
            for name in archive.namelist():
                if name.endswith(".csv") and "MACOSX" not in name:
                    yield from ((clean(row["title"]), prose(row["content"])) for row in rows(archive.read(name)))

    return read


def titled_bodies(repository: str, pattern: str, title: str, body: str) -> Callable[[Place], Iterator[Pair]]:
    """A reader of tables of questions, by the names of their columns: title → body."""

    def read(place: Place) -> Iterator[Pair]:
        for _, data in place.files(repository, pattern):
            yield from ((clean(row[title]), prose(row[body])) for row in rows(data))

    return read


def skeptics(place: Place) -> Iterator[Pair]:
    """Doubtful claims: question → answer, of which long ones give two passages."""
    for _, text in place.texts("purudpd/RecSys-QA", r"\.jsonl$"):
        for line in text.splitlines():
            entry = json.loads(line)
            first, *more = markup.BLANK.split(entry["answer"])
            yield clean(entry["question"]), prose(entry["answer"])
            if len(rest := clean(" ".join(more[len(more) // 2 :]))) > 300 and len(first) + len(rest) > markup.LONGEST:
                yield clean(entry["question"]), clip(rest)


def reverse_engineering(place: Place) -> Iterator[Pair]:
    """Questions on taking programs and devices apart: title → body and answers."""
    for _, text in place.texts("bsflll/stackexchange", r"^reverseengineering/\d+\.json$"):
        entry = json.loads(text)
        title = re.sub(r"\s*\[(closed|duplicate|on hold)\]$", "", clean(entry["title"]))
        yield title, prose(entry["content"])
        for answer in (entry.get("answers_data") or [])[:2]:
            yield title, prose(answer["content"])


def ask_ubuntu(place: Place) -> Iterator[Pair]:
    """One helper's posts on Ask Ubuntu and its neighbours: title → the words of the post."""
    for _, text in place.texts("pippim/pippim.github.io", r"^_posts/.*\.md$"):
        found = re.search(r"^title:\s*>\s*\n\s+(.*)$", text, re.M)
        if found:
            yield clean(found.group(1)), together(markup.markdown(text)[1])


def together(sections: Iterable[markup.Section]) -> str:
    """The paragraphs as one passage, as long as a passage may be."""
    return clip(" ".join(section.text for section in sections))


def cooks(place: Place) -> Iterator[Pair]:
    """One cook's answers: title → the words of the answer."""
    for path, text in place.texts("amtwo/cooking.stackexchange", r"^docs/(?!index).*\.md$"):
        body = re.sub(r"^_This question originally asked.*$", "", text, flags=re.M)
        yield Path(path).stem, together(markup.markdown(body)[1])


def problems(repository: str, pattern: str) -> Callable[[Place], Iterator[Pair]]:
    """A reader of pages on what goes wrong and how to mend it: title → the whole, title → the last part, mending."""

    def read(place: Place) -> Iterator[Pair]:
        for _, text in place.texts(repository, pattern):
            title, sections = markup.markdown(text)
            yield title, together(sections)
            mending = [part for part in sections if re.search(r"resol|solution|workaround|fix", part.heading, re.I)]
            if mending and mending != sections:
                yield title, together(mending)

    return read


def headed(repository: str, pattern: str) -> Callable[[Place], Iterator[Pair]]:
    """A reader of pages of frequent questions: heading that asks → all that stands below it."""

    def read(place: Place) -> Iterator[Pair]:
        for _, text in place.texts(repository, pattern):
            for heading, group in itertools.groupby(markup.markdown(text)[1], key=lambda part: part.heading):
                if heading.endswith("?"):
                    yield heading, together(group)

    return read


MORE_POSTS = {
    "bigdata-vandy/stack-ex": r"^src/test/resources/Posts\.xml$",
    "pan4/big-data": r"^src/main/resources/Posts\.xml$",
    "spreusche/Tp-especial-XML": r"^Posts\.xml$",
    "iraK21/mapreduce-project": r"^src/main/resources/Posts\.xml$",
    "krh66/TopicModelingApplication-semanticWeb": r"^Data/Posts\.xml$",
    "danielzeliazkow/yameo": r"^src/test/resources/Posts\.xml$",
    "wenhaozheng-nju/2015challenge": r"^test/Posts\.xml$",
    "sothakur1/SMDMDataMiningOnStackExchange": r"^Posts\.xml$",
    "nikolaevalex3/PG_start-StackExchange-Data-Dump-": r"^scripts/meta/Posts\.xml$",
}


def more_posts(place: Place) -> Iterator[Pair]:
    """More small sites, several of them the talk of a site about itself."""
    for repository, pattern in MORE_POSTS.items():
        for _, text in place.texts(repository, pattern):
            yield from posts(text)


def document(data: bytes) -> list[str]:
    """The paragraphs of a Word document."""
    body = zipfile.ZipFile(io.BytesIO(data)).read("word/document.xml").decode("utf-8", "replace")
    spaced = re.sub(r"<w:br/>|<w:tab/>", " ", body)
    return [clean(html.unescape(re.sub(r"<[^>]*>", "", part))) for part in re.findall(r"<w:p>.*?</w:p>", spaced, re.S)]


def dolly(place: Place) -> Iterator[Pair]:
    """What Databricks' people asked: instruction → response, or → the context that answers it."""
    for _, data in place.files("TurkuNLP/dolly-fi", r"^dolly-doc-in/.*\.docx$"):
        entry: dict[str, str] = {}
        part = ""
        for paragraph in [*document(data), "Document 0"]:
            if re.fullmatch(r"Document \d+", paragraph):
                if (question := entry.get("Instruction", "")) and len(question) <= 300:
                    yield question, clip(entry.get("Context") or entry.get("Response", ""))
                entry, part = {}, ""
            elif paragraph in ("Instruction", "Context", "Response") and paragraph not in entry:
                part = paragraph
                entry[part] = ""
            elif part:
                entry[part] = f"{entry[part]} {paragraph}".strip()


def assistant(place: Place) -> Iterator[Pair]:
    """What volunteers asked and answered for OpenAssistant (English): question → reply.

    The training part is a plain row of messages in the order of their threads, so a reply is taken for one only
    where a question comes right before it and both share two words.
    """
    for _, data in place.files("TurkuNLP/oasst-fi", r"^doc-in/en-train-.*\.docx$"):
        texts = [part for part in document(data) if not re.fullmatch(r"Document \d+", part)]
        for asked, reply in itertools.pairwise(texts):
            fits = asked.endswith("?") and 12 <= len(asked) <= 300 and len(reply) > 80 and not reply.endswith("?")
            if fits and len(words(asked) & words(reply)) > 1:
                yield asked, clip(reply)
    for _, text in place.texts("TurkuNLP/oasst-fi", r"^original-data/en-validation\.jsonl$"):
        messages = {message["message_id"]: message for message in map(json.loads, text.splitlines())}
        for message in messages.values():
            above = messages.get(message["parent_id"] or "")
            if above and message["role"] == "assistant" and len(above["text"]) <= 300:
                yield clean(above["text"]), prose(message["text"])


def words(text: str) -> set[str]:
    """The longer words' beginnings, by which a question and its reply know each other.

    >>> sorted(words("Why do camels survive without water?"))
    ['camel', 'survi', 'water', 'witho']
    """
    return {word[:5] for word in re.findall(r"[a-z]{5,}", text.lower())} - COMMON


COMMON = {"about", "could", "would", "shoul", "there", "their", "these", "those", "which", "pleas", "write", "expla"}
