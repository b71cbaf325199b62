"""The command line, run inside the test."""

from __future__ import annotations

import sys

import pytest
from tests.bad_input.answers import Answer, Cli


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run the command line as its entry point does; anything but a clean exit fails the test."""

    def run(*words: str) -> Answer:
        monkeypatch.setattr(sys, "argv", ["notewell", *words])
        monkeypatch.setenv("NOTEWELL_EMBED_MODEL", "words")
        code = 0
        try:
            from notewell.serve.cli import main  # noqa: PLC0415

            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Answer(code, out, err)

    return run
