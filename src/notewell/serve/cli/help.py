"""`notewell help`."""

from __future__ import annotations

import click

from notewell.serve.cli import COMMANDS, suggestion

QUERY = """\
Write what you are looking for in plain words. Everything that is not syntax is plain text.

  "formic acid"           contains exactly these words
  -oxalic  -"a phrase"    does not contain them
  auth*                   contains words that begin like this
  in:heading              has the words of the query in its headings
  in:fitness              is in this domain of the vault; see `notewell domains`

  path:Garden             is in this folder, or is this file
  tag:bees                has this tag or a nested one
  entity:"Ada Lovelace"   names this person or thing; see `notewell entities`
  type:journal  lang:py   has this type, or is such a file
  after:2024-05  before:2025  after:7d
  status:open  rating:3..5  status:open|active
  is:open  is:done  is:task  due:2025-07  due:<today    has such a task

  lex:word  lex:"some words"    matched by words only
  vec:"some text"               matched by meaning only
  like:"a note"                 prefers results like this note
  hyde:"an answer"              prefers results like this answer
  … hyde:                       the same; the language model writes the answer

  latest …, … last week, … in May 2024    prefers notes from that time

Without words, the newest matching notes are listed. --explain shows how a query was read. In a shell, put the query in
single quotes; write one that begins with a minus after --, as in notewell search -- '-draft'."""

OUTPUT = """\
Data goes to stdout, messages to stderr, so a pipe receives data only.

  --format md|csv|paths         for prompts, spreadsheets and xargs
  --json, --jsonl               all fields, as one value (nearly every command) or a line for each hit
  --exit-status                 like grep: 0 if anything was found, 1 if not, 2 on errors
  -q, --quiet                   errors only, no messages or progress
  --color always|never          colours and links; NO_COLOR and CLICOLOR_FORCE are respected
  --no-pager                    no pager for long output

On a terminal, hits are grouped by note, and lines are wrapped. In a pipe, each hit is one line, the best first:
`path:line  heading  date  score`, followed by its excerpt, indented and not wrapped.

On a terminal, long output goes through $NOTEWELL_PAGER, $PAGER or less; set it to cat, or to nothing, for no pager.
The setting show.links decides what a click on a hit opens.

  exit code 0      success, even if nothing was found
            1      an error, with error: and hint: on stderr; or a command found what it checks for
                   (links --broken, secrets, doctor)
            2      wrong usage
            3      secrets: none found, but some files could not be read
            130    interrupted; what was done is kept"""

TOPICS = {"query": QUERY, "output": OUTPUT}


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in (*TOPICS, *COMMANDS) if name.startswith(incomplete)]


@click.command("help")
@click.argument("topic", nargs=-1, shell_complete=_complete)
@click.pass_context
def command(ctx: click.Context, topic: tuple[str, ...]) -> None:
    """Show help on a command, or on a TOPIC: query, output

    \b
    Example:
        notewell help query
        notewell help search
        notewell help hook install
    """
    named = " ".join(topic).split()
    above = ctx.parent or ctx
    program = above.command
    assert isinstance(program, click.Group)
    if len(named) == 1 and named[0] in TOPICS:
        click.echo(TOPICS[named[0]])
    elif not named:
        click.echo(f"{program.get_help(above)}\n\nTopics for `notewell help`: {', '.join(TOPICS)}")
    else:
        _show(named, above)


def _show(named: list[str], context: click.Context) -> None:
    """Show the help of a command: of `hook`, or of `hook install`."""
    for name in named:
        group = context.command
        known = group.list_commands(context) if isinstance(group, click.Group) else ()
        found = group.get_command(context, name) if isinstance(group, click.Group) else None
        if found is None:
            topics = TOPICS if len(named) == 1 else ()
            near = suggestion(name, (*topics, *known)) or (f"; the topics are {' and '.join(topics)}" if topics else "")
            raise click.UsageError(f"There is no help on '{' '.join(named)}'{near}")
        context = click.Context(found, parent=context, info_name=name)
    click.echo(context.command.get_help(context))
