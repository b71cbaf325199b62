"""What is said to a language model, and what it says back: all values are frozen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol

from notewell.frozen import frozen

# Tokens that an answer may have, thinking included.
MAX_TOKENS = 2_048

Role = Literal["system", "user", "assistant", "tool"]
# How a reply ended: nothing while it goes on; by itself; at `max_tokens`; or by `close`.
Ended = Literal["", "stop", "length", "closed"]


@frozen
class Call:
    """A tool that the model wants called; its arguments are the JSON text that the model wrote, checked by nobody."""

    id: str
    name: str
    arguments: str = "{}"


@frozen
class Message:
    """One message of a conversation.

    An `assistant` may have made calls. The result of a call is a `tool` message with the call's id and the tool's name.
    """

    role: Role
    text: str
    calls: tuple[Call, ...] = ()
    call_id: str = ""
    name: str = ""


@frozen
class Tool:
    """A function that the model may call; the parameters are a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@frozen
class Thinking:
    """A piece of what the model thinks before it answers."""

    text: str


@frozen
class Text:
    """A piece of the answer."""

    text: str


Piece = Thinking | Text | Call


class Reply(Protocol):
    """The pieces of an answer as they come. Nothing is sent before the first one is asked for."""

    @property
    def ended(self) -> Ended:
        """Return how it ended, or nothing while it goes on."""

    def __iter__(self) -> Iterator[Piece]:
        """Return itself."""

    def __next__(self) -> Piece:
        """Return the next piece; an LlmError if the server fails."""

    def close(self) -> None:
        """End it from any thread; a thread that waits for a piece gets no more."""


class Model(Protocol):
    """A language model on a server."""

    @property
    def name(self) -> str:
        """Return its name on the server."""

    @property
    def server(self) -> str:
        """Return the address of the server."""

    @property
    def is_here(self) -> bool:
        """Tell whether what it is told stays on this machine."""

    @property
    def takes_tools(self) -> bool:
        """Tell whether it takes tools, as far as known: False once it refused them and was asked without."""

    @property
    def context(self) -> int:
        """Return how many tokens a conversation and its answer may have."""

    def reply(self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, max_tokens: int = MAX_TOKENS) -> Reply:
        """Return the answer to a conversation; the texts must have been redacted."""
