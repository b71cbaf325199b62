"""A move to a server and back, killed before its steps: the other end has nothing or everything, and the next ends it.

Not before each of some hundred steps, as all batches of notes are the same.
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from tests.crash.places import Perform
from tests.measure.test_moving import content
from tests.store.servers import connections, shared_server

from notewell import Vault
from notewell.measure.moving import FILE, move

pytestmark = pytest.mark.postgres


class Ends:
    """A vault of a few notes, whose store is in a file and on a server."""

    def __init__(self, root: Path) -> None:
        self.root, self.url = root, shared_server().url()
        with (root / "notewell.toml").open("a") as stream:
            stream.write('[embed]\nmodel = "words"\nencoder = "words"\n[store]\nname = "moving"\n')
        with self.open() as vault:
            vault.index()
            vault.encode()
            self.content = content(vault)
        assert self.content["chunks"] and self.content["edges"] and self.content["skipped"]

    def open(self, url: str = "") -> Vault:
        return Vault.open(self.root, {"store.url": url})

    def empty_server(self) -> None:
        with connections().taken() as db:
            # Rows of stores that are gone belong to nobody.
            if db.execute("select to_regclass('notewell.vault') is not null").fetchone() == (True,):
                db.execute("delete from notewell.vault where name = 'moving'")

    def empty_file(self) -> None:
        shutil.rmtree(self.root / ".notewell", ignore_errors=True)

    def kill(self, perform: Perform, start: str, to: str, again: Callable[[], None], names: Sequence[str]) -> None:
        """Kill moves from one end to the other before the last step of each of these names, and finish them."""
        end = "" if to == FILE else to
        for _ in range(2):
            again()
            # The first of all makes files in the user's folder of state.
            steps = perform("move", self.root, {"store.url": start}, to).steps
        left = set[bool]()
        for name in names:
            again()
            at = len(steps) - 1 - steps[::-1].index(name)
            ended = perform("move", self.root, {"store.url": start}, to, at=at)
            assert ended.code == -signal.SIGKILL, f"{name}: {ended.said}"
            with self.open(start) as vault, self.open(end) as other:
                left.add(other.indexed)
                assert not other.indexed or content(other) == self.content, name
                other.close()
                assert move(vault, to).different == (), name
            with self.open(end) as other:
                assert content(other) == self.content and other.store.about().encoded > 0, name
        with self.open(start) as vault, self.open(end) as other:
            assert content(vault) == self.content and other.doctor().problems == ()
        assert left == {False, True}, "some were killed before the exchange, and some after it"


@pytest.fixture
def ends(few_notes: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ends]:
    monkeypatch.setattr("notewell.measure.moving.ASKED", 3)
    made = Ends(few_notes)
    made.empty_server()
    yield made
    made.empty_server()


def test_to_a_server(ends: Ends, perform: Perform) -> None:
    # While the build is made: in its last batch of notes, with what is derived, in the exchange and after it.
    made = ("server insert chunk", "server insert edge", "server insert fine")
    ends.kill(perform, "", ends.url, ends.empty_server, [*made, "server update notewell", "server delete notewell"])


def test_back_to_the_file(ends: Ends, perform: Perform) -> None:
    with ends.open() as vault:
        move(vault, ends.url)
    made = ("create table chunk", "insert chunk", "insert fine")
    ends.kill(perform, ends.url, FILE, ends.empty_file, [*made, "copy the store", "wal_checkpoint"])
