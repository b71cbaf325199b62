"""The indexing runs of a vault with domains: one store after the other, while vectors move with their notes."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import Any

from notewell.embed import Models
from notewell.errors import EmbedError
from notewell.index import Changes, Linking, Progress, Report, Source
from notewell.index.lent import NOTHING_LENT, Lent, lend
from notewell.index.runs import WAIT_SECONDS, Indexing
from notewell.store.joined_opened import JoinedStorage
from notewell.types.notices import Notice


class DomainIndexing(Indexing):
    """The runs of several stores, by the names of their domains."""

    def __init__(
        self,
        source: Callable[[], Source],
        opened: JoinedStorage,
        models: Models,
        runs: Mapping[str, Indexing],
        domain_of: Callable[[str], str],
    ) -> None:
        super().__init__(source, opened, models, Linking(lambda store: None, lambda store: None))
        self._runs = runs
        self._domain_of = domain_of

    @property
    def is_compatible(self) -> bool:
        """Tell whether every store is as one made today would be."""
        return all(run.is_compatible for run in self._runs.values())

    def find_changes(self, *, again: bool = False) -> Changes:
        """Compare the folder with all stores."""
        every = [run.find_changes(again=again) for run in self._runs.values()]
        return Changes(
            tuple(chain.from_iterable(changes.read for changes in every)),
            tuple(chain.from_iterable(changes.gone for changes in every)),
            ChainMap(*(dict(changes.known) for changes in every)),
        )

    def run(self, *, progress: Progress, full: bool = False, wait: float = WAIT_SECONDS, workers: str = "") -> Report:
        """Index what changed in each domain; one whose embedder does not answer does not stop the others."""
        shared, reports, failed = Shares(progress), [], None
        with self._lending(full=full) as changes:
            shared.expect(changes)
            for name, run in self._runs.items():
                try:
                    reports.append(run.run(progress=shared.of(name), full=full, wait=wait, workers=workers))
                except EmbedError as error:
                    failed = failed or error
        if failed:
            raise failed
        return merged(reports)

    def run_quickly(self, progress: Progress) -> Report:
        """Index what changed for a search that waits."""
        shared = Shares(progress)
        with self._lending() as changes:
            shared.expect(changes)
            changed = [name for name in self._runs if changes[name] or not self._runs[name].store.state.links_resolved]
            reports = [self._runs[name].run_quickly(shared.of(name)) for name in changed]
        return merged(reports or [run.run_quickly(progress) for run in list(self._runs.values())[:1]])

    def run_note(self, path: str, progress: Progress) -> None:
        """Index one note that was written or removed."""
        self._runs[self._domain_of(path)].run_note(path, progress)

    def resolve_links(self) -> tuple[Notice, ...]:
        """Resolve the links that an interrupted run left, in each store."""
        return tuple(dict.fromkeys(notice for run in self._runs.values() for notice in run.resolve_links()))

    @contextmanager
    def _lending(self, *, full: bool = False) -> Iterator[Mapping[str, Changes]]:
        """Yield what changed in each store, while stores that lose notes lend their vectors to those that get notes."""
        changes = {name: run.find_changes() for name, run in self._runs.items() if run.is_indexed}
        arriving = {name for name, found in changes.items() if found.read}
        for name, run in self._runs.items():
            others = [other for other in changes if other != name and changes[other].gone]
            run.lent = self._lent(others, changes) if name in arriving and not full else NOTHING_LENT
        try:
            yield {name: changes.get(name, Changes((), (), {})) for name in self._runs}
        finally:
            for run in self._runs.values():
                run.lent = NOTHING_LENT

    def _lent(self, names: Sequence[str], changes: Mapping[str, Changes]) -> Lent:
        """Return the vectors of the notes that are gone from some stores; those of the first one's models."""
        found = NOTHING_LENT
        for name in names:
            with self._runs[name].store.reading(shown=False) as snapshot:
                lent = lend(snapshot, changes[name].gone)
            same = (lent.embedder, lent.encoder) == (found.embedder, found.encoder)
            if found.by_text is None or same:
                found = replace(lent, by_text={**(found.by_text or {}), **(lent.by_text or {})})
        return found


class Shares:
    """The progress of several runs, told as that of one."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._totals: dict[str, int] = {}
        self._done: dict[str, int] = {}

    def expect(self, changes: Mapping[str, Changes]) -> None:
        """Count what each run has to do."""
        self._totals = {name: len(found.read) for name, found in changes.items()}

    def of(self, name: str) -> Progress:
        """Return the progress of one run."""
        return replace(self._progress, tell=lambda done, total: self._tell(name, done, total))

    def _tell(self, name: str, done: int, total: int) -> None:
        self._done[name], self._totals[name] = done, total
        self._progress.tell(sum(self._done.values()), sum(self._totals.values()))


def merged(reports: Sequence[Report]) -> Report:
    """Return the reports of several runs as that of one."""
    counted = ("notes", "chunks", "added", "changed", "removed", "redacted", "total", "done", "touched")
    lists = ("skipped", "warnings", "redactions", "notices")
    numbers: dict[str, Any] = {name: sum(getattr(report, name) for report in reports) for name in counted}
    every: dict[str, Any] = {
        name: tuple(dict.fromkeys(chain(*(getattr(report, name) for report in reports)))) for name in lists
    }
    return replace(
        reports[0],
        **numbers,
        **every,
        unchanged=all(report.unchanged for report in reports),
        interrupted=any(report.interrupted for report in reports),
        seconds=round(sum(report.seconds for report in reports), 3),
    )
