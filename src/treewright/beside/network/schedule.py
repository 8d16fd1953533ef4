"""How long the steps are, and when to stop: what happens to the learning rate after an epoch."""

from __future__ import annotations

from dataclasses import dataclass

_SMALLEST = 1e-6  # of adaptive rates; below it training stops
_FALL = 5.0


@dataclass(frozen=True)
class Schedule:
    """A rule for the learning rate.

    Parameters
    ----------
    kind : {"constant", "invscaling", "adaptive"}
        "constant": it stays; "invscaling": the start ÷ (rows seen + 1)^power; "adaptive": it is divided by 5 whenever
        the loss stops falling, until it is tiny.
    start : float
        The rate of the first epoch.
    power : float
        The exponent of "invscaling".

    Examples
    --------
    >>> Schedule("invscaling", 1.0, 0.5).after_epoch(1.0, rows_seen=99)
    0.1
    >>> Schedule("adaptive", 1.0).when_stuck(1.0), Schedule("constant", 1.0).when_stuck(1.0)
    (0.2, None)
    """

    kind: str
    start: float
    power: float = 0.5

    def after_epoch(self, rate: float, rows_seen: int) -> float:
        """The rate of the next epoch."""
        return self.start / (rows_seen + 1) ** self.power if self.kind == "invscaling" else rate

    def when_stuck(self, rate: float) -> float | None:
        """The rate to go on with when the loss does not fall any more; None: stop."""
        return rate / _FALL if self.kind == "adaptive" and rate > _SMALLEST else None
