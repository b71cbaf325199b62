"""Another application beside the routes, made at its first request: most servers never answer an agent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio.to_thread
from anyio.abc import TaskGroup, TaskStatus
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from notewell.frozen import frozen


@frozen
class Mounted:
    """An application beside the routes, which answers at a path and below it: `/mcp`.

    It sees the whole path, ends with the server, and is behind the same guard. `make` is called at the first request,
    in a thread: the library of `/mcp` takes 25 MB and half a second to load. The guard words errors of a `detailed` one
    as `{"detail": text}`.
    """

    path: str
    make: Callable[[], Starlette]
    detailed: bool = False

    def answers(self, path: str) -> bool:
        """Tell whether a path belongs to it.

        >>> Mounted("/mcp", Starlette).answers("/mcp/more"), Mounted("/mcp", Starlette).answers("/mcpx")
        (True, False)
        """
        return path == self.path or path.startswith(f"{self.path}/")


class Running:
    """A mounted application while the server runs."""

    def __init__(self, mounted: Mounted) -> None:
        self.mounted = mounted
        self._app: Starlette | None = None
        self._group: TaskGroup
        self._making: anyio.Lock
        self._end: anyio.Event

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; the first one waits until the application has begun."""
        async with self._making:
            if self._app is None:
                app = await anyio.to_thread.run_sync(self.mounted.make)
                await self._group.start(self._run, app)
                self._app = app
        await self._app(scope, receive, send)

    async def _run(self, app: Starlette, *, task_status: TaskStatus[None]) -> None:
        """Begin and end an application in one task, which its own tasks need."""
        async with app.router.lifespan_context(app):
            task_status.started()
            await self._end.wait()

    @asynccontextmanager
    async def beside(self) -> AsyncIterator[None]:
        """Let it answer inside the block; at the end, wait until it has ended."""
        self._making, self._end = anyio.Lock(), anyio.Event()
        async with anyio.create_task_group() as self._group:
            try:
                yield
            finally:
                self._end.set()
