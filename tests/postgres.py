"""A real PostgreSQL server for tests: one for each process that runs them, made when it is first asked for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from notewell.serve.own_server import SETTINGS, OwnServer, is_root

# What a test writes need not survive a power cut.
IN_TESTS = {**SETTINGS, "fsync": "off", "full_page_writes": "off", "shared_buffers": "32MB"}


@contextmanager
def own_server(**settings: str) -> Iterator[OwnServer]:
    """Start a server of its own; it is gone at the end."""
    # Not in pytest's folder: only root could open it, and PostgreSQL does not run as root.
    folder = Path(mkdtemp(prefix="notewell-server-"))
    if is_root():
        os.chmod(folder, 0o711)  # noqa: PTH101
    server = OwnServer(folder / "server", {**IN_TESTS, **settings})
    try:
        server.up()
        yield server
    finally:
        server.down()
        shutil.rmtree(folder)
