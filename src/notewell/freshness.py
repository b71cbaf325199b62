"""When a vault's store is brought up to date with its folder: one way to do it, and a policy for each surface."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from notewell.config.settings import Settings
from notewell.embed import Embedder, EmbedRules, LoadEmbedder, Models, load_embedder, load_encoder
from notewell.errors import EmbedError, StoreBusy, StoreError, StoreUnreachable
from notewell.files.safe_open import check_folder
from notewell.files.user import write_private
from notewell.index import Batches, Progress
from notewell.index.background_run import BackgroundRun
from notewell.index.runs import WAIT_SECONDS, Indexing
from notewell.index.watch import FolderWatch
from notewell.types.notices import Notice
from notewell.types.results import Results

# How long not to try again after an attempt that was cut short, in seconds: the next would be cut short too.
REST_SECONDS = 600.0
# An answer always waits for this many bytes of changed text, which take half a second: a note that was just saved is
# found on a busy machine, too.
ALWAYS_BYTES = 1_000_000


class Policy(NamedTuple):
    """How a surface keeps a vault up to date."""

    refresh: bool = True
    """Whether to look for changes before each answer."""
    behind: bool = False
    """Whether to index in the background if it takes long, or if the vault is new."""
    quick_seconds: float = 1.0
    """How long an answer may wait for indexing, if more than a few notes changed."""
    quick_bytes: int = 50_000_000
    """With more changed text than this, an answer does not wait for indexing at all."""
    walk_seconds: float = 60.0
    """How long to trust the folder watch: some drives send no events, so the folder is walked again after this."""
    pause_seconds: float = 1.0
    """How long not to look again if there is no watch, or if changes could not be indexed."""
    pause_times: float = 10.0
    """The same, as a multiple of the last look's duration; a look takes 0.2 s in a vault of 17,000 files."""
    look_seconds: float = 3.0
    """How long a request waits for a look that another request began: longer than `quick_seconds`."""
    run_wait_seconds: float = 2.0
    """How long a background run waits for another process: longer than a quick refresh takes."""
    retry_seconds: float = 10.0
    """How long after a failed background run the next one starts; until then, requests get the error at once."""
    stop_seconds: float = 5.0
    """How long to wait for a background run to end after `stop`; it ends after the current note."""
    on_new: Callable[[], None] | None = None
    """What to do instead of indexing a new vault, such as to refuse."""


# Python: only when asked, and a new vault when it is first asked for something, as on the command line.
NEVER = Policy(refresh=False)
# The command line: index before the answer if that is quick, and a new vault in full.
AT_ONCE = Policy()
# Servers: a folder watch says whether anything changed, and a background run indexes what takes longer.
WITHIN_A_SECOND = Policy(behind=True)


# When the encoder is loaded; see `Opening`.
Loads = Literal["first", "behind", "never"]


class Opening(NamedTuple):
    """How a surface opens its vaults; a program that uses Python needs none of it."""

    policy: Policy = NEVER
    """When it brings the store up to date."""
    load_embedder: LoadEmbedder = load_embedder
    load_encoder: Callable[[EmbedRules], Embedder | None] = load_encoder
    cache_kib: int | None = None
    """How much of the store each thread keeps in memory; None for SQLite's default."""
    batches: Batches = Batches()
    """How many notes are indexed at once."""
    stays_open: bool = False
    """Whether a vault stays open at the end of a `with` block, for the next request."""
    loads: Loads = "first"
    """When the encoder is loaded for queries, which takes longer than a search: with the `first` search that can use
    it; `behind`, while searches do without; or `never`, as a command ends before it would pay."""

    def models(self, settings: Settings) -> Models:
        """Return the models of some settings."""
        return Models(settings.embed, self.load_embedder, self.load_encoder)


BY_PYTHON = Opening()


