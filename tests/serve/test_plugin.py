"""The plugin for Claude Code says what `notewell hook install` writes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import notewell
from notewell.config.sections import HookSettings
from notewell.serve.hooks import EVENTS
from notewell.serve.hooks.install import entries_for, entry

PLUGINS = Path(__file__).parents[2] / "plugins"
PLUGIN = PLUGINS / "claude-code"
# The vault that was named when the plugin was installed. Claude Code puts it there, into arguments only: it refuses
# to put it into a line for a shell.
VAULT = ("--vault", "${user_config.vault}")


def read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def test_the_plugin_has_the_hooks_that_are_installed() -> None:
    tools = HookSettings().tools
    expected = {event: entry(name, "notewell", tools) for name, event in EVENTS.items()}
    for name, event in EVENTS.items():
        expected[event]["hooks"][0]["args"] = ["hook", name, *VAULT]
    assert read(PLUGIN / "hooks" / "hooks.json")["hooks"] == {event: [hook] for event, hook in expected.items()}
    assert list(entries_for(None, list(EVENTS))) == list(expected)


def test_the_plugin_is_of_this_version_and_named_as_its_marketplace_says() -> None:
    plugin, market = (
        read(PLUGIN / ".claude-plugin" / "plugin.json"),
        read(PLUGINS / ".claude-plugin" / "marketplace.json"),
    )
    assert plugin["version"] == notewell.__version__
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", plugin["name"])
    (listed,) = market["plugins"]
    assert listed["name"] == plugin["name"]
    assert (PLUGINS / listed["source"] / ".claude-plugin" / "plugin.json").is_file()


def test_the_plugin_runs_the_server_for_mcp_on_the_vault_that_was_named() -> None:
    server = {"command": "notewell", "args": ["mcp", *VAULT]}
    assert read(PLUGIN / ".mcp.json") == {"mcpServers": {"notewell": server}}


def test_the_plugin_asks_for_a_vault_and_does_nothing_without() -> None:
    # Without one, the server would take the project for a vault, and index it.
    asked = read(PLUGIN / ".claude-plugin" / "plugin.json")["userConfig"]
    assert asked["vault"]["required"] is True
    assert asked["vault"]["type"] == "directory"
