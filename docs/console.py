"""Run the console blocks of the docs on the sample vault, and write their real output under each command.

`python docs/console.py` writes; `python docs/console.py --check` only says which pages differ, and exits with 1. The
settings that a page shows as `toml` hold for the blocks below them. What cannot be run (servers, set-up, other
programs) is no console block, but stands in a fence of `sh`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
VAULT = ROOT / "examples" / "vault"
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
BLOCK = re.compile(r"^```(console|toml)\n(.*?)(?=^```)", re.DOTALL | re.MULTILINE)
# What differs from run to run.
SECONDS = re.compile(r"in \d+\.\d s")


def with_output(page: str, vault: Path) -> str:
    """Return the page with what each `$ notewell` command prints now."""
    settings = vault / "notewell.toml"

    def written(block: re.Match[str]) -> str:
        language, text = block.groups()
        if language == "console":
            return f"```console\n{_run_all(text, vault)}"
        settings.write_text(text, encoding="utf-8")
        return block.group()

    try:
        return BLOCK.sub(written, page)
    finally:
        settings.unlink(missing_ok=True)


def _run_all(block: str, vault: Path) -> str:
    if not block.startswith("$ "):
        raise SystemExit(f"This console block has no command to run; fence it as sh:\n{block}")
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    return "\n".join(f"{command}\n{_run(command, vault)}" for command in commands)


def _run(command: str, vault: Path) -> str:
    # The encoder's last digits differ from processor to processor; what the pages show is the same on all.
    settings = {"NOTEWELL_EMBED_ENCODER": "off", "NOTEWELL_EMBED_BACKGROUND": "no", "NOTEWELL_DAEMON": "no"}
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    done = subprocess.run(
        command.removeprefix("$ "),
        shell=True,
        cwd=vault,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "PATH": path, **settings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    # Exit code 1 may be an answer, too: there is a link that leads nowhere.
    if "error:" in done.stderr:
        raise SystemExit(f"{command}\n{done.stderr}")
    return SECONDS.sub("in 0.2 s", done.stdout)


def main() -> None:
    """Write the pages anew, or check them."""
    with tempfile.TemporaryDirectory() as folder:
        # A copy: whatever the commands write, the sample vault stays as it is.
        vault = shutil.copytree(VAULT, Path(folder) / "vault", ignore=shutil.ignore_patterns(".notewell"))
        pages = {page: with_output(page.read_text(encoding="utf-8"), vault) for page in PAGES}
    differing = {page: text for page, text in pages.items() if page.read_text(encoding="utf-8") != text}
    if "--check" not in sys.argv:
        for page, text in differing.items():
            page.write_text(text, encoding="utf-8")
    if differing:
        names = ", ".join(page.relative_to(ROOT).as_posix() for page in differing)
        print(names, "differ" if "--check" in sys.argv else "written")
    sys.exit(1 if differing and "--check" in sys.argv else 0)


if __name__ == "__main__":
    main()
