"""The server: paths, the token, limits of size and time, and what is counted."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import logging
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import treewright
from treewright.errors import TreewrightError
from treewright.machine import processors
from treewright.serve import answers
from treewright.serve.body import read_body
from treewright.serve.metrics import Metrics
from treewright.serve.openapi import openapi
from treewright.serve.request_rows import CSV, JSON, BadRequestError, Rows, read_rows
from treewright.serve.shelf import ServedModel, Shelf

PAGE = Path(__file__).with_name("try_page.html")
LOG = logging.getLogger("treewright.serve")
_OPEN_PATHS = ("/", "/health")  # the page holds nothing of a model until it has a token
_AT_ONCE = 2_000  # bytes of a body that is answered without a thread
_YES = ("1", "true", "yes")
_JSON = JSON.encode()

Answering = Callable[[ServedModel, Rows, Mapping[str, str]], bytes]


@dataclass(frozen=True)
class Limits:
    """What a request may take: bytes of its body, seconds for its body and for its answer."""

    body: int = 64 * 2**20
    seconds: float = 30.0
    watch: float = 1.0  # seconds between looks at the files; 0 never looks


def make_app(shelf: Shelf, token: str | None = None, limits: Limits | None = None) -> ASGIApp:
    """Give the application, for uvicorn or any other server of ASGI."""
    server = _Server(shelf, limits or Limits())
    page, policy = _page()
    routes = [
        Route(
            "/predict", server.endpoint(_predict), methods=["POST"]
        ),  # other methods are refused; _Guard answers these
        Route("/why", server.endpoint(lambda served, rows, _: answers.why(served, rows)), methods=["POST"]),
        Route("/explain", server.endpoint(lambda served, rows, _: answers.explain(served, rows)), methods=["POST"]),
        Route("/model", server.model),
        Route("/health", lambda _: JSONResponse({"status": "ok", "models": [*shelf.models]})),
        Route("/metrics", lambda _: PlainTextResponse(server.metrics.text(shelf))),
        Route("/openapi.json", lambda _: JSONResponse(openapi(shelf, treewright.__version__, token is not None))),
        Route("/", lambda _: HTMLResponse(page, headers={"Content-Security-Policy": policy})),
    ]
    handlers: Any = {HTTPException: _said, BadRequestError: _bad_request, TreewrightError: _bad_rows}
    app = Starlette(routes=routes, lifespan=server.lifespan, exception_handlers=handlers)
    return _Guard(app, token, server)


def _predict(served: ServedModel, rows: Rows, query: Mapping[str, str]) -> bytes:
    return answers.predict(served, rows, query.get("probabilities", "").lower() in _YES)


class _Server:
    def __init__(self, shelf: Shelf, limits: Limits) -> None:
        self.shelf, self.limits, self.metrics = shelf, limits, Metrics()
        self.threads = ThreadPoolExecutor(processors(), "treewright")

    @contextlib.asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(self._watch()) if self.limits.watch else None
        yield
        if watching is not None:
            watching.cancel()
        self.threads.shutdown(wait=True)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self.limits.watch)
            try:
                problems = await asyncio.get_running_loop().run_in_executor(None, self.shelf.refresh)
            except Exception:  # whatever it is, the next look may do
                LOG.exception("A look at the model files failed.")
                continue
            for problem in problems:
                LOG.warning(problem)

    def endpoint(self, answer: Answering) -> Callable[[Request], Any]:
        async def answer_request(request: Request) -> Response:
            said, _ = await self._answered(answer, request.scope, request.receive)
            return Response(said, media_type=JSON)

        return answer_request

    async def predict(self, scope: Scope, receive: Receive, send: Send) -> int:
        """`POST /predict`, which is asked most: without the layers of Starlette, which took half of the time here.

        Gives the status, 499 where nobody waits any longer.
        """
        try:
            said, rows = await self._answered(_predict, scope, receive)
            status, kind = 200, rows.kind
        except BadRequestError as problem:
            said, status, kind = bytes(_refusal(str(problem), problem.status).body), problem.status, JSON
        except TreewrightError as problem:
            said, status, kind = bytes(_refusal(str(problem), 422).body), 422, JSON
        except ClientDisconnect:
            return 499
        media = kind if kind != CSV else f"{CSV}; charset=utf-8"
        headers = [(b"content-length", b"%d" % len(said)), (b"content-type", media.encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": said})
        return status

    async def _answered(self, answer: Answering, scope: Scope, receive: Receive) -> tuple[bytes, Rows]:
        """What is said to the rows of a request, and these rows."""
        asked = scope["query_string"]
        query = dict(parse_qsl(asked.decode("latin-1"), keep_blank_values=True)) if asked else {}
        served = self._find(query)
        headers = dict(scope["headers"])
        length = headers.get(b"content-length", b"")
        body = await read_body(length, receive, self.limits.body, self.limits.seconds)
        kind = headers.get(b"content-type", _JSON).decode("latin-1")

        def work() -> tuple[bytes, Rows]:
            rows = read_rows(body, kind, served)
            return answer(served, rows, query), rows

        said, rows = work() if len(body) <= _AT_ONCE and answer is _predict else await self._in_time(work)
        self.metrics.rows[served.name] += rows.n
        return said, rows

    def model(self, request: Request) -> Response:
        """All models, or the one that is asked for."""
        if "model" in request.query_params:
            return JSONResponse(answers.describe(self._find(request.query_params)))
        return JSONResponse({"models": [answers.describe(one) for one in self.shelf.models.values()]})

    def _find(self, query: Mapping[str, str]) -> ServedModel:
        name = query.get("model")
        try:
            return self.shelf.find(name)
        except KeyError as problem:
            raise BadRequestError(problem.args[0], 400 if name is None else 404) from None

    async def _in_time(self, work: Callable[[], Any]) -> Any:
        """Work in a thread, and stop waiting after a while; the thread itself ends when it is done."""
        try:
            async with asyncio.timeout(self.limits.seconds):
                return await asyncio.get_running_loop().run_in_executor(self.threads, work)
        except TimeoutError:
            sentence = f"The answer took longer than {self.limits.seconds:g} s. Send fewer rows at once."
            raise BadRequestError(sentence, 503) from None


class _Guard:
    """What stands before every path: the token, and the numbers of `/metrics`."""

    def __init__(self, app: ASGIApp, token: str | None, server: _Server) -> None:
        self.app, self.server, self.metrics = app, server, server.metrics
        self.wanted = None if token is None else f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 500

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            if self._may_enter(scope):
                if scope["path"] == "/predict" and scope["method"] == "POST":
                    status = await self.server.predict(scope, receive, send)
                else:
                    await self.app(scope, receive, note)
            else:
                sentence = "This server wants a token: Authorization: Bearer TOKEN."
                await _refusal(sentence, 401)(scope, receive, note)
        finally:
            known = status != 404 and status != 405
            self.metrics.count(scope["path"] if known else "other", status, time.perf_counter() - begun)

    def _may_enter(self, scope: Scope) -> bool:
        if self.wanted is None or scope["path"] in _OPEN_PATHS:
            return True
        said = dict(scope["headers"]).get(b"authorization", b"")
        return hmac.compare_digest(said, self.wanted)


def _refusal(sentence: str, status: int) -> JSONResponse:
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse({"error": sentence}, status, headers)


def _bad_request(_request: Request, problem: Exception) -> Response:
    assert isinstance(problem, BadRequestError)
    return _refusal(str(problem), problem.status)


def _bad_rows(_request: Request, problem: Exception) -> Response:
    return _refusal(str(problem), 422)


def _said(_request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    return _refusal(f"{problem.detail}. The paths are in /openapi.json.", problem.status_code)


def _page() -> tuple[str, str]:
    """The page to try a row by hand, and the policy by which it runs its own script and nothing else."""
    text = PAGE.read_text(encoding="utf-8")
    script = text.partition("<script>")[2].partition("</script>")[0]
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    own = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; connect-src 'self'"
    return text, f"{own}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
