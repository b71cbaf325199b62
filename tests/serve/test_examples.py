"""Every fenced block of the docs is run, or checked as far as can be, or listed here with the reason why not."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click
import pytest
from tests.cases import cases

from .serving import serving

if TYPE_CHECKING:
    from notewell import Vault

ROOT = Path(__file__).parents[2]
# What is under docs/reference comes from the code itself, and `cog --check` compares it.
GUIDES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent.name != "reference"]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *GUIDES, *sorted((ROOT / "plugins").glob("*/*.md"))]
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE)
# Run, with their output or their asserts, by tests/test_docs.py, on these pages.
RUN_ELSEWHERE, RUN_ON = ("console", "python"), (ROOT / "README.md", *GUIDES)
# Lines of a shell that are not run, by how they begin. What of ours they name is checked all the same.
NOT_RUN = {
    r"pip install|hf download|ollama pull|git clone": "they load from the network",
    r"make\b": "it runs this very test, among others; that its words exist is checked",
    r"python -m bench": "it takes minutes, and data that is not in the repository",
    r"(claude|codex|gemini) (mcp (add|remove)|plugin install)": "they are programs of others, which need not be here",
    r"pip uninstall": "it would remove what is tested",
    r"cp plugins/obsidian/": "it needs a clone; tests/serve/test_obsidian_plugin.py has these files",
    r"git diff": "it needs a repository with something staged",
    r"notewell (serve(?! --new-token)|mcp)\b": "they end when they are told to; their own tests run them",
    r"notewell server nodes": "it needs servers of its own; tests/store/test_postgres_nodes.py has four",
    r"export NOTEWELL_EMBED_\w+=": "it names a server that is not here",
    r"notewell apply-renames": "it changes notes that have these tags; tests/serve/test_command_tags.py runs it",
    r"notewell (review|promote|intake)": "it is off in the sample vault; tests/curate and tests/crash run it",
    r"notewell tune": "the sample vault is too small; tests/measure/test_tune.py tunes one",
    r"notewell eval --golden --": "it needs golden queries; tests/measure/test_golden.py runs both",
    r"notewell verify answer\.md": "it reads an answer of yours; tests/serve/test_command_ask.py checks one",
}
# After these, `notewell` is the name of a folder, or of a server.
NAMING = ("cd", "add", "http", "install", "user")
# Blocks that are neither commands nor settings, by their beginning.
SHOWN = {
    "WRITE  folder ─walk→": "the flow, drawn",
    "vault.py > Vault > search": "headings that chunks of code have",
    "export DB_PASSWORD=[REDACTED": "a line without its secret",
    "# Sourdough (2025-01-25)": "a conversation as it is read",
    "Search my notes (notewell)": "a sentence to paste for a model",
    "Notes that may be relevant to this prompt": "what a hook adds; tests/serve/test_hook_prompt.py reads a real one",
    "encoder   all-MiniLM-L6-v2": "a line of `notewell status` during encoding",
    "notes() {": "a function for a shell, with fzf, which need not be here",
    "$ notewell index\n59 notes, 259 chunks": "a transcript of `make ask-real`, with a model that is not here",
    "## Tags\n\n- [x]": "a line of the review queue; tests/curate/test_promote.py writes one",
    "- #garden: what grows": "a taxonomy; tests/curate/test_taxonomy.py reads one",
    'notewell search "why did the bread collapse" --rerank': "it needs a model; tests/embed/test_rerank.py has one",
    "[[query]]": "a golden query; tests/measure/test_golden.py reads some",
    "search.vector_weight     0.25": "what `notewell tune` prints for a vault that is not here",
    '$ notewell search "what did Tomasz build"': "what stderr says; tests/entities/test_vault_entities.py reads one",
    "-- As the owner of the database": "SQL for a server; tests/store/test_postgres_access.py runs it",
    "---\ntype: memory": "a memory; tests/memory writes real ones",
}


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str
    indent: str

    @property
    def is_known(self) -> bool:
        """Whether a test runs it, or checks what it says."""
        if self.language in RUN_ELSEWHERE:
            return self.page in RUN_ON and not self.indent
        return self.language in ("sh", "toml", "json") or self.text.startswith(tuple(SHOWN))

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"


def fenced(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        yield Block(page, text.count("\n", 0, found.start()) + 1, found["language"], found["text"], found["indent"])


BLOCKS = [block for page in PAGES for block in fenced(page)]


def written_as(*languages: str) -> list[Block]:
    return [block for block in BLOCKS if block.language in languages]


def commands(block: Block) -> list[str]:
    """Return the lines of a block for the shell."""
    return [line.strip() for line in block.text.splitlines() if line.strip()]


def runnable(block: Block) -> list[str]:
    """Return those lines that can be run here."""
    lines = [line for line in commands(block) if not line.startswith("curl ")]
    return [line for line in lines if not any(re.match(begun, line) for begun in NOT_RUN)]


def test_every_block_is_run_or_checked_or_listed() -> None:
    left = [block for block in BLOCKS if not block.is_known]
    assert not left, f"neither run nor listed: {', '.join(map(str, left))}"


def test_every_fence_of_a_page_is_seen() -> None:
    fences = sum(len(re.findall(r"^ *```", page.read_text(encoding="utf-8"), re.MULTILINE)) for page in PAGES)
    assert fences == 2 * len(BLOCKS)


def test_nothing_is_listed_that_is_not_there() -> None:
    shown = [block.text for block in BLOCKS]
    assert [begun for begun in SHOWN if not any(text.startswith(begun) for text in shown)] == []
    lines = [line for block in written_as("sh") for line in commands(block)]
    assert [begun for begun in NOT_RUN if not any(re.match(begun, line) for line in lines)] == []


@pytest.mark.parametrize("block", written_as("toml"), ids=str)
def test_settings_of_a_page_are_settings(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from notewell.config import load_settings  # noqa: PLC0415

    if servers := tomllib.loads(block.text).get("mcp_servers"):
        check_servers(servers)
        return
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    # Where stores lie, and which model reranks, is said in the user's own file, and the page says so.
    told = tomllib.loads(block.text)
    is_users = "rerank" in told or {"folder", "url"} & told.get("store", {}).keys()
    file = tmp_path / ("home/.config/notewell" if is_users else "") / "notewell.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(block.text, encoding="utf-8")
    assert load_settings(tmp_path, {}, {})


@cases("block", written_as("json"))
def test_json_of_a_page_names_what_there_is(block: Block) -> None:
    ((kind, told),) = json.loads(block.text).items()
    if kind == "hooks":
        check_hooks(told)
    elif kind == "permissions":
        check_tools(told["allow"])
    else:
        check_servers(told)


@cases("block", written_as("sh"))
def test_commands_of_a_page_exist_with_their_options(block: Block) -> None:
    for line in commands(block):
        # Another program may end with our name: `pip uninstall notewell`.
        for words in filter(None, ours_in(line)):
            check_command(words)
        for word in re.findall(r"^make ([\w-]+)", line):
            assert f"\n{word}:" in (ROOT / "Makefile").read_text(encoding="utf-8"), line
        for extra in re.findall(r"^pip install .*\[(\w+)\]", line):
            assert extra in project()["optional-dependencies"], line


@pytest.mark.parametrize("block", [block for block in written_as("sh") if runnable(block)], ids=str)
def test_commands_of_a_page_run(block: Block, home: Path) -> None:
    for line in runnable(block):
        code, _, err = run(line.replace("/home/ada", str(home)), home)
        assert code == 0, f"{line}\n{err}"
        assert "error:" not in err, f"{line}\n{err}"


def test_what_curl_asks_for_on_a_page_is_answered(vault: Vault) -> None:
    from notewell.vault import Vault  # noqa: PLC0415

    asked = [line for block in written_as("sh") for line in commands(block) if line.startswith("curl ")]
    assert asked
    # Without the encoder, which takes longer to load than all answers.
    with serving(Vault.open(vault.root, {"embed.encoder": "off"})) as served:
        for line in asked:
            *options, address = shlex.split(line)[1:]
            given = {name: value for name, value in pairwise(options) if name in ("-X", "-d", "-H")}
            headers = dict([given["-H"].split(": ")]) if "-d" in given else {}
            method, body = given.get("-X", "POST" if "-d" in given else "GET"), given.get("-d", "").encode() or None
            parts = urlsplit(address)
            reply = served.ask(f"{parts.path}?{parts.query}", headers, method=method, body=body)
            assert reply.status == 200, f"{line}\n{reply.body!r}"


@pytest.fixture(scope="module")
def prepared_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose notes are the sample vault, indexed and read from, and a small judged collection."""
    home = tmp_path_factory.mktemp("home")
    notes = shutil.copytree(ROOT / "examples/vault", home / "notes", ignore=shutil.ignore_patterns(".notewell"))
    (home / ".local/share/bash-completion/completions").mkdir(parents=True)
    judged = notes / "path/to/beir/scifact"
    (judged / "qrels").mkdir(parents=True)
    (judged / "corpus.jsonl").write_text('{"_id": "1", "title": "Bread", "text": "Rye needs a sour dough."}\n')
    (judged / "queries.jsonl").write_text('{"_id": "q", "text": "what does rye need"}\n')
    (judged / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq\t1\t1\n")
    for line in ("notewell index", "notewell read Home.md"):
        assert run(line, home)[0] == 0
    return home


@pytest.fixture
def home(prepared_home: Path, tmp_path: Path) -> Path:
    """A home of the test's own: one page deletes the store that the commands of another need."""
    return shutil.copytree(prepared_home, tmp_path / "home", symlinks=True)


def run(line: str, home: Path) -> tuple[int, str, str]:
    """Run a line where the notes are, with nothing of the person who runs the tests."""
    sys.path.insert(0, str(ROOT / "docs"))
    import console  # noqa: PLC0415

    ours = {name: value for name, value in os.environ.items() if not name.startswith(("NOTEWELL_", "XDG_"))}
    # Without the encoder: loading it takes longer than all that a command does.
    quick = {"NOTEWELL_EMBED_ENCODER": "off", "NOTEWELL_EMBED_BACKGROUND": "no", "NOTEWELL_DAEMON": "no"}
    settings = {**quick, "XDG_RUNTIME_DIR": str(home)}
    return console.run_line(line, home / "notes", {**ours, **settings, "HOME": str(home)})


def ours_in(line: str) -> Iterator[list[str]]:
    """Yield the arguments of each `notewell` that a line runs, up to what ends a command."""
    if line.startswith("gemini "):
        # What follows it there is handed over as if it did not stand there.
        line = line.replace(" -- ", " ")
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    every = list(words)
    for place, word in enumerate(every):
        if word == "notewell" and every[max(0, place - 1)] not in NAMING:
            after = every[place + 1 :]
            ends = [number for number, one in enumerate(after) if one in ("|", ">", ";", "&&")]
            yield after[: min(ends, default=len(after))]


def check_servers(servers: dict[str, Any]) -> None:
    for server in servers.values():
        # Opencode has both in one.
        command = server["command"] if isinstance(server["command"], list) else [server["command"], *server["args"]]
        assert command[0] == "notewell"
        check_command(command[1:])


def check_hooks(hooks: dict[str, Any]) -> None:
    from notewell.serve.hooks import EVENTS  # noqa: PLC0415
    from notewell.serve.hooks.install import is_ours  # noqa: PLC0415

    for event, entries in hooks.items():
        for hook in (hook for entry in entries for hook in entry["hooks"]):
            assert is_ours(hook)
            _, group, name, *options = shlex.split(hook["command"])
            assert (group, EVENTS[name]) == ("hook", event)
            check_command([group, name, *options])


def check_tools(allowed: list[str]) -> None:
    """See that there are the tools that a page lets a model use, as Claude Code calls them."""
    from notewell.serve.mcp.tools import TOOLS  # noqa: PLC0415

    assert {name.removeprefix("mcp__notewell__") for name in allowed} <= {tool.name for tool in TOOLS}


def check_command(words: Sequence[str]) -> None:
    """Read the words as the command line does; one that it does not know raises."""
    from notewell.serve.cli import SWITCHES, cli  # noqa: PLC0415

    name, *given = [word for word in words if word not in SWITCHES]
    command = cli.get_command(None, name)  # type: ignore[arg-type]
    assert command is not None, f"there is no command {name}"
    context = command.make_context(name, given)
    if isinstance(command, click.Group):
        part, found, left = command.resolve_command(context, given)
        assert found is not None
        found.make_context(part, left)


def project() -> dict[str, Any]:
    data: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return data
