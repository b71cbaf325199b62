"""The plugin for Obsidian, tested by Node against a real `notewell serve`, and its bundle."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import notewell

PLUGIN = Path(__file__).parents[2] / "plugins" / "obsidian"
# A hang of Node; its own tests end before.
LONGEST = 600
needs_node = pytest.mark.skipif(
    shutil.which("npm") is None or not (PLUGIN / "node_modules" / ".made").exists(),
    reason="the plugin for Obsidian needs Node 20 and npm; `make test` sets it up where they are",
)


def run(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the plugin as a user without any state, and without the daemon."""
    program = shutil.which("notewell", path=str(Path(sys.executable).parent))
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("XDG_")},
        "HOME": str(tmp_path),
        "NOTEWELL": str(program),
        "NOTEWELL_DAEMON": "no",
        "TMPDIR": str(tmp_path),
    }
    npm = str(shutil.which("npm"))
    return subprocess.run(
        [npm, "run", "--silent", *words], cwd=PLUGIN, env=environment, capture_output=True, text=True, timeout=LONGEST
    )


@needs_node
def test_the_plugin_works_with_a_real_server(tmp_path: Path) -> None:
    done = run(tmp_path, "test")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout


@needs_node
def test_the_committed_bundle_is_what_its_source_builds(tmp_path: Path) -> None:
    done = run(tmp_path, "check")
    assert done.returncode == 0, done.stderr


@needs_node
def test_make_lints_and_checks_the_plugin_where_node_is() -> None:
    make = shutil.which("make")
    if make is None:
        pytest.skip("make is not installed")
    done = subprocess.run([make, "-n", "lint", "types"], cwd=PLUGIN.parents[1], capture_output=True, text=True)
    assert "npm run --silent lint" in done.stdout and "npm run --silent types" in done.stdout


def test_the_plugin_is_of_this_version_and_its_lock_names_no_registry() -> None:
    manifest = json.loads((PLUGIN / "manifest.json").read_text("utf-8"))
    package = json.loads((PLUGIN / "package.json").read_text("utf-8"))
    lock = json.loads((PLUGIN / "package-lock.json").read_text("utf-8"))
    versions = json.loads((PLUGIN / "versions.json").read_text("utf-8"))
    assert {manifest["version"], package["version"], lock["version"]} == {notewell.__version__}
    assert versions[notewell.__version__] == manifest["minAppVersion"]
    assert not any("resolved" in one for one in lock["packages"].values())
    assert all("integrity" in one for name, one in lock["packages"].items() if name)
