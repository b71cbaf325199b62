"""The command `notewell`: it asks the warm process where there is one, and else does the work itself.

Python starts in 12 ms and whatever is imported comes on top, so that this is written without any library.
"""

import os
import sys
import time
from stat import S_ISFIFO, S_ISREG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterator

# A command has to be one of these for the process to run it: it reads a vault, and ends by itself.
WARM = ("search", "related", "read", "traverse", "links", "graph", "status", "hook")
# Hooks that only answer; the others write settings, and ask.
HOOKS = ("start", "prompt", "before", "after")
# Options that show secrets, or write files where the user is.
COLD_OPTIONS = ("--raw", "--svg", "--dot")
SWITCH = "--no-daemon"
# The same without an option: of the environment, for all commands of a shell.
SWITCHES = ("NOTEWELL_DAEMON", "NOTEWELL_DAEMON_USE")
OFF = ("no", "0", "false", "off")
# What of the environment commands go by.
VARIABLES = ("NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "TERM", "LANG", "PAGER", "HOME", "TZ")
# Those of terminals tell which they are.
PREFIXES = ("NOTEWELL_", "LC_", "TERM_", "CLAUDE_", "XDG_", "VTE_", "WT_", "KONSOLE_", "KITTY_", "DOMTERM")
# A process that is busy with another command is not waited for: without it, an answer takes about twice this.
UNTIL_BEGUN = 0.15
# Once it is at it, nobody else would be quicker; this is for one that hangs.
UNTIL_DONE = 10.0
# A hook has a limit of its own, from its option or its variable; in milliseconds.
HOOK_LIMIT = ("--timeout-ms", "NOTEWELL_HOOK_TIMEOUT_MS", "300")
# What the process says at the last moment has to be here, and printed, before this one's own; in seconds.
TO_PRINT = 0.02
CHUNK = 1 << 16
# What the log says of a hook whose time the process spent.
LATE = "out of time in the warm process"
# When this process began, by the monotonic clock; 0 where the command was not run by `main`.
began = 0.0
# Whether stdin was waited for in vain.
in_vain = False


def main() -> None:
    """Run the command line, by the warm process if there is one and it may be asked; Ctrl-C ends it without a word."""
    try:
        _main()
    except KeyboardInterrupt:
        # While it waits, or loads; a command that has begun ends in its own way.
        os._exit(130)


def _main() -> None:
    global began
    # What it has computed so far went into the start of Python.
    began = time.monotonic() - time.process_time()
    arguments, wanted = without_switch(sys.argv[1:])
    sys.argv[1:] = arguments
    if not wanted or not goes_warm(arguments) or not hasattr(os, "geteuid"):
        _run_cold()
        return
    until = began + hook_limit(arguments) if arguments[0] == "hook" else float("inf")
    request = _request(arguments, until)
    outcome, printed = _ask(request, until) if request else ("unable", [])
    if outcome == "piped" and _is_piped():
        # Only the command itself knows whether its query is on stdin, which nobody may ever write to.
        request["stdin"] = sys.stdin.buffer.read()
        _put_back(request["stdin"])
        outcome, printed = _ask(request, until)
    if outcome == "done":
        _print(_held_for_terminal(printed, arguments))
    if outcome == "late" and arguments[0] == "hook":
        # Whoever called it waits no longer, and no block is better than a late one.
        _log_late(arguments[1])
        return
    if outcome in ("absent", "outdated"):
        # Only a process that has to be started anyway pays for what starts one.
        from notewell.serve.daemon.start import run_and_start  # noqa: PLC0415

        run_and_start(request)
        return
    _run_cold()


def without_switch(arguments: list[str]) -> tuple[list[str], bool]:
    """Return the arguments without the option that is for this module alone, and whether the process may be asked.

    >>> without_switch(["search", "--no-daemon", "rye", "--", "--no-daemon"])
    (['search', 'rye', '--', '--no-daemon'], False)
    """
    options = arguments.index("--") if "--" in arguments else len(arguments)
    kept = [argument for argument in arguments[:options] if argument != SWITCH]
    off = len(kept) < options or any(os.environ.get(name, "").lower() in OFF for name in SWITCHES)
    return kept + arguments[options:], not off


def goes_warm(arguments: list[str]) -> bool:
    """Tell whether the process runs such a command.

    >>> goes_warm(["search", "rye"]), goes_warm(["index"]), goes_warm(["graph", "--svg=a.svg"])
    (True, False, False)
    """
    if not arguments or arguments[0] not in WARM:
        return False
    if arguments[0] == "hook" and not (len(arguments) > 1 and arguments[1] in HOOKS):
        return False
    return not any(argument.partition("=")[0] in COLD_OPTIONS for argument in arguments)


def hook_limit(arguments: list[str]) -> float:
    """Return how many seconds a hook may take, as its command says.

    >>> hook_limit(["hook", "prompt", "--timeout-ms=500"]), hook_limit(["hook", "prompt", "--timeout-ms", "900"])
    (0.5, 0.9)
    """
    option, variable, default = HOOK_LIMIT
    limit = os.environ.get(variable, default)
    for place, argument in enumerate(arguments):
        name, joined, value = argument.partition("=")
        if name == option:
            limit = value if joined else "".join(arguments[place + 1 : place + 2])
    return float(limit if limit.isdecimal() else default) / 1000


def _request(arguments: list[str], until: float) -> dict[str, bytes]:
    """Return all that the process has to know to answer as this one would; nothing, if that cannot be told."""
    global in_vain
    streams = (sys.stdin, sys.stdout, sys.stderr)
    try:
        here = os.getcwd()
        terminals = [bool(stream and stream.isatty()) for stream in streams]
    except (OSError, ValueError):
        return {}
    if sys.stdout is None or sys.stderr is None:
        return {}
    encodings = [stream.encoding if stream else "utf-8" for stream in streams]
    request = {
        "verb": b"run",
        "cwd": os.fsencode(here),
        "arguments": b"\0".join(map(os.fsencode, arguments)),
        "environment": b"\0".join(os.fsencode(f"{name}={value}") for name, value in _environment(terminals[1])),
        "terminals": "".join("1" if terminal else "0" for terminal in terminals).encode(),
        "encodings": " ".join(encodings).encode(),
    }
    if arguments[0] == "hook":
        # The clock is one for all processes of a machine.
        request["between"] = f"{began} {until - TO_PRINT}".encode()
        given = _read_in_time(until) if sys.stdin else b""
        if given is None:
            in_vain = True
            return {}
        request["stdin"] = given
        _put_back(given)
    return request


def _is_piped() -> bool:
    """Tell whether there is something on stdin that ends by itself; at a terminal the user would be waited for."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        return False
    return S_ISFIFO(mode) or S_ISREG(mode)


def _read_in_time(until: float) -> "bytes | None":
    """Return what stdin holds; None if it does not end in time, and what was read of it is of no use."""
    import select  # noqa: PLC0415

    held = bytearray()
    try:
        number = sys.stdin.fileno()
        while select.select((number,), (), (), max(0.0, until - time.monotonic()))[0]:
            part = os.read(number, CHUNK)
            if not part:
                return bytes(held)
            held += part
    except (OSError, ValueError):
        # A folder, or whatever else cannot be read.
        return b""
    return None


def _environment(terminal: bool) -> list[tuple[str, str]]:
    chosen = {name: value for name, value in os.environ.items() if name in VARIABLES or name.startswith(PREFIXES)}
    if terminal and "COLUMNS" not in chosen:
        size = os.get_terminal_size(1)
        if size.columns:
            chosen |= {"COLUMNS": str(size.columns), "LINES": chosen.get("LINES", str(size.lines))}
    return list(chosen.items())


def _put_back(data: bytes) -> None:
    """Let what was read from stdin be read once more, if the work is done here after all."""
    # Loaded already by Python itself.
    import io  # noqa: PLC0415

    encoding, errors = (sys.stdin.encoding, sys.stdin.errors) if sys.stdin else ("utf-8", "strict")
    sys.stdin = io.TextIOWrapper(io.BytesIO(data), encoding=encoding, errors=errors)


def _ask(request: dict[str, bytes], until: float) -> tuple[str, list[tuple[bytes, bytes]]]:
    """Return how it went (`done`, `absent`, `outdated`, `piped`, `declined`, `busy`, `late`) and what to print."""
    from notewell.serve.daemon import wire  # noqa: PLC0415

    if not wire.is_safe(wire.folder()):
        return "absent", []
    try:
        # Its Python half takes 5 ms to load, for what two calls do not need.
        import _socket  # noqa: PLC0415

        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        connection.settimeout(UNTIL_BEGUN)
        connection.connect(wire.address())
    except TimeoutError:
        return "busy", []
    except (ImportError, AttributeError, OSError):
        return "absent", []
    try:
        connection.sendall(wire.packed({"home": wire.home(), **request}))
        return _answer(connection, until)
    except OSError:
        return "absent", []
    finally:
        connection.close()


def _answer(connection: "socket", until: float) -> tuple[str, list[tuple[bytes, bytes]]]:
    """Return the whole answer, or why there is none: nothing is printed before all of it is here."""
    from notewell.serve.daemon import wire  # noqa: PLC0415

    begun, printed = False, []
    try:
        for kind, part in _parts(connection, wire.LENGTH):
            if kind == wire.DECLINED:
                return {wire.OUTDATED: "outdated", wire.PIPED: "piped"}.get(part, "declined"), []
            if kind == wire.BEGUN:
                begun = True
                connection.settimeout(max(0.001, min(UNTIL_DONE, until - time.monotonic())))
                continue
            printed.append((kind, part))
            if kind == wire.CODE:
                return "done", printed
    except TimeoutError:
        if b"".join(part for kind, part in printed if kind == wire.OUT).endswith(b"\n"):
            # A hook was told of whole, and what it still had to keep took too long: it counts on being heard.
            return "done", [*printed, (wire.CODE, b"0")]
        return "late" if begun else "busy", []
    return "absent", []


def _parts(connection: "socket", length: int) -> "Iterator[tuple[bytes, bytes]]":
    """Yield the kind and the bytes of each part of an answer, until it breaks off."""
    held = bytearray()
    while data := connection.recv(CHUNK):
        held += data
        while len(held) > length and len(held) >= (end := 1 + length + int.from_bytes(held[1 : 1 + length], "big")):
            yield bytes(held[:1]), bytes(held[1 + length : end])
            del held[:end]


def _held_for_terminal(printed: list[tuple[bytes, bytes]], arguments: list[str]) -> list[tuple[bytes, bytes]]:
    """Show on a terminal what a command printed, through a pager if it is long; return what is left to print."""
    if not os.isatty(1):
        return printed
    from notewell.serve.pager import show  # noqa: PLC0415

    talk = [(kind, part) for kind, part in printed[:-1] if kind != b"O"]
    try:
        for _, part in talk:
            os.write(2, part)
    except BrokenPipeError:
        # Nobody listens; what was found is shown all the same.
        pass
    show(b"".join(part for kind, part in printed if kind == b"O"), arguments, os.environ)
    return printed[-1:]


def _print(printed: list[tuple[bytes, bytes]]) -> None:
    """Print an answer and end; one that cannot be printed is left to the usual way, which says why."""
    begun = False
    for kind, part in printed[:-1]:
        number = 1 if kind == b"O" else 2
        try:
            while part:
                part = part[os.write(number, part) :]
                begun = True
        except BrokenPipeError:
            # The reader of a pipe has seen enough; who only does not listen still gets the data.
            if number == 1:
                os._exit(0)
        except OSError:
            if begun:
                os._exit(1)
            return
    # Everything is written: what Python would do before it ends takes 2 ms.
    os._exit(int(printed[-1][1]))


def _log_late(hook: str) -> None:
    """Leave a line in the log of the hooks: a process that hangs leaves none."""
    from notewell.files.user import home_folder, state_folder  # noqa: PLC0415
    from notewell.serve.hooks.log import Run, record  # noqa: PLC0415

    took = round((time.monotonic() - began) * 1000)
    record(state_folder(os.environ, home_folder(os.environ)), Run(hook, "failed", LATE, took, 0))


def _run_cold() -> None:
    from notewell.serve.cli import main as run  # noqa: PLC0415

    run()


if __name__ == "__main__":
    main()
