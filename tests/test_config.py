from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from notewell import Vault
from notewell.config import find_root, load_settings, variable_of
from notewell.config.settings import SPECS, Settings, setting_names
from notewell.errors import NotewellError, SettingsError


@pytest.fixture(autouse=True)
def _no_file_of_the_users_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))


def write(root: Path, text: str) -> None:
    (root / "notewell.toml").write_text(text, encoding="utf-8")


def refused(root: Path, overrides: dict[str, Any]) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        load_settings(root, {}, overrides)
    assert caught.value.hint
    return caught.value


def test_without_a_file_every_setting_has_its_default(tmp_path: Path) -> None:
    assert load_settings(tmp_path, {}, {}) == Settings()


def test_an_override_wins_over_the_environment_and_the_environment_over_the_file(tmp_path: Path) -> None:
    write(tmp_path, "[search]\nlimit = 3\ncandidates = 40\nfusion = 'rrf'\n")
    environment = {"NOTEWELL_SEARCH_LIMIT": "4", "NOTEWELL_SEARCH_CANDIDATES": "50", "HOME": "/"}
    search = load_settings(tmp_path, environment, {"search.limit": 5}).search
    assert (search.limit, search.candidates, search.fusion) == (5, 50, "rrf")


def test_a_vault_reads_its_file_and_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "[search]\nlimit = 3\n[index]\nhidden = true\nexclude = ['drafts/']\n")
    monkeypatch.setenv("NOTEWELL_EMBED_MODEL", "words")
    settings = Vault.open(tmp_path, {"chunk.max_chars": 500}).settings
    assert (settings.search.limit, settings.index.exclude, settings.embed.model) == (3, ("drafts/",), "words")
    assert settings.chunk.max_chars == 500 and settings.index.hidden is True


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    (tmp_path / "notewell.toml").write_bytes(b"\xef\xbb\xbf[search]\r\nlimit = 3\r\n")
    assert load_settings(tmp_path, {}, {}).search.limit == 3


def test_the_environment_speaks_text_and_settings_have_their_own_type(tmp_path: Path) -> None:
    read = [
        ("search.limit", "7", 7),
        ("search.vector_weight", "0.5", 0.5),
        ("search.vector_weight", "1", 1.0),
        ("index.hidden", "true", True),
        ("index.hidden", "YES", True),
        ("index.hidden", "0", False),
        ("index.include", os.pathsep.join(("work", "home")), ("work", "home")),
        ("index.include", "", ()),
        ("store.path", "~/store.db", "~/store.db"),
    ]
    for name, text, value in read:
        section, _, key = name.partition(".")
        settings = load_settings(tmp_path, {variable_of(name): text}, {})
        found = getattr(getattr(settings, section), key)
        assert (found, type(found)) == (value, type(value)), name


WRONG: dict[str, list[Any]] = {
    # Python does not parse that many digits, and no float is as large.
    "search.limit": ["many", 2.5, True, None, [1], "", "9" * 5_000],
    "search.vector_weight": ["much", float("nan"), "inf", 10**400],
    "search.fusion": ["magic", 3],
    "decay.mode": ["slow"],
    "decay.overrides": [["Journal = sometimes"], "Journal"],
    "index.hidden": ["perhaps", 2],
    "index.include": [[1, 2], 3, True],
    "index.exclude": [{"a": 1}],
    "embed.model": [3, ["words"]],
    "store.path": [False],
}


def test_a_wrong_value_is_an_error_that_names_the_setting(tmp_path: Path) -> None:
    for name, values in WRONG.items():
        assert all(name in refused(tmp_path, {name: value}).fact for value in values), name


def test_a_value_below_the_least_is_an_error_and_the_least_is_none(tmp_path: Path) -> None:
    for name, spec in SPECS.items():
        if spec.least is not None:
            error = refused(tmp_path, {name: spec.least - 1})
            assert name in error.fact and f"at least {spec.least}" in error.fact
            load_settings(tmp_path, {}, {name: spec.least})


def test_a_value_beyond_the_most_is_an_error_and_the_most_is_none(tmp_path: Path) -> None:
    for name, spec in SPECS.items():
        if spec.most is not None:
            section, _, key = name.partition(".")
            assert getattr(getattr(load_settings(tmp_path, {}, {name: spec.most}), section), key) == spec.most
            error = refused(tmp_path, {name: type(spec.most)(spec.most * 2)})
            assert f"and should be at most {spec.most:,.0f}" in error.fact


def test_a_setting_that_does_not_exist_is_an_error_that_says_which_do(tmp_path: Path) -> None:
    for name in ("search.limits", "search", "nothing.at_all", "", "__class__.x"):
        error = refused(tmp_path, {name: 1})
        assert "no setting" in error.fact
        assert error.hint in ("Did you mean search.limit?", "`notewell config --example` lists all of them")


