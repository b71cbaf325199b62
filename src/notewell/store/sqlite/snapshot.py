"""One state of the file."""

from __future__ import annotations

from notewell.store.sqlite.checked import SqliteReader
from notewell.store.sqlite.links import check_listed
from notewell.store.tables.checked import decodes
from notewell.store.tables.snapshot import TableSnapshot


class SqliteSnapshot(TableSnapshot):
    """One state of the store, inside a read transaction."""

    _db: SqliteReader

    @decodes
    def ids(self) -> dict[str, int]:
        """Return the id of every note, in the order of their paths; an index that lacks some is damage."""
        check_listed(self._db.db)
        return super().ids()
