"""Preparing notes in a second process, while this one stores those before them: for many notes, on several cores."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Self

from notewell.index.prepare import Job, Outcome, Preparing, Source, prepare, without_text
from notewell.index.readers.sandbox import Extraction, receive, send
from notewell.types.notices import Notice

# Groups that the second process may be ahead; a group takes about a megabyte.
DEPTH = 4
MODULE = "notewell.index.ahead"


class Ahead:
    """Prepares groups of files in a second process, in their order; if that process ends, in this one."""

    depth = DEPTH
    notices: tuple[Notice, ...] = ()

    def __init__(self, source: Source, here: Preparing) -> None:
        self._source = source
        self._here = here
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        with suppress(OSError):
            self._process = subprocess.Popen(
                # -P: Python must not import modules from the current folder, which may be the vault.
                [sys.executable, "-P", "-m", MODULE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # A traceback may quote a note, secrets included.
                stderr=subprocess.DEVNULL,
            )
            self._thread.submit(self._tell, pickle.dumps(self._source))
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._thread.shutdown(cancel_futures=True)
        for pipe in (self._process.stdin, self._process.stdout) if self._process else ():
            with suppress(OSError):
                if pipe:
                    pipe.close()

    def end(self) -> None:
        """End the process. It only reads files, so that nothing is lost; the thread gets the end of its pipe."""
        if self._process:
            self._process.kill()
            self._process.wait()

    def begin(self, jobs: Sequence[Job]) -> Callable[[], list[Outcome]]:
        """Have a group prepared, and return a function that waits for it."""
        asked = self._thread.submit(self._ask, pickle.dumps(jobs))

        def outcomes() -> list[Outcome]:
            answer = asked.result()
            # From our own process: it sends what this one would have made.
            return pickle.loads(answer) if answer is not None else self._here.begin(jobs)()

        return outcomes

    def _ask(self, request: bytes) -> bytes | None:
        """Send a message and return the answer; None if there is no process."""
        if self._process is None or not self._tell(request):
            return None
        assert self._process.stdout is not None
        return receive(self._process.stdout)

    def _tell(self, message: bytes) -> bool:
        """Send a message, and return whether there is a process to read it."""
        assert self._process is not None and self._process.stdin is not None
        try:
            send(self._process.stdin, message)
        except OSError:
            return False
        return True


def main() -> None:
    """Prepare the groups that stdin names, and write them to stdout, until stdin ends."""
    # Ctrl-C is for the parent process, which ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    # What readers print must not get among the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    asked = receive(sys.stdin.buffer)
    source: Source = pickle.loads(asked) if asked else sys.exit()
    with Extraction(source.walk.max_seconds) as extraction, suppress(BrokenPipeError):
        while (request := receive(sys.stdin.buffer)) is not None:
            jobs: Sequence[Job] = pickle.loads(request)
            outcomes = [without_text(prepare(*job, source, extraction)) for job in jobs]
            send(answers, pickle.dumps(outcomes, pickle.HIGHEST_PROTOCOL))


if __name__ == "__main__":
    main()
