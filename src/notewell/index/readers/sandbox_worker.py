"""The sandbox process: reads one file after the other, and may hang or crash on any of them."""

from __future__ import annotations

import ctypes
import faulthandler
import json
import os
import signal
import sys
import time
from contextlib import suppress
from threading import Thread

from notewell.errors import NoteError
from notewell.index.readers.content import MOST_MEMORY, within_limits
from notewell.index.readers.loading import reader_of
from notewell.index.readers.sandbox import message_of, receive, send

# From <sys/prctl.h>.
PR_SET_PDEATHSIG = 1
# Seconds between checks that the parent process still exists.
PARENT_CHECK = 0.5


def main() -> None:
    """Answer requests from stdin on stdout; anything that readers print is discarded."""
    # Ctrl-C is for the parent process, which finishes the current file.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory()
    _die_with_parent()
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    with open(nowhere, "w", closefd=False) as silence, suppress(BrokenPipeError):
        while (request := receive(sys.stdin.buffer)) is not None and (data := receive(sys.stdin.buffer)) is not None:
            asked = json.loads(request)
            # Ends the process even if a library in C hangs.
            faulthandler.dump_traceback_later(asked["seconds"], exit=True, file=silence)
            answer = _answer(asked["reader"], data)
            faulthandler.cancel_dump_traceback_later()
            send(answers, answer)


def _answer(reader: str, data: bytes) -> bytes:
    try:
        return message_of(within_limits(reader_of(reader).extract(data)))
    except NoteError as error:
        return _as_json({"fact": error.fact, "hint": error.hint})
    except ImportError as error:
        return _as_json({"missing": error.name or "a library"})
    except MemoryError:
        return _as_json({"fact": "reading it needs too much memory", "hint": "Exclude it with index.exclude"})
    except RecursionError:
        return _as_json({"fact": "nested too deep", "hint": "Exclude it with index.exclude"})
    except Exception as error:
        # A library's message may quote the file, secrets included: only the type of the error is reported.
        return _as_json({"fact": f"damaged, or not what its suffix says ({type(error).__name__})", "hint": "Repair it"})


def _as_json(answer: dict[str, str]) -> bytes:
    return json.dumps(answer).encode()


def _die_with_parent() -> None:
    """Have Linux kill this process with its parent: a library in C may keep `_end_with` from running."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_with(parent: int) -> None:
    """End this process as soon as its parent is gone, even in the middle of a file."""
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK)
    os._exit(1)


def _limit_memory() -> None:
    try:
        import resource  # noqa: PLC0415
    except ImportError:
        # Windows has no such limit.
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


if __name__ == "__main__":
    main()
