"""Expansion: a language model writes a passage that might answer the query, and the search looks for that too."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import replace

from notewell.errors import LlmError
from notewell.files.control_chars import without_hidden
from notewell.llm import LlmRules, Message, Model, Text, find_model
from notewell.redact import redact_text
from notewell.search.rules import Rules
from notewell.types.notices import Notice
from notewell.types.query import Query

# `hyde:` without a text of its own, at the end of a query: the model is to write it. Elsewhere, as in "Hyde: a review",
# it is text.
UNWRITTEN = re.compile(r"\s+hyde:\s*$")
# Small models write short passages well, and long ones about something else.
MAX_TOKENS = 64
LONGEST = 600
# More of a query is a pasted text, which resembles its answer already.
LONGEST_QUERY = 500
PROMPT = (
    "Write a short passage of a note that answers the question: one or two sentences, in the language of the question, "
    "without an introduction."
)


def expand(query: Query, rules: Rules, llm: LlmRules) -> tuple[Query, Rules, tuple[Notice, ...]]:
    """Return the query without a bare `hyde:`, its rules with the passage of a model if wanted, and a notice about it.

    A model takes seconds: no store should be open meanwhile.
    """
    mode, plain = rules.mode, query.text
    if mode.syntax:
        plain = UNWRITTEN.sub("", query.text)
    wanted = query.expand or rules.settings.expand or plain != query.text
    if not (wanted and plain.strip()) or mode.only_like or mode.sure:
        return query, rules, ()
    passage, notice = write_passage(plain, llm, rules.settings.expand_seconds)
    return replace(query, text=plain), replace(rules, passage=passage), (notice,)


def write_passage(text: str, llm: LlmRules, seconds: float) -> tuple[str, Notice]:
    """Return a passage that a model wrote in time, or an empty one; and a notice with its name, or with the reason."""
    try:
        model = find_model(replace(llm, timeout=min(llm.timeout, seconds), max_seconds=min(llm.max_seconds, seconds)))
        passage = without_hidden(_written(model, text)).strip()[:LONGEST] if model else ""
    except LlmError as error:
        return "", _without(error.fact)
    if not model:
        return "", _without("No language model is running")
    if not passage:
        return "", _without(f"{model.name} wrote nothing")
    return passage, Notice("expanded", {"model": model.name, "server": model.server})


def _written(model: Model, text: str) -> str:
    """Return the text that a model writes; secrets are removed from the query before it is sent."""
    asked = redact_text(text)[0][:LONGEST_QUERY]
    with closing(model.reply([Message("system", PROMPT), Message("user", asked)], max_tokens=MAX_TOKENS)) as reply:
        return "".join(piece.text for piece in reply if isinstance(piece, Text))


def _without(reason: str) -> Notice:
    return Notice("not_expanded", {"reason": reason})
