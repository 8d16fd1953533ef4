"""The body of a request: no more of it than is taken, and no longer than is waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

from treewright.serve.request_rows import BadRequestError


async def read_body(length: bytes, receive: Receive, most: int, seconds: float) -> bytes:
    """Read a body of at most so many bytes within so many seconds; `length` is what the request says of it.

    A small body mostly came with its request. It is taken as it is: a clock for each request would cost a third of the
    time that the application has for it.
    """
    if length.isdigit() and (len(length) > 18 or int(length) > most):
        raise _too_long(most)
    begun = _Begun(receive())
    if begun.message is not None:
        message: Message = begun.message
        if message["type"] == "http.request" and not message.get("more_body", False):
            return _taken([message], most)
    try:
        async with asyncio.timeout(seconds):
            messages = [await begun]
            size = len(messages[0].get("body", b""))
            while messages[-1]["type"] != "http.disconnect" and messages[-1].get("more_body", False) and size <= most:
                messages.append(await receive())
                size += len(messages[-1].get("body", b""))
    except TimeoutError:
        raise BadRequestError(f"The body did not come within {seconds:g} s.", 408) from None
    return _taken(messages, most)


def _taken(messages: list[Message], most: int) -> bytes:
    if messages[-1]["type"] == "http.disconnect":
        raise ClientDisconnect
    body = b"".join(message.get("body", b"") for message in messages)
    if len(body) > most:
        raise _too_long(most)
    return body


def _too_long(most: int) -> BadRequestError:
    return BadRequestError(f"The body has more than {most:,} bytes. Send fewer rows at once.", 413)


class _Begun:
    """A call of `receive` that has begun: its message where it is there at once, else what it waits for."""

    def __init__(self, waiting: Any) -> None:
        self.waiting = waiting
        self.message: Message | None = None
        self.step: Any = None
        if isinstance(waiting, Coroutine):
            try:
                self.step = waiting.send(None)
            except StopIteration as done:
                self.message = done.value

    def __await__(self) -> Generator[Any, Any, Message]:
        if self.message is not None:
            return self.message
        if self.step is None:  # another kind of awaitable, which has not begun
            came: Message = yield from self.waiting.__await__()
            return came
        step = self.step
        try:
            while True:
                try:
                    sent = yield step
                except BaseException as problem:
                    step = self.waiting.throw(problem)
                else:
                    step = self.waiting.send(sent)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]
