from __future__ import annotations

import json
import os
import random
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.serve.hooks import Hooks

from notewell.config import settings
from notewell.extract import Keep, make_extract
from notewell.extract.error_lines import is_error
from notewell.extract.noise import steady_error, without_escapes
from notewell.serve.hooks.after import LEAST

TRACE = (
    "Traceback (most recent call last):",
    *(f'  File "app/layer{n}.py", line {n}, in call\n    step_{n}()' for n in range(30)),
    "app.Unlucky: the well is dry",
)


@pytest.fixture
def after(tmp_path: Path) -> Hooks:
    return Hooks(tmp_path / "state", tmp_path)


def bash(hooks: Hooks, stdout: str, command: str = "npm run build", **more: Any) -> Any:
    response = {"stdout": stdout, "stderr": "", "interrupted": False, "isImage": False, **more}
    answer = hooks.answer("after", tool_name="Bash", tool_input={"command": command}, tool_response=response)
    return answer.get("updatedToolOutput")


def build(seed: int, lines: int = 400) -> str:
    """A build's log: the same but for its clock, durations and addresses."""
    chance = random.Random(seed)
    told = [
        f"2026-0{seed % 9 + 1}-01T10:{n // 60:02}:{chance.randrange(60):02}.{chance.randrange(999):03}Z [vite] "
        f"made part {n} <Part at 0x{chance.randrange(16**12):012x}> in {chance.random():.2f}s"
        for n in range(lines)
    ]
    return "\n".join((*told, f"built {lines} parts in {chance.random() * 9:.2f}s"))


def test_a_long_log_becomes_an_extract_that_says_its_size_and_where_all_of_it_is(after: Hooks) -> None:
    log = build(1)
    replaced = bash(after, log)
    intro, *rest = replaced["stdout"].split("\n")
    assert re.match(r"\[Notewell: an extract of [\d,]+ characters in 401 lines; 30 lines are kept", intro)
    assert len(replaced["stdout"]) < len(log) / 5
    assert rest[-1] == "built 400 parts in <duration>"
    assert "[… 371 lines left out, most of them beginning with '<time>']" in rest
    file = Path(re.findall(r"without secrets: (.+)\]$", intro)[0])
    assert file.read_text(encoding="utf-8") == log
    assert os.name != "posix" or file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_the_first_line_says_how_many_characters_there_were(after: Hooks, end: str) -> None:
    log = "\n".join(f"part {chr(97 + n % 26)} made of {'x' * (n % 7)} wood" for n in range(300)) + end
    assert f"an extract of {len(log):,} characters in 300 lines" in bash(after, log)["stdout"]


def test_a_response_that_is_plain_text_is_replaced_only_for_a_noisy_command(after: Hooks) -> None:
    # As Codex hands it over.
    def answer(command: str) -> Any:
        return after.answer("after", tool_name="Bash", tool_input={"command": command}, tool_response=build(1))

    assert answer("npm run build")["updatedToolOutput"].startswith("[Notewell: an extract of")
    assert answer("cat build.log") == {}
    assert after.last.why == "the command's output is what was asked for"


def test_the_response_keeps_its_shape(after: Hooks) -> None:
    replaced = bash(after, build(1), stderr="npm WARN old\n", noOutputExpected=False)
    assert list(replaced) == ["stdout", "stderr", "interrupted", "isImage", "noOutputExpected"]
    assert replaced["stderr"] == "npm WARN old\n"


def test_two_runs_that_differ_in_times_alone_give_the_same_bytes(after: Hooks) -> None:
    assert build(1) != build(2)
    assert bash(after, build(1)) == bash(after, build(2))


def test_two_searches_that_differ_in_order_alone_give_the_same_bytes(after: Hooks) -> None:
    found = [f"src/module{n % 40}.py:{n}: name = {n}" for n in range(400)]
    shuffled = random.Random(3).sample(found, len(found))
    one, other = (bash(after, "\n".join(lines), "rg -n name src") for lines in (found, shuffled))
    assert one == other
    assert all(f"src/module{n}.py:" in one["stdout"] for n in range(40)), "no file is missing"


