from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from notewell.config import load_settings
from notewell.config.settings import Settings, setting_names
from notewell.serve.width import width_of

Notewell = Callable[..., tuple[int, str, str]]
KEY = "embed.key"
# What no file of a vault may set.
ELSEWHERE = {KEY, "llm.key", "llm.context", "search.expand", "search.expand_seconds"}
ELSEWHERE |= {"store.folder", "store.url", "store.replicas", "serve.copilot"}
ELSEWHERE |= {"rerank.model", "rerank.url", "rerank.key"}


def rows(out: str) -> dict[str, tuple[str, str]]:
    """Return value and source by name."""
    parts = (line.split(maxsplit=1) for line in out.splitlines())
    return {name: tuple(rest.rsplit(maxsplit=1)) for name, rest in parts}  # type: ignore[misc]


def test_every_setting_is_shown_with_its_value_and_where_it_came_from(
    notewell: Notewell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "notewell.toml").write_text(
        '# mine\n[embed]\nmodel = "words"  # x\n\n  [index]  # what\nexclude = [\n  "a",\n]\n[search]\nlimit = 3\n'
    )
    monkeypatch.setenv("NOTEWELL_SEARCH_LIMIT", "7")
    code, out, err = notewell("config")
    shown = rows(out)
    assert (code, err) == (0, "")
    assert shown.keys() == setting_names().keys()
    assert shown["embed.model"] == ('"words"', "notewell.toml:3")
    assert shown["index.exclude"] == ('["a"]', "notewell.toml:6")
    assert shown["search.limit"] == ("7", "NOTEWELL_SEARCH_LIMIT")
    assert shown["decay.mode"] == ('"off"', "default")


def test_a_line_that_is_hard_to_find_is_not_guessed(notewell: Notewell, folder: Path) -> None:
    (folder / "notewell.toml").write_text('search.limit = 3\nchunk = { max_chars = 900 }\n[embed]\nmodel = "words"\n')
    shown = rows(notewell("config")[1])
    assert shown["search.limit"] == ("3", "notewell.toml")
    assert shown["chunk.max_chars"] == ("900", "notewell.toml")


def test_one_setting_is_shown_with_what_it_does(notewell: Notewell) -> None:
    code, out, _ = notewell("config", "search.fusion")
    assert code == 0
    assert out == (
        'search.fusion = "scores"\n'
        "  How rankings are combined: `scores` or `rrf`\n"
        "  from      default\n"
        '  default   "scores"\n'
        "  one of    scores, rrf\n"
        "  variable  NOTEWELL_SEARCH_FUSION\n"
    )


def test_columns_stay_in_line_whatever_the_values_are_written_in(notewell: Notewell, folder: Path) -> None:
    (folder / "notewell.toml").write_text('[memory]\nfolder = "蜂の日記 🐝"\n', encoding="utf-8")
    code, out, _ = notewell("config")
    assert code == 0
    (wide,) = [line for line in out.splitlines() if "蜂" in line]
    (narrow,) = [line for line in out.splitlines() if line.startswith("search.limit ")]
    assert width_of(wide[: wide.index("notewell.toml")]) == narrow.index("default")


def test_a_section_is_shown_by_its_name(notewell: Notewell) -> None:
    assert set(rows(notewell("config", "chunk")[1])) == {name for name in setting_names() if name.startswith("chunk.")}


def test_settings_are_data_too(notewell: Notewell) -> None:
    (one,) = json.loads(notewell("config", "index.exclude", "--json")[1])
    assert one.keys() == {"name", "value", "source", "remark", "default", "variable", "help"}
    assert (one["name"], one["value"], one["variable"]) == ("index.exclude", [], "NOTEWELL_INDEX_EXCLUDE")
    assert len(json.loads(notewell("config", "--json")[1])) == len(setting_names())


