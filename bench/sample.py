"""The sample vault, copied and indexed, and its questions with the places that answer them."""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypedDict

from bench.child import ROOT
from notewell import Vault
from notewell.config.files import SettingsFiles
from notewell.config.settings import Settings


class SampleQuestion(TypedDict):
    """A question, and the places that answer it, as `path:line`."""

    text: str
    want: list[str]


def sample_questions() -> list[SampleQuestion]:
    """Return the questions that tests ask of the sample vault."""
    file = ROOT / "tests" / "quality" / "questions.toml"
    questions: list[SampleQuestion] = tomllib.loads(file.read_text(encoding="utf-8"))["question"]
    return questions


@contextmanager
def sample_vault() -> Iterator[Vault]:
    """Open an indexed copy of the sample vault, without the encoder."""
    usual = Settings()
    settings = replace(usual, embed=replace(usual.embed, encoder="off"))
    with tempfile.TemporaryDirectory(prefix="notewell-sample-") as folder:
        ignored = shutil.ignore_patterns(".notewell")
        root = shutil.copytree(ROOT / "examples" / "vault", Path(folder) / "vault", ignore=ignored)
        with Vault(root, SettingsFiles(lambda: settings)) as vault:
            vault.index()
            yield vault
