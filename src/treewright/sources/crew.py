"""`Crew`: the workers of a cluster that all get the same thing, once, and then each a part of the work on it.

What is asked of them is a function of the thing that was handed out and of one argument that says all. So it does not
matter which worker answers, nor how often it was asked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from treewright.errors import NotEnoughMemoryError
from treewright.memory import size_text

Work = Callable[[Any, Any], Any]  # what was handed out, an argument → an answer
_ROUNDS = 4  # of work for every thread: one that is slow, or begins anew, holds the others up for a quarter at most
_FEWEST = 10  # in a round, if there are several: to begin one takes about as long as two trees


class Crew(ABC):
    """Workers of one cluster. An engine that has some implements what is abstract here."""

    engine: str
    cure: str  # what to set where a worker has too little memory

    @property
    @abstractmethod
    def size(self) -> int:
        """How many answers are worked on at one time."""

    @abstractmethod
    def free_memory(self) -> tuple[int, str]:
        """What is free for each answer that is worked on, where that is least, and where this is."""

    @abstractmethod
    def hand_out(self, thing: Any) -> None:
        """Give all workers something, in place of what they had."""

    @abstractmethod
    def each(self, work: Work, arguments: Sequence[Any], done: Callable[[int], None]) -> list[Any]:
        """Answers to every argument, in their order; `done` is told the place of each when it is there."""

    @abstractmethod
    def close(self) -> None:
        """Let the workers let go of everything."""

    def refuse_small(self, needed: int, doing: str) -> None:
        """Refuse what would need more memory than a worker has, before anything is sent."""
        there, where = self.free_memory()
        if needed > there:
            raise NotEnoughMemoryError(
                f"{doing} hands all rows to every worker of {self.engine} and would take about {size_text(needed)} "
                f"for each of their threads; {where} has {size_text(there)}. {self.cure}"
            )


def slices(first: int, last: int, workers: int) -> list[tuple[int, int]]:
    """Divide numbers among workers: ranges of about the same length, some for each where these are long enough.

    Examples
    --------
    >>> slices(0, 50, 1)
    [(0, 12), (12, 25), (25, 38), (38, 50)]
    >>> slices(0, 7, 2)
    [(0, 4), (4, 7)]
    >>> slices(4, 6, 100)
    [(4, 5), (5, 6)]
    """
    n = min(last - first, max(workers, min(_ROUNDS * workers, (last - first) // _FEWEST)))
    ends = [first + round((last - first) * i / n) for i in range(n + 1)]
    return list(pairwise(ends))
