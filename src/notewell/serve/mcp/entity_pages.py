"""A page of entities for a model: a list, or all that is known of one."""

from __future__ import annotations

from typing import Any

from notewell.entities.report import Entities, EntityDetails
from notewell.search.budget import line_in_prompt, path_in_prompt
from notewell.serve.json_data import as_data
from notewell.serve.mcp.fence import Data, Own, ToolAnswer
from notewell.serve.mcp.pages import clipped, end_of, fit_page, noted, short_notices, with_rest, with_values
from notewell.serve.say import counted

# Characters of a name.
LONGEST = 80


def entities_page(found: Entities) -> ToolAnswer:
    """Return entities by name and kind, or one with its other names, neighbours, relations and places."""
    notices, one = short_notices(as_data(found.notices)), found.entity
    numbers: Data = {"total": found.total, "kinds": dict(found.kinds)}
    sizes = [len(found.entities), *map(len, (one.spellings, one.beside, one.relations, one.places) if one else ())]

    def render(rows: int) -> ToolAnswer:
        listed = [{"name": _name(row.name), "kind": row.kind, "notes": row.notes} for row in found.entities[:rows]]
        shown = with_values({**numbers, "entities": listed}, {"entity": _details(one, rows) if one else None})
        data = with_rest(shown, sum(max(0, size - rows) for size in sizes), notices)
        head = Own(f"{counted(found.total, 'entity')}.")
        return ToolAnswer(noted(data), head, "\n".join(_lines(data)), end_of(data), data=data)

    return fit_page(render, max(sizes))


def _details(one: EntityDetails, rows: int) -> Data:
    return {
        "name": _name(one.name),
        "kind": one.kind,
        "notes": one.notes,
        "spellings": [_name(other.name) for other in one.spellings[:rows]],
        "places": [f"{path_in_prompt(place.path)}:{place.line}" for place in one.places[:rows]],
        "beside": [f"{_name(other.name)} ({other.kind})" for other in one.beside[:rows]],
        "relations": [
            f"{_name(each.source)} {each.relation} {_name(each.target)} ({path_in_prompt(each.path)}:{each.line})"
            for each in one.relations[:rows]
        ],
    }


def _lines(data: Data) -> list[str]:
    lines = [f"- {row['name']} ({row['kind']}, {counted(row['notes'], 'note')})" for row in data["entities"]]
    one: dict[str, Any] = data.get("entity", {})
    if one:
        lines.append(f"{one['name']} ({one['kind']}, {counted(one['notes'], 'note')})")
    for title, key in (("also", "spellings"), ("with", "beside"), ("relation", "relations"), ("in", "places")):
        lines += [f"{title} {each}" for each in one.get(key, ())]
    return lines


def _name(name: str) -> str:
    return clipped(line_in_prompt(name), LONGEST)
