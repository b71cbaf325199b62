"""An indexing run over HTTP, reported line by line to the client that started it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from notewell.errors import NotewellError
from notewell.index.background_run import BackgroundRun
from notewell.serve.answering import IndexingProgress
from notewell.serve.http.problems import INTERNAL, problem_of
from notewell.serve.json_data import as_data, json_bytes

# How often the progress of a run is checked, in seconds.
LOOK_SECONDS = 0.05


class JsonLines(StreamingResponse):
    """An answer that is sent line by line, each line JSON."""

    media_type = "application/x-ndjson"


class RunLines(JsonLines):
    """The lines of a run; if the client disconnects, the run stops after the current note."""

    def __init__(self, run: BackgroundRun) -> None:
        super().__init__(_lines(run))
        self._run = run

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines until the run ends or the client is gone."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._run.leave()


async def wait_for_start(run: BackgroundRun) -> BackgroundRun:
    """Wait until a run has something to report, and return it; raise its error if it has failed."""
    while not run.is_over and run.progress == (0, 0):
        await asyncio.sleep(LOOK_SECONDS)
    if run.error:
        raise run.error
    return run


async def _lines(run: BackgroundRun) -> AsyncIterator[bytes]:
    """Yield the progress, a line for each change, and at last the report or the error."""
    reported = 0, 0
    while not run.is_over:
        if run.progress != reported:
            reported = run.progress
            yield json_bytes(as_data(IndexingProgress(*reported))) + b"\n"
        await asyncio.sleep(LOOK_SECONDS)
    if run.report is not None:
        yield json_bytes(as_data(run.report)) + b"\n"
    else:
        yield (problem_of(run.error) if isinstance(run.error, NotewellError) else INTERNAL).body + b"\n"