def test_a_search_says_how_many_lines_of_each_file_are_left_out(after: Hooks) -> None:
    found = [f"src/a module{n % 4}.py:{n}: the very long name = {n}" for n in range(2_000)]
    shown = bash(after, "\n".join(found), "rg -n name src")["stdout"]
    assert all(f"[… 450 more of src/a module{n}.py]" in shown for n in range(4))
    assert shown.count("the very long name") == 4 * 50


def test_what_a_search_found_is_as_it_is_written_in_its_file(after: Hooks) -> None:
    found = [f"src/module{n % 4}.py: took (3s) at 0x7f0011223344, see /tmp/tmpab12cd34 {n}" for n in range(2_000)]
    assert found[0] in bash(after, "\n".join(found), "grep -r took src")["stdout"].split("\n")


def test_lines_that_no_search_writes_so_are_left_alone(after: Hooks) -> None:
    assert bash(after, "\n".join(f"a line of one file {n}" for n in range(2_000)), "grep line file.txt") is None


def test_a_secret_never_reaches_the_disk(after: Hooks) -> None:
    secret = "hunter2" + "-again-and-again"
    bash(after, f"{build(1)}\npassword: {secret}\n")
    kept = [file.read_text(encoding="utf-8") for file in after.state.rglob("*") if file.is_file()]
    assert any("REDACTED" in text for text in kept)
    assert not any(secret in text for text in kept)


def test_old_outputs_are_cleaned_up(after: Hooks) -> None:
    bash(after, build(1))
    (old,) = (after.state / "outputs").iterdir()
    os.utime(old, (0, 0))
    bash(after, build(1, lines=300))
    (new,) = (after.state / "outputs").iterdir()
    assert new != old


def test_errors_and_whole_traces_stay(after: Hooks) -> None:
    lines = build(1).split("\n")
    lines[200:200] = "\n".join(TRACE).split("\n")
    lines[100:100] = ["src/App.tsx:12:5 - error TS2322: no number", "12   const a: number = 'x'", "           ~"]
    shown = bash(after, "\n".join(lines))["stdout"]
    assert "\n".join(TRACE) in shown
    assert "error TS2322: no number\n12   const a: number = 'x'\n           ~" in shown


def test_the_section_of_what_failed_stays_to_the_end(after: Hooks) -> None:
    passed = [f"tests/test_{n}.py::test_it PASSED  [{n // 4}%]" for n in range(400)]
    failed = ["=== FAILURES ===", "___ test_rye ___", *(f"line {n} of what was captured" for n in range(60))]
    shown = bash(after, "\n".join((*passed, *failed)), "pytest -v || true")["stdout"]
    assert "\n".join(failed) in shown


def compiled(*told: str) -> str:
    """A build of two hundred files before, and of others after, what is told in its middle."""
    before = [f"cc -c src/file{n}.c -o build/file{n}.o" for n in range(200)]
    after = [f"cc -c lib/file{n}.c -o build/lib{n}.o" for n in range(200)]
    return "\n".join((*before, *told, *after, *(f"ar r lib{n}.a" for n in range(30))))


@pytest.mark.parametrize(
    "line",
    [
        "make: *** No rule to make target 'gen/parser.c', needed by 'build/parser.o'.",
        "E: Package 'libfoo' has no installation candidate",
        # No list of words knows these.
        "the gremlins ate src/parser.c",
        "cc -c src/parser.c gave up",
        "loss=nan",
        "got 3, want 4",
    ],
)
def test_a_line_unlike_the_others_stays_whatever_its_words(after: Hooks, line: str) -> None:
    shown = bash(after, compiled(line), "make -k all")["stdout"]
    assert line in shown.split("\n")
    assert len(shown) < 3_000
    assert "among them all that look like errors, and those unlike the others. All of it" in shown.split("\n")[0]


