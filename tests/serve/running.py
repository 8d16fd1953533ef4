"""A real server on a free port, as a process of its own, and requests to it."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

JSON = "application/json"


class Running:
    """A started server."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process, self.port = process, port

    def send(
        self, path: str, body: bytes | None = None, kind: str = JSON, token: str | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """One request; a body makes it a POST."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Content-Type": kind} if body is not None else {}
        headers |= {"Authorization": f"Bearer {token}"} if token else {}
        connection.request("GET" if body is None else "POST", path, body, headers)
        reply = connection.getresponse()
        said = reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read()
        connection.close()
        return said

    def ask(self, path: str, said: Any = None, token: str | None = None) -> tuple[int, Any]:
        """One request of JSON, and its answer as JSON."""
        body = None if said is None else json.dumps(said).encode()
        status, _, answer = self.send(path, body, token=token)
        return status, json.loads(answer)


@contextlib.contextmanager
def serving(*words: str) -> Iterator[Running]:
    """Start `treewright serve` and stop it at the end."""
    command = [sys.executable, "-m", "treewright", "serve", *words, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        told = ""
        for line in process.stderr:
            told += line
            found = re.search(r"Serving on http://127.0.0.1:(\d+)/", line)
            if found:
                break
        else:
            raise AssertionError(f"The server did not start: {told}")
        try:
            yield Running(process, int(found[1]))
        finally:
            process.terminate()
