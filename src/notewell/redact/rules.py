"""The secrets that are taken out of notes, as data: name, words that must be near, pattern."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret. Where a pattern names a group, that group alone is the secret."""

    name: str
    keywords: tuple[str, ...]
    pattern: re.Pattern[str]
    innocent: re.Pattern[str] | None = None


def rule(name: str, keywords: str, pattern: str, flags: int = 0, innocent: str = "") -> Rule:
    """Return a rule. Its pattern is tried only where one of the keywords is; what is `innocent` stays."""
    harmless = re.compile(innocent, re.IGNORECASE) if innocent else None
    return Rule(name, tuple(keywords.split()), re.compile(pattern, flags), harmless)


# A value in quotes may hold anything; a bare one ends at a space, is no call, and is no word of a sentence.
_VALUE = (
    r"(?:\"(?P<double>[^\"\n]{4,256})\"|'(?P<single>[^'\n]{4,256})'|`(?P<code>[^`\n]{4,256})`"
    r"|(?![a-z]+[ \t]+[A-Za-z])(?P<bare>[^\s\"'`()|]{4,512}+)(?!\())"
)
# What stands where a password will be: references, blanks, and words that only say that one belongs there.
_NO_PASSWORD = (
    r"<.*|\$\{.*|\$\(.*|\$[A-Z_]+|\{.*|%[A-Z_]+%?|\[.*|\W+|x{3,}|[_.…]+"
    r"|none|null|nil|true|false|undefined|string|str|text|int|bool|required|optional|example|hidden|redacted|input|empty"
    r"|password|passwd|pwd|passwort|kennwort|secret|changeme|change[-_ ]?(?:me|it)|todo|test|foobar"
    r"|(?:your|my|the|some|enter|new|old|user|db)[-_ ]?(?:own[-_ ])?(?:password|passwd|pass|pwd|pw|secret)"
    r"(?:[-_ ]?here)?"
    r"|(?:os|process|env|self|this|config|settings|request|req|params|args|options|data|user|form)\.[A-Za-z_].*"
)

RULES: tuple[Rule, ...] = (
    rule(
        "private-key",
        "private",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
        # A whole key; or, cut off before its end, as many lines as look like one.
        r"(?:(?:(?!-----).){0,20000}-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|(?:\s*[A-Za-z0-9+/=]{16,})+)",
        re.DOTALL,
    ),
    rule("jwt", "eyj", r"eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,2000}"),
    rule("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,}"),
    rule("openai-key", "sk-", r"\bsk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
    rule("aws-key-id", "akia asia agpa aida aroa", r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b"),
    rule(
        "aws-secret-key",
        "aws",
        r"(?<![A-Za-z0-9])(?i:aws[\w. -]{0,24}(?:secret|key)[\w. -]{0,16})[\"'`]?\s{0,3}(?:=>?|:)\s{0,3}[\"'`]?"
        r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_ ghp\\_", r"gh[pousr]\\?_[A-Za-z0-9]{30,255}\b"),
    rule("github-fine-grained-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{40,255}\b"),
    rule(
        "stripe-key",
        "sk_ sk\\_ rk_ rk\\_ whsec",
        r"(?:[sr]k\\?_(?:live|test)|whsec)\\?_[A-Za-z0-9]{16,}\b",
    ),
    rule("slack-token", "xox xapp-", r"\b(?:xox[a-e]|xox[oprs]|xapp)-[A-Za-z0-9-]{10,}"),
    rule(
        "slack-webhook",
        "hooks.slack.com",
        r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}",
    ),
    rule("bearer", "bearer", r"(?i:\bbearer)[ \t]+(?P<secret>[A-Za-z0-9._~+/-]{20,}=*)"),
    rule(
        "password",
        "passw passphrase pwd kennwort",
        r"(?i:password|passwd|passphrase|passwort|kennwort|(?<![a-z])pwd)"
        # The sign may stand inside or outside of bold or italics: **Password:** or __Password__:
        r"[\"'`*_]{0,2}[ \t]{0,3}(?::=|=>|=|:)[*_]{0,2}[ \t]{0,3}" + _VALUE,
        innocent=_NO_PASSWORD,
    ),
)
