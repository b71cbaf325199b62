from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from notewell.serve.hooks.install import shell_quoted

Command = Callable[..., tuple[int, str, str]]
OTHERS = {
    "model": "opus",
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "/usr/bin/guard"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "notify-send done"}]}],
    },
    "env": {"ÄÖÜ": "ß"},
}


@pytest.fixture(autouse=True)
def _of_nobody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("NOTEWELL_DAEMON", "no")


@pytest.fixture
def user_file(tmp_path: Path) -> Path:
    (tmp_path / "claude").mkdir()
    return tmp_path / "claude" / "settings.json"


def commands(file: Path) -> dict[str, list[str]]:
    events = json.loads(file.read_text(encoding="utf-8"))["hooks"]
    return {
        event: [hook["command"] for entry in entries for hook in entry["hooks"]] for event, entries in events.items()
    }


def test_the_hooks_are_written_beside_what_is_there(notewell: Command, user_file: Path, folder: Path) -> None:
    user_file.write_text(json.dumps(OTHERS, indent=4, ensure_ascii=False), encoding="utf-8")
    code, out, err = notewell("hook", "install", "--user", "--vault", str(folder), "--yes")
    assert code == 0, err
    assert "+" in out
    settings = json.loads(user_file.read_text(encoding="utf-8"))
    assert list(settings) == list(OTHERS)
    assert settings["hooks"]["PreToolUse"][0] == OTHERS["hooks"]["PreToolUse"][0]  # type: ignore[index]
    assert list(settings["hooks"]) == ["PreToolUse", "Stop", "SessionStart", "UserPromptSubmit", "PostToolUse"]
    (command,) = commands(user_file)["UserPromptSubmit"]
    assert shlex.split(command)[-4:] == ["hook", "prompt", "--vault", str(folder)]
    assert Path(shlex.split(command)[0]).is_absolute()
    assert '\n    "model"' in user_file.read_text(encoding="utf-8"), "indented as it was"


def test_a_read_only_file_is_left_as_it_is(notewell: Command, user_file: Path, folder: Path) -> None:
    user_file.write_text(json.dumps(OTHERS), encoding="utf-8")
    user_file.chmod(0o444)
    code, _, err = notewell("hook", "install", "--user", "--vault", str(folder), "--yes")
    assert (code, json.loads(user_file.read_text(encoding="utf-8"))) == (1, OTHERS)
    assert "is read-only" in err


def test_without_a_terminal_and_without_yes_nothing_is_written(notewell: Command, user_file: Path) -> None:
    code, out, err = notewell("hook", "install", "--user")
    assert code == 0
    assert '+            "command": ' in out
    assert "--yes" in err
    assert not user_file.exists()


def test_installed_twice_it_is_there_once(notewell: Command, user_file: Path) -> None:
    notewell("hook", "install", "--user", "--yes")
    first = user_file.read_bytes()
    _, out, err = notewell("hook", "install", "--user", "--yes")
    assert user_file.read_bytes() == first
    assert out == ""
    assert "already installed" in err


def test_another_vault_takes_the_place_of_the_first(notewell: Command, user_file: Path, folder: Path) -> None:
    notewell("hook", "install", "--user", "--yes")
    notewell("hook", "install", "--user", "--vault", str(folder), "--yes")
    assert all(len(found) == 1 and str(folder) in found[0] for found in commands(user_file).values())


@pytest.mark.parametrize(
    "text", ['{"model":"opus"}', "{}", "", '{\r\n\t"a": 1\r\n}\r\n', json.dumps(OTHERS, indent=3) + "\n\n"]
)
def test_uninstalling_restores_the_file_to_the_byte(notewell: Command, user_file: Path, text: str) -> None:
    user_file.write_bytes(text.encode())
    notewell("hook", "install", "--user", "--yes")
    notewell("hook", "install", "--user", "--only", "prompt", "--yes")
    assert user_file.read_bytes() != text.encode()
    notewell("hook", "install", "--user", "--uninstall", "--yes")
    assert user_file.read_bytes() == text.encode()


def test_uninstalling_leaves_no_file_where_there_was_none(notewell: Command, folder: Path) -> None:
    notewell("hook", "install", "--project", "--yes")
    assert (folder / ".claude" / "settings.json").is_file()
    notewell("hook", "uninstall", "--yes")
    assert not (folder / ".claude").exists()
    assert "No hooks are installed in " in notewell("hook", "uninstall", "--project")[2]


