"""`notewell ask` and `notewell verify`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click

from notewell.chat import answering
from notewell.chat.verification import LONGEST
from notewell.chat.verification import verify as verify_quotes
from notewell.errors import NoteError
from notewell.files.control_chars import escaped, real_path, shown_path
from notewell.freshness import AT_ONCE, Opening
from notewell.llm import Model, find_model
from notewell.serve.cli.first_index import vault_to_index_option
from notewell.serve.cli.inputs import STDIN, is_piped, read_query
from notewell.serve.cli.options import json_option, print_result, say_notices
from notewell.serve.cli.query_options import operation_options, vault_to_ask
from notewell.serve.cli.results import LINK, WIDE, wants_links, window_columns
from notewell.serve.parameters import parameters_of, query_of
from notewell.serve.say import echo, printable_line, say
from notewell.serve.width import wrapped
from notewell.serve.wording import REFUSALS, sentences, with_notices
from notewell.types.answer import Answer, Citation, CitationReason, CitationsStatus, Event, Text, Verification
from notewell.types.query import Query
from notewell.vault import Vault

# Shown before a citation: its quote is in the notes, is not, or cannot be checked.
PROVEN, ABSENT, UNCHECKED = "✓", "✗", "·"
REASONS: dict[CitationReason, str] = {
    "match": "",
    "no_quote": "nothing is quoted",
    "no_chunk_text": "no such note or passage",
    "too_short": "too short to check",
    "not_found": "not in your notes",
}
STATUS: dict[CitationsStatus, str] = {
    "no_quotes": "There are no quotes to check",
    "all_verified": "Every quote is in your notes",
    "has_mismatch": "Some quotes are not in your notes",
    "unverifiable": "Some quotes cannot be checked",
}
# Whoever asks a question waits for the encoder to load: it finds answers in other words.
ASKING = Opening(AT_ONCE, loads="first")
# Characters of a quote that `verify` shows.
SHOWN = 60


class AskCommand(click.Command):
    """A command that receives its question and its filters as one query."""

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command."""
        given = {one.name: ctx.params.pop(one.name) for one in parameters_of("ask", "cli") if one.name in ctx.params}
        question = _question(given["question"])
        # Answers show hidden characters of paths as escapes.
        ctx.params["query"] = query_of("ask", {**given, "question": question, "under": real_path(given["under"])})
        return super().invoke(ctx)


def _question(typed: tuple[str, ...]) -> str:
    if typed == (STDIN,) or (not typed and is_piped()):
        return read_query()
    if not typed:
        raise click.UsageError("Missing argument 'QUESTION...'.")
    return " ".join(typed)


@click.command("ask", cls=AskCommand)
@click.argument("question", nargs=-1)
@vault_to_index_option
@operation_options("ask")
@click.option("--model", "named", metavar="NAME", help="ollama:NAME, openai:NAME, auto, or off. Default: llm.model")
@click.option("--exit-status", is_flag=True, help="Exit like grep: 0 if the notes answer, 1 if not, 2 on errors")
@json_option
def command(
    query: Query, vault: Path | None, named: str | None, no_refresh: bool, exit_status: bool, as_json: bool
) -> None:
    """Answer a question with quotes from your notes

    If a language model is set up (llm.model; by default, a running Ollama), it writes the answer from the best
    passages, and each of its quotes is checked: ✓ is in your notes, ✗ is not, · cannot be checked. Without a
    model, the answer is the best sentences of up to three notes, word for word. If your notes do not answer the
    question, that is said first, and the nearest passages follow. QUESTION is plain text; - reads stdin. A new vault
    is indexed first.

    \b
    Example:
        notewell ask "why did the bread collapse"
        notewell ask "when do I treat the bees" --under Garden
    """
    with vault_to_ask(vault, {"llm.model": named}, refresh=not no_refresh, opening=ASKING) as (opened, notices):
        model = find_model(opened.settings.llm)
        say_model(model)
        answer = with_notices(follow(answering(opened, query, model), quiet=as_json), notices)
        say_about(answer)
        print_result(answer, as_json, partial(print_answer, vault=opened))
    if exit_status and not answer.answered:
        raise SystemExit(1)


def say_model(model: Model | None) -> None:
    """Say where the question goes, if it leaves this machine."""
    if model and not model.is_here:
        say(f"asking {model.name} at {model.server}")


def say_about(answer: Answer) -> None:
    """Print the notices of an answer, without those that are the answer itself."""
    say_notices(notice for notice in answer.notices if notice.code not in REFUSALS)


def follow(events: Iterable[Event], *, quiet: bool) -> Answer:
    """Return the answer; what a model writes is printed as it comes, unless `quiet`."""
    wrote = False
    for event in events:
        if isinstance(event, Text) and not quiet:
            # These marks are ours: a model must not put them before a place of its own.
            echo(event.text.replace(PROVEN, "").replace(ABSENT, ""), nl=False)
            wrote = True
        elif isinstance(event, Answer):
            if wrote and not event.model:
                # The model failed halfway: the quotes begin on a line of their own.
                echo(" …\n")
            return event
    raise AssertionError("the answer comes last")


