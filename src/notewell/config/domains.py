"""The registry of domains, read and checked: `[domains.NAME]` in a vault's settings, or its file `_domains.yaml`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from notewell.config.domains_yaml import YAML, read_yaml
from notewell.config.permissions import FILE
from notewell.errors import SettingsError
from notewell.files.safe_open import ALWAYS_EXCLUDED, path_without_links
from notewell.index.domains import LEGACY, Domain, Domains, derive, is_below
from notewell.names.suggest import did_you_mean, suggest

# The section of the settings file, and what a domain's table says of the domain itself.
SECTION = "domains"
OWN_KEYS = ("folders", "exclude", "legacy")
# What a domain may set for itself: what is about its notes, and not about the user or the machine.
DOMAIN_SETTINGS = (
    *("embed.model", "embed.query_prefix", "embed.passage_prefix"),
    *("search.lexical_weight", "search.vector_weight"),
    *("decay.mode", "decay.half_life_days", "decay.ladder", "decay.group_by", "decay.evergreen", "decay.overrides"),
    *("decay.recent_days", "decay.recent_gain"),
    *("curate.taxonomy", "curate.queue"),
)
# A name is part of a file's name, on every system, and a word in a query. The names of devices mean no file on Windows.
NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,30}[A-Za-z0-9])?")
DEVICES = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)\d)", re.IGNORECASE)
# Each domain is a file that a search opens.
MOST = 64

NO_DOMAINS = Domains()


def read_domains(root: Path | None, tables: Mapping[str, Any] | None) -> Domains:
    """Return the domains of a vault, given the `[domains]` of its settings file; a registry that is wrong is an error.

    Nothing is written. A vault with neither that section nor a `_domains.yaml` has no domains.
    """
    in_yaml = root is not None and os.path.lexists(root / YAML)
    if tables is not None and in_yaml:
        raise SettingsError(
            f"Domains are in both {FILE} and {YAML}", f"Keep one: move the domains of {YAML} to {FILE}, or the other"
        )
    if root is None or (tables is None and not in_yaml):
        return NO_DOMAINS
    written, where = (read_yaml(root), YAML) if in_yaml else (tables, FILE)
    if not isinstance(written, Mapping) or not written:
        raise SettingsError(f"{where} names no domain", "Write a table for each, such as [domains.work], or remove it")
    if len(written) > MOST:
        raise SettingsError(f"{where} has {len(written):,} domains", f"{MOST} at most are allowed")
    _check_names(written, where)
    given = [_domain(name, table, where, root) for name, table in written.items()]
    _check_together(given, where, root)
    return derive(given)


def _check_names(names: Mapping[str, Any], where: str) -> None:
    for name in names:
        if not isinstance(name, str) or not NAME.fullmatch(name) or DEVICES.fullmatch(name):
            raise SettingsError(
                f"{where} has a domain whose name cannot be part of a file's name",
                "Use up to 32 of the letters A to Z, digits, - and _, with a letter or digit at both ends",
            )
    for one, other in combinations(names, 2):
        if one.casefold() == other.casefold():
            raise SettingsError(f"{where} has two domains called '{one}' and '{other}'", "Rename one of them")


def _domain(name: str, table: Any, where: str, root: Path) -> Domain:
    """Return one domain as it is written; what it leaves out is derived from its name."""
    if not isinstance(table, Mapping):
        raise SettingsError(f"{where}: {_entry(name)} should be a table", 'Write folders = ["Name of a folder"] in it')
    legacy = table.get("legacy", name == LEGACY and "folders" not in table)
    if not isinstance(legacy, bool):
        raise SettingsError(f"{where}: {_entry(name)} should have true or false for legacy", "Write legacy = true")
    problems = tuple(table.get("problems", ())) if where == YAML else ()
    settings = dict(_settings(name, table, where))
    if legacy:
        for key in ("folders", "exclude"):
            if key in table:
                raise SettingsError(
                    f"{where}: {_entry(name)} is the legacy domain, and has {key}",
                    "It takes what no other domain claims: name folders in the others, or use index.exclude",
                )
        return Domain(name, legacy=True, settings=settings, problems=problems)
    folders = _folders(name, table, "folders", where, root) or (_folder_called(name, root),)
    exclude = _folders(name, table, "exclude", where, root)
    if outside := [folder for folder in exclude if not is_below(folder, folders) and folder not in folders]:
        raise SettingsError(
            f"{where}: {_entry(name)} excludes {outside[0]}, which is not below its folders", "Remove it from exclude"
        )
    if all(folder in exclude for folder in folders):
        raise SettingsError(f"{where}: {_entry(name)} excludes all its folders", "Leave it at least one folder")
    return Domain(
        name, tuple(folder for folder in folders if folder not in exclude), exclude, False, settings, problems
    )


def _settings(name: str, table: Mapping[str, Any], where: str) -> Iterator[tuple[str, Any]]:
    """Yield the settings of a domain by their full names, as they are written."""
    for section, values in table.items():
        if section in OWN_KEYS or (where == YAML and section == "problems"):
            continue
        full = [f"{section}.{key}" for key in values] if isinstance(values, Mapping) else [str(section)]
        for setting, value in zip(full, values.values() if isinstance(values, Mapping) else [values], strict=True):
            if setting not in DOMAIN_SETTINGS:
                known = (*OWN_KEYS, *DOMAIN_SETTINGS)
                raise SettingsError(
                    f"{where}: {_entry(name)} has a key that a domain cannot have",
                    did_you_mean(suggest(setting, known, limit=1), f"A domain may have {', '.join(known)}"),
                )
            yield setting, value


def _folders(name: str, table: Mapping[str, Any], key: str, where: str, root: Path) -> tuple[str, ...]:
    """Return folders of a domain as paths from the root, each once; one outside the vault is an error."""
    written = table.get(key, [])
    texts = [written] if isinstance(written, str) else written
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) and "\0" not in text for text in texts):
        raise SettingsError(f"{where}: {_entry(name)} should have a list of folders as {key}", f'Write {key} = ["A"]')
    return tuple(dict.fromkeys(_inside(name, text, where, root) for text in texts))


def _inside(name: str, written: str, where: str, root: Path) -> str:
    path = os.path.normpath(written.strip().replace("\\", "/")).replace(os.sep, "/")
    absolute = Path(written).is_absolute() or written.startswith(("/", "\\", "~"))
    if absolute or path == ".." or path.startswith("../") or path_without_links(root, path) is None:
        raise SettingsError(
            f"{where}: {_entry(name)} has a folder outside the vault", "Name folders by their path from the vault"
        )
    if path == ".":
        raise SettingsError(
            f"{where}: {_entry(name)} claims the whole vault, and leaves nothing to the others",
            "Name folders of the vault, or write legacy = true",
        )
    if not ALWAYS_EXCLUDED.isdisjoint(path.split("/")):
        raise SettingsError(f"{where}: {_entry(name)} has a folder that is never indexed", "Name a folder with notes")
    return path


def _folder_called(name: str, root: Path) -> str:
    """Return the folder at the root that is called like the domain, whatever its case; else the name itself."""
    try:
        folders = sorted(entry.name for entry in os.scandir(root) if entry.is_dir(follow_symlinks=False))
    except OSError:
        folders = []
    same = [folder for folder in folders if folder.casefold() == name.casefold()]
    return name if name in same or not same else same[0]


def _check_together(domains: Sequence[Domain], where: str, root: Path) -> None:
    """Refuse two legacy domains, a folder that two domains claim, and a name that the derived one needs."""
    legacy = [domain.name for domain in domains if domain.legacy]
    if len(legacy) > 1:
        raise SettingsError(
            f"{where} has two legacy domains, {legacy[0]} and {legacy[1]}", "Only one takes what no other claims"
        )
    if not legacy and any(domain.name.casefold() == LEGACY for domain in domains):
        raise SettingsError(
            f"{where} gives folders to the domain {LEGACY}, and no domain takes the rest",
            f"Write legacy = true in one of the others, or rename {LEGACY}",
        )
    for one, other in combinations(domains, 2):
        for folder in one.folders:
            for another in other.folders:
                _check_apart((one, folder), (other, another), where, root)


def _check_apart(one: tuple[Domain, str], other: tuple[Domain, str], where: str, root: Path) -> None:
    (first, folder), (second, another) = one, other
    if folder == another or _is_same(root / folder, root / another):
        raise SettingsError(
            f"{where}: {first.name} and {second.name} both claim {another}", "Name the folder in one of them"
        )
    for (outer, above), (inner, below) in ((one, other), (other, one)):
        if is_below(below, [above]) and not any(below == out or is_below(below, [out]) for out in outer.exclude):
            raise SettingsError(
                f"{where}: {inner.name} claims {below}, which {outer.name} claims with {above}",
                f'Write exclude = ["{below}"] in {outer.name}, or remove the folder from {inner.name}',
            )


def _is_same(one: Path, other: Path) -> bool:
    """Tell whether two folders are one, by a link or on a system that ignores case."""
    try:
        return os.path.samefile(one, other)  # noqa: PTH121
    except OSError:
        return False


def _entry(name: str) -> str:
    return f"the domain '{name}'"
