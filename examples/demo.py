"""Index the sample vault, search it in three ways, and show what to type next (`make demo`)."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

NOTEWELL = Path(sys.executable).with_name("notewell")
VAULT = Path(__file__).parent / "vault"

STEPS = (
    ("Index 59 notes; secrets are removed first", ("index", "--full", "--verbose")),
    ("Run the encoder on all notes now, instead of in the background", ("encode",)),
    ("Search by words: the note contains them", ("search", "varroa oxalic acid treatment", "-n", "2")),
    (
        "Search by meaning: the note says mould and dew point, not 'who pays'",
        ("search", "who pays for the damp wall", "-n", "1"),
    ),
    ("Search for an identifier, in any spelling", ("search", "getTenantId", "-n", "2", "--explain")),
    ("Secrets are never shown", ("search", "database password", "-n", "1")),
)


def main() -> None:
    """Run the steps, printing each command before its output."""
    environment = {**os.environ, "NOTEWELL_EMBED_BACKGROUND": "no", "NOTEWELL_DAEMON": "no"}
    for title, arguments in STEPS:
        print(f"\n# {title}\n$ notewell {shlex.join(arguments)}", flush=True)
        subprocess.run([NOTEWELL, *arguments], cwd=VAULT, env=environment, check=True)
    print(f"""
Now try it yourself:
  cd {_short(VAULT)}
  {_short(NOTEWELL)} search "why is the middle of my bread dense"
  {_short(NOTEWELL)} read "Recipes/Sourdough troubleshooting.md:1-20"
Or search your own notes:
  {_short(NOTEWELL)} search "something you wrote" --vault ~/notes""")


def _short(path: Path) -> str:
    return shlex.quote(str(path.absolute()))


if __name__ == "__main__":
    main()
