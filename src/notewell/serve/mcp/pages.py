"""Pages for a model: results as data and as text, neither ever longer than a page."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from types import MappingProxyType
from typing import Any

from notewell.index.place import Reading
from notewell.index.report import Status
from notewell.search.budget import CHARS_PER_TOKEN, count_tokens, fenced, line_in_prompt, path_in_prompt, safe_in_prompt
from notewell.serve.json_data import as_data
from notewell.serve.mcp.fence import Data, Own, ToolAnswer, packed
from notewell.serve.say import counted
from notewell.types.query import Query
from notewell.types.results import Compared, DeepHit, Hit, Results

# The size of a page's data, and of its text: clients show a model one of the two. It is 2,000 tokens, less what the
# estimate may miss.
PAGE = 1_800
# More rows than this never fit.
MOST_ROWS = 200
# How much of a hit is shown: its place and headings; one sentence; the excerpt; the passage.
BARE, SENTENCE, EXCERPT, PASSAGE = range(4)
# A longer passage is shown by its excerpt, and no excerpt is longer.
LONGEST = 800
# Tokens for the rest of a page of hits: its head, what is left out, and what is shortened.
FRAME = 150
# Characters of a notice, and the number of notices.
NOTICE = 300
NOTICES = 5
# How many duplicates and suggestions, and how many skipped files, are listed.
NAMED = 3
SKIPPED = 5


def fit_page(render: Callable[[int], ToolAnswer], rows: int) -> ToolAnswer:
    """Return an answer with as many rows as fit on a page."""
    fewer = range(1, min(rows, MOST_ROWS) + 1)
    return render(bisect_right(fewer, PAGE, key=lambda count: render(count).size))


def with_values(data: Mapping[str, Any], optional: Mapping[str, Any]) -> Data:
    """Return data with those optional fields that have a value.

    >>> with_values({"path": "Bees.md"}, {"place": "", "also": ["Wasps.md"]})
    {'path': 'Bees.md', 'also': ['Wasps.md']}
    """
    return {**data, **{name: value for name, value in optional.items() if value}}


def short_notices(notices: Sequence[str]) -> list[str]:
    """Return notices cut to fit on a page."""
    return [clipped(line_in_prompt(notice), NOTICE) for notice in notices[:NOTICES]]


def with_rest(data: Mapping[str, Any], left_out: int, notices: Sequence[str]) -> Data:
    """Return the data of a page with its notices in front, and the number of rows left out."""
    return {**with_values({}, {"notices": list(notices)}), **with_values(data, {"left_out": left_out})}


def noted(data: Data) -> str:
    """Return the notices as a part of a page's text; empty if there are none."""
    return "\n".join(f"note: {notice}" for notice in data.get("notices", ()))


def end_of(data: Data) -> Own:
    """Return the last line of a page's text, which says how much is left out; empty if nothing is."""
    left = data.get("left_out", 0)
    return Own(f"{left:,} more did not fit; narrow the search, or ask for fewer with limit." if left else "")


def compared_page(both: Compared, query: Query) -> ToolAnswer:
    """Return a page of the hits of a fast search, and of those that only a deep one found."""
    more = [hit for hit in both.deep if hit.path in both.only_deep]
    notices = tuple(dict.fromkeys((*both.fast.notices, *both.deep.notices)))
    only = {**dict.fromkeys(both.only_fast, "fast"), **dict.fromkeys(both.only_deep, "deep")}
    return hits_page(replace(both.fast, hits=(*both.fast, *more), notices=notices), query, only)


def hits_page(found: Results, query: Query, only: Mapping[str, str] = MappingProxyType({})) -> ToolAnswer:
    """Return a page of hits; with `max_tokens`, whole passages; `only` says which mode alone found a note."""
    notices = short_notices(as_data(found.notices))
    longest = LONGEST if query.max_tokens is None else sys.maxsize
    ways = [
        [
            with_values(_hit(hit, much, longest, query), {"only": only.get(hit.path)})
            for much in (BARE, SENTENCE, EXCERPT, PASSAGE)
        ]
        for hit in found
    ]
    room = PAGE + (query.max_tokens or 0) - FRAME - count_tokens(packed(notices))
    # Without a limit, the last hits are left out rather than shown by their place alone.
    chosen = _share_out([list(map(_cost, way)) for way in ways], room, BARE if query.limit else SENTENCE)
    shown = [way[much] for way, much in zip(ways, chosen, strict=False)]
    notices += _shortened([way[EXCERPT] for way in ways], shown)
    data = with_rest({"hits": shown}, len(found) - len(shown) + found.left_out, notices)
    return ToolAnswer(*_hits_parts(data), data=data)


def _cost(hit: Data) -> int:
    return max(count_tokens(fenced(_hit_text(MOST_ROWS, hit))), count_tokens(packed(hit)) + 1)