def test_uninstalling_after_other_changes_takes_out_ours_alone(notewell: Command, user_file: Path) -> None:
    user_file.write_text(json.dumps(OTHERS), encoding="utf-8")
    notewell("hook", "install", "--user", "--yes")
    settings = json.loads(user_file.read_text(encoding="utf-8"))
    settings["theme"] = "dark"
    settings["hooks"]["PreToolUse"][1]["hooks"].append({"type": "command", "command": "mine"})
    user_file.write_text(json.dumps(settings), encoding="utf-8")
    notewell("hook", "install", "--user", "--uninstall", "--yes")
    left = json.loads(user_file.read_text(encoding="utf-8"))
    assert left["theme"] == "dark"
    assert commands(user_file) == {"PreToolUse": ["/usr/bin/guard", "mine"], "Stop": ["notify-send done"]}


def test_uninstalling_leaves_no_older_hooks_of_ours(notewell: Command, user_file: Path, folder: Path) -> None:
    user_file.write_text(json.dumps(OTHERS), encoding="utf-8")
    notewell("hook", "install", "--user", "--yes")
    changed = {**json.loads(user_file.read_text(encoding="utf-8")), "model": "another"}
    user_file.write_text(json.dumps(changed), encoding="utf-8")
    # This saves a file with hooks of the first installation in it.
    notewell("hook", "install", "--user", "--vault", str(folder), "--yes")
    notewell("hook", "uninstall", "--user", "--yes")
    assert json.loads(user_file.read_text(encoding="utf-8")) == {**OTHERS, "model": "another"}


def test_only_some_hooks_can_be_installed(notewell: Command, user_file: Path) -> None:
    notewell("hook", "install", "--user", "--only", "after,prompt", "--yes")
    assert commands(user_file).keys() == {"UserPromptSubmit", "PostToolUse"}
    code, _, err = notewell("hook", "install", "--user", "--only", "during", "--yes")
    assert (code, "There is no hook 'during'" in err) == (1, True)


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"a": 1, "a": 2}', '{"hooks": []}', '{"hooks": {"Stop": {}}}', "\x00", "{" * 100_000]
)
def test_settings_that_cannot_be_read_are_not_touched(notewell: Command, user_file: Path, text: str) -> None:
    user_file.write_text(text, encoding="utf-8")
    code, _, err = notewell("hook", "install", "--user", "--yes")
    assert code == 1
    assert "error:" in err
    assert "hint:" in err
    assert user_file.read_text(encoding="utf-8") == text


@pytest.mark.skipif(os.name != "posix", reason="Windows has neither these modes nor links for all")
def test_a_link_stays_one_and_the_mode_of_its_file_too(notewell: Command, user_file: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}", encoding="utf-8")
    real.chmod(0o640)
    user_file.symlink_to(real)
    notewell("hook", "install", "--user", "--yes")
    assert user_file.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert commands(real)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such files")
def test_settings_that_are_not_a_file_are_refused_and_not_waited_for(notewell: Command, user_file: Path) -> None:
    os.mkfifo(user_file)
    code, _, err = notewell("hook", "install", "--user", "--yes")
    assert code == 1
    assert f"{user_file} is not a regular file" in err
    assert "installed: no hooks" in notewell("hook", "status")[1]


def test_a_vault_that_is_not_there_is_an_error(notewell: Command, user_file: Path) -> None:
    code, _, err = notewell("hook", "install", "--user", "--vault", "/no/such/vault", "--yes")
    assert code == 1
    assert "/no/such/vault" in err
    assert not user_file.exists()


def test_a_limit_that_the_vault_sets_is_in_the_command(notewell: Command, user_file: Path, folder: Path) -> None:
    (folder / "notewell.toml").write_text("[hook]\ntimeout_ms = 200\n", encoding="utf-8")
    notewell("hook", "install", "--user", "--vault", str(folder), "--yes")
    assert all(found[0].endswith("--timeout-ms 200") for found in commands(user_file).values())


