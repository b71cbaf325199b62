"""A signal: a text without secrets that may become a note, whatever its source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b
from urllib.parse import urlsplit

from notewell.files.control_chars import visible_line, without_hidden
from notewell.frozen import frozen
from notewell.redact import redact_text

# Characters of a text, a title and an address that are kept.
LONGEST, LONGEST_TITLE, LONGEST_URL = 200_000, 200, 2_000
LINE_BREAK = re.compile(r"\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
WEB = ("http", "https")
SCHEME = re.compile(r"(?i)^https?://(?:www\.)?")
# Parts of an address that say where a reader came from, and not which page it is.
TRACKING = re.compile(r"(?<=[?&])(?:utm_\w+|fbclid|gclid|ref|mc_[ce]id)=[^&#]*&?")


@frozen
class Signal:
    """A text that may become a note."""

    title: str
    text: str = ""
    url: str = ""
    author: str = ""
    # A day in ISO format; empty if it is unknown.
    published: str = ""
    # The feed, the mailbox or the file that it comes from.
    source: str = ""

    @property
    def id(self) -> str:
        """Return what identifies it, if it comes again: its address, or else its words."""
        subject = bare_url(self.url) or f"{self.title}\n{self.text}"
        return blake2b(subject.encode("utf-8", "replace"), digest_size=5).hexdigest()

    @property
    def host(self) -> str:
        """Return the host of its address; empty if it has none."""
        return host_of(self.url)


def make_signal(
    title: str, text: str = "", *, url: str = "", author: str = "", published: str = "", source: str = ""
) -> Signal:
    """Return a signal without secrets and hidden characters, of a limited size; what has no title gets its first words.

    >>> make_signal("A\\u202e title", "x", url="javascript:alert(1)")
    Signal(title='A title', text='x', url='', author='', published='', source='')
    """
    whole = without_hidden(LINE_BREAK.sub("\n", text.encode("utf-8", "replace").decode()))[:LONGEST].strip()
    # A title may reveal that the text below it is a secret, so both are searched together.
    joined, _ = redact_text(f"{visible_line(title)}\n{whole}")
    title, _, whole = joined.partition("\n")
    title = title.strip() or next((bare for line in whole.split("\n") if (bare := line.strip(" #>*-_`"))), "")
    fields = [redact_text(visible_line(one))[0][:LONGEST_TITLE].strip() for one in (author, source)]
    return Signal(title[:LONGEST_TITLE].strip(), whole, web_address(url), fields[0], published[:10], fields[1])


def web_address(written: str) -> str:
    """Return an address on the web without a password and secrets; anything else is nothing.

    >>> web_address("https://me:pass@example.org/a?utm_source=x&b=1"), web_address("file:///etc/passwd")
    ('https://example.org/a?b=1', '')
    """
    url = visible_line(written).replace(" ", "%20")[:LONGEST_URL]
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    if parts.scheme.lower() not in WEB or not host:
        return ""
    host = f"[{host}]" if ":" in host else host
    clean = parts._replace(netloc=f"{host}:{port}" if port else host).geturl()
    return redact_text(TRACKING.sub("", clean).rstrip("?&"))[0]


def bare_url(url: str) -> str:
    """Return what two addresses of one page have in common; an anchor counts, as lists of changes have one for each.

    >>> bare_url("https://www.example.org/a/") == bare_url("http://example.org/a#:~:text=bees")
    True
    """
    page, _, anchor = TRACKING.sub("", url).partition("#")
    same = SCHEME.sub("", page.rstrip("?&").rstrip("/"))
    # Only the host may be written in any case; the pages /a and /A differ.
    host, slash, path = same.partition("/")
    return f"{host.casefold()}{slash}{path}{f'#{anchor}' if anchor and not anchor.startswith(':~:') else ''}"


def host_of(url: str) -> str:
    """Return the host of an address without `www.`; empty if there is none."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def words_in(url: str) -> Iterator[str]:
    """Yield the words in the path of an address, which often is its title.

    >>> list(words_in("https://example.org/2024/05/keeping-bees_warm.html"))
    ['keeping', 'bees', 'warm']
    """
    path = urlsplit(url).path if url else ""
    yield from re.findall(r"[^\W\d_]{3,}", path.rpartition(".")[0] or path)
