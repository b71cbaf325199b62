"""Readers in the sandbox: whatever one of them does, it costs only the file it reads."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cases import cases

from notewell.errors import NoteError, NoteOutOfReach
from notewell.files.formats import Format
from notewell.index.readers.content import MOST_TEXT
from notewell.index.readers.sandbox import Extraction

# Seconds that no reader here takes.
LONG = 300
# Readers that misbehave, each as a module's text; `fine` shows that the next file is read all the same.
READERS = {
    "fine": "return Content('# Bees', (Part(1, 'page 1', (1,)),), 'Hive', ('odd',))",
    "hangs": f"time.sleep({LONG})",
    "hangs_in_c": "import re; re.match(r'(a+)+$', 'a' * 60 + 'b')",
    "hangs_known": "open(data, 'x').close(); import re; re.match(r'(a+)+$', 'a' * 60 + 'b')",
    "crashes": "import ctypes; ctypes.string_at(0)",
    "leaves": "import os; os._exit(0)",
    "refuses": "raise NoteError('it has a password', 'Take it off')",
    "fails": "raise ValueError('the secret is hunter2-again')",
    "hungry": "return Content('x' * (1 << 33))",
    "recurses": "return extract(data)",
    "lacks": "import no_such_library_anywhere",
    "too_long": f"return Content('x' * {MOST_TEXT + 1})",
    "talks": "print('x' * 100_000, flush=True); os.write(2, b'y'); return Content('quiet')",
    "halves": "return Content('half \\ud800 a character', (), 'half \\ud800', ('\\udfff odd',))",
    "echoes": "return Content(str(len(data)))",
}


def made(name: str) -> Format:
    return Format(name, (f".{name}",), name, "plain", sandboxed=True, extra="docs")


@pytest.fixture(scope="module", autouse=True)
def readers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Put the readers above beside ours, in the sandbox process only."""
    (tmp_path := tmp_path_factory.mktemp("readers")).joinpath("more").mkdir()
    for name, body in READERS.items():
        homes = {"errors": "NoteError", "index.readers.content": "Content", "types.note": "Part"}
        head = "import os, time\n" + "".join(f"from notewell.{home} import {name}\n" for home, name in homes.items())
        (tmp_path / "more" / f"{name}.py").write_text(f"{head}def extract(data):\n    {body}\n")
    beside = f"import notewell.index.readers as readers\nreaders.__path__.append({str(tmp_path / 'more')!r})\n"
    (tmp_path / "sitecustomize.py").write_text(beside)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
        yield


@pytest.fixture(scope="module")
def extraction(readers: None) -> Iterator[Extraction]:
    with Extraction(LONG) as extraction:
        yield extraction


def test_text_parts_title_and_warnings_come_back_as_they_were(extraction: Extraction) -> None:
    content = extraction.extract(made("fine"), b"")
    assert (content.text, content.title, content.warnings) == ("# Bees", "Hive", ("odd",))
    assert [(part.line, part.name, part.under) for part in content.parts] == [(1, "page 1", (1,))]


@cases(
    ("name", "fact"),
    [
        ("hangs", "not read within 1 second"),
        ("hangs_in_c", "not read within 1 second"),
        ("crashes", "its reader crashed on it"),
        ("leaves", "its reader crashed on it"),
        ("refuses", "it has a password"),
        ("fails", "damaged, or not what its suffix says (ValueError)"),
        ("recurses", "nested too deep"),
        ("too_long", "too much text"),
    ],
)
def test_a_bad_file_costs_itself_alone(extraction: Extraction, name: str, fact: str) -> None:
    # Only what hangs is to run out of time, and not what is slow because the machine is busy.
    extraction.max_seconds = 1 if name.startswith("hangs") else LONG
    with pytest.raises(NoteError) as caught:
        extraction.extract(made(name), b"")
    extraction.max_seconds = LONG
    assert fact in caught.value.fact
    assert caught.value.hint
    assert "hunter2" not in caught.value.fact + caught.value.hint
    assert extraction.extract(made("fine"), b"").text == "# Bees"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not limit the memory of a process this way")
