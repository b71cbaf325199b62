from __future__ import annotations

import json
import random
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import cases

from notewell.extract import LOG, Extract, Kind, Untouched, extract, kind_of
from notewell.extract.error_lines import is_error
from notewell.extract.noise import plain_text, stable_error

TRACE = (
    "Traceback (most recent call last):",
    *(f'  File "app/layer{n}.py", line {n}, in call\n    step_{n}()' for n in range(30)),
    "app.Unlucky: the well is dry",
)


def extracted(text: str, command: str) -> Extract:
    kind = kind_of(command)
    assert kind is not None
    made = extract(text, kind)
    assert isinstance(made, Extract)
    return made


def build(lines: int = 400) -> list[str]:
    return [f"2026-01-01T10:{n // 60:02}:{n % 60:02}.123Z [vite] made part {n} in 0.12s" for n in range(lines)]


def compiled(*lines: str) -> str:
    """A build of two hundred files before, and of others after, these lines."""
    before = [f"cc -c src/file{n}.c -o build/file{n}.o" for n in range(200)]
    after = [f"cc -c lib/file{n}.c -o build/lib{n}.o" for n in range(200)]
    return "\n".join((*before, *lines, *after, *(f"ar r lib{n}.a" for n in range(30))))


def test_a_long_log_keeps_its_beginning_and_end_and_counts_the_rest() -> None:
    made = extracted("\n".join((*build(), "built 400 parts in 3.21s")), "npm run build")
    assert (made.kept, made.total, made.outliers_left_out) == (30, 401, 0)
    assert made.lines[-1] == "built 400 parts in <duration>"
    assert "[… 371 lines left out, most of them beginning with '<time>']" in made.lines


@cases("end", ["", "\n", "\n\n"])
def test_all_characters_are_counted(end: str) -> None:
    log = "\n".join(f"part {chr(97 + n % 26)} made of {'x' * (n % 7)} wood" for n in range(300)) + end
    made = extracted(log, "make")
    assert (made.chars, made.total) == (len(log), 300)


def test_two_searches_that_differ_in_order_alone_give_the_same_extract() -> None:
    found = [f"src/module{n % 40}.py:{n}: name = {n}" for n in range(400)]
    shuffled = random.Random(3).sample(found, len(found))
    one, other = (extracted("\n".join(lines), "rg -n name src") for lines in (found, shuffled))
    assert one == other
    assert all(f"src/module{n}.py:" in one.text for n in range(40)), "no file is missing"


def test_a_search_says_how_many_lines_of_each_file_are_left_out() -> None:
    found = [f"src/a module{n % 4}.py:{n}: the very long name = {n}" for n in range(2_000)]
    shown = extracted("\n".join(found), "rg -n name src").text
    assert all(f"[… 450 more of src/a module{n}.py]" in shown for n in range(4))
    assert shown.count("the very long name") == 4 * 50


def test_a_match_is_shown_as_its_file_has_it() -> None:
    found = [f"src/module{n % 4}.py: took (3s) at 0x7f0011223344, see /tmp/tmpab12cd34 {n}" for n in range(2_000)]
    assert found[0] in extracted("\n".join(found), "grep -r took src").lines


def test_lines_without_a_file_are_not_a_list_of_matches() -> None:
    lines = "\n".join(f"a line of one file {n}" for n in range(2_000))
    assert extract(lines, Kind(lists="matches")) == Untouched.NO_LIST


def test_errors_and_whole_traces_stay() -> None:
    lines = build()
    lines[200:200] = "\n".join(TRACE).split("\n")
    lines[100:100] = ["src/App.tsx:12:5 - error TS2322: no number", "12   const a: number = 'x'", "           ~"]
    shown = extracted("\n".join(lines), "npm run build").text
    assert "\n".join(TRACE) in shown
    assert "error TS2322: no number\n12   const a: number = 'x'\n           ~" in shown


def test_the_section_of_failures_stays_to_the_end() -> None:
    passed = [f"tests/test_{n}.py::test_it PASSED  [{n // 4}%]" for n in range(400)]
    failed = ["=== FAILURES ===", "___ test_rye ___", *(f"line {n} of captured output" for n in range(60))]
    assert "\n".join(failed) in extracted("\n".join((*passed, *failed)), "pytest -v || true").text


def test_a_line_unlike_the_others_stays_whatever_its_words() -> None:
    # No list of words for errors knows the last four.
    lines = """
make: *** No rule to make target 'gen/parser.c', needed by 'build/parser.o'.
E: Package 'libfoo' has no installation candidate
the gremlins ate src/parser.c
cc -c src/parser.c gave up
loss=nan
got 3, want 4
"""
    made = {line: extracted(compiled(line), "make -k all") for line in lines.strip().split("\n")}
    assert [line for line in made if line not in made[line].lines or len(made[line].text) > 3_000] == []


