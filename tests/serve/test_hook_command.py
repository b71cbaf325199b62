"""The command as Claude Code runs it: a process of its own, JSON on stdin, and always exit code 0."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.serve.hooks import PATIENT, Hooks
from tests.vaults import same_user

from notewell.serve.cli import is_hook
from notewell.serve.hooks import EVENTS
from notewell.serve.hooks.limit import Limit, is_stalled
from notewell.serve.hooks.log import LARGEST, HookRun, last_runs, log_file, record

COMMAND = (sys.executable, "-m", "notewell")
Process = subprocess.Popen[bytes]
# Exit code 0, and not a word.
NOTHING = (0, b"", b"")
PROMPT: dict[str, Any] = {
    "prompt": "why does my sourdough loaf spread flat in the oven",
    "session_id": "one",
    "cwd": "/",
}


def start(state: Path, *arguments: str, program: Sequence[str] = (*COMMAND, "hook"), **variables: str) -> Process:
    environment = {**os.environ, "XDG_STATE_HOME": same_user(state), "NOTEWELL_DAEMON": "no", **variables}
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([*program, *arguments], env=environment, **pipes)


def end(process: Process, given: bytes) -> tuple[int, bytes, bytes]:
    out, err = process.communicate(given)
    return process.returncode, out, err


def run(state: Path, *arguments: str, given: bytes = b"") -> tuple[int, bytes, bytes]:
    return end(start(state, *arguments), given)


@pytest.fixture
def hook_status(
    run_command: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., str]:
    """Return what `notewell hook status` prints."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def status(*options: str) -> str:
        code, out, _ = run_command(tmp_path, "hook", "status", *options)
        assert code == 0
        return out

    return status


def unhurried() -> tuple[str, ...]:
    """Options of a hook that began in the future, so that it is in time on any machine."""
    now = time.monotonic()
    return "--window", f"{now + 1_000}", f"{now + 2_000}"


