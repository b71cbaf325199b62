"""How time, memory and store size grow from ten thousand chunks to a million."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from bench.child import Measured, in_child, say
from bench.indexing import index_once
from bench.vaults import BenchVault

SEED = 1_000_000
SIZES = (10_000, 100_000, 1_000_000)
# Headings, fences, tables, lists and front matter are not paragraphs, and stay in place.
STRUCTURE = re.compile(r"\s*(?:#|```|~~~|\||[-*+] |\d+\. |---|<|\[)")
# How many paragraphs are mixed, from random notes.
DRAWN_NOTES = 6_000


def measure_scale(vault: BenchVault, work: Path) -> Measured:
    """Make, index and query a vault of each size; vaults and indexes of an earlier run are reused."""
    measured: Measured = {}
    for size in SIZES:
        root, figures = work / f"scale-{size}", work / f"scale-{size}.index.json"
        if not (root / ".made").is_file():
            say(f"scale: making a vault of about {size:,} chunks")
            shutil.rmtree(root, ignore_errors=True)
            make_scaled(vault.root, root, size)
        say(f"scale: indexing and querying {size:,} chunks")
        indexed = in_child("scale:index_once_kept", root=str(root), figures=str(figures))
        queried = in_child("latency:time_queries", root=str(root), queries=str(vault.queries))
        measured[f"{size:,}"] = {
            **indexed,
            **{name: queried[name] for name in ("p50", "p95", "p99", "first_ms", "memory_mb")},
            "index_memory_mb": indexed["memory_mb"],
        }
    return measured


def index_once_kept(root: str, figures: str) -> Measured:
    """Index, or return the figures of the run that did."""
    kept = Path(figures)
    if not kept.is_file():
        indexed = index_once(root)
        size = sum(file.stat().st_size for file in (Path(root) / ".notewell").glob("store.db*"))
        kept.write_text(json.dumps({**indexed, "store_bytes": size}))
    measured: Measured = json.loads(kept.read_text())
    return measured


def make_scaled(source: Path, target: Path, chunks: int) -> None:
    """Write a vault of about this many chunks: notes of the source with paragraphs drawn at random from others.

    The words, their lengths and headings are real, no two chunks are the same, and what was one subject is many.
    """
    draw = random.Random(SEED)
    files = sorted(file for file in source.rglob("*.md") if "/." not in file.relative_to(source).as_posix())
    texts = {file: file.read_text(encoding="utf-8", errors="replace") for file in draw.sample(files, DRAWN_NOTES)}
    pool = [block for text in texts.values() for block in text.split("\n\n") if _is_paragraph(block)]
    written = 0
    for copy, file in _in_turn(files, draw):
        text = "\n\n".join(_mixed(file.read_text(encoding="utf-8", errors="replace"), pool, draw))
        place = target / f"{copy:02}" / file.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        written += _about_chunks(text)
        if written >= chunks:
            break
    (target / ".notewell").mkdir(exist_ok=True)
    (target / ".made").touch()


def _in_turn(files: list[Path], draw: random.Random) -> Iterator[tuple[int, Path]]:
    copy = 0
    while True:
        yield from ((copy, file) for file in draw.sample(files, len(files)))
        copy += 1


def _mixed(text: str, pool: list[str], draw: random.Random) -> Iterator[str]:
    fenced = False
    for block in text.split("\n\n"):
        yield draw.choice(pool) if not fenced and _is_paragraph(block) else block
        fenced ^= block.count("```") % 2 == 1


def _is_paragraph(block: str) -> bool:
    return len(block) > 80 and not STRUCTURE.match(block) and "```" not in block


def _about_chunks(text: str) -> int:
    """Estimate how many chunks a note has: 105,017 per 104 million bytes in the source."""
    return max(1, round(len(text) / 990))
