"""Workers that hold different rows of one table and do the same steps at the same time: they add their numbers up.

One of them is the hub. The others send it their numbers over a socket, it puts all together and sends every one the
same back. Sums of whole numbers do not depend on who holds which rows. Nothing but numbers travels this way, and who
does not know the key of the fit is turned away.
"""

from __future__ import annotations

import hmac
import secrets
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

_LOOK_UP = 1.0  # seconds after which one who waits asks whether there is still something to wait for
_PATIENCE = 10.0  # seconds in which one who knocks says who they are
_NONCE, _PROOF, _NUMBER = 16, 32, 8  # bytes


class PeerLostError(ConnectionError):
    """One of the workers is gone, or the fit was stopped: the others cannot go on."""


@dataclass(frozen=True)
class Seat:
    """One worker's place among those that share a fit; number 0 is the hub."""

    number: int
    n_seats: int
    address: tuple[str, int]  # where the hub listens
    key: bytes


class Peers:
    """The others, as the core asks them (`core/base/peers.hpp`)."""

    def __init__(self, own: int, lines: Sequence[Line]) -> None:
        self.own = own  # number of the seat
        self._lines = list(lines)  # the hub has one to everybody, by their numbers; the others one to the hub

    def add(self, numbers: NDArray[Any]) -> None:
        """Make each number the sum of what all have in its place."""
        self._in_place(numbers, np.add)

    def take_largest(self, numbers: NDArray[Any]) -> None:
        """Make each number the largest that anybody has in its place."""
        self._in_place(numbers, np.maximum)

    def join(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Give the numbers of all, one after the other."""
        if self.own:
            self._lines[0].send(numbers)
            return self._lines[0].receive(numbers.dtype)
        found = np.concatenate([numbers, *(line.receive(numbers.dtype) for line in self._lines)])
        for line in self._lines:
            line.send(found)
        return found

    def _in_place(self, numbers: NDArray[Any], together: Callable[..., Any]) -> None:
        if self.own:
            self._lines[0].send(numbers)
            numbers[:] = self._lines[0].receive(numbers.dtype, len(numbers))
            return
        for line in self._lines:
            together(numbers, line.receive(numbers.dtype, len(numbers)), out=numbers)
        for line in self._lines:
            line.send(numbers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Let go of the others."""
        for line in self._lines:
            line.close()


class Line:
    """Numbers to one other and back."""

    def __init__(self, connection: socket.socket, stopped: Callable[[], bool]) -> None:
        connection.settimeout(_LOOK_UP)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection, self.stopped = connection, stopped

    def send(self, numbers: NDArray[Any]) -> None:
        """Send an array."""
        self.write(len(numbers).to_bytes(_NUMBER, "little") + numbers.tobytes())

    def receive(self, kind: np.dtype[Any], expected: int | None = None) -> NDArray[Any]:
        """Receive an array of these numbers."""
        count = int.from_bytes(self.read(_NUMBER), "little")
        if expected is not None and count != expected:
            raise PeerLostError("a worker is at another step than the others")
        return np.frombuffer(self.read(count * kind.itemsize), dtype=kind)

    def write(self, message: bytes) -> None:
        """Send bytes."""
        left = memoryview(message)
        while left:
            left = left[self._try(self._connection.send, left) :]

    def read(self, size: int) -> bytearray:
        """Receive so many bytes."""
        found = bytearray(size)
        left = memoryview(found)
        while left:
            count = self._try(self._connection.recv_into, left)
            if count == 0:
                raise PeerLostError("a worker has gone")
            left = left[count:]
        return found

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def _try(self, step: Callable[[memoryview], int], left: memoryview) -> int:
        while True:
            if self.stopped():
                raise PeerLostError("the fit was stopped")
            try:
                return step(left)
            except TimeoutError:
                continue
            except OSError as error:
                raise PeerLostError(str(error)) from error


def listen(host: str) -> socket.socket:
    """Open the hub's door."""
    door = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=1024)
    door.settimeout(_LOOK_UP)
    return door


def peers_of(seat: Seat, door: socket.socket | None, stopped: Callable[[], bool]) -> Peers:
    """Meet the others; the hub has a door, on which they knock.

    Examples
    --------
    >>> from threading import Thread
    >>> door = listen("127.0.0.1")
    >>> seats = [Seat(number, 2, door.getsockname()[:2], b"secret") for number in range(2)]
    >>> def add(seat, door, numbers):
    ...     with peers_of(seat, door, lambda: False) as peers:
    ...         peers.add(numbers)
    >>> ours, theirs = np.array([1, 2]), np.array([10, 20])
    >>> other = Thread(target=add, args=(seats[1], None, theirs))
    >>> other.start()
    >>> add(seats[0], door, ours)
    >>> other.join()
    >>> ours.tolist(), theirs.tolist()
    ([11, 22], [11, 22])
    """
    if door is not None:
        return Peers(0, _let_in(seat, door, stopped))
    try:
        line = Line(socket.create_connection(seat.address, timeout=30), stopped)
    except OSError as error:
        raise PeerLostError(str(error)) from error
    try:
        line.write(seat.number.to_bytes(_NUMBER, "little") + _proof(seat.key, line.read(_NONCE)))
    except PeerLostError:
        line.close()
        raise
    return Peers(seat.number, [line])


def _let_in(seat: Seat, door: socket.socket, stopped: Callable[[], bool]) -> list[Line]:
    lines: dict[int, Line] = {}
    try:
        while len(lines) < seat.n_seats - 1:
            line = _next_line(door, stopped)
            number = _known(line, seat.key)
            line.stopped = stopped
            if number in range(1, seat.n_seats) and number not in lines:
                lines[number] = line
            else:
                line.close()
    except PeerLostError:
        for line in lines.values():
            line.close()
        raise
    finally:
        door.close()
    return [lines[number] for number in sorted(lines)]


def _next_line(door: socket.socket, stopped: Callable[[], bool]) -> Line:
    while not stopped():
        try:
            return Line(door.accept()[0], _in_a_while())
        except TimeoutError:
            continue
        except OSError as error:
            raise PeerLostError(str(error)) from error
    raise PeerLostError("the fit was stopped")


def _in_a_while() -> Callable[[], bool]:
    """Whether who knocked has said nothing for too long."""
    end = time.monotonic() + _PATIENCE
    return lambda: time.monotonic() > end


def _known(line: Line, key: bytes) -> int:
    """The number of who has come; 0 where they do not know the key."""
    nonce = secrets.token_bytes(_NONCE)
    try:
        line.write(nonce)
        number = int.from_bytes(line.read(_NUMBER), "little")
        return number if hmac.compare_digest(line.read(_PROOF), _proof(key, nonce)) else 0
    except PeerLostError:
        return 0


def _proof(key: bytes, nonce: bytes | bytearray) -> bytes:
    return hmac.digest(key, nonce, "sha256")
