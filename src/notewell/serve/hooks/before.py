"""PreToolUse: what notes say of a file that is about to be read, or of what is about to be searched for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from notewell.serve.hooks import Call
from notewell.serve.hooks.payload import Given, Nothing

if TYPE_CHECKING:
    from notewell.types.results import Excerpt
    from notewell.vault import Vault

# A name that more chunks hold says nothing of any of them.
COMMON = 10
# Names that files of every project have; only with their folders do they mean one.
NAMES = """
readme index main init setup package makefile dockerfile config settings test tests utils util helpers types license
changelog contributing app mod lib cargo tsconfig pyproject conftest requirements claude agents todo notes gitignore env
models views urls server client constants errors styles style schema
"""
USUAL = frozenset(NAMES.split())
# Options of a grep that have a value, which is no pattern.
VALUED = re.compile(r"-[ABCmgtTjd]|--(?:include|exclude|exclude-dir|glob|type|max-count|context|color|colour)")
# The same of fd, where `-e` is a suffix.
VALUED_FD = re.compile(r"-[edEtSjcx]|--(?:extension|max-depth|exclude|type|size|threads|color|exec|base-directory)")
NAMED = ("-name", "-iname", "-path", "-ipath", "-wholename")
# Nobody looks for more than this.
LONGEST = 500
# Of a regular expression, what is no letter of what it finds.
SYNTAX = re.compile(r"\\[bBdDsSwWAZzn<>]|\[[^\]]{0,80}\]|\(\?[:=!<]*|\{[\d,]*\}|[\\^$.*+?()|{}\[\]]")
# One word that nobody writes by chance: parts joined by an underscore, a hump or a dash, or with digits.
IDENTIFIER = re.compile(r"(?=.{6})(?:\w*[a-z][A-Z]\w*|\w+_\w+|[A-Za-z]+-?\d[\w-]*)")


class Asked(NamedTuple):
    """What a tool is about to look at: one file, or what some words name, at least so many of them."""

    file: str = ""
    words: str = ""
    least: int = 3


@contextmanager
def answer(given: Given, call: Call) -> Iterator[dict[str, str]]:
    """Yield the block of notes on what a tool is about to look at; nothing of it says whether it may."""
    asked = read_asked(given)
    if not asked.file and len(asked.words) < 3:
        raise Nothing("the tool asks for nothing that notes could know")
    # Most calls of tools end above, and do not pay for opening a vault.
    from notewell.serve.hooks.show import show  # noqa: PLC0415
    from notewell.serve.hooks.vaults import vault_of  # noqa: PLC0415

    with vault_of(given, call) as vault:
        found = _on_file(asked.file, given, vault) if asked.file else _on_words(asked, vault)
        with show(found, vault, given, call, what="file" if asked.file else "search") as shown:
            yield shown


def read_asked(given: Given) -> Asked:
    """Return what a tool call looks for.

    >>> read_asked(Given(tool="Grep", asked={"pattern": r"\\bget_tenant\\("}))
    Asked(file='', words='get_tenant', least=3)
    >>> read_asked(Given(tool="Bash", asked={"command": "grep -rn -A 3 'formic acid' . | head"}))
    Asked(file='', words='formic acid', least=3)
    >>> read_asked(Given(tool="Glob", asked={"pattern": "**/deploy.sh"}))
    Asked(file='deploy.sh', words='', least=3)
    """
    if given.tool == "Read":
        return Asked(file=given.text("file_path"))
    if given.tool == "Grep":
        return Asked(words=literal(given.text("pattern")))
    if given.tool == "WebSearch":
        return Asked(words=given.text("query"), least=2)
    if given.tool == "Glob":
        return _globbed(given.text("pattern"))
    if given.tool == "Bash":
        return _searched_by_command(given.text("command"))
    return Asked()


def literal(pattern: str) -> str:
    """Return the words of a regular expression, or of its beginning."""
    return " ".join(SYNTAX.sub(" ", pattern[:LONGEST]).split())


def _globbed(pattern: str) -> Asked:
    name = PurePosixPath(pattern.replace("\\", "/")).name
    if not name or not re.search(r"[*?\[{]", name):
        return Asked(file=name)
    # Of `deploy*.sh` the suffix is no word.
    return Asked(words=literal(name.partition(".")[0]))


def _searched_by_command(command: str) -> Asked:
    """Return what the first search in a command line looks for."""
    # Other tools do not wait for it to load.
    from notewell.extract.shell import FINDS, GREPS, read_command  # noqa: PLC0415

    for program in read_command(command):
        asked, words = Asked(), program.words[1:]
        # A program in a pipe searches what another one prints.
        if program.name in GREPS and program.operator != "|":
            asked = Asked(words=literal(_pattern(words)))
        elif program.name in FINDS and program.operator != "|":
            named = (after for option, after in pairwise(words) if option in NAMED)
            asked = _globbed(next(named, "" if program.name == "find" else _first(words, VALUED_FD)))
        if asked.file or asked.words:
            return asked
    return Asked()


def _pattern(words: Sequence[str]) -> str:
    """Return the pattern among the words of a grep: what `-e` names, or the first that is no option."""
    if "-e" in words[:-1]:
        return words[words.index("-e") + 1]
    return _first(words, VALUED)


def _first(words: Sequence[str], valued: re.Pattern[str]) -> str:
    """Return the first word that is neither an option nor the value of one."""
    skip = False
    for word in words:
        if not skip and not word.startswith("-"):
            return word
        skip = not skip and bool(valued.fullmatch(word))
    return ""


def _on_file(file: str, given: Given, vault: Vault) -> list[Excerpt]:
    """Return the chunks that name a file, by its path or by its name; those of the file itself are left out."""
    path = Path(os.path.abspath(os.path.join(given.cwd or vault.root, file)))  # noqa: PTH100, PTH118
    here = path.relative_to(vault.root).as_posix() if path.is_relative_to(vault.root) else ""
    for name in _names(path, given.cwd):
        found = vault.relevant(name, limit=COMMON + 1, least=0.0, holding=name)
        if 0 < len(found.excerpts) <= COMMON:
            return [excerpt for excerpt in found if excerpt.path != here]
    return []


def _names(path: Path, cwd: Path | None) -> Iterator[str]:
    if cwd and path.is_relative_to(cwd) and path.parent != cwd:
        yield path.relative_to(cwd).as_posix()
    if path.parent.name:
        yield f"{path.parent.name}/{path.name}"
    if path.name.lower().lstrip("._").partition(".")[0].strip("_") not in USUAL and len(path.name) > 3:
        yield path.name


def _on_words(asked: Asked, vault: Vault) -> list[Excerpt]:
    """Return the chunks that words are about; of one that nobody writes by chance, those that hold it."""
    words = asked.words
    if IDENTIFIER.fullmatch(words):
        held = vault.relevant(words, limit=COMMON + 1, least=0.0, holding=words)
        return list(held) if len(held.excerpts) <= COMMON else []
    from notewell.search.relevance import telling_terms  # noqa: PLC0415
    from notewell.serve.hooks.show import LOOKED_AT  # noqa: PLC0415

    if len(telling_terms(words)) < asked.least:
        # A pattern of two words is code more often than a question.
        return []
    return list(vault.relevant(words, limit=LOOKED_AT, least=vault.settings.hook.threshold))
