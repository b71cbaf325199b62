"""The examples in docstrings give what they say.

Tried in one test: if pytest collects them, it looks for some in every test as well, for four seconds in each worker.
"""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

from tests.cases import cases

SOURCE = Path(__file__).parent.parent / "src"
FILES = [file for file in sorted(SOURCE.rglob("*.py")) if ">>> " in file.read_text(encoding="utf-8")]
MODULES = [".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__") for file in FILES]


@cases("name", MODULES)
def test_the_examples_in_docstrings_give_what_they_say(name: str) -> None:
    tried = doctest.testmod(import_module(name))
    assert tried.attempted
    assert not tried.failed
