"""The version of the rules, which decides whether a store is indexed again."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from random import Random

from tests.redact.made_up import HeldOut, made_up

import notewell.redact
from notewell.redact import all_rules, redact_text, rules_digest, sources_digest

FOLDER = Path(notewell.redact.__file__).parent
# What each version makes of the texts below; versions before the last are of no use here.
OUTPUTS = {"0503f255dd4e": "4c42fe2a1648"}


def outputs_digest() -> str:
    """Return a digest of the redaction of every held-out text and of made-up secrets of every kind."""
    held_out = HeldOut()
    texts = [held_out.made(form, Random(seed)).text for form in held_out.positives for seed in range(2)]
    texts += held_out.negatives
    texts += [made_up(rule, Random(f"{rule.name} {seed}")).text for rule in all_rules() for seed in range(5)]
    redacted = json.dumps([redact_text(text)[0] for text in texts])
    return hashlib.sha256(redacted.encode()).hexdigest()[:12]


def test_the_version_is_that_of_these_sources() -> None:
    sources = sources_digest(FOLDER)
    recorded = json.loads((FOLDER / "version.json").read_bytes())
    assert recorded["sources"] == sources, (
        f"redact/ has changed. In version.json set sources to {sources}; if any text may be redacted differently now, "
        f"set rules to {sources} as well: every store is then indexed again."
    )


def test_a_version_redacts_as_it_always_did() -> None:
    version = rules_digest()
    assert version in OUTPUTS, f"Add {version!r}: {outputs_digest()!r} to OUTPUTS"
    assert outputs_digest() == OUTPUTS[version], "Texts are redacted differently: change `rules` in version.json"


def test_any_change_of_any_source_is_another_version(tmp_path: Path) -> None:
    folder = shutil.copytree(FOLDER, tmp_path / "redact")
    sources = [*sorted(folder.glob("*.py")), folder / "rules.toml", folder / "vendors.json"]
    digests = {sources_digest(folder)}
    assert digests == {sources_digest(FOLDER)} and len(sources) > 6
    for source in sources:
        before = source.read_bytes()
        source.write_bytes(before.replace(b"a", b"b", 1))
        digests.add(sources_digest(folder))
        source.write_bytes(before)
    (folder / "more.py").touch()
    digests.add(sources_digest(folder))
    assert len(digests) == len(sources) + 2
