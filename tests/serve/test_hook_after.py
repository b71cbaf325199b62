from __future__ import annotations

import os
import random
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.serve.hooks import Hooks

from notewell.config.settings import SPECS
from notewell.serve.hooks.after import LEAST


@pytest.fixture
def after(tmp_path: Path) -> Hooks:
    return Hooks(tmp_path / "state", tmp_path)


def bash(hooks: Hooks, stdout: str, command: str = "npm run build", **more: Any) -> Any:
    response = {"stdout": stdout, "stderr": "", "interrupted": False, "isImage": False, **more}
    answer = hooks.answer("after", tool_name="Bash", tool_input={"command": command}, tool_response=response)
    return answer.get("updatedToolOutput")


def build(seed: int, lines: int = 400) -> str:
    """A build's log, which differs between runs only in times, durations and addresses."""
    chance = random.Random(seed)
    rows = [
        f"2026-0{seed % 9 + 1}-01T10:{n // 60:02}:{chance.randrange(60):02}.{chance.randrange(999):03}Z [vite] "
        f"made part {n} <Part at 0x{chance.randrange(16**12):012x}> in {chance.random():.2f}s"
        for n in range(lines)
    ]
    return "\n".join((*rows, f"built {lines} parts in {chance.random() * 9:.2f}s"))


def test_a_long_log_becomes_an_extract_that_says_its_size_and_where_the_full_output_is(after: Hooks) -> None:
    log = build(1)
    replaced = bash(after, log)
    intro, *rest = replaced["stdout"].split("\n")
    assert re.match(r"\[Notewell: an extract of [\d,]+ characters in 401 lines\. It keeps 30 lines, among them", intro)
    assert "every line that looks like an error and the lines unlike the others" in intro
    assert len(replaced["stdout"]) < len(log) / 5
    assert rest[-1] == "built 400 parts in <duration>"
    file = Path(re.findall(r"secrets redacted: (.+)\]$", intro)[0])
    assert file.read_text(encoding="utf-8") == log
    assert os.name != "posix" or file.stat().st_mode & 0o777 == 0o600


def test_the_number_of_outliers_left_out_is_in_the_first_line(after: Hooks) -> None:
    chance = random.Random(5)
    odd = [" ".join("".join(chance.choices("abcdefgh", k=9)) for _ in range(3)) for _ in range(140)]
    lines = bash(after, "\n".join((*(f"cc -c file{n}.c" for n in range(200)), *odd, *["ar"] * 30)), "make")["stdout"]
    left_out = [line for line in odd if line not in lines.split("\n")]
    assert f"and all but {len(left_out)} of the lines unlike the others" in lines.split("\n")[0]


def test_a_response_that_is_plain_text_is_replaced_only_for_a_noisy_command(after: Hooks) -> None:
    # As Codex hands it over.
    def answer(command: str) -> Any:
        return after.answer("after", tool_name="Bash", tool_input={"command": command}, tool_response=build(1))

    assert answer("npm run build")["updatedToolOutput"].startswith("[Notewell: an extract of")
    assert answer("cat build.log") == {}
    assert after.last.why == "the command is not known to be noisy"


def test_the_response_keeps_its_shape(after: Hooks) -> None:
    replaced = bash(after, build(1), stderr="npm WARN old\n", noOutputExpected=False)
    assert list(replaced) == ["stdout", "stderr", "interrupted", "isImage", "noOutputExpected"]
    assert replaced["stderr"] == "npm WARN old\n"


def test_two_runs_that_differ_in_times_alone_give_the_same_bytes(after: Hooks) -> None:
    assert build(1) != build(2)
    assert bash(after, build(1)) == bash(after, build(2))


def test_a_secret_never_reaches_the_disk_in_colours_or_without(after: Hooks) -> None:
    secrets = "hunter2" + "-again-and-again", "Tr0ub4dor" + "-Xk94-zz"
    plain, coloured = f"password: {secrets[0]}", f"\x1b[36mpassword\x1b[0m: \x1b[33m{secrets[1]}\x1b[0m"
    bash(after, f"{build(1)}\n{plain}\n{coloured}\n")
    kept = "".join(file.read_text(encoding="utf-8") for file in after.state.rglob("*") if file.is_file())
    assert kept.count("[REDACTED") == 2
    assert not any(secret in kept for secret in secrets)


def test_old_outputs_are_cleaned_up(after: Hooks) -> None:
    bash(after, build(1))
    (old,) = (after.state / "outputs").iterdir()
    os.utime(old, (0, 0))
    bash(after, build(1, lines=300))
    (new,) = (after.state / "outputs").iterdir()
    assert new != old


