"""A run of indexing over HTTP, told line by line to whoever started it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from notewell.errors import NotewellError
from notewell.freshness import BackgroundRun
from notewell.serve import forms
from notewell.serve.answers import of_report
from notewell.serve.http.problems import INTERNAL, encoded

# How often a run's progress is looked at, in seconds.
LOOK_SECONDS = 0.05


class Lines(StreamingResponse):
    """An answer that comes line by line, each of them JSON."""

    media_type = "application/x-ndjson"


class RunLines(Lines):
    """A run told line by line; who listens no more ends it, with the note at hand."""

    def __init__(self, run: BackgroundRun) -> None:
        super().__init__(_lines(run))
        self._run = run

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell it to its end, or until the client is gone."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._run.leave()


async def begun(run: BackgroundRun) -> BackgroundRun:
    """Wait until there is something to tell of a run: progress, the end, or an error, which is raised."""
    while not run.is_over and run.progress == (0, 0):
        await asyncio.sleep(LOOK_SECONDS)
    if run.error:
        raise run.error
    return run


async def _lines(run: BackgroundRun) -> AsyncIterator[bytes]:
    """Yield how far it is, a line each, and at last the report, or the error."""
    told = 0, 0
    while not run.is_over:
        if run.progress != told:
            told = run.progress
            yield encoded(dict(zip(("done", "total"), told, strict=True))) + b"\n"
        await asyncio.sleep(LOOK_SECONDS)
    yield encoded(_failure(run.error) if run.report is None else of_report(run.report)) + b"\n"


def _failure(error: BaseException | None) -> forms.Failure:
    if isinstance(error, NotewellError):
        return {"error": error.fact, "hint": error.hint}
    return {"error": INTERNAL.fact, "hint": INTERNAL.hint}
