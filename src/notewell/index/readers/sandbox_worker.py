"""The process apart: reads files that may hang or crash it, one after the other, until nobody asks any more."""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
import time
from contextlib import suppress
from threading import Thread

from notewell.errors import NoteError
from notewell.index.readers.content import MOST_MEMORY, limited
from notewell.index.readers.formats import reader_of
from notewell.index.readers.sandbox import message_of, receive, send

# How often it looks whether anybody still waits for its answers, in seconds.
LOOK = 0.5


def main() -> None:
    """Answer requests from stdin on stdout; whatever readers print goes nowhere."""
    # Ctrl-C is for the one who asks, who lets the file at hand end well.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory()
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    with open(nowhere, "w", closefd=False) as silence, suppress(BrokenPipeError):
        while (request := receive(sys.stdin.buffer)) is not None and (data := receive(sys.stdin.buffer)) is not None:
            asked = json.loads(request)
            # Ends the process even where a library written in C hangs.
            faulthandler.dump_traceback_later(asked["seconds"], exit=True, file=silence)
            answer = _answer(asked["reader"], data)
            faulthandler.cancel_dump_traceback_later()
            send(answers, answer)


def _answer(reader: str, data: bytes) -> bytes:
    try:
        return message_of(limited(reader_of(reader).extract(data)))
    except NoteError as error:
        return _told({"fact": error.fact, "hint": error.hint})
    except ImportError as error:
        return _told({"missing": error.name or "a library"})
    except (MemoryError, RecursionError) as error:
        what = "memory" if isinstance(error, MemoryError) else "depth"
        return _told({"fact": f"it needs more {what} than a note should", "hint": "Exclude it by index.exclude"})
    except Exception as error:
        # A library's message may quote the file, secrets and all: only the kind of error is told.
        return _told({"fact": f"damaged, or not what its suffix says ({type(error).__name__})", "hint": "Mend it"})


def _told(answer: dict[str, str]) -> bytes:
    return json.dumps(answer).encode()


def _end_with(parent: int) -> None:
    """End when whoever asks is gone, and not only with the file at hand."""
    while os.getppid() == parent:
        time.sleep(LOOK)
    os._exit(1)


def _limit_memory() -> None:
    try:
        import resource  # noqa: PLC0415
    except ImportError:
        # Not on Windows, which has no such limit.
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


if __name__ == "__main__":
    main()
