"""How each kind of public text is read into pairs (what one might ask, the text that answers)."""

from __future__ import annotations

import csv
import html
import io
import itertools
import json
import lzma
import random
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import markup
from markup import Section, clean, clip
from places import SEED, Place

Pair = tuple[str, str]
# More paragraphs of one page than this only say the same thing again.
PER_PAGE = 10


def page(title: str, sections: Iterable[Section], *, most: int = PER_PAGE) -> Iterator[Pair]:
    """Title → first paragraph, title and heading → the others."""
    for number, section in enumerate(itertools.islice(sections, most)):
        heading = section.heading if section.heading.lower() != title.lower() else ""
        # Every other query is the heading alone, as people remember it; the first is the title alone.
        parts = [title, heading] if number % 2 or not heading else [heading]
        yield " ".join(part for part in parts if part), section.text


def named(path: str) -> str:
    """A page's title from its file's name."""
    return re.sub(r"[_-]+", " ", Path(path).stem)


def markdown_pages(repository: str, pattern: str) -> Callable[[Place], Iterator[Pair]]:
    """A reader of the Markdown pages of one repository."""

    def read(place: Place) -> Iterator[Pair]:
        for path, text in place.texts(repository, pattern):
            title, sections = markup.markdown(text)
            yield from page(title or named(path), sections)

    return read


def html_pages(package: str, glob: str = "*.html") -> Callable[[Place], Iterator[Pair]]:
    """A reader of the HTML pages of one package."""

    def read(place: Place) -> Iterator[Pair]:
        for text in place.package(package, glob):
            found = markup.tagged(text)
            yield from page("", found, most=40)

    return read


def wikipedia(place: Place) -> Iterator[Pair]:
    """English Wikipedia, pages and leads as plain text."""
    for path, text in place.texts("chinapedia/wikipedia.abstract.en", r"^(Page|Abstract)/"):
        if not path.startswith("Page/List_of"):
            yield from page(named(path), markup.loose(text), most=14)


def klexikon(place: Place) -> Iterator[Pair]:
    """German: pages of Wikipedia and of the children's encyclopaedia Klexikon."""
    for path, text in place.texts("dennlinger/klexikon", r"^data/raw/"):
        paragraphs = [clean(block) for block in markup.BLANK.split(text)]
        yield from page(named(path), (Section("", clip(p)) for p in paragraphs if markup.worth_reading(p)), most=40)


def articles(repository: str, pattern: str, *, most: int) -> Callable[[Place], Iterator[Pair]]:
    """A reader of scientific articles in JATS: title → abstract, heading or figure's title → paragraph."""

    def read(place: Place) -> Iterator[Pair]:
        for _, text in place.texts(repository, pattern, most=most):
            yield from article(text)

    return read


def article(text: str) -> Iterator[Pair]:
    """The pairs of one article."""
    found = re.search(r"<article-title>(.*?)</article-title>", text, re.S)
    title = clean(found.group(1)) if found else ""
    for abstract in re.findall(r"<abstract\b.*?</abstract>", text, re.S)[:2]:
        paragraphs = [clean(p) for p in re.findall(r"<p>(.*?)</p>", abstract, re.S)]
        body = " ".join(p for p in paragraphs if not p.startswith("DOI"))
        yield title, clip(body, 1400)
    for caption in re.findall(r"<caption>\s*<title>(.{20,300}?)</title>\s*<p>(.*?)</p>", text, re.S)[:3]:
        yield clean(caption[0]), clip(clean(caption[1]), 600)
    start = text.find("<body")
    body_pairs = list(page("", markup.tagged(text[start : start + 150_000], markup.XML_PARTS), most=60))
    yield from random.Random(len(text)).sample(body_pairs, min(8, len(body_pairs)))


def arxiv(place: Place) -> Iterator[Pair]:
    """Title → abstract of arXiv's papers up to 2019."""
    csv.field_size_limit(10_000_000)
    for _, data in place.files("staeiou/arxiv_archive", r"20200101/per_category/.*\.tsv\.xz$"):
        rows = csv.DictReader(io.StringIO(lzma.decompress(data).decode("utf-8", "replace")), delimiter="\t")
        few = random.Random(SEED).sample(
            kept := [(r["title"], r["abstract"]) for r in rows if r["title"]], min(len(kept), 6_000)
        )
        yield from ((clean(title), clip(clean(abstract or ""), 1400)) for title, abstract in few)


def anthology(place: Place) -> Iterator[Pair]:
    """Title → abstract of papers on computational linguistics."""
    for _, text in place.texts("acl-org/acl-anthology", r"^data/xml/.*\.xml$"):
        for paper in re.findall(r"<paper\b.*?</paper>", text, re.S):
            found = re.search(r"<title>(.*?)</title>.*?<abstract>(.*?)</abstract>", paper, re.S)
            if found:
                # Tags sit inside words here (<fixed-case>A</fixed-case>CL), so no space in their place.
                yield clean(markup.TAG.sub("", found.group(1))), clip(clean(markup.TAG.sub("", found.group(2))), 1400)


