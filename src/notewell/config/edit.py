"""Values written into a vault's `notewell.toml`; all other lines stay as they are."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from notewell.errors import SettingsError
from notewell.files.folder import Folder
from notewell.files.safe_open import SETTINGS

LARGEST = 4 << 20
NUMBER = r"[-+\d.eE_]+"


def read_values(root: Path, section: str) -> dict[str, float]:
    """Return the numbers in a section of the vault's settings."""
    with Folder(root, "") as folder, suppress(OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        data, _ = folder.read_whole(SETTINGS, LARGEST)
        values = tomllib.loads(data.decode("utf-8")).get(section, {})
        return {name: value for name, value in values.items() if isinstance(value, (int, float))}
    return {}


def write_values(root: Path, section: str, values: Mapping[str, float | None]) -> None:
    """Write numbers into a section of the vault's settings; None removes a line.

    A change that another program makes meanwhile stays, and is an error.
    """
    try:
        with Folder(root, "") as folder:
            if folder.create(SETTINGS, with_values("", section, values).encode()):
                return
            before, _ = folder.read_whole(SETTINGS, LARGEST)
            folder.replace(SETTINGS, before, with_values(before.decode("utf-8"), section, values).encode())
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{SETTINGS} was not written", "Close it in other programs, then try again") from error


def with_values(text: str, section: str, values: Mapping[str, float | None]) -> str:
    """Return settings with these numbers in a section.

    >>> with_values("[intake]\\ndepth = 1 # mine\\n[show]\\n", "intake", {"depth": 0.5, "authority": 0.5})
    '[intake]\\ndepth = 0.5 # mine\\nauthority = 0.5\\n[show]\\n'
    >>> with_values("[intake]\\ndepth = 1\\n", "intake", {"depth": None})
    '[intake]\\n'
    """
    head = re.search(rf"(?m)^[ \t]*\[[ \t]*{section}[ \t]*\][^\n]*(?:\n|\Z)", text)
    if head is None:
        lines = "".join(f"{name} = {value}\n" for name, value in values.items() if value is not None)
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}[{section}]\n{lines}" if lines else text
    following = re.compile(r"(?m)^[ \t]*\[").search(text, head.end())
    end = following.start() if following else len(text)
    body = text[head.end() : end]
    for name, value in values.items():
        body = _with_value(body, name, value)
    return f"{text[: head.end()].rstrip(chr(10))}\n{body}{text[end:]}"


def _with_value(body: str, name: str, value: float | None) -> str:
    if value is None:
        return re.sub(rf"(?m)^[ \t]*{name}[ \t]*=[^\n]*(?:\n|\Z)", "", body)
    body, times = re.subn(rf"(?m)^([ \t]*{name}[ \t]*=[ \t]*){NUMBER}", rf"\g<1>{value}", body)
    return body if times else f"{body.rstrip(chr(10))}\n{name} = {value}\n".lstrip("\n")
