"""What `make demo` runs: index the sample vault, search it in three ways, and say what to type next."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

NOTEWELL = Path(sys.executable).with_name("notewell")
VAULT = Path(__file__).parent / "vault"

STEPS = (
    ("Index 56 notes; secrets are taken out first", ("index", "--full", "--verbose")),
    ("Let the better model read it all now; `index` else leaves that to the background", ("fill",)),
    ("Words: the terms of the query stand in the note", ("search", "varroa oxalic acid treatment", "-n", "2")),
    ("Meaning: the note says mould and dew point, not who pays", ("search", "who pays for the damp wall", "-n", "1")),
    ("An exact identifier, however it is spelled", ("search", "getTenantId", "-n", "2", "--explain")),
    ("A secret is never shown, not even by reading the note", ("search", "database password", "-n", "1")),
)


def main() -> None:
    """Run the steps, each with the command that was typed."""
    environment = {**os.environ, "NOTEWELL_EMBED_BACKGROUND": "no", "NOTEWELL_DAEMON": "no"}
    for title, arguments in STEPS:
        print(f"\n# {title}\n$ notewell {shlex.join(arguments)}", flush=True)
        subprocess.run([NOTEWELL, *arguments], cwd=VAULT, env=environment, check=True)
    print(f"""
Now try it yourself:
  cd {_short(VAULT)}
  {_short(NOTEWELL)} search "why is the middle of my bread dense"
  {_short(NOTEWELL)} read "Recipes/Sourdough troubleshooting.md:1-20"
or point it at your own notes:
  {_short(NOTEWELL)} search "something you wrote" --vault ~/notes""")


def _short(path: Path) -> str:
    return shlex.quote(str(path.absolute()))


if __name__ == "__main__":
    main()
