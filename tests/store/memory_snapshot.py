"""One state of the store in memory, searched by going through everything."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, TypeVar

import numpy as np

from notewell.errors import REPAIR, StoreDamaged
from notewell.store import (
    CLONED_AT_LEAST,
    EMBEDDER,
    NO_STAND_INS,
    NoteFacts,
    Skip,
    StandIns,
    State,
    TermCounts,
)
from notewell.store.bm25 import (
    EXPANDED,
    K1,
    LEAST_OF_MEAN,
    LEAST_WORDS,
    MOST,
    NOTE_SHARE,
    OF_ALL_CHUNKS,
    OF_FIRST_CHUNK,
    STAND_IN,
    UNIT,
    B,
    rarity,
    stored_length,
    weigh_terms,
)
from notewell.store.filters import Value, make_test, normal, tasks_match, text_matches
from notewell.store.links import MOST_LINKS, NOWHERE, TO_FILE, Edges, LinkBetween, LinkEnds, NoteName, Standing
from notewell.store.vectors import cosines
from notewell.terms import fold, hidden_stems, prefix_term, whole_terms
from notewell.types.candidates import Ranking
from notewell.types.note import Chunk, Link, Note, Vectors
from notewell.types.query import Filter, Scope

Text = tuple[tuple[str, ...], str]
SCALAR = int | float | str | date
OF_CHUNKS = ("term", "phrase", "heading", "date", "task", "due")
DAY_NS = 86_400_000_000_000

Key = TypeVar("Key", int, str)


def bm25(often: Mapping[Key, float], lengths: Mapping[Key, float], times: int) -> dict[Key, float]:
    """Return the score of one term, by hand, for each document that has it."""
    mean = sum(lengths.values()) / max(1, len(lengths))
    weight = times * rarity(sum(value > 0 for value in often.values()), len(often))
    norms = {key: K1 * (1 - B + B * lengths[key] / mean) for key in often}
    return {key: weight * value / (value + norms[key]) for key, value in often.items() if value}


def text_of(chunk: Chunk) -> Text:
    return chunk.headings, chunk.text


@dataclass(frozen=True)
class Kept:
    """Everything that one state of the store holds; a batch makes a new one."""

    state: State
    ids: dict[str, int] = field(default_factory=dict)
    notes: dict[str, Note] = field(default_factory=dict)
    chunks: dict[int, Chunk] = field(default_factory=dict)
    vectors: dict[Text, Vectors] = field(default_factory=dict)
    encoded: dict[Text, Vectors | None] = field(default_factory=dict)
    skipped: dict[str, tuple[Skip, str]] = field(default_factory=dict)
    edges: dict[int, LinkEnds] = field(default_factory=dict)
    standings: dict[int, Standing] = field(default_factory=dict)

    def copy(self) -> Kept:
        changed: Any = {name: dict(value) for name, value in vars(self).items() if isinstance(value, dict)}
        return replace(self, **changed)


class MemorySnapshot:
    """One state, searched by going through everything."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._chunks = dict(sorted(kept.chunks.items()))
        self.state = kept.state

    # Matching

    def _lengths(
        self, weights: Mapping[int, Mapping[str, int]], of_note: Mapping[int, str]
    ) -> tuple[dict[int, float], dict[str, float]]:
        """Return the lengths of all chunks and notes; short notes count as longer, and so do their chunks."""
        lengths = {number: stored_length(own) for number, own in weights.items()}
        notes = Counter[str]()
        for number, length in lengths.items():
            notes[of_note[number]] += length
        least = min(LEAST_OF_MEAN * sum(notes.values()) / max(1, len(notes)), LEAST_WORDS)
        times = {path: max(1.0, least / length) for path, length in notes.items()}
        chunks = {number: length * times[of_note[number]] for number, length in lengths.items()}
        return chunks, {path: length * times[path] for path, length in notes.items()}

    def match(self, terms: Sequence[str], scope: Scope, limit: int, *, stand_ins: StandIns = NO_STAND_INS) -> Ranking:
        inside, weights = self.within(scope), {number: weigh_terms(chunk) for number, chunk in self._chunks.items()}
        of_note = {number: chunk.path for number, chunk in self._chunks.items()}
        first = {of_note[number]: number for number in weights if self._leads(number)}
        lengths, note_lengths = self._lengths(weights, of_note)
        held = Counter[str]()
        by_chunk: dict[int, float] = defaultdict(float)
        by_note: dict[str, float] = defaultdict(float)
        for term, times in Counter(terms).items():
            often = {number: self._occurrences(own, term, stand_ins.get(term, ())) for number, own in weights.items()}
            in_notes: dict[str, float] = defaultdict(float)
            for number, value in often.items():
                in_notes[of_note[number]] += value
            for number, score in bm25(often, lengths, times).items():
                by_chunk[number] += score
            held.update(path for path, value in in_notes.items() if value)
            for path, score in bm25(in_notes, note_lengths, times).items():
                by_note[path] += score
        parts = {
            number: OF_ALL_CHUNKS * by_note[path] + OF_FIRST_CHUNK * by_chunk.get(first[path], 0.0)
            for number, path in of_note.items()
            if number in inside and number in by_chunk
        }
        scores = {number: (1 - NOTE_SHARE) * by_chunk[number] + part for number, part in parts.items()}
        best = sorted(scores.items(), key=lambda item: (-item[1], self._chunks[item[0]].text, item[0]))[:limit]
        of_notes = {number: parts[number] for number, _ in best}
        complete = frozenset(number for number, _ in best if held[of_note[number]] == len(set(terms)))
        firsts = self._firsts(best)
        return Ranking("lexical", tuple(best), of_notes=of_notes, firsts=firsts, complete=complete)

    def _firsts(self, found: Iterable[tuple[int, float]]) -> dict[int, int]:
        """Return the first chunk of the note of each chunk found."""
        of_path = {chunk.path: number for number, chunk in self._chunks.items() if self._leads(number)}
        return {number: of_path[self._chunks[number].path] for number, _ in found}

    def _leads(self, number: int) -> bool:
        """Tell whether a chunk is the first of its note."""
        chunk = self._chunks[number]
        return all(
            (chunk.line, chunk.start, number) <= (other.line, other.start, key)
            for key, other in self._chunks.items()
            if other.path == chunk.path
        )

    def _occurrences(self, weights: Mapping[str, int], term: str, stand_ins: Sequence[str]) -> float:
        own = self._expanded(term) if term.endswith("*") else [term]
        counted = [(each, 1.0) for each in own] + [(each, STAND_IN) for each in stand_ins]
        return sum(worth * min(weights.get(each, 0), MOST) / UNIT for each, worth in counted)

    def _expanded(self, term: str) -> list[str]:
        often = Counter(each for chunk in self._chunks.values() for each in weigh_terms(chunk))
        beginning = [each for each, _ in often.most_common() if each.startswith(term[:-1])]
        return [*beginning[:EXPANDED], *hidden_stems(term[:-1])]

    def match_all(self, terms: Sequence[str], scope: Scope, limit: int) -> Ranking:
        ranking = self.match(terms, scope, len(self._chunks))
        found = [item for item in ranking.found if set(terms) <= weigh_terms(self._chunks[item[0]]).keys()]
        return Ranking("lexical", tuple(found[:limit]), firsts=self._firsts(found[:limit]))

    def nearest(self, vector: Vectors, scope: Scope, limit: int) -> Ranking:
        inside = self.within(scope) if vector.any() else []
        if not inside:
            return Ranking("vector", ())
        rows = np.array([self._kept.vectors[text_of(self._chunks[number])] for number in inside])
        scored = zip(inside, cosines(vector, rows).tolist(), strict=True)
        found = sorted(scored, key=lambda item: (-item[1], self._chunks[item[0]].text, item[0]))[:limit]
        return Ranking("vector", tuple(found), floor=found[-1][1], firsts=self._firsts(found))

    def newest(self, scope: Scope, limit: int) -> list[tuple[int, str]]:
        inside = self.within(scope)
        first: dict[str, int] = {}
        for number in sorted(
            inside, key=lambda number: (self._chunks[number].line, self._chunks[number].start, number)
        ):
            first.setdefault(self._chunks[number].path, number)
        days = {path: self._day_of(self._kept.notes[path]) for path in first}
        times = {path: self._kept.notes[path].stamp.mtime_ns for path in first}
        best = sorted(sorted(first), key=lambda path: (days[path], times[path]), reverse=True)
        return [(first[path], days[path]) for path in best][:limit]

    def within(self, scope: Scope, limit: int | None = None) -> list[int]:
        paths = {path for path in self._kept.notes if scope.under in ("", path) or path.startswith(f"{scope.under}/")}
        of_notes = [asked for asked in scope.filters if asked.of not in OF_CHUNKS]
        paths = {path for path in paths if all(self._has(path, asked) != asked.negated for asked in of_notes)}
        of_chunks = [asked for asked in scope.filters if asked.of in OF_CHUNKS]
        tasks = [asked for asked in of_chunks if asked.of in ("task", "due") and not asked.negated]
        others = [asked for asked in of_chunks if asked not in tasks]
        return [
            number
            for number, chunk in self._chunks.items()
            if chunk.path in paths
            and all(self._holds(asked, chunk) != asked.negated for asked in others)
            and (not tasks or self._has_tasks(tasks, chunk))
        ][:limit]

    def _has_tasks(self, filters: Sequence[Filter], chunk: Chunk) -> bool:
        only_due = all(asked.of == "due" for asked in filters)
        of_note = only_due and all(self._has(chunk.path, asked._replace(of="field", key="due")) for asked in filters)
        return of_note or tasks_match(filters, chunk.tasks)

    def _has(self, path: str, asked: Filter) -> bool:
        test = make_test(asked)
        values = self._values(self._kept.notes[path], asked.of, asked.key)
        return any(test(normal(asked.of, value)) for value in values)

    def _values(self, note: Note, of: str, key: str) -> list[Value]:
        return [day] if of == "date" and (day := self._day_of(note)) else values_of(note, of, key)

    def _holds(self, asked: Filter, chunk: Chunk) -> bool:
        if asked.of in ("task", "due"):
            return self._has_tasks([asked], chunk)
        if asked.of == "date":
            return make_test(asked)(chunk.day) if chunk.day else self._has(chunk.path, asked)
        if asked.of != "term":
            return text_matches(asked, chunk)
        word, own = str(asked.values[0]), weigh_terms(chunk)
        if word.endswith("*"):
            return self._occurrences(own, f"{prefix_term(word[:-1])}*", ()) > 0
        return whole_terms(word)[0] in own

    def chunks(self, ids: Sequence[int], *, words: Sequence[str] = ()) -> dict[int, Chunk]:
        def has(chunk: Chunk) -> bool:
            texts = (chunk.text, chunk.path, chunk.title, *chunk.headings, *chunk.tags)
            return all(word in fold("\n".join(texts)) for word in words)

        found = {number: self._chunks[number] for number in ids if number in self._chunks}
        return {number: chunk for number, chunk in found.items() if has(chunk)}

    def notes(self, paths: Collection[str]) -> dict[str, NoteFacts]:
        if unknown := [path for path in paths if path not in self._kept.notes]:
            raise StoreDamaged(f"There is no note {unknown[0]}", REPAIR)
        known = {path: self._kept.notes[path] for path in paths}
        return {
            path: NoteFacts(day, dict(note.fields), note.dated_by or ("file" if day else ""))
            for path, note in known.items()
            for day in [self._day_of(note)]
        }

    def _day_of(self, note: Note) -> str:
        days = Counter(each.stamp.mtime_ns // DAY_NS for each in self._kept.notes.values())
        same = days[note.stamp.mtime_ns // DAY_NS]
        cloned = same >= CLONED_AT_LEAST and same * 2 > days.total()
        return note.day or ("" if cloned else datetime.fromtimestamp(note.stamp.mtime_ns / 1e9).date().isoformat())

    def values(self, of: str, key: str = "", *, most: int | None = None) -> list[str]:
        if of == "key":
            return list({fold(str(key)) for note in self._kept.notes.values() for key in note.fields})
        every = dict.fromkeys(str(each) for note in self._kept.notes.values() for each in self._values(note, of, key))
        distinct = {normal(of, value) for value in every}
        return [] if most is not None and len(distinct) > most else list(every)

    def vectors(self, ids: Sequence[int], kind: str = EMBEDDER) -> dict[int, Vectors | None]:
        kept: Mapping[Text, Vectors | None] = self._kept.vectors
        if kind != EMBEDDER:
            kept = self._kept.encoded if kind == self.state.encoder else {}
        texts = {number: text_of(self._chunks[number]) for number in sorted(ids) if number in self._chunks}
        return {number: kept[text] for number, text in texts.items() if text in kept}

    def lacking(self, kind: str) -> list[int]:
        encoded: Collection[Text] = self._kept.encoded if kind == self.state.encoder else ()
        notes, standings = self._kept.notes, self._kept.standings
        by_time = sorted(notes, key=lambda path: (-notes[path].stamp.mtime_ns, self._kept.ids[path]))
        linked = [path for path in notes if self._kept.ids[path] in standings]
        by_links = sorted(linked, key=lambda path: (-standings[self._kept.ids[path]].pagerank, self._kept.ids[path]))
        places: dict[str, tuple[int, int]] = {}
        for path in notes:
            time = by_time.index(path)
            places[path] = min(time, by_links.index(path) if path in linked else time), time
        found: dict[Text, tuple[tuple[int, int], int]] = {}
        for number, chunk in self._chunks.items():
            if (text := text_of(chunk)) not in encoded:
                place, first = found.get(text, (places[chunk.path], number))
                found[text] = min(place, places[chunk.path]), first
        return [number for _, number in sorted(found.values(), key=lambda each: each[0])]

    def counts(self, terms: Collection[str]) -> TermCounts:
        often = Counter(term for chunk in self._chunks.values() for term in weigh_terms(chunk))
        return TermCounts({term: often[term] for term in terms if term in often}, len(self._chunks))

    def domain_of(self, chunk: int) -> str:
        return ""

    def apart(self) -> dict[str, Any]:
        return {}

    def terms_like(self, part: str, limit: int, *, longest: int | None = None) -> list[str]:
        often = Counter(term for chunk in self._chunks.values() for term in weigh_terms(chunk) if part in term)
        fits = [term for term in often if longest is None or (term.startswith(part) and len(term) <= longest)]
        return sorted(fits, key=lambda term: (-often[term], term))[:limit]

    # Linked

    def ids(self) -> dict[str, int]:
        return dict(sorted(self._kept.ids.items()))

    def names(self) -> list[NoteName]:
        notes = sorted((number, self._kept.notes[path]) for path, number in self._kept.ids.items())
        return [NoteName(number, note.path, note.title, note.aliases, len(note.links)) for number, note in notes]

    def chunks_of(self, path: str) -> list[int]:
        return [number for number, chunk in self._chunks.items() if chunk.path == path]

    def edges(self) -> Edges:
        kept = dict(sorted(self._kept.edges.items()))
        ends = np.concatenate([np.zeros((0, 2), np.uint32), *kept.values()]).astype(np.uint32)
        notes = np.array(list(kept), np.uint32)
        return Edges(notes, np.repeat(notes, [len(each) for each in kept.values()]), ends[:, 0], ends[:, 1])

    def links_of(self, notes: Sequence[int]) -> dict[int, tuple[Link, ...]]:
        paths = {number: path for path, number in self._kept.ids.items()}
        links = {number: self._kept.notes[paths[number]].links for number in sorted(notes)}
        return {number: each for number, each in links.items() if each}

    def links_among(self, paths: Collection[str]) -> list[LinkBetween]:
        by_id = {number: path for path, number in self._kept.ids.items() if path in paths}
        found: list[LinkBetween] = []
        for number, path in sorted(by_id.items()):
            targets = self._kept.edges.get(number, np.zeros((0, 2), np.uint32))[:, 1].tolist()
            degree = len(set(targets) - {number, NOWHERE, TO_FILE})
            texts = [called(link) if len(targets) <= MOST_LINKS else "" for link in self._kept.notes[path].links]
            pairs = dict.fromkeys(zip(targets, texts, strict=False))
            found += [LinkBetween(path, by_id[to], text, degree) for to, text in pairs if to in by_id and to != number]
        return found

    def links_touching(self, paths: Collection[str], enough: int) -> int:
        of_paths = {number for path, number in self._kept.ids.items() if path in paths}
        edges = self.edges().to_notes
        pairs = {
            pair for pair in zip(edges.sources.tolist(), edges.targets.tolist(), strict=True) if len(set(pair)) > 1
        }
        own = {pair for pair in pairs if pair[0] in of_paths}
        return len(own) if len(own) >= enough else len({pair for pair in pairs if of_paths & set(pair)})

    def standings(self, paths: Collection[str] | None = None) -> dict[str, Standing]:
        known = {path: self._kept.standings.get(number) for path, number in sorted(self._kept.ids.items())}
        return {path: each for path, each in known.items() if each and (paths is None or path in paths)}


def called(link: Link) -> str:
    return "" if link.embed else link.text or ("" if link.kind == "markdown" else link.target.rpartition("/")[2])


def values_of(note: Note, of: str, key: str) -> list[Value]:
    """Return what a note has where a filter of this kind looks."""
    simple: dict[str, Callable[[], list[Value]]] = {
        "path": lambda: [note.path],
        "note": lambda: [note.path],
        "tag": lambda: [*note.tags],
        "type": lambda: [note.kind] if note.kind else [],
        "date": lambda: [],
        "lang": lambda: [note.path.rpartition(".")[2].lower(), *in_fields(note, "lang"), *in_fields(note, "language")],
        "field": lambda: in_fields(note, key),
    }
    return simple[of]() if of in simple else []


def in_fields(note: Note, key: str) -> list[Value]:
    found: list[Any] = [value for name, value in note.fields.items() if fold(str(name)) == fold(key)]
    inner = [value.values() if isinstance(value, dict) else value for value in found]
    listed = [each for value in inner for each in ([value] if isinstance(value, SCALAR) else value or ())]
    scalar = [str(each).lower() if isinstance(each, bool | date) else each for each in listed]
    # What is not a number is no value.
    return [each for each in scalar if isinstance(each, int | float | str) and each == each]
