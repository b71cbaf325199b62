"""What a user can set about the language model: which one, at which address, with which key and limits."""

from __future__ import annotations

import re

from notewell.frozen import frozen
from notewell.remote.address import Key

# The newest model of an Ollama that answers; and none.
AUTO, OFF = "auto", "off"
# How Ollama marks models that it passes on to its makers' servers.
CLOUD = ("-cloud", ":cloud")
# Whether a model may call tools; `auto` depends on its size.
TOOLS = (AUTO, "on", OFF)
# Billions of parameters from which models call tools well enough, and how names tell them: qwen3:4b, Llama-3.2-3B.
SIZE, NAMED_SIZE = 4.0, re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)([bm])(?![a-z\d])", re.IGNORECASE)


@frozen
class LlmRules:
    """Which language model answers, and how long it may take."""

    model: str = AUTO
    url: str = ""
    timeout: float = 60.0
    max_seconds: float = 300.0
    context: int = 8_192
    tools: str = AUTO
    key: Key = Key()


def is_cloud(name: str) -> bool:
    """Tell whether an Ollama passes a model's texts on to another machine, by the model's name.

    >>> is_cloud("gpt-oss:120b-cloud"), is_cloud("gpt-oss:20b")
    (True, False)
    """
    return name.lower().endswith(CLOUD)


def offers_tools(tools: str, name: str) -> bool:
    """Tell whether a model is offered tools: with `auto`, unless its name says that it is small.

    >>> offers_tools("auto", "llama3.2:1b"), offers_tools("auto", "qwen3:8b-q4"), offers_tools("auto", "gpt-5")
    (False, True, True)
    >>> offers_tools("on", "llama3.2:1b"), offers_tools("auto", "smollm2-135M-instruct")
    (True, False)
    """
    sizes = [float(size) / (1_000 if unit in "mM" else 1) for size, unit in NAMED_SIZE.findall(name)]
    return tools == "on" or (tools == AUTO and all(size >= SIZE for size in sizes))
