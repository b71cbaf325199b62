"""Pages of the graph for a model: a walk, links, and the communities of the vault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from notewell.graph.link_report import Links, NoteLink
from notewell.graph.overview import Graph
from notewell.graph.traverse import Walk
from notewell.search.budget import line_in_prompt, path_in_prompt
from notewell.serve.json_data import as_data
from notewell.serve.mcp.fence import Data, Own, ToolAnswer
from notewell.serve.mcp.pages import (
    NAMED,
    clipped,
    end_of,
    fit_page,
    noted,
    short_notices,
    with_rest,
    with_values,
)
from notewell.serve.say import counted
from notewell.types.results import Visit

LISTS = "Nothing to list. A `note` lists its links; `broken`, `wanted` and `orphans` list those of all notes."


def walk_page(walk: Walk) -> ToolAnswer:
    """Return the notes that a walk kept."""
    kept = [visit for visit in walk.visits if visit.kept]
    dropped = [visit.similarity for visit in walk.visits if not visit.kept]
    notices = short_notices(as_data(walk.notices))
    nearest = max(dropped, default=0.0)

    def render(rows: int) -> ToolAnswer:
        visits = [_visit(visit) for visit in kept[:rows]]
        shown = with_values(
            {"visits": visits, "pruned": len(dropped), "ended": walk.ended}, {"nearest_pruned": nearest}
        )
        data = with_rest(shown, len(kept) - rows, notices)
        lines = [f"{'  ' * visit['hop']}- {_visit_text(visit)}" for visit in visits]
        more = f", the most similar with {nearest:.2f}; a lower floor keeps more." if dropped else "."
        end = Own(f"{counted(len(dropped), 'note')} dropped{more}")
        return ToolAnswer(noted(data), "\n".join(lines), end, end_of(data), data=data)

    return fit_page(render, len(kept))


def _visit(visit: Visit) -> Data:
    shown = {"path": path_in_prompt(visit.path), "similarity": visit.similarity, "hop": visit.hop}
    return with_values(shown, {"via": path_in_prompt(visit.via), "way": visit.way})


def _visit_text(visit: Data) -> str:
    come = f" ({visit['way']} {visit['via']})" if "via" in visit else " (start)"
    return f"{visit['path']} {visit['similarity']:.2f}{come}"


def links_page(links: Links) -> ToolAnswer:
    """Return links and their targets."""
    notices = short_notices(as_data(links.notices))
    # The lists shrink together.
    sizes = [len(links.links), len(links.backlinks), len(links.wanted), len(links.orphans)]

    def render(rows: int) -> ToolAnswer:
        shown = {
            "links": [_link(link) for link in links.links[:rows]],
            "backlinks": [_link(link) for link in links.backlinks[:rows]],
            "wanted": [{**as_data(one), "target": line_in_prompt(one.target)} for one in links.wanted[:rows]],
            "orphans": [path_in_prompt(path) for path in links.orphans[:rows]],
        }
        about = {"note": path_in_prompt(links.note)} if links.note else {"counts": as_data(links.counts)}
        data = with_rest({**shown, **about}, sum(max(0, size - rows) for size in sizes), notices)
        return ToolAnswer(*_links_parts(data), data=data)

    return fit_page(render, max(sizes))


def _link(link: NoteLink) -> Data:
    written, near = clipped(line_in_prompt(link.written), 200), [path_in_prompt(path) for path in link.near[:NAMED]]
    shown = {"path": path_in_prompt(link.path), "line": link.line, "written": written}
    return with_values(shown, {"to": path_in_prompt(link.to or ""), "problem": link.problem, "near": near})


def _links_parts(data: Data) -> tuple[str, ...]:
    counts = data.get("counts")
    head = Own(
        f"{counts['notes']:,} notes with {counts['links']:,} links, {counts['broken']:,} of them broken; "
        f"{counts['orphans']:,} notes without links."
        if counts
        else ""
    )
    lines = [f"{link['path']}:{link['line']} {link['written']} {_target(link)}" for link in data["links"]]
    back = [f"{link['path']}:{link['line']} {link['written']}" for link in data["backlinks"]]
    wanted = [f"{one['target']} named by {counted(one['notes'], 'note')}" for one in data["wanted"]]
    parts = _lists({"links": lines, "backlinks": back, "wanted": wanted, "orphans": data["orphans"]})
    of = "" if counts else f"Links of {data['note']}"
    none = Own("" if parts else LISTS if counts else "It has none.")
    return noted(data), head, of, *parts, none, end_of(data)


def _lists(lists: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the lists that are not empty, each as a title and a part of text."""
    full = {name: "\n".join(rows) for name, rows in lists.items() if rows}
    return [part for name, rows in full.items() for part in (Own(f"{name}:"), rows)]


def _target(link: Data) -> str:
    near = f"; did you mean: {', '.join(link['near'])}" if "near" in link else ""
    return " ".join(filter(None, (f"→ {link['to']}" if "to" in link else "", link.get("problem", "") + near)))


def graph_page(graph: Graph) -> ToolAnswer:
    """Return the communities of the vault, and the links between them."""
    notices = short_notices(as_data(graph.notices))
    numbers = {"notes": graph.notes, "links": graph.links, "orphans": len(graph.orphans)}
    names = [[clipped(line_in_prompt(name), 80) for name in one.names] for one in graph.communities]
    sizes = [len(graph.communities), len(graph.bridges)]

    def render(rows: int) -> ToolAnswer:
        communities = [
            {"names": names[one.number], "size": one.size, "central": path_in_prompt(one.notes[0])}
            for one in graph.communities[:rows]
        ]
        bridges = [
            {"between": [names[number][0] for number in one.communities], "links": one.links}
            for one in graph.bridges[:rows]
        ]
        shown = {**numbers, "communities": communities, "bridges": bridges}
        data = with_rest(shown, sum(max(0, size - rows) for size in sizes), notices)
        return ToolAnswer(*_graph_parts(data), data=data)

    return fit_page(render, max(sizes))


def _graph_parts(data: Data) -> tuple[str, ...]:
    head = Own(
        f"{counted(data['notes'], 'note')}, {counted(data['links'], 'link')}, {data['orphans']:,} notes without links. "
        f"Communities of linked notes, by their most central ones."
    )
    groups = [f"{one['size']:,} notes: {', '.join(one['names'])} ({one['central']})" for one in data["communities"]]
    bridges = [f"{counted(one['links'], 'link')}: {' – '.join(one['between'])}" for one in data["bridges"]]
    return noted(data), head, *_lists({"communities": groups, "bridges": bridges}), end_of(data)
