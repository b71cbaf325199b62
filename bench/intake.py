"""What enters a vault: notes that were taken out of it belong, pages of other vaults do not; and into which folder."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

from bench.child import Measured, say
from bench.vaults import find_archives, make_vault
from notewell import Vault
from notewell.config.sections import IntakeSettings
from notewell.curate.intake import Target
from notewell.curate.neighbours import embedded, neighbours, subject_of
from notewell.curate.scoring import NEAREST, Judge, Scores, chunked
from notewell.curate.signals import make_signal
from notewell.index.shapes.front_matter import split_front_matter

# Each vault with its archive, and the part of it that is one vault. kepano-obsidian has one note that is long enough.
VAULTS: Mapping[str, tuple[str, str]] = {
    "zettelkasten": ("zettelkasten-13419", "content"),
    "Obsidian's help": ("obsidian-help", "en"),
    "til": ("docs-16894", "til"),
    "Azure SQL": ("docs-16894", "azure-sql"),
}
# Signals of each vault: at most so many, and at most a fifth of its notes.
DRAWN = 100
# As many folders as a vault with many has for new notes, and notes that are sorted into them.
FOLDERS, SORTED = 12, 300
# Not the seed on which weights and scales were chosen, which was 5.
SEED = 20261119
# A shorter file is a list of links or a heading.
SHORTEST = 300
SETTINGS = {"embed.encoder": "off", "llm.model": "off"}


def measure_intake(folder: str) -> Measured:
    """Score the signals of every vault by every vault, and say how many belong of those that enter."""
    with tempfile.TemporaryDirectory(prefix="notewell-intake-") as name:
        work = Path(name)
        archives = find_archives(Path(folder), tuple(dict.fromkeys(archive for archive, _ in VAULTS.values())))
        whole = {name: make_vault(name, archive, work, 1).root for name, archive in archives.items()}
        roots = {vault: _part(whole[archive], part, work / vault) for vault, (archive, part) in VAULTS.items()}
        drawn = {vault: take_out(root) for vault, root in roots.items()}
        return {vault: _measure(vault, roots[vault], drawn) for vault in VAULTS}


def _part(root: Path, part: str, alone: Path) -> Path:
    """Move a part of a vault out of it, and return where it is."""
    next(root.rglob(part)).rename(alone)
    (alone / ".notewell").mkdir(exist_ok=True)
    return alone


def take_out(root: Path) -> list[tuple[str, str]]:
    """Remove a sample of notes from a vault, and return their titles and texts."""
    files = [file for file in sorted(root.rglob("*.md")) if file.stat().st_size >= SHORTEST]
    drawn = Random(SEED).sample(files, min(DRAWN, len(files) // 5))
    texts = [(file.stem, file.read_text("utf-8", "replace")) for file in drawn]
    for file in drawn:
        file.unlink()
    return [(title, text[split_front_matter(text)[1] :]) for title, text in texts]


def _measure(name: str, root: Path, drawn: Mapping[str, Sequence[tuple[str, str]]]) -> Measured:
    say(f"intake: {name}")
    with Vault.open(root, SETTINGS) as vault:
        vault.index()
        with vault.shown.answering() as snapshot:
            judge = Judge(snapshot, vault.models.embedder)
            scores = {
                other: [judge.score(make_signal(title, text)).scores for title, text in signals]
                for other, signals in drawn.items()
            }
        sorted_right = right_folders(vault)
    own = scores.pop(name)
    judgements = judged(own, [one for others in scores.values() for one in others], IntakeSettings())
    return judgements | {"right folder": sorted_right} if sorted_right else judgements


def right_folders(vault: Vault) -> float | None:
    """Return how many notes of the twelve largest folders go to their own; None if the vault has fewer folders."""
    files = [file for file in sorted(vault.root.glob("*/*.md")) if file.stat().st_size >= SHORTEST]
    counted = Counter(file.parent.name for file in files)
    folders = tuple(name for name, _ in counted.most_common(FOLDERS))
    if len(folders) < FOLDERS:
        return None
    inside = [file for file in files if file.parent.name in folders]
    drawn = Random(SEED).sample(inside, min(SORTED, len(inside)))
    return round(sum(_is_right(vault, file, folders) for file in drawn) / len(drawn), 3)


def _is_right(vault: Vault, file: Path, folders: tuple[str, ...]) -> bool:
    """Tell whether a note would go to the folder that it is in, if it were not there."""
    text = file.read_text("utf-8", "replace")
    signal = make_signal(file.stem, text[split_front_matter(text)[1] :])
    chunks = chunked(signal.title, signal.text, vault.settings.chunk)
    with vault.shown.answering() as snapshot:
        subject = subject_of(chunks, snapshot, embedded(chunks, vault.models.embedder))
        near = neighbours(subject, snapshot, (file.relative_to(vault.root).as_posix(),))[: 4 * NEAREST]
    path, _ = Target(vault, folders).path_for(signal, near)
    return path.rpartition("/")[0] == file.parent.name


def judged(own: Sequence[Scores], others: Sequence[Scores], rules: IntakeSettings) -> Measured:
    """Return precision and recall at both thresholds: of what becomes a note, and of what is not dropped."""
    weights = rules.weights

    def share(reached: Callable[[float], bool]) -> tuple[float, float]:
        right = sum(reached(one.total(weights)) for one in own)
        wrong = sum(reached(one.total(weights)) for one in others)
        # As if there were as many of both kinds.
        even = right / len(own) + wrong / len(others)
        return round(right / len(own) / even if even else 1.0, 3), round(right / len(own), 3)

    accept, kept = share(lambda total: total >= rules.accept), share(lambda total: total >= rules.review)
    return {
        "signals": len(own),
        "others": len(others),
        "note": {"precision": accept[0], "recall": accept[1]},
        "note or queue": {"precision": kept[0], "recall": kept[1]},
        "auroc": _auroc([one.total(weights) for one in own], [one.total(weights) for one in others]),
    }


def _auroc(own: Sequence[float], others: Sequence[float]) -> float:
    won = sum((one > other) + (one == other) / 2 for one in own for other in others)
    return round(won / (len(own) * len(others)), 3)
