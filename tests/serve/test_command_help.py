"""`notewell help`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from notewell.serve.cli.help import TOPICS

Notewell = Callable[..., tuple[int, str, str]]


def test_help_is_there_on_commands_and_on_topics(notewell: Notewell) -> None:
    assert notewell("help", "search") == notewell("search", "--help")
    for words in (("hook", "install"), ("hook install",)):
        assert notewell("help", *words) == notewell("hook", "install", "--help")
    assert notewell("hook")[1:] == (notewell("hook", "--help")[1], "")
    assert notewell("help")[1].startswith(notewell("--help")[1])
    for topic in TOPICS:
        code, out, _ = notewell("help", topic)
        assert (code, out) == (0, f"{TOPICS[topic]}\n")
    code, out, err = notewell("help", "qery")
    assert (code, out) == (2, "")
    assert "There is no help on 'qery'. Did you mean 'query'?" in err
    assert "There is no help on 'topik'; the topics are query and output\n" in notewell("help", "topik")[2]


def test_help_on_queries_has_every_part_of_the_language(notewell: Notewell, folder: Path) -> None:
    (folder / "new.md").write_text("---\nstatus: open\nrating: 4\ndue: 2024-05\n---\n\nThe zebra grazes.\n")
    (folder / "a note.md").write_text("An answer.\n")
    (folder / "notewell.toml").write_text('[domains.fitness]\nfolders = ["Gym"]\n[domains.rest]\nlegacy = true\n')
    notewell("index")
    for part in re.findall(r"[a-z]+:(?:\"[^\"]+\"|[^\s…]+)", TOPICS["query"]):
        read = json.loads(notewell("search", "--explain", "--json", "--", f"zebra {part}")[1])["read_as"]
        assert read[0] != f'words and meaning "zebra {part}"', part
