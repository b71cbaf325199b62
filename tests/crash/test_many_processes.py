"""Many readers beside one writer, and two writers: no error, no impossible state, and a clear message."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from notewell import Vault
from notewell.errors import StoreBusy

MakeVault = Callable[..., Vault]

READERS = 8
# Rounds of writing, at least; it ends when every reader has seen this many of the states.
ROUNDS, STATES = 6, 3

# Every round all of these notes carry the same number: one batch, so nobody may ever see two.
PAIRS = 12
FILLER = 60

# Forks the readers; each says when it is ready, when it has seen enough, and in the end what it has seen.
READER = f"""
import json, os, re, sys
from pathlib import Path
from notewell import Vault

root, pairs = sys.argv[1], int(sys.argv[2])
for number in range({READERS}):
    if not os.fork():
        break
else:
    sys.exit(max(os.waitstatus_to_exitcode(os.wait()[1]) for _ in range({READERS})))

def say(**told):
    os.write(1, (json.dumps({{"reader": number, **told}}) + "\\n").encode())

searches, numbers, torn, said = 0, set(), [], False
with Vault.open(root, {{"embed.model": "words"}}) as vault:
    say(ready=True)
    while not Path(root, "enough").exists():
        results = vault.search("pair carries number", limit=50)
        seen = set()
        for hit in results:
            if hit.path.startswith("pair"):
                seen.update(re.findall(r"number(\\d+)", hit.text))
                if hit.excerpt.text not in hit.text:
                    torn.append(f"{{hit.excerpt.text!r}} is not in {{hit.text!r}}")
        if len(seen) > 1 or (seen and sum(hit.path.startswith("pair") for hit in results) != pairs):
            torn.append(f"{{sorted(seen)}} in generation {{results.generation}}, {{len(results)}} hits")
        numbers |= seen
        searches += 1
        if len(numbers) >= {STATES} and not said:
            said = True
            say(enough=True)
say(searches=searches, torn=torn[:5])
os._exit(0)
"""

# Forks processes that all index the vault at once.
MAKERS = f"""
import os, sys
from notewell import Vault

for _ in range({READERS}):
    if not os.fork():
        with Vault.open(sys.argv[1], {{"embed.model": "words"}}) as vault:
            os.write(1, f"{{vault.index(wait=600).added}}\\n".encode())
        os._exit(0)
sys.exit(max(os.waitstatus_to_exitcode(os.wait()[1]) for _ in range({READERS})))
"""

HOLDER = """
import sys
from notewell import Vault

with Vault.open(sys.argv[1], {"embed.model": "words"}) as vault, vault.store.locked(wait=0):
    print("held", flush=True)
    sys.stdin.read()
"""


def write_round(root: Path, number: int) -> None:
    """Give every note of the pair the same new number, and let other notes come, go and change their names."""
    for pair in range(PAIRS):
        (root / f"pair {pair}.md").write_text(f"# Pair {pair}\n\nThis pair carries number{number}, and so do all.\n")
    here, there = (root / "even", root / "odd") if number % 2 else (root / "odd", root / "even")
    if here.exists():
        here.rename(there)
    extra = root / f"extra {number % 5}.md"
    if extra.exists():
        extra.unlink()
    else:
        extra.write_text(f"# Extra\n\nA zebra of round {number} grazes here.\n")


def test_eight_readers_never_see_a_torn_state_while_a_writer_writes(make_vault: MakeVault) -> None:
    files = {f"even/{number}.md": f"# {number}\n\nThe hive of number {number} hums.\n" for number in range(FILLER)}
    vault = make_vault(files)
    write_round(vault.root, 0)
    vault.index()
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", READER, str(vault.root), str(PAIRS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as readers:
        assert readers.stdout
        said: list[dict[str, Any]] = [json.loads(readers.stdout.readline()) for _ in range(READERS)]
        assert [one["ready"] for one in said] == [True] * READERS
        listening = threading.Thread(target=lambda: said.extend(map(json.loads, readers.stdout or ())))
        listening.start()
        rounds = 0
        while listening.is_alive() and (rounds < ROUNDS or sum("enough" in one for one in said) < READERS):
            rounds += 1
            write_round(vault.root, rounds)
            # Now and then a full run: built beside the store, and put in its place while others read.
            vault.index(full=rounds % 5 == 0)
        (vault.root / "enough").touch()
        listening.join()
    assert readers.returncode == 0
    assert [one["torn"] for one in said if "torn" in one] == [[]] * READERS
    assert vault.doctor().problems == ()


@contextmanager
def holder(root: Path) -> Iterator[subprocess.Popen[str]]:
    """Let another process hold the lock."""
    command = [sys.executable, "-c", HOLDER, str(root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        yield process


def test_a_second_writer_waits_and_is_then_told_whom_it_waited_for_and_since_when(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": "# Bees\n\nThe hive hums in the warm evening.\n"})
    vault.index()
    with holder(vault.root) as process:
        began = time.monotonic()
        with pytest.raises(StoreBusy) as caught:
            vault.index(wait=0.3)
        assert time.monotonic() - began >= 0.3
        signed = json.loads(vault.store_file.with_name("store.db.lock").read_text())
        assert signed["pid"] == process.pid
        assert caught.value.fact == (
            f"Process {process.pid}, since {signed['since']}, is writing to this vault's store"
        )
        assert caught.value.hint
        assert vault.search("hive")[0].path == "bees.md"
        assert vault.search("hive", refresh=True)[0].path == "bees.md"


def test_a_second_writer_goes_on_as_soon_as_the_first_ends(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": "# Bees\n\nThe hive hums in the warm evening.\n"})
    with holder(vault.root) as process:
        assert process.stdin
        process.stdin.close()
        assert vault.index(wait=30).added == 1


def test_the_lock_of_a_process_that_was_killed_blocks_nobody(make_vault: MakeVault) -> None:
    vault = make_vault({"bees.md": "# Bees\n\nThe hive hums in the warm evening.\n"})
    with holder(vault.root) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert json.loads(vault.store_file.with_name("store.db.lock").read_text())["pid"] == process.pid
        assert vault.index(wait=0).added == 1
    assert vault.store_file.with_name("store.db.lock").read_text() == ""


def test_eight_processes_that_make_the_same_store_at_once_make_one(make_vault: MakeVault) -> None:
    files = {f"{number}.md": f"# {number}\n\nThe hive of number {number} hums.\n" for number in range(50)}
    vault = make_vault(files)
    with subprocess.Popen([sys.executable, "-c", MAKERS, str(vault.root)], stdout=subprocess.PIPE, text=True) as makers:
        added = makers.communicate()[0].split()
    assert (makers.returncode, sorted(map(int, added))) == (0, [0] * (READERS - 1) + [50])
    assert vault.doctor().problems == ()
