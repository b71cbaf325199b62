"""Intake: signals are scored, and become notes, wait in the review queue, or are dropped; every decision is logged."""

from __future__ import annotations

import os
import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import datetime

from notewell.config.sections import IntakeSettings
from notewell.config.settings import Settings
from notewell.curate.duplicates import text_of
from notewell.curate.intake_log import Decision, IntakeLog, Verdict, timestamp
from notewell.curate.intake_page import file_names, page_of
from notewell.curate.journal import Change, Entry, Journal, create, digest, trash
from notewell.curate.neighbours import Neighbour
from notewell.curate.notes import allowed_folders, checked_path, is_below, own_files, read_note
from notewell.curate.queues import Queues
from notewell.curate.renames import half_done
from notewell.curate.review import intake_proposal
from notewell.curate.scoring import Judge, Scored
from notewell.curate.signals import Signal, bare_url, web_address, words_in
from notewell.curate.sources import Read
from notewell.errors import CurateError, NoteError, SettingsError
from notewell.frozen import frozen
from notewell.index import Progress
from notewell.index.report import Reason
from notewell.memory.near import distinctive_terms, overlap, same_words
from notewell.store import Snapshot
from notewell.types.notices import Notice
from notewell.vault import Vault

DOING = "intake"
# Signals of one run; more are a mistake, or an archive, which takes several runs.
MOST = 2_000
# The share of telling words that two texts have in common if they say nearly the same.
SAME_WORDS = 0.8
# A text with fewer telling words is the same only word for word.
FEWEST_WORDS = 30


@frozen
class Intake:
    """What `intake` did, or would do."""

    decisions: tuple[Decision, ...]
    """The decisions, in the order of the signals."""
    applied: bool
    """Whether anything was written."""
    seen: int = 0
    """Signals that were decided before; `--again` decides them anew, unless they are notes."""
    feeds: tuple[str, ...] = ()
    """Addresses of feeds that were not fetched."""
    left: tuple[Reason, ...] = ()
    """What could not be read, and why."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""


@frozen
class Target:
    """The folders that new notes may go to, and the names taken there."""

    vault: Vault
    folders: tuple[str, ...]
    taken: set[str] = field(default_factory=set)

    def path_for(self, signal: Signal, near: Sequence[Neighbour]) -> tuple[str, str]:
        """Return the path of a signal's note, and the reason of its folder."""
        votes: Counter[str] = Counter()
        for one in near:
            inside = [folder for folder in self.folders if is_below(one.path, (folder,))]
            if inside:
                votes[max(inside, key=len)] += round(1_000 * one.similarity**2)
        folder = votes.most_common(1)[0][0] if votes else self.folders[0]
        why = f"most like notes in {folder or 'the root'}" if votes else f"{folder or 'the root'} is for all others"
        path = next(name for name in file_names(signal, folder) if self._is_free(name))
        self.taken.add(path.casefold())
        return path, why

    def _is_free(self, path: str) -> bool:
        return path.casefold() not in self.taken and not os.path.lexists(self.vault.root / path)


def target_folders(vault: Vault) -> tuple[str, ...]:
    """Return the folders for new notes: those of the settings, those of the domains, or the inbox."""
    settings: Settings = vault.settings
    allowed = allowed_folders(vault.root, settings)
    domains = [domain.home for domain in vault.settings_files.domains if domain.home]
    named = [*settings.intake.folders] or [home for home in domains if is_below(home, allowed)]
    named = [*map(_folder, named or [posixpath.join(allowed[0], settings.intake.inbox)])]
    for folder in named:
        if not is_below(folder, allowed) or any(part.startswith(".") for part in folder.split("/")):
            raise SettingsError(
                f"Intake would write notes to {folder}, which curate.folders does not name",
                "Name it there, or change intake.folders or intake.inbox",
            )
    return tuple(named)


