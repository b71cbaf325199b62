"""Which commands write more than anybody asked for; of any other, the output is what was asked for, and stays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from notewell.extract.shell import FINDS, GREPS, Piece, read_command


class Kind(NamedTuple):
    """A kind of output: whether its durations are what it is about, and what each line names if it is a list."""

    times: bool = False
    # `names` of files, or `matches` in files; names that are only put in order are `sorted`; nothing for a log.
    lists: str = ""


LOG = Kind()
NAMES, MATCHES, SORTED = Kind(lists="names"), Kind(lists="matches"), Kind(lists="sorted")

# Programs and what they do that is noisy: tests, builds, installs. A dash is for no word at all, a star for any; where
# words are names that somebody gave, as scripts of package.json and targets are, each has to tell of one of TASKS.
# Linters are not here, since each line is a finding; nor is what shows logs, lists what there is or runs a program.
NOISY = """
pytest py.test unittest tox nox jest mocha ava karma phpunit rspec: *
vitest: - run
playwright: test install
cypress: run install
npm pnpm yarn bun: - install i ci add update upgrade up remove uninstall rebuild dedupe test t TASK
turbo nx lerna: TASK
make gmake rake ninja gradle gradlew mvn mvnw ant sbt bazel xcodebuild msbuild mix: - TASKS
cmake gcc g++ clang cc c++ rustc tsc webpack: *
meson: setup compile test install
vite next: build
cargo: build b check c test t bench clippy doc install update fetch
go: build test vet install get generate
dotnet: build test restore publish pack
swift: build test
deno: test cache
pip pip3: install download uninstall wheel
uv: sync lock add remove build
poetry pipenv pdm: install update add remove build lock sync
conda mamba: install create update remove
apt apt-get dnf yum apk: install update upgrade remove
brew: install update upgrade
gem bundle: install update
composer: install update require
docker podman: build pull push
docker-compose: build pull up
terraform tofu: init
ansible-playbook: *
git: clone fetch pull push gc
"""
NAMED = """
all test tests check build compile bundle dist e2e unit integration ci coverage install deps clean
bench benchmark docs doc package pack assemble verify prepare setup bootstrap vendor image images release
"""
TASKS = frozenset(NAMED.split())
# With one of these beside it, what is printed is what was asked for.
PRINTING = """
print show list dump help info tree version versions notes changelog status diff log logs report stats env vars targets
config query describe explain names
"""
TELLING = frozenset(PRINTING.split())
KINDS: dict[str, Kind] = {**dict.fromkeys(FINDS, NAMES), **dict.fromkeys(GREPS, MATCHES)}
# These print nothing, or a line.
QUIET = """
cd export source . set unset mkdir rm cp mv touch chmod chown ln pushd popd true : echo printf sleep test [ wait pwd
ulimit umask alias trap exit
"""
SILENT = frozenset(QUIET.split())
# These hand on all that they read; of what another picks out, every line was asked for.
HANDING_ON = frozenset(("tee", "cat"))
# Options after which an output is for programs, or is what was asked for; a dash alone is for stdout.
FOR_PROGRAMS = re.compile(
    r"--(?:json|porcelain|format|output|output-format|message-format|reporter|template|jq|null|print.*|show.*|list.*|"
    r"dry-run|co|collect-only|fixtures.*|markers|setup-.*|explain.*|trace.*|type-list|dump.*|syntax-check|help|version|"
    r"count|only-matching|files-with-matches|replace|(?:after-|before-)?context|no-filename|passthru|exec|patch|"
    r"system-information|tap)(?:=.*)?|-json|-h|-help|-version|-V|-"
)
FORMATS = re.compile(r"(?:.*=|-o)?(?:json.*|ya?ml|xml|csv|tsv|ndjson|sarif|junit|html|wide|name|go-template.*)")
# The same of single programs: one letter, alone or among others, or words.
ASKING = {
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


def _table(lines: str) -> dict[str, frozenset[str]]:
    """Return for each program what it does that is noisy.

    >>> _table("pip pip3: install")["pip3"]
    frozenset({'install'})
    """
    rows = (line.split(":") for line in lines.strip().split("\n"))
    return {program: frozenset(verbs.split()) for programs, verbs in rows for program in programs.split()}


VERBS = _table(NOISY)


def kind_of(command: str) -> Kind | None:
    """Return the kind of a command's output; none, if any part of it is not known to be noisy.

    >>> kind_of("cd web && npm test"), kind_of("cat a.py"), kind_of("pytest; cat log"), kind_of("pytest | tail")
    (Kind(times=False, lists=''), None, None, None)
    """
    kinds: list[Kind] = []
    for piece in read_command(command):
        if piece.joint.startswith("|") and piece.joint != "||":
            if piece.program not in HANDING_ON or len(piece.words) > 2:
                return None
        elif piece.program not in SILENT:
            kind = _kind(piece)
            if kind is None:
                return None
            kinds.append(kind)
    if not kinds:
        return None
    asked = bool(TIMED.search(command))
    lists = {kind.lists for kind in kinds}
    return Kind(asked, lists.pop() if len(lists) == 1 else "")


def _kind(piece: Piece) -> Kind | None:
    words = piece.words[1:]
    if any(_is_for_programs(piece.program, word) for word in words):
        return None
    if piece.program in KINDS:
        return KINDS[piece.program]
    return LOG if _is_noisy(VERBS.get(piece.program, frozenset()), words) else None


def _is_for_programs(program: str, word: str) -> bool:
    if FOR_PROGRAMS.fullmatch(word) or (FORMATS.fullmatch(word) and program not in KINDS):
        return True
    return program in ASKING and bool(ASKING[program].fullmatch(word))


def _is_noisy(verbs: frozenset[str], words: Sequence[str]) -> bool:
    """Tell whether the words of a program are among what it does that is noisy."""
    # Versions of tools, such as `+nightly`, and assignments are no verbs.
    told = [word for word in words if not word.startswith(("-", "+")) and "=" not in word]
    if not told:
        return bool(verbs & {"*", "-"})
    if "*" in verbs:
        return told[0] not in TELLING
    if "TASKS" in verbs:
        return all(map(_is_task, told))
    if "TASK" in verbs and told[0] == "run":
        return len(told) > 1 and _is_task(told[1])
    return told[0] in verbs or ("TASK" in verbs and _is_task(told[0]))


def _is_task(name: str) -> bool:
    """Tell whether a name that somebody gave tells of a test, a build or the like.

    >>> _is_task("build:prod"), _is_task(":app:testDebug"), _is_task("print-config")
    (True, True, False)
    """
    parts = re.findall(r"[a-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower())
    return bool(TASKS.intersection(parts)) and not TELLING.intersection(parts)
