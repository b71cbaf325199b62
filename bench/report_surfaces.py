"""The tables on surfaces (commands, hooks, MCP, HTTP), and on targets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.child import Measured
from bench.tables import grid, three
from bench.targets import Verdict

LOAD_ROWS = (("alone", "nothing beside it"), ("indexing", "another process indexes"), ("reload", "during a reload"))
MCP_ROWS = (
    ("initialize", "initialize_ms"),
    ("tools/list", "tools_list_ms"),
    ("first call", "first_call_ms"),
    ("calls, p50", "p50"),
    ("calls, p95", "p95"),
)


def write_warm(warm: Measured, _: Measured) -> Iterator[str]:
    """Yield the table of commands and hooks."""
    names = list(dict.fromkeys(name for one in warm.values() for name in one["commands"]))
    rows = [[name, *(_four(one["commands"].get(name)) for one in warm.values())] for name in names]
    yield from grid(["COMMAND, ms: best / p50 / p95 / processor", *warm], rows)
    yield ""
    names = list(dict.fromkeys(name for one in warm.values() for name in one["hooks"]["kinds"]))
    rows = [[name, *(_counted(one["hooks"]["kinds"].get(name)) for one in warm.values())] for name in names]
    rows.append(["prompt, no daemon", *(_counted(one["cold_hook"]) for one in warm.values())])
    yield from grid(["HOOK, ms: best / p50 / p95 / processor (runs)", *warm], rows)
    for vault, one in warm.items():
        cold = one["cold_hook"]
        outcomes = ", ".join(f"{times} × {what}" for what, times in cold["outcomes"].items())
        yield f"{vault}, no daemon: {cold['answered']} of {cold['runs']} with an answer ({outcomes})"


def write_mcp(mcp: Measured, _: Measured) -> Iterator[str]:
    """Yield the table of MCP latencies and the longest pages."""
    ways = {f"{vault}, {way}": one[way] for vault, one in mcp.items() for way in ("stdio", "http")}
    rows = [[label, *(f"{one[key]:.1f}" for one in ways.values())] for label, key in MCP_ROWS]
    yield from grid(["MCP, ms", *ways], rows)
    for vault, one in mcp.items():
        yield ""
        keys = ("pages", "chars", "tokens", "tokens_counted")
        rows = [[tool, *(f"{page[key]:,}" for key in keys)] for tool, page in one["pages"].items()]
        head = ("pages", "characters", "tokens of 4 characters", "by our tokenizer")
        yield from grid([f"LONGEST PAGE, {vault}", *head], rows)


def write_graph(graph: Measured, _: Measured) -> Iterator[str]:
    """Yield the table of the graph in a browser."""
    rows = [
        [
            vault,
            f"{one['first_frame_ms']:.0f}",
            *(three(each) for each in one["frames_ms"].values()),
            str(one["frames_at_rest"]),
        ]
        for vault, one in graph.items()
        if one
    ]
    moving = ("moving, ms a frame: p50 / p95 / p99", "zoomed in")
    yield from grid(["GRAPH IN A BROWSER", "first frame after data, ms", *moving, "frames at rest"], rows)


def write_memory(memory: Measured, _: Measured) -> Iterator[str]:
    """Yield the memory of each process, idle and after many requests."""
    for number, (vault, encoders) in enumerate(memory.items()):
        if number:
            yield ""
        rows = [
            [
                f"{name}, encoder {encoder}",
                f"{one['asked']:,}",
                *(_held(one[when]) for when in ("idle", "busy")),
                str(one.get("ended", "–")),
            ]
            for encoder, processes in encoders.items()
            for name, one in processes.items()
        ]
        yield from grid(
            [f"MEMORY, MB: rss / pss / peak, {vault}", "requests", "idle", "after them", "ended itself"], rows
        )


def write_typing(typing: Measured, _: Measured) -> Iterator[str]:
    """Yield the table of search as you type."""
    measured = {vault: one for vault, one in typing.items() if one}
    rows = [[vault, f"{one['keystrokes']:,}", three(one)] for vault, one in measured.items()]
    yield from grid(["TYPING, ms from a keystroke to painted results", "keystrokes", "p50 / p95 / p99"], rows)


def write_load(load: Measured, _: Measured) -> Iterator[str]:
    """Yield the table of concurrent clients, ours and the peer's."""
    for vault, one in load.items():
        rows = [
            [f"{name}, {what}", f"{row['per_second']:,.1f}", three(row), str(row["errors"])]
            for name in ("notewell", "qmd")
            for key, what in LOAD_ROWS
            if (row := one[name].get(key))
        ]
        head = ("requests a second", "ms: p50 / p95 / p99", "errors")
        yield from grid([f"{one['clients']} CLIENTS OVER HTTP, {one['seconds']} s, {vault}", *head], rows)
        named = dict(LOAD_ROWS)
        yield from (
            f"{named[phase]}: {ratio:g} times the requests a second of qmd"
            for phase, ratio in one["ours_over_qmd"].items()
        )
        yield from (row["left_out"] for row in (one["notewell"], one["qmd"]) if "left_out" in row)


def write_targets(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield the targets: missed ones first, then those reached, then those not measured."""
    measured = [one for one in verdicts if one.value is not None]
    rows = [
        [one.target.what, _bar(one), f"{one.value:g} {one.target.unit}".strip(), "yes" if one.reached else "NO"]
        for one in sorted(measured, key=lambda one: one.reached)
    ]
    yield from grid(["TARGETS", "target", "measured", "reached"], rows)
    yield f"{sum(one.reached for one in measured)} of {len(measured)} reached"
    if left := [one.target.what for one in verdicts if one.value is None]:
        yield f"not measured in this run: {'; '.join(left)}"


def _bar(one: Verdict) -> str:
    return f"{'≥' if one.target.at_least else '≤'} {one.target.limit:g} {one.target.unit}".strip()


def _four(one: Measured | None) -> str:
    return " / ".join(f"{one[key]:.0f}" for key in ("best_ms", "p50", "p95", "processor_ms")) if one else "–"


def _counted(one: Measured | None) -> str:
    return f"{_four(one)} ({one['runs']})" if one else "–"


def _held(one: Measured) -> str:
    return " / ".join(f"{one[key]:.0f}" for key in ("rss", "pss", "peak"))
