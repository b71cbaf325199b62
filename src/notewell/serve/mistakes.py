"""Describes unexpected errors without their messages, which may quote a note."""

from __future__ import annotations

from pathlib import Path


def describe_mistake(error: BaseException) -> str:
    """Return the type of an error, and where in the code it was raised.

    >>> try:
    ...     int("my secret")
    ... except ValueError as error:
    ...     describe_mistake(error).startswith("ValueError in "), "secret" in describe_mistake(error)
    (True, False)
    """
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if frame is None:
        return type(error).__name__
    # The folder tells files of one name apart; the full path may contain the user's name.
    place = "/".join(Path(frame.tb_frame.f_code.co_filename).parts[-2:])
    return f"{type(error).__name__} in {place}:{frame.tb_lineno}"
