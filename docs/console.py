"""Run the console blocks of the docs on the sample vault, and write their real output under each command.

`python docs/console.py` writes; `python docs/console.py --check` only says which pages differ, and exits with 1. The
settings that a page shows as `toml` hold for the blocks below them. A page whose settings allow changes of notes has a
copy of the vault of its own. What cannot be run (servers, set-up, other programs) is no console block, but stands in a
fence of `sh`.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

ROOT = Path(__file__).parents[1]
VAULT = ROOT / "examples" / "vault"
# Feeds for the vault, beside it.
FEEDS = ROOT / "examples" / "feeds"
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
BLOCK = re.compile(r"^```(console|toml)\n(.*?)(?=^```)", re.DOTALL | re.MULTILINE)
# What differs from run to run.
CHANGES = "[curate]\n"
SECONDS = re.compile(r"in \d+\.\d s")
# What only a shell understands, outside of quotes.
SHELL = re.compile(r"[|&;<>()$`\\*?~#]")
QUOTED = re.compile(r"'[^']*'|\"[^\"$`\\]*\"")
COMMENT = re.compile(r"\s#.*")
# Variables that hold for one command, before its name.
VARIABLE = re.compile(r"([A-Z_]+)=(.*)")


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
    _, out, err = run_line(command.removeprefix("$ "), vault, {**os.environ, **settings})
    # Exit code 1 may be an answer, too: there is a link that leads nowhere.
    if "error:" in err:
        raise SystemExit(f"{command}\n{err}")
    return SECONDS.sub("in 0.2 s", out)


def run_line(line: str, folder: Path, environment: Mapping[str, str]) -> tuple[int, str, str]:
    """Run a line in a folder; return its exit code, stdout and stderr.

    One that is nothing but `notewell` and its arguments, perhaps with variables before it and a comment behind, runs in
    this process, as Python takes longer to start than most commands to answer; the shell runs every other.
    """
    variables = {**environment, "NO_COLOR": "1", "COLUMNS": "100"}
    if not SHELL.search(COMMENT.sub("", QUOTED.sub("", line))):
        words = shlex.split(line, comments=True)
        while given := VARIABLE.fullmatch(words[0]):
            variables[given[1]] = given[2]
            del words[0]
        if words[0] == "notewell":
            return _run_here(words[1:], folder, variables)
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    done = subprocess.run(
        line,
        shell=True,
        cwd=folder,
        env={**variables, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


class _Terminal(io.TextIOWrapper):
    """A stdout that shows what a person would see."""

    def isatty(self) -> bool:
        return True


def _run_here(arguments: Sequence[str], folder: Path, environment: Mapping[str, str]) -> tuple[int, str, str]:
    from notewell.entities import ner  # noqa: PLC0415
    from notewell.serve.cli import run  # noqa: PLC0415

    # The pages show what `notewell[all]` prints, and that leaves out the extra `ner`, which the tests have.
    ner.PACKAGE = "not-installed"
    before = dict(os.environ), sys.stdin
    held = io.BytesIO(), io.BytesIO()
    out, err = _Terminal(held[0], "utf-8"), io.TextIOWrapper(held[1], "utf-8")
    with chdir(folder), redirect_stdout(out), redirect_stderr(err), open(os.devnull, encoding="utf-8") as sys.stdin:  # noqa: PTH123
        os.environ.clear()
        os.environ.update(environment)
        try:
            code = run(arguments)
        finally:
            os.environ.clear()
            os.environ.update(before[0])
            sys.stdin = before[1]
    out.flush()
    err.flush()
    return int(code or 0), held[0].getvalue().decode("utf-8"), held[1].getvalue().decode("utf-8")


def _copy(folder: Path) -> Path:
    """Return a copy of the sample vault, which stays as it is whatever the commands write."""
    shutil.copytree(FEEDS, folder / "feeds")
    return shutil.copytree(VAULT, folder / "vault", ignore=shutil.ignore_patterns(".notewell"))


def main() -> None:
    """Write the pages anew, or check them."""
    with tempfile.TemporaryDirectory() as folder:
        # What curating leaves outside of a vault goes, too.
        os.environ["XDG_STATE_HOME"] = str(Path(folder) / "state")
        vault = _copy(Path(folder) / "all")
        pages = {}
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            changes = CHANGES in text and "```console\n" in text
            pages[page] = with_output(text, _copy(Path(folder) / page.stem) if changes else vault)
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
