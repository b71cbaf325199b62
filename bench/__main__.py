"""`python -m bench --data FOLDER`: measure, print tables, and store the results as JSON and as a picture."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from subprocess import CalledProcessError

from bench import machine
from bench.ask import measure_latency
from bench.child import BenchError, Measured, in_child, say
from bench.churn import measure_churn
from bench.cold import measure_cold
from bench.encoder import measure_encoder
from bench.graph_speed import measure_graph
from bench.indexing import ensure_index, measure_index
from bench.latency import measure_queries
from bench.load import measure_load
from bench.mcp import measure_mcp
from bench.memory import measure_memory
from bench.peers import measure_peers
from bench.pg_index import measure_pg_index
from bench.pg_load import measure_pg_load
from bench.pg_scale import measure_pg_scale
from bench.plot import draw, draw_scale, draw_workers
from bench.report import as_text
from bench.scale import measure_scale
from bench.targets import Verdict, judge
from bench.typing_speed import measure_typing
from bench.vaults import DEFAULT, BenchVault, find_archives, make_vault
from bench.warm import measure_warm
from bench.workers import measure_workers
from notewell.errors import NotewellError

RESULTS = Path(__file__).parent / "results"
# In the order in which they run; each leaves the vault as the next expects it.
ON_VAULTS: dict[str, Callable[[BenchVault], Measured]] = {
    "index": measure_index,
    "query": measure_queries,
    "encoder": measure_encoder,
    "cold": measure_cold,
    "warm": measure_warm,
    "mcp": measure_mcp,
    "graph": measure_graph,
    "memory": measure_memory,
    "peers": measure_peers,
    "churn": measure_churn,
    "load": measure_load,
    "typing": measure_typing,
    "ask": measure_latency,
}
# What each of the others calls in a process of its own, and the folder of the test data that it is given.
ON_DATA = {
    "quality": ("quality:measure_quality", "beir"),
    "domains": ("domains:measure_domains", "beir"),
    "known": ("known:measure_known", "."),
    "links": ("links:measure_links", "."),
    "chunking": ("chunking:measure_chunking", "chunking-eval"),
    "redaction": ("redaction:measure_redaction", "vaults"),
    "hooks": ("hooks:measure_hooks", "beir"),
    "intake": ("intake:measure_intake", "."),
    "tags": ("tags:measure_tags", "."),
    "tuning": ("tuning:measure_tuning", "."),
    "rerank": ("rerank:measure_reranking", "."),
    "entities": ("entities:measure_entities", "."),
    "ask": ("ask:measure_answers", "."),
}
# These make vaults of their own in the work folder.
IN_WORK = ("tuning", "entities")
SECTIONS = tuple(dict.fromkeys((*ON_VAULTS, *ON_DATA)))
# A vault of a million chunks takes a quarter of an hour to make and index, workers a dozen times as long as indexing,
# and servers are not installed everywhere, so these are measured only on request.
ON_REQUEST = ("scale", "servers", "pg-index", "pg-load", "pg-scale", "workers")
# Of the first vault; those that grow it are given the work folder, too.
ON_ONE_VAULT = {"pg-index": measure_pg_index, "pg-load": measure_pg_load}
GROWN = {"scale": measure_scale, "pg-scale": measure_pg_scale}
QUERIES = 700


@dataclass(frozen=True, slots=True)
class Options:
    """What to measure, and on what."""

    data: Path
    work: Path
    only: tuple[str, ...]
    vaults: tuple[str, ...]
    queries: int
    squad: Path | None = None

    @property
    def whole(self) -> bool:
        """Return whether this run measures everything."""
        return (self.only, self.vaults, self.queries >= QUERIES) == (SECTIONS, DEFAULT, True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benches; return 1 if the arguments are wrong or a measurement failed."""
    given = _parser().parse_args(arguments)
    # When terminated, also end the processes that were started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        with tempfile.TemporaryDirectory(prefix="notewell-bench-") as temporary:
            options = _checked(given, Path(temporary))
            results = _measure(options)
    except NotewellError as error:
        say(f"error: {error.fact}\nhint: {error.hint}")
        return 1
    verdicts = judge(results)
    results["targets"] = [{"what": one.target.what, "value": one.value, "verdict": one.words} for one in verdicts]
    print(as_text(results, verdicts))
    _store(results, verdicts, options)
    return 1 if results["failed"] else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure Notewell beside its peers")
    parser.add_argument(
        "--data", required=True, type=Path, metavar="FOLDER", help="holds vaults/, beir/ and chunking-eval/"
    )
    parser.add_argument("--only", default=",".join(SECTIONS), metavar="NAME,…", help="Default: %(default)s")
    parser.add_argument("--vaults", default=",".join(DEFAULT), metavar="NAME,…", help="Default: %(default)s")
    parser.add_argument("--queries", default=QUERIES, type=int, metavar="N", help="Default: %(default)s")
    parser.add_argument(
        "--squad", type=Path, metavar="FILE", help="SQuAD 2.0's dev-v2.0.json, for `ask`. Default: FOLDER/squad/"
    )
    parser.add_argument(
        "--work", type=Path, metavar="FOLDER", help="keep extracted vaults here. Default: a temporary one"
    )
    return parser