def test_a_wrong_file_is_an_error_with_a_hint(tmp_path: Path) -> None:
    for text in (
        "[search]\nlimits = 3\n",
        "[sear]\nlimit = 3\n",
        "[search.limit]\nx = 3\n",
        "limit = 3\n",
        "search = 3\n",
        "[search\n",
        "[search]\nlimit = 3\nlimit = 4\n",
        "[search]\nlimit = 'three'\n",
        "[search]\nvector_weight = nan\n",
    ):
        write(tmp_path, text)
        refused(tmp_path, {})


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        *(
            (f"[{name.replace('.', ']' + chr(10))} = {value}", f"{name}.*longer than")
            for name in ("store.path", "embed.model", "embed.encoder", "memory.folder")
            for value in (f"'{'x' * 300}'", f"'{'x/' * 3_000}x'")
        ),
        (f"[index]\ninclude = ['a', '{'x' * 6_000}']", "index.include.*longer than"),
        (f"[dates]\nformats = {['YYYY'] * 21}", "dates.formats.*21 formats"),
        (f"[dates]\nformats = ['{'Y' * 101}']", "dates.formats.*100 characters"),
        (f"[search]\nlimit = {'9' * 5_000}", "too many digits"),
    ],
)
def test_too_much_of_anything_is_an_error_that_names_the_setting(tmp_path: Path, text: str, wrong: str) -> None:
    (tmp_path / "notewell.toml").write_text(text)
    with pytest.raises(SettingsError, match=wrong) as told:
        Vault.open(tmp_path)
    assert "sys." not in str(told.value)


def test_a_file_that_is_not_utf_8_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "notewell.toml").write_bytes(b"[search]\n# caf\xe9\n")
    assert "notewell.toml" in refused(tmp_path, {}).fact


def test_a_folder_in_place_of_the_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "notewell.toml").mkdir()
    assert "notewell.toml" in refused(tmp_path, {}).fact


def test_windows_that_would_not_move_on_are_an_error(tmp_path: Path) -> None:
    refused(tmp_path, {"chunk.target_words": 40, "chunk.overlap_words": 40})


def test_two_weights_of_zero_are_an_error(tmp_path: Path) -> None:
    refused(tmp_path, {"search.lexical_weight": 0, "search.vector_weight": 0})


def test_every_setting_is_explained_and_nothing_else_is() -> None:
    assert set(SPECS) == set(setting_names())
    bounded = {name for name, spec in SPECS.items() if spec.least is not None}
    assert bounded == {name for name, default in setting_names().items() if type(default) in (int, float)}


def test_the_root_is_the_nearest_folder_above_that_is_a_vault(tmp_path: Path) -> None:
    (tmp_path / "outer/inner/deep").mkdir(parents=True)
    write(tmp_path / "outer", "")
    assert find_root(tmp_path / "outer/inner/deep") == tmp_path / "outer"
    (tmp_path / "outer/inner/.notewell").mkdir()
    assert find_root(tmp_path / "outer/inner/deep") == tmp_path / "outer/inner"
    assert find_root(tmp_path / "outer/inner") == tmp_path / "outer/inner"


def test_a_vault_of_obsidian_is_a_root(tmp_path: Path) -> None:
    (tmp_path / "outer/inner/deep").mkdir(parents=True)
    write(tmp_path / "outer", "")
    assert find_root(tmp_path / "outer/inner/deep") == tmp_path / "outer"
    (tmp_path / "outer/inner/.obsidian").mkdir()
    assert find_root(tmp_path / "outer/inner/deep") == tmp_path / "outer/inner"


def test_a_folder_outside_any_vault_is_its_own_root(tmp_path: Path) -> None:
    assert find_root(tmp_path) == tmp_path


def test_without_a_path_the_nearest_vault_is_opened_and_with_one_that_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "")
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    assert Vault.open().root == tmp_path
    assert Vault.open(tmp_path / "sub").root == tmp_path / "sub"


HOSTILE = {
    "nested arrays": "[search]\nlimit = " + "[" * 10_000,
    "nested tables": "[search]\nlimit = " + "{a=" * 10_000,
    "a name of many parts": "[search]\n" + ".".join("a" * 10_000) + " = 1\n",
    "many bytes": "#" * 1_000_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_file_that_would_take_long_is_an_error_with_a_hint(tmp_path: Path, text: str) -> None:
    (tmp_path / "notewell.toml").write_text(text)
    with pytest.raises(SettingsError, match=r"notewell\.toml cannot be read") as caught:
        load_settings(tmp_path, {}, {})
    assert caught.value.hint
    assert len(caught.value.fact) < 300


@pytest.mark.parametrize(
    "written",
    [
        "[search]\n'{secret}' = 1\n",
        "['{secret}']\nlimit = 1\n",
        "'{secret}' = 1\n",
        "[decay]\noverrides = ['{secret}']\n",
        "[index]\ninclude = ['{secret}']\n",
        "[index]\ninclude = ['../{secret}']\n",
        "[embed]\nmodel = '{secret}'\n",
        "[embed]\nencoder = '{secret}'\n",
        "[memory]\nfolder = '../{secret}'\n",
        "[memory]\nfolder = '.{secret}'\n",
        "[store]\npath = '../{secret}'\n",
    ],
)
def test_no_error_repeats_what_may_be_a_key_in_the_wrong_place(
    tmp_path: Path, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOTEWELL_EMBED_ENCODER", raising=False)
    secret = "ghp_" + "a8Kd93mXq0" * 4
    (tmp_path / "bees.md").write_text("# Bees\n")
    (tmp_path / "notewell.toml").write_text(written.format(secret=secret))
    with pytest.raises(NotewellError) as caught, Vault.open(tmp_path) as vault:
        vault.index()
        vault.remember("The hive hums.")
        assert vault.models.encoder
    assert secret not in caught.value.fact + caught.value.hint
