"""Answers as data: one form for `--json`, HTTP and MCP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # Only names: whoever prints hits does not pay for walks and graphs.
    from notewell.graph.deep import Deep
    from notewell.graph.leads import Lead, Links
    from notewell.graph.overview import Overview
    from notewell.graph.traverse import Visit, Walk
    from notewell.index.place import Reading
    from notewell.index.report import Report, Status
    from notewell.memory import Forgotten, Remembered
    from notewell.store import About
    from notewell.types import Excerpt, Hit, Results


def of_results(results: Results, *, explain: bool = False) -> dict[str, Any]:
    """Return the results as other programs read them."""
    return {
        "query": results.query,
        "hits": [_hit(excerpt, explain) for excerpt in results],
        "generation": results.generation,
        "took_ms": results.took_ms,
        "notices": list(results.notices),
        **({"read_as": list(results.read_as)} if explain else {}),
    }


def _hit(excerpt: Excerpt, explain: bool) -> dict[str, Any]:
    chunk = excerpt.hit.chunk
    return {
        "path": chunk.path,
        "line": chunk.line,
        "end_line": chunk.end_line,
        "place": chunk.place,
        "heading": chunk.heading,
        "title": chunk.title,
        "score": round(excerpt.score, 6),
        "text": chunk.text,
        "also": list(excerpt.hit.also),
        "retrievers": dict(excerpt.hit.ranks),
        "trace": _trace(excerpt.hit, explain),
        "excerpt": {
            "text": excerpt.text,
            "line": excerpt.line,
            "end_line": excerpt.end_line,
            "place": excerpt.place,
            "highlights": [list(span) for span in excerpt.highlights],
        },
        **({"votes": _votes(excerpt.hit)} if explain else {}),
    }


def _trace(hit: Hit, explain: bool) -> list[dict[str, Any]]:
    return [
        {"by": step.by, "why": step.why, "score": round(step.score, 6), **({"factor": factor} if explain else {})}
        for step, factor in zip(hit.trace, factors(hit), strict=True)
    ]


def factors(hit: Hit) -> list[float | None]:
    """Return what each step multiplied the score by; none for the first."""
    scores = [step.score for step in hit.trace]
    return [None, *(after / before if before else None for before, after in pairwise(scores))][: len(scores)]


def _votes(hit: Hit) -> list[dict[str, Any]]:
    """Return what each retriever says of a hit, as data."""
    return [{**vote._asdict(), "part": round(vote.part, 6)} for vote in hit.votes]


def of_deep(deep: Deep, *, explain: bool = False) -> dict[str, Any]:
    """Return what deep mode found as other programs read it."""
    found = of_results(deep.results, explain=explain)
    hits = [{**hit, **_reached(deep.visits[hit["path"]])} for hit in found["hits"]]
    walk = deep.walk
    dropped = [_visit(visit) for visit in walk.dropped]
    counts = {"notes": len(walk.visits), "vectors": walk.vectors, "unseen": walk.unseen}
    return {**found, "hits": hits, "dropped": dropped, **counts}


def _reached(visit: Visit) -> dict[str, Any]:
    row = _visit(visit)
    decay = {"decay_weight": round(visit.decay, 4), "decay_zero": visit.decay_zero}
    return {key: row[key] for key in ("similarity", "hop", "via", "way", "retain_reason")} | decay


def of_reading(reading: Reading) -> dict[str, Any]:
    """Return lines of a note as other programs read them."""
    return asdict(reading)


def of_walk(walk: Walk) -> dict[str, Any]:
    """Return a walk as other programs read it."""
    return {
        "visits": [_visit(visit) for visit in walk.visits],
        "notes": len(walk.visits),
        "vectors": walk.vectors,
        "unseen": walk.unseen,
        "ended": walk.ended,
    }


def _visit(visit: Visit) -> dict[str, Any]:
    """Return a note of a walk as other programs read it."""
    return {
        "path": visit.note,
        "similarity": round(visit.similarity, 4),
        "hop": visit.hop,
        "via": visit.via,
        "way": visit.way,
        "kept": visit.kept,
        "retain_reason" if visit.kept else "drop_reason": visit.reason,
    }


def of_links(links: Links) -> dict[str, Any]:
    """Return links as other programs read them."""
    return {
        "note": links.note or None,
        "links": [_lead(lead) for lead in links.links],
        "backlinks": [_lead(lead) for lead in links.backlinks],
        "orphans": list(links.orphans),
        "counts": asdict(links.counts),
        "notices": list(links.notices),
    }


def _lead(lead: Lead) -> dict[str, Any]:
    return {
        "path": lead.path,
        **asdict(lead.link),
        "written": lead.written,
        "to": lead.to or None,
        "problem": lead.problem or None,
        "near": list(lead.near),
    }


def of_overview(overview: Overview) -> dict[str, Any]:
    """Return the vault from above as other programs read it."""
    return {
        "notes": overview.notes,
        "links": overview.links,
        "centrality_by": "degree" if overview.by_degree else "eigenvector",
        "communities": [
            {
                "number": community.number,
                "names": list(community.names),
                "size": community.size,
                "links": community.links,
                "notes": list(community.notes),
            }
            for community in overview.communities
        ],
        "bridges": [
            {"communities": [bridge.one, bridge.other], "links": bridge.links, "link": [bridge.source, bridge.target]}
            for bridge in overview.bridges
        ],
        "orphans": list(overview.orphans),
    }


def of_status(status: Status) -> dict[str, Any]:
    """Return the status as other programs read it."""
    about = status.about
    return {
        "vault": str(status.root),
        "store": str(status.store),
        "notes": about.notes,
        "chunks": about.chunks,
        "links": about.links,
        "embedder": about.embedder,
        "filling": asdict(status.filling),
        "generation": about.generation,
        "indexed_at": about.indexed_at or None,
        "stale": status.stale,
        "store_bytes": about.bytes,
        "skipped": listed_reasons(about.skipped),
        "others": dict(status.others),
    }


def of_report(report: Report, about: About) -> dict[str, Any]:
    """Return the report as other programs read it."""
    return {
        "notes": about.notes,
        "chunks": about.chunks,
        "added": report.added,
        "changed": report.changed,
        "removed": report.removed,
        "skipped": listed_reasons(about.skipped),
        "redacted": len(report.redacted),
        "seconds": round(report.seconds, 3),
        "warnings": listed_reasons(report.warned),
        "interrupted": report.interrupted,
    }


def of_remembered(done: Remembered) -> dict[str, Any]:
    """Return what became of a text to remember as other programs read it."""
    return {
        "path": done.path or None,
        "written": done.written,
        "near": [asdict(near) for near in done.near],
        "redacted": done.redacted,
        "notices": list(done.notices),
    }


def of_forgotten(done: Forgotten) -> dict[str, Any]:
    """Return what became of a memory as other programs read it."""
    return {"path": done.path, "trash": done.trash, "notices": list(done.notices)}


def listed_reasons(reasons: Mapping[str, str]) -> list[dict[str, str]]:
    """Return paths and reasons as other programs read them."""
    return [{"path": path, "reason": reason} for path, reason in reasons.items()]