def test_a_result_that_no_other_test_has_stays() -> None:
    lines = [f"test rye_{n} ... ok" for n in range(400)]
    lines[200] = "test rye_200 ... meh"
    assert "test rye_200 ... meh" in extracted("\n".join(lines), "make test").lines


def test_outliers_that_are_left_out_are_counted() -> None:
    chance = random.Random(5)
    odd = [" ".join("".join(chance.choices("abcdefgh", k=9)) for _ in range(3)) for _ in range(140)]
    made = extracted(compiled(*odd), "make")
    left_out = [line for line in odd if line not in made.lines]
    assert 40 <= len(left_out) == made.outliers_left_out <= 50


def test_names_that_are_words_make_no_form_of_their_own() -> None:
    names = ["".join(pair) for pair in product("brmstl", ("ye", "oat", "alt", "elt"), ("wort", "meal", "cake", "loaf"))]
    lines = [line for name in names for line in (f"Unpacking {name} (1.2) ...", f"Setting up {name} (1.2) ...")]
    assert extracted("\n".join(lines * 2), "apt-get install all").text.count("Unpacking") < 20


def test_repeated_lines_are_shown_once_with_their_number() -> None:
    made = extracted("begin\n" + "waiting for the server\n" * 500, "npm run build")
    assert "waiting for the server  (×500)" in made.lines


def test_durations_stay_where_they_were_asked_for() -> None:
    log = "\n".join(f"step {n} took {n}.5s" for n in range(400))
    assert "took 399.5s" in extracted(log, "make bench").text
    assert "took 399.5s" not in extracted(log, "make").text


def test_data_stays_whole_whatever_printed_it() -> None:
    data = {
        "JSON": json.dumps([{"name": f"part {n}", "value": n} for n in range(400)], indent=2),
        "JSON Lines": "\n".join(json.dumps({"name": f"part {n}"}) for n in range(400)),
        "CSV": "\n".join(f"part {n},{n * 3},made" for n in range(400)),
        "TSV": "\n".join(f"part {n}\t{n * 3}\tmade" for n in range(400)),
        "YAML": "\n".join(f"- name: part {n}\n  values:\n    - {n}" for n in range(400)),
        "XML": "<?xml version='1.0'?>\n" + "<part>made</part>\n" * 400,
    }
    assert [name for name, text in data.items() if extract(text, LOG) != Untouched.DATA] == []


def test_a_comma_in_the_clock_of_a_log_makes_no_table() -> None:
    extracted("\n".join(f"2026-01-02 10:11:12,{n:03} INFO made part {n}" for n in range(400)), "make")


def test_an_output_of_errors_alone_stays_whole() -> None:
    assert extract("\n".join(f"error {n}: no disk" for n in range(500)), LOG) == Untouched.DENSE
    # Read in time, too: a look at every pair of lines would be 50,000,000.
    assert extract("\n".join(f" error {n}" for n in range(10_000)), LOG) == Untouched.DENSE


LINES = st.lists(
    st.one_of(
        st.sampled_from(["ok", "compiling a", "2026-01-01 10:00:00 INFO fine", "", "   indented", "x" * 500]),
        st.sampled_from(["ERROR: no disk", "12:00:01 warning: old", "AssertionError", "E   assert 1 == 2", "FAILED a"]),
        st.text(max_size=60),
    ),
    max_size=120,
)


@given(LINES, st.sampled_from(["", "names", "matches"]))
def test_every_line_that_may_report_an_error_survives(lines: list[str], lists: str) -> None:
    text = "\n".join(lines)
    made = extract(text + "\nfiller" * 200 + "\nother" * 200, Kind(lists=lists))
    shown = made.text if isinstance(made, Extract) else text
    for line in plain_text(text).split("\n"):
        if is_error(line):
            assert line in shown or stable_error(line) in shown


@settings(max_examples=30)
@given(LINES)
def test_the_same_lines_at_another_time_give_the_same_extract(lines: list[str]) -> None:
    def log(day: int) -> str:
        rows = (row for line in (*lines, *(f"step {n} is done" for n in range(600))) for row in line.splitlines())
        return "\n".join(f"2026-01-0{day}T10:0{day}:07.{day}23Z {row}" for row in rows)

    made = extract(log(1), LOG)
    assert isinstance(made, Extract)
    assert made == extract(log(2), LOG)
