"""Answers as data, in the forms that `serve/forms` writes down: one for `--json`, HTTP and MCP."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from notewell.serve.wording import sentences, word
from notewell.types.notices import Notice

if TYPE_CHECKING:
    # Only names: whoever prints hits does not pay for walks and graphs.
    from notewell.graph.link_report import Links, NoteLink
    from notewell.graph.overview import Bridge, Community, Graph, NoteStanding
    from notewell.graph.traverse import Walk
    from notewell.index.place import Reading
    from notewell.index.report import Filling, Reason, Report, Status
    from notewell.memory import Forgotten, Remembered
    from notewell.memory.near import Near
    from notewell.serve import forms
    from notewell.types.results import DeepResults, Results, Visit

Noticed = TypeVar("Noticed", "Results", "DeepResults", "Walk", "Links", "Graph")


def with_notices(answer: Noticed, notices: tuple[Notice, ...]) -> Noticed:
    """Return an answer that first tells what the look for changed files had to say."""
    return replace(answer, notices=(*notices, *answer.notices))


def as_data(value: Any, *, explain: bool = False) -> Any:
    """Return a result as other programs read it: its fields by name, those for explanations only if asked for.

    A field whose default is None is left out where it has no value.
    """
    if isinstance(value, Notice):
        return word(value)
    if isinstance(value, tuple | list):
        return [as_data(item, explain=explain) for item in value]
    if isinstance(value, Mapping):
        return {name: as_data(item, explain=explain) for name, item in value.items()}
    if not is_dataclass(value):
        return value
    made = {}
    for field in fields(value):
        item = getattr(value, field.name)
        shown = explain if field.metadata.get("explained") else item is not None or field.default is not None
        if shown:
            made[field.name] = as_data(item, explain=explain)
    return made


def of_reading(reading: Reading) -> forms.Reading:
    """Return lines of a note as other programs read them."""
    return {
        "path": reading.path,
        "line": reading.line,
        "end_line": reading.end_line,
        "text": reading.text,
        "place": reading.place,
    }


def of_walk(walk: Walk) -> forms.Walk:
    """Return a walk as other programs read it."""
    return {
        "query": walk.query,
        "visits": [_visit(visit) for visit in walk.visits],
        "notes": walk.notes,
        "vectors": walk.vectors,
        "unseen": walk.unseen,
        "floor": walk.floor,
        "ended": walk.ended,
        "notices": list(sentences(walk.notices)),
    }


def _visit(visit: Visit) -> forms.Visit:
    """Return a note of a walk as other programs read it."""
    made: forms.Visit = {
        "path": visit.path,
        "similarity": visit.similarity,
        "hop": visit.hop,
        "via": visit.via,
        "way": visit.way,
        "kept": visit.kept,
    }
    if visit.retain_reason is not None:
        made["retain_reason"] = visit.retain_reason
    if visit.drop_reason is not None:
        made["drop_reason"] = visit.drop_reason
    return made


def of_links(links: Links) -> forms.Links:
    """Return links as other programs read them."""
    counts = links.counts
    return {
        "note": links.note,
        "links": [_link(link) for link in links.links],
        "backlinks": [_link(link) for link in links.backlinks],
        "orphans": list(links.orphans),
        "wanted": [{"target": wanted.target, "notes": wanted.notes} for wanted in links.wanted],
        "counts": {
            "notes": counts.notes,
            "links": counts.links,
            "to_notes": counts.to_notes,
            "to_files": counts.to_files,
            "broken": counts.broken,
            "orphans": counts.orphans,
        },
        "notices": list(sentences(links.notices)),
    }


def _link(link: NoteLink) -> forms.Lead:
    return {
        "path": link.path,
        "target": link.target,
        "line": link.line,
        "kind": link.kind,
        "anchor": link.anchor,
        "text": link.text,
        "embed": link.embed,
        "written": link.written,
        "to": link.to,
        "problem": link.problem,
        "near": list(link.near),
    }


def of_graph(graph: Graph) -> forms.Graph:
    """Return the vault from above as other programs read it, with every note's standing and every link between two."""
    return {
        "notes": graph.notes,
        "links": graph.links,
        "centrality_by": graph.centrality_by,
        "communities": [_community(community) for community in graph.communities],
        "bridges": [_bridge(bridge) for bridge in graph.bridges],
        "orphans": list(graph.orphans),
        "standings": [_standing(standing) for standing in graph.standings],
        "pairs": list(graph.pairs),
        "notices": list(sentences(graph.notices)),
    }


def _community(community: Community) -> forms.Community:
    return {
        "number": community.number,
        "names": list(community.names),
        "size": community.size,
        "links": community.links,
        "notes": list(community.notes),
    }


def _bridge(bridge: Bridge) -> forms.Bridge:
    return {"communities": bridge.communities, "links": bridge.links, "link": bridge.link}


def _standing(standing: NoteStanding) -> forms.Standing:
    return {
        "path": standing.path,
        "pagerank": standing.pagerank,
        "centrality": standing.centrality,
        "community": standing.community,
    }


def of_status(status: Status) -> forms.Status:
    """Return the status as other programs read it."""
    return {
        "vault": status.vault,
        "store": status.store,
        "notes": status.notes,
        "chunks": status.chunks,
        "links": status.links,
        "embedder": status.embedder,
        "filling": of_filling(status.filling),
        "generation": status.generation,
        "indexed_at": status.indexed_at,
        "stale": status.stale,
        "store_bytes": status.store_bytes,
        "skipped": listed_reasons(status.skipped),
        "others": dict(status.others),
    }


def of_filling(filling: Filling) -> forms.Filling:
    """Return how far the better model is as other programs read it."""
    return {
        "encoder": filling.encoder,
        "filled": filling.filled,
        "unread": filling.unread,
        "left": filling.left,
        "under_way": filling.under_way,
        "problem": filling.problem,
    }


def of_report(report: Report) -> forms.Report:
    """Return the report as other programs read it."""
    return {
        "notes": report.notes,
        "chunks": report.chunks,
        "added": report.added,
        "changed": report.changed,
        "removed": report.removed,
        "unchanged": report.unchanged,
        "skipped": listed_reasons(report.skipped),
        "redacted": report.redacted,
        "seconds": report.seconds,
        "warnings": listed_reasons(report.warnings),
        "interrupted": report.interrupted,
    }


def of_remembered(done: Remembered) -> forms.Remembered:
    """Return what became of a text to remember as other programs read it."""
    return {
        "path": done.path,
        "written": done.written,
        "near": [_near(near) for near in done.near],
        "redacted": done.redacted,
        "notices": list(sentences(done.notices)),
    }


def _near(near: Near) -> forms.Near:
    return {
        "path": near.path,
        "line": near.line,
        "title": near.title,
        "similarity": near.similarity,
        "text": near.text,
    }


def of_forgotten(done: Forgotten) -> forms.Forgotten:
    """Return what became of a memory as other programs read it."""
    return {"path": done.path, "trash": done.trash, "notices": list(sentences(done.notices))}


def listed_reasons(reasons: Iterable[Reason]) -> list[forms.Reason]:
    """Return paths and reasons as other programs read them."""
    return [{"path": one.path, "reason": one.reason} for one in reasons]
