"""What changed in a folder since it was indexed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from notewell.files.formats import BY_SUFFIX, is_sandboxed, suffix_of
from notewell.files.survey import WalkRules, survey
from notewell.frozen import frozen
from notewell.index.last_walk import LastWalk, digest_of
from notewell.index.walk import VaultFile, files_of, left_out, stamp_of, walk
from notewell.redact import names_secret, redact_path
from notewell.store import Files, Store
from notewell.types.note import Stamp

# A byte of a document takes about as long to read as this many bytes of text.
OF_DOCUMENT = 10


@frozen
class Changes:
    """The files to read (new, changed, or skipped before), and the paths that are gone."""

    read: tuple[VaultFile, ...]
    gone: tuple[str, ...]
    known: Mapping[str, Stamp]

    @property
    def work(self) -> int:
        """Return how much there is to read, in bytes of text; a byte of a document counts as several."""
        return sum(found.stamp.size * (OF_DOCUMENT if is_sandboxed(found.path) else 1) for found in self.read)

    def digest(self, path: str) -> str:
        """Return the digest the store has for a path, or nothing."""
        stamp = self.known.get(path)
        return stamp.digest if stamp else ""

    def __bool__(self) -> bool:
        return bool(self.read or self.gone)


NO_CHANGES = Changes((), (), {})


def find_changes(
    root: Path, rules: WalkRules, store: Store, *, again: bool = False, last: LastWalk | None = None
) -> Changes:
    """Compare the folder with the store by time and size; content is compared when a file is read.

    Files skipped before are read if they changed, and also if they should be tried `again`. If both are as in the
    `last` walk, no file is compared.
    """
    if last and last.foretells(root, rules, store.state, again=again):
        return NO_CHANGES
    walked = survey(root, rules, BY_SUFFIX)
    digest = digest_of(walked, rules, store.state)
    if last and last.is_same(digest, again=again):
        return NO_CHANGES
    changes, retries = _compare(files_of(walked), store.files(), again=again)
    if last and not changes:
        last.keep(digest, root, rules, retries=retries)
    return changes


def _compare(walked: Sequence[VaultFile], files: Files, *, again: bool) -> tuple[Changes, bool]:
    """Return what changed, and whether any file that was skipped is worth another try."""
    known, skipped = files
    unseen = {**known, **{path: skip.stamp for path, skip in skipped.items()}}
    retried = {path for path, skip in skipped.items() if skip.again}
    closed = tuple(f"{found.path}/" for found in walked if found.closed)
    to_read = []
    for found in _nameable(walked, known):
        stamp = unseen.pop(found.path, None)
        if stamp is None or not stamp.same_file(found.stamp) or (again and found.path in retried):
            to_read.append(found)
    gone = (path for path in unseen if not path.startswith(closed))
    return Changes(tuple(to_read), tuple(gone), known), bool(retried)


def change_of(root: Path, path: str, store: Store) -> Changes:
    """Return the change of one file: it has to be read, or is gone."""
    try:
        read: tuple[VaultFile, ...] = (VaultFile(path, stamp_of((root / path).stat())),)
    except FileNotFoundError:
        read = ()
    return Changes(read, () if read else (path,), store.files().notes)


def count_others(root: Path, rules: WalkRules) -> dict[str, int]:
    """Return how many files of the vault have an unknown format, by suffix, the most frequent first."""
    others = (found for found in walk(root, rules, BY_SUFFIX, others=True) if not found.closed)
    return dict(Counter(suffix_of(found.path) for found in others).most_common())


def list_others(root: Path, rules: WalkRules, store: Store, *, notes: bool = False) -> list[str]:
    """Return the files of the vault that are not notes: of other formats, not in an included folder, or skipped.

    With `notes`, those of other stores are among them, as files that links may lead to. What the settings exclude is
    left out, since links would tell whether it exists. So are names that contain a secret.
    """
    suffixes = () if rules.include or notes else BY_SUFFIX
    everywhere = rules.everywhere
    files = (found.path for found in walk(root, everywhere, suffixes, others=True) if not found.closed)
    skipped = store.files().skipped
    excluded = {*left_out(root, skipped, everywhere)} if rules.exclude else ()
    return [
        *(path for path in files if not names_secret(path)),
        *(path for path in skipped if path not in excluded),
    ]


def _nameable(files: Iterable[VaultFile], known: Container[str]) -> Iterator[VaultFile]:
    """Yield the files; a name that contains a secret is redacted, because names are stored and shown."""
    alike: Counter[str] = Counter()
    for found in files:
        if found.path not in known and (rule := names_secret(found.path)):
            shown = redact_path(found.path)
            alike[shown] += 1
            # A number distinguishes names that are the same without their secrets.
            shown += f" ({alike[shown]})" if alike[shown] > 1 else ""
            found = found._replace(path=shown, flaw=f"its name contains a secret ({rule})")
        yield found
