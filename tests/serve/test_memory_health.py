"""What keeps long-running processes small."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

PROGRAM = r"""
import re, sys, threading
from pathlib import Path
from notewell.serve.daemon.health import stay_small

assert stay_small()
held = []
threads = [threading.Thread(target=lambda: held.append([bytes(9_000) for _ in range(2_000)])) for _ in range(4)]
[each.start() for each in threads], [each.join() for each in threads]
# An arena of a thread reserves 64 MB of addresses, of which it uses a part; the guard of a thread's stack has a page.
reserved = re.findall(r"^(\w+)-(\w+) ---p [0-9a-f]+ 00:00 0 +$", Path("/proc/self/maps").read_text(), re.MULTILINE)
print(sum(int(end, 16) - int(start, 16) > 1 << 24 for start, end in reserved))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has arenas")
def test_threads_of_a_server_share_one_arena() -> None:
    def reserved(program: str) -> int:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        return int(done.stdout)

    assert reserved(PROGRAM) < reserved(PROGRAM.replace("assert stay_small()", ""))
