"""Has real agents search a vault after `notewell connect`, with a scripted model on loopback instead of theirs.

Usage: python deploy/check_agents.py FOLDER, where `npm install` put Claude Code, Codex, Gemini CLI and opencode.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from scripted_model import ScriptedModel

ROOT = Path(__file__).parents[1]
NOTEWELL = Path(sys.executable).parent / "notewell"
QUERY = "why does my loaf spread flat"
# In the answer that the agent hands to the model, and nowhere else.
FOUND = "Sourdough handbook.md"
ASK = "Search my notes."
# Agents start slowly; the limit only ends a hang.
LONGEST = 300


class Agent(NamedTuple):
    """An agent: its program, and how it is run with a model at an address."""

    program: str
    prepare: Callable[[Path, str], Mapping[str, str]]
    words: Sequence[str]


def _claude(home: Path, url: str) -> Mapping[str, str]:
    # On a busy machine, the server may need more than the half minute that it usually has to start.
    limit = {"MCP_TIMEOUT": str(LONGEST * 1000)}
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", **quiet, **limit}


def _codex(home: Path, url: str) -> Mapping[str, str]:
    settings = home / ".codex" / "config.toml"
    provider = f'[model_providers.scripted]\nname = "scripted"\nbase_url = "{url}/v1"\nwire_api = "responses"\n'
    top = 'model = "scripted"\nmodel_provider = "scripted"\n\n'
    settings.write_text(top + settings.read_text("utf-8") + "\n" + provider, "utf-8")
    return {}


def _gemini(home: Path, url: str) -> Mapping[str, str]:
    settings = home / ".gemini" / "settings.json"
    value = json.loads(settings.read_text("utf-8"))
    # With an address alone, it would look for a gateway.
    value["security"] = {"auth": {"selectedType": "gemini-api-key"}}
    settings.write_text(json.dumps(value), "utf-8")
    return {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "none", "GEMINI_CLI_TRUST_WORKSPACE": "true"}


def _opencode(home: Path, url: str) -> Mapping[str, str]:
    settings = home / ".config" / "opencode" / "opencode.json"
    value = json.loads(settings.read_text("utf-8"))
    options = {"baseURL": f"{url}/v1", "apiKey": "none"}
    models = {"scripted": {"name": "scripted", "tool_call": True}}
    value["provider"] = {"scripted": {"npm": "@ai-sdk/openai-compatible", "options": options, "models": models}}
    settings.write_text(json.dumps(value), "utf-8")
    return {}


AGENTS: Mapping[str, Agent] = {
    "claude-code": Agent("claude", _claude, ["-p", ASK, "--allowedTools", "mcp__notewell__search"]),
    "codex": Agent(
        "codex", _codex, ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", ASK]
    ),
    "gemini": Agent("gemini", _gemini, ["-p", ASK, "--yolo", "-m", "gemini-2.5-pro"]),
    "opencode": Agent("opencode", _opencode, ["run", "-m", "scripted/scripted", ASK]),
}


def run(words: Sequence[str | Path], home: Path, more: Mapping[str, str] = MappingProxyType({})) -> str:
    """Run a command as a user with nothing but this home, and return what it printed."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TERM") if name in os.environ}
    environment = {**kept, "HOME": str(home), "NOTEWELL_DAEMON": "no", "NOTEWELL_EMBED_ENCODER": "off", **more}
    done = subprocess.run(
        list(map(str, words)),
        cwd=home,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )
    return done.stdout + (done.stderr if done.returncode else "")


def check(name: str, programs: Path, home: Path) -> tuple[str, str]:
    """Return an agent's version, and what went wrong; empty if it searched and could be disconnected."""
    shutil.copytree(ROOT / "examples" / "vault", home / "notes", ignore=shutil.ignore_patterns(".notewell"))
    run([NOTEWELL, "index", "--vault", home / "notes"], home)
    run([NOTEWELL, "connect", name, "--vault", home / "notes", "--yes"], home)
    agent = AGENTS[name]
    version = run([programs / agent.program, "--version"], home).strip().splitlines()[-1]
    with ScriptedModel(QUERY) as model:
        said = run([programs / agent.program, *agent.words], home, agent.prepare(home, model.url))
        if not any(FOUND in asked for asked in model.asked):
            return version, f"it did not search\n{said}"
    # By now the agent may have written its settings anew.
    if vault_of(name, home) != str(home / "notes"):
        return version, "it is not listed as connected"
    said = run([NOTEWELL, "connect", name, "--undo", "--yes"], home)
    return version, f"it is still connected\n{said}" if vault_of(name, home) else ""


def vault_of(name: str, home: Path) -> str:
    """Return the vault to which an agent is connected."""
    listed = json.loads(run([NOTEWELL, "connect", "--list", "--json"], home))
    (vault,) = (one["vault"] for one in listed if one["client"] == name)
    return str(vault)


def main(programs: Path, names: Sequence[str]) -> int:
    """Check agents, and return how many failed."""
    failed = 0
    for name in names or AGENTS:
        with tempfile.TemporaryDirectory() as made:
            version, problem = check(name, programs, Path(made).resolve())
        print(f"{name:<12} {version:<24} {problem or 'connected, searched, disconnected'}")
        failed += bool(problem)
    return failed


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve() / "node_modules" / ".bin", sys.argv[2:]))
