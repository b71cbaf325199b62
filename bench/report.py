"""The results as one text of tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.child import Measured
from bench.hooks import CHOSEN_ON, HELD_OUT
from bench.links import MODES
from bench.quality import VARIANTS
from bench.report_ask import write_ask
from bench.report_curate import write_entities, write_intake, write_rerank, write_tags, write_tuning
from bench.report_servers import write_pg_index, write_pg_load, write_pg_scale, write_servers, write_workers
from bench.report_surfaces import (
    write_graph,
    write_load,
    write_mcp,
    write_memory,
    write_targets,
    write_typing,
    write_warm,
)
from bench.tables import grid, interval, number, ratio, three
from bench.targets import Verdict

INDEX_ROWS = (
    ("notes", "notes", "{:,}"),
    ("chunks", "chunks", "{:,}"),
    ("text indexed, bytes", "text_bytes", "{:,}"),
    ("full index, s", "seconds", "{:.1f}"),
    ("chunks a second", "chunks_per_second", "{:,.0f}"),
    ("nothing changed, s", "unchanged_seconds", "{:.3f}"),
    ("nothing changed, whole process, s", "unchanged_process_seconds", "{:.3f}"),
    ("ten notes changed, s", "changed_seconds", "{:.3f}"),
    ("store, bytes", "store_bytes", "{:,}"),
    ("store over text", "store_over_text", "{:.2f}"),
)

SCALE_ROWS = (
    ("chunks", "chunks", "{:,}"),
    ("notes", "notes", "{:,}"),
    ("text indexed, bytes", "text_bytes", "{:,}"),
    ("store, bytes", "store_bytes", "{:,}"),
    ("full index, s", "seconds", "{:.0f}"),
    ("first query, ms", "first_ms", "{:.0f}"),
)

CHURN_ROWS = (
    ("a batch of 100 changes, s", "batch_seconds", "{:.2f}"),
    ("store, aged over fresh", "bytes_ratio", "{:.3f}"),
    ("query p50, aged over fresh", "p50_ratio", "{:.3f}"),
    ("saved note found, p50 s", "watch_p50", "{:.2f}"),
    ("saved note found, p95 s", "watch_p95", "{:.2f}"),
)

CHUNKING = {"static": "CHUNKS, static vectors", "encoder": "CHUNKS, with the encoder"}


NOT_QUIET = "\nNOT QUIET: the machine was busy with something else when this began; times are no record"


def as_text(results: Measured, verdicts: Sequence[Verdict]) -> str:
    """Return everything that was measured, section by section."""
    parts = [_head(results)]
    for section, write in SECTIONS.items():
        if results.get(section):
            parts.append("\n".join(write(results[section], results)))
    parts.append("\n".join(write_targets(verdicts)))
    parts += [f"failed: {fact}" for fact in results["failed"]]
    return "\n\n".join(parts)


def _head(results: Measured) -> str:
    machine = results["machine"]
    return (
        f"Notewell {results['date']} {results['label']} · {machine['cores']} cores, {machine['memory_gb']} GB, "
        f"Python {machine['python']} · {machine['processor']}" + ("" if machine["quiet"] else NOT_QUIET)
    )


def _index(index: Measured, _: Measured) -> Iterator[str]:
    rows = [[label, *(form.format(one[key]) for one in index.values())] for label, key, form in INDEX_ROWS]
    rows.insert(-2, ["peak memory, MB", *(f"{one['memory_mb']['peak']:.0f}" for one in index.values())])
    yield from grid(["INDEX", *index], rows)


def _query(query: Measured, _: Measured) -> Iterator[str]:
    kinds = list(dict.fromkeys(kind for one in query.values() for kind in one["kinds"]))
    rows = [["all, nothing encoded", *(three(one) for one in query.values())]]
    shares = list(dict.fromkeys(share for one in query.values() for share in one["shares"]))
    rows += [[share, *(three(one["shares"][share]) for one in query.values())] for share in shares]
    rows += [[kind, *(three(one["kinds"].get(kind)) for one in query.values())] for kind in kinds]
    rows.append(["peak memory, MB", *(f"{one['memory_mb']['peak']:.0f}" for one in query.values())])
    mapped = [one["memory_mb"].get("mapped") for one in query.values()]
    rows.append(["  of that mapped files, at the end", *("–" if mb is None else f"{mb:.0f}" for mb in mapped)])
    rows.append(["first query, ms", *(f"{one['first_ms']:.0f}" for one in query.values())])
    yield from grid(["WARM QUERY, ms: p50 / p95 / p99", *query], rows)
    yield ""
    stages = list(dict.fromkeys(stage for one in query.values() for stage in one["stages_ms"]))
    rows = [[stage, *(_share(one, stage) for one in query.values())] for stage in stages]
    yield from grid(["WHERE A QUERY'S TIME GOES, mean ms", *query], rows)


def _scale(scale: Measured, _: Measured) -> Iterator[str]:
    rows = [[label, *(form.format(one[key]) for one in scale.values())] for label, key, form in SCALE_ROWS]
    rows.append(["peak memory indexing, MB", *(f"{one['index_memory_mb']['peak']:.0f}" for one in scale.values())])
    rows.append(["peak memory serving, MB", *(f"{one['memory_mb']['peak']:.0f}" for one in scale.values())])
    rows.append(["warm query, ms: p50 / p95 / p99", *(three(one) for one in scale.values())])
    yield from grid(["GROWTH, about so many chunks", *scale], rows)


def _cold(cold: Measured, _: Measured) -> Iterator[str]:
    commands = list(dict.fromkeys(name for one in cold.values() for name in one["commands"]))
    timings = [[name, *(one["commands"][name] for one in cold.values())] for name in commands]
    rows = [[name, *(f"{one['best_ms']:.0f} / {one['median_ms']:.0f}" for one in ones)] for name, *ones in timings]
    yield from grid(["COLD COMMAND, ms: best / median", *cold], rows)


def _peers(peers: Measured, results: Measured) -> Iterator[str]:
    for vault, rows in peers.items():
        known = _our_index(results, vault)
        rows = {name: {**known, **row} if name.startswith("notewell") else row for name, row in rows.items()}
        lines = [_peer(name, row, rows["notewell"]) for name, row in rows.items() if "left_out" not in row]
        head = ("index s", "MB", "p50 ms", "p95 ms", "ours/its: p50", "p95", "index s", "MB")
        yield from grid([f"PEERS, {vault}", *head], lines)
        yield from (row["left_out"] for row in rows.values() if "left_out" in row)
        if vault != list(peers)[-1]:
            yield ""


def _peer(name: str, row: Measured, ours: Measured) -> list[str]:
    megabytes = row["index_bytes"] / 1e6 if "index_bytes" in row else None
    shown = (row.get("index_seconds"), megabytes, row["p50"], row["p95"])
    ratios = (ratio(ours.get(key), row.get(key)) for key in ("p50", "p95", "index_seconds", "index_bytes"))
    return [name, *map(number, shown), *ratios]


def _our_index(results: Measured, vault: str) -> Measured:
    one = (results.get("index") or {}).get(vault)
    return {"index_seconds": one["seconds"], "index_bytes": one["store_bytes"]} if one else {}


def _quality(quality: Measured, _: Measured) -> Iterator[str]:
    rows = []
    for name, one in quality.items():
        cells = [f"{one[key]['ndcg@10']:.3f} [{interval(one[key])}]" for key in VARIANTS]
        rows.append([name, number(one["reference_bm25"]), *cells])
    yield from grid(["QUALITY, nDCG@10 [95 %]", "BM25 ref.", *VARIANTS], rows)
    yield ""
    rows = [[name, *(f"{one[key]['recall@100']:.3f}" for key in VARIANTS)] for name, one in quality.items()]
    yield from grid(["QUALITY, recall@100", *VARIANTS], rows)
    yield ""
    rows = [
        [name, *(f"{gain['ndcg@10']:+.3f} [{interval(gain)}]" for gain in one["gain_over"].values())]
        for name, one in quality.items()
    ]
    yield from grid(["GAIN OF default, nDCG@10, paired [95 %]", "over lexical", "over static"], rows)
    yield ""
    limits = {name: one["exhaustive"] for name, one in quality.items() if "exhaustive" in one}
    rows = [
        [name, f"{one['ours']:.4f}", f"{one['exhaustive']:.4f}", f"{one['difference']:+.4f}"]
        for name, one in limits.items()
    ]
    yield from grid(["PAGE OF TEN, nDCG@10, static", "ours", "exhaustive", "difference"], rows)


def _known(known: Measured, _: Measured) -> Iterator[str]:
    """Yield how well each engine finds notes by their titles, and sections by name and heading."""
    rows = [
        [
            *(f"{vault}, {kind}", engine, str(one["queries"]), f"{one['mrr@10']:.3f}", interval(one)),
            *(f"{one['hit@1']:.3f}", "{:+.3f} to {:+.3f}".format(*one["over_words"])),
        ]
        for vault, kinds in known.items()
        for kind, engines in kinds.items()
        for engine, one in engines.items()
    ]
    yield from grid(("known items", "engine", "queries", "MRR@10", "95 %", "hit@1", "over words"), rows)


def _links(links: Measured, _: Measured) -> Iterator[str]:
    rows = []
    for name, one in links.items():
        scores = [f"{one[mode]['ndcg@10']:.3f}/{one[mode]['mrr@10']:.3f}" for mode in MODES]
        gains = [f"{one[mode]['gain']:+.3f} [{interval(one[mode])}]" for mode in MODES[1:]]
        rows.append(
            [name, str(one["questions"]), *scores, *gains, f"{one['links']['cpu_ms'] - one['off']['cpu_ms']:.2f}"]
        )
    head = ("questions", *MODES, *(f"gain of {mode}" for mode in MODES[1:]), "links, ms")
    yield from grid(["LINKS, nDCG@10/MRR@10 [95 %]", *head], rows)


def _chunking(chunking: Measured, _: Measured) -> Iterator[str]:
    for place, (models, title) in enumerate(CHUNKING.items()):
        ways = chunking[models]
        budgets = list(next(iter(ways.values()))["budgets"])
        rows = [
            [name, f"{one['chunks']:,}", *(_page(one["budgets"][budget]) for budget in budgets)]
            for name, one in ways.items()
        ]
        head = [f"{title}: recall / precision / IoU, %", "chunks", *(f"{int(budget):,} tokens" for budget in budgets)]
        yield from grid(head, rows)
        yield ""
        rows = [
            [name, *(_gained(one["budgets"][budget]["gain"]) for budget in budgets)]
            for name, one in list(ways.items())[1:]
        ]
        yield from grid([f"{title}: recall over the first row, points [95 %]", *head[2:]], rows)
        if place + 1 < len(CHUNKING):
            yield ""


def _page(one: Measured) -> str:
    return f"{one['recall'] * 100:.1f} / {one['precision'] * 100:.2f} / {one['iou'] * 100:.2f}"


def _gained(gain: Measured) -> str:
    low, high = (bound * 100 for bound in gain["interval"])
    return f"{gain['recall'] * 100:+.1f} [{low:+.1f} … {high:+.1f}]"


def _encoder(encoder: Measured, _: Measured) -> Iterator[str]:
    rows = [
        ["static chunks/s", *(number(one["static_chunks_per_second"]) for one in encoder.values())],
        ["encoder chunks/s", *(number(one["encoder_chunks_per_second"]) for one in encoder.values())],
        ["mean characters", *(number(one["mean_chars"]) for one in encoder.values())],
        ["query alone, p50 / p95 / p99 ms", *(three(one["while_filling"]["alone"]) for one in encoder.values())],
        ["query while encoding", *(three(one["while_filling"]["beside"]) for one in encoder.values())],
        ["  over no encoding, p50", *(f"{one['while_filling']['p50_ratio']:.2f}" for one in encoder.values())],
        ["peak memory, MB", *(number(one["memory_mb"]["peak"]) for one in encoder.values())],
    ]
    yield from grid(["ENCODER", *encoder], rows)


def _churn(churn: Measured, _: Measured) -> Iterator[str]:
    rows = [[label, *(form.format(one[key]) for one in churn.values())] for label, key, form in CHURN_ROWS]
    rows.append(["problems the doctor finds", *(str(len(one["problems"])) for one in churn.values())])
    yield from grid(["A YEAR OF CHANGES", *churn], rows)


def _redaction(redaction: Measured, results: Measured) -> Iterator[str]:
    kinds = ("vendors", "generic", "held_out")
    rows = [
        [kind.replace("_", " "), *(str(redaction[kind][key]) for key in ("planted", "caught", "recall"))]
        for kind in kinds
    ]
    yield from grid([f"REDACTION, {redaction['rules']} rules", "planted", "caught", "recall"], rows)
    yield f"innocent texts, held out: {redaction['held_out']['taken']} of {redaction['held_out']['innocent']} taken"
    yield ""
    vaults = redaction["vaults"]
    whole = [(results.get("index") or {}).get(name, {}).get("seconds") for name in vaults]
    rows = [
        ["megabytes", *(number(one["megabytes"]) for one in vaults.values())],
        ["redactions", *(str(sum(one["redactions"].values())) for one in vaults.values())],
        ["of them false, for 10 MB", *(number(one["false_per_10_mb"]) for one in vaults.values())],
        ["all notes, s", *(number(one["seconds"]) for one in vaults.values())],
        [
            "  over a full index",
            *(ratio(one["seconds"], all_) for one, all_ in zip(vaults.values(), whole, strict=True)),
        ],
        ["all paths, s", *(number(one["path_seconds"]) for one in vaults.values())],
    ]
    yield from grid(["REDACTION OF VAULTS", *vaults], rows)


def _hooks(hooks: Measured, results: Measured) -> Iterator[str]:
    at = str(hooks["threshold"])
    head = ["shown", "right of shown", "right of answerable", "shown to others", "to prompts on code"]
    rows = [
        [name, *_hook_row(hooks["vaults"][name][at])] for name in (*CHOSEN_ON, *HELD_OUT) if name in hooks["vaults"]
    ]
    yield from grid([f"HOOK FOR PROMPTS, threshold {at}", *head], rows)
    yield ""
    for title, names in (("CHOSEN ON", CHOSEN_ON), ("HELD OUT", HELD_OUT)):
        there = [hooks["vaults"][name] for name in names if name in hooks["vaults"]]
        rows = [[least, *_hook_row(_summed([one[least] for one in there]))] for least in next(iter(there), {})]
        yield from grid([f"{title}, by threshold", *head], rows)
        yield ""


def _summed(counts: Sequence[Measured]) -> Measured:
    return {key: sum(one[key] for one in counts) for key in counts[0]}


def _domains(domains: Measured, results: Measured) -> Iterator[str]:
    columns = ("queries", "one_store", "three_domains", "same", "searched_apart")
    rows = [[name, *(f"{one[column]:,}" for column in columns)] for name, one in domains.items()]
    yield from grid(["THREE DOMAINS, nDCG@10", "queries", "one store", "joined", "queries alike", "apart"], rows)


def _hook_row(counts: Measured) -> list[str]:
    pairs = (
        ("shown", "own"),
        ("right", "shown"),
        ("right", "answerable"),
        ("other_shown", "other"),
        ("code_shown", "code"),
    )
    return [f"{counts[part] / counts[whole]:.3f}" if counts[whole] else "–" for part, whole in pairs]


def _share(one: Measured, stage: str) -> str:
    spent = one["stages_ms"].get(stage)
    return "–" if spent is None else f"{spent:.2f} ({spent / one['mean_ms']:.0%})"


SECTIONS = {
    "index": _index,
    "query": _query,
    "encoder": _encoder,
    "cold": _cold,
    "warm": write_warm,
    "mcp": write_mcp,
    "graph": write_graph,
    "memory": write_memory,
    "peers": _peers,
    "churn": _churn,
    "load": write_load,
    "typing": write_typing,
    "scale": _scale,
    "pg-index": write_pg_index,
    "pg-load": write_pg_load,
    "pg-scale": write_pg_scale,
    "servers": write_servers,
    "workers": write_workers,
    "quality": _quality,
    "domains": _domains,
    "known": _known,
    "links": _links,
    "chunking": _chunking,
    "redaction": _redaction,
    "hooks": _hooks,
    "ask": write_ask,
    "tags": write_tags,
    "intake": write_intake,
    "tuning": write_tuning,
    "rerank": write_rerank,
    "entities": write_entities,
}
