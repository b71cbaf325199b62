"""The files of a team's server: no engine runs here, so what can be checked without one is."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.postgres import own_server

from notewell.serve.own_server import binaries

from .serving import Served, wait_until

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
TOKEN = "0123456789" * 4


def test_a_linter_finds_nothing_in_the_image() -> None:
    linter = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if linter is None:
        pytest.skip("hadolint has no package for this system")
    done = subprocess.run([linter, "--no-color", "Containerfile"], cwd=DEPLOY, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_image_copies_only_what_is_there_and_not_ignored() -> None:
    copied = re.findall(
        r"^COPY (?:--chmod=\d+ )?(?!--from)(.+) \S+$", (DEPLOY / "Containerfile").read_text(), re.MULTILINE
    )
    names = {name for line in copied for name in line.split()}
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert names == kept and all((ROOT / name).exists() for name in names)


def test_compose_is_valid_and_gives_nobody_more_than_they_need() -> None:
    from compose_spec import PyCompose  # noqa: PLC0415

    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    filled = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text).replace("${VAULT:?name the folder with the notes}", "/notes")
    made = PyCompose.from_yaml(filled)
    made.validate()
    services = made.services or {}
    assert set(services) == {"database", "notewell"}
    for service in services.values():
        assert service.read_only and service.cap_drop == {"ALL"} and service.security_opt == {"no-new-privileges:true"}
    # No password in an argument or a variable, and no port beyond this machine.
    assert re.findall(r"PASSWORD: (.+)", text) == []
    assert [str(port) for port in re.findall(r'- "(127.0.0.1:.+)"', text)] == ["127.0.0.1:${NOTEWELL_PORT:-8483}:8483"]


def up(folder: Path, path: str, vault: str) -> subprocess.CompletedProcess[str]:
    """Run a copy of the script that starts the containers, in a folder of its own."""
    shutil.copy(DEPLOY / "up.py", folder)
    environment = {"PATH": path, "VAULT": vault}
    return subprocess.run([sys.executable, folder / "up.py"], env=environment, capture_output=True, text=True)


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    """A folder with a program `docker` that writes its arguments down: no engine runs here."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "docker").write_text(f'#!/bin/sh\necho "$VAULT $@" >> {tmp_path}/asked\n')
    (folder / "docker").chmod(0o755)
    return folder


def test_secrets_are_made_once_and_only_their_owner_reaches_them(engine: Path, tmp_path: Path) -> None:
    done = up(tmp_path, str(engine), str(tmp_path))
    assert done.returncode == 0 and "secrets/token" in done.stdout
    made = {file.name: file.read_text() for file in (tmp_path / "secrets").iterdir()}
    assert len(set(made.values())) == 3 and all(len(secret) >= 43 for secret in made.values())
    assert stat.S_IMODE((tmp_path / "secrets").stat().st_mode) == 0o700
    assert not any(secret in done.stdout + done.stderr for secret in made.values())
    assert up(tmp_path, str(engine), str(tmp_path)).stdout == ""
    assert {file.name: file.read_text() for file in (tmp_path / "secrets").iterdir()} == made
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[1] == f"{tmp_path} compose --file {tmp_path}/compose.yaml up --build --detach --wait"


def test_without_an_engine_or_notes_it_says_what_to_do_and_makes_nothing(engine: Path, tmp_path: Path) -> None:
    for path, vault, fact in (
        (str(tmp_path), str(tmp_path), "no container engine"),
        (str(engine), "nowhere", "not a folder"),
    ):
        done = up(tmp_path, path, vault)
        assert done.returncode == 1 and fact in done.stderr and "hint: " in done.stderr
    assert not (tmp_path / "secrets").exists()


def test_the_database_is_made_with_its_password_and_extensions(tmp_path: Path) -> None:
    (tmp_path / "database-password").write_text('it\'s "secret"')
    with own_server() as server:
        administrator = server.url("postgres", "postgres")
        psql = [str(binaries() / "psql"), "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "-c"]
        for made in ("drop database notewell", "drop role notewell"):
            subprocess.run([*psql, made, administrator], check=True)
        environment = {**os.environ, "PATH": f"{binaries()}:{os.environ['PATH']}", "NOTEWELL_SECRETS": str(tmp_path)}
        address = {"PGHOST": "127.0.0.1", "PGPORT": str(server.port), "PGPASSFILE": str(server.folder / "pgpass")}
        subprocess.run(["sh", DEPLOY / "database.sh"], env={**environment, **address}, check=True)
        as_notewell = {**environment, **address, "PGPASSWORD": (tmp_path / "database-password").read_text()}
        asked = "select string_agg(extname, ' ' order by extname) from pg_extension"
        command = [*psql, asked, "--username=notewell", "--dbname=notewell"]
        assert subprocess.check_output(command, env=as_notewell, text=True) == "plpgsql postgres_fdw vector\n"


def test_the_image_starts_a_server_that_only_answers_to_the_secret_token(folder: Path, tmp_path: Path) -> None:
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "token").write_text(f"{TOKEN}\n")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "NOTEWELL_SECRETS": str(secrets),
        "NOTEWELL_VAULT": str(folder),
        "NOTEWELL_EMBED_ENCODER": "off",
    }
    command = ["sh", str(DEPLOY / "start.sh"), "--port", "0"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            served = Served("127.0.0.1", int(address.rpartition(":")[2]))
            known = {"Authorization": f"Bearer {TOKEN}"}
            assert served.ask("/status").status == 401
            assert served.ask("/status", {"Authorization": "Bearer other"}).status == 401
            assert served.ask("/status", known).status == 200
            wait_until(lambda: b"Sourdough" in served.ask("/search?text=why+did+the+loaf+collapse", known).body)
        finally:
            process.terminate()