def _folder(named: str) -> str:
    try:
        return checked_path(named)
    except CurateError as error:
        raise SettingsError(
            f"Intake would write notes to '{named[:200]}', which is not a folder of this vault",
            "Write the path of a folder from the vault's root in intake.folders or intake.inbox",
        ) from error


def take_in(
    vault: Vault, read: Read, *, again: bool = False, dry_run: bool = False, progress: Progress | None = None
) -> Intake:
    """Score signals, and add, queue or drop each; a dry run writes nothing."""
    vault.reread()
    _check_rules(vault.settings.intake)
    folders, progress = target_folders(vault), progress or Progress()
    if len(read.signals) > MOST:
        raise CurateError(f"These are {len(read.signals):,} signals; {MOST:,} at most are read at once", "Split them")
    journal = Journal(vault.root)
    log = IntakeLog(journal.folder)
    with journal.alone() as unfinished:
        _settle(vault, journal, log)
        if journal.recovered and vault.indexed:
            # The index may have notes that are gone again, of which signals would be duplicates.
            vault.refresh()
        known, every = _known(vault, log, again=again), [*_each_once(read.signals)]
        fresh = [one for one in every if one.id not in known or _says_more(one, known[one.id], log)]
        now = timestamp()
        decided = [*_decide(vault, fresh, Target(vault, folders), log, now, progress)]
        decisions = tuple(decision for decision, _ in decided)
        if not dry_run:
            _write(vault, journal, log, decided)
    added = any(one.verdict == "added" for one in decisions) and not dry_run
    notices = vault.refresh() if added and vault.indexed else ()
    return Intake(
        decisions,
        applied=bool(decisions) and not dry_run,
        seen=len(every) - len(fresh),
        feeds=tuple(read.feeds),
        left=(*half_done(unfinished), *read.left, *_unnamed(read.signals)),
        notices=notices,
    )


def _check_rules(rules: IntakeSettings) -> None:
    """Raise an error for settings by which every signal is dropped, or none can wait in the queue."""
    if rules.review > rules.accept:
        raise SettingsError(
            f"intake.review ({rules.review:g}) is above intake.accept ({rules.accept:g}) in notewell.toml",
            "Signals between the two wait in the review queue: lower `review`",
        )
    if not any(rules.weights.values()):
        raise SettingsError("All weights of intake in notewell.toml are 0", f"Raise one of {', '.join(rules.weights)}")


def _each_once(signals: Iterable[Signal]) -> Iterator[Signal]:
    """Yield each signal once; an address alone is called by the words in it, and one without words is left out."""
    seen: set[str] = set()
    for one in signals:
        if one.id not in seen and (title := one.title or one.text or " ".join(words_in(one.url))):
            seen.add(one.id)
            yield one if one.title or one.text else replace(one, title=title)


def _unnamed(signals: Iterable[Signal]) -> Iterator[Reason]:
    for one in signals:
        if one.url and not (one.title or one.text or any(words_in(one.url))):
            yield Reason(one.url, "nothing is known of its page: it was not fetched, and the address has no words")


def _known(vault: Vault, log: IntakeLog, *, again: bool) -> dict[str, Decision]:
    """Return the decisions that stand; if signals are decided `again`, those whose notes are there."""

    def is_note(one: Decision) -> bool:
        became = one.later == "accepted" or (one.verdict == "added" and not one.later)
        return became and os.path.lexists(vault.root / one.path)

    return {key: one for key, one in log.decisions().items() if not again or is_note(one)}


def _says_more(signal: Signal, known: Decision, log: IntakeLog) -> bool:
    """Tell whether a signal has a text by now, and was an address alone when it was decided."""
    if not signal.text or known.later or known.verdict not in ("queued", "dropped"):
        return False
    before = log.held(signal.id)
    return before is not None and not before.text


