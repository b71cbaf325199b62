"""What a user can set about the language model: which one, at which address, with which key and limits."""

from __future__ import annotations

from dataclasses import dataclass

from notewell.remote.address import Key

# The newest model of an Ollama that answers; and none.
AUTO, OFF = "auto", "off"
# How Ollama marks models that it passes on to its makers' servers.
CLOUD = ("-cloud", ":cloud")


@dataclass(frozen=True, slots=True)
class LlmRules:
    """Which language model answers, and how long it may take."""

    model: str = AUTO
    url: str = ""
    timeout: float = 60.0
    max_seconds: float = 300.0
    context: int = 8_192
    key: Key = Key()


def is_cloud(name: str) -> bool:
    """Tell whether an Ollama passes a model's texts on to another machine, by the model's name.

    >>> is_cloud("gpt-oss:120b-cloud"), is_cloud("gpt-oss:20b")
    (True, False)
    """
    return name.lower().endswith(CLOUD)
