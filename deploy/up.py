"""`make team`: make the secrets of compose.yaml, if there are none yet, and start the containers."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NAMES = ("administrator-password", "database-password", "token")
# The containers' users have to read the files. On this machine, the folder keeps everybody else out.
FOLDER_MODE, FILE_MODE = 0o700, 0o444


def make_secrets(folder: Path) -> list[str]:
    """Create the secrets that are missing, and return their names; one that is there is never replaced."""
    folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
    folder.chmod(FOLDER_MODE)
    made = [name for name in NAMES if not (folder / name).exists()]
    for name in made:
        with (folder / name).open("x", encoding="ascii") as stream:
            stream.write(secrets.token_urlsafe(32))
        (folder / name).chmod(FILE_MODE)
    return made


def engine() -> list[str]:
    """Return the command that runs a compose file, of the first container engine that has one."""
    for program in ("docker", "podman"):
        if (
            shutil.which(program)
            and not subprocess.run([program, "compose", "version"], capture_output=True).returncode
        ):
            return [program, "compose"]
    sys.exit("error: there is no container engine with `compose`\nhint: install Docker, or run `notewell server up`")


def main() -> None:
    """Start the containers with the notes in the folder that `VAULT` names."""
    vault = Path(os.environ.get("VAULT", "")).expanduser()
    if not os.environ.get("VAULT") or not vault.is_dir():
        sys.exit(
            f"error: VAULT is '{os.environ.get('VAULT', '')}', which is not a folder\nhint: make team VAULT=~/notes"
        )
    command = [*engine(), "--file", str(HERE / "compose.yaml"), "up", "--build", "--detach", "--wait"]
    if "token" in make_secrets(HERE / "secrets"):
        print(f"the token is in {HERE / 'secrets' / 'token'}; requests and the page need it")
    sys.exit(subprocess.run(command, env={**os.environ, "VAULT": str(vault.resolve())}).returncode)


if __name__ == "__main__":
    main()
