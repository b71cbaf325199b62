"""Notewell: a local-first hybrid retriever for a folder of notes."""

# Not from `typing`, which takes half as long to load as Python: the command imports this before it asks the daemon.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from notewell.chat import ask
    from notewell.chat.verification import verify
    from notewell.domains.listing import DomainList, DomainReport
    from notewell.entities.report import Entities, EntityDetails, EntityRow, OtherSpelling
    from notewell.errors import NotewellError
    from notewell.graph.link_report import LinkCounts, Links, NoteLink, WantedNote
    from notewell.graph.overview import Bridge, Community, Graph, NoteStanding
    from notewell.graph.traverse import Walk
    from notewell.index.place import Reading
    from notewell.index.report import Diagnosis, EncoderProgress, Progress, Reason, Redaction, Report, Status
    from notewell.index.secrets import Secret, SecretReport
    from notewell.memory import Forgotten, Remembered
    from notewell.memory.near import Near
    from notewell.session import Session
    from notewell.store import About
    from notewell.types.answer import Answer, Citation, Verification
    from notewell.types.note import Chunk
    from notewell.types.notices import Notice
    from notewell.types.query import Filters, Query
    from notewell.types.results import (
        Compared,
        DeepHit,
        DeepResults,
        EntityPlace,
        Excerpt,
        Hit,
        NamedEntity,
        Neighbour,
        Relation,
        Results,
        Step,
        Visit,
        Vote,
    )
    from notewell.vault import Vault

__all__ = [
    "About",
    "Answer",
    "Bridge",
    "Chunk",
    "Citation",
    "Community",
    "Compared",
    "DeepHit",
    "DeepResults",
    "Diagnosis",
    "DomainList",
    "DomainReport",
    "EncoderProgress",
    "Entities",
    "EntityDetails",
    "EntityPlace",
    "EntityRow",
    "Excerpt",
    "Filters",
    "Forgotten",
    "Graph",
    "Hit",
    "LinkCounts",
    "Links",
    "NamedEntity",
    "Near",
    "Neighbour",
    "NoteLink",
    "NoteStanding",
    "NotewellError",
    "Notice",
    "OtherSpelling",
    "Progress",
    "Query",
    "Reading",
    "Reason",
    "Redaction",
    "Relation",
    "Remembered",
    "Report",
    "Results",
    "Secret",
    "SecretReport",
    "Session",
    "Status",
    "Step",
    "Vault",
    "Verification",
    "Visit",
    "Vote",
    "Walk",
    "WantedNote",
    "__version__",
    "ask",
    "verify",
]

__version__ = "0.1.0"

# Loaded on first use, so that a command without them does not wait for numpy.
_HOMES = {
    "notewell.domains.listing": ("DomainList", "DomainReport"),
    "notewell.entities.report": ("Entities", "EntityDetails", "EntityRow", "OtherSpelling"),
    "notewell.errors": ("NotewellError",),
    "notewell.graph.link_report": ("LinkCounts", "Links", "NoteLink", "WantedNote"),
    "notewell.graph.overview": ("Bridge", "Community", "Graph", "NoteStanding"),
    "notewell.graph.traverse": ("Walk",),
    "notewell.index.place": ("Reading",),
    "notewell.index.report": ("Diagnosis", "EncoderProgress", "Progress", "Reason", "Redaction", "Report", "Status"),
    "notewell.index.secrets": ("Secret", "SecretReport"),
    "notewell.memory": ("Forgotten", "Remembered"),
    "notewell.memory.near": ("Near",),
    "notewell.session": ("Session",),
    "notewell.store": ("About",),
    "notewell.chat": ("ask",),
    "notewell.chat.verification": ("verify",),
    "notewell.types.answer": ("Answer", "Citation", "Verification"),
    "notewell.types.note": ("Chunk",),
    "notewell.types.notices": ("Notice",),
    "notewell.types.query": ("Filters", "Query"),
    "notewell.types.results": (
        "Compared",
        "DeepHit",
        "DeepResults",
        "EntityPlace",
        "Excerpt",
        "Hit",
        "NamedEntity",
        "Neighbour",
        "Relation",
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
