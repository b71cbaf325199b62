"""Nothing leaks: no secret of any kind, in any format or place, is in anything that is stored or printed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from random import Random

import pytest
from tests import trees
from tests.redact.made_up import Made, made_up

from notewell import Vault
from notewell.files.formats import FORMATS
from notewell.index.readers.sandbox import Extraction
from notewell.redact import all_rules

Run = Callable[..., str]

MAKERS: dict[str, trees.Maker] = {
    ".md": trees.markdown,
    ".txt": trees.plain,
    ".org": trees.plain,
    ".rst": trees.plain,
    ".adoc": trees.plain,
    ".py": trees.commented,
    ".csv": trees.table,
    ".json": trees.json_file,
    ".jsonl": trees.json_lines,
    ".yaml": trees.yaml_file,
    ".ipynb": trees.notebook,
    ".canvas": trees.canvas,
    ".pdf": trees.pdf,
    ".docx": trees.docx,
    ".pptx": trees.pptx,
    ".xlsx": trees.xlsx,
    ".html": trees.html,
    ".epub": trees.epub,
}
# More than one way to write the same format.
OTHERS: dict[str, trees.Maker] = {
    "minified.json": trees.minified_json,
    "conversations.json": trees.claude_export,
    "board.excalidraw": trees.drawing,
}


# In most formats nothing has a line for itself.
RULES = [rule for rule in all_rules() if not rule.alone]


def examples(seed: int) -> list[Made]:
    # By rule, so that a new rule does not change the secrets of the others.
    return [made_up(rule, Random(f"{rule.name} {seed}")) for rule in RULES]


def traces(secrets: list[Made]) -> Iterator[str]:
    """Yield what may be found nowhere: every secret, and each line of those that have several."""
    for made in secrets:
        lines = [line for line in made.secret.splitlines() if len(line) > 20 and not line.startswith("-----")]
        yield from lines if "\n" in made.secret else [made.secret]


@pytest.fixture
def run(run_command: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in a folder, and return all that it printed."""
    monkeypatch.setenv("NOTEWELL_EMBED_MODEL", "words")
    monkeypatch.setenv("NOTEWELL_EMBED_ENCODER", "off")

    def run(folder: Path, *arguments: str) -> str:
        _, out, err = run_command(folder, *arguments)
        return out + err

    return run


def leaks(secrets: list[Made], text: str) -> list[str]:
    # Reported by rule, so that a failing test does not print them either.
    named = {made.secret: rule.name for rule, made in zip(RULES, secrets, strict=True)}
    return sorted({name for secret, name in named.items() for trace in traces([Made("", secret)]) if trace in text})


def test_every_format_is_tried() -> None:
    assert set(MAKERS) >= {format.suffixes[0] for format in FORMATS}