def print_answer(answer: Answer, vault: Vault) -> None:
    """Print an answer with its footnotes; what a model wrote is there already."""
    if answer.model:
        echo("\n")
    else:
        _print_quotes(answer)
    for citation in answer.citations:
        # Below a refusal, a mark would look like approval.
        echo(_footnote(citation, vault, _mark(citation) if answer.answered else ""), styled=True)
    if answer.unsupported:
        echo(f"Not in the cited notes: {', '.join(map(printable_line, answer.unsupported))}")
    if answer.model:
        tools = f", with {', '.join(answer.tools)}" if answer.tools else ""
        echo(f"Written by {printable_line(answer.model)} at {answer.server}{tools}")


def _print_quotes(answer: Answer) -> None:
    for refusal in sentences(notice for notice in answer.notices if notice.code in REFUSALS):
        # The refusal is the answer, so it is not a message on stderr.
        echo(f"{refusal}:\n" if answer.citations else f"{refusal}.")
    for paragraph in answer.text.split("\n\n") if answer.text else ():
        lines = [line.removeprefix("> ") for line in paragraph.split("\n")]
        for piece in (piece for line in lines for piece in wrapped(escaped(line), window_columns() or WIDE)):
            echo(piece)
        echo()


def _footnote(citation: Citation, vault: Vault, mark: str) -> str:
    """Return the line below an answer that says where a quote is."""
    heading = citation.heading.rpartition(" > ")[2]
    place = _place(citation)
    if citation.uri and wants_links(vault.settings.show.links, os.environ):
        place = LINK.format(citation.uri, place)
    # A quote without a number names itself.
    number = f"[{citation.number}]" if citation.number else f'"{printable_line(citation.quote)}"'
    head = " ".join(filter(None, (number, mark, place)))
    return "  ".join(filter(None, (head, printable_line(heading), REASONS[citation.citation_reason])))


def _place(citation: Citation) -> str:
    """Return the path and lines of a citation.

    >>> bees = {"heading": "", "quote": "", "citation_verified": False, "citation_reason": "no_quote", "uri": ""}
    >>> _place(Citation(number=1, path="Bees.md", line=3, end_line=4, **bees))
    'Bees.md:3-4'
    """
    last = f"-{citation.end_line}" if citation.end_line > citation.line else ""
    return f"{shown_path(citation.path)}:{citation.line}{last}" if citation.line else shown_path(citation.path)


def _mark(citation: Citation) -> str:
    if citation.citation_verified:
        return PROVEN
    return ABSENT if citation.citation_reason == "not_found" else UNCHECKED


@click.command("verify")
@click.argument("file")
@vault_to_index_option
@click.option("--exit-status", is_flag=True, help="Exit with 1 if a quote is not in the notes, or cannot be checked")
@json_option
def verify(file: str, vault: Path | None, exit_status: bool, as_json: bool) -> None:
    """Check the quotes in a text against your notes

    FILE is a text, such as a chatbot's answer; - reads stdin. Quotes are words between quotation marks, and lines that
    begin with >. A quote of 12 characters or more is looked up in the note named after it (Garden/Bees.md:12 or
    [[Bees]]), or else in all notes. Case, spaces, kinds of quotation marks and dashes, and Markdown do not count; an
    ellipsis may leave words out.

    \b
    Example:
        notewell verify answer.md
        pbpaste | notewell verify -
    """
    text = _read(file)
    with vault_to_ask(vault, {}, refresh=True) as (opened, notices):
        checked = with_notices(verify_quotes(opened, text), notices)
        say_notices(checked.notices)
        print_result(checked, as_json, _print_checked)
    if exit_status and checked.citations_status not in ("all_verified", "no_quotes"):
        raise SystemExit(1)


def _read(file: str) -> str:
    """Return the text of a file, or of stdin."""
    try:
        with click.open_file(file, "rb") as stream:
            data = stream.read(LONGEST + 1)
    except (OSError, RuntimeError) as error:
        # Click raises the latter for a stdin that was closed from the start.
        fact = getattr(error, "strerror", None) or "it is closed"
        raise NoteError(f"Cannot read {file}: {fact}", "Name a text file, or - for stdin") from error
    if len(data) > LONGEST:
        raise NoteError(f"{file} is larger than {LONGEST:,} bytes", "Check a part of it")
    return str(data.decode("utf-8-sig", "replace"))


def _print_checked(checked: Verification) -> None:
    for citation in checked.citations:
        for line in _checked_lines(citation):
            echo(line)
    echo(STATUS[checked.citations_status])


def _checked_lines(citation: Citation) -> Iterator[str]:
    quote = " ".join(citation.quote.split())
    yield f'{_mark(citation)} "{escaped(quote[:SHOWN])}{"…" if len(quote) > SHOWN else ""}"'
    if citation.path and citation.citation_reason == "not_found":
        yield f"    not in {shown_path(citation.path)}"
    else:
        yield f"    {', '.join(filter(None, (_place(citation), REASONS[citation.citation_reason])))}"
