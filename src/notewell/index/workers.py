"""Preparing and embedding notes in worker processes of dask, on this machine or on others; this process stores them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from tempfile import TemporaryDirectory

import dask
from distributed import Client, LocalCluster

from notewell.errors import WorkersError
from notewell.index.prepare import Job, Outcome, Preparing, Source
from notewell.index.spread import Spread
from notewell.index.worker import Task, prepare_group, versions, why_unfit
from notewell.types.notices import Notice

# Groups that each worker may be ahead: one that it works on, and two on their way.
DEPTH = 3
# How long to wait for a scheduler, and for its first worker, in seconds.
PATIENCE = 10
CERTIFICATES = (
    "Set DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__TLS__CLIENT__CERT and …__TLS__CLIENT__KEY to your certificates, as "
    "dask's own documentation says"
)
PRELOAD = "notewell.index.worker"
LOOPBACK = "127.0.0.1:0"
NO_PAGES: dict[str, list[str]] = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}


class Workers:
    """Has groups prepared by workers; a group that they lose is prepared in this process."""

    def __init__(self, client: Client, task: Task, here: Preparing, count: int) -> None:
        self.depth = DEPTH * count
        self._client = client
        self._task = task
        self._here = here
        self._lost = 0

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Tell how many groups the workers lost."""
        return (Notice("workers_lost", {"count": self._lost}),) if self._lost else ()

    def begin(self, jobs: Sequence[Job]) -> Callable[[], list[Outcome]]:
        """Have a group prepared, and return a function that waits for it."""
        future = None
        with suppress(Exception):
            # Not `pure`: the same file may be read twice in a session, with another content.
            future = self._client.submit(prepare_group, self._task, jobs, pure=False)

        def outcomes() -> list[Outcome]:
            try:
                done = None if future is None else future.result()
            except Exception:
                # The scheduler is gone, or the group has ended four workers. Errors of single notes are outcomes.
                done = None
            if isinstance(done, str):
                raise unfit(done)
            if done is None:
                self._lost += 1
                return self._here.begin(jobs)()
            return done

        return outcomes


def unfit(reason: str) -> WorkersError:
    """Return the error of a worker that cannot be used."""
    hint = "Install the same Notewell and Python on all workers, and mount the vault at the same path"
    return WorkersError(f"A worker cannot be used: {reason}", hint)


@contextmanager
def working(spread: Spread, source: Source, here: Preparing) -> Iterator[Workers]:
    """Start workers on this machine, or use those of a scheduler; check them all before they get a note."""
    # Its log would stand in the middle of the progress, and may quote a task.
    for name in ("distributed", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    bare = replace(source, batches=replace(source.batches, spread=None))
    task = Task(bare, spread.embed, spread.embedder, spread.dimensions, versions(bare))
    with ExitStack() as stack:
        try:
            client = _connected(spread.workers, stack)
            client.wait_for_workers(1, timeout=PATIENCE)
            unfits = client.run(why_unfit, task, on_error="return")
        except (OSError, TimeoutError) as error:
            raise _unreachable(spread.workers) from error
        for found in unfits.values():
            if found:
                raise unfit(found if isinstance(found, str) else f"it has another Notewell ({type(found).__name__})")
        yield Workers(client, task, here, len(unfits))


def _connected(workers: str, stack: ExitStack) -> Client:
    client: Client
    if not workers.isdecimal():
        try:
            client = stack.enter_context(Client(workers, timeout=PATIENCE, set_as_default=False))
            return client
        except (TypeError, RuntimeError, ValueError) as error:
            # What dask says of a missing certificate.
            raise WorkersError(f"There is no certificate for {workers}", CERTIFICATES) from error
    # What workers put aside lies in a folder that only this user can open, and is gone at the end. dask's own has the
    # same name for everybody, and stays.
    scratch = stack.enter_context(TemporaryDirectory(prefix="notewell-", ignore_cleanup_errors=True))
    stack.enter_context(dask.config.set({**NO_PAGES, "temporary-directory": scratch}))
    cluster = LocalCluster(
        n_workers=int(workers),
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        # dask always serves HTTP beside it: on loopback, and with nothing to see.
        dashboard_address=LOOPBACK,
        worker_dashboard_address=LOOPBACK,
        # Other users of the machine reach loopback, too: only processes with this run's certificate get a task.
        security=True,
        silence_logs=logging.CRITICAL + 1,
        preload=[PRELOAD],
        # One core each: the tokenizer would start a thread on every core.
        env={"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"},
    )
    client = stack.enter_context(Client(stack.enter_context(cluster), set_as_default=False))
    return client


def _unreachable(workers: str) -> WorkersError:
    return WorkersError(
        f"No worker answers at {workers}" if "//" in workers else f"{workers} workers could not be started",
        f"Start them with `dask scheduler` and `dask worker {workers}`" if "//" in workers else "Try fewer of them",
    )
