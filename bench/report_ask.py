"""The tables on `ask`: latency, where quotes lead, and refusal."""

from __future__ import annotations

from collections.abc import Iterator

from bench.ask import ANSWERED
from bench.child import Measured
from bench.tables import grid, three

LATENCY = (("first citation", "first_citation"), ("end", "end"), ("processor", "processor"))
RECALL = ("note", "sentence", "span")
KINDS = ("unrelated", "answer removed", "adversarial")


def write_ask(ask: Measured, _: Measured) -> Iterator[str]:
    """Yield the tables of asking without a model."""
    vaults = {name: one for name, one in ask.items() if name != ANSWERED}
    if vaults:
        rows = [[label, *(three(one[key]) for one in vaults.values())] for label, key in LATENCY]
        yield from grid(["ASK WITHOUT A MODEL, ms: p50 / p95 / p99", *vaults], rows)
        yield ""
    if ANSWERED not in ask:
        return
    sets = ask[ANSWERED]["sets"]
    rows = [
        [name, f"{one['questions']:,}", *_recalls(one["recall"]), f"{one['verified']:.0%}", f"{one['quotes']:g}"]
        for name, one in sets.items()
    ]
    head = [*(f"{kind}, all" for kind in RECALL), *(f"{kind}, first" for kind in RECALL), "verified", "quotes"]
    yield from grid(["ASK, quotes that lead to the answer", "questions", *head], rows)
    yield ""
    rows = [[name, *_shares(one["auroc"], KINDS)] for name, one in sets.items()]
    yield from grid(["ASK, AUROC of answerable against", *KINDS], rows)
    yield ""
    rows = [[name, *_shares(one["answered"], ("answerable", *KINDS))] for name, one in sets.items()]
    yield from grid([f"ASK, answered at {ask[ANSWERED]['threshold']:g}", "answerable", *KINDS], rows)


def _recalls(recall: Measured) -> list[str]:
    return [cell for which in ("all quotes", "first quote") for cell in _shares(recall[which], RECALL)]


def _shares(shares: Measured, kinds: tuple[str, ...]) -> list[str]:
    return [f"{shares[kind]:.3f}" if kind in shares else "–" for kind in kinds]
