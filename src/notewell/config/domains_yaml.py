"""`_domains.yaml`, a registry of domains as other programs write it, read into our own names."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from notewell.errors import SettingsError
from notewell.files.safe_open import read_plain

YAML = "_domains.yaml"
# Four domains take 2,000 bytes. A file may come from a stranger, and aliases in it can stand for much more.
LARGEST = 64_000
# Prefixes of model names that Notewell can load, besides folders.
MODELS = ("static", "minilm", "words", "ollama:", "openai:", "sentence-transformers:")
# What a length or a dimension says follows from the model.
DERIVED = ("embedding_dim",)


def read_yaml(root: Path) -> dict[str, dict[str, Any]]:
    """Return the domains of the file as tables like those of `notewell.toml`, with what has no effect as `problems`."""
    # Few vaults have such a file.
    import yaml  # noqa: PLC0415

    file = root / YAML
    try:
        data = read_plain(file, LARGEST + 1)
        if len(data) > LARGEST:
            raise ValueError(f"it has more than {LARGEST:,} bytes")
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(data.decode("utf-8-sig"))):
            raise ValueError("it has aliases")
        written = yaml.safe_load(data.decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        why = f"line {mark.line + 1} is not YAML" if mark else str(error) or type(error).__name__
        raise SettingsError(f"{file} cannot be read: {why}", "Fix it, or move it away to have no domains") from error
    if not isinstance(written, Mapping):
        raise SettingsError(f"{file} names no domain", "Write a block for each domain, with its name as the key")
    return {_text(name): _table(_text(name), values, root) for name, values in written.items()}


def _table(name: str, values: Any, root: Path) -> dict[str, Any]:
    """Return a domain's block as a table; a key that Notewell does not know is named among the problems."""
    if values is not None and not isinstance(values, Mapping):
        raise SettingsError(f"{YAML}: the domain '{name}' should be a block of keys", "Write legacy: true, or folders")
    table: dict[str, Any] = {}
    problems: list[str] = []
    for key, value in _flat(values or {}):
        read = READERS.get(key)
        if read is not None:
            read(table, value, problems, root)
        elif key not in DERIVED:
            problems.append(f"{YAML}: '{key}' of the domain '{name}' has no effect")
    return {**table, "problems": problems}


def _flat(values: Mapping[Any, Any], above: str = "") -> list[tuple[str, Any]]:
    """Return values by their dotted keys; one block below another counts as its own dotted key does."""
    found: list[tuple[str, Any]] = []
    for key, value in values.items():
        name = above + _text(key)
        whole = name in READERS or not isinstance(value, Mapping)
        found += [(name, value)] if whole else _flat(value, f"{name}.")
    return found


def _text(value: Any) -> str:
    """Return a value as it was probably written: YAML reads `off` as false.

    >>> _text(False), _text(True), _text("off"), _text(None)
    ('off', 'on', 'off', '')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    return "" if value is None else str(value)


Reader = Callable[[dict[str, Any], Any, list[str], Path], None]


def _as(section: str, key: str, *, text: bool = False) -> Reader:
    """Return a reader for a key that is a setting of ours under another name."""

    def read(table: dict[str, Any], value: Any, problems: list[str], root: Path) -> None:
        table.setdefault(section, {})[key] = _text(value) if text else value

    return read


def _own(key: str) -> Reader:
    def read(table: dict[str, Any], value: Any, problems: list[str], root: Path) -> None:
        listed = value if key == "legacy" or isinstance(value, list) else [value]
        table[key] = [*table.get(key, []), *listed] if key != "legacy" else value

    return read


def _model(table: dict[str, Any], value: Any, problems: list[str], root: Path) -> None:
    """Take a model that Notewell can load; a name of a hub cannot be, as nothing is fetched."""
    name = _text(value)
    if name.startswith(MODELS) or os.path.isdir(root / os.path.expanduser(name)):  # noqa: PTH112
        table.setdefault("embed", {})["model"] = name
    else:
        problems.append(f"{YAML}: the model '{name}' is not on this machine, so embed.model of the vault is used")


def _ladder(table: dict[str, Any], value: Any, problems: list[str], root: Path) -> None:
    table.setdefault("decay", {})["ladder"] = " ".join(map(_text, value)) if isinstance(value, list) else value


def _weight(table: dict[str, Any], value: Any, problems: list[str], root: Path) -> None:
    """Take the weight of words, which is beside a weight of 1 for vectors."""
    table.setdefault("search", {}).update({"lexical_weight": value})
    table["search"].setdefault("vector_weight", 1.0)


def _overrides(table: dict[str, Any], value: Any, problems: list[str], root: Path) -> None:
    """Take rules for paths: a ladder by path, or a mode."""
    rules = []
    for path, rule in (value if isinstance(value, Mapping) else {}).items():
        ladder = rule.get("group_by_path_prefix") if isinstance(rule, Mapping) else None
        if isinstance(ladder, list):
            rules.append(f"{_text(path)}/ = one_group {' '.join(map(_text, ladder))}")
        elif isinstance(rule, Mapping) and isinstance(rule.get("ladder"), list):
            rules.append(f"{_text(path)}/ = ranked_grouped {' '.join(map(_text, rule['ladder']))}")
        else:
            mode = rule.get("mode") if isinstance(rule, Mapping) else rule
            rules.append(f"{_text(path)}/ = {_text(mode)}")
    table.setdefault("decay", {})["overrides"] = rules


READERS: dict[str, Reader] = {
    "legacy": _own("legacy"),
    **dict.fromkeys(("folders", "folder", "subfolder", "subfolders", "include"), _own("folders")),
    **dict.fromkeys(("exclude",), _own("exclude")),
    "taxonomy": _as("curate", "taxonomy"),
    "review_queue": _as("curate", "queue"),
    "embedding": _model,
    "decay.mode": _as("decay", "mode", text=True),
    "decay.half_life_days": _as("decay", "half_life_days"),
    "decay.ladder": _ladder,
    "decay.evergreen": _as("decay", "evergreen"),
    "decay.group_by": _as("decay", "group_by"),
    "decay.recency_boost_days": _as("decay", "recent_days"),
    "decay.recency_boost_amount": _as("decay", "recent_gain"),
    "decay.kind_overrides": _overrides,
    "lexical.weight": _weight,
    "vector.weight": _as("search", "vector_weight"),
}
