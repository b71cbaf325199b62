"""What the user set: the only reader of `notewell.toml`, the user's and the vault's, and the environment."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from notewell.config.settings import (
    CHOICES,
    FOLDERS,
    HELP,
    KINDS,
    LEAST,
    MOST,
    TIGHTER,
    Setting,
    Settings,
    setting_names,
)
from notewell.embed import EmbedRules
from notewell.embed.address import parse_address
from notewell.embed.key import Key
from notewell.errors import SettingsError, VaultError
from notewell.files.safe_open import MACHINERY
from notewell.files.user import home_folder, user_folder
from notewell.search.rank.decay_rules import read_ways

FILE = "notewell.toml"
FOLDER = ".notewell"
# NOTEWELL_SEARCH_LIMIT stands for search.limit.
PREFIX = "NOTEWELL_"
# A switch of all commands, known by its own name; the client of the warm process reads it, too.
ALIASES = {"daemon.use": "NOTEWELL_DAEMON"}
# How alike two variables are if one is a slip: others of the same beginning belong to somebody else.
NEAR_VARIABLE = 0.9
# A vault's file may be a stranger's, and the time to parse a name of many parts grows with its square: 0.1 s at worst
# with these two, a minute for 100,000 bytes without.
LARGEST, DOTS = 32_000, 100
# What names of settings look like, and those that are mistyped.
PLAIN = r"[a-z_.-]{1,32}"
# Where a value came from that stands in no file and no variable.
DEFAULT, OPTION = "default", "option"
# A vault is copied, shared and given away; a key is not.
KEY = "embed.key"
# Who may write into a vault is said in the vault, where its owner sees it; elsewhere it can only be switched off.
ALLOWED = "memory.folder"
# Where stores lie is the user's to say: a vault's own lies in it.
STORES = "store.folder"


def load_settings(root: Path | None, environment: Mapping[str, str], overrides: Mapping[str, Any]) -> Settings:
    """Return the settings that hold for a vault: the user's file, then the vault's, the environment, the overrides.

    Without a vault, they are the user's for all of them.
    """
    given = given_settings(root, environment, overrides)
    settings = Settings()
    for name, setting in given.items():
        checked = _checked(setting)
        section, _, key = name.partition(".")
        part = replace(getattr(settings, section), **{key: checked})
        settings = replace(settings, **{section: part})
    _check_together(settings)
    if root and "store.path" in given and given["store.path"].source == FILE:
        _check_store(root, settings.store.path)
    folder = settings.store.folder
    if folder and not Path(os.path.expanduser(folder)).is_absolute():
        raise SettingsError(f"{_named(given[STORES])} should be a path from the root", HELP[STORES])
    return replace(settings, embed=_guarded(settings.embed, given.get("embed.url")))


def given_settings(
    root: Path | None, environment: Mapping[str, str], overrides: Mapping[str, Any]
) -> dict[str, Setting]:
    """Return what was set, as it was written, and where; of several, the one that wins."""
    users, vaults = _from_file(user_file(environment)), _from_file(root / FILE, FILE) if root else {}
    if any(KEY in given for given in (users, vaults, overrides)):
        raise SettingsError(f"{KEY} is no setting of a file or an option", f"Set {variable_of(KEY)} in the environment")
    if STORES in vaults:
        hint = f"Set it in {user_file(environment)}, or {variable_of(STORES)}; a vault's file may set store.path, in it"
        raise SettingsError(f"{STORES} is no setting of a vault's {FILE}", hint)
    given = {
        **users,
        **{name: _tightened(users.get(name), one) if name in TIGHTER else one for name, one in vaults.items()},
        **_from_environment(environment),
        **{name: Setting(name, value, OPTION) for name, value in overrides.items()},
    }
    allowed = given.get(ALLOWED)
    if allowed and allowed.value and allowed.source != FILE:
        hint = f"Set it in {root / FILE if root else FILE}; elsewhere it can only be switched off, by an empty text"
        raise SettingsError(f"{_named(allowed)} is a setting of a vault's {FILE} alone", hint)
    return given


def user_file(environment: Mapping[str, str]) -> Path:
    """Return the file of what the user set for all vaults; it need not be there."""
    # Who has no home has no such file; that is no error.
    return user_folder(environment, home_folder(os.environ)) / FILE


def _from_environment(environment: Mapping[str, str]) -> dict[str, Setting]:
    variables = {name: variable_of(name) for name in setting_names()}
    given = {name: Setting(name, environment[key], key) for name, key in variables.items() if key in environment}
    return given | {name: Setting(name, environment[key], key) for name, key in ALIASES.items() if environment.get(key)}


def misspelt_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that are nearly a setting's, and so set nothing, each with the one that may be meant."""
    known = {*map(variable_of, setting_names()), *ALIASES.values()}
    ours = [key for key in environment if key.startswith(PREFIX) and key not in known]
    near = {key: get_close_matches(key, known, n=1, cutoff=NEAR_VARIABLE) for key in ours}
    return {key: close[0] for key, close in near.items() if close}