def judge_of(vault: Vault, snapshot: Snapshot, log: IntakeLog) -> Judge:
    """Return a judge that scores signals by one state of a vault."""
    hosts: dict[str, tuple[int, int]] = {}
    for one in log.decisions().values():
        if one.later and (host := Signal("", url=one.url).host):
            kept, every = hosts.get(host, (0, 0))
            hosts[host] = kept + (one.later == "accepted"), every + 1
    embedder = vault.models.embedder if snapshot.state.made_for.dimensions else None
    return Judge(snapshot, embedder, vault.settings.chunk, hosts, own_files(vault))


def _decide(
    vault: Vault, signals: Sequence[Signal], target: Target, log: IntakeLog, now: str, progress: Progress
) -> Iterator[tuple[Decision, Signal]]:
    texts: set[str] = set()
    with vault.shown.answering() as snapshot:
        judge = judge_of(vault, snapshot, log) if signals else None
        for number, signal in enumerate(signals):
            progress.tell(number, len(signals))
            if progress.stop() or judge is None:
                return
            scored = judge.score(signal)
            same = _duplicate(scored, judge, snapshot)
            if signal.text and same_words(signal.text) in texts:
                same = "another signal of this run says the same"
            texts.add(same_words(signal.text))
            yield _decision(scored, same, target, vault.settings.intake, now), signal


def _decision(scored: Scored, same: str, target: Target, rules: IntakeSettings, now: str) -> Decision:
    signal, total = scored.signal, scored.scores.total(rules.weights)
    path, why = "", same
    verdict: Verdict = "duplicate"
    if not same:
        verdict = "added" if total >= rules.accept else "queued" if total >= rules.review else "dropped"
        if verdict == "added" and not signal.text:
            # An address alone says too little to become a note by itself.
            verdict = "queued"
        limits = f"{rules.review:.2f} and {rules.accept:.2f}"
        why = f"{total:.2f}, with limits of {limits}"
    if verdict in ("added", "queued"):
        path, folder = target.path_for(signal, scored.near)
        why = f"{why}; {folder}"
    told = signal.title, signal.url, signal.source
    return Decision(signal.id, now, verdict, round(total, 3), *told, path, why, scored.scores)


def _duplicate(scored: Scored, judge: Judge, snapshot: Snapshot) -> str:
    """Return which note says nearly the same; empty if none does."""
    signal = scored.signal
    if signal.url and bare_url(signal.url) in judge.addresses:
        return "a note has this address already"
    words, same = distinctive_terms(signal.text), same_words(signal.text)
    for one in scored.near[:3] if signal.text else ():
        other = text_of(one.path, snapshot)
        alike = overlap(words, distinctive_terms(other)) if len(words) >= FEWEST_WORDS else 0.0
        if alike >= SAME_WORDS or same in same_words(other):
            return f"{one.path} says nearly the same"
    return ""


def _write(vault: Vault, journal: Journal, log: IntakeLog, decided: Sequence[tuple[Decision, Signal]]) -> None:
    """Write notes, log and queue; after a kill between any two steps, the next run repairs it."""
    if not decided:
        return
    now = decided[0][0].at
    log.hold(signal for decision, signal in decided if decision.verdict in ("queued", "dropped"))
    log.expect(decision for decision, _ in decided)
    changes = [
        create(one.path, page_of(signal, datetime.fromisoformat(now), one.total))
        for one, signal in decided
        if one.verdict == "added"
    ]
    if changes:
        journal.apply(f"{DOING} {now}", changes)
    log.settle(is_done=True)
    queued = [intake_proposal(one) for one, _ in decided if one.verdict == "queued"]
    if queued:
        Queues(vault).add(queued)


def _settle(vault: Vault, journal: Journal, log: IntakeLog) -> None:
    """Log what a killed run wrote or took back, and forget what it only began."""
    log.settle_undo(lambda path: not os.path.lexists(vault.root / path))
    kept = log.pending()
    if kept:
        needs_notes = any(one.verdict == "added" for one in kept)
        wrote = any(entry.doing == f"{DOING} {kept[0].at}" for entry in journal.history())
        log.settle(is_done=wrote or not needs_notes)


