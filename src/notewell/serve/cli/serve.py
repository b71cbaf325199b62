"""`notewell serve` and `notewell mcp`."""

from __future__ import annotations

import json
import os
import sys
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import click

from notewell.errors import NotewellError, SettingsError
from notewell.files.user import home_folder, user_folder
from notewell.serve.answering import SERVED
from notewell.serve.cli import Stopped
from notewell.serve.cli.encode import encode_in_background
from notewell.serve.cli.first_index import check_new, vault_to_index_option
from notewell.serve.cli.options import Number, json_option, missing_extra, say_notices
from notewell.serve.cli.progress import follow
from notewell.serve.daemon.health import stay_small
from notewell.serve.mcp import PATH
from notewell.serve.say import counted, echo, say
from notewell.vault import Vault

if TYPE_CHECKING:
    from starlette.applications import Starlette

PORT = 8483
# Below these, Copilot for Obsidian is answered, if the settings say so.
COPILOT = ("/v0", "/v1")
# Requests a second from one address, and a burst of twice as many: far more than a person or an agent sends.
RATE = 100.0
# How long the server waits for the end of what it began at its start, in seconds; a run ends after the current note.
STOP_SECONDS = 5.0
# Nobody sends anything on stdin; only its end counts.
LARGEST_READ = 4_096