def test_a_result_that_others_do_not_have_stays(after: Hooks) -> None:
    lines = [f"test rye_{n} ... ok" for n in range(400)]
    lines[200] = "test rye_200 ... meh"
    assert "test rye_200 ... meh" in bash(after, "\n".join(lines), "make test")["stdout"]


def test_how_many_lines_unlike_the_others_are_left_out_is_told(after: Hooks) -> None:
    chance = random.Random(5)
    odd = [" ".join("".join(chance.choices("abcdefgh", k=9)) for _ in range(3)) for _ in range(140)]
    shown = bash(after, compiled(*odd), "make")["stdout"]
    left = [line for line in odd if line not in shown]
    assert 40 <= len(left) <= 50
    assert f"and all but {len(left)} of those unlike the others" in shown.split("\n")[0]


def test_of_names_that_are_words_the_first_lines_of_a_form_stay(after: Hooks) -> None:
    names = ["".join(pair) for pair in product("brmstl", ("ye", "oat", "alt", "elt"), ("wort", "meal", "cake", "loaf"))]
    lines = [line for name in names for line in (f"Unpacking {name} (1.2) ...", f"Setting up {name} (1.2) ...")]
    assert bash(after, "\n".join(lines * 2), "apt-get install all")["stdout"].count("Unpacking") < 20


LINES = st.lists(
    st.one_of(
        st.sampled_from(["ok", "compiling a", "2026-01-01 10:00:00 INFO fine", "", "   indented", "x" * 500]),
        st.sampled_from(["ERROR: no disk", "12:00:01 warning: old", "AssertionError", "E   assert 1 == 2", "FAILED a"]),
        st.text(max_size=60),
    ),
    max_size=120,
)


@given(LINES, st.sampled_from(["", "names", "matches"]))
def test_every_line_that_tells_of_an_error_survives(lines: list[str], lists: str) -> None:
    text = "\n".join(lines)
    extract = make_extract(text + "\nfiller" * 200 + "\nother" * 200, Keep(lists=lists))
    shown = extract.text if extract else text
    for line in without_escapes(text).split("\n"):
        if is_error(line):
            assert line in shown or steady_error(line) in shown


@given(LINES)
def test_an_extract_of_the_same_lines_at_another_time_is_the_same(lines: list[str]) -> None:
    def log(day: int) -> str:
        rows = (row for line in (*lines, *(f"step {n} is done" for n in range(600))) for row in line.splitlines())
        return "\n".join(f"2026-01-0{day}T10:0{day}:07.{day}23Z {row}" for row in rows)

    extract = make_extract(log(1), Keep())
    assert extract is not None
    assert extract == make_extract(log(2), Keep())


def test_lines_that_repeat_are_told_once_with_how_often(after: Hooks) -> None:
    assert "waiting for the server  (×500)" in bash(after, "begin\n" + "waiting for the server\n" * 500)["stdout"]


def test_lines_to_the_point_of_the_last_prompt_stay(hooks: Hooks) -> None:
    lines = build(1).split("\n")
    names = ["".join(pair) for pair in product(("rye", "oat", "malt", "spelt"), ("wort", "meal", "cake", "loaf"))] * 2
    lines[200:200] = [f"the {name} module weighs 40 kB in its bundle" for name in (*names, "sourdough", *names)]
    assert "sourdough module" not in bash(hooks, "\n".join(lines))["stdout"]
    hooks.run("prompt", prompt="why is the bundle of the sourdough module so heavy")
    assert "sourdough module" in bash(hooks, "\n".join(lines))["stdout"]


