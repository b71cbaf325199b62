"""The work of a worker process: prepare and embed one group of notes, if its Notewell is the same as the caller's."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.metadata import version

import numpy as np

from notewell.embed import Embedder, EmbedRules, check_length, load_embedder
from notewell.errors import NotewellError
from notewell.frozen import frozen
from notewell.index.prepare import Job, Outcome, Source, prepare, without_text
from notewell.index.readers.sandbox import Extraction


@frozen
class Task:
    """The settings that all groups of a run share, and the requirements for a worker."""

    source: Source
    embed: EmbedRules | None
    """The embedding model; None if this run embeds nothing, or asks a server, which only the first process does."""
    embedder: str
    """The model's fingerprint: another model's vectors must not get among those of the store."""
    dimensions: int
    versions: str


def versions(source: Source) -> str:
    """Return the versions that must agree everywhere: Python, Notewell, and its rules for reading and redacting."""
    return f"Python {sys.version_info[0]}.{sys.version_info[1]}, Notewell {version('notewell')}, recipe {source.recipe}"


def why_unfit(task: Task) -> str:
    """Return why this process cannot do the task; an empty text if it can."""
    if (mine := versions(task.source)) != task.versions:
        return _difference(mine, task.versions)
    if not task.source.root.is_dir():
        return f"it has no folder {task.source.root}"
    try:
        mine = _embedder(task.embed).fingerprint if task.embed else task.embedder
    except NotewellError as error:
        return error.fact
    return "" if mine == task.embedder else f"its embedding model is {mine}, not {task.embedder}"


def _difference(mine: str, wanted: str) -> str:
    """Return the first part in which two texts of `versions` differ.

    >>> _difference("Python 3.11, Notewell 0.1", "Python 3.12, Notewell 0.1")
    'it has Python 3.11, not Python 3.12'
    """
    pairs = zip(mine.split(", ", 2), wanted.split(", ", 2), strict=False)
    have, want = next(((have, want) for have, want in pairs if have != want), (mine, wanted))
    return "its rules for reading notes differ" if have.startswith("recipe") else f"it has {have}, not {want}"


def prepare_group(task: Task, jobs: Sequence[Job]) -> list[Outcome] | str:
    """Return the group, prepared and embedded, or why this worker cannot do it: it may have joined since the start."""
    if reason := _checked(task):
        return reason
    extraction = _extraction(task.source.walk.max_seconds)
    outcomes = [without_text(prepare(*job, task.source, extraction)) for job in jobs]
    return _embedded(outcomes, task) if task.embed else outcomes


def _embedded(outcomes: list[Outcome], task: Task) -> list[Outcome]:
    """Return the outcomes with the vectors of all their chunks."""
    assert task.embed is not None
    embedder = _embedder(task.embed)
    if not (texts := [chunk.meaning for outcome in outcomes for chunk in outcome.chunks]):
        return outcomes
    vectors = check_length(embedder.embed(texts), task.dimensions, embedder)
    ends = np.cumsum([len(outcome.chunks) for outcome in outcomes])
    return [replace(one, vectors=part) for one, part in zip(outcomes, np.split(vectors, ends[:-1]), strict=True)]


@cache
def _checked(task: Task) -> str:
    return why_unfit(task)


@cache
def _embedder(rules: EmbedRules) -> Embedder:
    return load_embedder(rules)


@cache
def _extraction(max_seconds: int) -> Extraction:
    # Its process ends with this one: it reads from a pipe.
    return Extraction(max_seconds)


def dask_setup(worker: object) -> None:
    """Leave Ctrl-C to the process that started this one; dask calls this when a worker begins."""
    if threading.current_thread() is threading.main_thread():
        with suppress(ValueError):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