def _checked(given: argparse.Namespace, temporary: Path) -> Options:
    data, only = given.data.expanduser().absolute(), tuple(filter(None, given.only.split(",")))
    known = (*SECTIONS, *ON_REQUEST)
    unknown = [name for name in only if name not in known]
    if unknown:
        raise BenchError(f"There is nothing called '{unknown[0]}' to measure", f"Choose among {', '.join(known)}")
    if not (data / "vaults").is_dir() or not (data / "beir").is_dir():
        raise BenchError(f"{data} is not the folder with the test data", "It holds the folders vaults/ and beir/")
    if given.queries < 1:
        raise BenchError(f"--queries is {given.queries}", f"Ask for at least one; {QUERIES} are the default")
    work = given.work.expanduser().absolute() if given.work else temporary
    work.mkdir(parents=True, exist_ok=True)
    vaults = tuple(filter(None, given.vaults.split(",")))
    find_archives(data, vaults)
    squad = given.squad.expanduser().absolute() if given.squad else None
    if squad and not squad.is_file():
        raise BenchError(f"There is no file {squad}", "Name SQuAD's dev-v2.0.json with --squad, or leave it out")
    return Options(data, work, only, vaults, given.queries, squad)


def _measure(options: Options) -> Measured:
    results: Measured = {
        "date": date.today().isoformat(),
        "label": machine.label(),
        "machine": machine.describe_machine(),
        "software": machine.describe_software(),
        "settings": machine.describe_settings(),
        "run": {"only": options.only, "vaults": options.vaults, "queries": options.queries},
        "product": machine.product_digest(),
        "failed": [],
    }
    if {*ON_VAULTS, "workers"}.intersection(options.only):
        for name, archive in find_archives(options.data, options.vaults).items():
            _measure_vault(make_vault(name, archive, options.work, options.queries), options.only, results)
    for section in (*ON_ONE_VAULT, *GROWN):
        if section in options.only:
            with _recording_failures(results):
                (name, archive), *_ = find_archives(options.data, DEFAULT[:1]).items()
                vault = make_vault(name, archive, options.work, options.queries)
                if section in GROWN:
                    results[section] = GROWN[section](vault, options.work)
                else:
                    results[section] = ON_ONE_VAULT[section](vault)
    if "servers" in options.only:
        with _recording_failures(results):
            results["servers"] = in_child("servers:measure_servers", folder=str(options.data))
    for section, (function, folder) in ON_DATA.items():
        if section in options.only:
            given = {"work": str(options.work)} if section in IN_WORK else {}
            if section == "ask" and options.squad:
                given["squad"] = str(options.squad)
            with _recording_failures(results):
                measured = in_child(function, folder=str(options.data / folder), **given)
                results[section] = {**results.get(section, {}), **measured}
    if machine.product_digest() != results["product"]:
        results["failed"].append(
            "the product's source changed during the run, so its figures belong to no single version"
        )
    return results


def _measure_vault(vault: BenchVault, only: tuple[str, ...], results: Measured) -> None:
    if "index" not in only:
        say(f"{vault.name}: bringing its index up to date, untimed")
        ensure_index(vault.root)
    for section, measure in {**ON_VAULTS, "workers": measure_workers}.items():
        if section in only:
            with _recording_failures(results):
                results.setdefault(section, {})[vault.name] = measure(vault)


@contextmanager
def _recording_failures(results: Measured) -> Iterator[None]:
    """Keep the results of other measurements if one fails."""
    try:
        yield
    except (BenchError, CalledProcessError, OSError) as error:
        fact = error.fact if isinstance(error, BenchError) else str(error)
        say(f"error: {fact}")
        results["failed"].append(fact)


def _store(results: Measured, verdicts: Sequence[Verdict], options: Options) -> None:
    """Write the JSON and the picture; a partial run does not overwrite the record of a complete one."""
    RESULTS.mkdir(exist_ok=True)
    stem = f"{results['date']}-{results['label']}" + ("" if options.whole else f"-{'+'.join(options.only)}")
    file = RESULTS / f"{stem}.json"
    file.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    say(f"stored {file}")
    if not find_spec("matplotlib"):
        say("matplotlib: not installed, picture left out")
        return
    picture = RESULTS / ("latest.png" if options.whole else f"{stem}.png")
    draw(results, verdicts, picture)
    say(f"stored {picture}")
    if results.get("scale"):
        draw_scale(results["scale"], RESULTS / "scale.png")
    if results.get("workers"):
        draw_workers(results["workers"], RESULTS / "workers.png")


if __name__ == "__main__":
    sys.exit(main())
