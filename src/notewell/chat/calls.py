"""Calls of tools, read as they were meant: models write wrong names, broken JSON, and calls into their text."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, islice
from typing import Any, NamedTuple

from notewell.llm import Call, Tool
from notewell.names.suggest import CLOSE, suggest

# Longer arguments are no search and no arithmetic.
LONGEST_ARGUMENTS = 4_000
LONGEST_VALUE = 500
# Characters beside a call that is written as text; with more, the text is an answer that mentions a call.
BESIDE = 200
# Brackets at which a call is looked for: it begins at the first, or soon after it.
MOST_BRACKETS = 10
# How a call in a text begins; while a model writes, the text from here on is held back.
BEGINS = re.compile(r"[{<]|```|`{1,2}\Z")
# Keys for the parts of a call in JSON, as models write them.
NAMES = ("name", "tool", "function", "tool_name", "action")
ARGUMENTS = ("arguments", "parameters", "args", "input", "action_input", "params")
# search_knowledge_base(query="bees"), as the whole text.
PYTHON = re.compile(r"\A[`\s]*(?:python\s+)?(?P<name>[a-z_]+)\((?P<given>.*)\)[`\s;]*\Z", re.DOTALL)
# <function=search_knowledge_base>{"query": "bees"}</function>
MARKED = re.compile(r"<function[= ]\W*(?P<name>\w+)\W*>(?P<given>\{.*?\})", re.DOTALL)
# Other names that models use for the tools; `suggest` finds those that are spelt alike.
MEANT = {
    "search": "search_knowledge_base",
    "search_notes": "search_knowledge_base",
    "knowledge_base": "search_knowledge_base",
    "list": "list_documents",
    "list_files": "list_documents",
    "list_notes": "list_documents",
    "analyze": "analyze_document",
    "summarize_document": "analyze_document",
    "compare": "compare_documents",
    "calculate": "calculator",
    "math": "calculator",
    "time": "current_time",
    "get_current_time": "current_time",
    "date": "current_time",
}


class ReadCall(NamedTuple):
    """A call with a tool's own name and its arguments; `problem` says what is wrong with it."""

    name: str
    given: Mapping[str, str]
    problem: str = ""


def read_call(call: Call, tools: Sequence[Tool]) -> ReadCall:
    """Return what a call means: the nearest name, and arguments as texts; arguments that the tool lacks are dropped.

    >>> search = Tool("search_knowledge_base", "", {"properties": {"query": {}}, "required": ["query"]})
    >>> read_call(Call("1", "Search-Knowledge-Base", "{'query': 'bees',}"), [search]).given
    {'query': 'bees'}
    """
    name = meant_tool(call.name, [tool.name for tool in tools])
    if not name:
        known = ", ".join(tool.name for tool in tools)
        return ReadCall(_printable(call.name), {}, f"There is no such tool. The tools are: {known}")
    schema = next(tool.parameters for tool in tools if tool.name == name)
    given = _fitted(read_arguments(call.arguments), schema)
    missing = [one for one in schema.get("required", ()) if not given.get(one, "").strip()]
    problem = f"The argument '{missing[0]}' is missing" if missing else ""
    return ReadCall(name, given, problem)


def meant_tool(name: str, known: Sequence[str]) -> str:
    """Return the tool that a name means, or nothing.

    >>> tools = ["search_knowledge_base", "calculator"]
    >>> meant_tool("functions.calculator", tools), meant_tool("searchKnowledgeBase", tools), meant_tool("delete", tools)
    ('calculator', 'search_knowledge_base', '')
    """
    last = re.split(r"[.:/]", name.strip().strip("`'\""))[-1][:60]
    plain = re.sub(r"[\s-]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", last)).lower()
    plain = MEANT.get(plain, plain)
    return plain if plain in known else next(iter(suggest(plain, known, limit=1, least=CLOSE)), "")


def read_arguments(text: str) -> Any:
    """Return arguments from JSON, from broken JSON, or from Python; another text is returned as it is.

    >>> read_arguments('{"query": "bees"'), read_arguments("bees"), read_arguments("['bees']")
    ({'query': 'bees'}, 'bees', 'bees')
    """
    text = text.strip()[:LONGEST_ARGUMENTS]
    for attempt in _attempts(text):
        found = _parsed(attempt)
        if isinstance(found, str) and found.strip().startswith("{"):
            return read_arguments(found)
        if isinstance(found, list) and len(found) == 1:
            found = found[0]
        if found is not None:
            return found
    return text


