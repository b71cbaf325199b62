"""`notewell chat`."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from notewell.chat.history import BUDGET
from notewell.chat.sessions import Sessions, SessionSummary, chatting
from notewell.errors import NotewellError
from notewell.files.control_chars import real_path
from notewell.frozen import frozen
from notewell.llm import Model, find_model
from notewell.serve.cli.ask import ASKING, follow, print_answer, say_about, say_model
from notewell.serve.cli.first_index import vault_to_index_option
from notewell.serve.cli.inputs import STDIN, is_piped, read_query
from notewell.serve.cli.options import Number, json_option, open_vault, print_json, print_result
from notewell.serve.cli.query_options import operation_options, vault_to_ask
from notewell.serve.json_data import as_data
from notewell.serve.parameters import parameters_of, query_of
from notewell.serve.say import counted, echo, printable_line, say
from notewell.serve.wording import with_notices
from notewell.types.answer import Answer
from notewell.types.notices import Notice
from notewell.types.query import Query
from notewell.vault import Vault

with suppress(ImportError):
    # Arrow keys then edit the line that is typed.
    import readline  # noqa: F401

DEFAULT = "main"
EDITED, END = re.compile(r"/edit\s+(\d{1,9})\s+(.+)"), ("/exit", "/quit")
# Characters of a question that a list shows.
SHOWN = 60


@frozen
class Asked:
    """A question of a session; an empty one means that questions are typed one by one."""

    query: Query
    session: str
    edit: int | None = None


class ChatCommand(click.Command):
    """A command that receives its question, filters and session as one value."""

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command."""
        take = ctx.params.pop
        given = {one.name: take(one.name) for one in parameters_of("ask", "cli") if one.name in ctx.params}
        typed, lists = given["question"], ctx.params["listed"] or ctx.params["forget"]
        piped = typed == (STDIN,) or (not typed and not lists and is_piped())
        question = read_query() if piped else " ".join(typed)
        query = query_of("ask", {**given, "question": question, "under": real_path(given["under"])})
        ctx.params["asked"] = Asked(query, take("session"), take("edit"))
        return super().invoke(ctx)


@click.command("chat", cls=ChatCommand)
@click.argument("question", nargs=-1)
@vault_to_index_option
@click.option("--session", metavar="NAME", default=DEFAULT, help=f"Which conversation to continue. Default: {DEFAULT}")
@click.option("--edit", metavar="N", type=Number(int, 1), help="Replace question N, and forget what came after it")
@click.option("--list", "listed", is_flag=True, help="List the sessions of this vault")
@click.option("--forget", metavar="NAME", help="Delete a session")
@operation_options("ask")
@click.option("--model", metavar="NAME", help="ollama:NAME, openai:NAME, auto, or off. Default: llm.model")
@json_option
def command(
    asked: Asked, vault: Path | None, model: str | None, no_refresh: bool, as_json: bool, listed: bool, forget: str
) -> None:
    """Ask several questions in a row

    Answers are those of `notewell ask`, and a question may refer to earlier ones ("and in winter?"). A session keeps
    the last 48,000 characters, and continues after a restart. Without QUESTION, type questions one by one: Ctrl-D
    ends, and `/edit N QUESTION` replaces question N. No language model is needed.

    \b
    Example:
        notewell chat "when do I feed the bees" --session garden
        notewell chat "and in winter?" --session garden
    """
    if listed or forget:
        with open_vault(vault) as opened:
            return _list_or_forget(Sessions.of(opened), forget, as_json)
    with vault_to_ask(vault, {"llm.model": model}, refresh=not no_refresh, opening=ASKING) as (opened, notices):
        found = find_model(opened.settings.llm)
        say_model(found)
        ask = partial(_ask, opened, found, as_json)
        if asked.query.text:
            return ask(asked, notices)
        return _converse(opened, asked, ask, refresh=not no_refresh)


def _list_or_forget(sessions: Sessions, forget: str, as_json: bool) -> None:
    """Delete a session, or list all."""
    if forget:
        sessions.forget(forget)
        say(f"forgot the session '{forget}'")
    elif as_json:
        print_json(as_data(sessions.list()))
    else:
        for one in sessions.list():
            echo(_line(one))


def _line(one: SessionSummary) -> str:
    last = f"{one.last[:SHOWN]}{'…' if len(one.last) > SHOWN else ''}"
    parts = one.session, counted(one.turns, "question"), _fill(one.used, one.budget), one.at[:10], last
    return "  ".join(map(printable_line, parts))


def _fill(used: int, budget: int) -> str:
    """Return how full a memory is.

    >>> _fill(120, 48_000), _fill(24_000, 48_000), _fill(0, 48_000)
    ('1 % full', '50 % full', '0 % full')
    """
    return f"{-(-100 * used // budget)} % full"


def _ask(vault: Vault, model: Model | None, as_json: bool, asked: Asked, notices: tuple[Notice, ...] = ()) -> None:
    """Answer one question of a session."""
    events = chatting(vault, asked.query, model, asked.session, asked.edit)
    answer: Answer = with_notices(follow(events, quiet=as_json), notices)
    say_about(answer)
    print_result(answer, as_json, partial(print_answer, vault=vault))


def _converse(vault: Vault, asked: Asked, ask: Callable[..., None], *, refresh: bool) -> None:
    """Answer questions as they are typed, until there are no more; an error does not end the conversation."""
    sessions = Sessions.of(vault)
    while True:
        kept = sessions.load(asked.session)
        number = kept.first + len(kept.turns)
        say(f"session '{asked.session}': {counted(number - 1, 'question')}, memory {_fill(kept.used, BUDGET)}")
        try:
            typed = input(f"{number}> ").strip()
        except (EOFError, KeyboardInterrupt):
            say("")
            return
        if typed in END:
            return
        edit = EDITED.fullmatch(typed)
        question = edit[2] if edit else typed
        if not question:
            continue
        one = replace(asked, query=replace(asked.query, text=question), edit=int(edit[1]) if edit else None)
        try:
            ask(one, vault.refresh() if refresh else ())
        except NotewellError as error:
            say(f"error: {error.fact}\nhint: {error.hint}")
        except KeyboardInterrupt:
            say("stopped")
