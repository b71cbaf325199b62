"""Settings: the only reader of `notewell.toml` and the environment."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from notewell.embed import EmbedRules
from notewell.embed.address import parse_address
from notewell.embed.key import Key
from notewell.errors import SettingsError, VaultError
from notewell.index.chunk import ChunkRules
from notewell.index.walk import WalkRules
from notewell.search.fuse import FUSIONS, SearchRules
from notewell.search.rank.decay import DecayRules
from notewell.search.rank.graph import GRAPHS
from notewell.search.rank.ways import MODES, read_ways

FILE = "notewell.toml"
FOLDER = ".notewell"
# NOTEWELL_SEARCH_LIMIT stands for search.limit.
PREFIX = "NOTEWELL_"
# A vault is copied, shared and given away; a key is not.
KEY = "embed.key"
# Who may write into a vault is said in the vault, where its owner sees it; elsewhere it can only be switched off.
ALLOWED = "memory.folder"


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Where the store lies."""

    path: str = ""


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """Where agents may remember."""

    folder: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a user can set, in the sections of `notewell.toml`."""

    index: WalkRules = WalkRules()
    chunk: ChunkRules = ChunkRules()
    embed: EmbedRules = EmbedRules()
    search: SearchRules = SearchRules()
    decay: DecayRules = DecayRules()
    store: StoreSettings = StoreSettings()
    memory: MemorySettings = MemorySettings()


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
    "store.path": "The store's file, from the vault's root; empty means .notewell/store.db",
    "memory.folder": "The folder where agents may remember, from the vault's root; only notewell.toml can set it",
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
}


# Settings that may name a folder.
FOLDERS = ("embed.model", "embed.encoder")
# The largest that makes sense: beyond it, clocks and sums overflow.
MOST = {
    "index.max_seconds": 86_400,
    "embed.timeout": 86_400,
    "search.lexical_weight": 1e6,
    "search.vector_weight": 1e6,
    "search.fine_weight": 1e6,
    "decay.half_life_days": 1e6,
}
# Settings that are one of a few words.
CHOICES = {"search.fusion": tuple(FUSIONS), "search.graph": GRAPHS, "decay.mode": MODES}


def load_settings(root: Path, environment: Mapping[str, str], overrides: Mapping[str, Any]) -> Settings:
    """Return the vault's settings: its file, then the environment, then the overrides."""
    in_file, named = _from_file(root / FILE), {**_from_environment(environment), **overrides}
    if KEY in in_file or KEY in overrides:
        raise SettingsError(f"{KEY} is no setting of a file or an option", "Set NOTEWELL_EMBED_KEY in the environment")
    if named.get(ALLOWED):
        hint = f"Set it in {root / FILE}; elsewhere it can only be switched off, by an empty text"
        raise SettingsError(f"{ALLOWED} is a setting of {FILE} alone", hint)
    # A model's folder that the vault's file names lies in the vault, wherever the command is typed.
    in_file |= {name: str(root / in_file[name]) for name in FOLDERS if _is_folder(root, in_file.get(name))}
    values = {**in_file, **named}
    settings = Settings()
    for name, value in values.items():
        checked = _checked(name, value)
        section, _, key = name.partition(".")
        part = replace(getattr(settings, section), **{key: checked})
        settings = replace(settings, **{section: part})
    _check_together(settings)
    return replace(settings, embed=_guarded(settings.embed, by_user="embed.url" in named))


def _is_folder(root: Path, name: Any) -> bool:
    return isinstance(name, str) and bool(name) and "\0" not in name and (root / name).is_dir()


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


def shown_settings(settings: Settings) -> dict[str, dict[str, Any]]:
    """Return the settings by section, as others may see them: without the key."""
    return {
        section: {name: value for name, value in values.items() if not isinstance(value, Key)}
        for section, values in asdict(settings).items()
    }


def here() -> Path:
    """Return the current folder."""
    try:
        return Path.cwd()
    except OSError as error:
        raise VaultError("The current folder is gone", "Go to another one, or name the vault with --vault") from error


def find_root(start: Path) -> Path:
    """Return the nearest folder upward that is a vault, of ours or of Obsidian, or `start` itself."""
    marks = (FILE, FOLDER, ".obsidian")
    # os.path.exists takes a folder that may not be looked into for one without marks.
    return next(
        (folder for folder in (start, *start.parents) if any(map(os.path.exists, map(folder.joinpath, marks)))), start
    )


