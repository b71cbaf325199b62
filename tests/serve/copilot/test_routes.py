"""The interface that Copilot for Obsidian asks for: its fields, statuses and errors, with our guards."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from tests.cases import cases

from ..serving import Reply, Served, serving

if TYPE_CHECKING:
    from notewell.vault import Vault

# The fields of each shape, as the interface names them (docs/miyo-api.md in logancyang/obsidian-copilot).
HEALTH = {
    "status",
    "service",
    "qdrant",
    "llama_server",
    "model_download_progress",
    "embedding_model",
    "batch_size_preset",
    "gpu_variant",
    "indexed_files",
}
RESULT = {
    "path",
    "score",
    "title",
    "mtime",
    "ctime",
    "file_name",
    "chunk_index",
    "total_chunks",
    "chunk_text",
    "metadata",
    "embedding_model",
    "tags",
    "extension",
    "created_at",
    "nchars",
    "folder_path",
}
FOLDER = {"path", "include_patterns", "exclude_patterns", "recursive"}
# Built at run time, so that no scanner takes it for a real one.
SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


FILE = {"path", "title", "mtime", "updated_at", "folder_path", "total_chunks"}
DOCUMENT = RESULT - {"path", "score", "file_name", "total_chunks"} | {"id", "path"}
# As some disks spell a name; Obsidian has it in one sign.
DECOMPOSED = "Ku\u0308che.md"


def mounts(vault: Vault) -> list[Any]:
    from notewell.serve.cli.serve import COPILOT  # noqa: PLC0415
    from notewell.serve.copilot import make_copilot_app  # noqa: PLC0415
    from notewell.serve.http import Mounted  # noqa: PLC0415

    return [Mounted(path, partial(make_copilot_app, vault), detailed=True) for path in COPILOT]


@pytest.fixture(scope="module")
def copilot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    from notewell.vault import Vault  # noqa: PLC0415

    root = tmp_path_factory.mktemp("copilot") / "My notes"
    sections = "".join(f"## Part {one}\n\nThe hive hums in the warm evening of day {one}.\n\n" * 4 for one in range(6))
    notes = {
        "Bees.md": f"---\ntags: [garden]\n---\n# Bees\n\n{sections}",
        "Garden/Mites.md": "# Mites\n\nMites weaken a hive in the warm summer.\n",
        "Keys.md": f"# Keys\n\nThe token of the hive is {SECRET}.\n",
        "notewell.toml": '[embed]\nmodel = "words"\n\n[search]\nfloor = 0\n\n[chunk]\nmax_chars = 200\n',
    }
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    os.utime(root / "Garden" / "Mites.md", (1_600_000_000, 1_600_000_000))
    with Vault.open(root) as vault:
        vault.index()
        with serving(vault, mounts=mounts(vault)) as running:
            yield running


def send(served: Served, path: str, body: Any, method: str = "POST") -> Reply:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return served.ask(path, {"Content-Type": "application/json"}, method=method, body=data)


def paths(reply: Reply) -> list[str]:
    assert reply.status == 200, reply.data
    return [one["path"] for one in reply.data["results"]]


def test_health_has_its_fields_and_counts_the_notes(copilot: Served) -> None:
    health = copilot.get("/v0/health")
    assert health.keys() == HEALTH
    assert (health["status"], health["service"], health["indexed_files"]) == ("ok", "running", 3)


def test_a_search_answers_chunks_each_with_its_place_in_the_note(copilot: Served) -> None:
    reply = send(copilot, "/v0/search", {"query": "hive in the evening", "folder_name": "My notes", "limit": 10})
    assert reply.status == 200
    assert reply.data.keys() == {"results", "query", "count", "execution_time_ms"}
    results = reply.data["results"]
    assert reply.data["count"] == len(results) > 1
    assert all(result.keys() >= RESULT for result in results)
    scores = [result["score"] for result in results]
    assert scores == sorted(scores, reverse=True) and 0 < scores[-1] <= scores[0] <= 1
    bees = [result for result in results if result["path"] == "My notes/Bees.md"]
    assert len({result["chunk_index"] for result in bees}) == len(bees) > 1, "Copilot drops what has the same index"
    assert all(result["chunk_index"] < result["total_chunks"] for result in bees)
    assert (bees[0]["extension"], bees[0]["tags"], bees[0]["title"]) == (".md", ["garden"], "Bees")


def test_a_search_keeps_to_a_folder_a_path_and_times(copilot: Served) -> None:
    root = copilot.vault.root
    ask = partial(send, copilot, "/v0/search")
    assert set(paths(ask({"query": "hive", "folder_path": str(root / "Garden")}))) == {"My notes/Garden/Mites.md"}
    assert set(paths(ask({"query": "hive", "path": "MITES"}))) == {"My notes/Garden/Mites.md"}
    for late in (1_700_000_000, 1_700_000_000_000):
        old = {"query": "hive", "filters": [{"field": "mtime", "lt": late}]}
        assert set(paths(ask(old))) == {"My notes/Garden/Mites.md"}
        new = {"query": "hive", "filters": [{"field": "mtime", "gte": late}], "limit": 1}
        assert len(paths(ask(new))) == 1 and "My notes/Garden/Mites.md" not in paths(ask(new))


def test_a_secret_never_leaves(copilot: Served) -> None:
    reply = send(copilot, "/v0/search", {"query": "token of the hive", "path": "Keys"})
    assert "[REDACTED:" in reply.data["results"][0]["chunk_text"]
    assert SECRET.encode() not in reply.body


@cases("named", ["My notes/Garden/Mites.md", "Garden/Mites.md", None])
def test_related_notes_are_found_by_any_name_of_a_note(copilot: Served, named: str | None) -> None:
    named = named or str(copilot.vault.root / "Garden" / "Mites.md")
    reply = send(copilot, "/v0/search/related", {"file_path": named, "limit": 5})
    assert reply.data.keys() == {"results", "file_path", "count", "execution_time_ms"}
    assert all(one.keys() == {"path", "score"} for one in reply.data["results"])
    found = paths(reply)
    assert "My notes/Bees.md" in found and len(set(found)) == len(found) and "My notes/Garden/Mites.md" not in found


def test_the_vault_is_the_one_folder(copilot: Served) -> None:
    root = str(copilot.vault.root)
    (entry,) = copilot.get("/v0/folder")["folders"]
    assert entry.keys() >= FOLDER and entry["path"] == root
    named = [copilot.ask(f"/v0/folder?path={quote(name)}").data for name in (root, "My notes")]
    assert named == [entry, entry]
    assert copilot.ask("/v0/folder?path=/elsewhere").status == 404
    assert send(copilot, "/v0/folder", {"path": root}).status == 409
    assert send(copilot, "/v0/folder", {"path": "/elsewhere"}).status == 400
    assert send(copilot, "/v0/folder", {"path": root}, "DELETE").status == 400
    assert send(copilot, "/v0/folder", {"path": "/elsewhere"}, "PATCH").status == 404
    assert copilot.get("/v0/health")["indexed_files"] == 3


def test_the_indexed_notes_are_listed_on_pages_the_latest_first(copilot: Served) -> None:
    listed = copilot.get("/v0/folder/files", folder_name="My notes")
    assert listed.keys() == {"files", "total"} and listed["total"] == len(listed["files"]) == 3
    assert all(one.keys() == FILE for one in listed["files"])
    oldest = listed["files"][-1]
    assert (oldest["path"], oldest["title"], oldest["mtime"]) == ("My notes/Garden/Mites.md", "Mites", 1_600_000_000)
    assert oldest["updated_at"].startswith("2020-09-13T12:26:40")
    assert copilot.get("/v0/folder/files", offset=2, limit=200) == {"files": [oldest], "total": 3}
    for asked in (
        {"title": "MITE"},
        {"file_path": "My notes/Garden/Mites.md"},
        {"folder_path": str(copilot.vault.root / "Garden")},
        {"mtime_before": 1_700_000_000_000},
    ):
        assert copilot.get("/v0/folder/files", **asked) == {"files": [oldest], "total": 1}
    assert copilot.get("/v0/folder/files", mtime_after=1_700_000_000, limit=0) == {"files": [], "total": 2}


def test_the_list_of_notes_follows_every_change(tmp_path: Path) -> None:
    from notewell.vault import Vault  # noqa: PLC0415

    for name, text in (("Bees.md", "The hive hums."), ("Rye.md", "Rye is tall.")):
        (tmp_path / name).write_text(text, "utf-8")
        os.utime(tmp_path / name, (1_600_000_000, 1_600_000_000))
    with Vault.open(tmp_path, {"embed.model": "words"}) as vault:
        vault.index()
        with serving(vault, mounts=mounts(vault)) as running:

            def listed() -> list[tuple[str, int]]:
                found = running.get("/v0/folder/files")["files"]
                return [(Path(one["path"]).name, one["mtime"]) for one in found]

            assert listed() == listed() == [("Bees.md", 1_600_000_000), ("Rye.md", 1_600_000_000)]
            (tmp_path / "Rye.md").write_text("Rye is taller.", "utf-8")
            os.utime(tmp_path / "Rye.md", (1_700_000_000, 1_700_000_000))
            (tmp_path / "Tin.md").write_text("A tin for bread.", "utf-8")
            os.utime(tmp_path / "Tin.md", (1_500_000_000, 1_500_000_000))
            vault.index()
            assert listed() == [("Rye.md", 1_700_000_000), ("Bees.md", 1_600_000_000), ("Tin.md", 1_500_000_000)]
            # Times alone, more often than once in a second.
            for seconds in (1_400_000_000, 1_400_000_001, 1_400_000_002):
                os.utime(tmp_path / "Tin.md", (seconds, seconds))
                vault.index()
                assert listed()[-1] == ("Tin.md", seconds)
            (tmp_path / "notewell.toml").write_text('[index]\nexclude = ["Rye.md"]\n', "utf-8")
            vault.freshness.reload()
            assert ("Rye.md", 1_700_000_000) not in listed()


def test_the_chunks_of_a_note_are_those_that_a_search_finds(copilot: Served) -> None:
    chunks = copilot.ask("/v0/folder/documents?path=My%20notes/Bees.md&folder_name=My%20notes").data["documents"]
    assert all(one.keys() >= DOCUMENT for one in chunks) and len(chunks) > 1
    assert [one["chunk_index"] for one in chunks] == list(range(len(chunks)))
    (found,) = send(copilot, "/v0/search", {"query": "hive", "path": "Bees", "limit": 1}).data["results"]
    assert chunks[found["chunk_index"]]["chunk_text"] == found["chunk_text"]
    assert copilot.ask("/v0/folder/documents?path=My%20notes/None.md").data == {"documents": []}
    (keys,) = copilot.ask("/v0/folder/documents?path=Keys.md").data["documents"]
    assert "[REDACTED:" in keys["chunk_text"] and SECRET not in keys["chunk_text"]


def test_a_name_has_one_spelling_whatever_the_disk_has(tmp_path: Path) -> None:
    from notewell.vault import Vault  # noqa: PLC0415

    root = tmp_path / "Ha\u0308user"
    root.mkdir()
    for name in (DECOMPOSED, "Bad.md"):
        (root / name).write_text(f"# {name}\n\nDie Spüle tropft.\n", "utf-8")
    with Vault.open(root, {"embed.model": "words"}) as vault:
        vault.index()
        with serving(vault, mounts=mounts(vault)) as running:
            asked = {"query": "Spüle", "folder_name": "Häuser", "folder_path": str(root)}
            assert set(paths(send(running, "/v0/search", asked))) == {"Häuser/Küche.md", "Häuser/Bad.md"}
            related = send(running, "/v0/search/related", {"file_path": "Häuser/Küche.md", "folder_name": "Häuser"})
            assert paths(related) == ["Häuser/Bad.md"]
            assert len(running.ask(f"/v0/folder/documents?path={quote('Häuser/Küche.md')}").data["documents"]) == 1
            assert running.get("/v0/folder/files", file_path="Häuser/Küche.md")["total"] == 1
            assert running.ask(f"/v0/folder?path={quote('Häuser')}").status == 200


@cases(
    "asked",
    [
        "files?folder_name=Another",
        "files?folder_path=/elsewhere",
        "files?file_path=../x",
        "files?limit=-1",
        "files?offset=x",
        "files?mtime_after=x",
        "files?order_by=size",
        "documents",
        "documents?path=/etc/passwd",
        "documents?path=a.md&folder_name=Another",
    ],
)
def test_what_cannot_be_listed_is_a_detail(copilot: Served, asked: str) -> None:
    reply = copilot.ask(f"/v0/folder/{asked}")
    assert reply.status == 400 and reply.data.keys() == {"detail"}


def test_a_scan_indexes_what_changed(copilot: Served) -> None:
    reply = send(copilot, "/v0/scan", {"path": "My notes", "force": True})
    assert (reply.status, reply.data) == (202, {"status": "started", "path": "My notes"})
    assert send(copilot, "/v0/scan", {"path": "/elsewhere"}).status == 404


def test_embeddings_have_the_form_of_openai(copilot: Served) -> None:
    reply = send(copilot, "/v1/embeddings", {"input": ["hive", "bread"]})
    assert reply.status == 200
    assert reply.data.keys() == {"object", "data", "model", "usage"}
    assert [(one["object"], one["index"]) for one in reply.data["data"]] == [("embedding", 0), ("embedding", 1)]
    first, second = (one["embedding"] for one in reply.data["data"])
    assert len(first) == len(second) and first != second
    one = send(copilot, "/v1/embeddings", {"input": "hive", "model": reply.data["model"]})
    assert one.data["data"][0]["embedding"] == first


@cases(
    ("path", "body", "status"),
    [
        ("/v0/search", {}, 400),
        ("/v0/search", {"query": " "}, 400),
        ("/v0/search", {"query": 5}, 400),
        ("/v0/search", {"query": "hive", "limit": 0}, 400),
        ("/v0/search", {"query": "hive", "folder_path": "/elsewhere"}, 400),
        ("/v0/search", {"query": "hive", "folder_path": "../elsewhere"}, 400),
        ("/v0/search", {"query": "hive", "folder_name": "Another"}, 400),
        ("/v0/search", {"query": "hive", "folder_name": "Garden"}, 400),
        ("/v0/search", {"query": "hive", "filters": [{"field": "mtime"}]}, 400),
        ("/v0/search", {"query": "hive", "filters": [{"field": "rating", "gte": 3}]}, 400),
        ("/v0/search", {"query": "hive", "filters": [{"field": "mtime", "gte": 10**400}]}, 400),
        ("/v0/search", {"query": "hive", "filters": "x"}, 400),
        ("/v0/search", b"{", 400),
        ("/v0/search", b"[]", 400),
        ("/v0/search/related", {}, 400),
        ("/v0/search/related", {"file_path": "My notes/Nowhere.md"}, 404),
        ("/v0/search/related", {"file_path": "/etc/passwd"}, 400),
        ("/v0/search/related", {"file_path": "My notes/../../etc/passwd"}, 400),
        ("/v0/scan", {}, 400),
        ("/v1/embeddings", {}, 400),
        ("/v1/embeddings", {"input": [1]}, 400),
        ("/v1/embeddings", {"input": ["x"] * 257}, 400),
        ("/v1/embeddings", {"input": "x", "model": "another"}, 400),
        ("/v0/nothing", {}, 404),
    ],
)
def test_an_error_is_a_detail(copilot: Served, path: str, body: Any, status: int) -> None:
    reply = send(copilot, path, body)
    assert reply.status == status, reply.body
    assert reply.data.keys() == {"detail"} and isinstance(reply.data["detail"], str)


def test_the_guard_is_in_front(copilot: Served) -> None:
    body = json.dumps({"query": "hive"}).encode()
    for headers, status in (({"Origin": "app://obsidian.md"}, 403), ({"Host": "evil.example"}, 421)):
        reply = copilot.ask("/v0/search", headers, method="POST", body=body)
        assert reply.status == status and reply.data.keys() == {"detail"}
    assert send(copilot, "/v1/embeddings", {"input": "x" * 2_000_000}).data.keys() == {"detail"}
    assert copilot.ask("/search?text=hive", {"Host": "evil.example"}).data.keys() == {"error", "hint"}


def test_the_routes_are_off_until_the_users_own_settings_say_so(folder: Path, tmp_path: Path) -> None:
    from notewell.errors import SettingsError  # noqa: PLC0415
    from notewell.vault import Vault  # noqa: PLC0415

    with Vault.open(folder) as vault:
        assert vault.settings.serve.copilot is False
        with serving(vault) as running:
            assert running.ask("/v0/health").status == 404
    with Vault.open(folder, {"serve.copilot": True}) as vault, serving(vault, mounts=mounts(vault)) as running:
        health = running.get("/v0/health")
        assert (health["status"], health["indexed_files"]) == ("degraded", 0), "a vault that was never indexed"
    with (folder / "notewell.toml").open("a", encoding="utf-8") as settings:
        settings.write("\n[serve]\ncopilot = true\n")
    with pytest.raises(SettingsError, match=r"serve\.copilot"):
        Vault.open(folder)
