"""How a proof compares answers of which some units in the last place may differ."""

from __future__ import annotations

import math

from treewright.export.expected import Answers
from treewright.export.proof import first_difference
from treewright.export.runtimes import Questions


def test_the_first_of_two_shares_may_move_only_with_the_second() -> None:
    def differ(expected: list[float], found: list[float], units: int) -> bool:
        one = Answers([[]], [expected], None), Answers([[]], [found], None)
        return first_difference(Questions([], [[0.0]], None), *one, units) is not None

    second, next_one = 0.9515393461554046, math.nextafter(0.9515393461554046, 0)
    assert not differ([1 - second, second], [1 - next_one, next_one], 2)
    assert differ([1 - second, second], [1 - next_one, next_one], 0)
    assert differ([1 - second, second], [1 - next_one, second], 2)
    assert differ([1 - second, second], [1 - 0.95, 0.95], 2)