def _from_file(file: Path) -> dict[str, Any]:
    if not file.exists():
        return {}
    if not file.is_file():
        raise SettingsError(f"{file} cannot be read: it is no file", "Move it away to use the defaults")
    try:
        sections = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"{file} cannot be read: {error}", "Mend it, or move it away to use the defaults"
        ) from error
    values = {}
    for section, keys in sections.items():
        if not isinstance(keys, dict):
            raise SettingsError(f"{file}: '{section}' stands outside a section", "Put it under [search], [index], …")
        values.update({f"{section}.{key}": value for key, value in keys.items()})
    return values


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    variables = {PREFIX + name.replace(".", "_").upper(): name for name in setting_names()}
    return {name: environment[variable] for variable, name in variables.items() if variable in environment}


def _checked(name: str, value: Any) -> Any:
    """Return the value in the setting's own type, or say what is wrong with it."""
    names = setting_names()
    if name not in names:
        near = get_close_matches(name, names, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"The settings are {', '.join(names)}"
        raise SettingsError(f"There is no setting '{name}'", hint)
    try:
        value = _converted(value, names[name])
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise SettingsError(f"{name} is {value!r}, and should be {KINDS[type(names[name])]}", HELP[name]) from error
    if name in LEAST and value < LEAST[name]:
        raise SettingsError(f"{name} is {value}, and should be at least {LEAST[name]}", HELP[name])
    if name in MOST and value > MOST[name]:
        raise SettingsError(f"{name} is {value}, and should be at most {MOST[name]:,.0f}", HELP[name])
    if name in CHOICES and value not in CHOICES[name]:
        raise SettingsError(f"{name} is '{value}', and should be one of {', '.join(CHOICES[name])}", HELP[name])
    return value


def _converted(value: Any, default: Any) -> Any:
    if isinstance(default, bool):
        return _as_bool(value)
    if isinstance(default, tuple):
        texts = value.split(os.pathsep) if isinstance(value, str) else value
        if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
            raise TypeError
        return tuple(text for text in texts if text)
    if isinstance(value, bool) or (isinstance(default, str) and not isinstance(value, str)):
        raise TypeError
    if isinstance(default, int) and isinstance(value, float):
        raise TypeError
    if isinstance(value, str) and "\0" in value:
        raise ValueError
    converted = type(default)(value)
    if isinstance(converted, float) and not math.isfinite(converted):
        raise ValueError
    return converted


def _as_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[str(value).lower()]


def _check_together(settings: Settings) -> None:
    if settings.chunk.overlap_words >= settings.chunk.target_words:
        raise SettingsError(
            "chunk.overlap_words is not below chunk.target_words", "Windows would not move on; lower it"
        )
    if settings.search.lexical_weight + settings.search.vector_weight <= 0:
        raise SettingsError("search.lexical_weight and search.vector_weight are both 0", "Raise one of them")
    # What cannot be read is told of now, and not by the first search.
    read_ways(settings.decay.overrides)


def _guarded(rules: EmbedRules, by_user: bool) -> EmbedRules:
    """Return the rules if a vault that somebody gave you cannot send itself, or your key, away by them.

    Its file may name a server on this machine; another machine is named by the user, in the environment or an option,
    and the key goes only to a server that was named so.
    """
    if not rules.url:
        return replace(rules, key=Key())
    try:
        address = parse_address(rules.url)
    except ValueError as error:
        raise SettingsError(f"embed.url {error}", HELP["embed.url"]) from error
    if not by_user and not address.is_here:
        raise SettingsError(
            f"{FILE} sets embed.url to another machine ({address})",
            "A vault must not send itself away; set NOTEWELL_EMBED_URL if you want its notes to go there",
        )
    text = rules.key.reveal()
    if not text.isascii() or not text.isprintable() or " " in text:
        raise SettingsError("NOTEWELL_EMBED_KEY holds signs that no key has", "Copy it again, without line breaks")
    if rules.key and by_user and address.scheme == "http" and not address.is_here:
        raise SettingsError(
            f"A key would go to {address} for everyone on the way to read", "Use https, or unset NOTEWELL_EMBED_KEY"
        )
    return rules if by_user else replace(rules, key=Key())
