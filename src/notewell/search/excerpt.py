"""The lines of a candidate that answer the plan: its two best sentences, with their terms marked."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, islice
from math import fsum, log

from notewell.files.formats import SOURCE, TABLE
from notewell.search.exact import is_written
from notewell.search.hidden import blanked, hidden_spans
from notewell.search.layout import Layout, header_above
from notewell.search.marks import Mark, find_marks
from notewell.search.properties import is_front_matter, show_properties
from notewell.search.sentences import (
    CODE,
    LINE,
    ROW,
    Unit,
    find_blocks,
    find_questions,
    find_sentences,
    text_kind,
)
from notewell.store.filters import task_filters, tasks_match
from notewell.terms import fold, stop_terms
from notewell.types.candidates import Candidate
from notewell.types.note import Chunk, Vectors, place_of
from notewell.types.query import Plan
from notewell.types.results import Excerpt
from notewell.types.tasks import find_tasks

# Two sentences, about 320 characters, touch the answer in 85 of 100 hits that hold one (docs/concepts/ranking.md).
SENTENCES = 2
# Tasks of a chunk that are shown if the query asks for tasks.
TASKS = 5
# Sentences of a chunk without any of the terms that are compared with the query.
COMPARED = 30
# How much a line counts that only links to or imports something else.
REFERENCE_WEIGHT = 0.3
IMPORT = re.compile(r"\s*(?:import|from|using|use|require|package|#\s*include)\b")
LINK = re.compile(r"(?:[-*+>]\s+|\d+[.)]\s+)*!?\[[^\]\n]*\]+(?:\([^)\n]*\))?[\s\\]*")
# A line that begins a definition, in most languages.
SIGNATURE = re.compile(
    r"^([ \t]*)(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|override|pub\S*)\s+)*"
    r"(?:def|class|function|func|fn|fun|impl|interface|trait|struct|enum|module|sub|record|object)\b.*$",
    re.MULTILINE,
)
DIGITS = re.compile(r"\d+")

# A sentence, and the terms in it.
Held = tuple[Unit, set[str]]
# How similar texts are to the query.
Similarity = Callable[[Sequence[str]], Vectors]


def make_excerpts(candidates: Sequence[Candidate], plan: Plan, similarity: Similarity | None = None) -> list[Excerpt]:
    """Return the two sentences of each candidate that are closest to the query, by its terms or by meaning."""
    whole = [candidate.chunk.text.replace("\r", "") for candidate in candidates]
    hidden = [hidden_spans(text, candidate.chunk.path) for candidate, text in zip(candidates, whole, strict=True)]
    texts = [blanked(text, spans) for text, spans in zip(whole, hidden, strict=True)]
    wanted = frozenset(plan.terms)
    page = find_marks(texts, (wanted - stop_terms()) or wanted)
    rarity = _rarity(page)
    quoted = _quoted(plan)
    repeated = _page_edges(candidates)
    excerpts = []
    for candidate, text, marks, unseen in zip(candidates, texts, page, hidden, strict=True):
        kind = text_kind(candidate.chunk)
        names = {candidate.chunk.title, *candidate.chunk.headings, *repeated[candidate.chunk.path]}
        around = _without_names(text, find_blocks(text, kind, [mark.start for mark in marks]), names) if marks else []
        held = _without_questions(text, list(_held(text, around, marks)))
        chosen = _by_terms(text, held, rarity, quoted) or _tasks(text, kind, plan)
        if not chosen:
            blocks = find_blocks(text, kind)
            chosen = _by_meaning(text, _without_names(text, blocks, names) or blocks, similarity)
        excerpts.append(_excerpt(candidate, Layout(text, marks, unseen), chosen))
    return excerpts


def _without_names(text: str, blocks: Sequence[Unit], names: Collection[str]) -> list[Unit]:
    """Return the blocks that are not merely a name of the candidate, such as its title or a heading."""
    return [block for block in blocks if text[block.start : block.end] not in names]


def _rarity(page: Sequence[Sequence[Mark]]) -> dict[str, float]:
    """Return the weight of each term: the fewer texts of the page contain it, the more."""
    held: dict[str, int] = {}
    for marks in page:
        for term in set(chain.from_iterable({mark.terms for mark in marks})):
            held[term] = held.get(term, 0) + 1
    return {term: log(1 + len(page) / count) for term, count in held.items()}


def _by_terms(text: str, held: list[Held], rarity: Mapping[str, float], quoted: Sequence[str]) -> list[Unit]:
    """Return the sentences whose terms weigh most; a term in many sentences weighs less."""
    times: dict[str, int] = {}
    for _, terms in held:
        for term in terms:
            times[term] = times.get(term, 0) + 1
    weight = {term: rarity[term] / count for term, count in times.items()}
    held = _from_quoted(text, held, quoted)
    if len(held) <= SENTENCES:
        return [unit for unit, _ in held]
    scored = [
        (-fsum(weight[term] for term in terms) * (REFERENCE_WEIGHT if _is_reference(text, unit) else 1.0), unit)
        for unit, terms in held
    ]
    return _best(text, scored)


def _tasks(text: str, kind: str, plan: Plan) -> list[Unit]:
    """Return the lines with tasks that the query asks for, if it asks for tasks."""
    asked = task_filters(plan.scope)
    if not asked:
        return []
    code = [unit for unit in find_blocks(text, kind) if unit.kind == CODE]
    found = (Unit(start, end, LINE) for start, end, task in find_tasks(text) if tasks_match(asked, [task]))
    return list(islice((task for task in found if not any(_inside(task, unit) for unit in code)), TASKS))


def _inside(unit: Unit, other: Unit) -> bool:
    return other.start <= unit.start and unit.end <= other.end


def _quoted(plan: Plan) -> tuple[str, ...]:
    """Return the texts to find as they are written: phrases, and strings with signs."""
    phrases = [asked for asked in plan.scope.filters if asked.of == "phrase" and not asked.negated]
    return (*(str(value) for asked in phrases for value in asked.values), *plan.strings)


def _from_quoted(text: str, held: list[Held], quoted: Sequence[str]) -> list[Held]:
    """Return the sentences that contain most of the quoted texts; if only one does, with those after it."""
    here = [string for string in quoted if is_written(string, fold(text))] if held else []
    if not here:
        return held
    sizes = []
    for unit, _ in held:
        folded = fold(text[unit.start : unit.end])
        sizes.append(sum(len(string) for string in here if is_written(string, folded)))
    most = max(sizes)
    best = [pair for pair, size in zip(held, sizes, strict=True) if size == most]
    return best if len(best) > 1 else held[sizes.index(most) :]


def _without_questions(text: str, held: list[Held]) -> list[Held]:
    """Return the sentences without questions in a conversation whose terms the answer has too: they echo the query."""
    asked = find_questions(text)
    if asked is None:
        return held
    answered = set(chain.from_iterable(terms for unit, terms in held if not asked(unit)))
    return [(unit, terms) for unit, terms in held if not asked(unit) or terms - answered]


def _best(text: str, scored: list[tuple[float, Unit]]) -> list[Unit]:
    """Return the sentences with the lowest numbers, without duplicates, in order."""
    best: dict[str, Unit] = {}
    for _, unit in sorted(scored):
        best.setdefault(text[unit.start : unit.end], unit)
        if len(best) == SENTENCES:
            break
    return sorted(best.values())


def _held(text: str, blocks: Sequence[Unit], marks: Sequence[Mark]) -> Iterator[Held]:
    """Yield the sentences that have marks, with their terms."""
    at, last = 0, len(marks)
    for block in blocks:
        while at < last and marks[at].start < block.start:
            at += 1
        if at == last:
            return
        if marks[at].start >= block.end:
            continue
        for unit in find_sentences(text, block):
            terms: set[str] = set()
            while at < last and marks[at].start < unit.end:
                terms |= marks[at].terms
                at += 1
            if terms:
                yield unit, terms


def _is_reference(text: str, unit: Unit) -> bool:
    """Tell whether a unit is only a link or an import."""
    if unit.kind == CODE:
        return IMPORT.match(text, unit.start) is not None
    return not text[unit.start].isalpha() and LINK.fullmatch(text, unit.start, unit.end) is not None


def _by_meaning(text: str, blocks: Sequence[Unit], similarity: Similarity | None) -> list[Unit]:
    """Return the sentences closest in meaning; if that cannot be told, the first."""
    if similarity is None:
        return [unit for block in blocks[:1] for unit in find_sentences(text, block)[:1]]
    asked = find_questions(text)
    units = [unit for block in blocks[:COMPARED] for unit in find_sentences(text, block)]
    units = [unit for unit in units if asked is None or not asked(unit)][:COMPARED] or units
    if not units:
        return []
    near = similarity([text[unit.start : unit.end] for unit in units])
    return _best(text, [(-float(cosine), unit) for cosine, unit in zip(near, units, strict=True)])


def _excerpt(candidate: Candidate, shown: Layout, chosen: list[Unit]) -> Excerpt:
    text = shown.source
    if chosen and text_kind(candidate.chunk) == SOURCE:
        chosen = _with_signatures(text, chosen)
    units = chosen or [Unit(0, len(text), CODE)]
    start, end = units[0].start, units[-1].end
    if is_front_matter(text):
        start, end = show_properties(shown)
    else:
        for unit in units:
            shown.add(unit, _header(candidate.chunk, text, unit) if unit.kind == ROW else "")
    first_line = candidate.chunk.line + text.count("\n", 0, start)
    last_line = candidate.chunk.line + text.count("\n", 0, end)
    place = place_of(candidate.chunk.parts, first_line, last_line)
    return Excerpt(shown.text, first_line, last_line, place, tuple(shown.highlights))


def _header(chunk: Chunk, text: str, row: Unit) -> str:
    """Return the names of a row's columns; those of a sheet are its chunks' last heading."""
    return "".join(chunk.headings[-1:]) if text_kind(chunk) == TABLE else header_above(text, row)


def _with_signatures(text: str, chosen: Sequence[Unit]) -> list[Unit]:
    """Return lines of code, each after the line that begins its definition."""
    found = {unit.start: unit for unit in chosen}
    for unit in chosen:
        line = text.rfind("\n", 0, unit.start) + 1
        indent = len(text[line : unit.end]) - len(text[line : unit.end].lstrip())
        around = [match for match in SIGNATURE.finditer(text, 0, max(0, line - 1)) if len(match[1]) < indent]
        if around and not SIGNATURE.match(text, line):
            found.setdefault(around[-1].start(), Unit(*around[-1].span(), CODE))
    return [found[start] for start in sorted(found)]


def _page_edges(candidates: Sequence[Candidate]) -> defaultdict[str, set[str]]:
    """Return, by path, the headers and footers of PDF pages: lines at the edge of several pages."""
    seen: defaultdict[str, set[str]] = defaultdict(set)
    counts: Counter[tuple[str, str]] = Counter()
    for candidate in candidates:
        if candidate.chunk.path.endswith(".pdf"):
            edges = set(_edges(candidate.chunk))
            counts.update((candidate.chunk.path, DIGITS.sub("0", line)) for line in edges)
            seen[candidate.chunk.path] |= edges
    for path, lines in seen.items():
        seen[path] = {line for line in lines if counts[path, DIGITS.sub("0", line)] > 1}
    return seen


def _edges(chunk: Chunk) -> Iterator[str]:
    """Yield the first and last lines of the pages in a chunk."""
    lines = chunk.text.split("\n")
    for part in chunk.parts:
        first = part.line - chunk.line
        yield from (line for line in lines[max(0, first) : max(0, first + 2)] if line)
        yield from [line for line in lines[: max(0, first)] if line][-1:]
