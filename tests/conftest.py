"""The sample vault, small vaults made on the spot, and a view of everything a store holds."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from notewell import Vault
    from notewell.embed.words import WordsEmbedder

SAMPLE = Path(__file__).parent.parent / "examples" / "vault"


@pytest.fixture(scope="session")
def indexed_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from notewell import Vault  # noqa: PLC0415

    root = tmp_path_factory.mktemp("sample") / "vault"
    shutil.copytree(SAMPLE, root, ignore=shutil.ignore_patterns(".notewell"))
    (root / ".notewell").mkdir()
    vault = Vault.open(root)
    vault.index()
    vault.store.close()
    return root


@pytest.fixture
def vault(indexed_sample: Path, tmp_path: Path) -> Iterator[Vault]:
    """The sample vault, indexed with the model that ships in the package; each test has its own copy."""
    from notewell import Vault  # noqa: PLC0415

    vault = Vault.open(shutil.copytree(indexed_sample, tmp_path / "vault"))
    yield vault
    vault.store.close()


@pytest.fixture
def make_vault(tmp_path: Path) -> Callable[..., Vault]:
    """Write notes (path → text or bytes) into a new folder and open it; `index()` is left to the test."""
    from notewell import Vault  # noqa: PLC0415

    def make(files: Mapping[str, str | bytes], settings: Mapping[str, Any] | None = None) -> Vault:
        root = tmp_path / "notes"
        # The folder of a vault, so that a vault above the tests' folder is never found.
        (root / ".notewell").mkdir(parents=True)
        for path, content in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content.encode() if isinstance(content, str) else content)
        return Vault.open(root, {"embed.model": "words", **(settings or {})})

    return make


@pytest.fixture
def embedder() -> WordsEmbedder:
    from notewell.embed.words import WordsEmbedder  # noqa: PLC0415

    return WordsEmbedder()


@pytest.fixture
def stored() -> Callable[[Vault], str]:
    """Return every value of every table as text, compressed ones unpacked."""

    def dump(vault: Vault) -> str:
        db = vault.store.db
        tables = [name for (name,) in db.execute("select name from sqlite_schema where type = 'table'")]
        values = [value for table in tables for row in db.execute(f"select * from {table}") for value in row]
        return "\n".join(_readable(value) for value in values)

    return dump


def _readable(value: object) -> str:
    if not isinstance(value, bytes):
        return str(value)
    try:
        return zlib.decompress(value).decode("utf-8", "replace")
    except zlib.error:
        return str(value)