def _tightened(users: Setting | None, vaults: Setting) -> Setting:
    """Return the vault's setting if it is as tight as the user's, else the user's, and that the vault has another."""
    users = users or Setting(vaults.name, setting_names()[vaults.name], DEFAULT)
    if TIGHTER[vaults.name](_checked(vaults), _checked(users)):
        return vaults
    return replace(users, remark=f"{FILE} would loosen it, which a vault may not")


def variable_of(name: str) -> str:
    """Return the variable of the environment that stands for a setting.

    >>> variable_of("search.limit")
    'NOTEWELL_SEARCH_LIMIT'
    """
    return PREFIX + name.replace(".", "_").upper()


def _is_folder(root: Path, name: Any) -> bool:
    return isinstance(name, str) and bool(name) and os.path.isdir(root / name)  # noqa: PTH112


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
    return _nearest(start, (FILE, FOLDER, ".obsidian")) or start


def nearest_vault(start: Path | None) -> Path | None:
    """Return the nearest folder upward with settings or a store of Notewell's; Obsidian's mark is not enough."""
    return _nearest(start, (FILE, FOLDER)) if start and start.is_absolute() else None


def _nearest(start: Path, marks: tuple[str, ...]) -> Path | None:
    folders = (start, *start.parents)
    # os.path.exists is False for a folder that may not be read, where Path.exists raises an error.
    return next((folder for folder in folders if any(map(os.path.exists, map(folder.joinpath, marks)))), None)


