"""The command `notewell`: asks the daemon if one is running, and otherwise does the work itself.

Python starts in 12 ms, and every import comes on top, so this module uses no library.
"""

import io
import os
import sys
import time
from stat import S_ISFIFO, S_ISREG

# The commands that the daemon runs: they read a vault, and end by themselves.
COMMANDS = ("search", "related", "read", "traverse", "links", "entities", "graph", "status", "domains", "hook")
# Those of them that look for changes in the folder before they answer.
LOOKING = ("search", "related", "traverse", "links", "entities", "graph")
# The subcommands of `hook` that only answer; the others write settings, or ask the user.
HOOKS = ("start", "prompt", "before", "after")
# The commands that leave no thread at work.
ENDING_AT_ONCE = (*COMMANDS, "index")
# Options that show secrets or write files; the command does that itself.
LOCAL_OPTIONS = ("--raw", "--svg", "--dot", "--expand", "--relations")
# The global options, and how many words each takes.
GLOBAL = {"-q": 1, "--quiet": 1, "--no-pager": 1, "--color": 2}
SWITCH = "--no-daemon"
# The same for all commands of a shell.
SWITCHES = ("NOTEWELL_DAEMON", "NOTEWELL_DAEMON_USE")
OFF, ON = ("no", "0", "false", "off"), ("yes", "1", "true", "on")
# There nobody has run the daemon yet, so it has to be asked for.
WINDOWS = os.name == "nt"
# The variables that commands depend on.
VARIABLES = ("NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "TERM", "LANG", "PAGER", "HOME", "TZ")
# With these prefixes, too; those of terminals say which terminal it is.
PREFIXES = ("NOTEWELL_", "LC_", "TERM_", "CLAUDE_", "XDG_", "VTE_", "WT_", "KONSOLE_", "KITTY_", "DOMTERM")
# The time limit of a hook in milliseconds: its option, its variable, and the default.
HOOK_LIMIT = ("--timeout-ms", "NOTEWELL_HOOK_TIMEOUT_MS", "300")
# Seconds to print an answer that the daemon sends at the last moment.
TO_PRINT = 0.02
READ_SIZE = 1 << 16
# Seconds to wait for a busy daemon: without it, an answer takes about twice this.
PATIENCE = 0.15
# Objects between two collections of garbage: importing and walking a large folder make fewer, 700 would be usual.
GARBAGE = 200_000
# The reason in the log for a hook whose time ended in the daemon.
LATE = "out of time in the daemon"
# The start of this process by the monotonic clock; 0 if `main` did not run the command.
began = 0.0
# Whether the time of a hook ended before its stdin did.
stdin_stalled = False


def main(patience: float = PATIENCE) -> None:
    """Run the command line, in the daemon if one is running and may be used; Ctrl-C ends it silently.

    A daemon that has not begun to answer after `patience` seconds is not waited for.
    """
    try:
        _main(patience)
    except KeyboardInterrupt:
        # While it waits or loads; a command that has begun handles Ctrl-C itself.
        os._exit(130)
    except SystemExit as end:
        if sys.argv[1:2] and sys.argv[1] in ENDING_AT_ONCE and isinstance(end.code, int):
            # Everything is written and closed. To take its modules and caches apart, Python needs a fifth of the whole
            # time of a search.
            os._exit(end.code)
        raise


def _main(patience: float) -> None:
    global began
    # The processor time until now is the start of Python.
    began = time.monotonic() - time.process_time()
    arguments, use_daemon = without_switch(sys.argv[1:])
    sys.argv[1:] = arguments
    if not use_daemon or not runs_in_daemon(arguments):
        _prepare()
        _run_here()
        return
    until = began + hook_limit(arguments) if arguments[0] == "hook" else float("inf")
    request = _request(arguments, until)
    outcome, printed = _ask(request, until, patience) if request else ("failed", [])
    if outcome == "piped" and _is_piped():
        # Only the command knows whether its query is on stdin, and a pipe may stay open for ever.
        request["stdin"] = sys.stdin.buffer.read()
        _put_back(request["stdin"])
        outcome, printed = _ask(request, until, patience)
    if outcome == "done":
        _print(_paged(printed, arguments))
    if outcome == "late" and arguments[0] == "hook":
        # Claude Code does not wait for it any more.
        _log_late(arguments[1])
        return
    _prepare()
    if outcome in ("absent", "outdated"):
        # Only a command without a daemon waits for this to load.
        from notewell.serve.daemon.control import run_and_start  # noqa: PLC0415

        run_and_start(request)
        return
    _run_here()


def without_switch(arguments: list[str]) -> tuple[list[str], bool]:
    """Return the arguments without `--no-daemon`, and whether the daemon may be used.

    >>> without_switch(["search", "--no-daemon", "rye", "--", "--no-daemon"])
    (['search', 'rye', '--', '--no-daemon'], False)
    """
    options = arguments.index("--") if "--" in arguments else len(arguments)
    kept = [argument for argument in arguments[:options] if argument != SWITCH]
    said = [os.environ.get(name, "").lower() for name in SWITCHES]
    off = len(kept) < options or any(word in OFF for word in said) or (WINDOWS and not any(word in ON for word in said))
    return kept + arguments[options:], not off


def runs_in_daemon(arguments: list[str]) -> bool:
    """Tell whether the daemon runs a command.

    >>> runs_in_daemon(["search", "rye"]), runs_in_daemon(["index"]), runs_in_daemon(["graph", "--svg=a.svg"])
    (True, False, False)
    >>> runs_in_daemon(["-q", "--color", "never", "search", "rye"]), runs_in_daemon(["--color=never", "search", "rye"])
    (True, True)
    """
    # Global options may stand first.
    while arguments and (arguments[0] in GLOBAL or arguments[0].startswith("--color=")):
        arguments = arguments[GLOBAL.get(arguments[0], 1) :]
    if not arguments or arguments[0] not in COMMANDS:
        return False
    # Windows cannot wait for stdin and the end of a hook's time at once.
    if arguments[0] == "hook" and (WINDOWS or not (len(arguments) > 1 and arguments[1] in HOOKS)):
        return False
    return not any(argument.partition("=")[0] in LOCAL_OPTIONS for argument in arguments)


def hook_limit(arguments: list[str]) -> float:
    """Return how many seconds a hook may take by its option or variable.

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
    """Return all that the daemon needs to answer as this process would; nothing if that is not possible."""
    global stdin_stalled
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
        # All processes of a machine have the same monotonic clock.
        request["window"] = f"{began} {until - TO_PRINT}".encode()
        payload = _read_in_time(until) if sys.stdin else b""
        if payload is None:
            stdin_stalled = True
            return {}
        request["stdin"] = payload
        _put_back(payload)
    return request


def _is_piped() -> bool:
    """Tell whether stdin is a pipe or a file, which ends by itself; a terminal does not."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        return False
    return S_ISFIFO(mode) or S_ISREG(mode)


def _read_in_time(until: float) -> "bytes | None":
    """Return all of stdin; None if it does not end in time."""
    import select  # noqa: PLC0415

    data = bytearray()
    try:
        number = sys.stdin.fileno()
        while select.select((number,), (), (), max(0.0, until - time.monotonic()))[0]:
            part = os.read(number, READ_SIZE)
            if not part:
                return bytes(data)
            data += part
    except (OSError, ValueError):
        # A folder, for example.
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
    """Let stdin be read once more, in case the work is done here after all."""
    encoding, errors = (sys.stdin.encoding, sys.stdin.errors) if sys.stdin else ("utf-8", "strict")
    sys.stdin = io.TextIOWrapper(io.BytesIO(data), encoding=encoding, errors=errors)


def _ask(request: dict[str, bytes], until: float, patience: float) -> tuple[str, list[tuple[bytes, bytes]]]:
    # A command that does not ask does not wait for it to load.
    from notewell.serve.daemon import wire  # noqa: PLC0415

    return wire.ask(request, patience=patience, until=until)


def _paged(printed: list[tuple[bytes, bytes]], arguments: list[str]) -> list[tuple[bytes, bytes]]:
    """Show stdout on a terminal, through a pager if it is long; return the parts that are left to print."""
    if not os.isatty(1):
        return printed
    from notewell.serve.pager import show  # noqa: PLC0415

    messages = [part for kind, part in printed[:-1] if kind != b"O"]
    try:
        for part in messages:
            os.write(2, part)
    except BrokenPipeError:
        # Nobody reads stderr; stdout is shown all the same.
        pass
    show(b"".join(part for kind, part in printed if kind == b"O"), arguments, os.environ)
    return printed[-1:]


def _print(printed: list[tuple[bytes, bytes]]) -> None:
    """Print the output and end this process; if nothing can be printed, return and let the command say why."""
    begun = False
    for kind, part in printed[:-1]:
        number = 1 if kind == b"O" else 2
        try:
            while part:
                part = part[os.write(number, part) :]
                begun = True
        except BrokenPipeError:
            # The reader of stdout has seen enough; without a reader of stderr, stdout still follows.
            if number == 1:
                os._exit(0)
        except OSError:
            if begun:
                os._exit(1)
            return
    # Everything is written, and an orderly exit of Python takes 2 ms more.
    os._exit(int(printed[-1][1]))


def _log_late(hook: str) -> None:
    """Log a hook that was late, since a daemon that hangs does not."""
    from notewell.files.user import home_folder, state_folder  # noqa: PLC0415
    from notewell.serve.hooks.log import HookRun, record  # noqa: PLC0415

    took = round((time.monotonic() - began) * 1000)
    record(state_folder(os.environ, home_folder(os.environ)), HookRun(hook, "failed", LATE, took, 0))


def _prepare() -> None:
    """Make a short command quicker: it collects little garbage, numpy starts no threads, the walk begins at once."""
    arguments = sys.argv[1:]
    if runs_in_daemon(arguments):
        # A command that the daemon runs does not wait for it to load.
        import gc  # noqa: PLC0415

        gc.set_threshold(GARBAGE)
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        if arguments[0] in LOOKING and "--no-refresh" not in arguments and hasattr(os, "fork"):
            _begin_walk(arguments)


def _begin_walk(arguments: list[str]) -> None:
    """Let another process walk the folder while this one loads; the command does it again if it meant another one."""
    # All but this module are needed for the search, too, and nothing runs beside them yet.
    from notewell.files.walk_ahead import begin  # noqa: PLC0415

    try:
        begin(os.path.abspath(os.path.expanduser(_vault_of(arguments) or os.getcwd())))
    except OSError:
        # No process can be started now, or this folder is gone.
        return


def _vault_of(arguments: list[str]) -> str:
    """Return the folder that `--vault` names.

    >>> _vault_of(["search", "--vault", "~/notes", "rye"]), _vault_of(["search", "--vault=notes"]), _vault_of(["links"])
    ('~/notes', 'notes', '')
    """
    for place, argument in enumerate(arguments):
        name, joined, value = argument.partition("=")
        if name == "--vault":
            return value if joined else "".join(arguments[place + 1 : place + 2])
    return ""


def _run_here() -> None:
    from notewell.serve.cli import main as run  # noqa: PLC0415

    run()


if __name__ == "__main__":
    main()
