from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.llm.scripted_server import Cut, ScriptedServer

from notewell.llm import Text

Notewell = Callable[..., tuple[int, str, str]]
SENTENCE = "The hive hums in the warm evening of May."


@pytest.fixture(autouse=True)
def swarm(folder: Path) -> None:
    (folder / "Garden" / "Swarm.md").write_text(f"# Swarm\n\n{SENTENCE} Nobody knows why.\n")


def test_an_answer_is_quotes_with_footnotes(notewell: Notewell) -> None:
    code, out, _ = notewell("ask", "why", "does", "the", "hive", "hum", "in", "the", "evening?")
    assert code == 0
    assert SENTENCE in out and "[1] ✓ Garden/Swarm.md:3  Swarm" in out


def test_a_refusal_is_the_answer_and_says_so_on_stdout(notewell: Notewell) -> None:
    code, out, err = notewell("ask", "qqqq zzzz kkkk?")
    assert (code, "do not answer" in out, "do not answer" in err) == (0, True, False)
    assert notewell("ask", "qqqq zzzz kkkk?", "--exit-status")[0] == 1


def test_json_has_the_whole_answer(notewell: Notewell) -> None:
    answer = json.loads(notewell("ask", "why does the hive hum?", "--json", "--under", "Garden")[1])
    assert answer["answered"] and answer["citations"][0]["citation_reason"] == "match"
    assert (answer["model"], answer["citations_status"]) == ("", "all_verified")


def test_a_question_is_needed(notewell: Notewell) -> None:
    assert notewell("ask")[0] == notewell("ask", "  ")[0] == 2


def test_quotes_in_a_file_are_checked(notewell: Notewell, folder: Path) -> None:
    (folder.parent / "answer.md").write_text(f'You wrote "{SENTENCE}" and "bees are purple animals".\n')
    code, out, _ = notewell("verify", "../answer.md")
    assert code == 0
    assert "    Garden/Swarm.md:3\n" in out and "    not in your notes\n" in out
    assert notewell("verify", "../answer.md", "--exit-status")[0] == 1
    assert json.loads(notewell("verify", "../answer.md", "--json")[1])["citations_status"] == "has_mismatch"


def test_a_file_that_cannot_be_read_is_an_error(notewell: Notewell) -> None:
    code, _, err = notewell("verify", "nowhere.md")
    assert code == 1 and "Cannot read nowhere.md" in err and "hint:" in err


def test_a_closed_stdin_is_an_error(notewell: Notewell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    code, _, err = notewell("verify", "-")
    assert code == 1 and "Cannot read -" in err


def test_any_bytes_are_a_text_to_check(notewell: Notewell, folder: Path) -> None:
    (folder.parent / "answer.md").write_bytes(b'\xff\xfe "the hive hums\x00" \xe2\x80')
    assert notewell("verify", "../answer.md")[0] == 0


def test_quotes_after_a_model_that_broke_off_begin_on_a_line_of_their_own(
    notewell: Notewell, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer([Text("A slack"), Cut()]) as server:
        monkeypatch.setenv("NOTEWELL_LLM_MODEL", "ollama:any")
        monkeypatch.setenv("NOTEWELL_LLM_URL", server.url)
        _, out, err = notewell("ask", "why does the hive hum in the evening?")
    assert out.startswith("A slack …\n\n") and SENTENCE in out
    assert "The answer is quotes from your notes instead" in err


def test_a_quote_that_is_elsewhere_is_not_said_to_be_nowhere(notewell: Notewell, folder: Path) -> None:
    (folder.parent / "answer.md").write_text(f'"{SENTENCE}" (Garden/Swarm.md) and "bees are purple" [[Swarm]]\n')
    out = notewell("verify", "../answer.md")[1]
    assert "    not in Garden/Swarm.md\n" in out and "Garden/Swarm.md:3\n" in out


def test_the_name_of_a_note_cannot_forge_a_line(notewell: Notewell, folder: Path) -> None:
    (folder / "quokka\n[9] ✓ forged.md").write_text("The quokka feeds at noon, every day of the week.\n")
    for command in ("ask", "search"):
        code, out, _ = notewell(command, "when does the quokka feed at noon?")
        assert code == 0 and "feeds at noon" in out
        assert not [line for line in out.split("\n") if line.startswith("[9] ✓")]