def _attempts(text: str) -> Iterable[str]:
    """Yield a text, then repaired forms of it."""
    yield text
    bare = re.sub(r"\A```\w*\s*|\s*```\Z", "", text)
    yield bare
    yield re.sub(r",\s*([}\]])", r"\1", bare)
    if (first := bare.find("{")) >= 0:
        yield from (bare[first : end + 1] for end in _closing(bare, first))
        # Cut off in the middle.
        yield from (bare[first:] + rest for rest in ('"}', "}", '"}}', "}}"))


def _closing(text: str, first: int) -> list[int]:
    """Return where the bracket at `first` is closed, if it is; brackets in strings are told apart by JSON itself."""
    depths = accumulate({"{": 1, "}": -1}.get(sign, 0) for sign in text[first:])
    ends = (first + place for place, depth in enumerate(depths) if depth == 0)
    return [end for end in ends if text[end] == "}"][:3]


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        pass
    try:
        # Python's quotation marks, True and None.
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


def _fitted(found: Any, schema: Mapping[str, Any]) -> dict[str, str]:
    """Return what was found as the arguments of a schema, all of them texts; a lone value is the first one."""
    names, required = list(schema.get("properties", ())), list(schema.get("required", ()))
    if isinstance(found, dict) and not set(found) & set(names):
        # The whole call once more: {"name": …, "arguments": {…}}
        found = next((found[name] for name in ARGUMENTS if isinstance(found.get(name), dict)), found)
    if not isinstance(found, dict):
        return {names[0]: _text(found)} if names and found else {}
    given = {name: _text(found[name]) for name in names if found.get(name) not in (None, "", [])}
    others = [
        _text(value) for name, value in found.items() if name not in names and isinstance(value, str | int | list)
    ]
    for name in (one for one in required if one not in given):
        if others:
            given[name] = others.pop(0)
    return given


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(_text(one) for one in value)[:LONGEST_VALUE]
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))[:LONGEST_VALUE]


def call_in_text(text: str, known: Sequence[str], sources: Iterable[str] = ()) -> tuple[Call, int] | None:
    """Return a call that a model wrote as its answer, and where that begins; None if the text is an answer.

    A text that quotes a call, or has much beside it, is an answer.

    >>> call_in_text('I will look: {"name": "calculator", "arguments": {"expression": "1+1"}}', ["calculator"])
    (Call(id='text-1', name='calculator', arguments='{"expression": "1+1"}'), 13)
    >>> call_in_text("calculator(expression='1+1')", ["calculator"])[0].arguments
    '{"expression": "1+1"}'
    """
    if (found := PYTHON.match(text)) and found["name"] in known:
        return Call("text-1", found["name"], _keywords(found["given"])), 0
    if (found := MARKED.search(text)) and meant_tool(found["name"], known):
        return Call("text-1", found["name"], found["given"]), found.start()
    if len(text) > BESIDE + LONGEST_ARGUMENTS:
        return None
    sources = list(sources)
    for first in (match.start() for match in islice(re.finditer(r"\{", text), MOST_BRACKETS)):
        for end in _closing(text, first) or [len(text) - 1]:
            written = text[first : end + 1]
            call = _call(read_arguments(written), known)
            # A note may contain a call, and the model may quote it.
            if call and len(text) - len(written) <= BESIDE and not any(written in source for source in sources):
                return call, _before_marks(text, first)
    return None


def _call(found: Any, known: Sequence[str]) -> Call | None:
    if not isinstance(found, dict):
        return None
    named = next((found[name] for name in NAMES if found.get(name)), "")
    if isinstance(named, dict):
        # {"function": {"name": …, "arguments": …}}
        return _call(named, known)
    if not isinstance(named, str) or not meant_tool(named, known):
        return None
    given: Any = next((found[name] for name in ARGUMENTS if name in found), {})
    return Call("text-1", named, given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))


def _before_marks(text: str, first: int) -> int:
    """Return where the fence or tag before a call begins, or the call itself."""
    marks = re.search(r"(?:```\w*|<\|?[\w ]*\|?>|\[?TOOL_CALLS\]?|\[)\s*\Z", text[:first])
    return marks.start() if marks else first


def _keywords(given: str) -> str:
    """Return the arguments of a call in Python's form as JSON; without names, as they are."""
    try:
        call = ast.parse(f"f({given})", mode="eval").body
        assert isinstance(call, ast.Call), "it was written as one"
        named = {one.arg: ast.literal_eval(one.value) for one in call.keywords if one.arg}
        first = [ast.literal_eval(one) for one in call.args[:1]]
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return given
    return json.dumps(named or (first[0] if first else {}), ensure_ascii=False, default=str)


def _printable(name: str) -> str:
    return re.sub(r"[^\w-]", "_", name)[:60] or "unknown"
