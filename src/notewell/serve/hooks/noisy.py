"""Which commands write more than anybody asked for; of any other, the output is what was asked for, and stays."""

from __future__ import annotations

from typing import NamedTuple

from notewell.serve.hooks.shell import Piece, read_command


class Kind(NamedTuple):
    """A kind of output: whether its durations are what it is about, and whether its lines have an order."""

    times: bool = False
    in_any_order: bool = False


LOG = Kind()
FILES = Kind(in_any_order=True)
# Dates and sizes are what these are asked for, and their order, too.
LIST = Kind(times=True)

LOGGING = """
pytest py.test tox nox unittest coverage jest vitest mocha ava karma playwright cypress npm pnpm yarn bun deno make
gmake cmake ninja meson bazel gradle gradlew mvn mvnw ant sbt cargo rustc go dotnet msbuild swift xcodebuild gcc g++
clang cc tsc webpack vite rollup esbuild next turbo nx lerna rake bundle gem phpunit composer mix rebar3 pip pip3 uv
poetry pipenv conda mamba apt apt-get dnf yum brew apk pacman docker podman docker-compose buildah kubectl helm
terraform tofu ansible ansible-playbook journalctl dmesg wget rsync eslint prettier ruff mypy pyright flake8 pylint
black isort pre-commit stylelint shellcheck golangci-lint clippy alembic
"""
KINDS: dict[str, Kind] = {
    **dict.fromkeys(LOGGING.split(), LOG),
    **dict.fromkeys(("find", "fd", "fdfind", "rg", "grep", "egrep", "fgrep", "ag", "ack"), FILES),
    **dict.fromkeys(("ls", "tree", "du", "ps"), LIST),
}
# Of these, the second word says what they do.
BY_VERB: dict[str, dict[str, Kind]] = {
    "git": {
        **dict.fromkeys(("clone", "fetch", "pull", "push", "gc", "fsck", "submodule", "lfs"), LOG),
        **dict.fromkeys(("log", "status", "ls-files", "branch", "tag", "reflog", "shortlog"), LIST),
        "grep": FILES,
    },
    "pip": {"list": LIST, "freeze": LIST},
    "pip3": {"list": LIST, "freeze": LIST},
    "npm": {"ls": LIST, "list": LIST},
    "docker": dict.fromkeys(("ps", "images"), LIST),
}
# What these print is asked for, to the last line.
LEFT_ALONE: dict[str, frozenset[str]] = {
    "docker": frozenset(("inspect", "exec")),
    "podman": frozenset(("inspect", "exec")),
    "kubectl": frozenset(("get", "describe", "exec")),
    "terraform": frozenset(("show", "output", "state")),
    "npm": frozenset(("view", "info", "config")),
    "go": frozenset(("doc", "run", "env", "list")),
    "cargo": frozenset(("run", "metadata", "tree")),
    "uv": frozenset(("tree",)),
    "deno": frozenset(("run", "eval")),
    "dotnet": frozenset(("run",)),
    "bun": frozenset(("x",)),
    "pip": frozenset(("show",)),
    "pip3": frozenset(("show",)),
    "ruff": frozenset(("rule", "linter")),
    "coverage": frozenset(("json", "xml")),
}
# These print nothing, or a line.
QUIET = """
cd export source . set unset mkdir rm cp mv touch chmod chown ln pushd popd true : echo printf sleep test [ wait pwd
ulimit umask alias trap exit
"""
SILENT = frozenset(QUIET.split())
# These hand on what they read, or a part of it.
FILTERS = frozenset(("tee", "cat", "head", "tail", "sort", "uniq", "grep", "egrep", "rg"))
# Options after which an output is for programs, or is what was asked for.
FOR_PROGRAMS = frozenset(("--json", "--porcelain", "--format", "--reporter", "--print-config", "--help", "--version"))
OF_PROGRAM = {
    "git": frozenset(("-p", "-u", "--patch", "--pretty", "-z", "-L", "-S", "-G")),
    "find": frozenset(("-exec", "-execdir", "-printf", "-print0", "-delete", "-ls")),
    "grep": frozenset(("-c", "--count", "-o", "-z", "-A", "-B", "-C")),
    "rg": frozenset(("-c", "--count", "-o", "-0", "-A", "-B", "-C", "-r", "--replace")),
}
TIMED = ("bench", "perf", "profil", "time", "duration", "durations", "criterion")


def kind_of(command: str) -> Kind | None:
    """Return the kind of a command's output; none, if any part of it is not known to be noisy.

    >>> kind_of("cd web && npm test"), kind_of("cat a.py"), kind_of("pytest; cat log")
    (Kind(times=False, in_any_order=False), None, None)
    """
    kinds: list[Kind] = []
    for piece in read_command(command):
        if piece.joint.startswith("|") and piece.joint != "||":
            if piece.program not in FILTERS:
                return None
            if piece.program == "sort":
                # Whoever sorts asks for an order.
                kinds = [kind._replace(in_any_order=False) for kind in kinds]
        elif piece.program not in SILENT:
            kind = _kind(piece)
            if kind is None:
                return None
            kinds.append(kind)
    if not kinds:
        return None
    asked = any(word in command.lower() for word in TIMED)
    return Kind(asked or any(kind.times for kind in kinds), all(kind.in_any_order for kind in kinds))


def _kind(piece: Piece) -> Kind | None:
    special = FOR_PROGRAMS | OF_PROGRAM.get(piece.program, frozenset())
    if any(word.partition("=")[0] in special for word in piece.words[1:]):
        return None
    verb = next((word for word in piece.words[1:] if not word.startswith("-")), "")
    if verb in LEFT_ALONE.get(piece.program, ()):
        return None
    verbs = BY_VERB.get(piece.program, {})
    return verbs.get(verb) or KINDS.get(piece.program)
