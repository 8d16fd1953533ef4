"""What a server counts, as text that Prometheus reads."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field

from treewright.serve.shelf import Shelf

_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # seconds


@dataclass
class Metrics:
    """Requests by path and status, how long they took, and rows.

    Examples
    --------
    >>> metrics = Metrics()
    >>> metrics.count("/predict", 200, 0.004)
    >>> print(metrics.text(Shelf()).splitlines()[2])
    treewright_requests_total{path="/predict",status="200"} 1
    """

    requests: Counter[tuple[str, int]] = field(default_factory=Counter)
    durations: list[int] = field(default_factory=lambda: [0] * (len(_BOUNDS) + 1))
    seconds: float = 0.0
    rows: Counter[str] = field(default_factory=Counter)

    def count(self, path: str, status: int, seconds: float) -> None:
        """Note a request that is over."""
        self.requests[path, status] += 1
        self.durations[bisect_left(_BOUNDS, seconds)] += 1
        self.seconds += seconds

    def text(self, shelf: Shelf) -> str:
        """All numbers so far."""
        lines = _head("requests_total", "counter", "Requests by path and status.")
        lines += [
            f'treewright_requests_total{{path="{path}",status="{status}"}} {n}'
            for (path, status), n in sorted(self.requests.items())
        ]
        lines += _head("request_seconds", "histogram", "How long requests took.")
        total = 0
        for bound, n in zip([*map(str, _BOUNDS), "+Inf"], self.durations, strict=True):
            total += n
            lines.append(f'treewright_request_seconds_bucket{{le="{bound}"}} {total}')
        lines += [f"treewright_request_seconds_sum {self.seconds}", f"treewright_request_seconds_count {total}"]
        lines += _head("rows_total", "counter", "Rows that were answered, by model.")
        lines += [f'treewright_rows_total{{model="{_label(name)}"}} {n}' for name, n in sorted(self.rows.items())]
        lines += _head("model_info", "gauge", "The models and their versions.")
        lines += [
            f'treewright_model_info{{model="{_label(one.name)}",version="{one.version}"}} 1'
            for one in shelf.models.values()
        ]
        for name, n, told in (
            ("reloads_total", shelf.reloads, "New versions of models that were taken."),
            ("reload_failures_total", shelf.failures, "Changed files that could not be loaded."),
        ):
            lines += [*_head(name, "counter", told), f"treewright_{name} {n}"]
        return "\n".join(lines) + "\n"


def _head(name: str, kind: str, told: str) -> list[str]:
    return [f"# HELP treewright_{name} {told}", f"# TYPE treewright_{name} {kind}"]


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
