"""Everything a user can set: its names, defaults, bounds, and a line on each."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from notewell.embed import EmbedRules
from notewell.embed.key import Key
from notewell.index.chunk import ChunkRules
from notewell.index.walk import WalkRules
from notewell.search.fuse import FUSIONS, SearchRules
from notewell.search.rank.decay import DecayRules
from notewell.search.rank.decay_rules import MODES
from notewell.search.rank.graph import GRAPHS


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Where the store lies: a file of its own, or one in the folder where the user has those of all vaults."""

    path: str = ""
    folder: str = ""


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """Where agents may remember."""

    folder: str = ""


@dataclass(frozen=True, slots=True)
class ShowSettings:
    """How hits are shown on a terminal."""

    links: str = "auto"


@dataclass(frozen=True, slots=True)
class DaemonSettings:
    """How the warm process behind the commands does its part."""

    use: bool = True
    idle_minutes: float = 15.0
    max_mb: int = 150


@dataclass(frozen=True, slots=True)
class HookSettings:
    """What the hooks of Claude Code show and replace, and how long they may take.

    The threshold is measured: see docs/concepts/hooks.md.
    """

    threshold: float = 0.45
    max_tokens: int = 500
    timeout_ms: int = 300
    tools: tuple[str, ...] = ("Bash", "Glob", "Grep")
    min_chars: int = 4_000


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a user can set, in the sections of `notewell.toml`."""

    index: WalkRules = WalkRules()
    chunk: ChunkRules = ChunkRules()
    embed: EmbedRules = EmbedRules()
    search: SearchRules = SearchRules()
    decay: DecayRules = DecayRules()
    store: StoreSettings = StoreSettings()
    hook: HookSettings = HookSettings()
    daemon: DaemonSettings = DaemonSettings()
    memory: MemorySettings = MemorySettings()
    show: ShowSettings = ShowSettings()


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting, its value, and where that came from: `default`, a file, a variable, or an `option`."""

    name: str
    value: Any
    source: str
    remark: str = ""


HELP = {
    "index.include": "Folders to index, from the vault's root; none means all",
    "index.exclude": "Patterns of files and folders to leave out, as in a .gitignore",
    "index.hidden": "Index folders and files whose names begin with a dot, too",
    "index.max_bytes": "Files larger than this are skipped, and named in the report",
    "index.max_document_bytes": "The same for PDF, Office and other documents that are no text",
    "index.max_seconds": "How long the reading of one document may take",
    "chunk.max_chars": "A section longer than this is cut at H3, then at paragraphs",
    "chunk.min_chars": "A section shorter than this is no chunk of its own and goes with its neighbour; 0 for none",
    "chunk.target_words": "With overlap_words: words of a window",
    "chunk.overlap_words": "Cut long sections into windows that share this many words; 0 cuts without overlap",
    "embed.model": "`static` (ships with Notewell), a model2vec folder, or `ollama:NAME` and others",
    "embed.url": "Where the server of `ollama:` or `openai:` is; a vault's file may only name this machine",
    "embed.query_prefix": "Put before a query for models that want it; `auto` knows some by their names",
    "embed.passage_prefix": "Put before a passage, likewise; another one makes the store anew",
    "embed.timeout": "Seconds that one request to a server may take while indexing",
    "embed.key": "The server's key: only from the environment, and only sent where the environment says",
    "embed.encoder": "The better model behind the first: `minilm`, a folder, `off`; `auto` is MiniLM if it can run",
    "embed.background": "After `notewell index`, let it read on in the background, at the lowest priority",
    "search.limit": "How many hits a search returns",
    "search.candidates": "How many chunks each retriever may put forward",
    "search.fusion": "How the rankings become one: `scores`, or `rrf`",
    "search.lexical_weight": "What the ranking by words counts",
    "search.vector_weight": "What the ranking by meaning counts",
    "search.fine_weight": "What the ranking by the better model counts",
    "search.on_demand": "How many characters of the best chunks it may read during a search; 0 for none",
    "search.intent": "Let the kind of query move the weights: identifiers, code and errors lean on words",
    "search.variations": "Embed the query in other words, too: its technical words, and a question as a statement",
    "search.graph": "How links rank: `links` (those between the hits), `s10` (PageRank and centrality), or `off`",
    "search.max_tokens": "Cut the hits to this many tokens of text, at 4 characters each; 0 for no limit",
    "decay.mode": "Whether older notes count less: `off`, `half_life`, or `ranked_grouped` (by place in a group)",
    "decay.half_life_days": "With `half_life`: after so many days a note has half its score",
    "decay.group_by": "With `ranked_grouped`: the keys of front matter that name the group; the first that is there",
    "decay.evergreen": "Notes with such a tag or type, or such a key that says true, never lose",
    "decay.overrides": 'Ways under paths: "Journal/ = half_life 30", "Reference/ = off", "Filings/ = one_group 1 0.6"',
    "store.path": "The store's file, from the vault's root; its own file names one in it; empty: .notewell/store.db",
    "store.folder": "Where stores lie that have no store.path, a file for each vault; never set by a vault's file",
    "memory.folder": "The folder where agents may remember, from the vault's root; only notewell.toml can set it",
    "show.links": "What a click on a hit's place opens: `obsidian`, `file`, `vscode`, `off`; `auto` sees what fits",
    "daemon.use": "Let a process stay behind the commands, which answers ten times as fast; also `NOTEWELL_DAEMON`",
    "daemon.idle_minutes": "It ends when nobody asked it anything for so long",
    "daemon.max_mb": "Over so much memory, the encoder apart, and over what a vault needs, it closes others and itself",
    "hook.threshold": "How sure a hook must be of a chunk to show it, from 0 (show all) to 1 (none)",
    "hook.max_tokens": "How many tokens, of 4 characters, a hook may add to a prompt",
    "hook.timeout_ms": "How many milliseconds a hook may take; then it shows nothing, and logs that",
    "hook.tools": "The tools whose long output `notewell hook after` replaces by an extract",
    "hook.min_chars": "Output of a tool shorter than this is left alone",
}

KINDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple: "a list of texts",
    Key: "a text",
}

# The smallest value that makes sense, where one does not.
LEAST = {
    "index.max_bytes": 1,
    "index.max_document_bytes": 1,
    "index.max_seconds": 1,
    "chunk.max_chars": 200,
    "chunk.min_chars": 0,
    "chunk.target_words": 20,
    "chunk.overlap_words": 0,
    "embed.timeout": 1,
    "search.limit": 1,
    "search.candidates": 1,
    "search.lexical_weight": 0,
    "search.vector_weight": 0,
    "search.fine_weight": 0,
    "search.on_demand": 0,
    "search.max_tokens": 0,
    "decay.half_life_days": 1,
    "daemon.idle_minutes": 0,
    "daemon.max_mb": 1,
    "hook.threshold": 0,
    "hook.max_tokens": 100,
    "hook.timeout_ms": 1,
    "hook.min_chars": 1_000,
}


# Settings that may name a folder.
FOLDERS = ("embed.model", "embed.encoder")
# The largest that makes sense: beyond it, clocks and sums overflow.
MOST = {
    # So much is asked of memory to read a file.
    "index.max_bytes": 1 << 32,
    "index.max_document_bytes": 1 << 32,
    "index.max_seconds": 86_400,
    "embed.timeout": 86_400,
    "search.lexical_weight": 1e6,
    "search.vector_weight": 1e6,
    "search.fine_weight": 1e6,
    "decay.half_life_days": 1e6,
    "daemon.idle_minutes": 1e6,
    "hook.threshold": 1,
    # More would fill a prompt, or keep one waiting.
    "hook.max_tokens": 4_000,
    "hook.timeout_ms": 10_000,
}
# What acts on the user and not on the notes: a vault is given away, too, and its file may only make these tighter than
# the user has them. Each tells whether a vault's value is as tight as the user's.
TIGHTER: dict[str, Callable[[Any, Any], bool]] = {
    "daemon.use": operator.le,
    "daemon.idle_minutes": operator.le,
    "daemon.max_mb": operator.le,
    "hook.threshold": operator.ge,
    "hook.max_tokens": operator.le,
    "hook.timeout_ms": operator.le,
    "hook.tools": lambda vaults, users: set(vaults) <= set(users),
    "hook.min_chars": operator.ge,
}
# Settings that are one of a few words.
CHOICES = {
    "search.fusion": tuple(FUSIONS),
    "search.graph": GRAPHS,
    "decay.mode": MODES,
    "show.links": ("auto", "obsidian", "file", "vscode", "off"),
}


def setting_names() -> dict[str, Any]:
    """Return every setting and its default.

    >>> setting_names()["search.limit"]
    10
    """
    defaults = Settings()
    return {
        f"{section.name}.{key.name}": getattr(getattr(defaults, section.name), key.name)
        for section in fields(Settings)
        for key in fields(getattr(defaults, section.name))
    }
