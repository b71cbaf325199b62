"""The command line as a whole: the entry point, help, errors, which vault, and Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from tests.cases import cases
from tests.serve.conftest import write_numbered
from tests.serve.terminal import PROGRAM, on_terminal, run_on_terminal

from notewell import __version__
from notewell.serve.cli import COMMANDS, GROUPS, cli
from notewell.serve.cli.progress import QUIET
from notewell.serve.cli.usage import SETTING_HINT

Notewell = Callable[..., tuple[int, str, str]]


def start(*arguments: str | bytes, cwd: Path, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [PROGRAM, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONUTF8": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


# The program


def test_the_installed_program_finds_a_line(folder: Path) -> None:
    process = start("search", "why did the loaf collapse", cwd=folder)
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert out.startswith("Recipes/Sourdough.md:7")
    assert "collapsed" in out


def test_the_version_is_the_packages(notewell: Notewell) -> None:
    assert notewell("--version") == (0, f"{__version__}\n", "")


def test_help_lists_every_command_once_in_groups(notewell: Notewell) -> None:
    code, out, _ = notewell("--help")
    assert code == 0
    assert sorted(re.findall(r"^  ([\w-]+)  ", out.partition("Find:")[2], re.MULTILINE)) == sorted(COMMANDS)
    assert [title for title in GROUPS if f"\n{title}:\n" in out] == list(GROUPS)
    assert "Exit codes: 0 success" in out


def test_the_program_alone_shows_what_to_paste_first(notewell: Notewell) -> None:
    code, out, err = notewell()
    assert (code, err) == (0, "")
    pasted = re.findall(r"^    notewell (\w+)", out, re.MULTILINE)
    assert pasted == ["search", "read", "related"]


@cases(
    ("arguments", "meant"),
    [
        (["serch", "rye"], "There is no command 'serch'. Did you mean 'search'?"),
        (["--no-pager", "stauts"], "There is no command 'stauts'. Did you mean 'status'?"),
        (["why did the bread collapse"], "There is no command 'why did the bread collapse'\n"),
        (["search", "rye", "--limt", "3"], "'--limit'"),
        (["hook", "uninstal"], "There is no command 'uninstal'. Did you mean 'uninstall'?"),
        (["pause"], "There is no command 'pause'. Did you mean 'daemon pause'?"),
        (["help", "hook", "instal"], "There is no help on 'hook instal'. Did you mean 'install'?"),
    ],
)
def test_a_slip_is_reported_with_a_suggestion(notewell: Notewell, arguments: list[str], meant: str) -> None:
    code, out, err = notewell(*arguments)
    assert (code, out) == (2, "")
    assert meant in err
    assert "\nhint: Run `notewell" in err


@cases(
    ("arguments", "hint"),
    [
        (["search", "rye", "-draft"], "Put text that begins with a minus after `--`: `notewell search -- rye -draft`"),
        (["search", "-draft"], "Put text that begins with a minus after `--`: `notewell search -- -draft`"),
        (["remember", "- an item"], "Put text that begins with a minus after `--`: `notewell remember -- '- an item'`"),
        (["status", "-x"], "Run `notewell status --help`"),
        (["bees", "in", "winter", "--json"], "Run `notewell search 'bees in winter'` to search for it"),
        (["serch", "rye"], "Run `notewell --help`"),
        (["--vault", ".", "search", "x"], "Put it after the command: `notewell search … --vault …`"),
        (["--what", "search", "x"], "Run `notewell --help`"),
        (["remember", "kim", "likes", "tea", "--tag", "x"], "Put it in quotes: `notewell remember 'kim likes tea'`"),
        (["read", "--json", "a", "b"], "Run `notewell read --help`"),
        (["daemon", "--stop"], "Run `notewell daemon stop`"),
        (["daemon", "stop", "now"], "Run `notewell daemon stop`"),
        (["completion", "bash", "please"], "Run `notewell completion bash`"),
        (["hook", "install", "now", "please"], "Run `notewell hook install --help`"),
        (["config", "search.limit", "5"], SETTING_HINT),
    ],
)
def test_the_hint_is_the_command_as_it_may_be_meant(notewell: Notewell, arguments: list[str], hint: str) -> None:
    code, out, err = notewell(*arguments)
    assert (code, out) == (2, "")
    assert err.endswith(f"\nhint: {hint}\n")


@cases(
    ("arguments", "fact"),
    [
        (["search", "rye", "--under", "a", "--under", "b"], "--under takes one value, but is given 2 times"),
        (["search", "rye", "-n", "1", "--limit", "2"], "--limit takes one value, but is given 2 times"),
        (["search", "rye", "--deep", "--mode", "fast"], "--deep and --mode exclude each other; give one of them"),
        (["hook", "install", "--user", "--project"], "--user and --project exclude each other; give one of them"),
        (["hook", "install", "--only", "stop", "--only", "stop"], "--only takes one value, but is given 2 times"),
    ],
)
def test_an_option_with_one_value_is_given_once(notewell: Notewell, arguments: list[str], fact: str) -> None:
    command = "hook install" if arguments[0] == "hook" else "search"
    assert notewell(*arguments) == (2, "", f"error: {fact}\nhint: Run `notewell {command} --help`\n")


def test_flags_and_options_with_several_values_may_repeat(notewell: Notewell) -> None:
    code, _, err = notewell("search", "--json", "--json", "--tag", "bread", "--tag", "bread", "--", "--json --json")
    assert code == 0, err


@cases("name", COMMANDS)
def test_every_command_has_a_sentence_and_a_line_to_paste(notewell: Notewell, name: str) -> None:
    code, out, _ = notewell(name, "--help")
    assert code == 0
    assert f"\n  {COMMANDS[name]}\n" in out
    assert not COMMANDS[name].endswith(".")
    assert re.search(rf"Example:\n +notewell {name}", out)


# Examples that tests of their own run, or that need what the sample vault does not have.
ELSEWHERE = {
    "serve": "it does not end",
    "mcp": "it does not end",
    "watch": "it does not end",
    "eval": "it needs a collection",
    "server": "it outlives the test; tests/serve/test_server.py",
    "fill": "it needs an encoder",
    "tune": "the sample vault has too few notes; tests/measure/test_tune.py",
    "apply-renames": "it changes notes with certain tags; tests/serve/test_command_tags.py",
    "intake": "it reads files of the user's; tests/curate/test_intake.py",
    "move": "it needs a server; tests/measure/test_moving.py",
    "promote --undo": "nothing was ticked; tests/curate/test_promote.py",
    'search "squats in:fitness"': "there is no such domain; tests/test_domains.py",
    "verify answer.md": "it reads an answer of the user's",
    'read "Papers/Bees.pdf#page 3"': "there is no PDF",
}


def test_every_example_of_the_help_works_on_the_sample_vault(
    notewell: Notewell, indexed_sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = shutil.copytree(indexed_sample, tmp_path / "home" / "notes")
    (notes / "notewell.toml").write_text('[memory]\nfolder = "Memories"\n[curate]\nfolders = ["."]\n')
    for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(notes.parent))
    # Loading the usual one takes longer than all that an example does.
    monkeypatch.setenv("NOTEWELL_EMBED_ENCODER", "words")
    monkeypatch.chdir(notes)
    notewell("read", "Home.md")
    ran, failed = 0, []
    for command in COMMANDS:
        examples = notewell(command, "--help")[1].partition("Example:\n")[2].partition("\n\n")[0]
        for line in re.findall(r"^ +notewell (.+)", examples, re.MULTILINE):
            if command in ELSEWHERE or line in ELSEWHERE:
                continue
            words = [word.replace("~", str(notes.parent)) for word in shlex.split(re.split(r" [>|] ", line)[0])]
            code, out, err = notewell(*words)
            # What looks for something amiss, and finds it, has 1 without an error.
            if code not in (0, 1) or "error:" in err or (not out and "nothing found" in err):
                failed.append((line, err))
            ran += 1
    assert failed == []
    assert ran > len(COMMANDS)


# What a server over MCP prints is the protocol's.
SERVERS = {"mcp"}


# The process behind the commands is of no vault, and a server is of many.
@cases("name", sorted(set(COMMANDS) - {"completion", "daemon", "help", "server"}))
def test_every_command_knows_json_and_vault(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    # A group has them where they make sense.
    commands = (command, *getattr(command, "commands", {}).values())
    options = {option for one in commands for parameter in one.params for option in parameter.opts}
    assert {"--vault"} | ({"--json"} if name not in SERVERS else set()) <= options


# Errors


@cases(
    "arguments",
    [
        ["nonsense"],
        ["search"],
        ["search", "rye", "--limit", "0"],
        ["search", "rye", "--limit", "x"],
        ["read"],
        ["index", "--what"],
    ],
)
def test_a_wrong_call_exits_with_2_and_a_hint(notewell: Notewell, arguments: list[str]) -> None:
    code, out, err = notewell(*arguments)
    assert (code, out) == (2, "")
    assert re.fullmatch(r"error: [^\n]+\nhint: Run `[^\n]*notewell[^\n]* --help`\n", err)


@cases("command", [["index"], ["search", "rye"], ["status"], ["read", "a.md"]])
def test_a_vault_that_is_not_there_exits_with_1_and_a_hint(notewell: Notewell, command: list[str]) -> None:
    code, out, err = notewell(*command, "--vault", "nowhere")
    assert (code, out) == (1, "")
    assert re.fullmatch(r"error: There is no folder [^\n]*nowhere\nhint: [^\n]+\n", err)


def test_a_file_in_the_place_of_a_vault_exits_with_1_and_a_hint(notewell: Notewell) -> None:
    code, _, err = notewell("index", "Garden/Bees.md")
    assert code == 1
    assert re.match(r"error: .*is a file, not a folder\nhint: ", err)


def test_a_wrong_setting_exits_with_1_and_names_it(notewell: Notewell, folder: Path) -> None:
    (folder / "notewell.toml").write_text("[search]\nlimit = 0\n")
    code, _, err = notewell("search", "rye")
    assert code == 1
    assert re.match(r"error: search.limit in notewell.toml is 0.*\nhint: ", err)


def test_an_error_shows_what_a_terminal_would_obey(notewell: Notewell, folder: Path) -> None:
    for place in ("a", "b"):
        (folder / place).mkdir()
        (folder / place / "ev\x1b[31m\nil.md").write_text("Evil.\n")
    notewell("index")
    _, _, err = notewell("related", "ev\x1b[31m\nil")
    assert "\x1b" not in err
    assert "'ev\\x1b[31m\\nil'" in err and "a/ev\\x1b[31m\\nil.md" in err
    assert err.count("\n") == 2


def test_a_damaged_store_exits_with_1_and_says_how_to_mend_it(notewell: Notewell, folder: Path) -> None:
    (folder / ".notewell").mkdir()
    (folder / ".notewell" / "store.db").write_bytes(b"no database " * 500)
    code, _, err = notewell("search", "rye")
    assert code == 1
    assert "damaged" in err
    assert re.search(r"^hint: .*notewell index", err, re.MULTILINE)


def test_a_reader_that_has_seen_enough_is_not_an_error(folder: Path) -> None:
    for number in range(60):
        (folder / f"{number}.md").write_text(f"# {number}\n\n" + "rye bread and more rye bread\n" * 60)
    process = start("search", "rye bread", "--limit", "60", "--max-tokens", "100000", cwd=folder)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(1)
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 0, err
    assert "Traceback" not in err
    assert "BrokenPipe" not in err


# Colour


def test_a_terminal_shows_colours(folder: Path) -> None:
    assert "\x1b[" in on_terminal("search", "rye", cwd=folder)


def test_no_color_is_obeyed_on_a_terminal(folder: Path) -> None:
    shown = on_terminal("search", "rye", cwd=folder, NO_COLOR="1")
    assert "Sourdough" in shown
    assert not re.search(r"\x1b\[[0-9;]*m", shown)


@cases(
    ("arguments", "environment", "coloured"),
    [
        ([], {}, False),
        ([], {"CLICOLOR_FORCE": "1"}, True),
        ([], {"CLICOLOR_FORCE": "0"}, False),
        ([], {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color=never"], {"CLICOLOR_FORCE": "1"}, False),
    ],
)
def test_colours_can_be_forced_and_forbidden(
    notewell: Notewell,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    environment: dict[str, str],
    coloured: bool,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in notewell("search", "rye", *arguments)[1]) == coloured
    assert ("\x1b[" in notewell(*arguments, "search", "rye")[1]) == coloured


def test_errors_obey_no_color_too(folder: Path) -> None:
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        code, shown = run_on_terminal([PROGRAM, "nonsense"], folder, environment)
        assert code == 2
        assert shown.startswith("error: ")


def test_a_terminal_is_shown_a_bar_instead_of_lines(folder: Path) -> None:
    write_numbered(folder, QUIET.notes)
    shown = on_terminal("index", cwd=folder)
    assert f"{QUIET.notes + 3:,} notes" in shown
    assert "indexed " not in shown


# Which vault


def test_the_vault_is_the_nearest_folder_upward_with_settings(
    notewell: Notewell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder / "Garden")
    code, out, _ = notewell("status", "--json")
    assert (code, json.loads(out)["vault"]) == (0, str(folder))


def test_the_vault_is_the_nearest_folder_upward_with_a_store(
    notewell: Notewell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "Recipes" / ".notewell").mkdir()
    (folder / "Recipes" / "deep").mkdir()
    monkeypatch.chdir(folder / "Recipes" / "deep")
    assert json.loads(notewell("status", "--json")[1])["vault"] == str(folder / "Recipes")


def test_the_vault_is_the_nearest_folder_upward_of_obsidian(
    notewell: Notewell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "Recipes" / ".obsidian").mkdir()
    (folder / "Recipes" / "deep").mkdir()
    monkeypatch.chdir(folder / "Recipes" / "deep")
    assert json.loads(notewell("status", "--json")[1])["vault"] == str(folder / "Recipes")


def test_the_vault_is_this_folder_when_none_is_above(
    notewell: Notewell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bare").mkdir()
    monkeypatch.chdir(tmp_path / "bare")
    assert json.loads(notewell("status", "--json")[1])["vault"] == str(tmp_path / "bare")


def test_a_named_vault_wins_over_the_one_around(notewell: Notewell, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    assert json.loads(notewell("status", "--json", "--vault", str(tmp_path / "other"))[1])["vault"] == str(
        tmp_path / "other"
    )


# Ctrl-C


def test_ctrl_c_while_the_program_loads_ends_it_without_a_word(folder: Path) -> None:
    program = (
        "import sys\n"
        "class Interrupts:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupts())\n"
        "sys.argv = ['notewell', 'status']\n"
        "from notewell.serve.daemon.client import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
