"""The page on uninstalling names every place that the code writes to, and no module writes unnoticed."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import notewell
from notewell.files.user import state_folder, user_folder
from notewell.serve.cli.completion import HOMES
from notewell.serve.daemon import wire
from notewell.serve.hooks.install import settings_files
from notewell.store.opened import store_file

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/guides/uninstall.md").read_text(encoding="utf-8")
PACKAGE = Path(notewell.__file__).parent
# Functions that create files or folders.
WRITE = {"write_private", "write_whole", "private_folder", "mkdir", "write_text", "write_bytes", "touch", "held"}
WRITE |= {"TemporaryDirectory", "mkdtemp", "copy_to", "overwrite_private"}
# Who calls them, and what the page calls it; of an empty string, nothing outlives the command.
WRITERS = {
    "chat/sessions.py": "chats",
    "curate/intake.py": "the log of curating and intake",
    "curate/intake_log.py": "the log of curating and intake",
    "curate/journal.py": "the log of curating and intake",
    "curate/promote.py": "the log of curating and intake",
    "curate/queue_file.py": "the log of curating and intake",
    "domains/across.py": "links between domains",
    "domains/sort.py": "the domain of each note",
    "entities/file.py": "entities",
    "files/folder.py": "memories",
    "files/walk_ahead.py": "and their rules",
    "files/user.py": "state",
    "files/safe_open.py": "state",
    "freshness.py": "state",
    "index/last_walk.py": "digests of folders",
    "index/lent.py": "",
    "index/prepare.py": "",
    "index/watch.py": "",
    "index/wishes.py": "the chunks to encode next",
    "index/workers.py": "",
    "measure/evaluate.py": "",
    "measure/hiding.py": "",
    "measure/tune.py": "weights from before tuning",
    "memory/__init__.py": "memories",
    "serve/background.py": "the pause",
    "serve/cli/graph.py": "graph --svg",
    "serve/connect/__init__.py": "files that connecting agents created",
    "serve/daemon/control.py": "state",
    "serve/daemon/loopback.py": "the daemon's socket",
    "serve/daemon/process.py": "the daemon's socket",
    "serve/file_change.py": "the settings of each agent",
    "serve/last_search.py": "your last search",
    "serve/own_server.py": "notewell server",
    "serve/hooks/after.py": "saved output of tools",
    "serve/hooks/install.py": "copies of Claude Code's settings",
    "serve/hooks/log.py": "the log of hooks",
    "serve/hooks/sessions.py": "the passages that sessions were shown",
    "serve/hooks/vaults.py": "state",
    "serve/http/access.py": "the token of the server",
    "session.py": "recently read notes",
    "store/joined.py": "the store of a vault",
    "store/opened.py": "notewell backup",
    "store/partial.py": "the rest of a killed backup",
    "store/postgres/opened.py": "stores in a PostgreSQL database",
    "store/postgres/store.py": "stores in a PostgreSQL database",
    "store/sqlite/__init__.py": "the store of a vault",
    "store/sqlite/place.py": "the store of a vault",
}


def test_the_page_names_every_place() -> None:
    home = Path("~")
    places = [str(folder({}, home)) for folder in (user_folder, state_folder)]
    places += [store_file(Path("notes"), "", "").relative_to("notes").parts[0]]
    places += [path for told in HOMES.values() for path in re.findall(r"~\S+", told)]
    assert [place for place in places if place not in PAGE] == []


def test_the_page_names_the_places_that_depend_on_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    assert f"~/{settings_files()['user'].relative_to(tmp_path)}" in PAGE
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert f"$XDG_RUNTIME_DIR/{Path(wire.socket_folder()).name}/" in PAGE


def test_no_module_writes_what_the_page_does_not_name() -> None:
    found = {str(file.relative_to(PACKAGE)) for file in PACKAGE.rglob("*.py") if writes(file)}
    assert found == WRITERS.keys()
    assert [name for name in WRITERS.values() if name not in PAGE] == []


def writes(file: Path) -> bool:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(getattr(call, "attr", getattr(call, "id", "")) in WRITE for call in calls)
