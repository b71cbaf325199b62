"""Pages for a model: answers, with the places of their quotes."""

from __future__ import annotations

from notewell.search.budget import line_in_prompt, path_in_prompt, safe_in_prompt
from notewell.serve.json_data import as_data
from notewell.serve.mcp.fence import Data, ToolAnswer
from notewell.serve.mcp.pages import clipped, end_of, fit_page, noted, short_notices, with_rest, with_values
from notewell.types.answer import Answer, Citation

# Characters of what a model wrote, which is asked for two to five sentences; and of the names that are unsupported.
LONGEST, NAME, NAMES = 2_000, 80, 10


def answer_page(answer: Answer) -> ToolAnswer:
    """Return an answer as a page: whether the notes answer, and the quotes with their places."""
    head = {name: getattr(answer, name) for name in ("answered", "confidence", "citations_status")}
    written = clipped(safe_in_prompt(answer.text), LONGEST) if answer.model else ""
    unsupported = [clipped(line_in_prompt(one), NAME) for one in answer.unsupported[:NAMES]]
    model = {"text": written, "model": line_in_prompt(answer.model)[:NAME], "unsupported": unsupported}
    head = with_values(head, model)
    notices = short_notices(as_data(answer.notices))
    rows = [_row(citation) for citation in answer.citations]

    def render(count: int) -> ToolAnswer:
        data = with_rest({**head, "citations": rows[:count]}, len(rows) - count, notices)
        texts = (*([written] if written else ()), *map(_text, rows[:count]))
        return ToolAnswer(noted(data), *texts, end_of(data), data=data)

    return fit_page(render, len(rows))


def _row(citation: Citation) -> Data:
    row = as_data(citation)
    del row["uri"]
    texts = {"quote": citation.quote, "heading": citation.heading}
    safe = {name: safe_in_prompt(text) for name, text in texts.items()}
    return {**row, **safe, "path": path_in_prompt(citation.path)}


def _text(row: Data) -> str:
    return f"[{row['number']}] {row['path']}:{row['line']}\n{row['quote']}"
