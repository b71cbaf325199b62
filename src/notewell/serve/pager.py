"""Long output on a terminal, a window at a time; the client of a warm process prints by it, too, so it loads little."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

# What these print is there to be read; others tell of work while it goes on.
PAGED = {"search", "related", "read", "links", "traverse", "graph", "status", "config", "help"}
# Quits at once if all is on one screen, lets colours and links through, and leaves what it showed on the screen.
LESS = "less -FRX"
COLOURS = ("auto", "always", "never")


@contextmanager
def paged(arguments: Sequence[str], environment: Mapping[str, str]) -> Iterator[None]:
    """Hold what is printed until all of it is known, if it may go through a pager then; show it however this ends."""
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
    """What is held will be on a terminal: colours and links are as there."""

    def isatty(self) -> bool:
        return True


def show(data: bytes, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Write to stdout what a command with these arguments printed: through a pager if it is longer than the window."""
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
    """Tell whether what a command prints may go through a pager.

    >>> is_paged(["--color", "never", "search", "rye"]), is_paged(["index"]), is_paged(["index", "--help"])
    (True, False, True)
    """
    if "--no-pager" in arguments:
        return False
    command = next((word for word in arguments if not word.startswith("-") and word not in COLOURS), "")
    return command in PAGED or any(word in ("-h", "--help") for word in arguments)


def _is_a_terminal() -> bool:
    # Where stdout was replaced, as in a warm process, somebody else prints.
    with suppress(OSError, ValueError, AttributeError):
        return os.isatty(sys.stdout.fileno())
    return False


def _is_longer_than_the_window(data: bytes) -> bool:
    columns, rows = os.get_terminal_size(sys.stdout.fileno())
    lines = data.decode(errors="replace").splitlines()
    return sum(1 + max(0, _width(line) - 1) // (columns or 80) for line in lines) >= (rows or 24)


def _width(line: str) -> int:
    """Return how many signs of a line are seen.

    >>> _width("\\x1b]8;;file:///a\\x1b\\\\\\x1b[36ma.md\\x1b[0m\\x1b]8;;\\x1b\\\\:7")
    6
    """
    first, *others = line.split("\x1b")
    return len(first) + sum(len(_behind_code(part)) for part in others)


def _behind_code(part: str) -> str:
    """Return what is seen of the part behind an escape: of a colour what follows, of an address nothing."""
    return part[1:] if part.startswith("\\") else part.partition("m")[2] if part.startswith("[") else ""


def _page(data: bytes, pager: str, environment: Mapping[str, str]) -> bool:
    """Let the pager show the data; tell whether there is such a program."""
    # Most output fits into the window, and does not pay for these.
    import shlex  # noqa: PLC0415
    import signal  # noqa: PLC0415
    import subprocess  # noqa: PLC0415

    # Ctrl-C is the pager's: in less it ends a search. Unlike one that is ignored, it comes to the pager as it is.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        # Whoever sets PAGER=less, and nothing for it, wants colours rather than their codes.
        variables = {"LESS": "FRX", "LV": "-c", **environment}
        process = subprocess.Popen(shlex.split(pager), stdin=subprocess.PIPE, env=variables)
        # Whoever quits before the end has seen enough, and that is no error.
        process.communicate(data)
    except (OSError, ValueError, IndexError):
        return False
    finally:
        signal.signal(signal.SIGINT, before)
    return True
