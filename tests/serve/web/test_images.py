from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cases import cases
from tests.vaults import opened

from notewell import Vault
from notewell.errors import NoteError
from notewell.serve.web import images
from notewell.serve.web.images import image_response

from ..serving import Served, serving

PNG = b"\x89PNG\r\n\x1a\n" + b"pixels"
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    root = tmp_path / "vault"
    for path in ("img/bee hive.png", "private/x.png", ".hidden/x.png", "img/.x.png", "note.md", "x.html", "x.png.exe"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(PNG)
    (root / "drawing.svg").write_bytes(SVG)
    (root / "note.md").write_text("# A note\n", encoding="utf-8")
    (tmp_path / "outside.png").write_bytes(PNG)
    (root / "link.png").symlink_to(tmp_path / "outside.png")
    (root / "to private.png").symlink_to(root / "private" / "x.png")
    (root / "to image.png").symlink_to(root / "img" / "bee hive.png")
    (root / "folder.png").mkdir()
    os.mkfifo(root / "pipe.png")
    with opened(root, {"index.exclude": ["private"]}) as vault:
        vault.index()
        yield vault


def test_an_image_of_the_vault_is_shown(vault: Vault) -> None:
    for path in ("img/bee hive.png", "to image.png"):
        response = image_response(vault, path)
        assert (response.body, response.media_type) == (PNG, "image/png")


@cases(
    "path",
    [
        "../outside.png",
        "img/../../outside.png",
        "img/../img/bee hive.png\0.png",
        "/etc/passwd",
        "{root}/img/bee hive.png",
        "//etc/x.png",
        "..\\outside.png",
        "~/x.png",
        "link.png",
        "to private.png",
        "private/x.png",
        "PRIVATE/../private/x.png",
        ".hidden/x.png",
        "img/.x.png",
        ".notewell/store.db",
        "note.md",
        "x.html",
        "x.png.exe",
        "folder.png",
        "pipe.png",
        "img",
        "",
        "gone.png",
        "a" * 5_000 + ".png",
    ],
)
def test_any_other_file_does_not_exist(vault: Vault, path: str) -> None:
    with pytest.raises(NoteError, match="There is no image"):
        image_response(vault, path.format(root=vault.root))


def test_a_huge_file_is_not_shown(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "LARGEST", 5)
    with pytest.raises(NoteError, match="There is no image"):
        image_response(vault, "img/bee hive.png")


@pytest.fixture
def served(vault: Vault) -> Iterator[Served]:
    with serving(vault) as running:
        yield running


def test_a_drawing_may_run_no_script_even_if_it_is_opened_by_itself(served: Served) -> None:
    reply = served.ask("/file/drawing.svg")
    assert (reply.status, reply.body, reply.headers["content-type"]) == (200, SVG, "image/svg+xml")
    assert "sandbox" in reply.headers["content-security-policy"]
    assert "default-src 'none'" in reply.headers["content-security-policy"]
    assert reply.headers["x-content-type-options"] == "nosniff"


@cases(
    "path",
    [
        "/file/../outside.png",
        "/file/%2e%2e/outside.png",
        "/file/..%2foutside.png",
        "/file/img%2f..%2f..%2foutside.png",
        "/file/%2fetc%2fpasswd",
        "/file//etc/passwd",
        "/file/%00.png",
        "/file/link.png",
        "/file/pipe.png",
        "/file/%ff%fe.png",
    ],
)
def test_no_way_of_writing_a_path_leads_out_of_the_vault(served: Served, path: str) -> None:
    reply = served.ask(path)
    assert reply.status in (400, 404)
    assert PNG not in reply.body


def test_an_image_with_a_secret_is_not_shown(tmp_path: Path) -> None:
    secret = "hunter2" + "Zq9!xLmTT"
    (tmp_path / "plan.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><text>A plan</text></svg>")
    (tmp_path / "bad.svg").write_text(f"<svg xmlns='http://www.w3.org/2000/svg'><text>password: {secret}</text></svg>")
    with Vault.open(tmp_path, {"embed.model": "words"}) as vault:
        assert image_response(vault, "plan.svg").status_code == 200
        with pytest.raises(NoteError):
            image_response(vault, "bad.svg")
