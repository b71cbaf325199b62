"""The sample vault, small vaults made on the spot, and a view of everything a store holds."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from tests.database import database

if TYPE_CHECKING:
    from notewell import Vault
    from notewell.embed.words import WordsEmbedder
    from notewell.freshness import Opening

# Before any test loads what would report on its use.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
SAMPLE = Path(__file__).parent.parent / "examples" / "vault"
# A shell that runs them in the background has them ignore Ctrl-C, and every process that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# The same examples in every run, however slow the machine.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def _nothing_goes_on_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that want a process to outlive a command say so."""
    monkeypatch.setenv("NOTEWELL_EMBED_BACKGROUND", "no")
    monkeypatch.setenv("NOTEWELL_DAEMON", "no")
    # No test asks a language model that happens to run on this machine.
    monkeypatch.setenv("NOTEWELL_LLM_MODEL", "off")
    # The width without a terminal, wherever the tests run.
    monkeypatch.delenv("COLUMNS", raising=False)
    # Nor do the settings of the person who runs the tests.
    monkeypatch.setenv("XDG_CONFIG_HOME", str(Path(__file__).parent / "nobody's"))


@pytest.fixture(scope="session", autouse=True)
def _one_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """All tests run as one user, with a key and a home of their own: nothing is written to that of the person."""
    (home := tmp_path_factory.getbasetemp() / "home").mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("USERPROFILE", str(home))
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.getbasetemp() / "state"))
        yield


@pytest.fixture(scope="session")
def indexed_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from notewell import Vault  # noqa: PLC0415

    folder = tmp_path_factory.mktemp("sample") / "vault"
    with Vault.open(shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns(".notewell"))) as vault:
        vault.index()
    return vault.root


@pytest.fixture(scope="session")
def sharing() -> Opening:
    """Open vaults that load a model once for all of them, as those of the daemon do."""
    from notewell.embed import load_embedder, load_encoder  # noqa: PLC0415
    from notewell.freshness import Opening  # noqa: PLC0415

    return Opening(load_embedder=cache(load_embedder), load_encoder=cache(load_encoder))


@pytest.fixture
def vault(indexed_sample: Path, tmp_path: Path, sharing: Opening) -> Vault:
    """A copy of the sample vault, indexed with the model that ships in the package."""
    from notewell import Vault  # noqa: PLC0415

    return Vault.open(shutil.copytree(indexed_sample, tmp_path / "vault"), opening=sharing)


@pytest.fixture
def make_vault(tmp_path: Path, sharing: Opening) -> Callable[..., Vault]:
    """Write notes (path → text or bytes) into a new folder and open it; `index()` is left to the test."""
    from notewell.vault import Vault  # noqa: PLC0415

    def make(
        files: Mapping[str, str | bytes], settings: Mapping[str, Any] | None = None, opening: Opening = sharing
    ) -> Vault:
        (root := tmp_path / "notes").mkdir()
        for path, content in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content.encode() if isinstance(content, str) else content)
        # Of three notes, all are found: the floor has tests of its own.
        return Vault.open(root, {"embed.model": "words", "search.floor": 0, **(settings or {})}, opening)

    return make


@pytest.fixture
def run_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Run the command line in a folder, in this process; return its exit code, stdout and stderr."""
    from notewell.serve.cli import main  # noqa: PLC0415

    def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
        monkeypatch.chdir(folder)
        monkeypatch.setattr("sys.argv", ["notewell", *arguments])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


@pytest.fixture
def embedder() -> WordsEmbedder:
    from notewell.embed.words import WordsEmbedder  # noqa: PLC0415

    return WordsEmbedder()


@pytest.fixture
def stored() -> Callable[[Vault], str]:
    """Return every value of every table as text, compressed ones unpacked."""

    def dump(vault: Vault) -> str:
        tables = (db := database(vault.store)).execute("select name from sqlite_schema where type = 'table'").fetchall()
        return "\n".join(_readable(v) for (name,) in tables for row in db.execute(f"select * from {name}") for v in row)

    return dump


def _readable(value: Any) -> str:
    from notewell.errors import StoreDamaged  # noqa: PLC0415
    from notewell.store.tables.rows import unpack  # noqa: PLC0415

    with suppress(StoreDamaged, TypeError):
        return unpack(value)
    return str(value)


@pytest.fixture
def content() -> Callable[[Vault], dict[str, Any]]:
    """Return what a store holds, whatever its slots and row numbers: two that know the same have the same content."""

    def read(vault: Vault) -> dict[str, Any]:
        from notewell.store.sqlite.checked import SqliteReader  # noqa: PLC0415
        from notewell.store.tables.arrays import Blocks  # noqa: PLC0415
        from notewell.store.tables.postings import BLOCK, unpack  # noqa: PLC0415
        from notewell.store.tables.rows import load_chunks  # noqa: PLC0415

        db, postings = database(vault.store), dict[int, dict[str, int]]()
        blocks = Blocks.load(SqliteReader(db), vault.store.state.made_for.dimensions)
        for term, block, data in db.execute("select term, block, data from posting order by term"):
            for place, count in zip(*(values.tolist() for values in unpack(data)), strict=True):
                postings.setdefault(block * BLOCK + place, {})[term] = count
        joined = "select chunk.id, data from chunk join vector on vector.body = chunk.body order by chunk.id"
        vectors = {slot: bytes(data) for slot, data in db.execute(joined)}
        chunks: dict[Any, Any] = {}
        for slot, chunk in load_chunks(SqliteReader(db), list(vectors)):
            arrays = int(blocks.lengths[slot]), tuple(blocks.codes[:, slot].tolist())
            chunks[chunk.path, chunk.start] = (chunk, postings.pop(slot), *arrays, vectors[slot])
        assert not postings, "postings of chunks that are not there"
        notes = "select path, title, kind, tags, aliases, fields, links, size, digest, mtime_ns, ctime_ns from note"
        bodies = "select digest, uses, length(data) from body left join vector on body = body.id"
        skipped = "select path, reason, size from skipped"
        with vault.store.reading() as snapshot:
            edges, paths = snapshot.edges(), {note: path for path, note in snapshot.ids().items()}
        led = zip(edges.sources.tolist(), edges.hashes.tolist(), edges.targets.tolist(), strict=True)
        ends = [(paths[source], name, paths.get(target, str(target))) for source, name, target in led]
        # Notes come in any order, but the links of one in its own.
        chunks["edges"] = sorted(ends, key=lambda end: end[0])
        return {"chunks": chunks, **{key: sorted(db.execute(key)) for key in (notes, bodies, skipped)}}

    return read
