"""Mistakes of ours, told without a word of the user's: an error's own words may quote a note."""

from __future__ import annotations

from pathlib import Path


def told_mistake(error: BaseException) -> str:
    """Return what kind of error it is, and where in the code it rose.

    >>> try:
    ...     int("my secret")
    ... except ValueError as error:
    ...     told_mistake(error).startswith("ValueError in "), "secret" in told_mistake(error)
    (True, False)
    """
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if frame is None:
        return type(error).__name__
    # Many files have one name; where the program is installed says who the user is.
    place = "/".join(Path(frame.tb_frame.f_code.co_filename).parts[-2:])
    return f"{type(error).__name__} in {place}:{frame.tb_lineno}"
