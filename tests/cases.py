"""Many cases of one test: all are tried, and one failure names every case that failed."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

Test = Callable[..., None]


def cases(names: str | tuple[str, ...], values: Iterable[Any]) -> Callable[[Test], Test]:
    """Call a test with each of the values for the parameters of these names.

    Like `pytest.mark.parametrize`, but one test: for cases that share no state and cost no time. What else the test
    asks for is a fixture, which all cases share.
    """
    wanted = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    every = [value if len(wanted) > 1 else (value,) for value in values]
    assert every, "no cases"

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def try_all(*fixtures: Any, **named: Any) -> None:
            failed = []
            for case in every:
                try:
                    test(*fixtures, **named, **dict(zip(wanted, case, strict=True)))
                except Exception as error:
                    failed.append(f"{', '.join(map(repr, case))}\n{type(error).__name__}: {error}")
            assert not failed, f"{len(failed)} of {len(every)} cases failed\n\n" + "\n\n".join(failed)

        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in wanted]
        try_all.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return try_all

    return decorate
