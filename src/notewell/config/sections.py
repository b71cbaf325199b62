"""The sections of the settings that no room below has rules for."""

from __future__ import annotations

from notewell.frozen import frozen


@frozen
class StoreSettings:
    """Where the store is: in a file of its own, in one folder for the stores of all vaults, or on a server."""

    path: str = ""
    folder: str = ""
    url: str = ""
    replicas: tuple[str, ...] = ()
    name: str = ""


@frozen
class MemorySettings:
    """Where agents may write memories."""

    folder: str = ""


@frozen
class CurateSettings:
    """Which folders Notewell may change notes in, and the files that say how."""

    folders: tuple[str, ...] = ()
    taxonomy: str = "_taxonomy.md"
    queue: str = "_review-queue.md"


@frozen
class IntakeSettings:
    """What enters the vault: the weights of the scores, the two limits, and where notes go.

    The weights were chosen on one vault and checked on three others (docs/decisions/curate.md).
    """

    relevance: float = 0.6
    actionability: float = 0.1
    depth: float = 0.15
    authority: float = 0.15
    accept: float = 0.55
    review: float = 0.4
    folders: tuple[str, ...] = ()
    inbox: str = "Inbox"

    @property
    def weights(self) -> dict[str, float]:
        """Return the weight of each score."""
        names = ("relevance", "actionability", "depth", "authority")
        return {name: getattr(self, name) for name in names}


@frozen
class ShowSettings:
    """How hits are shown on a terminal, and notes opened."""

    links: str = "auto"
    open_with: str = "auto"


@frozen
class DaemonSettings:
    """Whether the daemon answers commands, and what limits it."""

    use: bool = True
    idle_minutes: float = 15.0
    max_mb: int = 150


@frozen
class HookSettings:
    """What the hooks of Claude Code show and replace, and how long they may take.

    The threshold was measured: see docs/concepts/hooks.md.
    """

    threshold: float = 0.45
    max_tokens: int = 500
    timeout_ms: int = 300
    tools: tuple[str, ...] = ("Bash", "Glob", "Grep")
    min_chars: int = 4_000


@frozen
class ServeSettings:
    """What `notewell serve` offers besides its own routes."""

    copilot: bool = False
