"""Notewell: a local-first hybrid retriever for a folder of notes."""

# Not from `typing`, which takes half as long to load as Python: the command imports this before it asks the daemon.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from notewell.errors import NotewellError
    from notewell.graph.link_report import Links, NoteLink
    from notewell.index.place import Reading
    from notewell.index.report import Progress, Report, Status
    from notewell.memory import Forgotten, Remembered
    from notewell.memory.near import Near
    from notewell.session import Session
    from notewell.store import About
    from notewell.types.note import Chunk
    from notewell.types.query import Filters, Query
    from notewell.types.results import Compared, DeepHit, DeepResults, Excerpt, Hit, Results, Step, Visit, Vote
    from notewell.vault import Vault

__all__ = [
    "About",
    "Chunk",
    "Compared",
    "DeepHit",
    "DeepResults",
    "Excerpt",
    "Filters",
    "Forgotten",
    "Hit",
    "Links",
    "Near",
    "NoteLink",
    "NotewellError",
    "Progress",
    "Query",
    "Reading",
    "Remembered",
    "Report",
    "Results",
    "Session",
    "Status",
    "Step",
    "Vault",
    "Visit",
    "Vote",
    "__version__",
]

__version__ = "0.1.0"

# Loaded on first use, so that a command without them does not wait for numpy.
_HOMES = {
    "notewell.types.query": ("Filters", "Query"),
    "notewell.errors": ("NotewellError",),
    "notewell.index.place": ("Reading",),
    "notewell.graph.link_report": ("Links", "NoteLink"),
    "notewell.index.report": ("Progress", "Report", "Status"),
    "notewell.memory": ("Forgotten", "Remembered"),
    "notewell.memory.near": ("Near",),
    "notewell.session": ("Session",),
    "notewell.store": ("About",),
    "notewell.types.note": ("Chunk",),
    "notewell.types.results": (
        "Compared",
        "DeepHit",
        "DeepResults",
        "Excerpt",
        "Hit",
        "Results",
        "Step",
        "Visit",
        "Vote",
    ),
    "notewell.vault": ("Vault",),
}


def __getattr__(name: str) -> object:
    from importlib import import_module  # noqa: PLC0415

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'notewell' has no attribute '{name}'")
