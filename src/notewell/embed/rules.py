"""What a user can set of an embedder: which one, where it is, and what it wants before a text."""

from __future__ import annotations

from dataclasses import dataclass

from notewell.embed.key import Key

# Kinds that are asked over HTTP.
REMOTE = ("ollama", "openai")
# A prefix that is looked up by the model's name.
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class EmbedRules:
    """Where vectors come from."""

    model: str = "static"
    encoder: str = AUTO
    background: bool = True
    url: str = ""
    query_prefix: str = AUTO
    passage_prefix: str = AUTO
    timeout: float = 30.0
    key: Key = Key()

    @property
    def is_remote(self) -> bool:
        """Tell whether texts are sent to a server."""
        return self.model.startswith(tuple(f"{kind}:" for kind in REMOTE))
