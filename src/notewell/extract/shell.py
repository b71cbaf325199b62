"""The programs that a shell command line runs, and how they are joined; none if it hides what it runs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

# Substitutions and here-documents hide what is run.
HIDING = re.compile(r"`|\$\(|<<|<\(|>\(")
OPERATORS = ("&&", "||", ";", "|", "|&", "&", "\n")
# A longer one is a script.
LONGEST = 4_000
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
# Programs that run another, and how many arguments of their own come before it.
RUNNERS = {"sudo": 0, "time": 0, "nice": 0, "nohup": 0, "env": 0, "timeout": 1, "npx": 0, "bunx": 0, "command": 0}
RUN = re.compile(r"(?:uv|poetry|pipenv|hatch|pdm|rye) run|bundle exec|(?:python[\d.]*|py) -m")
# Subcommands that count as programs of their own.
SUBPROGRAMS = (("git", "grep"), ("uv", "pip"))
# Programs that search in files, and programs that search for files.
GREPS = frozenset(("grep", "egrep", "fgrep", "rg", "ag", "ack"))
FINDS = frozenset(("find", "fd", "fdfind"))


class Program(NamedTuple):
    """A program with its arguments, and the operator before it: `|` if it reads the output of the last one."""

    operator: str
    words: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return the name of the program, without its folder."""
        return PurePosixPath(self.words[0]).name if self.words else ""


def read_command(command: str) -> list[Program]:
    """Return the programs that a command line runs; none if it is too long, or substitutions hide what it runs.

    >>> read_command("cd src && FOO=1 timeout 60 python -m pytest -q 2>&1 | tail -5")[1:]
    [Program(operator='&&', words=('pytest', '-q')), Program(operator='|', words=('tail', '-5'))]
    >>> read_command("echo $(rm -rf x)")
    []
    """
    if len(command) > LONGEST or HIDING.search(command):
        return []
    lexer = shlex.shlex(command.strip().replace("\n", " ; "), posix=True, punctuation_chars="();<>|&")
    lexer.whitespace_split = True
    lexer.commenters = ""
    programs: list[Program] = []
    operator, words = "", list[str]()
    try:
        for token in (*lexer, ";"):
            if token not in OPERATORS:
                words.append(token)
                continue
            if words:
                programs.append(Program(operator, _run_in_the_end(words)))
            operator, words = token, []
    except ValueError:
        return []
    return [program for program in programs if program.words]


def _run_in_the_end(words: Sequence[str]) -> tuple[str, ...]:
    """Return the program that is run in the end with its arguments: no assignments, redirections or runners."""
    left = _without_redirections(words)
    while left:
        first = PurePosixPath(left[0]).name
        if ASSIGNMENT.fullmatch(left[0]):
            left = left[1:]
        elif first in RUNNERS:
            left = _without_options(left[1:])[RUNNERS[first] :]
        elif RUN.fullmatch(" ".join((first, *left[1:2]))):
            left = left[2:]
        elif (first, *left[1:2]) in SUBPROGRAMS:
            left = left[1:]
        else:
            break
    return tuple(left)


def _without_options(words: list[str]) -> list[str]:
    while words and words[0].startswith("-"):
        words = words[1:]
    return words


def _without_redirections(words: Sequence[str]) -> list[str]:
    """Return the words without redirections: `2>&1`, `> file`.

    >>> _without_redirections(["make", "2", ">&", "1", ">", "log", "all"])
    ['make', 'all']
    """
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.strip("<>&") == "" and word:
            # The number of the stream stands before it, the target after it.
            if kept and kept[-1] in ("1", "2"):
                kept.pop()
            skip = True
        else:
            kept.append(word)
    return kept
