"""The results as a picture: latencies, and the distance to each target."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.child import Measured
from bench.targets import TARGETS, Verdict

REACHED, MISSED = "#2a7f62", "#c2412d"
COLOURS = ("#1f5fa8", "#d98a1f", "#6b4fa0", "#555555")
# Bars end here with their value, so that one missed tenfold does not flatten the others.
LONGEST = 3.0
TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)


def draw(results: Measured, verdicts: Sequence[Verdict], file: Path) -> None:
    """Write the picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(14, 5.6), width_ratios=(1, 1.1))
    _draw_latency(left, results.get("query") or {})
    _draw_targets(right, [one for one in verdicts if one.value is not None and one.target.limit > 0])
    figure.suptitle(f"Notewell {results['date']} {results['label']}, {results['machine']['cores']} cores", fontsize=13)
    figure.tight_layout()
    figure.savefig(file, dpi=110)
    pyplot.close(figure)


def _draw_latency(axes: Any, query: Measured) -> None:
    """Draw the share of queries answered within a time."""
    for (name, one), colour in zip(query.items(), COLOURS, strict=False):
        took = sorted(one["milliseconds"])
        shares = [(place + 1) / len(took) * 100 for place in range(len(took))]
        axes.step(took, shares, color=colour, label=f"{name}\np50 {one['p50']:.1f}, p95 {one['p95']:.1f} ms")
    for target in TARGETS:
        if target.place[:1] == ("query",) and target.unit == "ms":
            share = int(target.place[-1].removeprefix("p"))
            axes.plot(target.limit, share, marker="D", color="black", markersize=7, linestyle="none", zorder=3)
            note = f"target p{share}: {target.limit:g} ms"
            axes.annotate(note, (target.limit, share), (9, -4), textcoords="offset points", fontsize=9)
    axes.set_xscale("log")
    axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes.set_xticks([], minor=True)
    longest = max((max(one["milliseconds"]) for one in query.values()), default=0)
    axes.set(xlim=(0.1, max(120, longest * 1.1)), ylim=(0, 101))
    axes.set(xlabel="milliseconds, warm, end to end", ylabel="queries answered within, %")
    axes.set_title("Warm hybrid query")
    axes.grid(alpha=0.25)
    if query:
        axes.legend(loc="upper left", fontsize=9)


def _draw_targets(axes: Any, verdicts: Sequence[Verdict]) -> None:
    """Draw each measured value as a share of its limit."""
    for row, one in enumerate(reversed(verdicts)):
        # With a limit of 0, each unit counts as one whole limit.
        share = (one.value or 0) / (one.target.limit or 1)
        axes.barh(row, min(share, LONGEST), color=REACHED if one.reached else MISSED, height=0.62)
        sign, more = "≥" if one.target.at_least else "≤", " ▸" if share > LONGEST else ""
        text = f"{one.value:g} {one.target.unit}".rstrip() + f" ({sign} {one.target.limit:g}){more}"
        # Right of the line even for short bars, so that the line crosses no text.
        axes.text(max(1, min(share, LONGEST)) + 0.04, row, text, va="center", fontsize=9)
    axes.axvline(1, color="black", linewidth=1.2)
    axes.set_yticks(range(len(verdicts)), [one.target.what for one in reversed(verdicts)])
    axes.set(xlim=(0, LONGEST + 1), xlabel="measured ÷ target")
    axes.set_title("Against the targets: green is reached, red is not")


def draw_scale(scale: Measured, file: Path) -> None:
    """Draw how latency, memory, store size and index time grow with the number of chunks."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = list(scale.values())
    chunks = [one["chunks"] for one in rows]
    lines = {
        "query, ms": {"p50": [one["p50"] for one in rows], "p95": [one["p95"] for one in rows]},
        "memory, MB": {
            "serving": [one["memory_mb"]["peak"] for one in rows],
            "indexing": [one["index_memory_mb"]["peak"] for one in rows],
        },
        "bytes, MB": {
            "store": [one["store_bytes"] / 1e6 for one in rows],
            "text": [one["text_bytes"] / 1e6 for one in rows],
        },
        "index, s": {"full index": [one["seconds"] for one in rows]},
    }
    figure, all_axes = pyplot.subplots(1, len(lines), figsize=(16, 4))
    for axes, (title, named) in zip(all_axes, lines.items(), strict=True):
        for (name, values), colour in zip(named.items(), COLOURS, strict=False):
            axes.plot(chunks, values, marker="o", color=colour, label=name)
            axes.annotate(
                f"{values[-1]:,.0f}", (chunks[-1], values[-1]), (-4, 6), textcoords="offset points", ha="right"
            )
        axes.set(xscale="log", yscale="log", title=title, xlabel="chunks")
        axes.grid(alpha=0.25)
        axes.legend(fontsize=9)
    figure.tight_layout()
    figure.savefig(file, dpi=110)
    pyplot.close(figure)


def draw_workers(workers: Measured, file: Path) -> None:
    """Draw what more workers gain over one, beside the most that the static part of the work lets them."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.6))
    for (name, counts), colour in zip(workers.items(), COLOURS, strict=False):
        numbers = [int(count) for count in counts if count != "0"]
        rows = [counts[str(number)] for number in numbers]
        axes.plot(numbers, [rows[0]["seconds"] / one["seconds"] for one in rows], marker="o", color=colour, label=name)
        static, spread = rows[0]["own_processor_s"], rows[0]["workers_processor_s"]
        most = [max(static, spread) / max(static, spread / number) for number in numbers]
        axes.plot(
            numbers, most, color=colour, linestyle="dotted", label=f"the most, as {static:.1f} s stay in one process"
        )
    axes.set(xlabel="workers", ylabel="gain over one worker", ylim=(0, None))
    axes.set_xticks([int(count) for count in next(iter(workers.values())) if count != "0"])
    axes.grid(alpha=0.25)
    axes.legend(fontsize=9)
    figure.tight_layout()
    figure.savefig(file, dpi=110)
    pyplot.close(figure)
