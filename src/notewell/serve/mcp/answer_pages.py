"""Pages for a model: answers, and quotes that were checked."""

from __future__ import annotations

from collections.abc import Sequence

from notewell.search.budget import path_in_prompt, safe_in_prompt
from notewell.serve.json_data import as_data
from notewell.serve.mcp.fence import Data, ToolAnswer
from notewell.serve.mcp.pages import clipped, end_of, fit_page, noted, short_notices, with_rest
from notewell.types.answer import Answer, Citation, Verification

# Characters of a quote of a checked text: the model has the rest.
QUOTE = 200


def answer_page(answer: Answer) -> ToolAnswer:
    """Return an answer as a page: whether the notes answer, and the quotes with their places."""
    head = {name: getattr(answer, name) for name in ("answered", "confidence", "citations_status")}
    return _page(head, answer.citations, as_data(answer.notices))


def verification_page(checked: Verification) -> ToolAnswer:
    """Return the quotes of a text as a page, with whether they stand in the notes."""
    return _page({"citations_status": checked.citations_status}, checked.citations, as_data(checked.notices), QUOTE)


def _page(head: Data, citations: Sequence[Citation], notices: Sequence[str], longest: int = 2_000) -> ToolAnswer:
    rows = [_row(citation, longest) for citation in citations]

    def render(count: int) -> ToolAnswer:
        data = with_rest({**head, "citations": rows[:count]}, len(rows) - count, short_notices(notices))
        return ToolAnswer(noted(data), *map(_text, data["citations"]), end_of(data), data=data)

    return fit_page(render, len(rows))


def _row(citation: Citation, longest: int) -> Data:
    row = as_data(citation)
    del row["uri"]
    quote = clipped(safe_in_prompt(citation.quote), longest)
    return {**row, "quote": quote, "path": path_in_prompt(citation.path), "heading": safe_in_prompt(citation.heading)}


def _text(row: Data) -> str:
    place = f"{row['path']}:{row['line']}" if row["line"] else row["path"] or "nowhere"
    return f"[{row['number']}] {place} ({row['citation_reason']})\n{row['quote']}"