@click.command("serve")
@vault_to_index_option
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", help="Address to listen on. Default: 127.0.0.1")
@click.option(
    "--port",
    metavar="N",
    type=Number(int, 0, 65_535),
    default=PORT,
    help="Port; 0 picks a free one. Default: 8483",
)
@click.option("--allow-host", metavar="NAME", multiple=True, help="Accept requests for this host name; may be repeated")
@click.option(
    "--allow-origin", metavar="URL", multiple=True, help="Let web pages of this site read the notes; may be repeated"
)
@click.option(
    "--rate",
    metavar="N",
    type=Number(float, 0),
    default=RATE,
    help="Requests a second from one address; 0 for no limit. Default: 100",
)
@click.option("--token", is_flag=True, help="Require the token on this machine too")
@click.option("--token-file", metavar="FILE", type=click.Path(path_type=Path), help="Require the token in this file")
@click.option("--new-token", is_flag=True, help="Create a token, print it once, and exit")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser")
@click.option("--until-eof", is_flag=True, help="Stop when stdin closes, as it does if the program that runs this ends")
@click.option("--verbose", "-v", is_flag=True, help="Log each request, without its query")
@json_option
def command(
    vault: Path | None,
    host: str,
    port: int,
    allow_host: tuple[str, ...],
    allow_origin: tuple[str, ...],
    rate: float,
    token: bool,
    token_file: Path | None,
    new_token: bool,
    opens: bool,
    until_eof: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Serve the vault to your browser and to other programs

    A browser shows the page at the printed address; programs get JSON there. The server accepts connections from
    this machine only, unless --host is set; then a token is required. GET /openapi.json describes all routes; /mcp
    serves agents. A new vault is indexed while the server runs. Ctrl-C stops the server with exit code 130, SIGTERM
    with 0. --json prints its addresses as JSON.

    \b
    Example:
        notewell serve --open --vault ~/notes
        curl 'http://127.0.0.1:8483/search?text=sourdough'
    """
    _check_installed()
    from notewell.serve.http import GuardRules, Mounted, make_app  # noqa: PLC0415
    from notewell.serve.http.access import Allowed, load_digest, make_token, read_token  # noqa: PLC0415
    from notewell.serve.http.listen import address_of, bound, only_here, serve  # noqa: PLC0415

    stay_small()
    folder = user_folder(os.environ, home_folder(os.environ))
    if new_token:
        _print_token(make_token(folder), as_json)
        return
    allowed = Allowed.of(allow_host, allow_origin)
    with Vault.open(vault, opening=SERVED) as opened, bound(host, port) as sockets:
        digest = read_token(token_file) if token_file else ""
        needed = bool(digest) or token or not only_here(sockets)
        rules = GuardRules(allowed, digest or (load_digest(folder) if needed else ""), rate)
        _begin_indexing(opened)
        mounts = [Mounted(PATH, partial(_mcp_app, opened))]
        if opened.settings.serve.copilot:
            mounts += [Mounted(path, partial(_copilot_app, opened), detailed=True) for path in COPILOT]
        addresses = [address_of(one) for one in sockets]
        listening = json.dumps({"vault": str(opened.root), "addresses": addresses})
        echo(listening if as_json else "\n".join(addresses))
        say(f"serving {opened.root}; Ctrl-C stops it")
        if opens:
            # A browser may stay in the foreground, and the server does not wait for it.
            _begin(partial(_open_page, addresses[0], rules.sessions.make_code() if needed else ""))
        starting = _begin(partial(_end_indexing, opened))
        app = make_app(opened, rules, mounts=mounts, log=say if verbose else None)
        interrupted = serve(app, opened, sockets, until=_read_to_end if until_eof else None)
        starting.join(STOP_SECONDS)
    if interrupted:
        raise Stopped


def _begin(work: Callable[[], None]) -> Thread:
    """Do something beside the server, which does not wait for it; it says what this command would."""
    context = click.get_current_context()

    def run() -> None:
        with context.scope(cleanup=False):
            work()

    thread = Thread(target=run, daemon=True)
    thread.start()
    return thread


def _open_page(address: str, code: str) -> None:
    """Open the page in the browser; a code, which the browser sends to nobody else, logs it in once."""
    if not webbrowser.open_new_tab(f"{address}/#login={code}" if code else address):
        say(f"no browser could be started; open {address} yourself")


def _read_to_end() -> None:
    """Return when stdin is closed."""
    with suppress(OSError, ValueError):
        while sys.stdin and os.read(sys.stdin.fileno(), LARGEST_READ):
            pass


def _print_token(token: str, as_json: bool) -> None:
    echo(json.dumps({"token": token}) if as_json else token)
    say("this token is shown only once; earlier tokens are no longer valid")


def _begin_indexing(vault: Vault) -> None:
    """Index what changed, for a second at most; what takes longer goes on in the background, as a new vault does."""
    check_new(vault)
    if vault.indexed:
        say_notices(vault.freshness.look(refresh=True))
    else:
        say(f"indexing {vault.root}; the server answers meanwhile")
        vault.freshness.begin()


def _end_indexing(vault: Vault) -> None:
    """Wait for the end of what was begun, and let the encoder begin."""
    run = vault.freshness.run
    if run is not None:
        follow(run)
        if isinstance(run.error, NotewellError):
            say(f"error: {run.error.fact}\nhint: {run.error.hint}")
        if run.report is None or run.report.interrupted:
            return
        say_notices(run.take_notices())
        say(f"indexed {counted(run.report.notes, 'note')}")
    encode_in_background(vault)


def _check_installed() -> None:
    """Raise an error if a package of the extra is missing; that of MCP is not loaded before an agent asks."""
    try:
        import fastapi  # noqa: F401, PLC0415
        import uvicorn  # noqa: F401, PLC0415

        if find_spec("mcp") is None:
            raise ModuleNotFoundError(name="mcp")
    except ImportError as error:
        raise missing_extra("serve", error) from error


def _mcp_app(vault: Vault) -> Starlette:
    from notewell.serve.mcp.http import make_mcp_app  # noqa: PLC0415

    return make_mcp_app(vault)


def _copilot_app(vault: Vault) -> Starlette:
    from notewell.serve.copilot import make_copilot_app  # noqa: PLC0415

    return make_copilot_app(vault)


@click.command("mcp")
@vault_to_index_option
def mcp(vault: Path | None) -> None:
    """Serve the vault to AI agents over MCP

    Programs such as Claude Code, Claude Desktop, Cursor and Codex start this command themselves and stop it when they
    exit; docs/guides/agents.md has the configuration to paste. Notes are read only; if the vault has a memory folder,
    agents can write there. A new vault is indexed at the first request. Programs that need a URL use `notewell serve`
    and its /mcp.

    \b
    Example:
        notewell mcp --vault ~/notes
        claude mcp add notewell -- notewell mcp --vault ~/notes
    """
    # First of all: later, the parent could be gone already.
    parent = os.getppid()
    if sys.stdin is None or sys.stdout is None:
        raise SettingsError("stdin or stdout is closed", "Let an MCP client start this command")
    stay_small()
    opened = Vault.open(vault, opening=SERVED)
    check_new(opened)
    try:
        # The MCP library takes half a second to load.
        from notewell.serve.mcp.stdio import serve_stdio  # noqa: PLC0415
    except ImportError as error:
        raise missing_extra("mcp", error) from error
    if sys.stdin.isatty():
        say("waiting for an MCP client on stdin; Ctrl-D stops it")
    serve_stdio(opened, parent)
