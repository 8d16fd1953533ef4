"""Start the server on a port, and stop it without losing a request that has begun."""

from __future__ import annotations

import gc
import logging
import socket
import sys
import warnings
from collections.abc import Callable
from typing import Any

from treewright.errors import TreewrightError
from treewright.serve.shelf import Shelf

_SWITCH = 0.0005  # seconds for which a thread that answers a batch keeps single rows waiting; Python's own are 0.005
_WAITING = 2048  # connections that wait to be taken
_LAST_SECONDS = 30  # for requests that have begun when the server is told to stop


def listen(host: str, port: int) -> socket.socket:
    """Take a port before anything is promised; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((host, port))
        opened.listen(_WAITING)  # from now on nobody is turned away
    except (OSError, OverflowError) as problem:
        opened.close()
        raise TreewrightError(
            f"The server cannot listen on {host} port {port}: {problem}. Choose another --port or --host."
        ) from problem
    return opened


def run(shelf: Shelf, opened: socket.socket, app_options: dict[str, Any], tell: Callable[[str], None]) -> None:
    """Serve until the process is told to stop (SIGINT, SIGTERM)."""
    try:
        import uvicorn

        from treewright.serve.app import make_app
    except ImportError as problem:
        raise TreewrightError(
            f"The server needs {problem.name}, which is not installed. Run: pip install 'treewright[serve]'"
        ) from problem
    warnings.filterwarnings("ignore", message="X has feature names")  # of models that were trained without any
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    config = uvicorn.Config(
        make_app(shelf, **app_options),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # nothing here asks who called, and each request would pass one more layer
        ws="none",
        timeout_graceful_shutdown=_LAST_SECONDS,
        timeout_keep_alive=30,
        h11_max_incomplete_event_size=64 * 1024,
    )
    host, port = opened.getsockname()[:2]
    for one in shelf.models.values():
        proof = f", {one.proof}" if one.proof else ""
        tell(f"{one.name}: {type(one.model).__name__} of {one.path}, version {one.version[:12]}{proof}")
    shown = f"[{host}]" if ":" in host else host
    tell(f"Serving on http://{shown}:{port}/ (Ctrl-C stops)")
    _without_pauses()
    uvicorn.Server(config).run(sockets=[opened])


def _without_pauses() -> None:
    """Keep single rows from waiting: for a look through all objects of all packages, or behind a batch in a thread."""
    gc.collect()
    gc.freeze()  # what is there now stays until the end, and is not looked through again
    sys.setswitchinterval(_SWITCH)
