"""Documents that a reader turned into Markdown: as Markdown, but without front matter."""

from notewell.index.shapes.markdown import chunk
from notewell.index.shapes.markdown import parse_body as parse

__all__ = ["chunk", "parse"]
