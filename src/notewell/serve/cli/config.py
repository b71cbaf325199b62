"""`notewell config`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from notewell.config import (
    DEFAULT,
    FILE,
    Setting,
    Who,
    check_name,
    given_settings,
    load_settings,
    settings_text,
    user_file,
    variable_of,
)
from notewell.config.settings import SPECS, setting_names
from notewell.files.control_chars import escaped
from notewell.remote.address import Key
from notewell.serve.cli.options import json_option, open_vault, print_json, vault_option
from notewell.serve.say import echo
from notewell.serve.width import width_of

# A wider value does not widen the column.
WIDE = 24


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in setting_names() if name.startswith(incomplete)]


@click.command("config")
@click.argument("name", default="", metavar="[NAME]", shell_complete=_complete)
@vault_option
@click.option("--example", is_flag=True, help="Print a notewell.toml with all settings and defaults, commented out")
@json_option
def command(name: str, vault: Path | None, example: bool, as_json: bool) -> None:
    """Show every setting, its value, and where it was set

    NAME is a setting such as search.limit, shown with its help, or a section. To change a setting, write it into your
    own ~/.config/notewell/notewell.toml or into notewell.toml in the vault, or set its environment variable; the later
    of these wins. In a vault's file, [daemon] and [hook] can only be stricter than in yours, since the vault may come
    from someone else.

    \b
    Example:
        notewell config
        notewell config search.limit
        notewell config --example > notewell.toml
    """
    if example:
        echo("\n".join(_example()))
        return
    with open_vault(vault) as opened:
        settings = [setting for setting in effective_settings(opened.root, os.environ) if _is_asked(setting.name, name)]
    if not settings:
        check_name(name)
    if as_json:
        print_json([_as_data(setting) for setting in settings])
    elif len(settings) == 1 and name == settings[0].name:
        _print_one(settings[0])
    else:
        _print_all(settings)


def effective_settings(root: Path, environment: Mapping[str, str]) -> list[Setting]:
    """Return every setting with the value that holds, and where it came from."""
    settings, given = load_settings(root, environment, {}), given_settings(root, environment, {})
    users = str(user_file(environment))
    lines = {FILE: settings_text(root / FILE).splitlines(), users: settings_text(Path(users)).splitlines()}
    found = []
    for name, default in setting_names().items():
        section, _, key = name.partition(".")
        setting = given.get(name, Setting(name, default, DEFAULT))
        line = _line_of(lines.get(setting.source, ()), section, key)
        source = f"{setting.source}:{line}" if line else setting.source
        found.append(replace(setting, value=getattr(getattr(settings, section), key), source=source))
    return found


def _line_of(lines: Sequence[str], section: str, key: str) -> int:
    """Return the number of the line that sets a key, or 0 if it is written in an unusual way."""
    inside = False
    for number, line in enumerate(lines, start=1):
        if line.lstrip().startswith("["):
            inside = line.partition("#")[0].strip() == f"[{section}]"
        elif inside and line.partition("=")[0].strip() == key:
            return number
    return 0


def _is_asked(setting: str, name: str) -> bool:
    return not name or setting == name or setting.startswith(f"{name}.")


def _as_data(setting: Setting) -> dict[str, Any]:
    return {
        "name": setting.name,
        "value": shown(setting.value),
        "source": setting.source,
        "remark": setting.remark,
        "default": shown(setting_names()[setting.name]),
        "variable": variable_of(setting.name),
        "help": SPECS[setting.name].help,
    }


def shown(value: Any) -> Any:
    """Return a value for display: of an API key, only whether there is one.

    >>> shown(Key("a secret")), shown(("a", "b"))
    ('…', ['a', 'b'])
    """
    if isinstance(value, Key):
        return "…" if value else ""
    return list(value) if isinstance(value, tuple) else value


def as_toml(value: Any) -> str:
    """Return a value as TOML.

    >>> as_toml(True), as_toml(("Templates/", "*.bak")), as_toml("auto"), as_toml(0.5)
    ('true', '["Templates/", "*.bak"]', '"auto"', '0.5')
    """
    # TOML writes strings, lists, numbers and booleans as JSON does.
    return json.dumps(shown(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _print_one(setting: Setting) -> None:
    default = setting_names()[setting.name]
    echo(f"{setting.name} = {as_toml(setting.value)}")
    echo(f"  {SPECS[setting.name].help}")
    echo(f"  from      {setting.source}")
    if setting.remark:
        echo(f"  but       {setting.remark}")
    echo(f"  default   {as_toml(default)}")
    if choices := SPECS[setting.name].choices:
        echo(f"  one of    {', '.join(choices)}")
    echo(f"  variable  {variable_of(setting.name)}")


def _print_all(settings: list[Setting]) -> None:
    width = max(len(setting.name) for setting in settings)
    for setting in settings:
        value = escaped(as_toml(setting.value))
        source = escaped(setting.source) + (f" ({setting.remark})" if setting.remark else "")
        row = f"{setting.name:{width}}  {value}{' ' * (WIDE - width_of(value))}  {source}"
        # Settings that were set stand out.
        echo(click.style(row, dim=True) if source == DEFAULT else row, styled=True)


def _example() -> Iterator[str]:
    yield "# All settings of Notewell, with their defaults. Remove the # from those you change."
    section = ""
    for name, default in setting_names().items():
        if SPECS[name].who not in (Who.ANYONE, Who.VAULT):
            # The file of a vault cannot set it.
            continue
        if section != (section := name.partition(".")[0]):
            yield f"\n[{section}]"
        yield f"# {SPECS[name].help}"
        if choices := SPECS[name].choices:
            yield f"# One of {', '.join(choices)}"
        yield f"# {name.partition('.')[2]} = {as_toml(default)}"