def test_a_file_that_wants_all_memory_is_refused(extraction: Extraction) -> None:
    with pytest.raises(NoteError, match="too much memory"):
        extraction.extract(made("hungry"), b"")
    assert extraction.extract(made("fine"), b"").text == "# Bees"


def test_a_missing_library_is_named_with_its_install_line(extraction: Extraction) -> None:
    with pytest.raises(NoteOutOfReach) as caught:
        extraction.extract(made("lacks"), b"")
    assert "pip install 'notewell[docs]'" in caught.value.fact
    assert "needs no_such_library_anywhere" in caught.value.fact


def test_output_printed_by_a_reader_is_discarded(extraction: Extraction, capfd: pytest.CaptureFixture[str]) -> None:
    assert extraction.extract(made("talks"), b"").text == "quiet"
    assert capfd.readouterr() == ("", "")


def test_half_a_surrogate_pair_is_replaced_anywhere(extraction: Extraction) -> None:
    content = extraction.extract(made("halves"), b"")
    assert (content.text, content.title, content.warnings) == ("half ? a character", "half ?", ("? odd",))


def test_a_large_file_reaches_the_reader_whole(extraction: Extraction) -> None:
    assert extraction.extract(made("echoes"), b"x" * (40 << 20)).text == str(40 << 20)


def test_one_process_reads_many_files_and_ends_with_the_run() -> None:
    with Extraction(LONG) as extraction:
        extraction.extract(made("fine"), b"")
        process = extraction._process
        for _ in range(20):
            extraction.extract(made("fine"), b"")
        assert process is not None and process is extraction._process and process.poll() is None
    assert process.poll() is not None


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends after index.max_seconds")
def test_the_sandbox_does_not_outlive_a_killed_run_even_if_it_hangs_in_c(tmp_path: Path) -> None:
    program = (
        "from notewell.files.formats import Format\nfrom notewell.index.readers.sandbox import Extraction\n"
        "import sys\ne = Extraction(3000)\nf = Format('x', ('.x',), 'hangs_known', 'plain', sandboxed=True)\n"
        "e._running(); print(e._process.pid, flush=True)\ne.extract(f, sys.argv[1].encode())\n"
    )
    begun = tmp_path / "begun"
    run = subprocess.Popen([sys.executable, "-c", program, str(begun)], stdout=subprocess.PIPE)
    assert run.stdout is not None
    apart = int(run.stdout.readline())
    while not begun.exists():
        assert run.poll() is None
        time.sleep(0.02)
    run.kill()
    run.wait()
    run.stdout.close()
    assert ends(apart)


PARENT = """
import subprocess, sys, time
from notewell.index.readers.sandbox import receive, send
command = [sys.executable, "-m", "notewell.index.readers.sandbox_worker"]
worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
send(worker.stdin, b'{"reader": "no_such_reader", "seconds": 300}')
send(worker.stdin, b"")
assert receive(worker.stdout)
holder = subprocess.Popen(["sleep", "300"], pass_fds=[worker.stdin.fileno()], stdout=subprocess.DEVNULL)
print(worker.pid, holder.pid, flush=True)
time.sleep(300)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process of Windows keeps its parent's number")
def test_the_sandbox_ends_with_its_parent_even_if_its_pipe_is_held_open() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        worker, holder = map(int, parent.stdout.readline().split())
        parent.kill()
    try:
        assert ends(worker)
    finally:
        os.kill(holder, signal.SIGKILL)


def ends(pid: int) -> bool:
    """Wait until a process is gone."""
    guard = time.monotonic() + LONG
    while is_running(pid) and time.monotonic() < guard:
        time.sleep(0.02)
    return not is_running(pid)


def is_running(pid: int) -> bool:
    """Tell whether a process is there, and not only its exit code that nobody asks for."""
    stat = Path(f"/proc/{pid}/stat")
    try:
        os.kill(pid, 0)
        return not stat.exists() or ") Z " not in stat.read_text()
    except OSError:
        return False
