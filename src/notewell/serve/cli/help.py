"""`notewell help`."""

from __future__ import annotations

import click

from notewell.serve.cli import COMMANDS, did_you_mean

QUERY = """\
Write what you are looking for as you would say it. What is not syntax is text.

  "formic acid"           holds exactly these words
  -oxalic  -"a phrase"    does not hold them
  auth*                   holds words that begin so
  in:heading              has the query's words in its headings

  path:Garden             lies in this folder, or is this file
  tag:bees                has this tag, or one nested in it
  type:journal  lang:de   has this type, or language
  after:2024-05  before:2025  after:7d
  status:open  rating:3..5  due:..2024-06  status:open|active

  lex:word  lex:"some words"    by words alone
  vec:"some text"               by meaning alone
  like:"a note"                 drawn towards what that note is about
  hyde:"an answer"              like what the answer might say

  latest …, … last week, … in May 2024    notes of that time come forward

Without words, the newest notes that fit are listed. --explain says how a query was read. In a shell, put it in single
quotes; one that begins with a minus comes after --, as in notewell search -- '-draft'."""

OUTPUT = """\
Data goes to stdout, talk to stderr: what is piped is data alone.

  --format json|md|csv|paths    for programs, prompts, spreadsheets and xargs
  --json                        everything that is known, on nearly every command
  --color always|never          colours and links; NO_COLOR and CLICOLOR_FORCE are obeyed
  --no-pager                    what is longer than the window is printed at once

On a terminal, long output goes through $NOTEWELL_PAGER, $PAGER or less; empty, or cat, means none. What a click on
a hit's place opens is the setting show.links.

  exit code 0      done, also if nothing was found
            1      an error, with error: and hint: on stderr; or something amiss was found, where a help says so
                   (links --broken, secrets, doctor)
            2      wrong usage
            3      secrets: none was found, but some file could not be read
            130    interrupted; what was done is kept"""

TOPICS = {"query": QUERY, "output": OUTPUT}


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in (*TOPICS, *COMMANDS) if name.startswith(incomplete)]


@click.command("help")
@click.argument("topic", default="", shell_complete=_complete)
@click.pass_context
def command(ctx: click.Context, topic: str) -> None:
    """Show help on a command, or on a TOPIC: query, output

    \b
    Example:
        notewell help query
        notewell help search
    """
    above = ctx.parent or ctx
    program = above.command
    assert isinstance(program, click.Group)
    if topic in TOPICS:
        click.echo(TOPICS[topic])
    elif not topic:
        click.echo(f"{program.get_help(above)}\n\nTopics of `notewell help`: {', '.join(TOPICS)}")
    elif named := program.get_command(above, topic):
        click.echo(named.get_help(click.Context(named, parent=above, info_name=topic)))
    else:
        near = did_you_mean(topic, (*TOPICS, *COMMANDS)) or f"; the topics are {' and '.join(TOPICS)}"
        raise click.UsageError(f"There is no help on '{topic}'{near}")
