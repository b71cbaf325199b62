"""Documents that a reader wrote as Markdown: like Markdown, but without front matter."""

from __future__ import annotations

from notewell.index.shapes.markdown import parse_body as parse
from notewell.index.shapes.sections import chunk_sections as chunk

__all__ = ["chunk", "parse"]