def test_no_secret_of_any_kind_leaves_a_file_of_any_format(
    tmp_path: Path, stored: Callable[[Vault], str], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    makers = {**{f"note{suffix}": maker for suffix, maker in MAKERS.items()}, **OTHERS}
    # Different secrets in names of different lengths.
    secrets = {seed: examples(seed) for seed in {len(name) for name in makers}}
    for name, make in makers.items():
        (tmp_path / name).write_bytes(make([made.text for made in secrets[len(name)]]))
    said = run(tmp_path, "index", "--verbose")
    assert f"{len(makers)} notes" in said and "skipped" not in said
    with Vault.open(tmp_path, {"embed.model": "words", "embed.encoder": "off"}) as vault:
        files = b"".join(file.read_bytes() for file in vault.store_file.parent.iterdir())
        kept = stored(vault) + files.decode("latin-1")
    said += run(tmp_path, "search", "garden remark key token password secret", "-n", "200", "--explain")
    said += run(tmp_path, "search", "garden remark key token password secret", "-n", "200", "--json")
    said += run(tmp_path, "search", "garden", "-n", "50", "--max-tokens", "20000")
    said += run(tmp_path, "status") + run(tmp_path, "doctor") + run(tmp_path, "secrets", "--json")
    # One sandbox reads all documents, as in an index run; each command would start its own.
    with Extraction(60) as extraction:
        monkeypatch.setattr("notewell.index.place.Extraction", lambda _: nullcontext(extraction))
        shown = {name: run(tmp_path, "read", name, "--json") for name in makers}
    # How lines are printed does not depend on the format.
    shown["note.md"] += run(tmp_path, "read", "note.md") + run(tmp_path, "read", "note.md", "--raw")
    for seed, made in secrets.items():
        assert leaks(made, kept + said + "".join(text for name, text in shown.items() if len(name) == seed)) == []
    assert [name for name, text in shown.items() if "[REDACTED:" not in text] == []


def test_no_secret_leaves_the_front_matter(tmp_path: Path, stored: Callable[[Vault], str], run: Run) -> None:
    secrets = examples(seed=3)
    fields = "\n".join(f"key{number}: {json.dumps(made.text)}" for number, made in enumerate(secrets))
    (tmp_path / "a.md").write_text(f"---\ntitle: {json.dumps(secrets[0].text)}\n{fields}\n---\n\nThe garden in June.\n")
    said = run(tmp_path, "index", "--verbose") + run(tmp_path, "search", "garden", "--json")
    with Vault.open(tmp_path, {"embed.model": "words", "embed.encoder": "off"}) as vault:
        assert leaks(secrets, stored(vault) + said) == []


def test_no_secret_shows_by_decoding_links_and_front_matter(
    tmp_path: Path, stored: Callable[[Vault], str], run: Run
) -> None:
    secrets = [made for rule in all_rules() if rule.certain and (made := made_up(rule, Random(7))).secret.isascii()]
    secrets = [made for made in secrets if made.text == made.secret and made.secret.isprintable()]
    assert len(secrets) > 20
    in_links = "\n".join(f"[x]({quote_all(made.secret)}) [y](a.md#{quote_all(made.secret)})" for made in secrets)
    in_fields = "\n".join(f"  - {escape_all(made.secret)}" for made in secrets)
    one = secrets[0].secret
    fields = f"up: {escape_all(f'[[{one}]]')}\ntitle: {escape_all(one)}\naliases:\n{in_fields}"
    (tmp_path / "a.md").write_text(f"---\n{fields}\n---\n\nThe garden in June.\n\n{in_links}\n")
    said = run(tmp_path, "index", "--verbose") + run(tmp_path, "search", "garden", "--json")
    said += run(tmp_path, "links", "a.md", "--json") + run(tmp_path, "links", "--broken") + run(tmp_path, "doctor")
    assert "the front matter is not" not in said
    with Vault.open(tmp_path, {"embed.model": "words", "embed.encoder": "off"}) as vault:
        kept = stored(vault) + said
    assert [made.text[:6] for made in secrets if made.secret in kept] == []


def quote_all(text: str) -> str:
    return "".join(f"%{ord(sign):02X}" for sign in text)


def escape_all(text: str) -> str:
    """Return a text as YAML may write it, every character by its number."""
    return '"' + "".join(f"\\x{ord(sign):02x}" for sign in text) + '"'


def test_no_secret_in_a_file_name_is_stored_or_printed(
    tmp_path: Path, stored: Callable[[Vault], str], run: Run
) -> None:
    secrets = [
        made
        for rule in all_rules()
        if rule.certain and "/" not in (made := made_up(rule, Random(5))).text and len(made.text) < 200
    ]
    assert len(secrets) > 20
    for number, made in enumerate(secrets):
        (tmp_path / f"{number} {made.text}").mkdir()
        (tmp_path / f"{number} {made.text}" / "a.md").write_text("The garden in June is full of bees.\n")
        (tmp_path / f"{number} {made.text} b.md").write_text("The garden in June is full of bees.\n")
    said = run(tmp_path, "index", "--verbose") + run(tmp_path, "secrets") + run(tmp_path, "status")
    said += run(tmp_path, "search", "garden bees", "--json") + run(tmp_path, "index")
    with Vault.open(tmp_path, {"embed.model": "words", "embed.encoder": "off"}) as vault:
        kept = stored(vault) + said
    assert [made.text[:6] for made in secrets if made.secret in kept] == []


@pytest.mark.parametrize("limit", [200, 2000])
def test_no_cut_between_chunks_hides_half_a_secret(tmp_path: Path, limit: int, stored: Callable[[Vault], str]) -> None:
    chance = Random(limit)
    kinds = {rule.name: rule for rule in all_rules()}
    secrets = []
    for step in range(0, 2 * limit, limit // 20):
        kind = chance.choice(["github-token", "private-key", "jwt", "anthropic-key"])
        made = made_up(kinds[kind], chance)
        secrets.append(made)
        filler = ("word " * limit)[: limit - len(made.text) // 2 - 100 + step % 200]
        (tmp_path / f"{step}.md").write_text(f"# Garden\n\n{filler}\n{made.text}\n{filler}\n")
        (tmp_path / f"{step}.txt").write_text(f"{filler} {made.text} {filler}\n")
    with Vault.open(
        tmp_path, {"embed.model": "words", "embed.encoder": "off", "chunk.max_chars": limit, "chunk.overlap_words": 0}
    ) as vault:
        vault.index()
        kept = stored(vault)
    pieces = [trace[at : at + 16] for trace in traces(secrets) for at in range(0, max(1, len(trace) - 16), 8)]
    assert [piece[:4] for piece in pieces if len(piece) == 16 and piece in kept] == []
