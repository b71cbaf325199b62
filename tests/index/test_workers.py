"""Indexing with real workers of dask: the same store, whatever happens to them, and no note to anybody else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import dask
import distributed
import psutil
import pytest
from tests.cases import cases
from tests.index.test_ahead import NOTES
from tests.vaults import CountingEmbedder, opened, stop_after

from notewell import Progress, Vault
from notewell.embed import EmbedRules
from notewell.errors import SettingsError, WorkersError
from notewell.freshness import Opening
from notewell.index import Batches
from notewell.index.prepare import Here, Source
from notewell.index.readers.sandbox import Extraction
from notewell.index.spread import check_workers
from notewell.index.worker import Task, prepare_group, versions, why_unfit
from notewell.index.workers import LOOPBACK, Workers

MakeVault = Callable[..., Vault]
Content = Callable[[Vault], dict[str, Any]]
# A file in each group, so that there are many to hand out.
BY_ONE = Opening(batches=Batches(embedded=1, alone=1 << 30))


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler on loopback with two workers, as a user starts them."""
    places = {"host": "127.0.0.1", "dashboard_address": LOOPBACK, "worker_dashboard_address": LOOPBACK}
    with (
        dask.config.set({"temporary-directory": str(tmp_path_factory.mktemp("dask"))}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **places) as cluster,
    ):
        yield cluster.scheduler_address


def test_a_store_is_the_same_with_workers_and_without(make_vault: MakeVault, content: Content, scheduler: str) -> None:
    vault = make_vault(NOTES, opening=BY_ONE)
    skipped = vault.index().skipped
    before = content(vault)
    again = opened(vault.root, opening=BY_ONE)
    report = again.index(full=True, workers=scheduler)
    assert (report.skipped, report.notices) == (skipped, ())
    assert content(again) == before


def test_workers_embed_and_this_process_does_not(make_vault: MakeVault, scheduler: str) -> None:
    counting = CountingEmbedder()
    vault = make_vault(NOTES, opening=BY_ONE._replace(load_embedder=lambda rules, hurried=False: counting))
    vault.index(workers=scheduler)
    assert counting.texts == []


def test_a_run_that_is_stopped_goes_on_later_and_each_note_is_stored_once(
    make_vault: MakeVault, content: Content, scheduler: str
) -> None:
    vault = make_vault(NOTES, opening=BY_ONE)
    assert vault.index(progress=stop_after(2), workers=scheduler).done == 2
    told: list[tuple[int, int]] = []
    report = vault.index(progress=Progress(tell=lambda *done: told.append(done)), workers=scheduler)
    assert report.total == len(NOTES) - 2
    assert told == [(done, report.total) for done in range(1, report.total + 1)]
    alone = opened(vault.root, opening=BY_ONE)
    before = content(vault)
    alone.index(full=True)
    assert content(alone) == before


def test_a_worker_that_is_killed_costs_nothing(make_vault: MakeVault, content: Content, scheduler: str) -> None:
    vault = make_vault(NOTES, opening=BY_ONE)
    killed: list[int] = []

    def kill_one(done: int, total: int) -> None:
        if not killed:
            with distributed.Client(scheduler, set_as_default=False) as client:
                killed.extend(client.run(os.getpid).values())
            os.kill(killed[0], signal.SIGKILL)

    report = vault.index(progress=Progress(tell=kill_one), workers=scheduler)
    assert killed and report.added == len(NOTES) - len(report.skipped)
    before = content(vault)
    vault.index(full=True)
    assert content(vault) == before


class Gone:
    """A client whose scheduler has ended."""

    def submit(self, *_: object, pure: bool) -> object:
        raise OSError


def test_without_a_scheduler_this_process_goes_on_and_says_so(make_vault: MakeVault) -> None:
    source = Source(make_vault(NOTES).root)
    task = Task(source, None, "", 0, versions(source))
    with Extraction(5) as extraction:
        gone: Any = Gone()
        workers = Workers(gone, task, Here(source, extraction), 2)
        (outcome,) = workers.begin([(next(files(source.root)), "")])()
    assert outcome.note is not None
    (notice,) = workers.notices
    assert (notice.code, notice.facts) == ("workers_lost", {"count": 1})


def files(root: Path) -> Iterator[Any]:
    from notewell.files.survey import WalkRules  # noqa: PLC0415
    from notewell.index.walk import walk  # noqa: PLC0415

    return iter(walk(root, WalkRules(), {".md"}))


