"""The notes of a vault that are most like a text or another note: by words and by meaning, with the reason of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from notewell.embed import Embedder
from notewell.frozen import frozen
from notewell.search.related import distinctive_terms, mean
from notewell.search.relevance import judge
from notewell.store import Snapshot
from notewell.store.vectors import unit_rows
from notewell.types.note import Chunk, Vectors
from notewell.types.query import EVERYTHING

# Chunks that each retriever proposes; a note has several, and those of the text's own note are left out.
CANDIDATES = 60
# Chunks of a long text that are looked at: its subject shows in them.
READ = 20


@frozen
class Subject:
    """What a text is about: its most telling terms with their rarities in the vault, and its vector, if it has one."""

    rarities: Mapping[str, float]
    vector: Vectors | None = None


@frozen
class Neighbour:
    """A note like a text: the chunk that is most like it, how similar it is, from 0 to 1, and why."""

    chunk: Chunk
    similarity: float
    why: str

    @property
    def path(self) -> str:
        """Return the path of the note."""
        return self.chunk.path


def subject_of(chunks: Sequence[Chunk], snapshot: Snapshot, vectors: Vectors | None) -> Subject:
    """Return what chunks are about; a row of vectors for each, or None if there is no embedder."""
    terms = distinctive_terms(chunks[:READ], snapshot)
    vector = mean(vectors[:READ]) if vectors is not None and len(vectors) else None
    return Subject(snapshot.counts(terms).rarities(terms), vector if vector is not None and vector.any() else None)


def subject_of_note(path: str, snapshot: Snapshot) -> Subject:
    """Return what a stored note is about."""
    ids = snapshot.chunks_of(path)[:READ]
    chunks = [*snapshot.chunks(ids).values()]
    stored = unit_rows(snapshot.vectors(ids).values()) if snapshot.state.made_for.dimensions else None
    return subject_of(chunks, snapshot, stored)


def embedded(chunks: Sequence[Chunk], embedder: Embedder | None) -> Vectors | None:
    """Return the vectors of chunks that are not stored; None without an embedder."""
    return embedder.embed([chunk.meaning for chunk in chunks[:READ]]) if embedder and chunks else None


def neighbours(subject: Subject, snapshot: Snapshot, without: Iterable[str] = ()) -> list[Neighbour]:
    """Return the notes most like a subject, the most similar first, each once; notes `without` are left out."""
    found = snapshot.match([*subject.rarities], EVERYTHING, CANDIDATES).found
    ids, near = [chunk for chunk, _ in found], dict[int, float]()
    if subject.vector is not None:
        ranked = snapshot.nearest(subject.vector, EVERYTHING, CANDIDATES).found
        stored = snapshot.vectors(list(dict.fromkeys((*ids, *(chunk for chunk, _ in ranked)))))
        rows, ids = unit_rows(stored.values()), [*stored]
        cosines = zip(ids, (rows @ subject.vector).tolist(), rows, strict=True)
        # The vectors of another embedder, as of another domain, are zero here: these notes are compared by words alone.
        near = {chunk: cosine for chunk, cosine, row in cosines if row.any()}
    left_out, best = set(without), dict[str, Neighbour]()
    for number, chunk in snapshot.chunks(ids).items():
        if chunk.path in left_out:
            continue
        similarity, why = judge(f"{chunk.heading}\n{chunk.text}", near.get(number), subject.rarities)
        if chunk.path not in best or similarity > best[chunk.path].similarity:
            best[chunk.path] = Neighbour(chunk, similarity, why)
    return sorted(best.values(), key=lambda one: (-one.similarity, one.path))
