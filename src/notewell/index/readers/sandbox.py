"""Runs readers, the risky ones in a process of their own: a file that hangs or crashes it costs only itself."""

from __future__ import annotations

import json
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from typing import IO, TYPE_CHECKING, Any, Self

from notewell.errors import NoteError, NoteOutOfReach
from notewell.files.formats import Format
from notewell.index.readers.content import Content, within_limits
from notewell.index.readers.loading import reader_of
from notewell.types.note import Part

if TYPE_CHECKING:
    import subprocess

# A message begins with its length, in this many bytes.
LENGTH = 8
# Seconds that the process has to end by itself.
GRACE = 2.0


class Extraction:
    """Runs readers; the sandbox process starts with the first file that needs it, and again if it dies."""

    def __init__(self, max_seconds: int) -> None:
        self.max_seconds = max_seconds
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def extract(self, format: Format, data: bytes) -> Content:
        """Return what the format's reader extracts from the bytes, or raise `NoteError`."""
        if not format.sandboxed:
            return within_limits(reader_of(format.reader).extract(data))
        answer = self._ask(format, data)
        if "missing" in answer:
            raise NoteOutOfReach(
                f"reading {format.name} needs {answer['missing']}; pip install 'notewell[{format.extra}]'",
                "Install it, then index again",
            )
        if "fact" in answer:
            raise NoteError(answer["fact"], answer["hint"])
        parts = (Part(line, name, tuple(under)) for line, name, under in answer["parts"])
        return Content(answer["text"], tuple(parts), answer["title"], tuple(answer["warnings"]))

    def _ask(self, format: Format, data: bytes) -> dict[str, Any]:
        process, began = self._running(), time.monotonic()
        assert process.stdin is not None and process.stdout is not None
        try:
            send(process.stdin, json.dumps({"reader": format.reader, "seconds": self.max_seconds}).encode())
            send(process.stdin, data)
            answer = receive(process.stdout)
        except OSError:
            answer = None
        if answer is None:
            self._end()
            took = time.monotonic() - began
            late = f"not read within {self.max_seconds} seconds (index.max_seconds)"
            fact = late if took >= self.max_seconds else "its reader crashed on it"
            raise NoteError(fact, "Repair it, exclude it, or raise index.max_seconds and run `notewell index --full`")
        return json.loads(answer)  # type: ignore[no-any-return]

    def _running(self) -> subprocess.Popen[bytes]:
        # Only reading documents needs it.
        import subprocess  # noqa: PLC0415

        if self._process is None:
            self._process = subprocess.Popen(
                # -P: Python must not import modules from the current folder, which may be the vault.
                [sys.executable, "-P", "-m", "notewell.index.readers.sandbox_worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # A library may quote the note there, secrets included.
                stderr=subprocess.DEVNULL,
            )
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        from subprocess import TimeoutExpired  # noqa: PLC0415

        try:
            process.wait(GRACE)
        except TimeoutExpired:
            process.kill()
            process.wait()


def send(pipe: IO[bytes], message: bytes) -> None:
    """Write a message, its length first."""
    pipe.write(len(message).to_bytes(LENGTH, "big"))
    pipe.write(message)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes | None:
    """Return the next message, or None if the other side is gone."""
    head = pipe.read(LENGTH)
    if len(head) < LENGTH:
        return None
    length = int.from_bytes(head, "big")
    message = pipe.read(length)
    return message if len(message) == length else None


def message_of(content: Content) -> bytes:
    """Return content as a message."""
    parts = [(part.line, part.name, part.under) for part in content.parts]
    return json.dumps({**asdict(content), "parts": parts}).encode()
