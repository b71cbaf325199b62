"""Preparing in a second process: the same store, whatever happens to that process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.vaults import opened, stop_after

from notewell import Vault
from notewell.files.survey import WalkRules
from notewell.freshness import Opening
from notewell.index import Batches
from notewell.index.ahead import Ahead
from notewell.index.prepare import Here, Job, Outcome, Source, prepare, prepared, without_text
from notewell.index.readers.sandbox import Extraction
from notewell.index.walk import walk
from notewell.types.notices import Notice

MakeVault = Callable[..., Vault]

NOTES = {
    **{
        f"bees/{number}.md": f"---\ntags: [hive]\n---\n# Hive {number}\n\nSee [[{number + 1}]].\n"
        for number in range(9)
    },
    "rows.csv": "name,year\nAnn,1990\nBea,1991\n",
    "no text.md": b"\x00\x01\x02",
    "empty.md": "",
}
# A file in each group, so that the second process has several to be ahead with.
BY_ONE, BY_TWO = (Opening(batches=Batches(embedded=1, alone=alone)) for alone in (1 << 30, 0))


class Nowhere:
    """Prepares nothing: the second process has to."""

    depth = 0
    notices: tuple[Notice, ...] = ()

    def begin(self, jobs: Sequence[Job]) -> Callable[[], list[Outcome]]:
        raise AssertionError(jobs)


def files_of(root: Path) -> list[Job]:
    return [(found, "") for found in walk(root, WalkRules(), {".md", ".csv"})]


def seen(groups: Iterable[list[Outcome]]) -> list[tuple[Any, ...]]:
    return [(each.found, each.note, [*each.chunks], each.reason, each.again) for group in groups for each in group]


@pytest.fixture
def source(make_vault: MakeVault) -> Source:
    return Source(make_vault(NOTES).root)


def test_a_second_process_prepares_what_this_one_would(source: Source) -> None:
    files = files_of(source.root)
    with Extraction(5) as extraction:
        alone = [[without_text(prepare(*job, source, extraction))] for job in files]
    with Ahead(source, Nowhere()) as ahead:
        assert seen(prepared(files, ahead, size=1)) == seen(alone)
    assert len(alone) == len(NOTES)


def test_if_the_second_process_ends_this_one_prepares_the_rest(source: Source) -> None:
    with Extraction(5) as extraction, Ahead(source, Here(source, extraction)) as ahead:
        groups = prepared(files_of(source.root), ahead, size=1)
        first = next(groups)
        ahead.end()
        assert [each.path for group in (first, *groups) for each in group] == sorted(NOTES)


def test_a_store_is_the_same_with_one_process_or_two(
    make_vault: MakeVault, content: Callable[[Vault], dict[str, Any]]
) -> None:
    vault = make_vault(NOTES, opening=BY_ONE)
    skipped = vault.index().skipped
    before = content(vault)
    again = opened(vault.root, {"embed.model": "words"}, BY_TWO)
    assert again.index(full=True).skipped == skipped
    assert content(again) == before


def test_a_run_of_two_processes_that_is_stopped_goes_on_later(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES, opening=BY_TWO)
    assert vault.index(progress=stop_after(2)).done == 2
    assert vault.index().total == len(NOTES) - 2
