"""What the package promises its users: every type that they get is exported, documented and typed."""

from __future__ import annotations

import ast
import importlib
import inspect
import typing
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import notewell

ROOT = Path(__file__).parents[1]
# Where a walk over what the package hands out begins.
DOORS = ("Vault", "Session")


def names_for_types(module: Any) -> dict[str, Any]:
    """Return the names of a module, those that it imports for type checkers only included."""
    names = dict(vars(module))
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("notewell", "typing", "collections")):
            home = importlib.import_module(str(node.module))
            for alias in node.names:
                names.setdefault(alias.asname or alias.name, getattr(home, alias.name, None))
    return names


def parts(annotation: Any) -> Iterator[type]:
    """Yield the classes that an annotation is made of."""
    if isinstance(annotation, type) and not typing.get_args(annotation):
        yield annotation
    for part in typing.get_args(annotation):
        yield from parts(part)


def returned(kind: type) -> Iterator[tuple[str, type]]:
    """Yield the types that public methods of a class return, and for a dataclass those of its fields and properties."""
    for base in (base for base in kind.__mro__ if base.__module__.startswith("notewell")):
        names = names_for_types(inspect.getmodule(base))
        for name, member in vars(base).items():
            if isinstance(member, property) and is_dataclass(kind):
                member = member.fget
            function = getattr(member, "__func__", member)
            if not name.startswith("_") and inspect.isfunction(function):
                hints = typing.get_type_hints(function, names, names)
                yield from ((f"{base.__name__}.{name}", part) for part in parts(hints["return"]))
        for name, hint in typing.get_type_hints(base, names, names).items() if is_dataclass(base) else ():
            yield from ((f"{base.__name__}.{name}", part) for part in parts(hint) if not name.startswith("_"))


def handed_out() -> dict[type, str]:
    """Return every type of ours that a user can get from a vault or a session, with the place that returns it."""
    found: dict[type, str] = {getattr(notewell, name): name for name in DOORS}
    todo = list(found)
    while todo:
        for place, kind in returned(todo.pop()):
            if kind.__module__.startswith("notewell") and kind not in found:
                found[kind] = place
                todo.append(kind)
    return found


def test_every_type_that_a_vault_or_a_session_returns_is_exported() -> None:
    exported = {getattr(notewell, name) for name in notewell.__all__ if name != "__version__"}
    assert [f"{kind.__name__} of {place}" for kind, place in handed_out().items() if kind not in exported] == []


def test_every_exported_name_is_documented() -> None:
    page = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")
    assert [name for name in notewell.__all__ if name != "__version__" and f"\n## {name}\n" not in page] == []


def test_type_checkers_of_users_read_our_annotations() -> None:
    assert (Path(notewell.__file__).parent / "py.typed").is_file()