@pytest.mark.parametrize(
    "more",
    [
        {"interrupted": True},
        {"isImage": True},
        {"persistedOutputPath": "/tmp/x"},
        {"backgroundTaskId": "b1"},
        {"returnCodeInterpretation": "No matches found"},
        {"stdout": 7},
        {"stdout": "short"},
    ],
)
def test_a_command_that_did_not_just_run_and_end_is_left_alone(after: Hooks, more: dict[str, Any]) -> None:
    response = {"stdout": build(1), "stderr": "", "interrupted": False, **more}
    assert after.run("after", tool_name="Bash", tool_input={"command": "npm test"}, tool_response=response) == ""


@pytest.mark.parametrize("response", [None, 7, [], {}, {"output": "x" * 9_000}, ["x"], {"stdout": ["x"]}])
def test_a_shape_that_is_not_known_is_left_alone(after: Hooks, response: Any) -> None:
    assert after.run("after", tool_name="Bash", tool_input={"command": "npm test"}, tool_response=response) == ""


@pytest.mark.parametrize(
    "data",
    [
        json.dumps([{"name": f"part {n}", "value": n} for n in range(400)], indent=2),
        "\n".join(json.dumps({"name": f"part {n}"}) for n in range(400)),
        "\n".join(f"part {n},{n * 3},made" for n in range(400)),
        "\n".join(f"part {n}\t{n * 3}\tmade" for n in range(400)),
        "\n".join(f"- name: part {n}\n  values:\n    - {n}" for n in range(400)),
        "<?xml version='1.0'?>\n" + "<part>made</part>\n" * 400,
    ],
)
def test_data_is_left_alone_whatever_printed_it(after: Hooks, data: str) -> None:
    assert bash(after, data, "make all") is None
    assert after.last.why == "the output is data"


def test_a_comma_in_the_clock_of_a_log_makes_no_table(after: Hooks) -> None:
    assert bash(after, "\n".join(f"2026-01-02 10:11:12,{n:03} INFO made part {n}" for n in range(400)))


def test_a_tool_that_is_not_named_in_the_settings_is_left_alone(after: Hooks) -> None:
    response = {"stdout": build(1), "stderr": "", "interrupted": False}
    assert after.run("after", tool_name="Other", tool_input={"command": "npm test"}, tool_response=response) == ""
    (after.state.parent / "notewell.toml").write_text("[hook]\ntools = []\n", encoding="utf-8")
    assert bash(after, build(1)) is None


def test_the_settings_are_those_of_the_vault_that_other_hooks_ask(tmp_path: Path) -> None:
    hooks = Hooks(tmp_path / "state")
    work = tmp_path / "notes" / "work"
    (work / ".obsidian").mkdir(parents=True)
    (tmp_path / "notes" / "notewell.toml").write_text("[hook]\ntools = []\n", encoding="utf-8")
    given: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "make"}}
    given["tool_response"] = {"stdout": build(1)}
    assert hooks.run("after", **given, cwd=str(work)) == ""
    assert hooks.last.why == "the tool's output is left alone"
    assert hooks.run("after", **given, cwd=str(tmp_path)) != ""


def test_an_output_that_is_all_errors_stays_as_it_is(after: Hooks) -> None:
    assert bash(after, "\n".join(f"error {n}: no disk" for n in range(500))) is None
    assert after.last.why == "hardly anything could be left out"


def test_grep_and_glob_keep_all_files_in_order(after: Hooks) -> None:
    names = [f"/src/b{n}.py" for n in range(500, 0, -1)]
    response = {"mode": "files_with_matches", "numFiles": 500, "filenames": names}
    answer = after.answer("after", tool_name="Grep", tool_input={"pattern": "x"}, tool_response=response)
    assert answer["updatedToolOutput"] == {**response, "filenames": sorted(names)}
    glob = {"filenames": names, "durationMs": 7, "numFiles": 500, "truncated": False}
    answer = after.answer("after", tool_name="Glob", tool_input={"pattern": "*"}, tool_response=glob)
    assert answer["updatedToolOutput"] == {**glob, "filenames": sorted(names)}


