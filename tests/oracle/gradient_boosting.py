"""Gradient boosting by its definition: every split of every column is scored in fractions, every round starts anew."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from oracle import keyed_words
from oracle.boosting_losses import LOSSES, RowLoss, huber, pinball, softmax_slopes, start, weighted_quantile
from oracle.boosting_tree import BoostedNode, Rules, TreeTask, grow_tree
from treewright.reference.table import Table

PLAIN, WIDE = (30, 30), (50, 50)  # bits of the sums of all absolute gradients and of all hessians, in units
MOST_COUNTED = 2**14  # with fewer rows the words count them, and have fewer bits for the sums
ROUNDING_NOISE = 2.0**-45  # of the first round's gradients: no unit is smaller
ROWS, TREES = 11, 12  # purposes of the random words


@dataclass
class Boosted:
    """The start, the trees (those of one round after each other) and the raw scores of the rows, by output."""

    start: list[float]
    trees: list[list[BoostedNode]] = field(default_factory=list)
    raw: list[list[float]] = field(default_factory=list)


def boost(table: Table, rules: Rules) -> Boosted:
    """Boost the rows that count."""
    rows = table.rows()
    target = [float(table.target[row]) for row in rows]
    weights = [table.weights[row] for row in rows]
    first = start(rules.loss, target, weights, table.n_classes, rules.alpha)
    result = Boosted(first, raw=[[f] * len(table.target) for f in first])
    at_first: dict[int, float] = {}
    for number in range(rules.n_estimators):
        counts = draw_counts(table, rules, number)
        slopes = [slopes_of(table, rules, result.raw, output) for output in range(len(first))]
        for output, (gradient, hessian) in enumerate(slopes):
            key = keyed_words.key_of(rules.seed, TREES, number, output)
            at_first.setdefault(output, weighted_sum(table, [abs(g) for g in gradient]) or 1.0)
            task = in_fixed_point(table, (gradient, hessian), counts, key, at_first[output] * ROUNDING_NOISE)
            nodes = grow_tree(table, rules, task)
            answer_leaves(table, rules, nodes, result.raw[output])
            result.trees.append(nodes)
    return result


def draw_counts(table: Table, rules: Rules, number: int) -> dict[int, int]:
    """How often each row counts in the trees of a round: as it weighs, or as many of its copies as are drawn."""
    if rules.subsample >= 1:
        return {row: table.weights[row] for row in table.rows()}
    units = sorted(table.rows(), key=lambda row: (content(table, row), table.weights[row], row))
    units = [row for row in units for _ in range(table.weights[row])]
    stream = keyed_words.key_of(rules.seed, ROWS, number)
    needed = max(1, math.floor(rules.subsample * len(units) + 0.5))
    counts: dict[int, int] = {}
    for i, row in enumerate(units):
        if unit_number(keyed_words.drawn(stream, i)) * (len(units) - i) < needed:
            counts[row] = counts.get(row, 0) + 1
            needed -= 1
    return counts


def unit_number(word: int) -> float:
    """A number between 0 and 1 from the upper bits of a word.

    >>> unit_number(2**63)
    0.5
    """
    return ((word >> 11) + 0.5) * 2.0**-53


def content(table: Table, row: int) -> int:
    """A number that comes from what is in a row."""
    word = 0
    for column in table.columns:
        value = column.values[row]
        cell = keyed_words.bits(value) if column.kind == "numeric" else int(value or 0)
        word = keyed_words.mixed((word + keyed_words.GOLDEN + cell) & keyed_words.MASK)
    target = keyed_words.bits(float(table.target[row]))
    return keyed_words.mixed((word + keyed_words.GOLDEN + target) & keyed_words.MASK)


def row_loss(table: Table, rules: Rules, raw: list[float]) -> RowLoss:
    """The loss of one output; huber's delta is a quantile of what is left over now."""
    if rules.loss == "quantile":
        return pinball(rules.alpha)
    if rules.loss != "huber":
        return LOSSES[rules.loss]
    return huber(huber_delta(table, rules, raw))


def huber_delta(table: Table, rules: Rules, raw: list[float]) -> float:
    """The alpha-quantile of the absolute residuals."""
    rows = table.rows()
    left_over = [abs(table.target[row] - raw[row]) for row in rows]
    return weighted_quantile(left_over, [table.weights[row] for row in rows], rules.alpha)


