"""The user's own settings, and what a vault's file may change of them."""

from __future__ import annotations

import json
import os
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from notewell.config import given_settings, load_settings, variable_of
from notewell.config.settings import SPECS, Settings, setting_names
from notewell.errors import SettingsError

# For each setting that acts on the user: a value looser than the default, and one tighter.
LOOSER_AND_TIGHTER: dict[str, tuple[Any, Any]] = {
    "daemon.idle_minutes": (60.0, 1.0),
    "daemon.max_mb": (4000, 100),
    "hook.threshold": (0.1, 0.9),
    "hook.max_tokens": (4000, 100),
    "hook.timeout_ms": (9000, 100),
    "hook.tools": (["Bash", "Read"], ["Bash"]),
    "hook.min_chars": (1000, 9000),
    "llm.model": ("ollama:any", "off"),
    "llm.tools": ("on", "off"),
    "llm.url": ("http://127.0.0.1:9", ""),
}


@pytest.fixture
def users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the user's own file, yet to be written."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("NOTEWELL_LLM_MODEL")
    (folder := tmp_path / "config" / "notewell").mkdir(parents=True)
    return folder / "notewell.toml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (root := tmp_path / "notes").mkdir()
    return root


def write(file: Path, settings: dict[str, Any]) -> None:
    """Write settings, each under its section."""
    names = [(*name.split("."), value) for name, value in settings.items()]
    file.write_text("".join(f"[{section}]\n{key} = {json.dumps(value)}\n" for section, key, value in names))


def value_of(settings: Settings, name: str) -> Any:
    section, _, key = name.partition(".")
    return getattr(getattr(settings, section), key)


def loaded(root: Path, **overrides: Any) -> Settings:
    return load_settings(root, os.environ, overrides)


