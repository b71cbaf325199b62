"""Text to text: finds the language model that the settings name; Ollama, or a server with OpenAI's interface."""

from __future__ import annotations

from notewell.llm.messages import MAX_TOKENS, Call, Message, Model, Piece, Reply, Text, Thinking, Tool
from notewell.llm.rules import OFF, LlmRules, offers_tools
from notewell.llm.stoppable import StoppableModel, within

__all__ = [
    "MAX_TOKENS",
    "Call",
    "LlmRules",
    "Message",
    "Model",
    "Piece",
    "Reply",
    "StoppableModel",
    "Text",
    "Thinking",
    "Tool",
    "find_model",
    "offers_tools",
    "within",
]


def find_model(rules: LlmRules) -> Model | None:
    """Return the model that `rules.model` names; for `auto`, the newest of an Ollama that answers, or None.

    >>> find_model(LlmRules("off")) is None
    True
    """
    if rules.model == OFF:
        return None
    # HTTP and TLS take 30 ms to load: only commands that ask a model pay for it.
    from notewell.llm.find import load_model  # noqa: PLC0415

    return load_model(rules)
