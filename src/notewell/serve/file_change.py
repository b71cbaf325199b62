"""A change of a settings file of another program: shown as a diff, then written in one step, or not at all."""

from __future__ import annotations

import stat
from contextlib import suppress
from difflib import unified_diff
from pathlib import Path

from notewell.errors import SettingsError
from notewell.files.safe_open import read_plain
from notewell.files.user import PRIVATE_FILE, write_whole
from notewell.frozen import frozen

FIX = "Fix it by hand; Notewell has not changed it"


@frozen
class FileChange:
    """A change of a settings file; None before or after means that there is no file."""

    file: Path
    before: str | None
    after: str | None

    @property
    def differs(self) -> bool:
        """Tell whether there is anything to change."""
        return self.before != self.after

    @property
    def diff(self) -> str:
        """Return the change as a diff."""
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        lines = unified_diff(old, new, f"{self.file} (now)", f"{self.file} (then)")
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def check(self) -> None:
        """Raise an error if the file has changed since it was read."""
        if read_settings(self.file) != self.before:
            raise SettingsError(f"{self.file} has changed since it was read", "Run the command again")

    def write(self) -> None:
        """Write the file in one step with its old mode, or delete it."""
        try:
            self._write()
        except OSError as error:
            raise SettingsError(
                f"{self.file} cannot be written: {error.strerror or error}", "Check its permissions and HOME"
            ) from error

    def _write(self) -> None:
        file = self.file
        if self.before is not None and not file.stat().st_mode & stat.S_IWUSR:
            raise SettingsError(f"{file} is read-only", "Make it writable; Notewell has not changed it")
        if self.after is None:
            file.unlink()
            with suppress(OSError):
                # Only if it is empty.
                file.parent.rmdir()
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        mode = PRIVATE_FILE if self.before is None else stat.S_IMODE(file.stat().st_mode)
        write_whole(file, self.after.encode(), mode=mode)


def read_settings(file: Path) -> str | None:
    """Return the text of a settings file, or None if there is none."""
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise SettingsError(f"{file} is not a regular file", "Move it away; Notewell has not changed it")
        return read_plain(file).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} cannot be read: {error}", FIX) from error
