"""Commands by the daemon: the same bytes and exit codes as without it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.cases import cases
from tests.serve.conftest import write_notes
from tests.serve.daemons import COMMAND, DaemonRunner, daemon_for

from notewell import Vault

# What differs from run to run.
TOOK = re.compile(r'"took_ms": [\d.]+')


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonRunner]:
    """A small vault that is indexed, and a process that runs."""
    root = tmp_path_factory.mktemp("daemon") / "notes"
    with Vault.open(write_notes(root)) as vault:
        vault.index()
    with daemon_for(root) as made:
        made.start()
        yield made


def answered(daemon: DaemonRunner) -> int:
    return int(daemon.about()["requests"])


def differs(daemon: DaemonRunner, arguments: tuple[str, ...], without_it: tuple[int, str, str]) -> bool:
    """Tell whether a command that the daemon answers prints anything else than without it."""
    before = answered(daemon)
    with_it = daemon.run(*arguments)
    # Without a text it is asked once more, with what comes on stdin.
    assert answered(daemon) > before
    code, out, err = (TOOK.sub("", str(part)) for part in with_it)
    assert out + err
    return (code, out, err) != tuple(TOOK.sub("", str(part)) for part in without_it)


@cases(
    "arguments",
    [
        ("search", "loaf", "--json"),
        ("search", "loaf", "--explain"),
        ("search", "xyzzyplugh"),
        ("search", "loaf", "--deep"),
        ("search", "loaf", "--vault", "/nonexistent"),
        ("read", "Recipes/Sourdough.md:6-8", "--numbers"),
        ("read", "Nothing.md"),
        ("related", "Garden/Bees.md"),
        ("traverse", "Garden/Bees.md"),
        ("links", "--broken"),
        ("graph",),
        ("status",),
    ],
)
def test_a_command_prints_the_same_with_and_without_it(
    daemon: DaemonRunner,
    run_command: Callable[..., tuple[int, str, str]],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
) -> None:
    monkeypatch.setenv("COLUMNS", daemon.environment["COLUMNS"])
    assert not differs(daemon, arguments, run_command(daemon.folder, *arguments))


@pytest.mark.parametrize("arguments", [("search", "why did the loaf collapse"), ("search",)], ids=" ".join)
def test_a_process_prints_the_same_with_and_without_it(daemon: DaemonRunner, arguments: tuple[str, ...]) -> None:
    assert not differs(daemon, arguments, daemon.run(*arguments, "--no-daemon"))


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


def test_settings_of_the_environment_count_for_the_command_that_has_them_and_no_other(daemon: DaemonRunner) -> None:
    first = daemon.run("search", "the", "--json", environment={"NOTEWELL_SEARCH_LIMIT": "1"})
    second = daemon.run("search", "the", "--json")
    assert [len(json.loads(out)["hits"]) for _, out, _ in (first, second)] == [1, 4]


def test_a_path_is_one_from_where_the_command_is_typed(daemon: DaemonRunner) -> None:
    code, out, _ = daemon.run("read", "Bees.md", cwd=daemon.folder / "Garden")
    assert (code, out.splitlines()[0]) == (0, "# Bees")


def test_a_terminal_has_its_colours_and_a_pipe_has_none(daemon: DaemonRunner) -> None:
    before = answered(daemon)
    shown = daemon.on_terminal("search", "loaf")
    # Without a text it is asked once more, with what comes on stdin.
    assert answered(daemon) > before
    assert "\x1b[" in shown
    assert shown == daemon.on_terminal("search", "loaf", "--no-daemon")
    assert "\x1b[" not in daemon.run("search", "loaf")[1]


def test_no_color_is_obeyed_on_a_terminal(daemon: DaemonRunner) -> None:
    shown = daemon.on_terminal("search", "loaf", NO_COLOR="1")
    assert "Sourdough" in shown
    assert "\x1b[" not in shown


def test_an_error_on_a_terminal_is_as_red_as_without_it(daemon: DaemonRunner) -> None:
    assert daemon.on_terminal("read", "None.md") == daemon.on_terminal("read", "None.md", "--no-daemon")


def test_help_is_as_wide_as_the_terminal(daemon: DaemonRunner) -> None:
    assert daemon.run("search", "--help", environment={"COLUMNS": "60"}) == daemon.run(
        "search", "--help", "--no-daemon", environment={"COLUMNS": "60"}
    )
    assert daemon.run("search", "--help", environment={"COLUMNS": "60"}) != daemon.run("search", "--help")


def test_a_reader_that_has_seen_enough_is_not_an_error(daemon: DaemonRunner) -> None:
    command = f"{' '.join(COMMAND)} read Recipes/Sourdough.md --numbers; echo code $? >&2"
    done = subprocess.run(
        ["bash", "-c", f"({command}) | true"],
        cwd=daemon.folder,
        env=daemon.environment,
        capture_output=True,
        check=False,
    )
    assert done.stderr.decode() == "code 0\n"


@pytest.mark.parametrize("text", [(), ("-",)])
def test_a_query_that_is_piped_is_answered_by_it(daemon: DaemonRunner, text: tuple[str, ...]) -> None:
    before = answered(daemon)
    code, out, err = daemon.run("search", *text, "--format", "paths", "-n", "1", given=b"loaf\n")
    assert (code, out, err) == (0, "Recipes/Sourdough.md\n", "")
    # Once to learn that it wants what is piped, and once with it.
    assert answered(daemon) == before + 2


def test_a_pipe_that_nobody_writes_to_is_not_waited_for_if_there_is_a_text(daemon: DaemonRunner) -> None:
    command = [*COMMAND, "search", "loaf", "-", "--format", "paths"]
    with subprocess.Popen(
        command, cwd=daemon.folder, env=daemon.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read().startswith(b"Recipes/Sourdough.md\n")


def test_a_full_disk_is_reported_as_without_it(daemon: DaemonRunner) -> None:
    command = [*COMMAND, "read", "Recipes/Sourdough.md"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, cwd=daemon.folder, env=daemon.environment, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert b"error: Cannot write the output" in done.stderr


@cases("arguments", [("read", "--raw", "Garden/Keys.md"), ("graph", "--svg", "g.svg"), ("doctor",)])
def test_what_writes_or_shows_secrets_is_not_asked_of_it(daemon: DaemonRunner, arguments: tuple[str, ...]) -> None:
    before = answered(daemon)
    daemon.run(*arguments)
    assert answered(daemon) == before


@pytest.mark.parametrize("name", ["NOTEWELL_DAEMON", "NOTEWELL_DAEMON_USE"])
def test_a_variable_switches_it_off(daemon: DaemonRunner, name: str) -> None:
    before = answered(daemon)
    assert daemon.run("search", "loaf", environment={name: "no"})[0] == 0
    assert answered(daemon) == before


def test_a_vault_that_was_never_indexed_is_indexed_by_the_command_itself(daemon: DaemonRunner, folder: Path) -> None:
    code, out, err = daemon.run("search", "why did the loaf collapse", cwd=folder)
    assert (code, out.splitlines()[0].split("  ")[0]) == (0, "Recipes/Sourdough.md:7")
    assert err.startswith(f"indexing {folder}")


def test_two_vaults_are_kept_and_not_mixed_up(daemon: DaemonRunner, folder: Path) -> None:
    (folder / "Only here.md").write_text("# Only here\n\nA zeppelin over the meadow.\n", encoding="utf-8")
    with Vault.open(folder) as vault:
        vault.index()
    for _ in range(2):
        assert "Only here.md" in daemon.run("search", "zeppelin", cwd=folder)[1]
        assert "Only here.md" not in daemon.run("search", "zeppelin")[1]
    assert daemon.about()["vaults"][:2] == [str(daemon.folder), str(folder)]


def test_options_change_one_search_and_not_the_vault(daemon: DaemonRunner) -> None:
    fused = daemon.run("search", "loaf", "--json", "--fusion", "rrf")[1]
    plain = TOOK.sub("", daemon.run("search", "loaf", "--json")[1])
    assert plain == TOOK.sub("", daemon.run("search", "loaf", "--json", "--no-daemon")[1]) != TOOK.sub("", fused)
    assert len(daemon.about()["vaults"]) == len(set(daemon.about()["vaults"]))


def test_the_command_says_what_it_does(daemon: DaemonRunner) -> None:
    code, out, _ = daemon.run("daemon")
    assert code == 0
    assert re.search(r"process   \d+, since 20", out)
    assert str(daemon.folder) in out