TEXTBOOKS = (
    "anatomy-physiology",
    "biology-bundle",
    "microbiology",
    "chemistry-bundle",
    "psychology",
    "us-history",
    "introduction-sociology",
    "astronomy",
    "introduction-philosophy",
    "introduction-political-science",
    "principles-economics-bundle",
    "world-history",
    "college-physics-bundle",
    "introduction-anthropology",
    "introduction-business",
    "business-law",
    "life-liberty-and-pursuit-happiness",
)


def textbooks(place: Place) -> Iterator[Pair]:
    """OpenStax textbooks: headings → paragraphs, terms → meanings."""
    for book in TEXTBOOKS:
        for _, text in place.texts(f"openstax/osbooks-{book}", r"\.cnxml$"):
            yield from page("", markup.tagged(text, markup.XML_PARTS), most=60)
            for term, meaning in re.findall(r"<term[^>]*>(.*?)</term>\s*<meaning[^>]*>(.*?)</meaning>", text, re.S):
                yield clean(term), clean(meaning)


def medquad(place: Place) -> Iterator[Pair]:
    """Questions and answers of American health institutes."""
    for _, text in place.texts("abachaa/MedQuAD", r"\.xml$"):
        for question, answer in re.findall(r"<Question[^>]*>(.*?)</Question>\s*<Answer>(.*?)</Answer>", text, re.S):
            # Long answers hold several passages: the question should find each.
            for part in itertools.islice(markup.BLANK.split(answer), 3):
                yield clean(question), clip(clean(part))


def doctors(place: Place) -> Iterator[Pair]:
    """Patients' questions and doctors' answers."""
    for _, text in place.texts("LasseRegin/medical-question-answer-data", r"QAs\.json$"):
        for entry in json.loads(text):
            yield clip(clean(entry["question"]), 300), clip(clean(entry["answer"] or ""))


def covid(place: Place) -> Iterator[Pair]:
    """Frequent questions of many offices, and questions on articles, in several languages."""
    for _, text in place.texts("deepset-ai/COVID-QA", r"faqs/.*\.tsv$"):
        for row in csv.DictReader(io.StringIO(text), delimiter="\t"):
            yield clean(row.get("question") or ""), clip(clean(row.get("answer") or ""))
    for _, text in place.texts("pubmedqa/pubmedqa", r"ori_pqal\.json$"):
        for entry in json.loads(text).values():
            yield entry["QUESTION"], clip(" ".join(entry["CONTEXTS"]), 1400)


def trivia(place: Place) -> Iterator[Pair]:
    """Quiz questions → answers."""
    for _, text in place.texts("uberspot/OpenTriviaQA", r"^categories/"):
        for question, answer in re.findall(r"^#Q (.*)\n\^ (.*)$", text, re.M):
            yield answer, question


def recipes(place: Place) -> Iterator[Pair]:
    """Title and step → directions."""
    for _, text in place.texts("ronaldl29/public-domain-recipes", r"^content/.*\.md$"):
        title, sections = markup.markdown(text)
        yield from page(title, sections)


def statutes(place: Place) -> Iterator[Pair]:
    """The District of Columbia's code: heading → text."""
    for _, text in place.texts("DCCouncil/law-xml", r"titles/.*/sections/.*\.xml$"):
        heading = re.search(r"<heading>(.*?)</heading>", text, re.S)
        body = " ".join(clean(t) for t in re.findall(r"<text>(.*?)</text>", text.split("<annotations")[0], re.S))
        if heading:
            yield clean(heading.group(1)), clip(body)


def gesetze(place: Place) -> Iterator[Pair]:
    """German federal law: paragraph's name → text."""
    for _, text in place.texts("bundestag/gesetze", r"index\.md$"):
        _, sections = markup.markdown(re.sub(r"-\n(?=[a-zäöü])", "", text))
        for pair in page("", sections, most=60):
            if len(query := re.sub(r"^§+ \S+ ", "", pair[0])) > 4:
                yield query, pair[1]


POSTS = {
    "Yoav-Shafir/Elasticsearch-Coffee-Search-Engine-JS": r"^Posts\.xml$",
    "ArleneDcosta/StackExchangePatternandPrediction": r"^Posts\.xml$",
    "arianeborges/sentiment-analysis-with-python": r"^Posts\.xml$",
    "gjee1303/Programming-for-BigData-Assignments--NYU": r"^xmlregex/Posts\.xml$",
    "jrfoster/spark-intro": r"^Posts\.xml$",
    "yu51a5/BigQueryApachePipeline": r"^Posts\.xml$",
    "Jean-Low/StackERedes": r"^data/Posts\.xml$",
    "mattly/ssdug-graphql": r"^data/Posts\.xml$",
    "sasiddiqui/confucius": r"ai\.stackexchange\.com/Posts\.xml$",
    "stevenrskelton/scala-2.10-blog-examples": r"^data/Posts\.xml$",
    "Th3CracKed/stream-xml-to-postgres": r"^data/Posts\.xml$",
    "AaronNie/QApairs-on-Stack-Overflow": r"^data/Posts\.xml$",
    "gitPratikSingh/ML-on-BigData": r"^data/Posts\.xml$",
    "GonzaloHirsch/TP-XML": r"^Posts\.xml$",
    "woodstock-dev/code-challenge-10-18-2023": r"^data/Posts\.xml$",
}


