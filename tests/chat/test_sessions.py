from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases
from tests.chat.test_model import model_of
from tests.llm.scripted_server import Asked, ScriptedServer

from notewell import Vault
from notewell.chat.history import BUDGET, Conversation, Turn, scope_of, texts_to_search
from notewell.chat.sessions import Sessions, chatting
from notewell.errors import QueryError
from notewell.llm import LlmRules, Model, Text, find_model
from notewell.types.answer import Answer, Memory
from notewell.types.query import Query

MakeVault = Callable[..., Vault]
NOTES = {
    "Bees.md": (
        "# Feeding the bees\n\n## Summer\n\nFeed the bees sugar syrup in July, after the last honey harvest.\n\n"
        "## Winter\n\nFeed the bees nothing but fondant in winter, above the cluster.\n"
    ),
    "Car.md": "# Winter\n\nIn winter, the car gets its winter tyres at the garage by the station.\n",
}
FIRST, NEXT = "what do I feed the bees after the honey harvest?", "and in winter?"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def bees(make_vault: MakeVault) -> Vault:
    vault = make_vault(NOTES)
    vault.index()
    return vault


def chat(vault: Vault, question: str, model: Model | None = None, session: str = "main", **more: Any) -> Answer:
    answer = list(chatting(vault, Query(question), model, session, **more))[-1]
    assert isinstance(answer, Answer)
    return answer


def questions(vault: Vault, session: str = "main") -> list[str]:
    return [turn.question for turn in Sessions.of(vault).load(session).turns]


def test_a_short_question_continues_the_one_before(bees: Vault) -> None:
    assert chat(bees, NEXT, session="another").citations[0].path == "Car.md"
    chat(bees, FIRST)
    answer = chat(bees, NEXT)
    assert "fondant" in answer.text and answer.question == NEXT
    # Also two questions later, and a new subject is found all the same.
    assert "July" in chat(bees, "and in summer?").text
    assert chat(bees, "when does the car get its winter tyres?").citations[0].path == "Car.md"


@cases(
    "question, before, texts",
    [
        ("why?", [], ["why?"]),
        ("and in winter?", [FIRST], [f"{FIRST} and in winter?", "and in winter?"]),
        ("and then?", [FIRST, "and in winter?"], [f"{FIRST} and then?", "and then?"]),
        (
            "when does the car get tyres?",
            [FIRST],
            ["when does the car get tyres?"],
        ),
        ("why?", ["how so?"], ["why?"]),
    ],
)
def test_what_is_searched_for(question: str, before: list[str], texts: list[str]) -> None:
    assert texts_to_search(question, [Turn(one, "…") for one in before]) == texts


def test_a_model_is_told_what_was_said_before_without_old_numbers(bees: Vault) -> None:
    with ScriptedServer([Text("Syrup [1].")], [Text("Fondant.")]) as server:
        model = model_of(server)
        chat(bees, FIRST, model)
        chat(bees, NEXT, model)
        roles = [(message["role"], message["content"]) for message in server.requests[1].body["messages"]]
    assert roles[1:3] == [("user", FIRST), ("assistant", "Syrup .")]
    assert [role for role, _ in roles] == ["system", "user", "assistant", "user"] and NEXT in roles[-1][1]


def test_only_as_much_is_told_as_the_context_holds(bees: Vault) -> None:
    for number in range(9):
        Sessions.of(bees).add("main", Turn(f"Question {number}?", "word " * 400, scope=scope_of(Query(FIRST))))
    with ScriptedServer([Text("Yes.")]) as server:
        for context, least, most in ((4_096, 1, 5), (32_768, 8, 8)):
            model = find_model(LlmRules("ollama:any", url=server.url, context=context))
            list(chatting(bees, Query(FIRST), model, "main", edit=9))
            told = [message["content"] for message in server.requests[-1].body["messages"]]
            kept = [text for text in told if text.startswith("Question")]
            assert least <= len(kept) <= most and "Question 7?" in kept


def test_a_session_survives_a_restart_in_a_private_file(bees: Vault, state: Path) -> None:
    secret = "hunter" + "2" * 14
    chat(bees, f"what do I feed the bees, password: {secret}")
    with Vault.open(bees.root) as again:
        assert len(questions(again)) == 1
    files = [path for path in (state / "notewell" / "chats").rglob("*") if path.suffix == ".json"]
    assert len(files) == 1 and secret not in files[0].read_text()
    if os.name == "posix":
        assert files[0].stat().st_mode & 0o077 == 0 and files[0].parent.stat().st_mode & 0o077 == 0


