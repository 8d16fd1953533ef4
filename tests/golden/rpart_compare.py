"""Two trees side by side, node by node: the same rows, tests, worth, competitors and surrogates, or a tie.

`ours` may be the engine's tree or the slow definition's. What may differ, and is counted:

- **ties**: two splits worth the same, of which rpart's running sums in doubles took the other one. A tie is believed
  only if both are worth the same; we go on below it where both divide the rows alike.
- **undone**: splits that rpart does not keep. It never splits without a gain, and at cp = 0 cuts back what does not
  lower the risk.
"""

from __future__ import annotations

from typing import Any

import pytest

from golden.rpart_tree import Seen

CLOSE = 1e-9
SIX_DIGITS = 1e-6


def differences(ours: Seen, theirs: Seen) -> dict[str, int]:
    """Walk down both trees together; count the explained differences and fail at any other."""
    found = {"compared": 0, "ties": 0, "undone": 0}
    waiting = [(ours, theirs)]
    while waiting:
        mine, peer = waiting.pop()
        assert mine.rows == peer.rows
        assert mine.risk == pytest.approx(peer.risk, rel=CLOSE, abs=CLOSE)
        if not peer.children and mine.children:
            assert is_undone_by_rpart(mine), f"rpart does not split {len(peer.rows)} rows; we do, by {mine.column}"
            found["undone"] += 1
        elif peer.children:
            assert mine.children, f"rpart splits {len(peer.rows)} rows by {peer.column}; our node is a leaf"
            assert mine.improve == pytest.approx(peer.improve, rel=SIX_DIGITS), (mine.column, peer.column)
            found["compared"] += 1
            pairs = [(a, b) for a in mine.children for b in peer.children if a.rows == b.rows]
            if is_same_test(mine, peer):
                assert pairs, f"{mine.column} divides the rows differently"
                compare_lists(mine.given, peer.given)
            else:
                found["ties"] += 1
            waiting += pairs
    return found


def is_same_test(mine: Seen, peer: Seen) -> bool:
    """Do both nodes ask the same column, with the same threshold or the same sets of levels?"""
    if mine.column != peer.column:
        return False
    if mine.threshold is None or peer.threshold is None:
        return {child.rows for child in mine.children} == {child.rows for child in peer.children}
    return mine.threshold == pytest.approx(peer.threshold, rel=1e-12)


def is_undone_by_rpart(node: Seen) -> bool:
    """A split without a gain of its own, or a subtree that does not lower the risk."""
    below = sum(leaf.risk for leaf in node.leaves())
    return node.improve == pytest.approx(0, abs=CLOSE) or below == pytest.approx(node.risk, rel=CLOSE)


def compare_lists(mine: dict[str, Any] | None, peer: dict[str, Any]) -> None:
    """The competitors and surrogates of one node; of equal competitors either may come first, or be cut by another."""
    if mine is None or "competitors" not in mine:
        return
    worths = [split["improve"] for split in mine["competitors"]]
    assert worths == pytest.approx([split["improve"] for split in peer["competitors"]], rel=SIX_DIGITS)
    for split in mine["competitors"]:
        worth = pytest.approx(split["improve"], rel=SIX_DIGITS)
        near = [other["var"] for other in peer["competitors"] if other["improve"] == worth]
        assert worths[-1] == worth or split["var"] in near, (split, peer["competitors"])
    if "surrogates" not in mine:
        return
    assert len(mine["surrogates"]) == len(peer["surrogates"])
    for split, other in zip(mine["surrogates"], peer["surrogates"], strict=True):
        assert is_same_split(split, other), (split, other)
        assert (split["agree"], split["adj"]) == pytest.approx((other["agree"], other["adj"]), rel=CLOSE)


def is_same_split(mine: dict[str, Any], peer: dict[str, Any]) -> bool:
    """The same column and the same cut; which side is called left may differ."""
    if mine["var"] != peer["var"]:
        return False
    if "threshold" in mine and "threshold" in peer:
        return bool(mine["threshold"] == pytest.approx(peer["threshold"], rel=1e-11))
    sides = {frozenset(mine["left"]), frozenset(mine["right"])}
    return sides == {frozenset(peer["left"]), frozenset(peer["right"])}
