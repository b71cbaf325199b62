"""The registry of domains: what it may say, what is derived, and what is refused before any file is touched."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from notewell import Vault
from notewell.config.domains import read_domains
from notewell.errors import SettingsError
from notewell.index.domains import Domains

# A registry in the form of `_domains.yaml`, with each kind of value that such a file may have.
YAML = """
farm:
  legacy: true
  taxonomy: _words.md
  review_queue: _todo.md
  embedding: some/model
  embedding_dim: 512
  decay:
    mode: ranked_grouped
    ladder: [1.0, 0.5, 0.2]
    recency_boost_days: 14
    recency_boost_amount: 0.1
    kind_overrides:
      Invoices: { group_by_path_prefix: [1.0, 0.5] }
  lexical:
    weight: 0.6
fitness: { decay.mode: off, lexical.weight: 0.1 }
nutrition: { decay.mode: off, lexical.weight: 0.1 }
"""


def domains(root: Path, text: str) -> Domains:
    return read_domains(root, tomllib.loads(text).get("domains"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("Gym/Old", "Food", "Food/Work", "fitness", "Nutrition", ".obsidian"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


def test_a_vault_without_a_registry_has_no_domains(root: Path) -> None:
    assert not domains(root, "") and not read_domains(None, None)


def test_what_no_domain_claims_belongs_to_the_legacy_one_which_is_derived(root: Path) -> None:
    found = domains(root, '[domains.gym]\nfolders = ["Gym/"]\nexclude = ["Gym/Old"]\n[domains.food]')
    assert found.names == ("gym", "food", "legacy")
    assert [domain.folders for domain in found] == [("Gym",), ("Food",), ()]
    assert found.all[-1].exclude == ("Food", "Gym")
    paths = ("Gym/a.md", "Gym/Old/a.md", "Gymnastics.md", "Food/Work/a.md", "food/a.md", "a.md")
    assert [found.of(path) for path in paths] == ["gym", "legacy", "legacy", "food", "legacy", "legacy"]


def test_a_domain_may_claim_a_folder_that_the_one_above_leaves_out(root: Path) -> None:
    found = domains(
        root,
        '[domains.food]\nexclude = ["Food/Work"]\n[domains.work]\nfolders = "Food/Work"\n[domains.rest]\nlegacy = true',
    )
    assert [found.of(path) for path in ("Food/a.md", "Food/Work/a.md", "a.md")] == ["food", "work", "rest"]
    territory = found.part(["work"])
    assert territory and territory.enters("Food") and not territory.covers("Food/a.md")
    assert not territory.enters("Gym") and found.part(["food", "work", "rest"]) is None


def test_a_registry_in_yaml_is_read_as_it_is(root: Path) -> None:
    (root / "_domains.yaml").write_text(YAML, encoding="utf-8")
    found = read_domains(root, None)
    farm, fitness = found.named("farm"), found.named("Fitness")
    assert found.names == ("fitness", "nutrition", "farm") and farm and fitness
    assert farm.legacy and farm.exclude == ("Nutrition", "fitness")
    assert found.of("Nutrition/a.md") == "nutrition" and found.of("Invoices/a.md") == "farm"
    assert fitness.settings == {"decay.mode": "off", "search.lexical_weight": 0.1, "search.vector_weight": 1.0}
    assert farm.settings == {
        "curate.taxonomy": "_words.md",
        "curate.queue": "_todo.md",
        "decay.mode": "ranked_grouped",
        "decay.ladder": "1.0 0.5 0.2",
        "decay.recent_days": 14,
        "decay.recent_gain": 0.1,
        "decay.overrides": ["Invoices/ = one_group 1.0 0.5"],
        "search.lexical_weight": 0.6,
        "search.vector_weight": 1.0,
    }
    (problem,) = farm.problems
    assert "some/model" in problem


REFUSED = {
    "no domain": ("[domains]", "names no domain"),
    "no table": ("[domains]\na = 1", "should be a table"),
    "two legacies": ("[domains.a]\nlegacy = true\n[domains.b]\nlegacy = true", "two legacy"),
    "legacy not yes or no": ('[domains.a]\nlegacy = "x"', "true or false"),
    "one folder twice": ('[domains.a]\nfolders = ["Gym"]\n[domains.b]\nfolders = ["./Gym/"]', "both claim"),
    "one folder by a link": ('[domains.a]\nfolders = ["Gym"]\n[domains.b]\nfolders = ["Link"]', "both claim"),
    "a folder inside": ('[domains.a]\nfolders = ["Gym"]\n[domains.b]\nfolders = ["Gym/Old"]', "b claims Gym/Old"),
    "nothing for others": ('[domains.a]\nfolders = ["."]', "leaves nothing"),
    "nothing for itself": ('[domains.a]\nfolders = ["Gym"]\nexclude = ["Gym"]', "excludes all"),
    "excludes what it has not": ('[domains.a]\nfolders = ["Gym"]\nexclude = ["Food"]', "not below"),
    "legacy with folders": ('[domains.a]\nlegacy = true\nfolders = ["Gym"]', "has folders"),
    "legacy by name only": ('[domains.legacy]\nfolders = ["Gym"]', "gives folders to the domain legacy"),
    "above the vault": ('[domains.a]\nfolders = ["../x"]', "outside the vault"),
    "an absolute path": ('[domains.a]\nfolders = ["/etc"]', "outside the vault"),
    "a home": ('[domains.a]\nfolders = ["~/x"]', "outside the vault"),
    "a link out": ('[domains.a]\nfolders = ["Out"]', "outside the vault"),
    "a folder of programs": ('[domains.a]\nfolders = [".obsidian"]', "never indexed"),
    "no list": ("[domains.a]\nfolders = 3", "list of folders"),
    "a zero byte": ('[domains.a]\nfolders = ["a\\u0000b"]', "list of folders"),
    "an unknown key": ("[domains.a]\nfolder = 'x'", "cannot have"),
    "a setting of the user": ("[domains.a.llm]\nmodel = 'x'", "cannot have"),
    "a name with a slash": ('[domains."a/b"]', "part of a file's name"),
    "a name with a dot": ('[domains."a.b"]', "part of a file's name"),
    "a name of a device": ("[domains.NUL]", "part of a file's name"),
    "a name that is too long": (f"[domains.{'a' * 33}]", "part of a file's name"),
    "names that differ in case": ("[domains.a]\n[domains.A]", "two domains called"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_registry_that_cannot_be_is_refused_and_no_file_is_touched(
    case: str, root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (root / "Link").symlink_to(root / "Gym")
    (root / "Out").symlink_to(tmp_path_factory.mktemp("elsewhere"))
    before = sorted(root.rglob("*"))
    written, fact = REFUSED[case]
    with pytest.raises(SettingsError, match=fact) as caught:
        domains(root, written)
    assert caught.value.hint and sorted(root.rglob("*")) == before


def test_a_mistyped_key_is_suggested(root: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        domains(root, "[domains.a.decay]\nmod = 'off'")
    assert caught.value.hint == "Did you mean decay.mode?"


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("a: [", "is not YAML"),
        ("", "names no domain"),
        ("a: 3", "block of keys"),
        ("a: &x {legacy: true}\nb: *x", "aliases"),
        ("a: " + "x" * 70_000, "more than"),
        ("a: {folders: [../x]}", "outside the vault"),
    ],
)
def test_a_yaml_registry_that_cannot_be_is_refused(root: Path, text: str, fact: str) -> None:
    (root / "_domains.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=fact):
        read_domains(root, None)


def test_two_registries_are_refused(root: Path) -> None:
    (root / "_domains.yaml").write_text("a: {folders: [Gym]}", encoding="utf-8")
    with pytest.raises(SettingsError, match="Domains are in both"):
        domains(root, "[domains.b]")


def test_unknown_keys_of_a_yaml_registry_are_named(root: Path) -> None:
    (root / "_domains.yaml").write_text("a: {folder: Gym, colour: red, exclude: Gym/Old}", encoding="utf-8")
    (first, _) = read_domains(root, None)
    assert first.folders == ("Gym",) and first.exclude == ("Gym/Old",)
    assert first.problems == ("_domains.yaml: 'colour' of the domain 'a' has no effect",)


def test_a_domain_has_the_settings_of_the_vault_and_its_own(root: Path) -> None:
    (root / "notewell.toml").write_text(
        "[search]\nlimit = 3\n[decay]\nmode = 'half_life'\n"
        "[domains.food]\ndecay.mode = 'off'\nsearch.lexical_weight = 0.1\n[domains.gym]\n",
        encoding="utf-8",
    )
    vault = Vault.open(root)
    assert vault.settings_files.domains.names == ("food", "gym", "legacy")
    food, gym = vault.settings_files.of("food"), vault.settings_files.of("gym")
    assert (food.search.limit, food.decay.mode, food.search.lexical_weight) == (3, "off", 0.1)
    assert gym == vault.settings and gym.decay.mode == "half_life"


def test_an_option_and_the_environment_win_over_a_domain(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "notewell.toml").write_text("[domains.food]\ndecay.mode = 'half_life'", encoding="utf-8")
    assert Vault.open(root).settings_files.of("food").decay.mode == "half_life"
    assert Vault.open(root, {"decay.mode": "off"}).settings_files.of("food").decay.mode == "off"
    monkeypatch.setenv("NOTEWELL_DECAY_MODE", "ranked_grouped")
    assert Vault.open(root).settings_files.of("food").decay.mode == "ranked_grouped"


@pytest.mark.parametrize(
    ("written", "fact"),
    [
        ("decay.mode = 'slow'", "domains.food.decay.mode in notewell.toml should be one of"),
        ("decay.ladder = '1 2'", "not a row of numbers"),
        ("search.lexical_weight = -1", "domains.food.search.lexical_weight in notewell.toml is -1"),
        ("search.lexical_weight = 0\nsearch.vector_weight = 0", "both 0"),
    ],
)
def test_a_wrong_setting_of_a_domain_is_an_error_that_names_it(root: Path, written: str, fact: str) -> None:
    (root / "notewell.toml").write_text(f"[domains.food]\n{written}", encoding="utf-8")
    with pytest.raises(SettingsError, match=fact):
        Vault.open(root)


def test_a_registry_that_breaks_while_a_vault_is_open_leaves_the_last_one(root: Path) -> None:
    file = root / "notewell.toml"
    file.write_text("[domains.food]", encoding="utf-8")
    vault = Vault.open(root)
    file.write_text("[domains.food]\nfolders = ['..']", encoding="utf-8")
    (notice,) = vault.reread()
    assert "outside the vault" in str(notice.facts["reason"]) and vault.settings_files.domains.names == (
        "food",
        "legacy",
    )
    file.write_text("[domains.gym]", encoding="utf-8")
    assert vault.reread() == () and vault.settings_files.domains.names == ("gym", "legacy")


def test_the_users_own_file_cannot_divide_vaults(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    users = root / "config" / "notewell"
    users.mkdir(parents=True)
    (users / "notewell.toml").write_text("[domains.food]", encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(root / "config"))
    with pytest.raises(SettingsError, match="has domains"):
        Vault.open(root)
