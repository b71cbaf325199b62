"""What was set: the only reader of the settings files, the user's and the vault's, and of the environment."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from notewell.config.domains import SECTION, read_domains
from notewell.config.find_vault import find_root, here, is_vault, nearest_vault
from notewell.config.permissions import (
    DEFAULT,
    FILE,
    FOLDER,
    OPTION,
    PREFIX,
    Setting,
    Who,
    may_set,
    variable_of,
    with_safe_key,
)
from notewell.config.settings import FOLDERS, KINDS, SPECS, Settings, setting_names
from notewell.errors import SettingsError
from notewell.files.safe_open import read_plain
from notewell.files.user import home_folder, user_folder
from notewell.index.dates import LONGEST_FORMAT, MOST_FORMATS
from notewell.index.domains import Domain, Domains
from notewell.names.suggest import did_you_mean, suggest
from notewell.remote.address import Key, parse_address
from notewell.search.rules import read_ladder, read_overrides
from notewell.store.postgres.address import wrong_url

__all__ = [
    "DEFAULT",
    "FILE",
    "FOLDER",
    "Setting",
    "Who",
    "check_name",
    "find_root",
    "given_settings",
    "here",
    "is_vault",
    "load_domains",
    "load_settings",
    "misspelt_variables",
    "nearest_vault",
    "own_selection",
    "public_settings",
    "settings_text",
    "user_file",
    "variable_of",
]

# A short name for a setting; the client of the daemon reads it, too.
ALIASES = {"daemon.use": "NOTEWELL_DAEMON"}
# An unknown variable this similar to a known one is misspelt; others with our prefix belong to somebody else.
NEAR_VARIABLE = 0.9
# A vault's file may come from a stranger, and the time to parse a name of many parts grows with its square: 0.1 s at
# worst with these two limits, a minute for 100,000 bytes without.
LARGEST, DOTS = 32_000, 100
# What decides which files are notes.
SELECTION = ("index.include", "index.exclude")
# Settings that name files or folders, and how long a name and a path may be on any system.
PATHS = (
    *("store.path", "store.folder", "index.include", "embed.model", "embed.encoder", "memory.folder"),
    *("curate.folders", "curate.taxonomy", "curate.queue"),
)
LONGEST_NAME, LONGEST_PATH = 255, 4_000
# Settings that name a server.
SERVERS = ("embed.url", "llm.url")
# What names of settings look like, misspelt ones included.
PLAIN = r"[a-z_.-]{1,32}"


def load_settings(
    root: Path | None, environment: Mapping[str, str], overrides: Mapping[str, Any], domain: Domain | None = None
) -> Settings:
    """Return the settings of a vault: from the user's file, then the vault's, the environment, and the overrides.

    Without a vault, they are the user's for all vaults; with a domain, its own win over those of the vault's file.
    """
    given = given_settings(root, environment, overrides, domain)
    settings = Settings()
    for name, setting in given.items():
        value = _checked(setting)
        check_in_vault = SPECS[name].check_in_vault
        if root and check_in_vault and setting.by is Who.VAULT:
            check_in_vault(root, value)
        section, _, key = name.partition(".")
        settings = replace(settings, **{section: replace(getattr(settings, section), **{key: value})})
    _check_together(settings)
    return replace(
        settings,
        embed=with_safe_key("embed", settings.embed, given.get("embed.url")),
        rerank=with_safe_key("rerank", settings.rerank, given.get("rerank.url")),
        llm=with_safe_key("llm", settings.llm, given.get("llm.url")),
    )


def load_domains(root: Path | None, environment: Mapping[str, str], overrides: Mapping[str, Any]) -> Domains:
    """Return the domains of a vault; a registry, or a setting of a domain, that is wrong is an error."""
    tables = _sections(root / FILE).get(SECTION) if root else None
    domains = read_domains(root, tables)
    for domain in domains:
        load_settings(root, environment, overrides, domain)
    return domains


def given_settings(
    root: Path | None, environment: Mapping[str, str], overrides: Mapping[str, Any], domain: Domain | None = None
) -> dict[str, Setting]:
    """Return the settings that were set, with the value as it was written and its source."""
    users, vaults = _from_file(user_file(environment)), _from_file(root / FILE, FILE) if root else {}
    if domain and root:
        own = _of_folders({**domain.settings}, root)
        vaults |= {name: Setting(name, value, FILE, of=f"{SECTION}.{domain.name}.") for name, value in own.items()}
    options = {name: Setting(name, value, OPTION) for name, value in overrides.items()}
    given = {
        **users,
        **{name: _strict(users.get(name), setting) for name, setting in vaults.items()},
        **_from_environment(environment),
        **options,
    }
    for setting in (*users.values(), *vaults.values(), *options.values(), *given.values()):
        _check_who(setting, given[setting.name], root, environment)
    return given


def own_selection(root: Path, environment: Mapping[str, str], overrides: Mapping[str, Any]) -> str:
    """Return a name for the notes that the environment or options choose, if the settings files choose others.

    All processes of a user read the same files. One that is told otherwise has a store of its own, unless it names one:
    in a shared one, each would remove what the other adds.
    """
    if not any(name in overrides or variable_of(name) in environment for name in SELECTION):
        return ""
    if overrides.get("store.path") or environment.get(variable_of("store.path")):
        return ""
    in_files = {key: value for key, value in environment.items() if not key.startswith(PREFIX)}
    ours, files = (
        [_checked(given[name]) if name in given else setting_names()[name] for name in SELECTION]
        for given in (given_settings(root, environment, overrides), given_settings(root, in_files, {}))
    )
    return "" if ours == files else blake2b(repr(ours).encode("utf-8", "replace"), digest_size=4).hexdigest()


def _check_who(setting: Setting, winner: Setting, root: Path | None, environment: Mapping[str, str]) -> None:
    """Refuse a setting in a place where it may not be set."""
    who = SPECS[setting.name].who if setting.name in SPECS else Who.ANYONE
    if may_set(setting, who) or (who is Who.VAULT and (setting is not winner or not setting.value)):
        return
    hints = {
        Who.USER: f"Set it in {user_file(environment)}, or set {variable_of(setting.name)}",
        Who.ENVIRONMENT: f"Set {variable_of(setting.name)}",
        Who.VAULT: f"Set it in {root / FILE if root else FILE}; elsewhere it can only be emptied",
    }
    raise SettingsError(f"{setting.place} can only be set in {who.value}", hints[who])


def _strict(users: Setting | None, vaults: Setting) -> Setting:
    """Return a vault's setting, or the user's with a remark where only a stricter value is allowed."""
    is_strict = SPECS[vaults.name].is_strict if vaults.name in SPECS else None
    users = users or Setting(vaults.name, setting_names().get(vaults.name), DEFAULT)
    if is_strict is None or is_strict(_checked(vaults), _checked(users)):
        return vaults
    return replace(users, remark=f"{FILE} would loosen it, which a vault may not")


def user_file(environment: Mapping[str, str]) -> Path:
    """Return the path of the user's own settings for all vaults; the file may be missing."""
    # A user without a home has no such file, which is no error.
    return user_folder(environment, home_folder(os.environ)) / FILE


