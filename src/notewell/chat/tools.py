"""The tools of the agent: they only read, and only in the scope of the question, whatever a model asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import NamedTuple

from notewell.chat.calculator import calculate
from notewell.chat.passages import Found, Passage, find_passages
from notewell.chat.prompt import prompt, show_passages
from notewell.errors import LlmError, QueryError
from notewell.llm import Message, Model, Text, Tool
from notewell.names.suggest import CLOSE, suggest
from notewell.search.budget import CHARS_PER_TOKEN, count_tokens, line_in_prompt, path_in_prompt, safe_in_prompt
from notewell.search.plan import make_scope
from notewell.search.query import read_filters
from notewell.types.query import Query
from notewell.vault import Vault

# Notes that a list names, the newest first; and passages of a document that are read.
LISTED, READ = 40, 12
# Tokens of an analysis.
ANALYSIS = 600

TEXT = {"type": "string"}


def _tool(name: str, description: str, needed: Mapping[str, str], more: Mapping[str, str] | None = None) -> Tool:
    properties = {one: {**TEXT, "description": help} for one, help in {**needed, **(more or {})}.items()}
    return Tool(name, description, {"type": "object", "properties": properties, "required": list(needed)})


DOCUMENT = "A path or title, as in the passages or in list_documents"
TOOLS = (
    _tool(
        "search_knowledge_base",
        "Search the notes again, with other words than those of the question",
        {"query": "A few specific words"},
    ),
    _tool("list_documents", "List the notes, the newest first", {}, {"contains": "Only titles and paths with this"}),
    _tool(
        "analyze_document",
        "Read one note, and get its topics, facts and a summary",
        {"document": DOCUMENT},
        {"question": "What to look for"},
    ),
    _tool(
        "compare_documents",
        "Answer a question by comparing two notes",
        {"first": DOCUMENT, "second": DOCUMENT, "question": "What to compare"},
    ),
    _tool(
        "calculator",
        "Compute numbers; never compute them yourself",
        {"expression": "Arithmetic, such as 0.15 * 2340"},
    ),
    _tool("current_time", "Get the date and time of now", {}),
)


class Result(NamedTuple):
    """What a tool returns: its text, and how surely the passages that it found answer, from 0 to 1."""

    text: str
    confidence: float = 0.0
    # Whether an answer may rest on it even if no passage answers; and whether it says only what went wrong.
    suffices: bool = False
    is_error: bool = False


class Toolbox:
    """The tools of one question, with its scope, and every passage that was found for it."""

    def __init__(self, vault: Vault, query: Query, found: Found, model: Model) -> None:
        self.passages = list(found.passages)
        self._vault = vault
        # The scope of every search: models choose only words, and notes inside of it.
        self._query = query
        self._model = model
        self._run: Mapping[str, Callable[[Mapping[str, str], int], Result]] = {
            "search_knowledge_base": self._search,
            "list_documents": self._list,
            "analyze_document": self._analyze,
            "compare_documents": self._compare,
            "calculator": self._calculate,
            "current_time": self._time,
        }

    def run(self, name: str, given: Mapping[str, str], room: int) -> Result:
        """Return the result of a tool, in about `room` tokens at most; an error is a result, too."""
        try:
            return self._run[name](given, room)
        except (QueryError, LlmError) as error:
            return Result(f"{error.fact}. {error.hint}", is_error=True)

    def _search(self, given: Mapping[str, str], room: int) -> Result:
        found = find_passages(self._vault, replace(self._query, text=given["query"]))
        new = self._add(found.passages, room)
        if new:
            return Result(f"More passages:\n\n{show_passages(new)}", found.confidence)
        known = "Nothing else was found. Answer from the passages above." if found.passages else "Nothing was found."
        return Result(known, found.confidence, is_error=True)

    def _list(self, given: Mapping[str, str], room: int) -> Result:
        part = given.get("contains", "").casefold()
        titled = [(path, title) for path, title in self._notes() if part in f"{path}\n{title}".casefold()]
        lines = [f"{path_in_prompt(path)}: {line_in_prompt(title)}" for path, title in titled]
        shown = list(_fitting(lines[:LISTED], room))
        rest = f"\n… and {len(lines) - len(shown):,} more" if len(lines) > len(shown) else ""
        return (
            Result("\n".join(shown) + rest, suffices=True)
            if shown
            else Result("There are no such notes.", is_error=True)
        )

    def _analyze(self, given: Mapping[str, str], room: int) -> Result:
        question = given.get("question", "")
        passages, confidence = self._document(given["document"], question, self._room)
        return Result(self._ask("analyze", passages, question or "What does this document say?", room), confidence)

    def _compare(self, given: Mapping[str, str], room: int) -> Result:
        question = given["question"]
        first, one = self._document(given["first"], question, self._room // 2)
        second, other = self._document(given["second"], question, self._room // 2)
        return Result(self._ask("compare", [*first, *second], question, room), max(one, other))

    def _calculate(self, given: Mapping[str, str], room: int) -> Result:
        return Result(f"{given['expression']} = {calculate(given['expression'])}", suffices=True)

    def _time(self, given: Mapping[str, str], room: int) -> Result:
        return Result(datetime.now().astimezone().strftime("%A, %Y-%m-%d %H:%M %Z"), suffices=True)

    def _add(self, passages: Iterable[Passage], room: int) -> list[Passage]:
        """Return the passages that are new and fit, with numbers of their own, and keep them."""
        known = {(one.hit.path, one.hit.line) for one in self.passages}
        new = [one for one in passages if (one.hit.path, one.hit.line) not in known]
        for one in new:
            numbered = replace(one, number=len(self.passages) + 1)
            room -= count_tokens(show_passages([numbered]))
            if room < 0:
                break
            self.passages.append(numbered)
        return self.passages[len(known) :]

    def _document(self, name: str, question: str, room: int) -> tuple[list[Passage], float]:
        """Return the passages of a note that fit, in their order, all of them inside the scope; none is an error."""
        found = None
        for path in self._paths(name):
            found = find_passages(
                self._vault, replace(self._query, text=question or path, under=path, limit=READ, like=())
            )
            if found.passages:
                break
        if found is None or not found.passages:
            raise QueryError(f"There is no document '{line_in_prompt(name)}' here", "list_documents lists them")
        self._add(found.passages, room)
        path = found.passages[0].hit.path
        return sorted((one for one in self.passages if one.hit.path == path), key=_line), found.confidence

    def _paths(self, name: str) -> list[str]:
        """Return the notes of the scope that a name may mean, the likeliest first."""
        wanted, notes = name.strip().casefold().rstrip("/"), self._notes()
        names = {path: (path, PurePosixPath(path).name, PurePosixPath(path).stem, title) for path, title in notes}
        exact = [path for path, called in names.items() if wanted in map(str.casefold, called)]
        if exact:
            return exact[:3]
        called = {one: path for path, every in names.items() for one in every}
        return [called[one] for one in suggest(name, called, limit=1, least=CLOSE)]

    def _notes(self) -> list[tuple[str, str]]:
        """Return the paths and titles of all notes in the scope, the newest first."""
        vault, query = self._vault, self._query
        filters = read_filters(query.filters, datetime.now().astimezone().date())
        scope = make_scope(query.under, vault.root, filters)
        with vault.shown.searching() as (snapshot, excluded):
            titles = {one.path: one.title for one in snapshot.names()}
            ids = [chunk for chunk, _ in snapshot.newest(scope, len(titles))]
            paths = [chunk.path for chunk in snapshot.chunks(ids).values()]
        return [(path, titles.get(path, "")) for path in dict.fromkeys(paths) if path not in excluded]

    @property
    def _room(self) -> int:
        """Return how many tokens of documents one request takes."""
        return self._model.context - 2 * ANALYSIS

    def _ask(self, name: str, passages: Sequence[Passage], question: str, room: int) -> str:
        """Return the model's answer about documents, from a separate request without tools."""
        shown = show_passages(passages)
        asked = prompt("document").format(task=prompt(name), passages=shown, question=line_in_prompt(question))
        text = ""
        with suppress(LlmError), closing(self._model.reply([Message("user", asked)], max_tokens=ANALYSIS)) as reply:
            for piece in reply:
                text += piece.text if isinstance(piece, Text) else ""
                if len(text) > 2 * ANALYSIS * CHARS_PER_TOKEN:
                    break
        # Its words about notes are data, like the notes.
        return safe_in_prompt(text).strip() or show_passages(_first(passages, room))


def _line(passage: Passage) -> int:
    return passage.hit.line


def _first(passages: Sequence[Passage], room: int) -> list[Passage]:
    shown = {show_passages([passage]): passage for passage in passages}
    return [shown[text] for text in _fitting(shown, room)]


def _fitting(lines: Iterable[str], room: int) -> Iterator[str]:
    """Yield the first lines that fit into `room` tokens."""
    for line in lines:
        room -= count_tokens(line)
        if room < 0:
            return
        yield line
