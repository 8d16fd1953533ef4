"""At which level of vectors our own contestants run: the one that most processors have, and beside it the widest here.

Bars are judged at the common level, AVX2: laptops and many clouds have no more. Peers keep what the processor has.
"""

from __future__ import annotations

from benchmarks.contestants import Contestant
from treewright import _core

_OF_PROCESSOR: list[str] = _core.build_info()["vectors_of_processor"]
COMMON = "avx2" if "avx2" in _OF_PROCESSOR else _OF_PROCESSOR[-1]
WIDEST = _OF_PROCESSOR[-1]


def level_of(contestant: type[Contestant]) -> str | None:
    """Give the level of one of ours; None for a peer.

    >>> from benchmarks.contestants import ScikitLearn
    >>> level_of(ScikitLearn) is None
    True
    """
    return (contestant.vectors or COMMON) if contestant.package == "treewright" else None


def at_every_level(contestants: tuple[type[Contestant], ...]) -> list[type[Contestant]]:
    """Give the contestants, each of ours followed by itself at the widest level, where that is another.

    >>> from benchmarks.contestants import ScikitLearn, Treewright
    >>> len(at_every_level((ScikitLearn, Treewright))) == (2 if WIDEST == COMMON else 3)
    True
    """
    found: list[type[Contestant]] = []
    for contestant in contestants:
        found.append(contestant)
        if level_of(contestant) not in (None, WIDEST):
            title = widest_title(contestant.title)
            found.append(type(contestant.__name__ + "Widest", (contestant,), {"title": title, "vectors": WIDEST}))
    return found


def widest_title(title: str) -> str:
    """Give the title at the widest level.

    >>> widest_title("treewright forest") == f"treewright forest, {WIDEST}"
    True
    """
    return f"{title}, {WIDEST}"
