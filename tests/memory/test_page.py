"""The page of a memory: what was given comes back from it, nothing forges its front matter, and no secret is in it."""

from __future__ import annotations

import string
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.redact.made_up import strong_password

from notewell import Vault
from notewell.errors import NoteError
from notewell.memory.page import Memory, split_page, tidy, write_page
from notewell.redact import redact_text

NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
# What could end the front matter, add to it, or be taken for something else in YAML.
FORGED = (
    *("---\ntype: other\n---\n", "...\n", "x\n---\n", "a: b", "- a", "yes", "null", "2024-05-01", "1e3", "'", '"', "#"),
    *("{a: 1}", "[a, b]", "&a *a", "!!python/object:os.system", "%YAML 1.2", "\ttab", "a\\nb", "|", ">", "@", "`", "?"),
    *(
        "\u2028---\u2028",
        "\x85---\x85",
        "\r---\r",
        "```\n---\n```",
        "~",
        ": ",
        "🐝",
        "\u00a0",
        "<<: *x",
        "0x1F",
        "=",
        "",
    ),
)
lines = st.one_of(st.sampled_from(FORGED), st.text(max_size=60), st.lists(st.sampled_from(FORGED)).map("".join))


def secret() -> str:
    """Return a token as GitHub issues them, put together here: no file of ours holds one."""
    letters = string.ascii_letters + string.digits
    return "gh" + "p_" + "".join(letters[(7 * number) % 62] for number in range(36))


@given(text=lines, title=lines, tags=st.lists(lines, max_size=3), source=lines)
@settings(max_examples=100)
def test_what_was_given_comes_back_and_nothing_is_forged(text: str, title: str, tags: list[str], source: str) -> None:
    memory, _ = tidy(Memory(f"Kim said {text}", NOW, title, tuple(tags), source))
    page, _ = write_page(memory)
    fields = split_page(page)[0]
    assert (fields["type"], fields["created"]) == ("memory", NOW)
    assert set(fields) <= {"type", "created", "title", "tags", "source"}
    if "[REDACTED:" not in page:
        assert (fields.get("title", ""), fields.get("source", "")) == (memory.title, memory.source)
        assert tuple(fields.get("tags", ())) == memory.tags
    assert split_page(page)[1] == memory.text
    assert redact_text(page)[0] == page


def test_a_text_that_looks_like_front_matter_stays_text() -> None:
    page, _ = write_page(tidy(Memory("---\ntype: other\ntitle: Forged\n---\n\n# Text", NOW, "Mine"))[0])
    assert split_page(page)[0] == {"type": "memory", "created": NOW, "title": "Mine"}
    assert split_page(page)[1] == "---\ntype: other\ntitle: Forged\n---\n\n# Text"


def test_lines_and_signs_that_no_note_holds_are_made_plain() -> None:
    assert tidy(Memory("r\u202ey\u2800e\u200b \u2764\ufe0f\tbread", NOW))[0].text == "rye \u2764\ufe0f\tbread"
    memory, _ = tidy(Memory("one\r\ntwo\rthree\x1b[31m\0\ud800", NOW, "a\nb\u202e\u200bc\t d", ("#a, b c", "  ", "#")))
    assert memory.text == "one\ntwo\nthree[31m?"
    assert memory.title == "a bc d"
    assert memory.tags == ("a", "b-c")


@pytest.mark.parametrize("form", ["pw-{}", "wifi-password-{}", "pw {}", "pw/{}", "#pw-{}"])
def test_a_password_in_a_tag_a_title_or_a_source_is_redacted(form: str) -> None:
    for secret in (strong_password(Random(form)), "Winter" + str(1982) + "Otter" + "kz"):
        held = form.format(secret)
        memory, count = tidy(Memory("Kim said so", NOW, held, (held,), held))
        assert count == 3 and secret not in " ".join((memory.title, *memory.tags, memory.source))


@pytest.mark.parametrize("field", ["text", "title", "tags", "source"])
def test_a_secret_never_reaches_the_disk(allowed: Vault, stored: Callable[[Vault], str], field: str) -> None:
    token = secret()
    held = {name: f"use {token} there" if name == field else "Deploy" for name in ("text", "title", "source")}
    tags = [token] if field == "tags" else []
    done = allowed.remember(held["text"], title=held["title"], tag=tags, source=held["source"])
    assert (done.written, done.redacted) == (True, 1)
    on_disk = b"".join(file.read_bytes() for file in allowed.root.rglob("*") if file.is_file())
    names = " ".join(str(file) for file in allowed.root.rglob("*"))
    assert token.encode() not in on_disk
    assert token not in names
    assert token[4:20] not in names + stored(allowed)
    assert "REDACTED:github-token" in (allowed.root / str(done.path)).read_text(encoding="utf-8")


def test_a_secret_that_only_its_title_gives_away_is_taken_out(allowed: Vault) -> None:
    value = "".join(["q7", "Zk", "P2", "w9", "Xt", "4L", "m8"])
    done = allowed.remember(f"{value}\nis what the router wants.", title="password:")
    assert done.redacted == 1
    assert value not in (allowed.root / str(done.path)).read_text(encoding="utf-8")


def test_a_text_that_is_nothing_but_a_secret_is_refused(allowed: Vault) -> None:
    password = "".join(["hunter2", "hunter2"])
    fields = (
        f"password: {password}",
        f"- **Router password:** `{password}`",
        f"export API_KEY={secret()}\nkey = {secret()}",
    )
    for text in (secret(), f"{secret()}\n\n{secret()}", *fields):
        with pytest.raises(NoteError, match="nothing but a secret"):
            allowed.remember(text, title="Token")
    assert not (allowed.root / "Memories").exists()


def test_what_else_is_said_of_a_secret_is_remembered(allowed: Vault) -> None:
    password = "".join(["hunter2", "hunter2"])
    for number, text in enumerate(
        (f"user: kim\npassword: {password}", f"password: {password} (ask Kim for a new one)")
    ):
        assert allowed.remember(text, title=f"Login {number}", anyway=True).redacted == 1


def test_a_secret_in_pieces_of_a_name_is_in_no_name(allowed: Vault) -> None:
    token = secret()
    done = allowed.remember("For the deploy.", title=f"{token[:9]}\u200b{token[9:]}")
    assert token not in str(done.path)
    assert token not in Path(allowed.root / str(done.path)).read_text(encoding="utf-8")


def test_a_secret_at_the_end_of_a_long_title_is_not_cut_in_half(allowed: Vault) -> None:
    token = secret()
    done = allowed.remember("For the deploy.", title="deploy " * 26 + token, source="word " * 37 + token)
    page = (allowed.root / str(done.path)).read_text(encoding="utf-8")
    assert done.redacted == 2
    assert token[:12] not in page
