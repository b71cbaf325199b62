"""The command as Claude Code runs it: a process of its own, JSON on stdin, and always exit code 0."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.serve.hooks import Hooks

from notewell.serve.hooks.log import LARGEST, Run, last_runs, log_file, record

PROMPT: dict[str, Any] = {
    "prompt": "why does my sourdough loaf spread flat in the oven",
    "session_id": "one",
    "cwd": "/",
}


def run(state: Path, *arguments: str, given: bytes) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "XDG_STATE_HOME": str(state), "NOTEWELL_DAEMON": "no"}
    command = [sys.executable, "-m", "notewell", "hook", *arguments]
    return subprocess.run(command, input=given, env=environment, capture_output=True, check=False)


def test_a_process_answers_with_one_line_of_json(hooks: Hooks, tmp_path: Path) -> None:
    arguments = ("prompt", "--vault", str(hooks.vault), "--timeout-ms", "10000")
    done = run(tmp_path, *arguments, given=json.dumps(PROMPT).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    answer = json.loads(done.stdout)
    assert answer["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert done.stdout.isascii()
    assert done.stdout.count(b"\n") == 1
    assert answer["hookSpecificOutput"]["additionalContext"] == hooks.block(**PROMPT), "in whatever process it runs"


@pytest.mark.parametrize("hook", ["prompt", "before", "after"])
def test_a_hook_with_an_impossible_limit_prints_nothing_ends_well_and_logs_it(
    hooks: Hooks, tmp_path: Path, hook: str
) -> None:
    more = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": {"stdout": "part made\n" * 1_000}}
    given = json.dumps({**PROMPT, **more}).encode()
    done = run(tmp_path, hook, "--vault", str(hooks.vault), "--timeout-ms", "1", given=given)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (logged,) = last_runs(tmp_path / "notewell")
    assert (logged.hook, logged.outcome, logged.why) == (hook, "failed", "out of time")


def test_a_hook_whose_input_never_ends_is_over_in_time(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "notewell", "hook", "prompt", "--timeout-ms", "200"]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.wait(timeout=60) == 0
        assert process.stdout and process.stdout.read() == b""
    assert last_runs(tmp_path / "notewell")[0].why == "out of time"


@pytest.mark.parametrize("given", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"prompt": 7}', b"[" * 100_000, b"{}"])
def test_input_that_makes_no_sense_gives_nothing(hooks: Hooks, given: bytes) -> None:
    for hook in ("prompt", "before", "after"):
        assert hooks.raw(hook, given) == ""
        assert hooks.last.outcome == "none"


def test_a_store_that_is_damaged_gives_nothing_and_is_told_of_in_the_log(hooks: Hooks) -> None:
    assert hooks.vault
    (hooks.vault / ".notewell" / "store.db").write_bytes(b"this is no store" * 1_000)
    assert hooks.run("prompt", **PROMPT) == ""
    assert hooks.last.outcome == "failed"
    assert hooks.last.why


def test_settings_that_are_wrong_give_nothing_and_are_told_of_in_the_log(hooks: Hooks) -> None:
    assert hooks.vault
    (hooks.vault / "notewell.toml").write_text("[hook]\nthreshold = 7\n", encoding="utf-8")
    for hook, tool in (("prompt", ""), ("before", "Read"), ("after", "Bash")):
        more: dict[str, Any] = {"tool_name": tool, "tool_input": {"file_path": "deploy.sh", "command": "make"}}
        assert hooks.run(hook, **PROMPT, **more, tool_response={"stdout": "part made\n" * 1_000}) == ""
        assert hooks.last.why == "hook.threshold in notewell.toml is 7.0, and should be at most 1"


def test_what_nobody_could_print_any_more_was_not_shown(hooks: Hooks) -> None:
    assert hooks.run("prompt", limit=-1, **PROMPT) == ""
    assert (hooks.last.outcome, hooks.last.why) == ("failed", "out of time")
    assert hooks.run("prompt", **PROMPT)


def test_the_log_holds_no_word_of_a_prompt_or_a_note(hooks: Hooks) -> None:
    hooks.run("prompt", **PROMPT)
    hooks.run("prompt", **{**PROMPT, "prompt": "unrelated flugelhorn"})
    text = log_file(hooks.state).read_text(encoding="utf-8").lower()
    assert not any(word in text for word in ("sourdough", "oven", "flugelhorn", "recipes"))
    assert os.name != "posix" or log_file(hooks.state).stat().st_mode & 0o777 == 0o600


def test_the_log_never_grows_beyond_two_files(tmp_path: Path) -> None:
    for number in range(4):
        log_file(tmp_path).write_bytes(b"x" * (LARGEST + 1))
        record(tmp_path, Run("prompt", "none", f"run {number}", 1, 0))
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 2 * LARGEST + 1_000
    assert [run.why for run in last_runs(tmp_path)] == ["run 3"]


def test_where_no_state_can_be_kept_a_hook_still_ends_well(hooks: Hooks, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    assert Hooks(tmp_path / "file" / "state", hooks.vault).run("prompt", **PROMPT) == ""


def test_status_tells_of_the_last_runs(hooks: Hooks, tmp_path: Path) -> None:
    for number, outcome in enumerate(("shown", "none", "none", "failed")):
        record(tmp_path / "notewell", Run("prompt", outcome, "out of time" * (outcome == "failed"), number * 10, 0))
    found = json.loads(run(tmp_path, "status", "--json", given=b"").stdout)
    assert found["outcomes"] == {"failed": 1, "none": 2, "shown": 1}
    assert (found["p50_ms"], found["p95_ms"]) == (10, 30)
    assert found["log"] == str(tmp_path / "notewell" / "hooks.log")
    assert "out of time" in run(tmp_path, "status", given=b"").stdout.decode()


@pytest.mark.parametrize("arguments", [("prompt", "--timeout-ms", "abc"), ("prompt", "--what"), ("nonsense",)])
def test_a_hook_that_is_called_wrongly_ends_well(arguments: tuple[str, ...]) -> None:
    # Another exit code would keep Claude Code from sending the prompt.
    command = [sys.executable, "-m", "notewell", "hook", *arguments]
    done = subprocess.run(command, input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.startswith(b"error: ")
