"""Which commands print more than anybody reads; the output of any other command stays whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from notewell.extract.shell import FINDS, GREPS, Program, read_command


class Kind(NamedTuple):
    """What an output is: a log, or a list of file `names` or of `matches` in files."""

    # Whether its durations matter, as those of a benchmark do.
    times: bool = False
    lists: str = ""


LOG, NAMES, MATCHES = Kind(), Kind(lists="names"), Kind(lists="matches")


def _table(text: str) -> dict[str, frozenset[str]]:
    """Return the noisy subcommands of each program.

    >>> _table("# Installs.\\npip pip3: install")["pip3"]
    frozenset({'install'})
    """
    rows = (line.split(":") for line in text.splitlines() if not line.startswith("#"))
    return {program: frozenset(verbs.split()) for programs, verbs in rows for program in programs.split()}


NOISY = _table(Path(__file__).with_name("noisy_commands.txt").read_text(encoding="utf-8"))
# A script or target whose name has one of these words is noisy.
USUAL_TASKS = """
all test tests check build compile bundle dist e2e unit integration ci coverage install deps clean
bench benchmark docs doc package pack assemble verify prepare setup bootstrap vendor image images release
"""
TASKS = frozenset(USUAL_TASKS.split())
# The output of a script or target with one of these words in its name was asked for.
PRINTING = """
print show list dump help info tree version versions notes changelog status diff log logs report stats env vars targets
config query describe explain names
"""
REPORTS = frozenset(PRINTING.split())
KINDS: dict[str, Kind] = {**dict.fromkeys(FINDS, NAMES), **dict.fromkeys(GREPS, MATCHES)}
# These print nothing, or a line.
QUIET = """
cd export source . set unset mkdir rm cp mv touch chmod chown ln pushd popd true : echo printf sleep test [ wait pwd
ulimit umask alias trap exit
"""
SILENT = frozenset(QUIET.split())
# These print all that they read. The output of any other program in a pipe was asked for.
PASSING_ON = frozenset(("tee", "cat"))
# With one of these options an output is for programs, or was asked for; a dash alone is stdout.
FOR_PROGRAMS = re.compile(
    r"--(?:json|porcelain|format|output|output-format|message-format|reporter|template|jq|null|print.*|show.*|list.*|"
    r"dry-run|co|collect-only|fixtures.*|markers|setup-.*|explain.*|trace.*|type-list|dump.*|syntax-check|help|version|"
    r"count|only-matching|files-with-matches|replace|(?:after-|before-)?context|no-filename|passthru|exec|patch|"
    r"system-information|tap)(?:=.*)?|-json|-h|-help|-version|-V|-"
)
FORMATS = re.compile(r"(?:.*=|-o)?(?:json.*|ya?ml|xml|csv|tsv|ndjson|sarif|junit|html|wide|name|go-template.*)")
# The same for single programs.
OWN_OPTIONS = {
    **dict.fromkeys(GREPS, re.compile(r"-\w*[cozABCh]\w*")),
    "rg": re.compile(r"-\w*[co0ABCrI]\w*"),
    **dict.fromkeys(FINDS, re.compile(r"-(?:exec|execdir|f?printf|print0|delete|f?ls|x|X|0)")),
    **dict.fromkeys(("make", "gmake"), re.compile(r"-\w*[npq]\w*")),
    **dict.fromkeys(
        ("gcc", "g++", "clang", "cc", "c++"), re.compile(r"-E|-MM?|-d[DIMNU]+|-dump.*|-print.*|.*-dump(?:=.*)?|-o-|-Q")
    ),
    "rustc": re.compile(r"-Z.*|-o-|-vV"),
    "cmake": re.compile(r"-[EPN]|-LA?H?"),
    "ninja": re.compile(r"-[nt].*"),
    "rake": re.compile(r"-[ADnPTW].*"),
    **dict.fromkeys(("tox", "nox"), re.compile(r"-\w*[al]\w*|[lc]")),
}
TIMED = re.compile(r"bench|perf|profil|duration|criterion|\btim(?:es?|ings?)\b", re.IGNORECASE)


def kind_of(command: str) -> Kind | None:
    """Return the kind of a command's output; None if the output should stay whole, as any part of it may be wanted.

    >>> kind_of("cd web && npm test"), kind_of("cat a.py"), kind_of("pytest; cat log"), kind_of("pytest | tail")
    (Kind(times=False, lists=''), None, None, None)
    """
    kinds: list[Kind] = []
    for program in read_command(command):
        if program.operator in ("|", "|&"):
            if program.name not in PASSING_ON or len(program.words) > 2:
                return None
        elif program.name not in SILENT:
            kind = _kind(program)
            if kind is None:
                return None
            kinds.append(kind)
    if not kinds:
        return None
    lists = {kind.lists for kind in kinds}
    return Kind(bool(TIMED.search(command)), lists.pop() if len(lists) == 1 else "")


def _kind(program: Program) -> Kind | None:
    name, arguments = program.name, program.words[1:]
    if any(_is_for_programs(name, argument) for argument in arguments):
        return None
    if name in KINDS:
        return KINDS[name]
    return LOG if _is_noisy(NOISY.get(name, frozenset()), arguments) else None


def _is_for_programs(program: str, argument: str) -> bool:
    if FOR_PROGRAMS.fullmatch(argument) or (FORMATS.fullmatch(argument) and program not in KINDS):
        return True
    return program in OWN_OPTIONS and bool(OWN_OPTIONS[program].fullmatch(argument))


def _is_noisy(verbs: frozenset[str], arguments: Sequence[str]) -> bool:
    """Tell whether the arguments of a program name one of its noisy subcommands."""
    # Options, versions of tools such as `+nightly`, and assignments are no subcommands.
    words = [word for word in arguments if not word.startswith(("-", "+")) and "=" not in word]
    if not words:
        return bool(verbs & {"*", "-"})
    if "*" in verbs:
        return words[0] not in REPORTS
    if "TASKS" in verbs:
        return all(map(_is_task, words))
    if "TASK" in verbs and words[0] == "run":
        return len(words) > 1 and _is_task(words[1])
    return words[0] in verbs or ("TASK" in verbs and _is_task(words[0]))


def _is_task(name: str) -> bool:
    """Tell whether the name of a script or target stands for a test, a build or another usual task.

    >>> _is_task("build:prod"), _is_task(":app:testDebug"), _is_task("print-config")
    (True, True, False)
    """
    words = re.findall(r"[a-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower())
    return bool(TASKS.intersection(words)) and not REPORTS.intersection(words)
