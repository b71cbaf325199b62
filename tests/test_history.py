"""Whatever happens to a folder, and whenever indexing stops: the store ends as if indexed from scratch."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test
from tests.database import database

from notewell import Vault
from notewell.embed.words import WordsEmbedder
from notewell.freshness import Opening
from notewell.index import Batches, Progress
from notewell.types.note import Vectors

Content = Callable[[Vault], dict[str, Any]]

WORDS = {"embed.model": "words"}
PATHS = ("a.md", "A.md", "b.md", "c/d.md", "c/e.md", "c/f/g.md", "h.md/i.md", "j.markdown")
TEXTS = (
    "# Bees\n\nThe hive hums, see [[b]].\n",
    "# Bees\n\nThe bees hum, see [[b]].\n",
    "---\ntags: [bread]\n---\n\nThe loaf rests.\n\n# Rye\n\nRye needs water.\n\n# Wheat\n\nWheat needs none.\n",
    "---\ntags: [bread]\n---\n\nThe loaf rests.\n\n# Rye\n\nRye needs a tin.\n\n# Wheat\n\nWheat needs none.\n",
    "# Keys\n\npassword: hunter2-again\n",
    "",
)
# A file that is not text is skipped, and remembered.
CONTENTS = (*(text.encode() for text in TEXTS), b"\xff\xfe")
which = st.integers(0, 50)


class Cut(Exception):
    """What ends a run in the middle."""


class CountingEmbedder:
    """The words embedder, counting texts, and failing once it has had as many as it bears."""

    fingerprint, dimensions = WordsEmbedder.fingerprint, WordsEmbedder.dimensions

    def __init__(self) -> None:
        self.texts = 0
        self.bears = 1_000_000

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += len(texts)
        if self.texts > self.bears:
            raise Cut
        return WordsEmbedder().embed(texts)

    def embed_query(self, text: str) -> Vectors:
        return WordsEmbedder().embed_query(text)


class AnyFolder(RuleBasedStateMachine):
    """A folder that is changed in every way, and indexed now and then, not always to the end."""

    def __init__(self, content: Content, batches: Batches) -> None:
        super().__init__()
        self.opening = Opening(batches=batches)
        self.content = content
        self.place = tempfile.TemporaryDirectory()
        self.root = Path(self.place.name) / "notes"
        self.root.mkdir()
        self.embedder = CountingEmbedder()
        self.vault = self.opened()

    def opened(self) -> Vault:
        vault = Vault.open(self.root, WORDS, self.opening)
        vault.models.embedder = self.embedder
        return vault

    def files(self) -> list[Path]:
        return sorted(file for file in self.root.rglob("*") if file.is_file() and ".notewell" not in file.parts)

    def pick(self, number: int) -> Path:
        files = self.files()
        return files[number % len(files)]

    def has_files(self) -> bool:
        return bool(self.files())

    def free(self, path: str) -> Path | None:
        """Return the place of a path, if nothing stands there or in its way."""
        place = self.root / path
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            return None if place.exists() else place
        return None

    def after_a_tick(self) -> None:
        # Two changes within one tick of the file system's clock look alike; people are slower.
        probe = Path(self.place.name) / "tick"
        probe.touch()
        began = probe.stat().st_mtime_ns
        while probe.stat().st_mtime_ns == began:
            time.sleep(0.001)
            probe.touch()

    @rule(path=st.sampled_from(PATHS), data=st.sampled_from(CONTENTS))
    def write(self, path: str, data: bytes) -> None:
        place = self.root / path
        if place.is_file() or self.free(path):
            place.write_bytes(data)

    @precondition(has_files)
    @rule(number=which, data=st.sampled_from(CONTENTS))
    def edit(self, number: int, data: bytes) -> None:
        self.pick(number).write_bytes(data)

    @precondition(has_files)
    @rule(number=which, time_ns=st.integers(0, 1 << 60))
    def touch(self, number: int, time_ns: int) -> None:
        os.utime(self.pick(number), ns=(time_ns, time_ns))

    @precondition(has_files)
    @rule(number=which)
    def edit_and_put_the_old_time_back(self, number: int) -> None:
        file = self.pick(number)
        stat = file.stat()
        file.write_bytes(file.read_bytes().replace(b"hum", b"mum").replace(b"water", b"honey"))
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    @precondition(has_files)
    @rule(number=which, path=st.sampled_from(PATHS))
    def rename(self, number: int, path: str) -> None:
        if place := self.free(path):
            self.pick(number).rename(place)

    @precondition(has_files)
    @rule(number=which)
    def save_by_rename(self, number: int) -> None:
        file = self.pick(number)
        temporary = file.with_name(".saving")
        temporary.write_bytes(CONTENTS[number % len(CONTENTS)])
        temporary.replace(file)

    @precondition(has_files)
    @rule(number=which)
    def rename_by_case_only(self, number: int) -> None:
        file = self.pick(number)
        other = file.with_name(file.name.swapcase())
        if not other.exists():
            file.rename(other)

    @rule(name=st.sampled_from(["c", "moved", "c/f", "h.md"]), other=st.sampled_from(["c", "moved", "moved/deep", "k"]))
    def move_a_folder(self, name: str, other: str) -> None:
        if (self.root / name).is_dir() and not other.startswith(f"{name}/") and (place := self.free(other)):
            (self.root / name).rename(place)

    @precondition(has_files)
    @rule(number=which)
    def replace_a_note_by_a_folder_of_its_name(self, number: int) -> None:
        file = self.pick(number)
        data = file.read_bytes()
        file.unlink()
        file.mkdir()
        (file / "inner.md").write_bytes(data)

    @precondition(has_files)
    @rule(number=which)
    def copy(self, number: int) -> None:
        if place := self.free("copies/copy.md"):
            shutil.copy2(self.pick(number), place)

    @precondition(has_files)
    @rule(number=which)
    def delete(self, number: int) -> None:
        self.pick(number).unlink()

    @rule(full=st.booleans())
    def index(self, full: bool) -> None:
        self.vault.index(full=full)
        self.after_a_tick()

    @rule(full=st.booleans(), notes=st.integers(1, 4))
    def stop_after_some_notes(self, full: bool, notes: int) -> None:
        told: list[int] = []
        progress = Progress(tell=lambda done, total: told.append(done), stop=lambda: len(told) >= notes)
        self.vault.index(full=full, progress=progress)
        self.after_a_tick()

    @rule(full=st.booleans(), texts=st.integers(0, 5))
    def crash(self, full: bool, texts: int) -> None:
        """Cut a run off in the middle of a batch, and go on with what another process would find."""
        self.embedder.texts, self.embedder.bears = 0, texts
        with suppress(Cut):
            self.vault.index(full=full)
        self.embedder.bears = 1_000_000
        self.vault = self.opened()
        self.after_a_tick()

    @rule()
    def search(self) -> None:
        for excerpt in self.vault.search("hive water loaf", refresh=True):
            assert (self.root / excerpt.path).is_file()
        self.after_a_tick()

    @precondition(has_files)
    @rule(number=which, path=st.sampled_from(["renamed.md", "far/away.md", "far/B.md"]))
    def a_rename_costs_no_embedding(self, number: int, path: str) -> None:
        self.vault.index()
        if place := self.free(path):
            self.pick(number).rename(place)
            self.embedder.texts = 0
            self.vault.index()
            assert self.embedder.texts == 0
        self.after_a_tick()

    def teardown(self) -> None:
        try:
            self.ends_as_a_fresh_index()
        finally:
            self.vault.close()
            self.place.cleanup()

    def ends_as_a_fresh_index(self) -> None:
        self.vault.index()
        with Vault.open(self.root, {**WORDS, "store.path": f"{self.place.name}/fresh.db"}) as fresh:
            fresh.index()
            assert self.content(self.vault) == self.content(fresh)
        assert self.vault.doctor().problems == ()
        assert self.vault.status().stale == 0


# A handful of bytes: nearly every note is a batch of its own. And the largest, in which all are one.
@pytest.mark.parametrize("batches", [Batches(bytes=60), Batches()], ids=["many", "one"])
def test_any_history_of_a_folder_ends_as_indexing_it_from_scratch(content: Content, batches: Batches) -> None:
    history = settings(max_examples=15, stateful_step_count=20)

    class Machine(AnyFolder):
        def __init__(self) -> None:
            super().__init__(content, batches)

    run_state_machine_as_test(Machine, settings=history)


def test_a_year_of_changes_leaves_no_more_than_a_fresh_index(content: Content, tmp_path: Path) -> None:
    (root := tmp_path / "notes").mkdir()
    with (
        Vault.open(root, WORDS) as vault,
        Vault.open(root, {**WORDS, "store.path": str(tmp_path / "fresh.db")}) as fresh,
    ):
        for day in range(60):
            for number in range(20):
                file = root / f"{(day * 7 + number) % 50}.md"
                if number % 5 == 4 and file.exists():
                    file.unlink()
                else:
                    file.write_text(f"# {number}\n\n" + f"Word{day * number} of day {day} hums in the hive. " * 20)
            vault.index()
        fresh.index()
        assert content(vault) == content(fresh)
        pages = [
            database(store).pragma("page_count") - database(store).pragma("freelist_count")
            for store in (vault.store, fresh.store)
        ]
        assert pages[0] <= 1.5 * pages[1] + 10
        slots = [database(store).execute("select max(id) from chunk").get for store in (vault.store, fresh.store)]
        assert slots[0] <= 2 * slots[1]
