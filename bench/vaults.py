"""The vaults to measure on: archives, extracted once into the work folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench.child import BenchError, say
from bench.queries import make_queries, save_queries

# Two typical kinds of vault: long documents, and many short linked notes.
DEFAULT = ("docs-16894", "zettelkasten-13419")


@dataclass(frozen=True, slots=True)
class BenchVault:
    """An extracted vault, and the file with the queries made from it."""

    name: str
    root: Path
    queries: Path


def every_archive(data: Path) -> dict[str, Path]:
    """Return the archives of all vaults by name."""
    return {file.name.removesuffix(".tar.xz"): file for file in sorted((data / "vaults").glob("*.tar.xz"))}


def find_archives(data: Path, names: tuple[str, ...]) -> dict[str, Path]:
    """Return the archives of the vaults with these names."""
    known = every_archive(data)
    missing = [name for name in names if name not in known]
    if missing:
        raise BenchError(
            f"There is no vault archive {data / 'vaults' / missing[0]}.tar.xz",
            f"Vaults there: {', '.join(known) or 'none'}; name the folder that holds vaults/ and beir/ with --data",
        )
    return {name: known[name] for name in names}


def make_vault(name: str, archive: Path, work: Path, queries: int) -> BenchVault:
    """Extract a vault unless the work folder has it, read it once to warm the page cache, and make its queries."""
    folder, done = work / name, work / f"{name}.extracted"
    if not done.is_file():
        # Imported here, so that the measured processes do not load it.
        import tarfile

        say(f"{name}: extracting")
        with tarfile.open(archive) as tar:
            # As a property, since Python before 3.11.4 has no such parameter.
            tar.extraction_filter = getattr(tarfile, "data_filter", None)
            tar.extractall(folder)
        done.touch()
    tops = [entry for entry in folder.iterdir() if entry.is_dir()]
    root = tops[0] if len(tops) == 1 else folder
    # Without its own store folder, the vault would belong to any vault above the work folder.
    (root / ".notewell").mkdir(exist_ok=True)
    for file in root.rglob("*.md"):
        file.read_bytes()
    vault = BenchVault(name, root, work / f"{name}.queries.json")
    save_queries(make_queries(root, queries), vault.queries)
    return vault
