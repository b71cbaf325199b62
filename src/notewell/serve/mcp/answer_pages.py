"""Pages for a model: answers, with the places of their quotes."""

from __future__ import annotations

from notewell.search.budget import path_in_prompt, safe_in_prompt
from notewell.serve.json_data import as_data
from notewell.serve.mcp.fence import Data, ToolAnswer
from notewell.serve.mcp.pages import end_of, fit_page, noted, short_notices, with_rest
from notewell.types.answer import Answer, Citation


def answer_page(answer: Answer) -> ToolAnswer:
    """Return an answer as a page: whether the notes answer, and the quotes with their places."""
    head = {name: getattr(answer, name) for name in ("answered", "confidence", "citations_status")}
    notices = short_notices(as_data(answer.notices))
    rows = [_row(citation) for citation in answer.citations]

    def render(count: int) -> ToolAnswer:
        data = with_rest({**head, "citations": rows[:count]}, len(rows) - count, notices)
        return ToolAnswer(noted(data), *map(_text, rows[:count]), end_of(data), data=data)

    return fit_page(render, len(rows))


def _row(citation: Citation) -> Data:
    row = as_data(citation)
    del row["uri"]
    texts = {"quote": citation.quote, "heading": citation.heading}
    safe = {name: safe_in_prompt(text) for name, text in texts.items()}
    return {**row, **safe, "path": path_in_prompt(citation.path)}


def _text(row: Data) -> str:
    return f"[{row['number']}] {row['path']}:{row['line']}\n{row['quote']}"
