"""A command line for the shell, read as far as a hook needs it: its programs, and what joins them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

# What a command line may say that its words do not: then nothing is known of it.
UNKNOWN = re.compile(r"`|\$\(|<<|<\(|>\(")
JOINTS = ("&&", "||", ";", "|", "|&", "&", "\n")
# A longer one is a program of its own.
LONGEST = 4_000
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
# Programs that run another, and how many words of their own they have before it.
RUNNERS = {"sudo": 0, "time": 0, "nice": 0, "nohup": 0, "env": 0, "timeout": 1, "npx": 0, "bunx": 0, "command": 0}
RUN = re.compile(r"(?:uv|poetry|pipenv|hatch|pdm|rye) run|bundle exec|(?:python[\d.]*|py) -m")
# A program that is a part of another, which is known by itself.
PARTS = (("git", "grep"), ("uv", "pip"))
# What looks for words in files, and what looks for files.
GREPS = frozenset(("grep", "egrep", "fgrep", "rg", "ag", "ack"))
FINDS = frozenset(("find", "fd", "fdfind"))


class Piece(NamedTuple):
    """A program with its words, and what stands before it: `|` for one that reads what the last one wrote."""

    joint: str
    words: tuple[str, ...]

    @property
    def program(self) -> str:
        """Return the program's name, without its folder."""
        return PurePosixPath(self.words[0]).name if self.words else ""


def read_command(command: str) -> list[Piece]:
    """Return the pieces of a command line; none, if it is not plain.

    >>> read_command("cd src && FOO=1 timeout 60 python -m pytest -q 2>&1 | tail -5")[1:]
    [Piece(joint='&&', words=('pytest', '-q')), Piece(joint='|', words=('tail', '-5'))]
    >>> read_command("echo $(rm -rf x)")
    []
    """
    if len(command) > LONGEST or UNKNOWN.search(command):
        return []
    lexer = shlex.shlex(command.strip().replace("\n", " ; "), posix=True, punctuation_chars="();<>|&")
    lexer.whitespace_split = True
    lexer.commenters = ""
    pieces: list[Piece] = []
    joint, words = "", list[str]()
    try:
        for token in (*lexer, ";"):
            if token not in JOINTS:
                words.append(token)
                continue
            if words:
                pieces.append(Piece(joint, _bare(words)))
            joint, words = token, []
    except ValueError:
        return []
    return [piece for piece in pieces if piece.words]


def _bare(words: Sequence[str]) -> tuple[str, ...]:
    """Return the program that is run in the end and its words, without assignments, redirections and runners."""
    left = _undirected(words)
    while left:
        first = PurePosixPath(left[0]).name
        if ASSIGNMENT.fullmatch(left[0]):
            left = left[1:]
        elif first in RUNNERS:
            left = _past_options(left[1:])[RUNNERS[first] :]
        elif RUN.fullmatch(" ".join((first, *left[1:2]))):
            left = left[2:]
        elif (first, *left[1:2]) in PARTS:
            left = left[1:]
        else:
            break
    return tuple(left)


def _past_options(words: list[str]) -> list[str]:
    while words and words[0].startswith("-"):
        words = words[1:]
    return words


def _undirected(words: Sequence[str]) -> list[str]:
    """Return the words without redirections: `2>&1`, `> file`.

    >>> _undirected(["make", "2", ">&", "1", ">", "log", "all"])
    ['make', 'all']
    """
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.strip("<>&") == "" and word:
            # The number of what is redirected stands before, where to after.
            if kept and kept[-1] in ("1", "2"):
                kept.pop()
            skip = True
        else:
            kept.append(word)
    return kept