def test_a_limit_that_the_user_sets_is_in_the_command_without_a_vault(
    notewell: Command, user_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (own := tmp_path / "config" / "notewell" / "notewell.toml").parent.mkdir(parents=True)
    own.write_text("[hook]\ntimeout_ms = 900\n", encoding="utf-8")
    notewell("hook", "install", "--user", "--yes")
    assert all(found[0].endswith("--timeout-ms 900") for found in commands(user_file).values())


def test_a_path_is_quoted_for_the_shell() -> None:
    paths = [f"/n/{name}" for name in ("my notes", "it's", 'a"b', "$HOME", "a;b", "ä")]
    assert [shlex.split(shell_quoted(path, windows=False)) for path in paths] == [[path] for path in paths]


def test_status_says_where_hooks_are_installed(notewell: Command, user_file: Path) -> None:
    notewell("hook", "install", "--user", "--only", "prompt", "--yes")
    _, out, _ = notewell("hook", "status")
    assert f"installed: {user_file}: prompt\n" in out
    found: dict[str, Any] = json.loads(notewell("hook", "status", "--json")[1])
    assert found["installed"] == [{"file": str(user_file), "hooks": ["prompt"]}]
    assert found["runs"] == 0


def test_three_installed_hooks_are_reported_and_reinstalling_adds_the_fourth(
    notewell: Command, user_file: Path
) -> None:
    notewell("hook", "install", "--user", "--only", "prompt,before,after", "--yes")
    assert "`start` is missing" in notewell("hook", "status")[1]
    notewell("hook", "install", "--user", "--yes")
    out = notewell("hook", "status")[1]
    assert f"installed: {user_file}: start, prompt, before, after\n" in out
    assert "missing" not in out


def test_status_sees_the_plugin_where_it_is_switched_on(notewell: Command, user_file: Path, folder: Path) -> None:
    # As Claude Code 2.1.325 writes it.
    plugins = {"notewell@notewell": True, "notewellness@other": True}
    user_file.write_text(json.dumps({"enabledPlugins": plugins}), encoding="utf-8")
    _, out, _ = notewell("hook", "status")
    assert out.startswith("installed: the plugin notewell@notewell\nlast runs:")
    assert json.loads(notewell("hook", "status", "--json")[1])["plugins"] == ["notewell@notewell"]
    notewell("hook", "install", "--user", "--yes")
    assert "each hook runs twice" in notewell("hook", "status")[1]
    (folder / ".claude").mkdir()
    (folder / ".claude" / "settings.json").write_text('{"enabledPlugins": {"notewell@notewell": false}}')
    out = notewell("hook", "status")[1]
    assert ("the plugin" in out, "twice" in out) == (False, False), "this project does without it"


def test_status_passes_over_settings_that_make_no_sense(notewell: Command, user_file: Path) -> None:
    for text in ("[]", "{", '{"hooks": 7, "enabledPlugins": [1]}', '{"hooks": {"Stop": 1}}', "[" * 99_999):
        user_file.write_text(text, encoding="utf-8")
        code, out, err = notewell("hook", "status")
        assert (code, err, out.startswith("installed: no hooks")) == (0, "", True)


def kept(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "state").rglob("*") if path.is_file()]


def test_nothing_is_kept_of_the_settings_once_the_hooks_are_out(
    notewell: Command, user_file: Path, tmp_path: Path
) -> None:
    user_file.write_text('{"model":"opus"}', encoding="utf-8")
    notewell("hook", "install", "--user", "--yes")
    assert kept(tmp_path)
    _, _, err = notewell("hook", "install", "--user", "--uninstall", "--yes")
    assert "restored" in err
    assert kept(tmp_path) == []


def test_what_was_taken_out_by_hand_leaves_nothing_behind_either(
    notewell: Command, user_file: Path, tmp_path: Path
) -> None:
    notewell("hook", "install", "--user", "--yes")
    user_file.write_text('{"model": "opus"}', encoding="utf-8")
    _, out, err = notewell("hook", "install", "--user", "--uninstall", "--yes")
    assert (out, "No hooks are installed" in err) == ("", True)
    assert kept(tmp_path) == []
    assert user_file.read_text(encoding="utf-8") == '{"model": "opus"}'


def test_uninstalling_says_what_was_done(notewell: Command, user_file: Path) -> None:
    _, out, err = notewell("hook", "install", "--user", "--uninstall", "--yes")
    assert (out, "No hooks are installed" in err) == ("", True)
    notewell("hook", "install", "--user", "--yes")
    user_file.write_text(json.dumps(json.loads(user_file.read_text(encoding="utf-8"))), encoding="utf-8")
    _, _, err = notewell("hook", "install", "--user", "--uninstall", "--yes")
    assert "removed, as it did not exist before the hooks" in err
    assert not user_file.exists()
    user_file.parent.mkdir(exist_ok=True)
    user_file.write_text("{}", encoding="utf-8")
    notewell("hook", "install", "--user", "--yes")
    user_file.write_text(user_file.read_text(encoding="utf-8").replace("{", '{"theme": "dark",', 1), encoding="utf-8")
    _, _, err = notewell("hook", "install", "--user", "--uninstall", "--yes")
    assert "written without the hooks" in err
    assert json.loads(user_file.read_text(encoding="utf-8")) == {"theme": "dark"}


