"""A model that any thread can stop: because its time is up, or because nobody waits for it any more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock, Timer

from notewell.llm.messages import MAX_TOKENS, Message, Model, Reply, Tool


class StoppableModel:
    """Another model with a `stop`, which ends its replies at once, also the one that is being read."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._lock = Lock()
        self._reply: Reply | None = None
        self.stopped = False
        # Whether it was stopped because its time was up.
        self.late = False

    @property
    def name(self) -> str:
        """Return its name on the server."""
        return self._model.name

    @property
    def server(self) -> str:
        """Return the address of the server."""
        return self._model.server

    @property
    def is_here(self) -> bool:
        """Tell whether what it is told stays on this machine."""
        return self._model.is_here

    @property
    def takes_tools(self) -> bool:
        """Tell whether it takes tools, as far as known."""
        return self._model.takes_tools

    @property
    def context(self) -> int:
        """Return how many tokens a conversation and its answer may have."""
        return self._model.context

    def reply(self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, max_tokens: int = MAX_TOKENS) -> Reply:
        """Return the answer to a conversation; after `stop`, one that is closed."""
        reply = self._model.reply(messages, tools, max_tokens=max_tokens)
        with self._lock:
            self._reply = reply
        if self.stopped:
            reply.close()
        return reply

    def stop(self) -> None:
        """End the reply that is being read, and all later ones."""
        self.stopped = True
        with self._lock:
            reply = self._reply
        if reply:
            reply.close()

    def end_late(self) -> None:
        """Stop because the time is up; whoever asked still waits for an answer."""
        self.late = True
        self.stop()


@contextmanager
def within(model: Model, seconds: float) -> Iterator[StoppableModel]:
    """Yield the model, and stop it after some seconds."""
    limited = StoppableModel(model)
    timer = Timer(seconds, limited.end_late)
    timer.daemon = True
    timer.start()
    try:
        yield limited
    finally:
        timer.cancel()