def _from_environment(environment: Mapping[str, str]) -> dict[str, Setting]:
    variables = {name: variable_of(name) for name in setting_names()}
    given = {name: Setting(name, environment[key], key) for name, key in variables.items() if key in environment}
    return given | {name: Setting(name, environment[key], key) for name, key in ALIASES.items() if environment.get(key)}


def misspelt_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return environment variables that set nothing because they are misspelt, each with the likely name."""
    known = {*map(variable_of, setting_names()), *ALIASES.values()}
    ours = [key for key in environment if key.startswith(PREFIX) and key not in known]
    near = {key: suggest(key, sorted(known), limit=1, least=NEAR_VARIABLE) for key in ours}
    return {key: close[0] for key, close in near.items() if close}


def public_settings(settings: Settings) -> dict[str, dict[str, Any]]:
    """Return the settings by section, without the key."""
    return {
        section: {name: value for name, value in values.items() if not isinstance(value, Key)}
        for section, values in asdict(settings).items()
    }


def _from_file(file: Path, source: str = "") -> dict[str, Setting]:
    values = {}
    for section, keys in _sections(file).items():
        if section == SECTION and not source:
            raise SettingsError(f"{file} has domains", f"Name them in the {FILE} of the vault that they divide")
        if section == SECTION:
            continue
        if not isinstance(keys, dict):
            raise SettingsError(
                f"{file}: {_quoted(section)} is outside a section", "Put it under [search], [index] or another section"
            )
        values.update({f"{section}.{key}": value for key, value in keys.items()})
    return {name: Setting(name, value, source or str(file)) for name, value in _of_folders(values, file.parent).items()}


def _of_folders(values: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return settings in which a model's folder is relative to the file that names it, wherever the command runs."""
    return values | {name: str(folder / values[name]) for name in FOLDERS if _is_folder(folder, values.get(name))}


