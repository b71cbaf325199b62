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
from bench.child import BenchError, Measured, in_child, say
from bench.churn import measure_churn
from bench.cold import measure_cold
from bench.encoder import measure_encoder
from bench.indexing import ensure_index, measure_index
from bench.latency import measure_queries
from bench.load import measure_load
from bench.mcp import measure_mcp
from bench.memory import measure_memory
from bench.peers import measure_peers
from bench.plot import draw, draw_scale
from bench.report import as_text
from bench.scale import measure_scale
from bench.targets import Verdict, judge
from bench.vaults import DEFAULT, BenchVault, find_archives, make_vault
from bench.warm import measure_warm
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
    "memory": measure_memory,
    "peers": measure_peers,
    "churn": measure_churn,
    "load": measure_load,
}
SECTIONS = (*ON_VAULTS, "quality", "links", "chunking", "redaction", "hooks")
# A vault of a million chunks takes a quarter of an hour to make and index, so it is measured only on request.
ON_REQUEST = ("scale",)
QUERIES = 700


@dataclass(frozen=True, slots=True)
class Run:
    """What to measure, and on what."""

    data: Path
    work: Path
    only: tuple[str, ...]
    vaults: tuple[str, ...]
    queries: int

    @property
    def whole(self) -> bool:
        """Return whether this run measures everything."""
        return (self.only, self.vaults, self.queries >= QUERIES) == (SECTIONS, DEFAULT, True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benches; return 1 if the arguments are wrong or a measurement failed."""
    options = _parser().parse_args(arguments)
    # When terminated, also end the processes that were started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        with tempfile.TemporaryDirectory(prefix="notewell-bench-") as temporary:
            run = _checked(options, Path(temporary))
            results = _measure(run)
    except NotewellError as error:
        say(f"error: {error.fact}\nhint: {error.hint}")
        return 1
    verdicts = judge(results)
    results["targets"] = [{"what": one.target.what, "value": one.value, "verdict": one.words} for one in verdicts]
    print(as_text(results, verdicts))
    _store(results, verdicts, run)
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
        "--work", type=Path, metavar="FOLDER", help="keep extracted vaults here. Default: a temporary one"
    )
    return parser


def _checked(options: argparse.Namespace, temporary: Path) -> Run:
    data, only = options.data.expanduser().absolute(), tuple(filter(None, options.only.split(",")))
    known = (*SECTIONS, *ON_REQUEST)
    unknown = [name for name in only if name not in known]
    if unknown:
        raise BenchError(f"There is nothing called '{unknown[0]}' to measure", f"Choose among {', '.join(known)}")
    if not (data / "vaults").is_dir() or not (data / "beir").is_dir():
        raise BenchError(f"{data} is not the folder with the test data", "It holds the folders vaults/ and beir/")
    if options.queries < 1:
        raise BenchError(f"--queries is {options.queries}", f"Ask for at least one; {QUERIES} are the default")
    work = options.work.expanduser().absolute() if options.work else temporary
    work.mkdir(parents=True, exist_ok=True)
    run = Run(data, work, only, tuple(filter(None, options.vaults.split(","))), options.queries)
    find_archives(run.data, run.vaults)
    return run


def _measure(run: Run) -> Measured:
    results: Measured = {
        "date": date.today().isoformat(),
        "label": machine.label(),
        "machine": machine.describe_machine(),
        "software": machine.describe_software(),
        "settings": machine.describe_settings(),
        "run": {"only": run.only, "vaults": run.vaults, "queries": run.queries},
        "product": machine.product_digest(),
        "failed": [],
    }
    if set(ON_VAULTS).intersection(run.only):
        for name, archive in find_archives(run.data, run.vaults).items():
            _measure_vault(make_vault(name, archive, run.work, run.queries), run.only, results)
    if "scale" in run.only:
        with _failures_told(results):
            (name, archive), *_ = find_archives(run.data, DEFAULT[:1]).items()
            results["scale"] = measure_scale(make_vault(name, archive, run.work, run.queries), run.work)
    if "quality" in run.only:
        with _failures_told(results):
            results["quality"] = in_child("quality:measure_quality", folder=str(run.data / "beir"))
    if "links" in run.only:
        with _failures_told(results):
            results["links"] = in_child("links:measure_links", folder=str(run.data))
    if "chunking" in run.only:
        with _failures_told(results):
            results["chunking"] = in_child("chunking:measure_chunking", folder=str(run.data / "chunking-eval"))
    if "redaction" in run.only:
        with _failures_told(results):
            results["redaction"] = in_child("redaction:measure_redaction", folder=str(run.data / "vaults"))
    if "hooks" in run.only:
        with _failures_told(results):
            results["hooks"] = in_child("hooks:measure_hooks", folder=str(run.data / "beir"))
    if machine.product_digest() != results["product"]:
        results["failed"].append(
            "the product's source changed during the run, so its figures belong to no single version"
        )
    return results


def _measure_vault(vault: BenchVault, only: tuple[str, ...], results: Measured) -> None:
    if "index" not in only:
        say(f"{vault.name}: bringing its index up to date, untimed")
        ensure_index(vault.root)
    for section, measure in ON_VAULTS.items():
        if section in only:
            with _failures_told(results):
                results.setdefault(section, {})[vault.name] = measure(vault)


@contextmanager
def _failures_told(results: Measured) -> Iterator[None]:
    """Keep the results of other measurements if one fails."""
    try:
        yield
    except (BenchError, CalledProcessError, OSError) as error:
        fact = error.fact if isinstance(error, BenchError) else str(error)
        say(f"error: {fact}")
        results["failed"].append(fact)


def _store(results: Measured, verdicts: Sequence[Verdict], run: Run) -> None:
    """Write the JSON and the picture; a partial run does not overwrite the record of a complete one."""
    RESULTS.mkdir(exist_ok=True)
    stem = f"{results['date']}-{results['label']}" + ("" if run.whole else f"-{'+'.join(run.only)}")
    file = RESULTS / f"{stem}.json"
    file.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    say(f"stored {file}")
    if not find_spec("matplotlib"):
        say("matplotlib: not installed, picture left out")
        return
    picture = RESULTS / ("latest.png" if run.whole else f"{stem}.png")
    draw(results, verdicts, picture)
    say(f"stored {picture}")
    if results.get("scale"):
        draw_scale(results["scale"], RESULTS / "scale.png")


if __name__ == "__main__":
    sys.exit(main())
