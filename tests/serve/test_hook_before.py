from __future__ import annotations

from typing import Any

from tests.serve.hooks import Hooks

from notewell.extract.shell import FINDS, GREPS
from notewell.serve.hooks.before import SEARCHING, subject_of
from notewell.serve.hooks.payload import Payload


def test_notes_that_name_a_file_are_shown_before_it_is_read(hooks: Hooks) -> None:
    block = hooks.block("before", tool_name="Read", tool_input={"file_path": "/work/scripts/deploy.sh"})
    assert "[Engineering/Deploy runbook.md:" in block
    assert "relevant to this file" in block


def test_a_hook_never_says_whether_a_tool_may_run(hooks: Hooks) -> None:
    answer = hooks.answer("before", tool_name="Read", tool_input={"file_path": "deploy.sh"})
    assert answer.keys() == {"hookEventName", "additionalContext"}
    assert answer["hookEventName"] == "PreToolUse"


def test_a_file_that_every_project_has_or_no_note_names_gets_nothing(hooks: Hooks) -> None:
    for name in ("README.md", "index.js", "__init__.py", "main.py", "x.py", "no-note-names-this.sh"):
        assert not hooks.block("before", tool_name="Read", tool_input={"file_path": f"/work/thing/{name}"}), name


def test_a_note_is_not_shown_for_itself(hooks: Hooks) -> None:
    assert hooks.vault
    file = hooks.vault / "Engineering" / "Deploy runbook.md"
    file.write_text(file.read_text(encoding="utf-8") + "\nThis is Deploy runbook.md itself.\n", encoding="utf-8")
    (hooks.vault / "Other.md").write_text("# Other\n\nRead Deploy runbook.md before a release.\n", encoding="utf-8")
    block = hooks.block("before", tool_name="Read", tool_input={"file_path": str(file)})
    assert "[Other.md:" in block
    assert "[Engineering/Deploy" not in block


SEARCHES: list[tuple[str, dict[str, str], str]] = [
    ("Grep", {"pattern": r"\b_rrf_fuse\("}, "Machine learning/Hybrid retrieval.md"),
    ("Bash", {"command": "cd src && rg -n '_rrf_fuse' . | head"}, "Machine learning/Hybrid retrieval.md"),
    ("Glob", {"pattern": "**/deploy.sh"}, "Engineering/Deploy runbook.md"),
    ("Bash", {"command": "find . -name deploy.sh"}, "Engineering/Deploy runbook.md"),
    ("WebSearch", {"query": "oxalic acid treatment of varroa in winter"}, "Garden/"),
]
OTHERS: list[tuple[str, Any]] = [
    ("Grep", {"pattern": "def test_"}),
    ("Grep", {"pattern": ".*"}),
    ("Glob", {"pattern": "**/*.py"}),
    ("Bash", {"command": "ls -la"}),
    ("Bash", {"command": "cat x | grep _rrf_fuse"}),
    ("Bash", {"command": "echo $(grep _rrf_fuse x)"}),
    ("Bash", {"command": "grep 'unclosed"}),
    ("Bash", {}),
    ("Bash", {"command": 7}),
    ("Write", {"file_path": "deploy.sh"}),
    ("Read", {"file_path": "deploy.sh\0"}),
    ("", None),
]


def test_what_is_searched_for_is_looked_up_in_the_notes(hooks: Hooks) -> None:
    for number, (tool, asked, note) in enumerate(SEARCHES):
        assert f"[{note}" in hooks.block("before", tool_name=tool, tool_input=asked, session_id=str(number)), asked


def test_a_tool_that_looks_for_nothing_that_notes_know_gets_nothing(hooks: Hooks) -> None:
    assert [case for case in OTHERS if hooks.run("before", tool_name=case[0], tool_input=case[1])] == []


def test_what_a_prompt_was_shown_is_not_shown_again_before_a_tool(hooks: Hooks) -> None:
    asked = {"query": "why does my sourdough loaf spread flat in the oven"}
    assert [bool(hooks.block(prompt=asked["query"])) for _ in range(5)][-1] is False
    assert not hooks.block("before", tool_name="WebSearch", tool_input=asked)
    assert hooks.block("before", tool_name="WebSearch", tool_input=asked, session_id="another")


def test_every_program_that_searches_is_noticed_in_a_command() -> None:
    assert [program for program in (*GREPS, *FINDS) if not SEARCHING.search(f"cd src && {program} x")] == []


PATTERNS = {
    "grep -rn --include '*.py' 'formic acid' .": "formic acid",
    "git grep -e tenant_id -- src": "tenant_id",
    "FOO=1 sudo rg -A 3 -t py tenant_id src": "tenant_id",
    "fd -e md beekeeping": "beekeeping",
}


def test_the_pattern_of_a_command_is_found_among_its_options() -> None:
    subjects = {command: subject_of(Payload(tool="Bash", tool_input={"command": command})) for command in PATTERNS}
    assert {command: subject.words or subject.file for command, subject in subjects.items()} == PATTERNS
