"""The routes that Copilot for Obsidian asks of a local search service, with our results; off until `serve.copilot`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any

from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from notewell.errors import NotewellError
from notewell.serve.answering import answer
from notewell.serve.copilot.bodies import Body, check_filters, read_body
from notewell.serve.copilot.files import FileList, list_chunks
from notewell.serve.copilot.found import describe, name_of
from notewell.serve.copilot.places import check_vault, folder_entry, is_root, note_of, under_of
from notewell.serve.copilot.stamps import stamp_of
from notewell.serve.http.problems import INTERNAL, problem_of
from notewell.types.results import Results
from notewell.vault import Vault

LIMIT, MOST = 10, 1000
# A filter by time drops hits, so that more are asked for.
FILTERED = 100
UNUSED = "not used"
OURS = "Notewell serves one vault, and its settings say what is indexed"
FOLDER_METHODS = ("POST", "PATCH", "DELETE")
Answers = Callable[[Body], tuple[int, Any]]


def make_copilot_app(vault: Vault) -> Starlette:
    """Return the application that answers below `/v0` and `/v1`; the guard in front checks who may send requests."""
    routes = Routes(vault)
    made = [
        Route("/v0/health", _read(routes.health)),
        Route("/v0/search", _sent(routes.search), methods=["POST"]),
        Route("/v0/search/related", _sent(routes.related), methods=["POST"]),
        Route("/v0/folder", _read(routes.folders)),
        Route("/v0/folder", _sent(routes.change_folder), methods=list(FOLDER_METHODS)),
        Route("/v0/folder/files", _read(routes.files)),
        Route("/v0/folder/documents", _read(routes.documents)),
        Route("/v0/scan", _sent(routes.scan), methods=["POST"]),
        Route("/v1/embeddings", _sent(routes.embeddings), methods=["POST"]),
    ]
    handlers: dict[Any, Any] = {HTTPException: _refused, NotewellError: _failed, Exception: _unexpected}
    return Starlette(routes=made, exception_handlers=handlers)


class Routes:
    """The answers of one vault: each a status and what is sent as JSON."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._files = FileList(vault)

    def health(self, _: Mapping[str, str]) -> tuple[int, Any]:
        """Tell whether searches are answered; what the service of this interface consists of is not there."""
        indexed = self._vault.indexed
        return 200, {
            "status": "ok" if indexed else "degraded",
            "service": "running",
            "qdrant": UNUSED,
            "llama_server": UNUSED,
            "model_download_progress": None,
            "embedding_model": self._model,
            "batch_size_preset": None,
            "gpu_variant": None,
            "indexed_files": self._vault.store.about().notes if indexed else 0,
        }

    def search(self, body: Body) -> tuple[int, Any]:
        """Find chunks by words and by meaning."""
        began = time.perf_counter()
        query, limit = body.text("query"), body.number("limit", LIMIT, MOST)
        part, keeps = body.optional("path").casefold(), check_filters(body.value.get("filters"))
        given = {"text": query, "limit": max(limit, FILTERED) if part or keeps else limit, "under": self._under(body)}
        results = self._answer("search", given)
        hits = [hit for hit in results if part in hit.path.casefold()]
        if keeps:
            hits = [hit for hit in hits if all(keep(stamp_of(self._vault.root, hit.path)) for keep in keeps)]
        found = describe(self._vault, hits[:limit], self._model)
        return 200, _listed(found, began, {"query": query})

    def related(self, body: Body) -> tuple[int, Any]:
        """Find the notes most like a note."""
        began = time.perf_counter()
        named, limit = body.text("file_path"), body.number("limit", LIMIT, MOST)
        note, keeps = note_of(self._vault.root, named), check_filters(body.value.get("filters"))
        given = {"note": [note], "limit": FILTERED if keeps else limit, "under": self._under(body)}
        scores: dict[str, float] = {}
        for hit in self._answer("related", given):
            if all(keep(stamp_of(self._vault.root, hit.path)) for keep in keeps):
                scores.setdefault(name_of(self._vault.root, hit.path), round(min(hit.score, 1.0), 6))
        found = [{"path": path, "score": score} for path, score in list(scores.items())[:limit]]
        return 200, _listed(found, began, {"file_path": named})

    def folders(self, asked: Mapping[str, str]) -> tuple[int, Any]:
        """Show the vault, which is the only folder."""
        entry = folder_entry(self._vault)
        path = asked.get("path")
        if path is None:
            return 200, {"folders": [entry]}
        self._check_folder(path)
        return 200, entry

    def files(self, asked: Mapping[str, str]) -> tuple[int, Any]:
        """List the indexed notes."""
        return 200, self._files.page(asked)

    def documents(self, asked: Mapping[str, str]) -> tuple[int, Any]:
        """Show the chunks of a note."""
        return 200, list_chunks(self._vault, asked, self._model)

    def change_folder(self, body: Body) -> tuple[int, Any]:
        """Refuse: the vault is there already, and nothing but its settings says what is indexed."""
        path = body.text("path")
        if body.method != "POST":
            self._check_folder(path)
        elif is_root(self._vault.root, path):
            raise HTTPException(HTTPStatus.CONFLICT, "This folder is registered already")
        raise HTTPException(HTTPStatus.BAD_REQUEST, OURS)

    def scan(self, body: Body) -> tuple[int, Any]:
        """Start to index what changed; notes that did not change are never indexed again, also with `force`."""
        path = body.text("path")
        self._check_folder(path)
        if self._vault.freshness.progress is None:
            self._vault.freshness.reload()
        return 202, {"status": "started", "path": path}

    def embeddings(self, body: Body) -> tuple[int, Any]:
        """Embed texts as notes are embedded."""
        asked, texts = body.optional("model"), body.texts("input")
        embedder = self._vault.models.embedder
        if asked not in ("", embedder.fingerprint):
            raise HTTPException(HTTPStatus.BAD_REQUEST, f"The model of this vault is {embedder.fingerprint}")
        vectors = embedder.embed(texts)
        data = [
            {"object": "embedding", "index": place, "embedding": [float(one) for one in row]}
            for place, row in enumerate(vectors)
        ]
        # Nothing is billed by tokens here: four characters are about one.
        tokens = sum(map(len, texts)) // 4
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return 200, {"object": "list", "data": data, "model": embedder.fingerprint, "usage": usage}

    @property
    def _model(self) -> str | None:
        return self._vault.store.state.made_for.embedder if self._vault.indexed else None

    def _under(self, body: Body) -> str:
        check_vault(self._vault.root, body.optional("folder_name"))
        return under_of(self._vault.root, body.optional("folder_path"))

    def _check_folder(self, path: str) -> None:
        if not is_root(self._vault.root, path):
            raise HTTPException(HTTPStatus.NOT_FOUND, "This folder is not registered")

    def _answer(self, operation: str, given: Mapping[str, Any]) -> Results:
        found: Results = answer(self._vault, operation, {**given, "refresh": True})
        return found


def _listed(found: Sequence[Mapping[str, Any]], began: float, asked: Mapping[str, str]) -> dict[str, Any]:
    took = round((time.perf_counter() - began) * 1000, 3)
    return {"results": found, **asked, "count": len(found), "execution_time_ms": took}


def _read(answers: Callable[[Mapping[str, str]], tuple[int, Any]]) -> Callable[[Request], Any]:
    """Answer a GET in a thread."""

    async def endpoint(request: Request) -> JSONResponse:
        status, value = await run_sync(answers, request.query_params)
        return JSONResponse(value, status)

    return endpoint


def _sent(answers: Answers) -> Callable[[Request], Any]:
    """Answer a request with a body in a thread."""

    async def endpoint(request: Request) -> JSONResponse:
        body = read_body(request.method, await request.body())
        status, value = await run_sync(partial(answers, body))
        return JSONResponse(value, status)

    return endpoint


async def _refused(_: Request, error: HTTPException) -> JSONResponse:
    return JSONResponse({"detail": error.detail}, error.status_code)


async def _failed(_: Request, error: NotewellError) -> Response:
    return problem_of(error).response(detailed=True)


async def _unexpected(_: Request, error: Exception) -> Response:
    return INTERNAL.response(detailed=True)