def test_the_memory_is_told_before_the_answer(bees: Vault) -> None:
    *_, memory, answer = chatting(bees, Query(FIRST), None, "main")
    assert isinstance(answer, Answer)
    assert memory == Memory("main", 1, len(FIRST) + len(answer.text), BUDGET)


def test_the_oldest_pair_goes_first() -> None:
    kept = Conversation()
    for number in range(60):
        kept = kept.with_turn(Turn(f"{number}", "x" * 1_000))
        assert kept.used <= BUDGET and kept.turns[-1].question == str(number)
    assert kept.turns[0].question == str(kept.first - 1) and len(kept.turns) == 47
    assert kept.before(kept.first).turns == ()
    with pytest.raises(QueryError, match="no question 1 to edit"):
        kept.before(1)


@given(st.lists(st.tuples(st.text(max_size=40), st.integers(0, 30_000)), max_size=30))
def test_a_conversation_never_exceeds_its_budget_and_never_loses_the_last_turn(turns: list[tuple[str, int]]) -> None:
    kept = Conversation()
    for question, size in turns:
        kept = kept.with_turn(Turn(question, "x" * size))
        assert kept.used <= BUDGET and kept.turns[-1] == Turn(question, "x" * size)
    assert kept.first + len(kept.turns) == len(turns) + 1


def test_editing_a_question_forgets_what_came_after(bees: Vault) -> None:
    for question in (FIRST, NEXT, "and in summer?"):
        chat(bees, question)
    with ScriptedServer([Text("Yes.")]) as server:
        chat(bees, "what about the car?", model_of(server), edit=2)
        told = repr(server.requests[0].body)
    assert questions(bees) == [FIRST, "what about the car?"]
    assert FIRST in told and NEXT not in told and "in summer" not in told
    for number in (0, 3, 9):
        with pytest.raises(QueryError, match=f"There is no question {number} to edit"):
            chat(bees, "x", edit=number)


def test_a_question_that_fails_changes_nothing(bees: Vault) -> None:
    chat(bees, FIRST)
    with pytest.raises(QueryError):
        chat(bees, "x" * 20_000, edit=1)
    # Nor does one whose answer nobody waited for.
    chatting(bees, Query(NEXT), None, "main").close()
    events = chatting(bees, Query(NEXT), None, "main", 1)
    next(events)
    events.close()
    assert questions(bees) == [FIRST]


def test_sessions_are_listed_and_forgotten(bees: Vault) -> None:
    chat(bees, FIRST, session="garden")
    chat(bees, NEXT, session="Ünï/../code")
    listed = {one.session: (one.turns, one.last) for one in Sessions.of(bees).list()}
    assert listed == {"garden": (1, FIRST), "Ünï/../code": (1, NEXT)}
    Sessions.of(bees).forget("garden")
    assert [one.session for one in Sessions.of(bees).list()] == ["Ünï/../code"] and questions(bees, "garden") == []
    with pytest.raises(QueryError, match="There is no session 'garden'"):
        Sessions.of(bees).forget("garden")


@cases("name", ["", " ", "\u200b", "x" * 101])
def test_a_session_needs_a_name(bees: Vault, name: str) -> None:
    with pytest.raises(QueryError, match="needs a name"):
        chat(bees, FIRST, session=name)


def test_sessions_of_two_vaults_are_two(bees: Vault, tmp_path: Path) -> None:
    chat(bees, FIRST)
    (tmp_path / "other").mkdir()
    with Vault.open(tmp_path / "other") as other:
        assert questions(other) == [] and Sessions.of(other).list() == ()


@cases(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b'{"session": "main"}',
        b'{"session": "main", "first": "x", "turns": [1]}',
        b'{"session": "main", "first": 1e999, "turns": []}',
        b" " * 2_000_000,
    ],
)
def test_a_file_that_is_not_ours_begins_a_new_session(bees: Vault, state: Path, content: bytes) -> None:
    chat(bees, FIRST)
    (file,) = (state / "notewell" / "chats").rglob("*.json")
    file.write_bytes(content)
    assert questions(bees) == [] and Sessions.of(bees).list() == ()
    assert chat(bees, FIRST).text and questions(bees) == [FIRST]


def test_a_link_is_not_followed(bees: Vault, state: Path, tmp_path: Path) -> None:
    chat(bees, FIRST)
    (file,) = (state / "notewell" / "chats").rglob("*.json")
    kept = file.read_bytes()
    (tmp_path / "elsewhere").write_bytes(kept)
    file.unlink()
    file.symlink_to(tmp_path / "elsewhere")
    assert questions(bees) == []
    chat(bees, NEXT)
    assert (tmp_path / "elsewhere").read_bytes() == kept and questions(bees) == [NEXT]


