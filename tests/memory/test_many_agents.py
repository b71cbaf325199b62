"""Several agents at once, each a process: nothing is lost, and nothing is written twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from notewell import Vault
from notewell.files.formats import WRAPPED
from notewell.memory.page import split_page
from notewell.search.sentences import find_blocks, find_sentences

SAMPLE = Path(__file__).parents[2] / "examples" / "vault"
EACH = 15

# Remembers each line of stdin, and says what became of it.
AGENT = """
import json, sys
from notewell import Vault

with Vault.open(sys.argv[1], {"embed.model": "words"}) as vault:
    vault.search("loaded before it begins")
    print("ready", flush=True)
    for line in sys.stdin:
        text = json.loads(line)
        print(json.dumps(vault.remember(text, title="Note").path), flush=True)
"""


def start(program: str, root: Path) -> subprocess.Popen[str]:
    """Start an agent; it waits for input."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n", process.communicate()[1]
    return process


def remembered_by(agents: list[subprocess.Popen[str]], texts: list[list[str]]) -> list[list[str]]:
    """Return the paths that each agent wrote, its texts given to all of them at once."""
    for agent, its in zip(agents, texts, strict=True):
        assert agent.stdin
        agent.stdin.write("".join(f"{json.dumps(text)}\n" for text in its))
        agent.stdin.flush()
    told = [agent.communicate(timeout=300) for agent in agents]
    assert [(agent.returncode, err) for agent, (_, err) in zip(agents, told, strict=True)] == [(0, "")] * len(agents)
    return [[path for line in out.splitlines() if (path := json.loads(line))] for out, _ in told]


def sentences() -> list[str]:
    """Return sentences of the sample vault, at most two of a note, that say different things."""
    chosen = []
    for file in sorted(SAMPLE.rglob("*.md")):
        text = file.read_text(encoding="utf-8").partition("\n---\n")[2]
        units = [unit for block in find_blocks(text, WRAPPED) for unit in find_sentences(text, block)]
        long = [found for unit in units if 60 < len(found := " ".join(text[unit.start : unit.end].split())) < 300]
        chosen += long[:2]
    return chosen


def test_two_agents_that_remember_many_things_at_once_lose_none(allowed: Vault) -> None:
    allowed.index()
    texts = sentences()[: 2 * EACH]
    assert len(texts) == 2 * EACH
    written = remembered_by([start(AGENT, allowed.root) for _ in range(2)], [texts[:EACH], texts[EACH:]])
    assert [len(set(paths)) for paths in written] == [EACH, EACH]
    assert not set(written[0]) & set(written[1])
    pages = [file.read_text(encoding="utf-8") for file in (allowed.root / "Memories").iterdir()]
    assert sorted(split_page(page)[1] for page in pages) == sorted(texts)
    with Vault.open(allowed.root, {"embed.model": "words"}) as vault:
        assert vault.refresh() == ()
        assert vault.store.about().notes == 2 * EACH + 1
        assert vault.doctor().problems == ()


def test_of_agents_that_remember_the_same_at_once_only_one_writes_it(allowed: Vault) -> None:
    allowed.index()
    texts = sentences()[:8]
    written = remembered_by([start(AGENT, allowed.root) for _ in range(2)], [texts] * 2)
    assert sum(map(len, written)) == len(texts)
    pages = [file.read_text(encoding="utf-8") for file in (allowed.root / "Memories").iterdir()]
    assert sorted(split_page(page)[1] for page in pages) == sorted(texts)