def _share_out(costs: Sequence[Sequence[int]], room: int, least: int) -> list[int]:
    """Return how much of each hit is shown, the best first; those that do not fit are left out.

    >>> _share_out([[10, 20, 30, 60]] * 6, 140, BARE)
    [2, 2, 1, 1, 0, 0]
    """
    chosen: list[int] = []
    # A page is a list first; then it gets excerpts from the top, a sentence for others, and more while there is room.
    for much, share in ((least, 0.6), (EXCERPT, 0.8), (SENTENCE, 0.9), (PASSAGE, 1.0), (least, 1.0)):
        for number, cost in enumerate(costs):
            now = chosen[number : number + 1]
            if now and now[0] >= much:
                continue
            used = sum(costs[at][of] for at, of in enumerate(chosen)) - sum(cost[of] for of in now)
            if used + cost[much] > room * share:
                break
            chosen[number : number + 1] = [much]
    return chosen


def _shortened(usual: Sequence[Data], shown: Sequence[Data]) -> list[str]:
    """Return a notice of how many hits show less than their excerpts, if any do."""
    less = [hit for hit, full in zip(shown, usual, strict=False) if "text" not in hit and hit != full]
    bare = sum("excerpt" not in hit for hit in less)
    if not less:
        return []
    parts = ((len(less) - bare, "one sentence"), (bare, "place and heading only"))
    counts = ", ".join(f"{counted(count, 'hit')} with {what}" for count, what in parts if count)
    return [f"to fit the page, {counts}; `read` shows a whole passage, a smaller `limit` or `max_tokens` more of each"]


def _hit(hit: Hit, much: int, longest: int, query: Query) -> Data:
    excerpt, quote, text = hit.excerpt, {}, ""
    # A passage that takes no more room than its excerpt is shown whole.
    room = {EXCERPT: len(excerpt.text), PASSAGE: longest}.get(much, 0)
    if len(hit.text) <= room:
        text = safe_in_prompt(hit.text)
    elif much:
        # An excerpt has a sentence on each line.
        some = excerpt.text if much > SENTENCE else excerpt.text.partition("\n")[0]
        quote = {"line": excerpt.line, "text": safe_in_prompt(first_lines(some, LONGEST))}
    reached = f"hop {hit.hop}, {hit.way} {path_in_prompt(hit.via)}" if isinstance(hit, DeepHit) and hit.via else ""
    steps = [line_in_prompt(f"{step.by}: {step.why} = {step.score:.3f}") for step in hit.trace] if query.explain else []
    place = {"path": path_in_prompt(hit.path), "line": hit.line, "end_line": hit.end_line}
    return with_values(
        {**place, "heading": clipped(line_in_prompt(hit.heading), 160), "score": round(hit.score, 3)},
        {
            "date": hit.date,
            "dated_by": clipped(line_in_prompt(hit.dated_by), 80),
            "text": text,
            "excerpt": quote,
            "place": clipped(line_in_prompt(hit.place), 80),
            "also": [path_in_prompt(path) for path in hit.also[:NAMED]] if much > SENTENCE else [],
            "reached": reached,
            "trace": steps,
        },
    )


def _hits_parts(data: Data) -> tuple[str, ...]:
    hits, notices = data["hits"], noted(data)
    if not hits:
        left = data.get("left_out", 0)
        hint = "" if notices else " Try other words."
        fact = f"{counted(left, 'hit')} did not fit on a page." if left else f"Nothing in the notes matches.{hint}"
        return notices, Own(fact)
    head = Own(f"{counted(len(hits), 'passage')} of the user's notes, the best first:")
    return notices, head, *(_hit_text(number, hit) for number, hit in enumerate(hits, start=1)), end_of(data)


def _hit_text(number: int, hit: Data) -> str:
    quote = hit.get("excerpt")
    part = f"; {hit['place']}" if "place" in hit else ""
    dated = f"; dated {hit['date']} by {hit['dated_by']}" if "date" in hit else ""
    place = f"{quote['line']} (of {hit['line']}-{hit['end_line']}" if quote else f"{hit['line']}-{hit['end_line']} ("
    head = f"{number}. {hit['path']}:{place}{'; ' * bool(quote)}score {hit['score']}{dated}{part})"
    lines = [head, f"[{hit['heading']}]", quote["text"] if quote else hit.get("text", "")]
    lines += [f"the same in {', '.join(hit['also'])}"] if "also" in hit else []
    lines += [f"found in {hit['only']} mode only"] if "only" in hit else []
    lines += [f"reached by {hit['reached']}"] if "reached" in hit else []
    return "\n".join((*filter(None, lines), *(f"- {step}" for step in hit.get("trace", ()))))


