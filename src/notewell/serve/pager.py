"""Sends long output on a terminal through a pager; the daemon's client uses it too, so it imports little."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

# The commands whose output is meant to be read; others report progress.
PAGED = {"search", "related", "read", "links", "traverse", "entities", "graph", "status", "domains", "config", "help"}
# -F quits if all fits on one screen, -R passes colours and links, -X leaves the output on the screen.
LESS = "less -FRX"
COLOURS = ("auto", "always", "never")


@contextmanager
def paged(arguments: Sequence[str], environment: Mapping[str, str]) -> Iterator[None]:
    """Hold back stdout, if it may need a pager, and show it at the end, however the command ends."""
    if not _pager_for(arguments, environment):
        yield
        return
    stdout, held = sys.stdout, io.BytesIO()
    sys.stdout = shown = _Terminal(held, encoding=stdout.encoding, errors="backslashreplace", write_through=True)
    try:
        yield
    finally:
        sys.stdout = stdout
        shown.flush()
        show(held.getvalue(), arguments, environment)


class _Terminal(io.TextIOWrapper):
    """Held output, which counts as a terminal, since that is where it will be shown."""

    def isatty(self) -> bool:
        return True


def show(data: bytes, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Write the output of a command to stdout, through a pager if it is longer than the window."""
    pager = _pager_for(arguments, environment)
    if pager and _is_longer_than_the_window(data) and _page(data, pager, environment):
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _pager_for(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the pager to use, or nothing."""
    pager = environment.get("NOTEWELL_PAGER", environment.get("PAGER", LESS)).strip()
    plain = pager == "cat" or environment.get("TERM", "dumb") == "dumb"
    return "" if plain or not is_paged(arguments) or not _is_a_terminal() else pager


def is_paged(arguments: Sequence[str]) -> bool:
    """Tell whether a command's output may go through a pager.

    >>> is_paged(["--color", "never", "search", "rye"]), is_paged(["index"]), is_paged(["index", "--help"])
    (True, False, True)
    """
    if "--no-pager" in arguments:
        return False
    command = next((word for word in arguments if not word.startswith("-") and word not in COLOURS), "")
    return command in PAGED or any(word in ("-h", "--help") for word in arguments)


def _is_a_terminal() -> bool:
    # In the daemon, stdout is replaced, and the client prints.
    with suppress(OSError, ValueError, AttributeError):
        return os.isatty(sys.stdout.fileno())
    return False


def _is_longer_than_the_window(data: bytes) -> bool:
    columns, rows = os.get_terminal_size(sys.stdout.fileno())
    lines = data.decode(errors="replace").splitlines()
    return sum(1 + max(0, _width(line) - 1) // (columns or 80) for line in lines) >= (rows or 24)


def _width(line: str) -> int:
    """Return how many characters of a line are visible.

    >>> _width("\\x1b]8;;file:///a\\x1b\\\\\\x1b[36ma.md\\x1b[0m\\x1b]8;;\\x1b\\\\:7")
    6
    """
    first, *others = line.split("\x1b")
    return len(first) + sum(len(_behind_code(part)) for part in others)


def _behind_code(part: str) -> str:
    """Return the visible part after an escape character: what follows a colour code, and nothing of a link."""
    return part[1:] if part.startswith("\\") else part.partition("m")[2] if part.startswith("[") else ""


def _page(data: bytes, pager: str, environment: Mapping[str, str]) -> bool:
    """Show the data in the pager; tell whether that program exists."""
    # Loaded only for output that is longer than the window.
    import shlex  # noqa: PLC0415
    import signal  # noqa: PLC0415
    import subprocess  # noqa: PLC0415

    # Ctrl-C is for the pager, where it ends a search. An ignored signal would be ignored there too.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        # With PAGER=less and no LESS, colours rather than their codes.
        variables = {"LESS": "FRX", "LV": "-c", **environment}
        process = subprocess.Popen(shlex.split(pager), stdin=subprocess.PIPE, env=variables)
        # Quitting before the end is not an error.
        process.communicate(data)
    except (OSError, ValueError, IndexError):
        return False
    finally:
        signal.signal(signal.SIGINT, before)
    return True
