"""PreToolUse: adds what notes say about a file that is about to be read, or about the words of a search."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from notewell.serve.hooks import Call
from notewell.serve.hooks.payload import NothingToSay, Payload

if TYPE_CHECKING:
    from notewell.types.results import Hit, Results
    from notewell.vault import Vault

# A name in more chunks than this says nothing about any of them.
COMMON = 10
# Names of files that every project has; they mean one file only with their folder.
COMMON_NAMES = """
readme index main init setup package makefile dockerfile config settings test tests utils util helpers types license
changelog contributing app mod lib cargo tsconfig pyproject conftest requirements claude agents todo notes gitignore env
models views urls server client constants errors styles style schema
"""
USUAL = frozenset(COMMON_NAMES.split())
# Options of grep with a value, which is not the pattern.
VALUED = re.compile(r"-[ABCmgtTjd]|--(?:include|exclude|exclude-dir|glob|type|max-count|context|color|colour)")
# The same for fd, where `-e` is a suffix.
VALUED_FD = re.compile(r"-[edEtSjcx]|--(?:extension|max-depth|exclude|type|size|threads|color|exec|base-directory)")
NAME_OPTIONS = ("-name", "-iname", "-path", "-ipath", "-wholename")
# The programs that search; most commands run none of them, and do not wait for the reader of commands to load.
SEARCHING = re.compile(r"\b(?:[ef]?grep|rg|ag|ack|find|fd|fdfind)\b")
# Nobody searches for a longer pattern.
LONGEST = 500
# The parts of a regular expression that are no literal text.
SYNTAX = re.compile(r"\\[bBdDsSwWAZzn<>]|\[[^\]]{0,80}\]|\(\?[:=!<]*|\{[\d,]*\}|[\\^$.*+?()|{}\[\]]")
# One word that nobody writes by chance: with an underscore, a capital or a digit inside.
IDENTIFIER = re.compile(r"(?=.{6})(?:\w*[a-z][A-Z]\w*|\w+_\w+|[A-Za-z]+-?\d[\w-]*)")


class Subject(NamedTuple):
    """What a tool is about to look at: a file, or the words of a search."""

    file: str = ""
    words: str = ""
    # Fewer words than this are code more often than a question.
    least: int = 3


@contextmanager
def answer(payload: Payload, call: Call) -> Iterator[dict[str, str]]:
    """Yield the block of notes about the subject of a tool call; it never decides whether the tool may run."""
    subject = subject_of(payload)
    if not subject.file and len(subject.words) < 3:
        raise NothingToSay("the tool looks for nothing that notes could know")
    # Most tool calls end above, and do not wait for a vault to open.
    from notewell.serve.hooks.block import new_block  # noqa: PLC0415
    from notewell.serve.hooks.vaults import vault_of  # noqa: PLC0415

    with vault_of(payload, call) as vault:
        found = _about_file(subject.file, payload.cwd, vault) if subject.file else _about_words(subject, vault)
        with new_block(found, vault, payload, call, what="file" if subject.file else "search") as block:
            yield block


def subject_of(payload: Payload) -> Subject:
    """Return what a tool call is about to look at.

    >>> subject_of(Payload(tool="Grep", tool_input={"pattern": r"\\bget_tenant\\("}))
    Subject(file='', words='get_tenant', least=3)
    >>> subject_of(Payload(tool="Bash", tool_input={"command": "grep -rn -A 3 'formic acid' . | head"}))
    Subject(file='', words='formic acid', least=3)
    >>> subject_of(Payload(tool="Glob", tool_input={"pattern": "**/deploy.sh"}))
    Subject(file='deploy.sh', words='', least=3)
    """
    if payload.tool == "Read":
        return Subject(file=payload.text("file_path"))
    if payload.tool == "Grep":
        return Subject(words=literal(payload.text("pattern")))
    if payload.tool == "WebSearch":
        return Subject(words=payload.text("query"), least=2)
    if payload.tool == "Glob":
        return _globbed(payload.text("pattern"))
    if payload.tool == "Bash":
        return _searched_by_command(payload.text("command"))
    return Subject()


def literal(pattern: str) -> str:
    """Return the words of a regular expression, or of its beginning."""
    return " ".join(SYNTAX.sub(" ", pattern[:LONGEST]).split())


def _globbed(pattern: str) -> Subject:
    name = PurePosixPath(pattern.replace("\\", "/")).name
    if not name or not re.search(r"[*?\[{]", name):
        return Subject(file=name)
    # The suffix of `deploy*.sh` is no word.
    return Subject(words=literal(name.partition(".")[0]))


def _searched_by_command(command: str) -> Subject:
    """Return the subject of the first search in a command line."""
    if not SEARCHING.search(command):
        return Subject()
    from notewell.extract.shell import FINDS, GREPS, read_command  # noqa: PLC0415

    for program in read_command(command):
        subject, words = Subject(), program.words[1:]
        # A program in a pipe searches what another one prints.
        if program.name in GREPS and program.operator != "|":
            subject = Subject(words=literal(_pattern(words)))
        elif program.name in FINDS and program.operator != "|":
            named = (after for option, after in pairwise(words) if option in NAME_OPTIONS)
            subject = _globbed(next(named, "" if program.name == "find" else _first(words, VALUED_FD)))
        if subject.file or subject.words:
            return subject
    return Subject()


def _pattern(words: Sequence[str]) -> str:
    """Return the pattern among the arguments of grep: the value of `-e`, or the first that is no option."""
    if "-e" in words[:-1]:
        return words[words.index("-e") + 1]
    return _first(words, VALUED)


def _first(words: Sequence[str], valued: re.Pattern[str]) -> str:
    """Return the first argument that is neither an option nor the value of one."""
    skip = False
    for word in words:
        if not skip and not word.startswith("-"):
            return word
        skip = not skip and bool(valued.fullmatch(word))
    return ""


def _about_file(file: str, cwd: Path | None, vault: Vault) -> list[Hit]:
    """Return the chunks of other notes that contain the path or name of a file."""
    path = Path(os.path.abspath(os.path.join(cwd or vault.root, file)))  # noqa: PTH100, PTH118
    here = path.relative_to(vault.root).as_posix() if path.is_relative_to(vault.root) else ""
    for name in _names(path, cwd):
        found = _containing(name, vault)
        if 0 < len(found) <= COMMON:
            return [hit for hit in found if hit.path != here]
    return []


def _containing(text: str, vault: Vault) -> Results:
    """Return the chunks that hold a text as it is written."""
    return vault.search(text, mode="sure", limit=COMMON + 1, max_tokens=0, containing=text)


def _names(path: Path, cwd: Path | None) -> Iterator[str]:
    if cwd and path.is_relative_to(cwd) and path.parent != cwd:
        yield path.relative_to(cwd).as_posix()
    if path.parent.name:
        yield f"{path.parent.name}/{path.name}"
    if path.name.lower().lstrip("._").partition(".")[0].strip("_") not in USUAL and len(path.name) > 3:
        yield path.name


def _about_words(subject: Subject, vault: Vault) -> list[Hit]:
    """Return the chunks about some words; for an identifier, those that contain it."""
    words = subject.words
    if IDENTIFIER.fullmatch(words):
        held = _containing(words, vault)
        return list(held) if len(held) <= COMMON else []
    from notewell.search.relevance import telling_terms  # noqa: PLC0415
    from notewell.serve.hooks.block import CANDIDATES, find_sure  # noqa: PLC0415

    if len(telling_terms(words)) < subject.least:
        return []
    return find_sure(vault, [words], limit=CANDIDATES, floor=vault.settings.hook.threshold)
