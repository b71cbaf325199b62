"""Run the console blocks of the docs on the sample vault, and write their real output under each command.

`python docs/console.py` writes; `python docs/console.py --check` only says which pages differ, and exits with 1.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
VAULT = ROOT / "examples" / "vault"
GUIDES = ROOT / "docs" / "guides"
PAGES = (ROOT / "README.md", ROOT / "docs" / "start.md", GUIDES / "searching.md", GUIDES / "links.md")
BLOCK = re.compile(r"(?<=```console\n)\$ .*?(?=^```)", re.DOTALL | re.MULTILINE)
# What differs from run to run.
SECONDS = re.compile(r"in \d+\.\d s")


def with_output(page: str, vault: Path = VAULT) -> str:
    """Return the page with what each `$ notewell` command prints now."""
    return BLOCK.sub(lambda block: _run_all(block.group(), vault), page)


def _run_all(block: str, vault: Path) -> str:
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    return "\n".join(f"{command}\n{_run(command, vault)}" for command in commands)


def _run(command: str, vault: Path) -> str:
    program, *arguments = shlex.split(command.removeprefix("$ "))
    # The encoder's last digits differ from processor to processor; what the pages show is the same on all.
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "NOTEWELL_EMBED_ENCODER": "off"}
    environment["NOTEWELL_DAEMON"] = "no"
    done = subprocess.run(
        [Path(sys.executable).with_name(program), *arguments],
        cwd=vault,
        env=environment,
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
    differing = []
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        after = with_output(before)
        if before != after:
            differing.append(page.relative_to(ROOT).as_posix())
            if "--check" not in sys.argv:
                page.write_text(after, encoding="utf-8")
    if differing:
        print(", ".join(differing), "differ" if "--check" in sys.argv else "written")
    sys.exit(1 if differing and "--check" in sys.argv else 0)


if __name__ == "__main__":
    main()