class Freshness:
    """Keeps one vault up to date: before answers, in the background, and after a single note changed.

    Answers may come from many threads: one look for changes serves all requests that waited for it.
    """

    def __init__(self, root: Path, indexing: Callable[[], Indexing], policy: Policy = NEVER) -> None:
        """Take the vault's folder, and what returns its runs: they are others once its domains are."""
        self.policy = policy
        # Notes that the store has, and the folder has no more.
        self.gone: frozenset[str] = frozenset()
        self.watch = FolderWatch(root)
        self._indexing_now = indexing
        self._looking = threading.Lock()
        self._looks = 0
        self._next_look = 0.0
        self._walked = float("-inf")
        self._up_to_date: object = None
        self._notices: tuple[Notice, ...] = ()
        self._starting = threading.Lock()
        self._run: BackgroundRun | None = None
        self._stopped = threading.Event()

    @property
    def _indexing(self) -> Indexing:
        return self._indexing_now()

    def look(self, refresh: bool | Progress | None = None) -> tuple[Notice, ...]:
        """Bring the store up to date before an answer, as the policy says; return what the user should know.

        `refresh` overrides the policy: True or False, or a `Progress` that also follows the first run of a new vault.
        """
        if self.policy.behind:
            self.begin()
            self._check_answerable()
            if self.progress is not None:
                return (self._notice_of_run(),)
        told = self._run.take_notices() if self._run else ()
        if not (self.policy.refresh if refresh is None else refresh):
            return told
        notices = self._shared_look(refresh if isinstance(refresh, Progress) else None)
        return (*told, *notices) if self.progress is None else (self._notice_of_run(),)

    def index_new(self) -> tuple[Notice, ...]:
        """Index a vault that was never indexed, if no surface looks after that; return what the user should know."""
        return self.refresh() if self.policy is NEVER and not self._indexing.is_indexed else ()

    def _shared_look(self, progress: Progress | None) -> tuple[Notice, ...]:
        """Look for changes, or wait for another request that does; its look serves all requests that came before it."""
        awaited = self._looks + 1
        if not self._looking.acquire(timeout=self.policy.look_seconds):
            return (Notice("changes_being_indexed"),)
        try:
            if self._looks < awaited and time.monotonic() >= self._next_look:
                self._looks += 1
                self._look_now(progress)
            return self._notices
        finally:
            self._looking.release()

    def _look_now(self, progress: Progress | None) -> None:
        if not self.policy.behind:
            self._notices = self.refresh(progress)
            return
        began = time.monotonic()
        self._notices = self.keep_up()
        ended = time.monotonic()
        # A watch costs nothing to ask; but while changes are left to index, each look walks the folder.
        is_cheap = self.watch.is_on and not self._notices
        pause = max(self.policy.pause_seconds, self.policy.pause_times * (ended - began))
        self._next_look = 0.0 if is_cheap else ended + pause
        if self._notices:
            # Whatever made it slow; if it keeps failing, the next look reports it.
            self._start()

    def refresh(self, progress: Progress | None = None) -> tuple[Notice, ...]:
        """Index what changed if that is quick, and a new vault in full; return what the user should know."""
        # The watch is asked before the folder is walked: what changes meanwhile is for the next time. A vault that was
        # never indexed has no state, and is never up to date.
        changed = self.watch.changed()
        if not changed and self._up_to_date is not None and self._up_to_date == self._indexing.state:
            return ()
        self._up_to_date, self._walked = None, time.monotonic()
        notices = self._refresh_known(progress) if self._indexing.is_indexed else self._index_new(progress)
        if not notices:
            self._up_to_date = self._indexing.state
        return notices

    def without_gone(self, results: Results) -> Results:
        """Return results without hits in notes whose files are gone, and with a notice if there were any."""
        hits = tuple(hit for hit in results.hits if hit.path not in self.gone)
        if not (count := len(results) - len(hits)):
            return results
        return replace(results, hits=hits, notices=(Notice("files_gone", {"count": count}), *results.notices))

    def _index_new(self, progress: Progress | None) -> tuple[Notice, ...]:
        if self.policy.on_new is not None:
            self.policy.on_new()
        report = self._indexing.run(progress=progress or Progress(), wait=WAIT_SECONDS)
        skipped = len(report.skipped)
        notices = (Notice("skipped_files", {"count": skipped}),) if skipped else ()
        kept = {"done": report.notes, "total": report.notes + report.total - report.done}
        stopped = (Notice("indexing_stopped", kept),) if report.interrupted else ()
        return (*report.notices, *stopped, *notices)

    def _refresh_known(self, progress: Progress | None) -> tuple[Notice, ...]:
        try:
            changes = self._indexing.find_changes()
        except StoreUnreachable as error:
            # A replica may still answer.
            return (Notice("not_refreshed", {"reason": error.fact}),)
        self.gone = frozenset(changes.gone)
        try:
            if not self._indexing.is_compatible:
                return (Notice("settings_changed"),)
            if progress and not self._indexing.store.state.finished:
                # Somebody sees how far it is, so a first run that was interrupted goes on to its end.
                return self._index_new(progress)
            left = len(changes.read)
            if changes and changes.work <= self.policy.quick_bytes:
                report = self._indexing.run_quickly(self._deadline(changes.work))
                left = report.total - report.done
        except StoreBusy:
            return (Notice("being_indexed"),)
        except (EmbedError, StoreError) as error:
            # An old answer is better than none.
            count = len(changes.read) + len(changes.gone)
            return (Notice("changes_not_indexed", {"count": count, "reason": error.fact}),) if changes else ()
        if not left:
            self.gone = frozenset()
        notices = (Notice("files_left", {"count": left}),) if left else ()
        # An interrupted run, or an older Notewell, may have left links unresolved though no file changed.
        return (*notices, *self._indexing.resolve_links())

    def _deadline(self, work: int) -> Progress:
        if work <= ALWAYS_BYTES:
            return Progress()
        ends: list[float] = []

        def stop() -> bool:
            # From the first note on: to walk a large folder may take as long, and would leave no time for any other.
            ends.append(time.monotonic() + self.policy.quick_seconds)
            return time.monotonic() >= ends[0]

        return Progress(stop=stop)

    def refresh_unless_cut_short(self, attempt: Path) -> None:
        """Index what changed, unless an attempt within the last ten minutes was cut short.

        For a process that may be killed at any moment: the file `attempt` exists while it indexes.
        """
        if is_recent(attempt):
            return
        with suppress(OSError):
            write_private(attempt, b"")
            self.refresh()
            attempt.unlink()

    def index_note(self, path: str) -> tuple[Notice, ...]:
        """Index one note that was just written or removed; return what the user should know."""
        try:
            if not self._indexing.is_indexed:
                raise StoreError("This vault was never indexed", "Run `notewell index` first")
            if self._indexing.is_compatible:
                self._indexing.run_note(path, Progress())
                return ()
            fact = "This vault was indexed with other settings or by another version. Run `notewell index` again"
        except (StoreError, EmbedError) as error:
            # The note itself was written as requested.
            fact = error.fact
        return (Notice("note_not_indexed", {"path": path, "reason": fact}),)

    def keep_up(self, markers: Path | None = None) -> tuple[Notice, ...]:
        """Start the folder watch if it is off, and index what changed in a vault that is indexed.

        `markers` is a folder for the watch's marker files. Returns what the user should know.
        """
        check_folder(self._indexing.root)
        if not self.watch.is_on and (self._is_old or not self.watch.is_refused):
            self.watch.start(markers)
            self._up_to_date = None
        if self._is_old:
            self._up_to_date, self._walked = None, time.monotonic()
        return self.refresh() if self._indexing.is_indexed else ()

    @property
    def is_due(self) -> bool:
        """Tell whether `keep_up` has something to do: to start a watch, or to walk the folder again."""
        was_asked = self._walked > float("-inf")
        return was_asked and (self._is_old or not (self.watch.is_on or self.watch.is_refused))

    @property
    def _is_old(self) -> bool:
        return time.monotonic() - self._walked >= self.policy.walk_seconds

    @property
    def progress(self) -> tuple[int, int] | None:
        """Return how many notes the background run has read, and of how many; None if there is no run."""
        run = self._run
        return None if run is None or run.is_over else run.progress

    @property
    def run(self) -> BackgroundRun | None:
        """Return the latest background run, which may be over; None if there was none."""
        return self._run

    def begin(self) -> None:
        """Start to index a new vault in the background; raise an error if its folder is gone."""
        check_folder(self._indexing.root)
        if not self._indexing.is_indexed:
            self._start()

    def reload(self) -> BackgroundRun:
        """Start a background run and return it, so that its progress can be followed; an error if one is running."""
        check_folder(self._indexing.root)
        with self._starting:
            if self.progress is not None:
                raise StoreBusy("This vault is already being indexed", "Wait for that to end, then try again")
            return self._start_run()

    def stop(self) -> None:
        """End a background run after the current note; safe to call from a signal handler."""
        self._stopped.set()

    def close(self, wait: float | None = None) -> None:
        """Stop a background run, wait for its end, and end the folder watch."""
        self.stop()
        if self._run is not None:
            self._run.join(self.policy.stop_seconds if wait is None else wait)
        self.watch.close()

    def _check_answerable(self) -> None:
        """Refuse to answer for a vault that was never indexed: say how far that is, or why it failed."""
        run = self._run
        if self._indexing.is_indexed or run is None:
            return
        if run.error is not None:
            raise run.error
        done, total = run.progress
        why = (
            "again, as the store was made elsewhere or by an older version"
            if self._indexing.is_foreign
            else "for the first time"
        )
        # Nothing is known before the folder was walked.
        how_far = f" ({done:,} of {total:,} so far)" if total else ""
        raise StoreBusy(f"The notes are being indexed {why}{how_far}", "Ask again in half a minute")

    def _start(self) -> None:
        """Start a background run, unless one is under way or the last one has just failed."""
        with self._starting:
            failed = self._run is not None and self._run.failed_within(self.policy.retry_seconds)
            if self.progress is None and not failed and not self._stopped.is_set():
                self._start_run()

    def _start_run(self) -> BackgroundRun:
        # What it misses is looked for as soon as it is over.
        self._next_look = 0.0
        wait = self.policy.run_wait_seconds
        self._run = BackgroundRun(self._indexing, wait, self._stopped.is_set)
        self._run.start()
        return self._run

    def _notice_of_run(self) -> Notice:
        done, total = self.progress or (0, 0)
        return Notice("indexing_now", {"done": done, "total": total}) if total else Notice("indexing_begun")


def is_recent(attempt: Path) -> bool:
    """Tell whether a file that marks an attempt was written within the last ten minutes."""
    try:
        return time.time() - attempt.stat().st_mtime < REST_SECONDS
    except OSError:
        return False