@cases(
    ("change", "reason"),
    [
        ({"versions": "Python 2.7, Notewell 0.1.0, recipe x"}, "it has Python 3."),
        ({"embedder": "other/9"}, "its embedding model is words/27, not other/9"),
        ({"embed": EmbedRules("/nowhere")}, "embed.model names no known embedder"),
    ],
)
def test_a_worker_that_differs_is_not_used(change: dict[str, Any], reason: str) -> None:
    source = Source(Path(__file__).parent)
    task = Task(source, EmbedRules("words"), "words/27", 27, versions(source))
    assert why_unfit(task) == ""
    assert reason in why_unfit(replace(task, **change))
    told = prepare_group(replace(task, **change), [])
    assert isinstance(told, str) and reason in told


def test_other_rules_against_secrets_are_found(tmp_path: Path) -> None:
    source = Source(tmp_path)
    task = Task(source, None, "", 0, versions(source) + " changed")
    assert why_unfit(task) == "its rules for reading notes differ"


def test_a_worker_without_the_folder_is_an_error_with_a_hint(
    make_vault: MakeVault, scheduler: str, tmp_path: Path
) -> None:
    source = Source(tmp_path / "elsewhere")
    assert why_unfit(Task(source, None, "", 0, versions(source))) == f"it has no folder {source.root}"


def test_a_bad_worker_is_named_before_anything_is_stored(
    make_vault: MakeVault, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault(NOTES)
    monkeypatch.setattr("notewell.index.workers.versions", lambda source: "Python 2.7, Notewell 0.1.0, recipe x")
    with pytest.raises(WorkersError) as caught:
        vault.index(workers=scheduler)
    assert caught.value.fact.startswith("A worker cannot be used: it has Python 3.")
    assert "Install the same Notewell and Python" in caught.value.hint
    assert not vault.indexed


def test_without_the_package_the_hint_installs_it(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "notewell.index.workers")
    with pytest.raises(WorkersError, match="needs distributed, which is not installed") as caught:
        make_vault(NOTES).index(workers="2")
    assert caught.value.hint == "Run `pip install 'notewell[workers]'`"


@cases(
    ("given", "fact"),
    [
        ("0", "--workers is 0"),
        ("many", "--workers names no scheduler"),
        ("tcp://big.example:8786", "Notes would travel unencrypted to big.example"),
        ("tcp://10.0.0.7:8786", "Notes would travel unencrypted to 10.0.0.7"),
        ("http://127.0.0.1:8786", "--workers names no scheduler"),
        ("tls://big.example", "--workers names no scheduler"),
        ("tcp://127.0.0.1:99999", "--workers names no scheduler"),
    ],
)
def test_notes_go_to_this_machine_or_over_tls(given: str, fact: str) -> None:
    with pytest.raises(SettingsError) as caught:
        check_workers(given)
    assert caught.value.fact.startswith(fact)


def test_ctrl_c_in_a_terminal_stops_it_and_a_second_run_goes_on(
    make_vault: MakeVault, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The command starts its own workers; all of the terminal's processes get the signal, as in a shell."""
    temporary = tmp_path_factory.mktemp("temporary")
    vault = make_vault({f"{number}.md": f"# Note {number}\n\nText.\n" for number in range(600)})
    command = [sys.executable, "-P", "-m", "notewell", "index", str(vault.root), "--workers", "1"]
    run = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    assert run.stderr is not None
    lines = iter(run.stderr.readline, "")
    assert next(lines).startswith("indexed ")
    # It would end by itself while this process looks around.
    os.kill(run.pid, signal.SIGSTOP)
    # What workers put aside is for this user's eyes only, and gone at the end.
    assert [oct(place.stat().st_mode) for place in temporary.iterdir()] == ["0o40700"]
    processes = [(first := psutil.Process(run.pid)), *first.children(recursive=True)]
    heard = {place.laddr.ip for one in processes for place in one.net_connections() if place.status == "LISTEN"}
    assert heard == {"127.0.0.1"}
    os.killpg(run.pid, signal.SIGINT)
    os.kill(run.pid, signal.SIGCONT)
    rest = "".join(lines)
    assert run.wait() == 130
    assert "Stopping…" in rest and "Traceback" not in rest and "Run `notewell index` again to continue" in rest
    run.stderr.close()
    assert [*temporary.iterdir()] == []
