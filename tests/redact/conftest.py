"""Made-up secrets in the form of their vendors."""

from __future__ import annotations

from collections.abc import Callable

import pytest

DASHES = "-" * 5


@pytest.fixture(scope="session")
def plant() -> Callable[[str, str], str]:
    """Return a secret of a kind, put together here so that no scanner sees one in the source."""
    key = "PRIVATE" + " KEY"

    def planted(kind: str, body: str) -> str:
        return {
            "private-key": f"{DASHES}BEGIN {key}{DASHES}\n{body}\n{body}\n{DASHES}END {key}{DASHES}",
            "jwt": ".".join(("ey" + "J" + body[:20], body[:30], body)),
            "anthropic-key": "sk-" + "ant-" + body,
            "openai-key": "sk-" + "proj-" + body,
            "aws-key-id": "AK" + "IA" + body[2:18].upper(),
            "aws-secret-key": "aws_secret_access" + "_key = " + body[:40],
            "github-token": "gh" + "p_" + body,
            "github-fine-grained-token": "github" + "_pat_" + body,
            "stripe-key": "sk_" + "live_" + body,
            "slack-token": "xo" + "xb-" + body,
            "slack-webhook": "https://hooks." + "slack.com/services/" + body,
            "bearer": "Authorization: Bearer " + body,
            "password": "password: " + body,
        }[kind]

    return planted