def test_a_name_that_is_none_is_an_error_with_suggestions(notewell: Notewell) -> None:
    code, out, err = notewell("config", "serch.limit")
    assert (code, out) == (1, "")
    assert err == "error: There is no setting 'serch.limit'\nhint: Did you mean search.limit?\n"
    _, _, err = notewell("config", "foo")
    assert err == "error: There is no setting 'foo'\nhint: `notewell config --example` lists all of them\n"


def test_the_key_is_never_shown(notewell: Notewell, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "hunter" + "2-of-the-server"
    monkeypatch.setenv("NOTEWELL_EMBED_URL", "http://localhost:9")
    monkeypatch.setenv("NOTEWELL_EMBED_KEY", key)
    for arguments in ([], ["--json"], [KEY], [KEY, "--json"], ["embed"]):
        code, out, err = notewell("config", *arguments)
        assert (code, KEY in out, key in out + err) == (0, True, False)
    assert rows(notewell("config")[1])[KEY] == ('"…"', "NOTEWELL_EMBED_KEY")


def test_the_example_is_a_file_of_all_defaults(notewell: Notewell, tmp_path: Path) -> None:
    _, out, _ = notewell("config", "--example")
    (tmp_path / "notewell.toml").write_text(out, encoding="utf-8")
    assert all(values == {} for values in tomllib.loads(out).values())
    assert load_settings(tmp_path, {}, {}) == Settings()
    uncommented = re.sub(r"^# (?=[a-z_]+ = )", "", out, flags=re.MULTILINE)
    (tmp_path / "notewell.toml").write_text(uncommented, encoding="utf-8")
    written = {f"{section}.{key}" for section, values in tomllib.loads(uncommented).items() for key in values}
    assert written == set(setting_names()) - ELSEWHERE
    assert load_settings(tmp_path, {}, {}) == Settings()


def test_a_wrong_setting_is_reported_here_too(notewell: Notewell, folder: Path) -> None:
    (folder / "notewell.toml").write_text("[search]\nlimit = 0\n")
    code, _, err = notewell("config")
    assert code == 1
    assert "search.limit in notewell.toml is 0" in err


def test_the_users_file_is_reported_and_what_a_vault_may_not(
    notewell: Notewell, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (users := tmp_path / "config" / "notewell" / "notewell.toml").parent.mkdir(parents=True)
    users.write_text("[search]\nlimit = 3\n[hook]\nmax_tokens = 300\n")
    (folder / "notewell.toml").write_text("[hook]\nmax_tokens = 400\nthreshold = 0.1\n")
    code, out, err = notewell("config")
    lines = {line.split()[0]: line for line in out.splitlines()}
    remark = "notewell.toml would loosen it, which a vault may not"
    assert (code, err) == (0, "")
    assert lines["search.limit"].split()[1:] == ["3", f"{users}:2"]
    assert lines["hook.max_tokens"].split(maxsplit=2)[1:] == ["300", f"{users}:4 ({remark})"]
    assert lines["hook.threshold"].split(maxsplit=2)[1:] == ["0.45", f"default ({remark})"]
    assert f"from      {users}:4\n  but       {remark}\n" in notewell("config", "hook.max_tokens")[1]
    (one,) = json.loads(notewell("config", "hook.threshold", "--json")[1])
    assert (one["value"], one["source"], one["remark"]) == (0.45, "default", remark)


def test_the_switch_of_the_daemon_is_reported(notewell: Notewell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTEWELL_DAEMON", "no")
    assert rows(notewell("config")[1])["daemon.use"] == ("false", "NOTEWELL_DAEMON")
    assert "NOTEWELL_DAEMON`" in notewell("config", "daemon.use")[1]


def test_a_variable_that_is_nearly_one_is_reported(notewell: Notewell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTEWELL_SEARCH_LIMT", "3")
    monkeypatch.setenv("NOTEWELL_PAGER", "cat")
    for command in (("config",), ("search", "--limit", "1", "hive")):
        _, _, err = notewell(*command)
        assert err.count("note: NOTEWELL_SEARCH_LIMT is not a setting; did you mean NOTEWELL_SEARCH_LIMIT?\n") == 1
        assert "PAGER" not in err