def _sections(file: Path) -> dict[str, Any]:
    """Return the sections of a settings file; none if it is missing."""
    if not os.path.exists(file):  # noqa: PTH110
        return {}
    if not file.is_file():
        raise SettingsError(f"{file} cannot be read: it is not a file", "Move it away to use the defaults")
    # Many vaults have no such file.
    import tomllib  # noqa: PLC0415

    try:
        return tomllib.loads(settings_text(file))
    except (OSError, ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        # Python's own advice is for programs.
        why = "a number in it has too many digits" if "set_int_max_str_digits" in why else why
        raise SettingsError(f"{file} cannot be read: {why}", "Fix it, or move it away to use the defaults") from error


def _is_folder(root: Path, name: Any) -> bool:
    return isinstance(name, str) and bool(name) and os.path.isdir(root / name)  # noqa: PTH112


def settings_text(file: Path) -> str:
    """Return the text of a settings file, empty if it is missing; refuse one that would take long to parse."""
    if not os.path.exists(file):  # noqa: PTH110
        return ""
    content = read_plain(file, LARGEST + 1)
    if len(content) > LARGEST:
        raise ValueError(f"it has more than {LARGEST:,} bytes; all settings with their defaults have 5,000")
    if any(line.count(b".") > DOTS for line in content.split(b"\n")):
        raise ValueError(f"a line has more than {DOTS} dots; split it")
    return content.decode("utf-8-sig")


def check_name(name: str, setting: Setting | None = None) -> None:
    """Refuse a name that is no setting, and suggest the likely one."""
    names = setting_names()
    if name not in names:
        hint = did_you_mean(suggest(name, names, limit=1), "`notewell config --example` lists all of them")
        where = setting.place.removeprefix(name) if setting else ""
        raise SettingsError(f"There is no setting {_quoted(name)}{where}", hint)


def _quoted(name: str) -> str:
    """Return a name that is no setting, unless it may be a key in the wrong place."""
    return f"'{name}'" if re.fullmatch(PLAIN, name) else "of that name"


def _checked(setting: Setting) -> Any:
    """Return the value in the setting's own type; raise an error that says what is wrong with it.

    The error never repeats a text: it may be a key in the wrong place, and errors are logged.
    """
    name, place = setting.name, setting.place
    check_name(name, setting)
    default, spec = setting_names()[name], SPECS[name]
    try:
        value = _converted(setting.value, default)
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        fact = f"{place} should be {KINDS[type(default)]}"
        raise SettingsError(fact, f"{_example(setting, default)}. {spec.help}") from error
    if spec.least is not None and value < spec.least:
        raise SettingsError(f"{place} is {value}, and should be at least {spec.least}", spec.help)
    if spec.most is not None and value > spec.most:
        raise SettingsError(f"{place} is {value}, and should be at most {spec.most:,.0f}", spec.help)
    if spec.choices and value not in spec.choices:
        raise SettingsError(f"{place} should be one of {', '.join(spec.choices)}", spec.help)
    if problem := _problem(name, value):
        raise SettingsError(f"{place} {problem}", spec.help)
    return value


def _problem(name: str, value: Any) -> str:
    """Return the problem of an address, a path or a list of formats; nothing if it has none."""
    texts = (value,) if isinstance(value, str) else value
    if name in PATHS and any(len(os.fsencode(part)) > LONGEST_NAME for text in texts for part in text.split("/")):
        return f"has a name in it that is longer than {LONGEST_NAME} bytes"
    if name in PATHS and any(len(os.fsencode(text)) > LONGEST_PATH for text in texts):
        return f"is longer than {LONGEST_PATH:,} bytes"
    if name == "dates.formats" and len(value) > MOST_FORMATS:
        return f"has {len(value):,} formats, and should have at most {MOST_FORMATS}"
    if name == "dates.formats" and any(len(text) > LONGEST_FORMAT for text in value):
        return f"has a format of more than {LONGEST_FORMAT} characters"
    if name == "store.folder" and value and not Path(os.path.expanduser(value)).is_absolute():
        return "should be an absolute path"
    if name in SERVERS and value:
        try:
            parse_address(value)
        except ValueError as error:
            return str(error)
    return ""


def _example(setting: Setting, default: Any) -> str:
    """Return how the setting is written, in a file or as a variable."""
    section, _, key = setting.name.partition(".")
    listed = list(default) if isinstance(default, tuple) else default
    if setting.by is Who.ENVIRONMENT:
        written = os.pathsep.join(listed) if isinstance(listed, list) else str(default).lower()
        return f"The default is {setting.source}={written}"
    return f"The default is `{key} = {json.dumps(listed, ensure_ascii=False)}` under [{section}]"


def _converted(value: Any, default: Any) -> Any:
    if isinstance(default, bool):
        return _as_bool(value)
    if isinstance(default, tuple):
        # Addresses have colons in them.
        texts = value.split(None if "://" in value else os.pathsep) if isinstance(value, str) else value
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
    """Refuse a text that cannot name a file, model or server: with a zero byte or half a character."""
    if "\0" in text:
        raise ValueError
    # Raises a ValueError, too.
    text.encode("utf-8")


def _as_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    yes, no = ("true", "1", "yes", "on"), ("false", "0", "no", "off")
    return {**dict.fromkeys(yes, True), **dict.fromkeys(no, False)}[str(value).lower()]


def _check_together(settings: Settings) -> None:
    if settings.chunk.overlap_words >= settings.chunk.target_words:
        raise SettingsError("chunk.overlap_words is not below chunk.target_words", "Lower chunk.overlap_words")
    if settings.search.lexical_weight + settings.search.vector_weight <= 0:
        raise SettingsError("search.lexical_weight and search.vector_weight are both 0", "Raise one of them")
    for url, name in ((settings.store.url, "url"), *((url, "replicas") for url in settings.store.replicas)):
        if problem := wrong_url(url, f"store.{name}"):
            raise SettingsError(*problem)
    if settings.store.replicas and not settings.store.url:
        raise SettingsError("store.replicas needs store.url", "Set store.url to the primary server")
    # An error should come now, and not with the first search.
    read_overrides(settings.decay.overrides)
    read_ladder(settings.decay.ladder)