def test_what_is_too_short_whatever_the_settings_say_is_known_without_them() -> None:
    assert settings.LEAST["hook.min_chars"] == LEAST


def test_a_short_list_keeps_the_order_that_its_tool_gave_it(after: Hooks) -> None:
    response = {"filenames": ["/src/b.py", "/src/a.py"], "durationMs": 7, "numFiles": 2, "truncated": False}
    assert after.run("after", tool_name="Glob", tool_input={"pattern": "*"}, tool_response=response) == ""


def test_lines_that_grep_found_become_an_extract(after: Hooks) -> None:
    content = "\n".join(f"src/module{n % 9}.py:{n}:some line of code number {n}" for n in range(300))
    response = {"mode": "content", "numFiles": 0, "filenames": [], "content": content, "numLines": 300}
    answer = after.answer("after", tool_name="Grep", tool_input={"pattern": "code"}, tool_response=response)
    assert all(f"src/module{n}.py:" in answer["updatedToolOutput"]["content"] for n in range(9))
    assert answer["updatedToolOutput"]["numLines"] == 300


def test_durations_stay_where_they_are_what_was_asked_for(after: Hooks) -> None:
    log = "\n".join(f"step {n} took {n}.5s" for n in range(400))
    assert "took 399.5s" in bash(after, log, "make bench")["stdout"]
    assert "took 399.5s" not in bash(after, log, "make")["stdout"]


@pytest.mark.parametrize(
    "line",
    [
        *("cp: Operation not permitted", "No space left on device", "curl: (6) Could not resolve host", "HTTP 403"),
        *("listen: address already in use", "Read-only file system", "not ok 3 - opens", "✖ builds", "stack overflow"),
        *("npm ELIFECYCLE Command exited with code 1", "exited with code 137", "checksum mismatch", "Fehler: kaputt"),
        *("....F....                        [ 12%]", "expected 3 but got 4", "pod CrashLoopBackOff"),
        *("make[2]: *** [all] Stop.", "No module named rye", "name 'rye' is not defined", "it has no attribute 'oat'"),
        *("the table does not exist", "Type 'a' is not assignable to type 'b'", "multiple definition of `main'"),
        *("checksum does not match", "deadlock!", "WARNING: DATA RACE", "Segfault", "command terminated by signal 9"),
        *("open: ENOENT", "ENOSPC", "EACCES: /etc", "read ECONNRESET", "502 Bad Gateway", "certificate has expired"),
        *("can’t open file", "return code 1", "E: Package 'rye' is gone"),
    ],
)
def test_errors_of_many_kinds_are_known(line: str) -> None:
    assert is_error(line)


@pytest.mark.parametrize(
    "line", ["exited with code 0", "return code 0", "0 errors", ".........    [ 12%]", "Compiling rye v1.2"]
)
def test_what_went_well_is_no_error(line: str) -> None:
    assert not is_error(line)


def test_an_error_that_was_written_over_stays_and_a_title_swallows_nothing() -> None:
    shown = without_escapes("ERROR: disk failure\rretrying 50 %\n\x1b]0;title\nerror: rye\n")
    assert "ERROR: disk failure" in shown and "error: rye" in shown


def test_an_error_in_each_of_many_lines_is_read_in_time() -> None:
    lines = [f" error {number}" for number in range(30_000)]
    assert make_extract("\n".join(lines), Keep()) is None


def test_a_secret_in_colours_never_reaches_the_disk(after: Hooks) -> None:
    secret = "Tr0ub4dor" + "-Xk94-zz"
    bash(after, f"{build(1)}\n\x1b[36mpassword\x1b[0m: \x1b[33m{secret}\x1b[0m\n")
    kept = "".join(file.read_text(encoding="utf-8") for file in after.state.rglob("*") if file.is_file())
    assert "[REDACTED" in kept and secret not in kept
