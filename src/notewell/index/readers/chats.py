"""Conversations with Claude, ChatGPT or Claude Code: one part for each turn of the user."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from notewell.index.readers.content import Content
from notewell.index.readers.nested import as_dict, as_dicts, as_text, in_quotes, is_secret_name
from notewell.index.readers.writing import clean, one_line, shortened
from notewell.types.note import Part

# Characters of a tool's input or result; the rest is mostly quoted files.
LONGEST_OF_A_TOOL = 2000
# Characters of a title: of the first message, for a conversation without a name, and of a name.
LONGEST_OPENING = 80
LONGEST_NAME = 120
DATE = re.compile(r"\d{4}-\d\d-\d\d")

HUMAN, ASSISTANT, THINKING, RESULT, SUMMARY, TASK = "Human", "Assistant", "Thinking", "Result", "Summary", "Task"


@dataclass(slots=True)
class Conversation:
    """One conversation: its name, its day, and its turns; a turn is what the user said and the answers to it."""

    name: str = ""
    day: str = ""
    turns: list[list[str]] = field(default_factory=list)

    def say(self, who: str, text: str) -> None:
        """Add a message; a message of the user after an answer starts a new turn."""
        text = clean(text)
        if not text.strip():
            return
        begins = who == HUMAN and not (self.turns and self.turns[-1][-1].startswith(f"{HUMAN}: "))
        if begins or not self.turns:
            self.turns.append([])
        self.turns[-1].append(f"{who}: {text}")

    @property
    def title(self) -> str:
        """Return the conversation's name, or its first words, and its day."""
        opening = self.turns[0][0].partition(": ")[2] if self.turns else ""
        name = _start_of(self.name, LONGEST_NAME) or _start_of(opening, LONGEST_OPENING) or "Untitled"
        return f"{name} ({self.day})" if self.day else name


def may_be_export(text: str) -> bool:
    """Tell whether a JSON file may be an exported chat; a quick test."""
    return '"chat_messages"' in text or ('"mapping"' in text and '"message"' in text)


def export(value: object) -> Content | None:
    """Return the conversations of an export by Claude or ChatGPT, or None if any part of it is something else."""
    many = value if isinstance(value, list) else [value]
    conversations = [_conversation(item) for item in many]
    known = [conversation for conversation in conversations if conversation is not None]
    return _content(known) if len(known) == len(many) and any(conversation.turns for conversation in known) else None


def _conversation(item: object) -> Conversation | None:
    """Return one conversation of an export, or None if it is not one."""
    if not isinstance(item, dict):
        return None
    if isinstance(item.get("chat_messages"), list):
        return _claude(item)
    nodes = item.get("mapping")
    return _chatgpt(item, nodes) if isinstance(nodes, dict) and all(map(_is_node, nodes.values())) else None


def _is_node(node: object) -> bool:
    """Tell whether it is a node of ChatGPT's: a message, or the root, which has none."""
    if not isinstance(node, dict) or "message" not in node:
        return False
    message = node["message"]
    return message is None or (isinstance(message, dict) and "author" in message)


def may_be_transcript(text: str) -> bool:
    """Tell whether a JSON Lines file may be a transcript; a quick test."""
    return '"message"' in text and '"content"' in text


def transcript(records: list[object]) -> Content | None:
    """Return the turns of a Claude Code transcript, or None if most of the records are something else."""
    known = [record for record in records if isinstance(record, dict) and _is_of_transcript(record)]
    conversation = Conversation()
    for record in known:
        if _is_message(record) and not record.get("isMeta"):
            _take_record(conversation, record)
    others = len(records) - len(known)
    if others >= len(known) or not conversation.turns:
        return None
    count = "1 of its lines is" if others == 1 else f"{others:,} of its lines are"
    return _content([conversation], (f"{count} not part of the conversation, and left out",) if others else ())


def _is_of_transcript(record: dict[str, Any]) -> bool:
    """Tell whether Claude Code wrote a record: a message, or its own bookkeeping."""
    bookkeeping = any(key in record for key in ("sessionId", "leafUuid", "snapshot"))
    return isinstance(record.get("type"), str) and (bookkeeping or isinstance(record.get("message"), dict))


def _is_message(record: dict[str, Any]) -> bool:
    kind, message = record["type"], record.get("message")
    return (kind in ("user", "assistant") and isinstance(message, dict) and "content" in message) or (
        kind == "summary" and isinstance(record.get("summary"), str) and "leafUuid" in record
    )


def _content(conversations: list[Conversation], warnings: tuple[str, ...] = ()) -> Content:
    lines: list[str] = []
    parts: list[Part] = []
    for number, conversation in enumerate(conversations, 1):
        lines.append(f"# {conversation.title}")
        under = (len(lines),)
        before = f"conversation {number}, " if len(conversations) > 1 else ""
        for count, turn in enumerate(conversation.turns, 1):
            parts.append(Part(len(lines) + 1, f"{before}turn {count}", under))
            lines += "\n\n".join(turn).split("\n")
            lines.append("")
        if not conversation.turns:
            lines.append("")
    title = conversations[0].title if len(conversations) == 1 else ""
    return Content("\n".join(lines).rstrip("\n"), tuple(parts), title, warnings)


def _claude(item: dict[str, Any]) -> Conversation:
    conversation = Conversation(as_text(item.get("name")), _day(item.get("created_at")))
    for message in item["chat_messages"]:
        if not isinstance(message, dict):
            continue
        who = HUMAN if message.get("sender") == "human" else ASSISTANT
        said = [(speaker, text) for speaker, text in _blocks(message.get("content"), who) if text.strip()]
        for speaker, text in (*(said or [(who, as_text(message.get("text")))]), *_attached(message, who)):
            conversation.say(speaker, text)
    return conversation