def slopes_of(table: Table, rules: Rules, raw: list[list[float]], output: int) -> tuple[list[float], list[float]]:
    """Gradient and hessian of every row, in single precision."""
    if rules.loss == "log_loss" and len(raw) > 1:
        both = [softmax_slopes(y, [scores[i] for scores in raw]) for i, y in enumerate(table.target)]
        pairs = [(gradient[output], hessian[output]) for gradient, hessian in both]
    else:
        loss = row_loss(table, rules, raw[output])
        pairs = [(loss.gradient(y, f), loss.hessian(y, f)) for y, f in zip(table.target, raw[output], strict=True)]
    return [float(np.float32(g)) for g, _ in pairs], [float(np.float32(h)) for _, h in pairs]


def weighted_sum(table: Table, numbers: list[float]) -> float:
    """The sum over the rows that count, by their weights."""
    return sum(table.weights[row] * numbers[row] for row in table.rows())


def in_fixed_point(
    table: Table, slopes: tuple[list[float], list[float]], counts: dict[int, int], key: int, least: float
) -> TreeTask:
    """Whole numbers of units; a row of weight 2 is the row twice, and no hessian is below one unit."""
    gradient, hessian = slopes
    absolute = weighted_sum(table, [abs(g) for g in gradient])
    largest = max(table.weights[row] * abs(gradient[row]) for row in table.rows())
    bend = weighted_sum(table, hessian)
    scale = (absolute or 1.0) * (1 + 1e-9)
    count = max(len(table.target), sum(table.weights))
    counted = sum(table.weights)
    bits = WIDE
    for layout in [PLAIN, counting_layout(counted)] if counted < MOST_COUNTED else [PLAIN]:
        if absolute == 0 or (absolute - largest) * 2 ** layout[0] >= 256 * scale * count:
            bits = layout
    finest = units_per_one(scale, bits[0])
    per_gradient = min(finest, 2.0 ** -math.floor(math.log2(least)))
    per_hessian = units_per_one((bend or 1.0) * (1 + 1e-9), bits[1])
    return TreeTask(
        gradient={row: round(gradient[row] * per_gradient) * counts[row] for row in counts},
        hessian={row: max(1, round(hessian[row] * per_hessian)) * counts[row] for row in counts},
        per_gradient=Fraction(per_gradient),
        per_hessian=Fraction(per_hessian),
        noise=Fraction(weighted_sum(table, [g * g for g in gradient]) / bend if bend else 0.0),
        grid=Fraction(2) ** (40 - 2 * bits[0] + bits[1]) * Fraction(min(finest / per_gradient, 2.0**20)) ** 2,
        key=key,
    )


def counting_layout(rows: int) -> tuple[int, int]:
    """The bits of both sums where a word of 64 bits counts rows too; each part has one more, and the gradient a sign.

    >>> counting_layout(5000)
    (24, 24)
    """
    left = 64 - 3 - rows.bit_length()
    return min(30, left - left // 2), left // 2


def units_per_one(total: float, bits: int) -> float:
    """The largest power of two with which the total stays below 2^bits.

    >>> units_per_one(3.0, 4)
    4.0
    """
    return 2.0 ** math.floor(math.log2(2.0**bits / total))


def answer_leaves(table: Table, rules: Rules, nodes: list[BoostedNode], raw: list[float]) -> None:
    """Refine the leaves where the loss wants it, shrink them, and add them to the scores of all rows."""
    ends = {row: leaf_of(table, nodes, row) for row in range(len(table.target))}
    before = list(raw)
    for leaf in (node for node in nodes if not node.children):
        value = refined(table, rules, leaf, before)
        leaf.value = rules.learning_rate * max(leaf.low, min(leaf.high, value))
    for row, leaf in ends.items():
        raw[row] += leaf.value


def refined(table: Table, rules: Rules, leaf: BoostedNode, raw: list[float]) -> float:
    """What a leaf answers before it is shrunk."""
    if rules.loss not in ("absolute_error", "quantile", "huber"):
        return leaf.value
    left_over = [table.target[row] - raw[row] for row in leaf.rows]
    weights = [table.weights[row] for row in leaf.rows]
    if rules.loss != "huber":
        return weighted_quantile(left_over, weights, rules.alpha if rules.loss == "quantile" else 0.5)
    delta = huber_delta(table, rules, raw)
    middle = weighted_quantile(left_over, weights, 0.5)
    near = [max(-delta, min(delta, r - middle)) for r in left_over]
    return middle + sum(w * r for w, r in zip(weights, near, strict=True)) / sum(weights)


def leaf_of(table: Table, nodes: list[BoostedNode], row: int) -> BoostedNode:
    """Where a row ends."""
    node = nodes[0]
    while node.children:
        node = node.children[node.branch_of(table.columns[node.column].values[row])]
    return node
