"""Where the secrets of a vault are: every file is read and scanned, nothing is stored, and no secret is shown."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from notewell.errors import NoteError
from notewell.files.formats import BY_SUFFIX, TEXT, format_of
from notewell.files.safe_open import path_without_links
from notewell.files.survey import WalkRules
from notewell.frozen import frozen
from notewell.index.place import found_at, path_inside
from notewell.index.readers import load
from notewell.index.readers.sandbox import Extraction
from notewell.index.report import Progress, Reason
from notewell.index.walk import VaultFile, walk
from notewell.redact import names_secret, redact_path, redact_text, stand_ins
from notewell.types.note import place_of


@frozen
class Secret:
    """Where a secret is, and of which kind; never the secret itself."""

    path: str
    """The file."""
    line: int
    """The line; 0 if the secret is in the file's name."""
    rule: str
    """The rule that found it."""
    place: str = ""
    """The page, slide or other part it is in, if the file has parts."""


@frozen
class SecretReport:
    """The secrets of a vault's files."""

    files: int
    """How many files were scanned."""
    secrets: tuple[Secret, ...]
    """Where the secrets are."""
    skipped: tuple[Reason, ...]
    """Files that could not be read."""


def files_at(root: Path, rules: WalkRules, paths: Sequence[str]) -> list[VaultFile]:
    """Return the files at these paths, each a file or a folder of the vault; without paths, all notes."""
    if not paths:
        return walk(root, rules, BY_SUFFIX)
    found: dict[str, VaultFile] = {}
    for path in paths:
        if os.path.isdir(root / path) and path_without_links(root, path) is not None:  # noqa: PTH112
            below = walk(root, replace(rules, include=(path,)), BY_SUFFIX)
        else:
            below = [found_at(root, path_inside(root, path))]
        found |= {one.path: one for one in below}
    return list(found.values())


def find_secrets(root: Path, files: Sequence[VaultFile], rules: WalkRules, progress: Progress) -> SecretReport:
    """Return where the secrets of these files are."""
    scanned = 0
    secrets: list[Secret] = []
    skipped: list[Reason] = []
    with Extraction(rules.max_seconds) as extraction:
        for found in files:
            if progress.stop():
                break
            secrets += _secrets_in_name(found)
            try:
                secrets += _secrets_in_text(root, found, rules, extraction)
            except NoteError as error:
                # A picture that was named along with notes is not one of them; a folder that cannot be listed counts.
                if found.closed or format_of(found.path):
                    skipped.append(Reason(redact_path(found.path), found.flaw or error.fact))
            scanned += 1
            progress.tell(scanned, len(files))
    return SecretReport(scanned, tuple(secrets), tuple(skipped))


def _secrets_in_name(found: VaultFile) -> Iterator[Secret]:
    if rule := names_secret(found.path):
        yield Secret(redact_path(found.path), 0, rule)


def _secrets_in_text(root: Path, found: VaultFile, rules: WalkRules, extraction: Extraction) -> Iterator[Secret]:
    data, _ = load(root, found, rules)
    content = extraction.extract(format_of(found.path) or TEXT, data)
    shown = redact_path(found.path)
    if content.title not in content.text:
        yield from (Secret(shown, 1, redaction.rule) for redaction in redact_text(content.title, alone=False)[1])
    redactions = ((redaction.line, redaction.rule) for redaction in redact_text(content.text)[1])
    for line, rule in sorted([*redactions, *_removed_by_reader(content.text, data)]):
        yield Secret(shown, line, rule, place_of(content.parts, line, line))


def _removed_by_reader(text: str, data: bytes) -> Iterator[tuple[int, str]]:
    """Yield the line and rule of each secret that a reader replaced before it joined or shortened texts."""
    for line, rule in stand_ins(text):
        if f"[REDACTED:{rule}]".encode() not in data:
            yield line, rule


def find_leaks(texts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield a sentence for each stored text in which today's rules find a secret."""
    for place, text in texts:
        _, redactions = redact_text(text, alone=False)
        yield from (f"{place} holds a secret ({redaction.rule})" for redaction in redactions)