def _attached(message: dict[str, Any], who: str) -> Iterator[tuple[str, str]]:
    """Yield the attachments of a message: the text of those that have one, the name of others."""
    for file in (*as_dicts(message.get("attachments")), *as_dicts(message.get("files"))):
        name = one_line(as_text(file.get("file_name")))
        text = as_text(file.get("extracted_content"))
        if name or text:
            yield who, f"[Attachment: {name}]\n{text}" if text else f"[Attachment: {name}]"


def _take_record(conversation: Conversation, record: dict[str, Any]) -> None:
    if record["type"] == "summary":
        if conversation.name or len(record["summary"]) > LONGEST_NAME:
            conversation.say(SUMMARY, record["summary"])
        conversation.name = conversation.name or record["summary"]
        return
    conversation.day = conversation.day or _day(record.get("timestamp"))
    who = ASSISTANT
    if record["type"] == "user":
        # A task for a subagent, and the summary of a compacted conversation, are not the user's words.
        who = SUMMARY if record.get("isCompactSummary") else TASK if record.get("isSidechain") else HUMAN
    for speaker, text in _blocks(record["message"]["content"], who):
        conversation.say(speaker, text)


def _blocks(content: object, who: str) -> Iterator[tuple[str, str]]:
    """Yield the speaker and text of each block of a message."""
    if isinstance(content, str):
        yield who, content
    for block in content if isinstance(content, list) else ():
        if isinstance(block, str):
            yield who, block
        elif isinstance(block, dict):
            yield from _block(block, who)


def _block(block: dict[str, Any], who: str) -> Iterator[tuple[str, str]]:
    kind = block.get("type")
    if kind == "text":
        yield who, as_text(block.get("text"))
    elif kind == "thinking":
        yield THINKING, as_text(block.get("thinking"))
    elif kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        yield f"Tool {one_line(as_text(block.get('name')))}".strip(), shortened(_tool_input(block), LONGEST_OF_A_TOOL)
    elif isinstance(kind, str) and kind.endswith("tool_result"):
        yield RESULT, shortened("\n".join(_texts(block.get("content"))), LONGEST_OF_A_TOOL)


def _tool_input(block: dict[str, Any]) -> str:
    """Return a tool's input as `key: value; key: value`."""
    given = block.get("input")
    if not isinstance(given, dict):
        return _written(given) if given else "(nothing)"
    named = ((one_line(key), value) for key, value in given.items())
    return "; ".join(f"{name}: {_written(value, name)}" for name, value in named) or "(nothing)"


def _written(value: object, name: str = "") -> str:
    if isinstance(value, str):
        return in_quotes(value) if value and is_secret_name(name) else value
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "…"


def _texts(content: object) -> Iterator[str]:
    """Yield the texts of a tool's result; pictures are left out."""
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else ():
        if isinstance(block, str):
            yield block
        elif isinstance(block, dict):
            yield from (one_line(as_text(block.get(key))) for key in ("title", "url") if block.get(key))
            yield as_text(block.get("text"))


def _chatgpt(item: dict[str, Any], nodes: dict[str, Any]) -> Conversation:
    conversation = Conversation(as_text(item.get("title")), _day(item.get("create_time")))
    for node in _branch(nodes, item.get("current_node")):
        message = node.get("message")
        if isinstance(message, dict) and not as_dict(message.get("metadata")).get(
            "is_visually_hidden_from_conversation"
        ):
            for who, text in _said(message):
                conversation.say(who, text)
    return conversation


def _branch(nodes: dict[str, Any], last: object) -> Iterable[dict[str, Any]]:
    """Return the messages that led to the last one; questions that were edited are on other branches."""
    at = last if isinstance(last, str) and last in nodes else next(reversed(nodes), None)
    branch: dict[str, dict[str, Any]] = {}
    while isinstance(at, str) and at not in branch and isinstance(nodes.get(at), dict):
        branch[at] = nodes[at]
        at = nodes[at].get("parent")
    return reversed(branch.values())


def _said(message: dict[str, Any]) -> Iterator[tuple[str, str]]:
    role = as_dict(message.get("author")).get("role")
    content = as_dict(message.get("content"))
    parts = [part for part in content.get("parts") or () if part] if isinstance(content.get("parts"), list) else []
    text = "\n".join(filter(None, (*_texts(parts), as_text(content.get("text")), as_text(content.get("result")))))
    if role == "user":
        yield HUMAN, text
    elif role == "tool":
        yield RESULT, shortened(text, LONGEST_OF_A_TOOL)
    elif role == "assistant":
        for thought in as_dicts(content.get("thoughts")):
            yield THINKING, as_text(thought.get("content"))
        recipient = one_line(as_text(message.get("recipient"))) or "all"
        if recipient == "all":
            yield ASSISTANT, text
        else:
            yield f"Tool {recipient}", shortened(text, LONGEST_OF_A_TOOL)


def _start_of(text: str, most: int) -> str:
    """Return the first words of a text, on one line."""
    line = one_line(text)
    return line if len(line) <= most else f"{shortened(line, most).rpartition('… (')[0]}…"


def _day(value: object) -> str:
    """Return the day of a timestamp, in ISO 8601 or in seconds.

    >>> _day("2025-01-25T20:48:18.660331+00:00"), _day(1737838098.66), _day(None)
    ('2025-01-25', '2025-01-25', '')
    """
    if isinstance(value, str) and DATE.match(value):
        return value[:10]
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return datetime.fromtimestamp(value, UTC).date().isoformat()
        except (ValueError, OverflowError, OSError):
            return ""
    return ""