def status_page(status: Status, indexing: tuple[int, int] | None) -> ToolAnswer:
    """Return the status of the store."""
    encoder = status.filling
    skipped = f", {encoder.unread:,} of them skipped (unsupported language)" if encoder.unread else ""
    encoded = f"{encoder.done:,} of {encoder.total:,} passages{skipped}" if encoder.encoder else "no encoder"
    about = {name: getattr(status, name) for name in ("notes", "chunks", "links", "indexed_at", "stale")}
    about = {"vault": path_in_prompt(str(status.vault)), **about}

    domains = {"domains": dict(status.domains)} if status.domains else {}

    def render(rows: int) -> ToolAnswer:
        skipped = [
            {"path": path_in_prompt(one.path), "reason": clipped(line_in_prompt(one.reason), 120)}
            for one in status.skipped[:rows]
        ]
        files = {"skipped_files": len(status.skipped), "unread_files": sum(status.others.values())}
        data = {**about, "skipped": skipped, **files, "closely_read": encoded, **domains}
        if indexing:
            data["indexing"] = dict(zip(("done", "total"), indexing, strict=True))
        return ToolAnswer(*_status_parts(data), data=data)

    return fit_page(render, min(SKIPPED, len(status.skipped)))


def _status_parts(data: Data) -> tuple[str, ...]:
    vault, lines = f"vault: {data['vault']}", list[str]()
    if "indexing" in data:
        lines.append("being indexed: {done:,} of {total:,} notes".format(**data["indexing"]))
    if not data["indexed_at"]:
        return vault, Own("\n".join(lines) or "not indexed yet; the first search does it")
    lines.append(f"notes: {data['notes']:,} in {data['chunks']:,} passages, with {data['links']:,} links")
    lines.append(f"indexed: {data['indexed_at']}; {data['stale']:,} files changed since, for the next search to index")
    if "domains" in data:
        lines.append(f"domains: {', '.join(f'{name} {count:,}' for name, count in data['domains'].items())}")
    lines.append(f"encoded: {data['closely_read']}")
    skipped = counted(data["skipped_files"], "file")
    lines.append(f"skipped: {skipped}; in unsupported formats: {data['unread_files']:,}")
    return vault, Own("\n".join(lines)), "\n".join(f"- {row['path']}: {row['reason']}" for row in data["skipped"])


def is_open(place: str) -> bool:
    """Tell whether a place extends to the end of its note.

    >>> [place for place in ("Bees.md", "Bees.md:12", "Bees.md:12-", "Bees.pdf#page 3") if is_open(place)]
    ['Bees.md', 'Bees.md:12-']
    """
    span = place.rpartition(":")[2] if ":" in place else ""
    return not (span[:1].isdigit() and not span.endswith("-")) and "#" not in place


def reading_page(reading: Reading, max_tokens: int, *, open_end: bool) -> ToolAnswer:
    """Return lines of a note with their numbers, as many as fit, and how to get the rest."""
    # Line by line, so that the numbers are right whatever is removed.
    lines = map(safe_in_prompt, reading.text.split("\n"))
    numbered = [f"{number}  {line}" for number, line in enumerate(lines, start=reading.line)]
    sizes = accumulate(count_tokens(f"{line}\n") for line in numbered)
    kept = [line for line, size in zip(numbered, sizes, strict=True) if size <= max_tokens]
    # A line longer than a page is cut, and is the only one on it.
    kept = kept or [numbered[0][: _fitting(numbered[0], max_tokens)]]
    cut = len(numbered[0]) - len(kept[0])
    last = reading.line + len(kept) - 1
    path, place = path_in_prompt(reading.path), f", {line_in_prompt(reading.place)}" if reading.place else ""
    of = f" of {reading.end_line:,}" if open_end else ""
    head = f"{path}, lines {reading.line}-{last}{of}{place}"
    cut_off = f"Line {last} goes on for {cut:,} characters that are not shown; `search` finds passages in it."
    upto = "" if open_end else reading.end_line
    more = [f"There is more: read {path}:{last + 1}-{upto}"] * (last < reading.end_line)
    # No line of the note can be taken for these two: each begins with its number.
    return ToolAnswer("\n".join((head, *kept, *more)), Own(cut_off if cut > 0 else ""))


def _fitting(text: str, tokens: int) -> int:
    """Return how many characters of a text fit into this many tokens."""
    most = range(min(len(text), tokens * CHARS_PER_TOKEN) + 1)
    return bisect_right(most, tokens, key=lambda length: count_tokens(text[:length])) - 1


def clipped(text: str, most: int) -> str:
    """Return a text of at most `most` characters, cut between words.

    >>> clipped("The hive hums in the warm evening of May", 24), clipped("The hive hums", 24)
    ('The hive hums in the …', 'The hive hums')
    """
    if len(text) <= most:
        return text
    piece = text[: most - 1]
    cut = piece.rpartition(" ")[0] if " " in piece[-most // 4 :] else piece[: most - 2]
    return f"{cut.rstrip()} …"


def first_lines(text: str, most: int) -> str:
    """Return the first lines of a text that fit into `most` characters, or the beginning of a longer first line.

    >>> first_lines("The hive hums.\\nIt is May.", 20)
    'The hive hums.'
    """
    lines = text.split("\n")
    lengths = accumulate(len(line) + 1 for line in lines)
    fitting = sum(length <= most + 1 for length in lengths)
    return "\n".join(lines[:fitting]) if fitting else clipped(lines[0], most)
