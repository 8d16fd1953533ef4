"""From sums to answers: e to a power nearly rounded, by the steps that exports write, and shares added in order."""

from __future__ import annotations

import math
import random
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from treewright import _core
from treewright.export.code.head import template
from treewright.learners.base import links


def written_links() -> dict[str, Any]:
    """The links as an exported Python file has them."""
    written: dict[str, Any] = {"math": math}
    exec(template("links.py.txt"), written)
    return written


def drawn(n: int) -> list[float]:
    rng = random.Random(3)
    wide = [rng.uniform(-746, 710) for _ in range(n)]
    edges = [0.0, -0.0, 1e-300, -1e-20, -745.1332191019412, 709.782712893384, -746.0, 710.0, math.inf, -math.inf]
    return [*wide, *(rng.gauss(0, 2) for _ in range(n)), *(k * math.log(2) / 2 for k in range(-60, 61)), *edges]


def test_e_to_a_power_is_off_by_less_than_seven_tenths_of_a_unit() -> None:
    numbers = [x for x in drawn(400) if -700 < x < 709]
    with localcontext(prec=60):
        for x, power in zip(numbers, _core.powers_of_e(np.array(numbers)).tolist(), strict=True):
            assert abs(Decimal(x).exp() - Decimal(power)) < Decimal("0.7") * Decimal(math.ulp(power)), x


def test_an_exported_file_has_the_bits_of_the_model() -> None:
    written, numbers = written_links(), drawn(2_000)
    assert [written["_exp"](x) for x in numbers] == links.exp(np.array(numbers)).tolist()
    assert [written["_expit"](x) for x in numbers] == links.expit(np.array(numbers)).tolist()
    finite = np.array([x for x in numbers if math.isfinite(x)])
    for width in (1, 2, 3, 7, 8, 30):
        rows = finite[: len(finite) // width * width].reshape(-1, width)
        assert [written["_softmax"](row) for row in rows.tolist()] == links.softmax(rows).tolist()


def test_links_keep_nan_and_what_they_are_given_as() -> None:
    assert math.isnan(links.exp(np.array([math.nan]))[0])
    assert math.isnan(links.expit(np.array([math.nan]))[0])
    assert links.softmax(np.zeros((2, 4), np.float32)).dtype == np.float32
    assert links.expit(np.zeros((2, 3, 1))).shape == (2, 3, 1)
    assert links.softmax(np.zeros((0, 3))).shape == (0, 3)
    assert links.exp(np.arange(6.0)[::2]).tolist() == links.exp(np.array([0.0, 2.0, 4.0])).tolist()


def test_shares_are_added_from_the_first_to_the_last() -> None:
    row = np.random.default_rng(1).random(40)
    total = 0.0
    for number in row.tolist():
        total += number
    assert links.shares(row[None, :])[0].tolist() == [number / total for number in row.tolist()]
