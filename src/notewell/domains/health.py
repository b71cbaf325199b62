"""How the stores of a vault are: what is indexed, what changed since, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from notewell.domains.view import View
from notewell.index.changes import count_others
from notewell.index.diagnose import find_problems
from notewell.index.report import Status
from notewell.index.shown import lag, visible
from notewell.store import About


def status_of(view: View) -> Status:
    """Return what is indexed, and how many files changed since."""
    place, storage = view.storage.place, view.storage
    if not storage.is_indexed:
        return Status.of(view.root, place, About())
    with view.shown.searching() as (snapshot, excluded):
        status = Status.of(view.root, place, visible(storage.store.about(tags=True), excluded))
        status = replace(status, notices=lag(snapshot))
    changes, others = view.indexing.find_changes(), count_others(view.root, view.settings.index)
    stale = len(changes.read) + len(changes.gone)
    notes = {name: part.storage.store.about().notes for name, part in view.parts.items() if name}
    return replace(status, stale=stale, filling=view.encoder.progress, others=others, domains=notes)


def problems_of(view: View) -> Iterator[str]:
    """Yield what is wrong with each store, one sentence each, which begins with the name of its domain."""
    for name, part in view.parts.items():
        found = find_problems(part.storage, part.models, view.graph.check)
        yield from (f"{name}: {problem}" if name else problem for problem in found)
