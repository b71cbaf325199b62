from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .serving import Served, serving

if TYPE_CHECKING:
    from tests.serve.daemons import DaemonRunner
    from tests.serve.hooks import Hooks

    from notewell import Vault

NOTES = {
    "Recipes/Sourdough.md": (
        "---\ntags: [bread]\n---\n\n# Sourdough\n\nThe loaf collapsed because the oven was too cold.\n"
        "\n## Rye\n\nRye needs more water than wheat does, and a tin to hold it.\n"
    ),
    "Garden/Bees.md": (
        "# Bees\n\nThe hive hums in the warm evening.\n\nA second paragraph about honey, see [[Sourdough]].\n"
    ),
    "Garden/Keys.md": "# Keys\n\nFor the weather station of the garden.\n\npassword: hunter2-again\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small vault that was never indexed, with the embedder whose vectors one can check by eye."""
    return write_notes(tmp_path / "notes")


def write_notes(root: Path) -> Path:
    """Write the notes of the small vault."""
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    # Of three notes, all are found: the floor has tests of its own.
    (root / "notewell.toml").write_text('[search]\nfloor = 0\n[embed]\nmodel = "words"\n', encoding="utf-8")
    return root


@pytest.fixture
def encoded(folder: Path) -> Path:
    """The small vault, with an encoder whose vectors one can check by eye."""
    (folder / "notewell.toml").write_text(
        '[search]\nfloor = 0\n[embed]\nmodel = "words"\nencoder = "words"\n', encoding="utf-8"
    )
    return folder


def write_numbered(root: Path, count: int) -> None:
    """Write so many short notes."""
    for number in range(count):
        (root / f"{number}.md").write_text(f"# {number}\n\nrye bread and more rye bread, note {number}\n")


@pytest.fixture
def indexed(folder: Path) -> Iterator[Vault]:
    """The small vault, indexed and open, as servers keep it."""
    from notewell.vault import Vault  # noqa: PLC0415

    with Vault.open(folder) as vault:
        vault.index()
        yield vault


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of the small vault, for tests that change nothing in it."""
    from notewell.vault import Vault  # noqa: PLC0415

    with Vault.open(write_notes(tmp_path_factory.mktemp("served") / "notes")) as vault:
        vault.index()
        with serving(vault) as running:
            yield running


@pytest.fixture
def notewell(
    folder: Path, run_command: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Run the command line inside the vault; return its exit code, stdout and stderr."""
    monkeypatch.chdir(folder)
    return lambda *arguments: run_command(Path.cwd(), *arguments)


@pytest.fixture
def hooks(vault: Vault, tmp_path: Path) -> Hooks:
    """Hooks that ask the sample vault."""
    from tests.serve.hooks import Hooks  # noqa: PLC0415

    vault.close()
    return Hooks(tmp_path / "state", vault.root)


@pytest.fixture
def daemon(folder: Path) -> Iterator[DaemonRunner]:
    """The small vault, indexed, and no daemon yet."""
    from tests.serve.daemons import daemon_for  # noqa: PLC0415

    from notewell import Vault  # noqa: PLC0415

    with Vault.open(folder) as vault:
        vault.index()
    with daemon_for(folder) as made:
        yield made


@pytest.fixture(scope="session")
def by_daemon() -> Iterator[dict[str, str]]:
    """Variables with which commands that read a vault are answered by one daemon, for tests that do not mind."""
    from tests.serve.daemons import daemon_for  # noqa: PLC0415

    with daemon_for(Path("/")) as made:
        made.start()
        yield {"XDG_RUNTIME_DIR": str(made.runtime), "NOTEWELL_DAEMON": "yes"}
