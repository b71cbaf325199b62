"""The plugin for Claude Code says what `notewell hook install` writes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import notewell
from notewell.serve.hooks import EVENTS
from notewell.serve.hooks.wanted import entry, hooks_wanted
from notewell.settings import HookSettings

PLUGINS = Path(__file__).parents[2] / "plugins"
PLUGIN = PLUGINS / "claude-code"


def read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def test_the_plugin_has_the_hooks_that_are_installed() -> None:
    tools = HookSettings().tools
    expected = {event: [entry(name, f"notewell hook {name}", tools)] for name, event in EVENTS.items()}
    assert read(PLUGIN / "hooks" / "hooks.json")["hooks"] == expected
    assert list(hooks_wanted(None, list(EVENTS))) == list(expected)


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


def test_the_plugin_runs_the_server_for_mcp() -> None:
    assert read(PLUGIN / ".mcp.json") == {"mcpServers": {"notewell": {"command": "notewell", "args": ["mcp"]}}}