def test_a_process_answers_with_one_line_of_json(hooks: Hooks, tmp_path: Path) -> None:
    arguments = ("prompt", "--vault", str(hooks.vault), *unhurried())
    code, out, err = run(tmp_path, *arguments, given=json.dumps(PROMPT).encode())
    assert (code, err) == (0, b"")
    answer = json.loads(out)
    assert answer["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert out.isascii()
    assert out.count(b"\n") == 1
    assert answer["hookSpecificOutput"]["additionalContext"] == hooks.block(**PROMPT), "in whatever process it runs"


def test_a_hook_with_an_impossible_limit_prints_nothing_ends_well_and_logs_it(hooks: Hooks, tmp_path: Path) -> None:
    more = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": {"stdout": "part made\n" * 1_000}}
    given = json.dumps({**PROMPT, **more}).encode()
    options = ("--vault", str(hooks.vault), "--timeout-ms", "1")
    processes = {hook: start(tmp_path / hook, hook, *options) for hook in EVENTS}
    for hook, process in processes.items():
        assert end(process, given) == NOTHING
        (logged,) = last_runs(tmp_path / hook / "notewell")
        assert (logged.hook, logged.outcome, logged.why) == (hook, "failed", "out of time")


def test_a_hook_whose_input_never_ends_is_over_in_time(tmp_path: Path) -> None:
    options = ("prompt", "--timeout-ms", "4000")
    processes = {daemon: start(tmp_path / daemon, *options, NOTEWELL_DAEMON=daemon) for daemon in ("no", "yes")}
    for daemon, process in processes.items():
        with process:
            assert process.wait(timeout=300) == 0
            assert process.stdout and process.stdout.read() == b""
        (logged,) = last_runs(tmp_path / daemon / "notewell")
        assert (logged.outcome, logged.why) == ("failed", "stdin was not closed in time")


def test_an_input_that_has_ended_is_not_waited_for() -> None:
    source, into = os.pipe()
    try:
        assert is_stalled(source)
        os.close(into)
        # A late hook was not kept waiting by it, though it may not have read it yet.
        assert not is_stalled(source)
    finally:
        os.close(source)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be a user that is not known")
def test_a_hook_of_a_user_without_a_home_ends_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name == "HOME" or name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    # Others could write there, so that a daemon that is started ends at once.
    (tmp_path / "notewell").mkdir(mode=0o755)
    # The real id, by which a home is looked for, is nobody's; the effective one may still read Python.
    program = "import os; os.setreuid(54321, 0); from notewell.serve.daemon.client import main; main()"
    nowhere = {"XDG_STATE_HOME": "", "XDG_RUNTIME_DIR": str(tmp_path)}
    processes = [
        start(tmp_path, hook, program=(sys.executable, "-c", program, "hook"), NOTEWELL_DAEMON=daemon, **nowhere)
        for hook in EVENTS
        for daemon in ("no", "yes")
    ]
    assert [end(process, json.dumps(PROMPT).encode()) for process in processes] == [NOTHING] * 2 * len(EVENTS)


def test_a_vault_in_the_home_of_nobody_is_logged(tmp_path: Path) -> None:
    assert (
        run(tmp_path, "prompt", "--vault", "~nobody-of-that-name/notes", given=json.dumps(PROMPT).encode()) == NOTHING
    )
    assert len(last_runs(tmp_path / "notewell")) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /dev/full")
def test_a_hook_without_stdin_or_stdout_ends_well_and_marks_nothing(hooks: Hooks, tmp_path: Path) -> None:
    # Others could write there, so that no daemon can be asked, and one that is started ends at once.
    (tmp_path / "notewell").mkdir(mode=0o755)
    reasons = {"<&-": "the input is not JSON", ">&-": "stdout is closed", ">/dev/full": "stdout is closed"}
    processes = {}
    for number, (closed, daemon) in enumerate(product(reasons, ("no", "yes"))):
        command = shlex.join((*COMMAND, "hook", "prompt", "--vault", str(hooks.vault), *unhurried()))
        variables = {"XDG_RUNTIME_DIR": str(tmp_path), "NOTEWELL_DAEMON": daemon}
        state = tmp_path / f"state {number}"
        processes[state] = closed, start(state, program=("sh", "-c", f"exec {command} {closed}"), **variables)
    for state, (closed, process) in processes.items():
        assert end(process, json.dumps(PROMPT).encode()) == NOTHING
        assert last_runs(state / "notewell")[0].why == reasons[closed]
        assert Hooks(state / "notewell", hooks.vault).run("prompt", **PROMPT), "it was shown to nobody"


def test_input_that_makes_no_sense_gives_nothing(hooks: Hooks) -> None:
    inputs = (b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"prompt": 7}', b"[" * 100_000, b"{}")
    for hook, given in product(EVENTS, inputs):
        assert hooks.raw(hook, given) == ""
        assert hooks.last.outcome == "none"


def test_the_start_of_a_session_opens_nothing_that_would_not_stay_open(hooks: Hooks) -> None:
    assert hooks.run("start", source="startup") == ""
    assert (hooks.last.hook, hooks.last.outcome) == ("start", "none")
    assert hooks.last.why == "no daemon could be asked"


def test_a_damaged_store_gives_nothing_and_is_logged(hooks: Hooks) -> None:
    assert hooks.vault
    (hooks.vault / ".notewell" / "store.db").write_bytes(b"this is no store" * 1_000)
    assert hooks.run("prompt", **PROMPT) == ""
    assert hooks.last.outcome == "failed"
    assert hooks.last.why


def test_wrong_settings_give_nothing_and_are_logged(hooks: Hooks) -> None:
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


@pytest.mark.parametrize("hook", ["prompt", "before", "after"])
def test_how_long_a_hook_may_take_is_a_setting(hooks: Hooks, monkeypatch: pytest.MonkeyPatch, hook: str) -> None:
    log = {"stdout": "part made\n" * 1_000, "stderr": "", "interrupted": False}
    tool = {"tool_name": "Bash" if hook == "after" else "Read", "tool_response": log}
    asked = {"command": "make", "file_path": "/work/scripts/deploy.sh"}
    given = json.dumps({**PROMPT, **tool, "tool_input": asked}).encode()
    # As if it had begun fifteen seconds ago, and the command line said nothing.
    assert hooks.told(hook, given, Limit(time.monotonic() - 15)) == ""
    assert (hooks.last.outcome, hooks.last.why) == ("failed", "out of time")
    monkeypatch.setenv("NOTEWELL_HOOK_TIMEOUT_MS", "10000")
    # One that began in the future is in time on any machine.
    by_setting, by_command = Limit(time.monotonic() + 1_000), Limit(time.monotonic() + 1_000, 4_000)
    assert hooks.told(hook, given, by_setting)
    assert by_setting.deadline == by_setting.began + 10
    hooks.told(hook, given, by_command)
    assert by_command.deadline == by_command.began + 4, "what the command line says counts more"


def test_no_client_is_answered_after_it_has_gone_whatever_the_settings_say(hooks: Hooks) -> None:
    now = time.monotonic()
    assert hooks.told("prompt", json.dumps(PROMPT).encode(), Limit(now, PATIENT, until=now - 1)) == ""
    assert last_runs(hooks.state) == [], "a client that has gone logs that by itself"
    assert hooks.run("prompt", **PROMPT)


def test_the_log_holds_no_word_of_a_prompt_or_a_note(hooks: Hooks) -> None:
    hooks.run("prompt", **PROMPT)
    hooks.run("prompt", **{**PROMPT, "prompt": "unrelated flugelhorn"})
    text = log_file(hooks.state).read_text(encoding="utf-8").lower()
    assert not any(word in text for word in ("sourdough", "oven", "flugelhorn", "recipes"))
    assert os.name != "posix" or log_file(hooks.state).stat().st_mode & 0o777 == 0o600


def test_a_secret_never_reaches_the_log_the_sessions_or_the_outputs(hooks: Hooks) -> None:
    assert hooks.vault
    secret = "ghp_" + "a8Kd93mXq0" * 4
    log = f"{'part made' + chr(10)}" * 1_000 + f"token: {secret}\n"
    hooks.run("prompt", **{**PROMPT, "prompt": f"{PROMPT['prompt']} {secret}"})
    response = {"stdout": log, "stderr": "", "interrupted": False}
    assert hooks.run("after", tool_name="Bash", tool_input={"command": "make"}, tool_response=response)
    (hooks.vault / "notewell.toml").write_text(f'[hook]\nthreshold = "{secret}"\n', encoding="utf-8")
    hooks.run("prompt", **PROMPT)
    assert hooks.last.outcome == "failed" and "hook.threshold" in hooks.last.why
    kept = [file.read_text(encoding="utf-8") for file in hooks.state.rglob("*") if file.is_file()]
    assert len(kept) >= 3
    assert not any(secret in text for text in kept)


def test_whatever_went_wrong_is_one_line_that_can_be_read(tmp_path: Path, hook_status: Callable[..., str]) -> None:
    state = tmp_path / "notewell"
    hostile = 'a "name"\n{"hook": "prompt"}\r\u2028\x00\x1b[31m\ud800' + "ß" * 5_000
    for _ in range(3):
        record(state, HookRun("prompt", "failed", hostile, 1, 0))
    assert len(log_file(state).read_bytes().splitlines()) == 3
    assert [run.why for run in last_runs(state)] == [hostile[:200]] * 3
    lines = ('{"hook": 1, "outcome": 2, "why": 3, "at": 4, "ms": 1e999, "chars": 0}', "[" * 99_999, "", "\0", "null")
    with log_file(state).open("a", encoding="utf-8") as log:
        log.write("\n".join(lines) + "\n")
    assert len(last_runs(state)) == 3
    told = hook_status()
    assert ("\x1b" in told, "\\x1b[31m" in told) == (False, True)


def test_the_log_never_grows_beyond_two_files(tmp_path: Path) -> None:
    for number in range(4):
        log_file(tmp_path).write_bytes(b"x" * (LARGEST + 1))
        record(tmp_path, HookRun("prompt", "none", f"run {number}", 1, 0))
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 2 * LARGEST + 1_000
    assert [run.why for run in last_runs(tmp_path)] == ["run 3"]


def test_where_no_state_can_be_kept_a_hook_still_ends_well(hooks: Hooks, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    assert Hooks(tmp_path / "file" / "state", hooks.vault).run("prompt", **PROMPT) == ""


def test_status_counts_the_last_runs(tmp_path: Path, hook_status: Callable[..., str]) -> None:
    for number, outcome in enumerate(("shown", "none", "none", "failed")):
        record(tmp_path / "notewell", HookRun("prompt", outcome, "out of time" * (outcome == "failed"), number * 10, 0))
    found = json.loads(hook_status("--json"))
    assert found["outcomes"] == {"failed": 1, "none": 2, "shown": 1}
    assert (found["p50_ms"], found["p95_ms"]) == (10, 30)
    assert found["log"] == str(tmp_path / "notewell" / "hooks.log")
    assert "out of time" in hook_status()


def test_status_says_what_failed_and_what_to_do(tmp_path: Path, hook_status: Callable[..., str]) -> None:
    reasons = (
        "out of time",
        "out of time",
        "hook.threshold is 7.0, and should be at most 1",
        "KeyError in a.py:7 on Python 3.11",
    )
    for why in reasons:
        record(tmp_path / "notewell", HookRun("prompt", "failed", why, 10, 0))
    record(tmp_path / "notewell", HookRun("prompt", "none", "the vault was never indexed", 10, 0))
    for _ in range(20):
        record(tmp_path / "notewell", HookRun("after", "none", "the output is short", 10, 0))
    told = hook_status()
    problems = [line for line in told.splitlines() if line.startswith("problem:")]
    assert [line.partition(" (")[0].split(maxsplit=1)[1] for line in problems] == [
        *dict.fromkeys(reasons),
        "the vault was never indexed",
    ]
    assert "problem:   out of time (2 times, the last " in told
    for remedy in ("raise hook.timeout_ms", "please report", "run `notewell index` there"):
        assert remedy in told
    assert "last runs: 21 had nothing to say, 4 failed\n" in told


def test_a_person_who_calls_no_hook_is_told(run_command: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    code, out, err = run_command(tmp_path, "hook")
    assert (code, err) == (2, "") and out.startswith("Usage: notewell hook [OPTIONS] COMMAND")
    for wrong in ("nonsense", "promt", "--what"):
        code, out, err = run_command(tmp_path, "hook", wrong)
        assert (code, out) == (2, "") and err.startswith("error: ")
    assert all(is_hook(["hook", event]) for event in EVENTS)


def test_a_hook_that_is_called_wrongly_ends_well(tmp_path: Path) -> None:
    # Another exit code would keep Claude Code from sending the prompt.
    wrong = [("prompt", "--timeout-ms", "abc"), ("prompt", "--what")]
    for process in [start(tmp_path, *arguments) for arguments in wrong]:
        code, out, err = end(process, b"{}")
        assert (code, out) == (0, b"")
        assert err.startswith(b"error: ")
