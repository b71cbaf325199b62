"""PostToolUse: the long output of a tool replaced by an extract of it; when in doubt, it stays as it is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notewell.extract import Extract, Keep, make_extract
from notewell.extract.command_table import LOG, MATCHES, SORTED, Kind, kind_of
from notewell.extract.data import is_data
from notewell.extract.noise import without_escapes
from notewell.files.user import clean_up, private_folder, write_private
from notewell.serve.hooks import Call
from notewell.serve.hooks.payload import Given, Nothing

if TYPE_CHECKING:
    from notewell.config.settings import HookSettings

FOLDER = "outputs"
# Full outputs are for the hour in which they are read; so many at most.
OLD, MOST = 86_400.0, 200
# Redacting more takes longer than a hook has.
LARGEST = 400_000
# Marks of a command that did not just run and end: what it did is Claude Code's to tell.
UNUSUAL = (
    "interrupted",
    "isImage",
    "backgroundTaskId",
    "persistedOutputPath",
    "timedOutAfterMs",
    "rawOutputPath",
    "returnCodeInterpretation",
)
# The least that hook.min_chars can be, as the settings have it: to import these takes most of the time a hook has.
LEAST = 1_000
SHORT, UNKNOWN = "the output is short", "the output has a shape that is not known"


@contextmanager
def answer(given: Given, call: Call) -> Iterator[dict[str, Any]]:
    """Yield the tool's response in its own shape, its long text replaced by an extract."""
    yield {"updatedToolOutput": _replaced(given, call)}


def _replaced(given: Given, call: Call) -> Any:
    # What can be told without the settings is: to read them takes longer than all that follows.
    text, put_back, kind = find_text(given)
    rules = _rules(given, call)
    if given.tool not in rules.tools:
        raise Nothing("the tool's output is left alone")
    if len(text) < rules.min_chars:
        raise Nothing(SHORT)
    if len(text) > LARGEST:
        raise Nothing("the output is too long to be read in time")
    if kind == SORTED:
        return put_back("\n".join(sorted(text.split("\n"))))
    if not kind.lists and is_data(text):
        raise Nothing("the output is data")
    extract = make_extract(text, Keep(_words(given, call, kind), kind.times, kind.lists))
    if extract is None:
        raise Nothing("hardly anything could be left out")
    intro = _intro(extract, _keep(text, extract, call.state), kind)
    return put_back(f"{intro}\n{extract.text}")


def find_text(given: Given) -> tuple[str, Callable[[str], Any], Kind]:
    """Return the text of a response, what puts another in its place, and its kind.

    A response of a shape that is not known gives nothing, and so does one that is too short in any case.
    """
    response = given.response
    if isinstance(response, dict):
        text, put_back, kind = _in_object(given, response)
    elif isinstance(response, str):
        kind = _kind_of_command(given, {}) if given.tool == "Bash" else LOG
        text, put_back = response, lambda changed: changed
    else:
        raise Nothing(UNKNOWN)
    if len(text) < LEAST:
        raise Nothing(SHORT)
    return text, put_back, kind


def _in_object(given: Given, response: Mapping[str, Any]) -> tuple[str, Callable[[str], Any], Kind]:
    if given.tool == "Bash":
        return _text(response, "stdout"), _into(response, "stdout"), _kind_of_command(given, response)
    if given.tool == "WebFetch":
        return _text(response, "result"), _into(response, "result"), LOG
    if given.tool in ("Grep", "Glob") and response.get("content"):
        return _text(response, "content"), _into(response, "content"), MATCHES
    names = response.get("filenames")
    if not isinstance(names, list) or not all(isinstance(name, str) and "\n" not in name for name in names):
        raise Nothing(UNKNOWN)
    if names == sorted(names):
        raise Nothing("there is nothing to put in order")
    return "\n".join(names), lambda changed: {**response, "filenames": changed.split("\n")}, SORTED


def _text(response: Mapping[str, Any], key: str) -> str:
    text = response.get(key)
    if not isinstance(text, str):
        raise Nothing(UNKNOWN)
    return text


def _into(response: Mapping[str, Any], key: str) -> Callable[[str], Any]:
    return lambda changed: {**response, key: changed}


def _kind_of_command(given: Given, response: Mapping[str, Any]) -> Kind:
    """Return what kind of output a command has that just ran and ended; what it wrote to stderr is never touched."""
    if any(response.get(mark) for mark in UNUSUAL):
        raise Nothing("the command did not just run and end")
    if (kind := kind_of(given.text("command"))) is None:
        raise Nothing("the command's output is what was asked for")
    return kind


def _keep(text: str, extract: Extract, state: Path) -> Path:
    """Keep the whole text without its secrets; two runs that differ in nothing that counts have one file."""
    # Only who keeps a text has to know secrets.
    from notewell.redact import redact_text  # noqa: PLC0415
    from notewell.serve.hooks.sessions import digest  # noqa: PLC0415

    folder = private_folder(state / FOLDER)
    clean_up(folder, seconds=OLD, most=MOST)
    file = folder / f"{digest(extract.text)}.txt"
    write_private(file, redact_text(without_escapes(text))[0].encode("utf-8", "replace"))
    return file


def _intro(extract: Extract, file: Path, kind: Kind) -> str:
    unlike = f"all but {extract.unusual:,} of those" if extract.unusual else "those"
    kept = "all that look like errors" + ("" if kind.lists else f", and {unlike} unlike the others")
    return (
        f"[Notewell: an extract of {extract.chars:,} characters in {extract.total:,} lines; {extract.kept:,} lines "
        f"are kept, among them {kept}. All of it, without secrets: {file}]"
    )


def _words(given: Given, call: Call, kind: Kind) -> Callable[[str], bool]:
    """Return what tells whether a line has words of the last prompt, or of what the tool was asked."""
    from notewell.search.relevance import telling_terms  # noqa: PLC0415
    from notewell.serve.hooks.sessions import read_conversation, word_digest  # noqa: PLC0415
    from notewell.terms import TOKEN, token_terms  # noqa: PLC0415

    session = read_conversation(call.state, given.session)
    # What was searched for is in every line that was found.
    told = () if kind.lists else given.asked.values()
    asked = {term for value in told if isinstance(value, str) for term in telling_terms(value)}

    @lru_cache(maxsize=20_000)
    def is_wanted(token: str) -> bool:
        return any(term in asked or word_digest(given.session, term) in session.words for term in token_terms(token))

    # Two words that are asked for: one alone is in half of all lines.
    return lambda line: len({token for token in TOKEN.findall(line[:2_000]) if is_wanted(token)}) > 1


def _rules(given: Given, call: Call) -> HookSettings:
    """Return the settings of the vault that is near, or the defaults; no vault is opened for them."""
    from notewell.config import load_settings  # noqa: PLC0415
    from notewell.serve.hooks.nearest import nearest_vault  # noqa: PLC0415

    settings = load_settings(call.vault or nearest_vault(given.cwd), os.environ, {})
    call.limit.allow(settings.hook.timeout_ms)
    return settings.hook