def test_what_cannot_be_saved_is_answered_all_the_same(
    bees: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "taken"))
    answer = chat(bees, FIRST)
    assert answer.text and "session_not_saved" in [notice.code for notice in answer.notices]


def test_no_more_than_two_hundred_sessions_are_kept(bees: Vault) -> None:
    sessions = Sessions.of(bees)
    for number in range(205):
        sessions.add(f"session {number}", Turn("a", "b"))
    assert len(sessions.list()) == 200


def test_many_sessions_at_once_never_mix(bees: Vault) -> None:
    def echo(asked: Asked) -> list[Any]:
        """Say which numbers stand in what was asked: those of this session alone."""
        told = " ".join(message["content"] for message in asked.body["messages"] if message["role"] != "system")
        return [Text(" ".join(word for word in told.split() if word.startswith("nr")))]

    with ScriptedServer(echo) as server, ThreadPoolExecutor(8) as pool:
        model = model_of(server, name="any:1b")

        def converse(number: int) -> list[str]:
            asked = [
                f"what do I feed the bees after the honey harvest nr{number} nr{number}-{turn}" for turn in range(4)
            ]
            answers = [chat(bees, question, model, f"session {number}") for question in asked]
            assert questions(bees, f"session {number}") == asked
            return [answer.text for answer in answers]

        for number, answers in enumerate(pool.map(converse, range(16))):
            words = {word.split("-")[0] for answer in answers for word in answer.split()}
            assert words == {f"nr{number}"}
            assert f"nr{number}-0" in answers[-1]


def test_processes_that_share_a_session_lose_no_turn(bees: Vault, tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom notewell.chat.history import Turn\n"
        "from notewell.chat.sessions import Sessions\n"
        "sessions = Sessions(Path(sys.argv[1]), Path('/notes'))\n"
        "for number in range(25): sessions.add('one', Turn(f'{sys.argv[2]}-{number}', 'x'))\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "s"), str(one)]) for one in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    kept = Sessions(tmp_path / "s", Path("/notes")).load("one")
    assert sorted(turn.question for turn in kept.turns) == sorted(f"{a}-{b}" for a in range(4) for b in range(25))


def test_a_refusal_is_remembered_too(bees: Vault) -> None:
    answer = list(chatting(bees, Query("who is the mayor of Lisbon?"), None, "main"))[-1]
    assert isinstance(answer, Answer) and not answer.answered and not answer.text
    with ScriptedServer([Text("Syrup.")]) as server:
        chat(bees, "what do I feed the bees in July?", model_of(server))
        assert "The notes do not answer this." in json.dumps(server.requests[0].body["messages"][2])


def told_in(vault: Vault, *asked: tuple[str, dict[str, Any]], exclude: str = "") -> str:
    """Return the last request to a model, of questions in one session; before the second, notes are excluded."""
    with ScriptedServer([Text("The hive plan costs 900 crowns [1].")], [Text("Yes.")]) as server:
        model = model_of(server)
        for number, (question, scope) in enumerate(asked):
            if number and exclude:
                (vault.root / "notewell.toml").write_text(f'[index]\nexclude = ["{exclude}"]\n')
                vault.reread()
                vault.index()
            list(chatting(vault, Query.of(question, **scope), model, "one"))
        return json.dumps(server.requests[-1].body)


PLAN = "what does the hive plan of the neighbours cost?"
HIVES = {
    "Garden/Hive.md": "# Hive\n\nThe hive hums in the warm evening of May, and nobody knows why it does.\n",
    "Secret/Plan.md": "# Plan\n\nThe hive plan of the neighbours costs 900 crowns.\n",
}


def test_an_answer_from_outside_the_scope_is_not_told_again(make_vault: MakeVault) -> None:
    vault = make_vault(HIVES)
    vault.index()
    told = "when does the hive hum in the evening?"
    assert "900 crowns" in told_in(vault, (PLAN, {}), (told, {}))
    Sessions.of(vault).forget("one")
    assert "900 crowns" not in told_in(vault, (PLAN, {}), (told, {"under": "Garden"}))


def test_an_answer_from_a_note_that_is_excluded_now_is_forgotten(make_vault: MakeVault) -> None:
    vault = make_vault(HIVES)
    vault.index()
    told = told_in(vault, (PLAN, {}), ("when does the hive hum in the evening?", {}), exclude="Secret/")
    assert "900 crowns" not in told
    kept = Sessions.of(vault).load("one").turns
    assert [turn.answer for turn in kept] == ["…", "Yes."]
