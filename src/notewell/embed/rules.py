"""What a user can set about embedders: which model, at which address, with which key and prefixes."""

from __future__ import annotations

import hashlib
import re

from notewell.frozen import frozen
from notewell.remote.address import Key

# Kinds of embedders that are asked over HTTP.
REMOTE = ("ollama", "openai")
# A prefix that is looked up by the model's name; an encoder that is used if it is installed.
AUTO = "auto"


@frozen
class EmbedRules:
    """Where vectors come from."""

    model: str = "static"
    encoder: str = AUTO
    background: bool = True
    url: str = ""
    query_prefix: str = AUTO
    passage_prefix: str = AUTO
    timeout: float = 30.0
    key: Key = Key()

    @property
    def is_remote(self) -> bool:
        """Tell whether texts are sent to a server."""
        return self.model.startswith(tuple(f"{kind}:" for kind in REMOTE))


@frozen
class RerankRules:
    """Which model reranks, and how many of the best hits it reads."""

    model: str = ""
    url: str = ""
    candidates: int = 20
    timeout: float = 5.0
    key: Key = Key()


@frozen
class Prefixes:
    """What a model wants before a query and before a passage."""

    query: str = ""
    passage: str = ""


BGE = Prefixes(query="Represent this sentence for searching relevant passages: ")

# From the models' own cards. A name may have its maker before it (BAAI/…) and a tag behind it (…:335m).
KNOWN = (
    (r"bge-(micro|small|base|large)(-en)?(-v[\d.]+)?", BGE),
    (r"mxbai-embed-\w+(-v\d+)?", BGE),
    (r"snowflake-arctic-embed(-(xs|s|m|l|m-long))?(-v1\.5)?", BGE),
    (r"snowflake-arctic-embed(2|-[ml]-v2\.0)", Prefixes(query="query: ")),
    (r"(multilingual-)?e5-(small|base|large)(-v2)?", Prefixes("query: ", "passage: ")),
    (r"nomic-embed-text(-v[\w.-]+)?", Prefixes("search_query: ", "search_document: ")),
    (r"embeddinggemma(-300m)?", Prefixes("task: search result | query: ", "title: none | text: ")),
)


def find_prefixes(name: str, rules: EmbedRules) -> Prefixes:
    """Return the prefixes that the rules set, or else those known for the model's name.

    >>> find_prefixes("intfloat/e5-base-v2", EmbedRules(passage_prefix=""))
    Prefixes(query='query: ', passage='')
    """
    bare = re.split(r"[/\\]", name.rstrip("/\\"))[-1].partition(":")[0].lower()
    known = next((prefixes for pattern, prefixes in KNOWN if re.fullmatch(pattern, bare)), Prefixes())
    return Prefixes(
        known.query if rules.query_prefix == AUTO else rules.query_prefix,
        known.passage if rules.passage_prefix == AUTO else rules.passage_prefix,
    )


def make_fingerprint(kind: str, name: str, prefixes: Prefixes) -> str:
    """Return a name for what a passage's vectors depend on, as far as it is known without asking a server.

    Not the address (a server may move), nor the query's prefix (no stored vector depends on it), nor the number of
    dimensions, which the store keeps separately.

    >>> make_fingerprint("ollama", "all-minilm", Prefixes(query="query: "))
    'ollama:all-minilm'
    >>> make_fingerprint("ollama", "e5-base", Prefixes("query: ", "passage: "))
    'ollama:e5-base/707ad539'
    """
    digest = hashlib.sha256(prefixes.passage.encode("utf-8")).hexdigest()[:8]
    return f"{kind}:{name}/{digest}" if prefixes.passage else f"{kind}:{name}"
