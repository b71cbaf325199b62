"""PostToolUse: replaces a tool's long output by an extract of it; when in doubt, the output stays as it is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from notewell.extract import LOG, MATCHES, Extract, Kind, Untouched, extract, kind_of
from notewell.files.user import clean_up, private_folder, write_private
from notewell.serve.hooks import Call
from notewell.serve.hooks.payload import NothingToSay, Payload

if TYPE_CHECKING:
    from notewell.config.sections import HookSettings

FOLDER = "outputs"
# Full outputs are kept for a day, and no more than this many.
OLD, MOST = 86_400.0, 200
# Redacting more takes longer than a hook has.
LARGEST = 400_000
# Claude Code sets these for a command that did not simply run and end; their output is left to it.
UNUSUAL = (
    "interrupted",
    "isImage",
    "backgroundTaskId",
    "persistedOutputPath",
    "timedOutAfterMs",
    "rawOutputPath",
    "returnCodeInterpretation",
)
# The smallest value of hook.min_chars, repeated here because importing the settings takes most of a hook's time.
LEAST = 1_000
SHORT, UNKNOWN = "the output is short", "the output has an unknown shape"


class Output(NamedTuple):
    """The text of a tool's response, its kind, and a function that puts another text in its place."""

    text: str
    # None for names of files, which are only put in order.
    kind: Kind | None
    replaced: Callable[[str], Any]


@contextmanager
def answer(payload: Payload, call: Call) -> Iterator[dict[str, Any]]:
    """Yield the tool's response in its own shape, its long text replaced by an extract."""
    yield {"updatedToolOutput": _shortened(payload, call)}


def _shortened(payload: Payload, call: Call) -> Any:
    # Most outputs are left alone before the settings are read, which takes longer than all that follows.
    text, kind, replaced = _output(payload)
    rules = _rules(payload, call)
    if payload.tool not in rules.tools:
        raise NothingToSay("hook.tools does not name this tool")
    if len(text) < rules.min_chars:
        raise NothingToSay(SHORT)
    if len(text) > LARGEST:
        raise NothingToSay("the output is too long to read in time")
    if kind is None:
        return replaced("\n".join(sorted(text.split("\n"))))
    made = extract(text, kind, _is_wanted(payload, call, kind))
    if isinstance(made, Untouched):
        raise NothingToSay(made)
    return replaced(f"{_intro(made, _save(made, call.state), kind)}\n{made.text}")


def _output(payload: Payload) -> Output:
    """Return the output of a tool; raise `NothingToSay` if its response has an unknown shape, or is too short."""
    response = payload.response
    if isinstance(response, dict):
        output = _in_object(payload, response)
    elif isinstance(response, str):
        output = Output(response, _kind(payload, {}) if payload.tool == "Bash" else LOG, lambda text: text)
    else:
        raise NothingToSay(UNKNOWN)
    if len(output.text) < LEAST:
        raise NothingToSay(SHORT)
    return output


def _in_object(payload: Payload, response: Mapping[str, Any]) -> Output:
    if payload.tool == "Bash":
        return _under("stdout", response, _kind(payload, response))
    if payload.tool == "WebFetch":
        return _under("result", response, LOG)
    if payload.tool in ("Grep", "Glob") and response.get("content"):
        return _under("content", response, MATCHES)
    names = response.get("filenames")
    if not isinstance(names, list) or not all(isinstance(name, str) and "\n" not in name for name in names):
        raise NothingToSay(UNKNOWN)
    if names == sorted(names):
        raise NothingToSay("the files are in order already")
    return Output("\n".join(names), None, lambda text: {**response, "filenames": text.split("\n")})


def _under(key: str, response: Mapping[str, Any], kind: Kind) -> Output:
    text = response.get(key)
    if not isinstance(text, str):
        raise NothingToSay(UNKNOWN)
    return Output(text, kind, lambda changed: {**response, key: changed})


def _kind(payload: Payload, response: Mapping[str, Any]) -> Kind:
    """Return the kind of a command's stdout; its stderr is never touched."""
    if any(response.get(mark) for mark in UNUSUAL):
        raise NothingToSay("the command did not simply run and end")
    if (kind := kind_of(payload.text("command"))) is None:
        raise NothingToSay("the command is not known to be noisy")
    return kind


def _save(made: Extract, state: Path) -> Path:
    """Save the full output without its secrets, and return its file; equal extracts have one file."""
    # Only a hook that saves a text needs the rules for secrets.
    from notewell.redact import redact_text  # noqa: PLC0415
    from notewell.serve.hooks.sessions import short_hash  # noqa: PLC0415

    folder = private_folder(state / FOLDER)
    clean_up(folder, seconds=OLD, most=MOST)
    file = folder / f"{short_hash(made.text)}.txt"
    write_private(file, redact_text(made.full)[0].encode("utf-8", "replace"))
    return file


def _intro(made: Extract, file: Path, kind: Kind) -> str:
    unlike = f"all but {made.outliers_left_out:,} of the lines" if made.outliers_left_out else "the lines"
    kept = "every line that looks like an error" + ("" if kind.lists else f" and {unlike} unlike the others")
    return (
        f"[Notewell: an extract of {made.chars:,} characters in {made.total:,} lines. It keeps {made.kept:,} lines, "
        f"among them {kept}. Full output, secrets redacted: {file}]"
    )


def _is_wanted(payload: Payload, call: Call, kind: Kind) -> Callable[[str], bool]:
    """Return a test for lines with two words of the last prompt or of the tool's input."""
    from notewell.search.relevance import telling_terms  # noqa: PLC0415
    from notewell.serve.hooks.sessions import read_session, word_digest  # noqa: PLC0415
    from notewell.terms import TOKEN, token_terms  # noqa: PLC0415

    session = read_session(call.state, payload.session)
    # Every line of a list has the words that were searched for.
    inputs = () if kind.lists else payload.tool_input.values()
    asked = {term for value in inputs if isinstance(value, str) for term in telling_terms(value)}

    @lru_cache(maxsize=20_000)
    def is_asked(token: str) -> bool:
        return any(term in asked or word_digest(payload.session, term) in session.words for term in token_terms(token))

    # One word alone is in half of all lines.
    return lambda line: len({token for token in TOKEN.findall(line[:2_000]) if is_asked(token)}) > 1


def _rules(payload: Payload, call: Call) -> HookSettings:
    """Return the hook settings of the nearest vault, or the defaults; no vault is opened for them."""
    from notewell.config import load_settings, nearest_vault  # noqa: PLC0415

    settings = load_settings(call.vault or nearest_vault(payload.cwd), os.environ, {})
    call.limit.allow(settings.hook.timeout_ms)
    return settings.hook
