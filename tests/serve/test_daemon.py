"""Commands by the warm process: the same bytes and exit codes as without it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.serve.conftest import NOTES
from tests.serve.daemons import COMMAND, Warmth, warmth

from notewell import Vault

# What differs from run to run.
TOOK = re.compile(r'"took_ms": [\d.]+')


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warmth]:
    """A small vault that is indexed, and a process that runs."""
    root = tmp_path_factory.mktemp("warm") / "notes"
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    (root / "notewell.toml").write_text('[embed]\nmodel = "words"\n', encoding="utf-8")
    with Vault.open(root) as vault:
        vault.index()
    with warmth(root) as made:
        made.start()
        yield made


def answered(warm: Warmth) -> int:
    return int(warm.about()["requests"])


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "why did the loaf collapse"),
        ("search", "loaf", "--json"),
        ("search", "loaf", "--explain"),
        ("search", "xyzzyplugh"),
        ("search", "loaf", "--deep"),
        ("search",),
        ("search", "loaf", "--vault", "/nonexistent"),
        ("read", "Recipes/Sourdough.md:6-8", "--numbers"),
        ("read", "Nothing.md"),
        ("related", "Garden/Bees.md"),
        ("traverse", "Garden/Bees.md"),
        ("links", "--broken"),
        ("graph",),
        ("status",),
    ],
    ids=" ".join,
)
def test_a_command_prints_the_same_with_and_without_it(warm: Warmth, arguments: tuple[str, ...]) -> None:
    before = answered(warm)
    with_it = warm.run(*arguments)
    # Without a text it is asked once more, with what comes on stdin.
    assert answered(warm) > before
    without_it = warm.run(*arguments, "--no-daemon")
    # Without a text it is asked once more, with what comes on stdin.
    assert answered(warm) > before
    code, out, err = (TOOK.sub("", str(part)) for part in with_it)
    assert (code, out, err) == tuple(TOOK.sub("", str(part)) for part in without_it)
    assert out + err


def test_the_command_loads_nothing_before_it_asks() -> None:
    program = "import sys; old = set(sys.modules); import notewell.serve.daemon.client, notewell.serve.daemon.wire"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}; print(*sorted(set(sys.modules) - old))"],
        capture_output=True,
        text=True,
        check=True,
    )
    ours = ["notewell", "notewell.serve", "notewell.serve.daemon"]
    assert done.stdout.split() == ["binascii", *ours, *(f"{ours[-1]}.{name}" for name in ("client", "wire"))]


def test_settings_of_the_environment_count_for_the_command_that_has_them_and_no_other(warm: Warmth) -> None:
    first = warm.run("search", "the", "--json", environment={"NOTEWELL_SEARCH_LIMIT": "1"})
    second = warm.run("search", "the", "--json")
    assert [len(json.loads(out)["hits"]) for _, out, _ in (first, second)] == [1, 4]


def test_a_path_is_one_from_where_the_command_is_typed(warm: Warmth) -> None:
    code, out, _ = warm.run("read", "Bees.md", cwd=warm.folder / "Garden")
    assert (code, out.splitlines()[0]) == (0, "# Bees")


def test_a_terminal_has_its_colours_and_a_pipe_has_none(warm: Warmth) -> None:
    before = answered(warm)
    shown = warm.on_terminal("search", "loaf")
    # Without a text it is asked once more, with what comes on stdin.
    assert answered(warm) > before
    assert "\x1b[" in shown
    assert shown == warm.on_terminal("search", "loaf", "--no-daemon")
    assert "\x1b[" not in warm.run("search", "loaf")[1]


def test_no_color_is_obeyed_on_a_terminal(warm: Warmth) -> None:
    shown = warm.on_terminal("search", "loaf", NO_COLOR="1")
    assert "Sourdough" in shown
    assert "\x1b[" not in shown


def test_an_error_on_a_terminal_is_as_red_as_without_it(warm: Warmth) -> None:
    assert warm.on_terminal("read", "None.md") == warm.on_terminal("read", "None.md", "--no-daemon")


def test_help_is_as_wide_as_the_terminal(warm: Warmth) -> None:
    assert warm.run("search", "--help", environment={"COLUMNS": "60"}) == warm.run(
        "search", "--help", "--no-daemon", environment={"COLUMNS": "60"}
    )
    assert warm.run("search", "--help", environment={"COLUMNS": "60"}) != warm.run("search", "--help")


def test_a_reader_that_has_seen_enough_is_no_error(warm: Warmth) -> None:
    command = f"{' '.join(COMMAND)} read Recipes/Sourdough.md --numbers; echo code $? >&2"
    done = subprocess.run(
        ["bash", "-c", f"({command}) | true"], cwd=warm.folder, env=warm.environment, capture_output=True, check=False
    )
    assert done.stderr.decode() == "code 0\n"


@pytest.mark.parametrize("text", [(), ("-",)])
def test_a_query_that_is_piped_is_answered_by_it(warm: Warmth, text: tuple[str, ...]) -> None:
    before = answered(warm)
    code, out, err = warm.run("search", *text, "--format", "paths", "-n", "1", given=b"loaf\n")
    assert (code, out, err) == (0, "Recipes/Sourdough.md\n", "")
    # Once to learn that it wants what is piped, and once with it.
    assert answered(warm) == before + 2


def test_a_pipe_that_nobody_writes_to_is_not_waited_for_if_there_is_a_text(warm: Warmth) -> None:
    command = [*COMMAND, "search", "loaf", "-", "--format", "paths"]
    with subprocess.Popen(
        command, cwd=warm.folder, env=warm.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read().startswith(b"Recipes/Sourdough.md\n")


def test_a_full_disk_is_told_of_as_without_it(warm: Warmth) -> None:
    command = [*COMMAND, "read", "Recipes/Sourdough.md"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, cwd=warm.folder, env=warm.environment, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert b"error: The output cannot be written" in done.stderr


@pytest.mark.parametrize("arguments", [("read", "--raw", "Garden/Keys.md"), ("graph", "--svg", "g.svg"), ("doctor",)])
def test_what_writes_or_shows_secrets_is_not_asked_of_it(warm: Warmth, arguments: tuple[str, ...]) -> None:
    before = answered(warm)
    warm.run(*arguments)
    assert answered(warm) == before


@pytest.mark.parametrize("name", ["NOTEWELL_DAEMON", "NOTEWELL_DAEMON_USE"])
def test_a_variable_switches_it_off(warm: Warmth, name: str) -> None:
    before = answered(warm)
    assert warm.run("search", "loaf", environment={name: "no"})[0] == 0
    assert answered(warm) == before


def test_a_vault_that_was_never_indexed_is_indexed_by_the_command_itself(warm: Warmth, folder: Path) -> None:
    code, out, err = warm.run("search", "why did the loaf collapse", cwd=folder)
    assert (code, out.splitlines()[0].split("  ")[0]) == (0, "Recipes/Sourdough.md:7")
    assert err.startswith(f"indexing {folder}")


def test_two_vaults_are_kept_and_not_mixed_up(warm: Warmth, folder: Path) -> None:
    (folder / "Only here.md").write_text("# Only here\n\nA zeppelin over the meadow.\n", encoding="utf-8")
    with Vault.open(folder) as vault:
        vault.index()
    for _ in range(2):
        assert "Only here.md" in warm.run("search", "zeppelin", cwd=folder)[1]
        assert "Only here.md" not in warm.run("search", "zeppelin")[1]
    assert warm.about()["vaults"][:2] == [str(warm.folder), str(folder)]


def test_options_change_one_search_and_not_the_vault(warm: Warmth) -> None:
    fused = warm.run("search", "loaf", "--json", "--fusion", "rrf")[1]
    plain = TOOK.sub("", warm.run("search", "loaf", "--json")[1])
    assert plain == TOOK.sub("", warm.run("search", "loaf", "--json", "--no-daemon")[1]) != TOOK.sub("", fused)
    assert len(warm.about()["vaults"]) == len(set(warm.about()["vaults"]))


def test_the_command_says_what_it_does(warm: Warmth) -> None:
    code, out, _ = warm.run("daemon")
    assert code == 0
    assert re.search(r"process   \d+, since 20", out)
    assert str(warm.folder) in out