THEIRS = (
    "my-wrapper notewell hook prompt",
    "notewell hook prompt --vault ~/notes | tee log",
    "timeout 1 notewell hook prompt",
    "NOTEWELL_HOOK_THRESHOLD=0.3 notewell hook prompt",
    "sh -c 'notewell hook prompt'",
    "notewell hook status",
    "my-notewell hook prompt",
    "notewell hook prompt 'unfinished",
)


def test_commands_that_somebody_else_wrote_are_theirs(notewell: Command, user_file: Path) -> None:
    theirs = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": command}]} for command in THEIRS]}
    user_file.write_text(json.dumps({"hooks": theirs}), encoding="utf-8")
    notewell("hook", "install", "--user", "--yes")
    assert commands(user_file)["UserPromptSubmit"][:-1] == list(THEIRS)
    notewell("hook", "install", "--user", "--uninstall", "--yes")
    assert json.loads(user_file.read_text(encoding="utf-8"))["hooks"] == theirs


def test_a_number_that_would_change_is_refused(notewell: Command, user_file: Path) -> None:
    for number in ("1e999", "-1e999", "NaN", "Infinity", "3.14159265358979323846"):
        text = f'{{"budget": {number}}}'
        user_file.write_text(text, encoding="utf-8")
        code, _, err = notewell("hook", "install", "--user", "--yes")
        assert (code, f"the number {number} cannot be written back as it is" in err, "hint:" in err) == (1, True, True)
        assert user_file.read_text(encoding="utf-8") == text


def test_half_of_a_sign_stays_as_it_was(notewell: Command, user_file: Path) -> None:
    user_file.write_text('{"mark": "\\ud800", "size": 1.50}', encoding="utf-8")
    code, _, err = notewell("hook", "install", "--user", "--yes")
    assert code == 0, err
    assert '"mark": "\\ud800"' in user_file.read_text(encoding="utf-8")
    assert json.loads(user_file.read_text(encoding="utf-8"))["size"] == 1.5


def test_a_vault_that_was_never_indexed_is_reported(notewell: Command, user_file: Path, folder: Path) -> None:
    _, _, err = notewell("hook", "install", "--user", "--vault", str(folder), "--yes")
    assert f"{folder} is not indexed yet" in err
    assert "notewell index" in err
    assert "not indexed yet" in notewell("hook", "install", "--user", "--vault", str(folder), "--yes")[2], "nor now"
    notewell("index")
    notewell("hook", "install", "--user", "--uninstall", "--yes")
    _, _, err = notewell("hook", "install", "--user", "--vault", str(folder), "--yes")
    assert "not indexed yet" not in err


@pytest.mark.parametrize("where", [(), ("--project",), ("--user",)])
def test_installing_without_a_vault_is_reported(
    notewell: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: tuple[str, ...]
) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    told = f"there is no vault in {tmp_path / 'project'} or above"
    # Before anybody has to decide, and whenever it is written, or was.
    for yes in ((), ("--yes",), ("--yes",)):
        code, _, err = notewell("hook", "install", *where, *yes)
        assert code == 0
        assert told in err and "--vault PATH" in err
    assert told not in notewell("hook", "install", *where, "--uninstall", "--yes")[2]
    (tmp_path / "notewell.toml").touch()
    assert f"{tmp_path} is not indexed yet" in notewell("hook", "install", *where, "--yes")[2]


def test_two_places_at_once_are_refused(notewell: Command, user_file: Path) -> None:
    code, _, err = notewell("hook", "install", "--user", "--project", "--yes")
    assert code == 2
    assert "--user and --project" in err
    assert not user_file.exists()


def test_hooks_that_are_installed_elsewhere_are_named_when_none_are_removed(notewell: Command, user_file: Path) -> None:
    notewell("hook", "install", "--user", "--yes")
    _, _, err = notewell("hook", "uninstall", "--project")
    assert f"hint: hooks are installed in {user_file}; `notewell hook uninstall --user` removes them\n" in err
    notewell("hook", "uninstall", "--user", "--yes")
    assert "hint" not in notewell("hook", "uninstall", "--project")[2]
