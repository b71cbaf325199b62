"""HTML: the main text of a page as Markdown, without what surrounds it."""

from __future__ import annotations

from notewell.index.content import Content
from notewell.index.readers.html_to_markdown import decoded, find, main_text, parsed, text_of
from notewell.index.readers.limits import no_text


def extract(data: bytes) -> Content:
    """Return the main text of the page, and its title."""
    text, warnings = decoded(data)
    root = parsed(text)
    page = "" if root is None else main_text(root)
    if not page:
        raise no_text("in it")
    title = next((name for element in find(root, "title") if (name := text_of(element))), "")
    return Content(page, title=title, warnings=warnings)
