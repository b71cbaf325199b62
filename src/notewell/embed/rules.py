"""What a user can set about embedders: which model, at which address, with which key and prefixes."""

from __future__ import annotations

import hashlib
import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

# Kinds of embedders that are asked over HTTP.
REMOTE = ("ollama", "openai")
# A prefix that is looked up by the model's name; an encoder that is used if it is installed.
AUTO = "auto"


class Key:
    """A server's key, which nothing prints by accident: neither `repr`, nor `asdict`, nor JSON.

    >>> Key("a secret"), bool(Key())
    (Key(…), False)
    """

    __slots__ = ("_text",)

    def __init__(self, text: str = "") -> None:
        self._text = text

    def __repr__(self) -> str:
        return "Key(…)" if self._text else "''"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def reveal(self) -> str:
        """Return the key itself, for the one header it is sent in."""
        return self._text


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a server is, split once, so that the address that was checked is the one that is called."""

    scheme: str
    host: str
    port: int
    path: str = ""

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path}"

    @property
    def is_here(self) -> bool:
        """Tell whether the server is on this machine."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


PORTS = {"http": 80, "https": 443}


def parse_address(url: str) -> ServerAddress:
    """Return the address in a URL; a ValueError says what is wrong with it, without repeating it.

    >>> str(parse_address("http://localhost:11434/"))
    'http://localhost:11434'
    """
    if not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("contains characters that no address has")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError("is not an address") from error
    if parts.scheme not in PORTS or not parts.hostname:
        raise ValueError("should begin with http:// or https:// and a host")
    if "@" in parts.netloc:
        raise ValueError("contains a name or a password, which belong in NOTEWELL_EMBED_KEY")
    if parts.query or parts.fragment:
        raise ValueError("contains a ? or #")
    return ServerAddress(parts.scheme, parts.hostname, port or PORTS[parts.scheme], parts.path.rstrip("/"))


@dataclass(frozen=True, slots=True)
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