def test_lines_with_words_of_the_last_prompt_stay(hooks: Hooks) -> None:
    lines = build(1).split("\n")
    names = ["".join(pair) for pair in product(("rye", "oat", "malt", "spelt"), ("wort", "meal", "cake", "loaf"))] * 2
    lines[200:200] = [f"the {name} module weighs 40 kB in its bundle" for name in (*names, "sourdough", *names)]
    assert "sourdough module" not in bash(hooks, "\n".join(lines))["stdout"]
    hooks.run("prompt", prompt="why is the bundle of the sourdough module so heavy")
    assert "sourdough module" in bash(hooks, "\n".join(lines))["stdout"]


UNUSUAL: list[Any] = [
    {"interrupted": True},
    {"isImage": True},
    {"persistedOutputPath": "/tmp/x"},
    {"backgroundTaskId": "b1"},
    {"returnCodeInterpretation": "No matches found"},
    {"stdout": 7},
    {"stdout": "short"},
]


def test_a_command_that_did_not_simply_run_and_end_is_left_alone(after: Hooks) -> None:
    usual = {"stdout": build(1), "stderr": "", "interrupted": False}
    given: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "npm test"}}
    assert after.run("after", **given, tool_response=usual) != ""
    assert [more for more in UNUSUAL if after.run("after", **given, tool_response={**usual, **more})] == []


def test_a_response_of_an_unknown_shape_is_left_alone(after: Hooks) -> None:
    given: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "npm test"}}
    shapes: list[Any] = [None, 7, [], {}, {"output": "x" * 9_000}, ["x"], {"stdout": ["x"]}]
    assert [shape for shape in shapes if after.run("after", **given, tool_response=shape)] == []


def test_the_log_says_why_an_output_stays_as_it_is(after: Hooks) -> None:
    assert bash(after, "part,made\n" * 900, "make all") is None
    assert after.last.why == "the output is data"
    assert bash(after, "\n".join(f"error {n}: no disk" for n in range(500))) is None
    assert after.last.why == "hardly anything could be left out"


def test_a_tool_that_the_settings_do_not_name_is_left_alone(after: Hooks) -> None:
    response = {"stdout": build(1), "stderr": "", "interrupted": False}
    assert after.run("after", tool_name="Other", tool_input={"command": "npm test"}, tool_response=response) == ""
    (after.state.parent / "notewell.toml").write_text("[hook]\ntools = []\n", encoding="utf-8")
    assert bash(after, build(1)) is None


def test_the_settings_are_those_of_the_vault_that_the_other_hooks_search(tmp_path: Path) -> None:
    hooks = Hooks(tmp_path / "state")
    work = tmp_path / "notes" / "work"
    (work / ".obsidian").mkdir(parents=True)
    (tmp_path / "notes" / "notewell.toml").write_text("[hook]\ntools = []\n", encoding="utf-8")
    given: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "make"}}
    given["tool_response"] = {"stdout": build(1)}
    assert hooks.run("after", **given, cwd=str(work)) == ""
    assert hooks.last.why == "hook.tools does not name this tool"
    assert hooks.run("after", **given, cwd=str(tmp_path)) != ""


def test_grep_and_glob_keep_all_files_in_order(after: Hooks) -> None:
    names = [f"/src/b{n}.py" for n in range(500, 0, -1)]
    response = {"mode": "files_with_matches", "numFiles": 500, "filenames": names}
    answer = after.answer("after", tool_name="Grep", tool_input={"pattern": "x"}, tool_response=response)
    assert answer["updatedToolOutput"] == {**response, "filenames": sorted(names)}
    glob = {"filenames": names, "durationMs": 7, "numFiles": 500, "truncated": False}
    answer = after.answer("after", tool_name="Glob", tool_input={"pattern": "*"}, tool_response=glob)
    assert answer["updatedToolOutput"] == {**glob, "filenames": sorted(names)}


def test_the_least_length_is_that_of_the_settings() -> None:
    assert SPECS["hook.min_chars"].least == LEAST


def test_a_short_list_keeps_the_order_that_its_tool_gave_it(after: Hooks) -> None:
    response = {"filenames": ["/src/b.py", "/src/a.py"], "durationMs": 7, "numFiles": 2, "truncated": False}
    assert after.run("after", tool_name="Glob", tool_input={"pattern": "*"}, tool_response=response) == ""


def test_lines_that_grep_found_become_an_extract(after: Hooks) -> None:
    content = "\n".join(f"src/module{n % 9}.py:{n}:some line of code number {n}" for n in range(300))
    response = {"mode": "content", "numFiles": 0, "filenames": [], "content": content, "numLines": 300}
    answer = after.answer("after", tool_name="Grep", tool_input={"pattern": "code"}, tool_response=response)
    assert all(f"src/module{n}.py:" in answer["updatedToolOutput"]["content"] for n in range(9))
    assert answer["updatedToolOutput"]["numLines"] == 300
