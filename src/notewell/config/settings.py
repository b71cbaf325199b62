"""Everything that can be set: names, defaults, bounds, help, and who may set it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from notewell.config.permissions import Who, check_server, check_store_path
from notewell.config.sections import (
    CurateSettings,
    DaemonSettings,
    HookSettings,
    IntakeSettings,
    MemorySettings,
    ServeSettings,
    ShowSettings,
    StoreSettings,
)
from notewell.embed import EmbedRules
from notewell.embed.rules import RerankRules
from notewell.files.survey import WalkRules
from notewell.frozen import frozen
from notewell.index.chunk import ChunkRules
from notewell.index.dates import DateRules
from notewell.llm.rules import OFF, TOOLS, LlmRules
from notewell.remote.address import Key
from notewell.search.fuse import FUSIONS
from notewell.search.rank.links import GRAPHS
from notewell.search.rules import DECAY_MODES, DecayRules, SearchRules


@frozen
class Settings:
    """Everything that can be set, in the sections of `notewell.toml`."""

    index: WalkRules = WalkRules()
    chunk: ChunkRules = ChunkRules()
    dates: DateRules = DateRules()
    embed: EmbedRules = EmbedRules()
    rerank: RerankRules = RerankRules()
    llm: LlmRules = LlmRules()
    search: SearchRules = SearchRules()
    decay: DecayRules = DecayRules()
    store: StoreSettings = StoreSettings()
    hook: HookSettings = HookSettings()
    daemon: DaemonSettings = DaemonSettings()
    memory: MemorySettings = MemorySettings()
    curate: CurateSettings = CurateSettings()
    intake: IntakeSettings = IntakeSettings()
    show: ShowSettings = ShowSettings()
    serve: ServeSettings = ServeSettings()


class Spec(NamedTuple):
    """What a setting may be, and who may set it."""

    help: str
    # The smallest and largest number that makes sense; beyond it, clocks and sums overflow.
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    who: Who = Who.ANYONE
    # Vaults are shared, so settings that affect the user, not the notes, can only be made stricter by a vault's own
    # file. This tells whether the first value is at least as strict as the second.
    is_strict: Callable[[Any, Any], bool] | None = None
    # Refuses values of a vault's own file that could harm its user.
    check_in_vault: Callable[[Path, Any], None] | None = None


SPECS = {
    "index.include": Spec("Folders to index, relative to the vault; empty means all"),
    "index.exclude": Spec("Files and folders to leave out, as .gitignore patterns"),
    "index.hidden": Spec("Also index files and folders whose names begin with a dot"),
    # A file is read into memory whole.
    "index.max_bytes": Spec("Skip larger files; the report names them", least=1, most=1 << 32),
    "index.max_document_bytes": Spec(
        "The same for PDF, Office and other documents that are not text", least=1, most=1 << 32
    ),
    "index.max_seconds": Spec("Seconds that reading one document may take", least=1, most=86_400),
    "chunk.max_chars": Spec("Split longer sections at H3 headings, then at paragraphs", least=200),
    "chunk.min_chars": Spec("Join shorter sections with their neighbour; 0 joins none", least=0),
    "chunk.target_words": Spec("With overlap_words: words in a window", least=20),
    "chunk.overlap_words": Spec(
        "Split long sections into windows that share this many words; 0 splits without overlap", least=0
    ),
    "dates.keys": Spec("Properties with a note's date, used if its file name has none; the first with a date counts"),
    "dates.formats": Spec(
        'Formats of dates in file names, as in Obsidian: "DD MMMM YYYY"; Obsidian\'s own settings always count'
    ),
    "embed.model": Spec("`static` (included), a model2vec folder, or `ollama:NAME` and others"),
    "embed.url": Spec(
        "Address of the server of `ollama:` or `openai:`; a vault's own file may only name this machine",
        check_in_vault=partial(check_server, "embed.url"),
    ),
    "embed.query_prefix": Spec("Text before each query, for models that need it; `auto` knows it for some models"),
    "embed.passage_prefix": Spec("Text before each passage, likewise; changing it embeds all notes again"),
    "embed.timeout": Spec("Seconds that one request to a server may take while indexing", least=1, most=86_400),
    "embed.key": Spec(
        "API key of the server; only from the environment, and only sent to a server that you named",
        who=Who.ENVIRONMENT,
    ),
    "embed.encoder": Spec("The encoder: `minilm`, a folder, or `off`; `auto` is MiniLM if it can run"),
    "embed.background": Spec(
        "Run the encoder after `notewell index`, and rebuild an old store that a hook finds, both in the background"
    ),
    # A reranker reads notes: a vault must not choose where they go, nor which model is run.
    "rerank.model": Spec(
        "The reranker: a folder with model.onnx and tokenizer.json, `sentence-transformers:NAME` or `openai:NAME`; not "
        "in a vault's own file",
        who=Who.USER,
    ),
    "rerank.url": Spec("Address of a server with /v1/rerank; not in a vault's own file", who=Who.USER),
    "rerank.candidates": Spec("How many of the best hits a reranker reads", least=2, most=100),
    "rerank.timeout": Spec(
        "Seconds that a reranking server may take; then the hits stay as they are", least=0.1, most=60
    ),
    "rerank.key": Spec(
        "API key of the server; only from the environment, and only sent to a server that you named",
        who=Who.ENVIRONMENT,
    ),
    "llm.model": Spec(
        "The language model: `ollama:NAME`, `openai:NAME` or `off`; `auto` is the newest of a running Ollama, or the "
        "first that llm.url lists; a vault's own file may only turn it off",
        is_strict=lambda vaults, users: vaults in (OFF, users),
    ),
    "llm.url": Spec(
        "Address of the model's server; empty: Ollama on this machine; not in a vault's own file",
        # Even a server on this machine may be one that the vault's maker knows of.
        is_strict=lambda vaults, users: vaults in ("", users),
    ),
    "llm.tools": Spec(
        "Whether the model may search again, read notes and calculate while it answers; `auto`: unless its name says "
        "that it has fewer than 4 billion parameters; a vault's own file may only turn it off",
        choices=TOOLS,
        is_strict=lambda vaults, users: vaults in (OFF, users),
    ),
    "llm.timeout": Spec("Seconds that a language model may stay silent", least=1, most=86_400),
    "llm.max_seconds": Spec("Seconds that a whole answer of a language model may take", least=1, most=86_400),
    # A vault must not fill the memory of its user's machine.
    "llm.context": Spec(
        "Tokens of context that Ollama keeps for a model; not in a vault's own file",
        least=1_024,
        most=1 << 20,
        who=Who.USER,
    ),
    "llm.key": Spec(
        "API key of the model's server; only from the environment, and only sent to a server that you named",
        who=Who.ENVIRONMENT,
    ),
    "search.limit": Spec("Number of hits", least=1),
    "search.floor": Spec("Hide hits below this relevance, from 0 to 1; 0 shows all", least=0, most=1),
    "search.candidates": Spec("Number of chunks that each retriever may propose", least=1),
    "search.fusion": Spec("How rankings are combined: `scores` or `rrf`", choices=tuple(FUSIONS)),
    "search.lexical_weight": Spec("Weight of the ranking by words", least=0, most=1e6),
    "search.vector_weight": Spec("Weight of the ranking by meaning", least=0, most=1e6),
    "search.fine_weight": Spec("Weight of the ranking by the encoder", least=0, most=1e6),
    "search.note_weight": Spec(
        "How much a whole note counts beside its best lines, in the ranking by words; 1 as shipped", least=0, most=10
    ),
    "search.name_weight": Spec(
        "How much titles, names and properties like the query count; 1 as shipped", least=0, most=10
    ),
    "search.link_weight": Spec("How much links among the hits count; 1 as shipped", least=0, most=10),
    "search.on_demand": Spec(
        "Characters of the best chunks that a search waits for the encoder to embed; 0 for none", least=0
    ),
    "search.intent": Spec("Adapt the weights to the query: identifiers, code and errors rely more on words"),
    "search.variations": Spec(
        "Also embed other wordings of the query: its technical terms, and a question as a statement"
    ),
    # A vault must not make its user's model work, nor keep its user waiting.
    "search.expand": Spec(
        "Let the language model write a passage that might answer the query, and search for that too; not in a vault's "
        "own file",
        who=Who.USER,
    ),
    "search.rerank": Spec("Let the model of rerank.model order the best hits of every search"),
    "search.expand_seconds": Spec(
        "Seconds that the model may take for `search.expand`; then the search goes on without it; not in a vault's own "
        "file",
        least=0.1,
        most=30,
        who=Who.USER,
    ),
    "search.graph": Spec(
        "How links affect ranking: `links` (links among the hits), `s10` (PageRank and centrality), or `off`",
        choices=GRAPHS,
    ),
    "search.max_tokens": Spec("Limit the hits to about this many tokens of 4 characters; 0 for no limit", least=0),
    "decay.mode": Spec(
        "Rank older notes lower: `off`, `half_life`, or `ranked_grouped` (by position in a group)", choices=DECAY_MODES
    ),
    "decay.half_life_days": Spec("With `half_life`: after this many days a note has half its score", least=1, most=1e6),
    "decay.ladder": Spec(
        "With `ranked_grouped`: the shares of its score that a group's newest note keeps, the next, and so on"
    ),
    "decay.group_by": Spec("With `ranked_grouped`: keys of front matter that name the group; the first present counts"),
    "decay.evergreen": Spec("Notes with such a tag or type, or with such a key set to true, never decay"),
    "decay.overrides": Spec(
        'Rules for paths: "Journal/ = half_life 30", "Reference/ = off", "Filings/ = one_group 1 0.6"'
    ),
    "decay.recent_days": Spec(
        "With `decay.recent_gain`: how many days a note counts as recent", least=1, most=1_000_000
    ),
    "decay.recent_gain": Spec(
        "Raise notes that changed lately by this share of the best score; 0 raises none", least=0, most=1
    ),
    "store.path": Spec(
        "File of the store, relative to the vault; a vault's own file must name one inside; empty: .notewell/store.db",
        check_in_vault=check_store_path,
    ),
    "store.folder": Spec(
        "Folder for the stores of vaults without store.path, a file for each; not in a vault's own file", who=Who.USER
    ),
    "store.url": Spec(
        "PostgreSQL database for the stores, `postgresql://role@host/database`; without a password, which belongs in "
        "~/.pgpass or PGPASSWORD; not in a vault's own file",
        who=Who.USER,
    ),
    "store.replicas": Spec(
        "Streaming replicas of that database, as addresses like store.url: searches go to one that can be reached; not "
        "in a vault's own file",
        who=Who.USER,
    ),
    "store.name": Spec(
        "The vault's name in that database, for those who share it; empty: one of its own for each user and folder"
    ),
    "hook.threshold": Spec(
        "How sure a hook must be of a chunk to show it, from 0 (show all) to 1 (show none)",
        least=0,
        most=1,
        is_strict=operator.ge,
    ),
    # More would fill a prompt, or keep one waiting.
    "hook.max_tokens": Spec(
        "Most tokens, of 4 characters, that a hook adds to a prompt", least=100, most=4_000, is_strict=operator.le
    ),
    "hook.timeout_ms": Spec(
        "Milliseconds that a hook may take; after that it shows nothing, and logs it",
        least=1,
        most=10_000,
        is_strict=operator.le,
    ),
    "hook.tools": Spec(
        "Tools whose long output `notewell hook after` replaces by an extract",
        is_strict=lambda vaults, users: set(vaults) <= set(users),
    ),
    "hook.min_chars": Spec("Leave shorter output of a tool as it is", least=1_000, is_strict=operator.ge),
    "daemon.use": Spec(
        "Let the daemon answer commands, four times as fast; also `NOTEWELL_DAEMON`", is_strict=operator.le
    ),
    "daemon.idle_minutes": Spec(
        "The daemon ends after this many minutes without a request", least=0, most=1e6, is_strict=operator.le
    ),
    "daemon.max_mb": Spec(
        "Memory for the daemon, in MB: beyond it, the daemon closes vaults, then exits. The encoder's does not count",
        least=1,
        is_strict=operator.le,
    ),
    "memory.folder": Spec(
        "Folder where agents may write memories, relative to the vault; only a vault's own file can set it",
        who=Who.VAULT,
    ),
    "curate.folders": Spec(
        'Folders whose notes Notewell may change when you rename tags or promote proposals; "." is the whole vault; '
        "empty: none; only a vault's own file can set it",
        who=Who.VAULT,
    ),
    "curate.taxonomy": Spec("The note that lists the tags, what they mean and their aliases"),
    "curate.queue": Spec(
        "The note with proposals that you tick, for `notewell promote`, in one of `curate.folders`; only a vault's own "
        "file can set it",
        who=Who.VAULT,
    ),
    "intake.relevance": Spec("Weight of a signal's relevance: how similar it is to the notes", least=0, most=1e6),
    "intake.actionability": Spec("Weight of its actionability: how much it tells the reader to do", least=0, most=1e6),
    "intake.depth": Spec("Weight of its depth: how much content it has", least=0, most=1e6),
    "intake.authority": Spec("Weight of its authority: how well its source is known", least=0, most=1e6),
    "intake.accept": Spec("From this score on, a signal becomes a note", least=0, most=1),
    "intake.review": Spec(
        "From this score on, a signal goes to the review queue; below, it is dropped", least=0, most=1
    ),
    "intake.folders": Spec(
        "Folders for notes of `notewell intake`, each in one of `curate.folders`: the most similar notes choose; "
        "empty: the domains' folders, or else `intake.inbox`; only a vault's own file can set it",
        who=Who.VAULT,
    ),
    "intake.inbox": Spec(
        "The folder for notes of `notewell intake` without `intake.folders`, below the first of `curate.folders`; "
        "only a vault's own file can set it",
        who=Who.VAULT,
    ),
    "show.links": Spec(
        "What a click on a hit opens: `obsidian`, `file`, `vscode` or `off`; `auto` chooses",
        choices=("auto", "obsidian", "file", "vscode", "off"),
    ),
    "show.open_with": Spec(
        "What `notewell open` uses: `obsidian`, `editor` ($VISUAL or $EDITOR) or `pager`; `auto` chooses",
        choices=("auto", "obsidian", "editor", "pager"),
    ),
    # A vault must not open routes of its user's server.
    "serve.copilot": Spec(
        "Let `notewell serve` answer Copilot for Obsidian, below /v0 and /v1; not in a vault's own file", who=Who.USER
    ),
}

KINDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple: "a list of texts",
    Key: "a text",
}
# Settings that may name a folder.
FOLDERS = ("embed.model", "embed.encoder")


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