@contextmanager
def _settled(vault: Vault) -> Iterator[tuple[Journal, IntakeLog, Sequence[str]]]:
    vault.reread()
    journal = Journal(vault.root)
    log = IntakeLog(journal.folder)
    with journal.alone() as unfinished:
        _settle(vault, journal, log)
        yield journal, log, unfinished


def read_log(vault: Vault) -> tuple[Decision, ...]:
    """Return all decisions, the newest first."""
    return tuple(reversed([*IntakeLog(Journal(vault.root).folder).decisions().values()]))


def explain(vault: Vault, asked: str) -> Decision:
    """Return the decision on a signal, named by its id, its address, its title or its note."""
    wanted = asked.strip()
    if not wanted:
        raise CurateError("No signal is named", "`notewell intake log` lists them with their ids")
    page = bare_url(wanted) if web_address(wanted) else None
    matches = [
        one
        for one in read_log(vault)
        if wanted in (one.id, one.path, one.title) or (page and bare_url(one.url) == page)
    ]
    if not matches:
        raise CurateError(f"No signal is called '{wanted[:80]}'", "`notewell intake log` lists them with their ids")
    return matches[0]


def undo(vault: Vault, asked: str | None = None) -> Intake:
    """Reverse the last run, or one decision: a note moves to the trash, what was dropped moves to the review queue."""
    allowed_folders(vault.root, vault.settings)
    with _settled(vault) as (journal, log, unfinished):
        if asked is not None:
            reversed_ = [_undo_one(vault, journal, log, explain(vault, asked))]
        else:
            entry = next((entry for entry in journal.history() if entry.doing.startswith(f"{DOING} ")), None)
            if entry is None:
                raise CurateError("There is no intake to undo", "Only the last runs on this machine can be undone")
            paths = {change.path for change in entry.changes}
            reversed_ = [
                one
                for one in log.decisions().values()
                if one.verdict == "added" and not one.later and one.path in paths
            ]
            with log.undoing([one.id for one in reversed_], "undone"):
                journal.undo(entry)
    notices = vault.refresh() if vault.indexed else ()
    made = tuple(log.decisions()[one.id] for one in reversed_)
    return Intake(made, applied=True, left=half_done(unfinished), notices=notices)


def _undo_one(vault: Vault, journal: Journal, log: IntakeLog, one: Decision) -> Decision:
    if one.later:
        raise CurateError(f"“{one.title}” was {one.later} already", "Change the note, or the queue, by hand")
    if one.verdict == "added":
        change = _trash_of(vault, journal.history(), one)
        with log.undoing([one.id], "undone"):
            journal.apply(f"undo: {DOING}", [change])
    elif one.verdict == "queued":
        log.mark([one.id], "undone")
        Queues(vault).drop(one.id)
    else:
        _queue_anyway(vault, log, one)
    return one


def _trash_of(vault: Vault, history: Sequence[Entry], one: Decision) -> Change:
    """Return the change that moves a note of intake to the trash; one that was edited since is an error."""
    written = {change.after for entry in history for change in entry.changes if change.path == one.path}
    try:
        data = read_note(vault.root, one.path, vault.settings.index.max_bytes).data
    except NoteError as error:
        raise CurateError(f"{one.path}: {error.fact}", "Nothing was undone") from error
    if digest(data) not in written:
        raise CurateError(f"{one.path} was edited since, so nothing was undone", "Delete it by hand")
    return trash(one.path, data)


def _queue_anyway(vault: Vault, log: IntakeLog, one: Decision) -> None:
    """Put a signal that was dropped into the review queue."""
    signal = log.held(one.id)
    if signal is None:
        raise CurateError(f"The text of “{one.title}” was not kept", "Run intake on its source again, with --again")
    target = Target(vault, target_folders(vault))
    path, why = target.path_for(signal, ())
    new = replace(one, at=timestamp(), verdict="queued", path=path, why=f"you took it back; {why}", later="")
    log.add([new])
    Queues(vault).add([intake_proposal(new)])
