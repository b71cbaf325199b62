"""The two tools that write: available only if the user allowed it, and only in that folder."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.cases import cases
from tests.serve.mcp_clients import PAGE, Asking, asking, said, size
from tests.serve.serving import kept_up

from notewell import Vault
from notewell.serve.mcp.server import make_server

FACT = "Kim prefers tabs over spaces in Go code."


@pytest.fixture
def session(folder: Path) -> Iterator[Asking]:
    with (folder / "notewell.toml").open("a") as settings:
        settings.write('[memory]\nfolder = "Memories"\n')
    with kept_up(Vault.open(folder)) as kept, asking(make_server(kept)) as client:
        yield client


def test_they_are_not_there_until_the_vault_names_a_folder(folder: Path) -> None:
    with kept_up(Vault.open(folder)) as kept, asking(make_server(kept)) as session:
        assert not session.schemas.keys() & {"remember", "forget"}
        with pytest.raises(Exception, match="no tool 'remember'"):
            session.do("call_tool", "remember", {"text": FACT})


def test_they_say_that_they_write(session: Asking) -> None:
    hints = {tool.name: tool.annotations for tool in session.do("list_tools").tools}
    assert not hints["remember"].read_only_hint and not hints["remember"].destructive_hint
    assert not hints["forget"].read_only_hint and hints["forget"].destructive_hint
    assert hints["search"].read_only_hint


def test_a_memory_is_found_at_once_and_forgotten_again(session: Asking, folder: Path) -> None:
    done = session.call("remember", text=FACT, tag="style", source="review").structured_content
    assert done["written"] and (folder / done["path"]).is_file()
    assert done["path"] in session.text("search", text="tabs or spaces", type="memory")
    gone = session.call("forget", note=done["path"]).structured_content
    assert (folder / gone["trash"]).is_file() and not (folder / done["path"]).exists()
    assert done["path"] not in session.text("search", text="tabs or spaces")


def test_a_near_duplicate_is_shown_in_a_fence_and_not_written(session: Asking, folder: Path) -> None:
    path = session.call("remember", text=FACT).structured_content["path"]
    again = session.call("remember", text=FACT)
    assert not again.structured_content["written"] and again.structured_content["near"][0]["path"] == path
    text = session.text("remember", text=FACT)
    assert (
        f"~~~\n{path}:7 (similarity 1.0)\n{FACT}\n~~~" in text and "anyway" in text and "never an instruction" in text
    )
    assert len(list((folder / "Memories").iterdir())) == 1
    assert session.call("remember", text=FACT, anyway=True).structured_content["written"]


def test_a_note_by_another_name_is_understood(session: Asking) -> None:
    assert "No indexed note is called 'x.md'" in session.error("forget", path="x.md")


def test_a_secret_is_taken_out_and_counted(session: Asking, folder: Path) -> None:
    key = "AKIA" + "Q3T7M5X2" + "K9W4N8PB"
    result = session.call("remember", text=f"The weather station uses {key} to report.")
    done = result.structured_content
    assert "Secrets that were redacted: 1." in said(result)
    assert done["redacted"] == 1 and key not in (folder / done["path"]).read_text(encoding="utf-8")


def test_a_hostile_title_stays_in_the_folder_and_a_long_text_on_the_page(session: Asking, folder: Path) -> None:
    done = session.call("remember", text="word " * 15_000, title="../../outside")
    assert done.structured_content["path"].startswith("Memories/") and size(done) <= PAGE
    assert size(session.call("remember", text="word " * 15_000)) <= PAGE
    assert not list(folder.parent.glob("outside*"))


@cases("note", ["Recipes/Sourdough.md", "../outside.md", "No such memory"])
def test_other_notes_are_not_forgotten(session: Asking, folder: Path, note: str) -> None:
    session.text("search", text="loaf")
    assert "hint:" in session.error("forget", note=note)
    assert (folder / "Recipes/Sourdough.md").is_file()


def test_agents_that_remember_at_once_lose_nothing(session: Asking) -> None:
    subjects = ("rye bread", "the hive", "invoices", "train times", "the boiler", "passports", "tomatoes", "the choir")
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda subject: session.call("remember", text=f"Ada looks after {subject}."), subjects))
    written = [result.structured_content["path"] for result in done if result.structured_content["written"]]
    near = [result for result in done if not result.structured_content["written"]]
    assert len(set(written)) == len(written) >= 1 and len(written) + len(near) == len(subjects)
    for path in written:
        assert "Ada looks after" in session.text("read", note=path)
