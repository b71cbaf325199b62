"""The encoder's runtime sends no telemetry, and code in a vault is never run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("onnxruntime", reason="the extra `minilm` is not installed")


def run(*arguments: str, cwd: Path, home: Path, background: str = "yes") -> subprocess.CompletedProcess[str]:
    environment = {
        "HOME": str(home),
        # No process stays behind a test.
        "NOTEWELL_DAEMON": "no",
        "PATH": os.environ["PATH"],
        "NOTEWELL_EMBED_BACKGROUND": background,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path.endswith("src")),
    }
    command = [sys.executable, "-P", "-m", "notewell", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=300)


def test_searching_with_the_encoder_leaves_only_a_key_and_the_search_in_the_users_folder(tmp_path: Path) -> None:
    (home := tmp_path / "home").mkdir()
    (notes := tmp_path / "notes").mkdir()
    (notes / "bees.md").write_text("# Bees\n\nThe hive hums in the evening, and the bees come home.\n")
    done = run("search", "what hums", cwd=notes, home=home, background="no")
    assert done.returncode == 0, done.stderr
    assert "bees.md" in done.stdout
    assert run("fill", cwd=notes, home=home).returncode == 0
    folders = [file.parent.name if file.name != "key" else "key" for file in home.rglob("*") if file.is_file()]
    assert sorted(folders) == ["key", "searched"]


def test_modules_that_lie_in_the_vault_are_not_run(tmp_path: Path) -> None:
    (home := tmp_path / "home").mkdir()
    (notes := tmp_path / "notes").mkdir()
    (notes / "bees.md").write_text("# Bees\n\nThe hive hums in the evening, and the bees come home.\n")
    mark = f"open({str(tmp_path / 'ran')!r}, 'w')"
    (notes / "click.py").write_text(mark)
    (notes / "notewell").mkdir()
    (notes / "notewell" / "__init__.py").write_text(mark)
    (notes / "notewell" / "__main__.py").write_text(mark)
    assert run("index", cwd=notes, home=home).returncode == 0
    # The one that reads in the background is done, or this waits for it to be.
    for _ in range(100):
        done = run("fill", cwd=notes, home=home)
        if "another process" not in done.stderr:
            break
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists()
