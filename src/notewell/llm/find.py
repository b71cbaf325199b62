"""Which model to ask: the one that is named, or the newest that a server has."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from notewell.errors import LlmError
from notewell.llm.dialect import Dialect, objects_of, text_of
from notewell.llm.messages import Model
from notewell.llm.ollama import Ollama
from notewell.llm.openai import OpenAI
from notewell.llm.rules import AUTO, LlmRules, is_cloud
from notewell.llm.talk import RemoteModel, base_address
from notewell.remote.address import ServerAddress
from notewell.remote.endpoint import Endpoint, Failures, Patience

DIALECTS: dict[str, Dialect] = {"ollama": Ollama(), "openai": OpenAI()}
# Seconds in which a server has to say which models it has: on this machine, and elsewhere.
HERE, ELSEWHERE = 0.5, 3.0
# Parts of the names of models that make vectors or sort texts, and the families of those that Ollama runs.
OTHERS = ("embed", "minilm", "bge-", "e5-", "gte-", "rerank", "whisper")
FAMILY = "bert"
LONG_AGO = datetime.min.replace(tzinfo=UTC)


def load_model(rules: LlmRules) -> Model | None:
    """Return the model that `rules.model` names, without asking its server; for `auto`, one that answers, or None."""
    if rules.model == AUTO:
        return _newest(rules)
    kind, _, name = rules.model.partition(":")
    if kind not in DIALECTS or not name:
        raise LlmError("llm.model names no known model", "Set llm.model to auto, off, ollama:NAME or openai:NAME")
    return RemoteModel(rules, DIALECTS[kind], name)


def _newest(rules: LlmRules) -> Model | None:
    ollama = DIALECTS["ollama"]
    base = base_address(rules, ollama)
    until = time.monotonic() + (HERE if base.is_here else ELSEWHERE)
    listed = _ask(base.at("/api/tags"), rules, until)
    # llama.cpp lists its models here as well, but with OpenAI's list beside them, and it chats like OpenAI.
    if isinstance(listed, dict) and "data" not in listed:
        names = chat_models(listed)
        return RemoteModel(rules, ollama, names[0]) if names else None
    if rules.url:
        openai = DIALECTS["openai"]
        models = _ask(base_address(rules, openai).at("/v1/models"), rules, until)
        ids = [text_of(model.get("id")) for model in objects_of(models.get("data") if isinstance(models, dict) else ())]
        for name in filter(can_chat, ids):
            return RemoteModel(rules, openai, name)
    return None


def _ask(address: ServerAddress, rules: LlmRules, until: float) -> Any:
    """Return what a server lists, or None."""
    failures = Failures(LlmError, "The server", lambda _: "Check llm.url")
    endpoint = Endpoint(address, failures=failures, key=rules.key, patience=Patience(delays=()))
    with suppress(LlmError):
        return endpoint.get(until=until)
    return None


def chat_models(listed: dict[str, Any]) -> list[str]:
    """Return the names of an Ollama's models that can chat on its own machine, the newest first.

    >>> chat_models({"models": [{"name": "all-minilm:latest"}, {"name": "qwen3:4b"}, {"name": "glm-5:cloud"}]})
    ['qwen3:4b']
    """
    models = [model for model in objects_of(listed.get("models")) if can_chat(text_of(model.get("name")))]
    chats = [model for model in models if _makes_text(model) and not _is_elsewhere(model)]
    chats.sort(key=lambda model: (_modified(model), text_of(model["name"])), reverse=True)
    return [text_of(model["name"]) for model in chats]


def can_chat(name: str) -> bool:
    """Tell whether a model chats, by its name.

    >>> can_chat("nomic-embed-text:v1.5"), can_chat("llama3.2:1b")
    (False, True)
    """
    return bool(name) and not any(part in name.lower() for part in OTHERS)


def _makes_text(model: dict[str, Any]) -> bool:
    details = model.get("details")
    family = text_of(details.get("family")) if isinstance(details, dict) else ""
    capabilities = model.get("capabilities")
    return FAMILY not in family and (not isinstance(capabilities, list) or "completion" in capabilities)


def _is_elsewhere(model: dict[str, Any]) -> bool:
    return bool(model.get("remote_host") or model.get("remote_model")) or is_cloud(text_of(model["name"]))


def _modified(model: dict[str, Any]) -> datetime:
    try:
        found = datetime.fromisoformat(text_of(model.get("modified_at")))
    except ValueError:
        return LONG_AGO
    return found if found.tzinfo else found.replace(tzinfo=UTC)