def stack_exchange(place: Place) -> Iterator[Pair]:
    """Question's title → its answers and its body. Small sites, none of them on beer."""
    for repository, pattern in POSTS.items():
        for _, text in place.texts(repository, pattern):
            yield from posts(text)


def posts(text: str) -> Iterator[Pair]:
    """The pairs of one site's dump; nothing when the site is about beer, which is measured on."""
    if len(re.findall(r"\bbeers?\b", text, re.I)) > 200:
        return
    titles: dict[str, str] = {}
    for row in re.findall(r"<row (.*?)/>", text, re.S):
        field = {k: html.unescape(v) for k, v in re.findall(r'(\w+)="(.*?)"', row, re.S)}
        body = clip(clean(re.sub(r"<pre>.*?</pre>", " ", field.get("Body", ""), flags=re.S)))
        if field.get("PostTypeId") == "1":
            titles[field["Id"]] = clean(field.get("Title", ""))
            yield titles[field["Id"]], body
        elif field.get("ParentId") in titles:
            yield titles[field["ParentId"]], body


def wordnet(place: Place) -> Iterator[Pair]:
    """Synonyms → gloss."""
    for kind in ("noun", "verb", "adj", "adv"):
        for text in place.package("wordnet-base", f"data.{kind}"):
            for line in text.splitlines():
                if " | " in line and not line.startswith("  "):
                    about, gloss = line.split(" | ", 1)
                    fields = about.split()
                    words = [fields[4 + 2 * i].replace("_", " ") for i in range(int(fields[3], 16))]
                    yield ", ".join(words[:4]), clip(gloss.strip(), 400)


def dictionary(package: str) -> Callable[[Place], Iterator[Pair]]:
    """A reader of a dict package whose entries begin at the margin: headword → definition."""

    def read(place: Place) -> Iterator[Pair]:
        for text in place.package(package, "*.dict.dz"):
            for entry in re.findall(r"^(\S.*)\n((?:[ \t]+.*\n|\n(?=[ \t]))+)", text, re.M):
                head = re.split(r"\s*[\\/<\[(,]", entry[0], maxsplit=1)[0]
                body = re.sub(r"\[[^\]]*\]|[{}]|--\S+", "", entry[1])
                yield clean(head), clip(clean(body), 600)

    return read


def freedict(package: str) -> Callable[[Place], Iterator[Pair]]:
    """A reader of a bilingual dictionary: foreign word → English."""

    def read(place: Place) -> Iterator[Pair]:
        for text in place.package(package, "*.dict.dz"):
            for foreign, english in re.findall(r"^(\S[^/\n]*?) /[^/\n]*/[^\n]*\n\s?([^\n]+)", text, re.M):
                yield foreign, clip(clean(re.sub(r"\[[^\]]*\]|\d+\.|<.*?>|\(.*?\)", "", english)), 200)

    return read


def tatoeba(place: Place) -> Iterator[Pair]:
    """Short sentences in German, French, Spanish, Italian and Dutch, with their English."""
    for _, text in place.texts(
        "Helsinki-NLP/Tatoeba-Challenge",
        r"^data/(devtest|test)/(deu-eng|eng-fra|eng-spa|eng-ita|eng-nld)/(test|dev).*txt$",
    ):
        for line in text.splitlines():
            fields = line.split("\t")
            if len(fields) == 4:
                one, other = fields[2].strip(), fields[3].strip()
                yield (other, one) if fields[0] == "eng" else (one, other)


def manuals(package: str) -> Callable[[Place], Iterator[Pair]]:
    """A reader of manual pages: name and heading → paragraph."""

    def read(place: Place) -> Iterator[Pair]:
        for text in place.package(package, "*.gz"):
            name = re.search(r"^\.S[Hh] .*\n(.*)", text, re.M)
            bare = re.sub(r"\\f.|\\&|\\-", "", re.sub(r"^\.S[HS] (.*)", r"\n<h2>\1</h2>\n", text, flags=re.M))
            bare = re.sub(r"^\.(PP|P|TP.*|IP.*)$", "\n", bare, flags=re.M)
            bare = re.sub(r"^\.[A-Z]+ ?", "", bare, flags=re.M)
            blocks = (("<h2>" in block, block) for block in markup.BLANK.split(bare))
            yield from page(clean(name.group(1)) if name else "", markup.sections(blocks), most=12)

    return read
