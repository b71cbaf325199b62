from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.llm.scripted_server import ScriptedServer, Stall
from tests.serve.terminal import LONG, PROGRAM, run_on_terminal

from notewell.llm import Text

Notewell = Callable[..., tuple[int, str, str]]
HUMS = "why does the hive hum in the warm evening?"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def test_a_question_of_a_session_is_answered_as_by_ask(notewell: Notewell) -> None:
    code, out, _ = notewell("chat", *HUMS.split(), "--session", "garden")
    assert code == 0 and "The hive hums in the warm evening." in out and "[1] ✓ Garden/Bees.md:3" in out
    code, out, _ = notewell("chat", "and the honey?", "--session", "garden", "--json")
    assert code == 0 and json.loads(out)["citations"][0]["path"] == "Garden/Bees.md"
    code, out, _ = notewell("chat", "--list")
    assert code == 0 and out.startswith("garden  2 questions  1 % full  ") and out.endswith("and the honey?\n")
    assert json.loads(notewell("chat", "--list", "--json")[1])[0]["session"] == "garden"


def test_a_session_is_edited_and_forgotten(notewell: Notewell) -> None:
    for question in (HUMS, "and the honey?"):
        notewell("chat", question)
    assert notewell("chat", "why did the loaf collapse in the oven?", "--edit", "1")[0] == 0
    (session,) = json.loads(notewell("chat", "--list", "--json")[1])
    assert (session["session"], session["turns"], "loaf" in session["last"]) == ("main", 1, True)
    code, _, err = notewell("chat", "x", "--edit", "7")
    assert code == 2 and "There is no question 7 to edit" in err and "hint:" in err
    assert notewell("chat", "--forget", "main")[0] == 0
    assert notewell("chat", "--list")[1] == ""
    code, _, err = notewell("chat", "--forget", "main")
    assert code == 2 and "There is no session 'main'" in err


def test_questions_are_typed_one_by_one_on_a_terminal(folder: Path, state: Path) -> None:
    keys = f"{HUMS}\nand the honey?\n\n/edit 9 x\n/edit 2 why did the loaf collapse in the oven?\n/exit\n"
    environment = {"XDG_STATE_HOME": str(state), "NOTEWELL_LLM_MODEL": "off"}
    code, shown = run_on_terminal([PROGRAM, "chat", "--yes"], folder, environment, keys=keys.encode())
    assert code == 0, shown
    assert "1> " in shown and "2> " in shown and "3> " in shown
    assert "The hive hums in the warm evening." in shown and "A second paragraph about honey" in shown
    assert "There is no question 9 to edit" in shown
    assert "The loaf collapsed because the oven was too cold." in shown
    code, shown = run_on_terminal([PROGRAM, "chat"], folder, environment, keys=b"/exit\n")
    assert code == 0 and "session 'main': 2 questions" in shown


def test_a_model_takes_part(notewell: Notewell, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer([Text('It hums: "The hive hums in the warm evening" [1].')]) as server:
        monkeypatch.setenv("NOTEWELL_LLM_MODEL", "ollama:any")
        monkeypatch.setenv("NOTEWELL_LLM_URL", server.url)
        code, out, _ = notewell("chat", HUMS)
        assert code == 0 and out.startswith("It hums:") and "✓ Garden/Bees.md:3" in out
        notewell("chat", "and the honey?")
        assert HUMS in repr(server.requests[1].body["messages"][1])


def test_ctrl_c_stops_an_answer_and_the_chat_goes_on(folder: Path, state: Path) -> None:
    with ScriptedServer([Stall()]) as server:
        environment = {
            "XDG_STATE_HOME": str(state),
            "NOTEWELL_LLM_MODEL": "ollama:any",
            "NOTEWELL_LLM_URL": server.url,
        }

        def interrupt() -> bytes:
            assert server.begun.wait(LONG)
            return b"\x03"

        def end() -> bytes:
            assert server.dropped.wait(LONG)
            return b"/exit\n"

        command = [PROGRAM, "chat", "--yes"]
        code, shown = run_on_terminal(command, folder, environment, keys=f"{HUMS}\n".encode(), later=(interrupt, end))
    assert code == 0 and "stopped" in shown and "session 'main': 0 questions" in shown.partition("stopped")[2]