def _from_file(file: Path, source: str = "") -> dict[str, Setting]:
    if not os.path.exists(file):  # noqa: PTH110
        return {}
    if not file.is_file():
        raise SettingsError(f"{file} cannot be read: it is no file", "Move it away to use the defaults")
    # Many vaults have no such file.
    import tomllib  # noqa: PLC0415

    try:
        sections = tomllib.loads(text_of(file))
    except (OSError, ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise SettingsError(f"{file} cannot be read: {why}", "Mend it, or move it away to use the defaults") from error
    values = {}
    for section, keys in sections.items():
        if not isinstance(keys, dict):
            raise SettingsError(
                f"{file}: {_quoted(section)} stands outside a section", "Put it under [search], [index], …"
            )
        values.update({f"{section}.{key}": value for key, value in keys.items()})
    # A model's folder that a file names lies beside the file, wherever the command is typed.
    values |= {name: str(file.parent / values[name]) for name in FOLDERS if _is_folder(file.parent, values.get(name))}
    return {name: Setting(name, value, source or str(file)) for name, value in values.items()}


def text_of(file: Path) -> str:
    """Return the text of a settings file; nothing, where there is none. One that takes long to parse is refused."""
    if not os.path.exists(file):  # noqa: PTH110
        return ""
    with file.open("rb") as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ValueError(f"it has more than {LARGEST:,} bytes, and all settings with their defaults have 5,000")
    if any(line.count(b".") > DOTS for line in content.split(b"\n")):
        raise ValueError(f"a line has more than {DOTS} dots; split it")
    return content.decode("utf-8-sig")


def check_name(name: str, where: str = "") -> None:
    """Refuse what is no setting, with what may be meant."""
    names = setting_names()
    if name not in names:
        near = get_close_matches(name, names, n=1)
        hint = f"Did you mean {near[0]}?" if near else "`notewell config --example` lists all of them"
        raise SettingsError(f"There is no setting {_quoted(name)}{where}", hint)


def _quoted(name: str) -> str:
    """Return the name of what is no setting, if it reads like one; else it may be a key in the wrong place."""
    return f"'{name}'" if re.fullmatch(PLAIN, name) else "of that name"


def _named(setting: Setting) -> str:
    """Return a setting's name, and where its value stands."""
    return f"{setting.name}{_where(setting)}"


def _where(setting: Setting) -> str:
    return "" if setting.source in (OPTION, DEFAULT) else f" in {setting.source}"


def _checked(setting: Setting) -> Any:
    """Return the value in the setting's own type, or say what is wrong with it.

    A text is not repeated: it may be a key in the wrong place, and errors are logged.
    """
    name, said = setting.name, _named(setting)
    check_name(name, _where(setting))
    default = setting_names()[name]
    try:
        value = _converted(setting.value, default)
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        fact = f"{said} should be {KINDS[type(default)]}"
        raise SettingsError(fact, f"{_example(setting, default)}. {HELP[name]}") from error
    if name in LEAST and value < LEAST[name]:
        raise SettingsError(f"{said} is {value}, and should be at least {LEAST[name]}", HELP[name])
    if name in MOST and value > MOST[name]:
        raise SettingsError(f"{said} is {value}, and should be at most {MOST[name]:,.0f}", HELP[name])
    if name in CHOICES and value not in CHOICES[name]:
        raise SettingsError(f"{said} should be one of {', '.join(CHOICES[name])}", HELP[name])
    return value


def _example(setting: Setting, default: Any) -> str:
    """Return how a setting is written, where it was written wrong."""
    section, _, key = setting.name.partition(".")
    listed = list(default) if isinstance(default, tuple) else default
    # Only whoever wrote something wrong pays for it.
    from json import dumps  # noqa: PLC0415

    if setting.source.startswith(PREFIX):
        written = os.pathsep.join(listed) if isinstance(listed, list) else str(default).lower()
        return f"The default would be {setting.source}={written}"
    return f"The default would be `{key} = {dumps(listed, ensure_ascii=False)}` under [{section}]"


def _converted(value: Any, default: Any) -> Any:
    if isinstance(default, bool):
        return _as_bool(value)
    if isinstance(default, tuple):
        texts = value.split(os.pathsep) if isinstance(value, str) else value
        if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
            raise TypeError
        _check_text("".join(texts))
        return tuple(text for text in texts if text)
    if isinstance(value, bool) or (isinstance(default, str) and not isinstance(value, str)):
        raise TypeError
    if isinstance(default, int) and isinstance(value, float):
        raise TypeError
    if isinstance(value, str):
        _check_text(value)
    converted = type(default)(value)
    if isinstance(converted, float) and not math.isfinite(converted):
        raise ValueError
    return converted


def _check_text(text: str) -> None:
    """Refuse what no file, model or server can be called: a zero byte, and half a character."""
    if "\0" in text:
        raise ValueError
    # A ValueError, too, where that cannot be.
    text.encode("utf-8")


def _as_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    yes, no = ("true", "1", "yes", "on"), ("false", "0", "no", "off")
    return {**dict.fromkeys(yes, True), **dict.fromkeys(no, False)}[str(value).lower()]


def _check_together(settings: Settings) -> None:
    if settings.chunk.overlap_words >= settings.chunk.target_words:
        raise SettingsError(
            "chunk.overlap_words is not below chunk.target_words", "Windows would not move on; lower it"
        )
    if settings.search.lexical_weight + settings.search.vector_weight <= 0:
        raise SettingsError("search.lexical_weight and search.vector_weight are both 0", "Raise one of them")
    # What cannot be read is told of now, and not by the first search.
    read_ways(settings.decay.overrides)


def _check_store(root: Path, path: str) -> None:
    """Refuse a store that a vault's file has outside of it: a stranger would say where files of yours are made."""
    place = Path(os.path.normpath(root / os.path.expanduser(path)))
    if path and (place == root or not place.is_relative_to(root) or _is_others(place.relative_to(root))):
        raise SettingsError(
            f"{FILE} sets store.path to a place outside the vault, or in a folder of another program's",
            f"Name one in it, or set {STORES} in your own file, or {variable_of('store.path')}",
        )


def _is_others(path: Path) -> bool:
    return not MACHINERY.isdisjoint(path.parts) and path.parts[0] != FOLDER


def _guarded(rules: EmbedRules, url: Setting | None) -> EmbedRules:
    """Return the rules if a vault that somebody gave you cannot send itself, or your key, away by them.

    Its file may name a server on this machine; another machine is named by the user, in their own file, the environment
    or an option, and the key goes only to a server that was named so.
    """
    if not rules.url or url is None:
        return replace(rules, key=Key())
    by_user = url.source != FILE
    try:
        address = parse_address(rules.url)
    except ValueError as error:
        raise SettingsError(f"{_named(url)} {error}", HELP["embed.url"]) from error
    if not by_user and not address.is_here:
        raise SettingsError(
            f"{FILE} sets embed.url to another machine ({address.host})",
            "A vault must not send itself away; set NOTEWELL_EMBED_URL if you want its notes to go there",
        )
    text = rules.key.reveal()
    if not text.isascii() or not text.isprintable() or " " in text:
        raise SettingsError("NOTEWELL_EMBED_KEY holds signs that no key has", "Copy it again, without line breaks")
    if rules.key and by_user and address.scheme == "http" and not address.is_here:
        raise SettingsError(
            f"A key would go to {address.host} for everyone on the way to read",
            "Use https, or unset NOTEWELL_EMBED_KEY",
        )
    return rules if by_user else replace(rules, key=Key())
