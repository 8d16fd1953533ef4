"""Boosting among peers: rows that are divided in any way give the trees that all rows give in one place."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from thorough import some
from treewright import _core
from treewright.sources.peers import PeerLostError, Seat, listen, peers_of

KEY = b"the key of this fit"


def together(n_seats: int, work: Callable[[int, Any], Any]) -> list[Any]:
    """Let so many peers work at the same time, each with its number."""
    door = listen("127.0.0.1")
    seats = [Seat(number, n_seats, door.getsockname()[:2], KEY) for number in range(n_seats)]

    def sit(seat: Seat) -> Any:
        with peers_of(seat, None if seat.number else door, lambda: False) as peers:
            return work(seat.number, peers)

    with ThreadPoolExecutor(n_seats) as pool:
        return [each.result(timeout=120) for each in [pool.submit(sit, seat) for seat in seats]]


def random_columns(rng: np.random.Generator, n: int) -> list[tuple[str, np.ndarray, Any]]:
    """Columns of every kind that can be shared: few values, floats, doubles, large whole numbers, levels, holes."""
    long = rng.normal(size=n)
    holes = np.where(rng.random(n) < 0.2, np.nan, long)
    odd = np.where(rng.random(n) < 0.1, rng.choice([np.inf, -np.inf, -0.0, 0.0], n), np.round(long, 3))
    return [
        ("numeric", long, None),
        ("numeric", holes.astype(np.float32), None),
        ("numeric", np.round(holes), None),
        ("numeric", odd, None),
        ("numeric", rng.integers(10**9, 10**9 + 3000, n).astype(np.float64), None),
        ("numeric", rng.integers(2**53 - 300, 2**53 + 300, n).astype(np.float64), None),
        ("numeric", rng.integers(-100, 100, n).astype(np.int8), None),
        ("numeric", np.full(n, np.nan), None),
        ("numeric", np.full(n, 7.0), None),
        ("nominal", rng.integers(0, 6, n).astype(np.uint8), 5),
        ("nominal", rng.integers(0, 256, n).astype(np.uint8), 255),
    ]


def rules(rng: np.random.Generator, loss: str) -> dict[str, Any]:
    return {
        "loss": loss,
        "n_estimators": 4,
        "max_leaf_nodes": int(rng.integers(2, 32)),
        "min_samples_leaf": int(rng.choice([1, 20, 900])),
        "max_bins": int(rng.choice([255, 16])),
        "l2_regularization": float(rng.choice([0, 0.5])),
        "columns_per_node": int(rng.choice([0, 3])),
        "columns_per_tree": int(rng.choice([0, 5])),
        "level_wise": bool(rng.random() < 0.3),
        "monotone": [1, *[0] * 10] if rng.random() < 0.3 else [],
        "seed": 3,
    }


def boost(columns: Any, y: Any, n_classes: int, weights: Any, rules: dict[str, Any], peers: Any = None) -> Any:
    table = _core.Table(len(y), columns, 1, len(y), peers)
    rows = np.arange(len(y)) if weights is None else np.flatnonzero(weights > 0)
    core, start, _ = _core.boost(
        table, y, n_classes, weights, rows.astype(np.uint32), np.empty(0, np.uint32), None, rules, None, 1,
        _core.Progress(), peers,
    )  # fmt: skip
    return core.arrays(), start


def assert_equal(found: Any, expected: Any) -> None:
    assert found[1].tobytes() == expected[1].tobytes()
    assert found[0].keys() == expected[0].keys()
    for name, array in expected[0].items():
        assert found[0][name].tobytes() == array.tobytes(), name


@pytest.mark.parametrize("seed", some(range(40), 4))
def test_peers_grow_the_trees_of_all_rows_in_one_place(seed: int) -> None:
    rng = np.random.default_rng([5, seed])
    n = int(rng.choice([16_385, 20_000, 40_000]))
    columns = random_columns(rng, n)
    loss, n_classes = [("squared_error", 0), ("log_loss", 2), ("log_loss", 3), ("poisson", 0), ("gamma", 0)][seed % 5]
    y = rng.integers(0, n_classes, n).astype(float) if n_classes else np.round(rng.gamma(2, 3, n) + columns[0][1] ** 2)
    y = y + (0.5 if loss == "gamma" else 0)
    weights = [None, rng.integers(0, 4, n).astype(float), rng.random(n)][rng.integers(3)]
    n_seats = int(rng.choice([1, 2, 3, 5]))
    seat_of = rng.integers(0, n_seats, n) if rng.random() < 0.7 else np.arange(n) * n_seats // n
    seat_of[:n_seats] = np.arange(n_seats)  # nobody is without rows
    chosen = rules(rng, loss)
    expected = boost(columns, y, n_classes, weights, chosen)

    def own_rows(number: int, peers: Any) -> Any:
        here = seat_of == number
        own = [(kind, values[here], levels) for kind, values, levels in columns]
        return boost(own, y[here], n_classes, None if weights is None else weights[here], chosen, peers)

    for found in together(n_seats, own_rows):
        assert_equal(found, expected)


# ---------------------------------------------------------------- who is gone, and who is a stranger


def test_one_who_goes_ends_the_fit_of_the_others() -> None:
    def go(number: int, peers: Any) -> str:
        if number == 1:
            return "went"
        numbers = np.arange(3)
        try:
            peers.add(numbers)
            peers.add(numbers)
        except PeerLostError:
            return "noticed"
        return "noticed nothing"

    assert together(3, go) == ["noticed", "went", "noticed"]


def test_one_at_another_step_is_not_added() -> None:
    def step(number: int, peers: Any) -> str:
        try:
            peers.add(np.arange(3 + number))
        except PeerLostError as error:
            return str(error)
        return "added"

    assert "a worker is at another step than the others" in together(2, step)[0]


def test_a_stranger_is_turned_away() -> None:
    door = listen("127.0.0.1")
    address = door.getsockname()[:2]
    numbers = np.array([1])

    def hub() -> None:
        with peers_of(Seat(0, 2, address, KEY), door, lambda: False) as peers:
            peers.add(numbers)

    thread = threading.Thread(target=hub)
    thread.start()
    for strange in (b"x" * 40, b""):
        with socket.create_connection(address) as line:
            line.sendall(strange)
    with peers_of(Seat(1, 2, address, b"another key"), None, lambda: False) as peers, pytest.raises(PeerLostError):
        peers.add(np.array([5]))
    with peers_of(Seat(1, 2, address, KEY), None, lambda: False) as peers:
        peers.add(np.array([2]))
    thread.join(timeout=20)
    assert numbers.tolist() == [3]


def test_one_who_waits_is_stopped() -> None:
    stopped = threading.Event()
    door = listen("127.0.0.1")
    threading.Timer(0.2, stopped.set).start()
    with pytest.raises(PeerLostError, match="stopped"):
        peers_of(Seat(0, 2, door.getsockname()[:2], KEY), door, stopped.is_set)
