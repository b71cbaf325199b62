"""Installs the wheel in `dist` into a clean environment, and runs what the README says there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from venv import create

ROOT = Path(__file__).parents[1]
BIN = "Scripts" if os.name == "nt" else "bin"


def run(folder: Path, *words: str | Path) -> str:
    """Run a command as a user without any state, and return what it printed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NOTEWELL_", "PYTHON", "XDG_"))}
    settings = {"HOME": str(folder), "NOTEWELL_DAEMON": "no", "NOTEWELL_EMBED_ENCODER": "off"}
    print("$", *[Path(words[0]).name, *words[1:]], file=sys.stderr)
    return subprocess.run(
        list(map(str, words)), cwd=folder, env={**kept, **settings}, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def check(wheel: Path, folder: Path) -> None:
    """Raise an error if the wheel does not work as documented."""
    create(folder / "env", with_pip=True)
    programs = folder / "env" / BIN
    run(folder, programs / "python", "-m", "pip", "install", "--quiet", f"{wheel}[all]")
    shutil.copytree(ROOT / "examples" / "vault", folder / "notes", ignore=shutil.ignore_patterns(".notewell"))
    notewell = programs / "notewell"
    found = run(folder, notewell, "search", "why does my loaf spread flat", "-n", "2", "--vault", "notes")
    assert found.startswith("Recipes/Sourdough handbook.md:89"), found
    answer = run(folder, notewell, "ask", "why does my loaf spread flat?", "--vault", "notes")
    assert "Recipes/" in answer, answer
    # Its packages are there: HTTP, MCP, formats and the encoder.
    imports = "import fastapi, mcp, onnxruntime, pypdfium2, docx, notewell; print(notewell.__file__)"
    assert str(folder) in run(folder, programs / "python", "-c", imports), "another installation was used"
    left = run(folder, notewell, "self", "uninstall-notes", "--vault", "notes", "--yes")
    assert "store" in left and not (folder / "notes" / ".notewell").exists(), left


if __name__ == "__main__":
    (built,) = (ROOT / "dist").glob("*.whl")
    with tempfile.TemporaryDirectory() as made:
        check(built, Path(made).resolve())
    print(f"{built.name} works in a clean environment")
