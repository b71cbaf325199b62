"""The graph of a vault in the language of Graphviz: notes in the boxes of their communities, and the links."""

from __future__ import annotations

import re
from collections.abc import Iterator

from notewell.graph.net import Net
from notewell.graph.overview import Overview

CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def as_dot(net: Net, overview: Overview) -> str:
    """Return all notes, those that have links in the boxes of their communities, and the links, each once."""
    alone = (f"  {_node(path, overview)}" for path in overview.orphans)
    return "\n".join(("digraph vault {", *_boxes(overview), *alone, *_arrows(net), "}", ""))


def quoted(text: str) -> str:
    r"""Return a text as Graphviz reads it.

    >>> print(quoted('He said "a\\b"'))
    "He said \"a\\b\""
    """
    plain = CONTROL.sub(" ", text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'


def _boxes(overview: Overview) -> Iterator[str]:
    for community in overview.communities:
        yield f"  subgraph cluster_{community.number} {{"
        yield f"    label={quoted(community.names[0])};"
        yield from (f"    {_node(path, overview)}" for path in community.notes)
        yield "  }"


def _node(path: str, overview: Overview) -> str:
    return f"{quoted(path)} [label={quoted(overview.names[path])}];"


def _arrows(net: Net) -> Iterator[str]:
    sources, targets = net.distinct()
    for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
        yield f"  {quoted(net.paths[source])} -> {quoted(net.paths[target])};"
