"""The secrets that are taken out of notes, as data: name, words that must be near, pattern."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret. The group `secret`, where a pattern has one, is all that is taken out."""

    name: str
    keywords: tuple[str, ...]
    pattern: re.Pattern[str]


def rule(name: str, keywords: str, pattern: str, flags: int = 0) -> Rule:
    """Return a rule; without one of its keywords in the note (lower case), its pattern is not tried."""
    return Rule(name, tuple(keywords.split()), re.compile(pattern, flags))


# A value that is a placeholder, a reference or code is no secret: `<password>`, `${PASSWORD}`, `getPassword()`.
_PLACEHOLDER = (
    r"(?![<$%{\[(*]|x{3,}|\.{3}|(?:your|my|the|change|example|none|null|true|false|undefined|string|str|int"
    r"|self|os|env|process|config|settings|password|passwd|secret|redacted|input|required|optional)\b"
    r"|(?:your|change|example)[-_])"
)
_PASSWORD_NAME = r"[\w.-]*(?:password|passwd|passphrase|passwort|kennwort|pwd)"
_VALUE = (
    r"""(?:"(?P<d>[^"\s]{4,128})"|'(?P<s>[^'\s]{4,128})'|`(?P<b>[^`\s]{4,128})`|(?P<p>[^\s"'`,;<>(){}\[\]|]{6,128}))"""
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
    rule("jwt", "eyj", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    rule("anthropic-key", "sk-ant-", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    rule("openai-key", "sk-", r"\bsk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
    rule("aws-key-id", "akia asia agpa aida aroa", r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b"),
    rule(
        "aws-secret-key",
        "aws",
        r"(?i:aws[\w.-]{0,24}(?:secret|key)[\w.-]{0,16})[\"'`]?\s{0,3}(?:=>?|:)\s{0,3}[\"'`]?"
        r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"\bgh[pousr]_[A-Za-z0-9]{30,255}\b"),
    rule("github-fine-grained-token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{40,255}\b"),
    rule(
        "stripe-key",
        "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
        r"\b(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}\b",
    ),
    rule("slack-token", "xox xapp-", r"\b(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}"),
    rule(
        "slack-webhook",
        "hooks.slack.com",
        r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}",
    ),
    rule("bearer", "bearer", r"(?i:\bbearer)[ \t]+(?P<secret>[A-Za-z0-9._~+/-]{20,}=*)"),
    rule(
        "password",
        "passw passphrase pwd kennwort",
        rf"(?i:\b{_PASSWORD_NAME}[\"'`]?[ \t]{{0,3}}(?::=|=>?|:)[ \t]{{0,3}})(?P<secret>(?i:{_PLACEHOLDER}){_VALUE})",
    ),
)