def test_the_vaults_file_wins_over_the_users_and_a_variable_over_both(
    users: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    users.write_text("[search]\nlimit = 3\ncandidates = 40\nfusion = 'rrf'\n")
    (root / "notewell.toml").write_text("[search]\nlimit = 4\ncandidates = 50\n")
    monkeypatch.setenv("NOTEWELL_SEARCH_LIMIT", "5")
    search = loaded(root).search
    assert (search.limit, search.candidates, search.fusion) == (5, 50, "rrf")
    sources = {name: setting.source for name, setting in given_settings(root, os.environ, {}).items()}
    assert sources["search.limit"] == "NOTEWELL_SEARCH_LIMIT"
    assert sources["search.candidates"] == "notewell.toml"
    assert sources["search.fusion"] == str(users)


def test_whatever_acts_on_the_user_is_guarded() -> None:
    guarded = {name for name, spec in SPECS.items() if spec.is_strict}
    acting = {name for name in setting_names() if name.startswith(("daemon.", "hook."))}
    assert guarded == {*acting, "llm.model", "llm.tools", "llm.url"}
    assert {"daemon.use", *LOOSER_AND_TIGHTER} == guarded


@pytest.mark.parametrize("name", LOOSER_AND_TIGHTER)
def test_a_vault_may_tighten_what_acts_on_the_user_and_not_loosen_it(users: Path, root: Path, name: str) -> None:
    looser, tighter = LOOSER_AND_TIGHTER[name]
    default = setting_names()[name]
    write(root / "notewell.toml", {name: looser})
    assert value_of(loaded(root), name) == default
    write(root / "notewell.toml", {name: tighter})
    found = value_of(loaded(root), name)
    assert (list(found) if isinstance(found, tuple) else found) == tighter
    # What the user allows, a vault may use.
    write(users, {name: looser})
    write(root / "notewell.toml", {name: list(default) if isinstance(default, tuple) else default})
    # Of tools and models, none is stricter than another: only fewer are, or none.
    users_own = {"hook.tools": ("Bash", "Read"), "llm.model": looser, "llm.tools": looser}
    assert value_of(loaded(root), name) == users_own.get(name, default)
    write(root / "notewell.toml", {name: looser})
    found = value_of(loaded(root), name)
    assert (list(found) if isinstance(found, tuple) else found) == looser


def test_a_vault_cannot_start_the_process_that_the_user_switched_off(users: Path, root: Path) -> None:
    environment = {"XDG_CONFIG_HOME": os.environ["XDG_CONFIG_HOME"]}
    users.write_text("[daemon]\nuse = false\n")
    (root / "notewell.toml").write_text("[daemon]\nuse = true\n")
    assert not load_settings(root, environment, {}).daemon.use
    users.unlink()
    (root / "notewell.toml").write_text("[daemon]\nuse = false\n")
    assert not load_settings(root, environment, {}).daemon.use
    assert load_settings(root, {**environment, "NOTEWELL_DAEMON_USE": "yes"}, {}).daemon.use


def test_the_users_variable_and_option_are_not_held_to_the_vaults(root: Path) -> None:
    (root / "notewell.toml").write_text("[hook]\nthreshold = 0.9\n")
    assert load_settings(root, {"NOTEWELL_HOOK_THRESHOLD": "0.1"}, {}).hook.threshold == 0.1
    assert load_settings(root, {}, {"hook.threshold": 0.1}).hook.threshold == 0.1


def test_the_switch_of_the_daemon_is_a_setting(root: Path) -> None:
    for value in ("no", "off", "0", "False"):
        given = given_settings(root, {"NOTEWELL_DAEMON": value}, {})["daemon.use"]
        assert given.source == "NOTEWELL_DAEMON"
        assert not load_settings(root, {"NOTEWELL_DAEMON": value}, {}).daemon.use
    assert load_settings(root, {"NOTEWELL_DAEMON": ""}, {}).daemon.use


def test_a_server_that_the_users_file_names_is_named_by_the_user(users: Path, root: Path) -> None:
    users.write_text("[embed]\nmodel = 'ollama:all-minilm'\nurl = 'https://example.org'\n")
    key = "-".join(("made", "up", "key"))
    embed = load_settings(root, {**os.environ, "NOTEWELL_EMBED_KEY": key}, {}).embed
    assert (embed.url, embed.key.reveal()) == ("https://example.org", key)


def test_a_models_folder_in_the_users_file_lies_beside_it(users: Path, root: Path) -> None:
    (users.parent / "model").mkdir()
    users.write_text("[embed]\nmodel = 'model'\n")
    assert loaded(root).embed.model == str(users.parent / "model")


@pytest.mark.parametrize("text", ["[memory]\nfolder = 'Memories'\n", "[embed]\nkey = 'made-up'\n"])
def test_what_only_a_vault_or_only_the_environment_may_say_the_users_file_may_not(
    users: Path, root: Path, text: str
) -> None:
    users.write_text(text)
    with pytest.raises(SettingsError) as caught:
        loaded(root)
    assert caught.value.hint


def test_an_error_names_the_file_or_the_variable_with_the_wrong_value(
    users: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    users.write_text("[search]\nlimit = 0\n")
    with pytest.raises(SettingsError, match=f"search.limit in {users} is 0"):
        loaded(root)
    users.write_text("[search]\nlimits = 0\n")
    with pytest.raises(SettingsError, match=f"no setting 'search.limits' in {users}"):
        loaded(root)
    users.write_text("[search\n")
    with pytest.raises(SettingsError, match=f"{users} cannot be read"):
        loaded(root)
    users.unlink()
    monkeypatch.setenv("NOTEWELL_SEARCH_LIMIT", "many")
    with pytest.raises(SettingsError, match=r"search\.limit in NOTEWELL_SEARCH_LIMIT should be a whole number"):
        loaded(root)
    monkeypatch.delenv("NOTEWELL_SEARCH_LIMIT")
    monkeypatch.setenv("NOTEWELL_EMBED_URL", "nowhere")
    with pytest.raises(SettingsError, match=r"embed\.url in NOTEWELL_EMBED_URL should begin with"):
        loaded(root)


def test_a_text_is_never_repeated_in_an_error(root: Path) -> None:
    secret = "-".join(("made", "up", "key"))
    names = ("search.limit", "search.fusion", "index.hidden", "embed.url", "search.vector_weight")
    for name, value in product(names, (secret, [secret])):
        with pytest.raises(SettingsError) as caught:
            load_settings(root, {}, {name: value})
        assert secret not in caught.value.fact + caught.value.hint


def test_numbers_and_texts_that_are_none_are_an_error(root: Path) -> None:
    for text in ("limit = 1e999", "vector_weight = 1e999", "vector_weight = -1e999", 'fusion = "\\ud800"'):
        (root / "notewell.toml").write_text(f"[search]\n{text}\n")
        with pytest.raises(SettingsError) as caught:
            load_settings(root, {}, {})
        assert caught.value.hint


def test_half_a_character_is_an_error_wherever_it_comes_from(root: Path) -> None:
    names = ("embed.model", "store.path", "index.exclude", "embed.query_prefix")
    for name, text in product(names, ("\ud800", "a\0b")):
        with pytest.raises(SettingsError, match=name):
            load_settings(root, {}, {name: text})
        with pytest.raises(SettingsError, match=variable_of(name)):
            load_settings(root, {variable_of(name): text}, {})


def test_a_name_that_is_too_long_for_a_folder_is_an_error_that_names_the_setting(root: Path) -> None:
    (root / "notewell.toml").write_text(f"[embed]\nmodel = '{'x' * 300}'\n")
    with pytest.raises(SettingsError, match=r"embed\.model .* longer than 255 bytes"):
        load_settings(root, {}, {})


def test_a_value_of_another_kind_is_an_error_that_shows_how_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "notewell.toml").write_text('[search]\nlimit = "ten"\n', encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load_settings(tmp_path, {}, {})
    assert caught.value.hint.startswith("The default is `limit = 10` under [search]. ")
    with pytest.raises(SettingsError) as caught:
        load_settings(None, {"NOTEWELL_EMBED_BACKGROUND": "perhaps"}, {})
    assert caught.value.hint.startswith("The default is NOTEWELL_EMBED_BACKGROUND=true. ")
