"""Where notes and keys may go: the same rules for the embedder's server and the language model's."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from notewell.config import load_settings, public_settings
from notewell.errors import SettingsError

KEY = "-".join(("made", "up", "key"))


@pytest.fixture(autouse=True)
def _no_file_of_the_users_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture(params=["embed", "llm"])
def section(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def write(root: Path, text: str) -> None:
    (root / "notewell.toml").write_text(text, encoding="utf-8")


def loaded(root: Path, section: str, environment: dict[str, str], overrides: dict[str, Any]) -> Any:
    return getattr(load_settings(root, environment, overrides), section)


def variable(section: str, name: str) -> str:
    return f"NOTEWELL_{section}_{name}".upper()


def refused(root: Path, overrides: dict[str, Any], environment: dict[str, str] | None = None) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        load_settings(root, environment or {}, overrides)
    assert caught.value.hint
    return caught.value


def test_a_vaults_file_may_name_an_embedder_on_this_machine_and_no_server_of_a_language_model(
    tmp_path: Path, section: str
) -> None:
    write(tmp_path, f"[{section}]\nmodel = 'ollama:some-model'\nurl = 'http://localhost:1234'\n")
    assert loaded(tmp_path, section, {}, {}).url == ("http://localhost:1234" if section == "embed" else "")


def test_a_vaults_file_cannot_send_its_notes_to_another_machine(tmp_path: Path, section: str) -> None:
    for url in ("https://example.org", "http://192.168.1.2:11434", "http://localhost.example.org"):
        write(tmp_path, f"[{section}]\nurl = '{url}'\n")
        if section == "embed":
            error = refused(tmp_path, {})
            assert str(urlsplit(url).hostname) in error.fact and variable(section, "url") in error.hint
        else:
            assert loaded(tmp_path, section, {}, {}).url == ""
        assert loaded(tmp_path, section, {variable(section, "url"): url}, {}).url == url
        assert loaded(tmp_path, section, {}, {f"{section}.url": url}).url == url


def test_a_vaults_file_can_only_turn_the_language_model_off(tmp_path: Path) -> None:
    for model, url in (("openai:x", "http://127.0.0.1:9"), ("ollama:gpt-oss:120b-cloud", ""), ("ollama:any", "")):
        write(tmp_path, f"[llm]\nmodel = '{model}'\nurl = '{url}'\n")
        assert load_settings(tmp_path, {}, {}).llm.model == "auto"
        assert load_settings(tmp_path, {"NOTEWELL_LLM_MODEL": "off"}, {}).llm.model == "off"
        assert load_settings(tmp_path, {}, {"llm.model": model}).llm.model == model
    write(tmp_path, "[llm]\nmodel = 'off'\n")
    assert load_settings(tmp_path, {}, {}).llm.model == "off"


def test_a_vaults_file_cannot_fill_the_memory_of_the_machine(tmp_path: Path) -> None:
    write(tmp_path, "[llm]\ncontext = 1048576\n")
    assert "llm.context" in refused(tmp_path, {}).fact
    write(tmp_path, "")
    assert load_settings(tmp_path, {"NOTEWELL_LLM_CONTEXT": "16384"}, {}).llm.context == 16_384


def test_what_is_not_an_address_is_an_error(tmp_path: Path, section: str) -> None:
    for url in ("example.org", "ftp://example.org", "http://a b", "http://localhost:port", "http://"):
        assert refused(tmp_path, {f"{section}.url": url}).fact.startswith(f"{section}.url ")


def test_a_password_in_an_address_is_refused_and_not_shown(tmp_path: Path, section: str) -> None:
    assert KEY not in refused(tmp_path, {f"{section}.url": f"https://me:{KEY}@example.org"}).fact


def test_the_key_comes_from_the_environment_and_is_shown_nowhere(tmp_path: Path, section: str) -> None:
    environment = {variable(section, "key"): KEY, variable(section, "url"): "https://example.org/v1"}
    settings = load_settings(tmp_path, environment, {})
    assert getattr(settings, section).key.reveal() == KEY
    assert KEY not in repr(settings) + str(public_settings(settings)) + str(asdict(settings))
    assert "key" not in public_settings(settings)[section]
    with pytest.raises(TypeError):
        json.dumps(asdict(settings))


def test_a_key_in_a_file_or_an_option_is_refused_and_not_shown(tmp_path: Path, section: str) -> None:
    error = refused(tmp_path, {f"{section}.key": KEY})
    write(tmp_path, f"[{section}]\nkey = '{KEY}'\n")
    again = refused(tmp_path, {})
    assert variable(section, "key") in error.hint == again.hint
    assert KEY not in error.fact + again.fact


@pytest.mark.parametrize("file", ["", "[{}]\nurl = 'http://127.0.0.1:1234'\n"])
def test_the_key_goes_only_where_the_user_says_and_not_where_a_vault_does(
    tmp_path: Path, section: str, file: str
) -> None:
    write(tmp_path, file.format(section))
    environment = {variable(section, "key"): KEY}
    assert not loaded(tmp_path, section, environment, {}).key
    assert loaded(tmp_path, section, environment, {f"{section}.url": "http://127.0.0.1:1234"}).key


def test_a_key_is_not_sent_in_the_clear_to_another_machine(tmp_path: Path, section: str) -> None:
    plain = {f"{section}.url": "http://example.org"}
    error = refused(tmp_path, plain, {variable(section, "key"): KEY})
    assert "unencrypted" in error.fact and "https" in error.hint and KEY not in error.fact
    load_settings(tmp_path, {}, plain)


def test_a_key_that_no_header_can_hold_is_an_error_that_does_not_show_it(tmp_path: Path, section: str) -> None:
    for end in ("\n", " x", "\r\nX-Other: 1", "é"):
        error = refused(tmp_path, {f"{section}.url": "https://example.org"}, {variable(section, "key"): KEY + end})
        assert KEY not in error.fact + error.hint
