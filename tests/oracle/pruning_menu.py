"""Every way of pruning by its definition, on small trees that are ordinary Python objects.

Each function takes a tree and gives a smaller one; the tree it was given stays as it is. Held-out rows are pairs of
what is true and a weight, kept at the node where the row ends. Sums are exact: weights are integers or fractions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from scipy.stats import chi2

from treewright.reference.error_based import Pessimism

Loss = Callable[[float, float], float | Fraction]


@dataclass(frozen=True)
class Node:
    """A node: the training weight of each class, what it answers, its branches, and the held-out rows that end here.

    `gain` is the score of its split. Numbers have no counts: there `mean`, `spread` (the mean squared deviation) and
    `weight` describe the training rows.
    """

    counts: tuple[float, ...]
    answer: float
    children: tuple[Node, ...] = ()
    held: tuple[tuple[float, float], ...] = ()
    gain: float = 0.0
    test_bits: float = 0.0
    spread: float = 0.0
    rows_weight: float = 0.0

    @property
    def weight(self) -> float:
        """The training weight."""
        return sum(self.counts) if self.counts else self.rows_weight

    @property
    def errors(self) -> float:
        """The training weight that the node gets wrong as a leaf."""
        return self.weight - self.counts[int(self.answer)]


def tree(counts: Sequence[float], *children: Node, answer: int | None = None, held: Sequence[float] = ()) -> Node:
    """A node with class counts; it answers the first of the largest unless told otherwise. `held` counts held-out rows
    of each class: the rows that end here, so an inner node has none unless rows stop at it.

    >>> tree((3, 1)).answer, tree((3, 1), held=(0, 2)).held
    (0, ((0, 0), (1, 2)))
    """
    own = tuple((k, weight) for k, weight in enumerate(held))
    return Node(tuple(counts), counts.index(max(counts)) if answer is None else answer, children, own)


def wrong_class(truth: float, answer: float) -> int:
    """The loss of classes: 1 for a wrong one."""
    return int(truth != answer)


def squared(truth: float, answer: float) -> float:
    """The loss of numbers: the squared error, exact for fractions."""
    return (truth - answer) ** 2


# -------------------------------------------------------------------- walking
def leaves(node: Node) -> Iterator[Node]:
    """The leaves of a tree, from the left."""
    if not node.children:
        yield node
    for child in node.children:
        yield from leaves(child)


def inner(node: Node, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Node]]:
    """The nodes that ask, parents first, each with the branches that lead to it."""
    if node.children:
        yield path, node
    for branch, child in enumerate(node.children):
        yield from inner(child, (*path, branch))


def shape(node: Node) -> tuple[object, ...]:
    """The tree without its numbers: a leaf is (), a node the tuple of its branches.

    >>> shape(tree((2, 2), tree((2, 0)), tree((0, 2))))
    ((), ())
    """
    return tuple(shape(child) for child in node.children)


def held_below(node: Node) -> list[tuple[float, float]]:
    """All held-out rows that come to a node."""
    return [*node.held, *(row for child in node.children for row in held_below(child))]


def as_leaf(node: Node) -> Node:
    """The node without what stands below it."""
    return replace(node, children=(), held=tuple(held_below(node)))


def with_cut(node: Node, path: tuple[int, ...]) -> Node:
    """The tree in which the node at the end of the path is a leaf."""
    if not path:
        return as_leaf(node)
    kids = list(node.children)
    kids[path[0]] = with_cut(kids[path[0]], path[1:])
    return replace(node, children=tuple(kids))


def _prune_children(node: Node, prune: Callable[[Node], Node]) -> Node:
    return replace(node, children=tuple(prune(child) for child in node.children))


# -------------------------------------------------------------------- methods that look at held-out rows
def loss_as_leaf(node: Node, loss: Loss) -> float | Fraction:
    """What the held-out rows of a node lose if it answers them all."""
    return sum((weight * loss(truth, node.answer) for truth, weight in held_below(node)), Fraction(0))


def loss_of_tree(node: Node, loss: Loss) -> float | Fraction:
    """What they lose if the tree below answers them; a row that stops at a node is answered by that node."""
    own = sum((weight * loss(truth, node.answer) for truth, weight in node.held), Fraction(0))
    return own + sum((loss_of_tree(child, loss) for child in node.children), Fraction(0))


def reduced_error(node: Node, loss: Loss = wrong_class) -> Node:
    """Quinlan (1987), from the leaves up: a leaf if it loses no more on the held-out rows than what is left below."""
    pruned = _prune_children(node, lambda child: reduced_error(child, loss))
    return as_leaf(pruned) if loss_as_leaf(pruned, loss) <= loss_of_tree(pruned, loss) else pruned


def reduced_error_greedy(node: Node, loss: Loss = wrong_class) -> Node:
    """Mitchell (1997, 3.7.1.1): again and again cut where it helps the held-out rows most, until it helps nowhere.

    Of equals the first in preorder is cut.
    """
    while True:
        offers = [(loss_of_tree(at, loss) - loss_as_leaf(at, loss), path) for path, at in inner(node)]
        best = max((gain for gain, _ in offers), default=0)
        if best <= 0:
            return node
        node = with_cut(node, next(path for gain, path in offers if gain == best))


def validation_gain(
    node: Node, loss: Loss = wrong_class, epsilon: float = 0.0, lookahead: int = 1, unit: float | Fraction = 1
) -> Node:
    """From the root down: a split stays if the held-out rows that come to it lose less by more than epsilon a row.

    What is compared is the node as a leaf, and the tree below it cut off after `lookahead` levels.
    """
    rows = sum(weight for _, weight in held_below(node))
    if not node.children or rows == 0:
        return as_leaf(node)
    gained = loss_as_leaf(node, loss) - loss_of_tree(_top_of(node, lookahead), loss)
    if gained <= Fraction(epsilon) * rows * unit:
        return as_leaf(node)
    return _prune_children(node, lambda child: validation_gain(child, loss, epsilon, lookahead, unit))


def _top_of(node: Node, levels: int) -> Node:
    return as_leaf(node) if levels == 0 else _prune_children(node, lambda child: _top_of(child, levels - 1))


# -------------------------------------------------------------------- methods that look at the training counts
def expected_errors(node: Node, confidence: float, variant: str) -> float:
    """The errors of a node as a leaf, seen and expected; a leaf without rows makes none."""
    return node.errors + Pessimism(confidence, variant).extra_errors(node.weight, node.errors) if node.weight else 0.0


def errors_of_stopped_rows(node: Node) -> float:
    """The training errors of the rows that stop at a node which asks, there and in all nodes below."""
    if not node.children:
        return 0.0
    stopped = [own - sum(below) for own, *below in zip(node.counts, *(c.counts for c in node.children), strict=True)]
    wrong = sum(stopped) - stopped[int(node.answer)]
    return wrong + sum(errors_of_stopped_rows(child) for child in node.children)


def error_based(node: Node, confidence: float = 0.25, variant: str = "j48") -> Node:
    """C4.5's pruning without raising: a leaf if it is expected to make at most 0.1 errors more than the tree below."""
    pruned = _prune_children(node, lambda child: error_based(child, confidence, variant))
    below = sum(expected_errors(leaf, confidence, variant) for leaf in leaves(pruned)) + errors_of_stopped_rows(pruned)
    own = expected_errors(pruned, confidence, variant)
    return as_leaf(pruned) if own <= below + 0.1 else pruned


def pessimistic_1987(node: Node) -> Node:
    """Quinlan (1987), from the root down: half an error more for every leaf, and one standard error of grace."""
    if not node.children:
        return node
    ends = list(leaves(node))
    below = sum(leaf.errors for leaf in ends) + errors_of_stopped_rows(node) + len(ends) / 2
    n = node.weight
    grace = math.sqrt(max(below * (n - below) / n, 0.0)) if n else 0.0
    return as_leaf(node) if node.errors + 0.5 <= below + grace else _prune_children(node, pessimistic_1987)


def pearson(rows: Sequence[Sequence[float]]) -> tuple[float, int]:
    """Pearson's statistic of a table of counts and its degrees of freedom; empty rows and columns do not count.

    >>> statistic, freedom = pearson([(0, 2), (4, 0), (2, 4)])
    >>> round(statistic, 4), freedom
    (6.6667, 2)
    """
    table = [list(row) for row in rows if sum(row) > 0]
    table = [list(column) for column in zip(*table, strict=True) if sum(column) > 0]
    n = sum(map(sum, table))
    expected = [[sum(a) * sum(b) / n for b in zip(*table, strict=True)] for a in table]
    statistic = sum((o - e) ** 2 / e for a, b in zip(table, expected, strict=True) for o, e in zip(a, b, strict=True))
    return statistic, (len(table) - 1) * (len(table[0]) - 1)


def likelihood_ratio(rows: Sequence[Sequence[float]]) -> tuple[float, int]:
    """G², twice the logarithm of the ratio of likelihoods, with the same degrees of freedom."""
    n = sum(map(sum, rows))
    sides = [sum(row) for row in rows]
    classes = [sum(column) for column in zip(*rows, strict=True)]
    cells = [(o, a * b / n) for row, a in zip(rows, sides, strict=True) for o, b in zip(row, classes, strict=True)]
    return 2 * sum(o * math.log(o / e) for o, e in cells if o > 0), pearson(rows)[1]


def chi_square(node: Node, alpha: float = 0.05, statistic: Callable[..., tuple[float, int]] = pearson) -> Node:
    """From the leaves up: a split into leaves goes if chance alone would give a table like its with p > alpha."""
    pruned = _prune_children(node, lambda child: chi_square(child, alpha, statistic))
    if not pruned.children or any(child.children for child in pruned.children):
        return pruned
    table = [child.counts for child in pruned.children]
    value, freedom = statistic(table) if sum(map(sum, table)) else (0.0, 0)
    p = float(chi2.sf(value, freedom)) if freedom else 1.0
    return as_leaf(pruned) if p > alpha else pruned


def m_error(node: Node, prior: Sequence[float], m: float) -> float:
    """Cestnik and Bratko (1991): the expected error of a leaf when m rows of the prior are added to its own.

    >>> round(m_error(tree((2, 3)), (9 / 14, 5 / 14), 2), 4)
    0.4694
    """
    n = node.weight
    return min(1 - (count + m * share) / (n + m) for count, share in zip(node.counts, prior, strict=True))


def minimum_error(node: Node, prior: Sequence[float], m: float = 2.0) -> tuple[Node, float]:
    """From the leaves up: a leaf if its expected error is at most that of its branches, weighted by their rows.

    Rows that stop at the node are answered by it, with its own expected error.
    """
    own = m_error(node, prior, m)
    if not node.children:
        return node, own
    pruned = [minimum_error(child, prior, m) for child in node.children]
    stay = node.weight - sum(child.weight for child in node.children)
    backed_up = stay * own + sum(child.weight * error for child, error in pruned)
    if node.weight * own <= backed_up:
        return as_leaf(node), own
    return replace(node, children=tuple(child for child, _ in pruned)), backed_up / node.weight


def m_variance(node: Node, root: Node, m: float) -> float:
    """Karalic and Cestnik (1991): the expected squared error of a leaf when m rows like the root's are added to it."""
    n = node.weight
    mean = (n * node.answer + m * root.answer) / (n + m)
    squares = (n * (node.spread + node.answer**2) + m * (root.spread + root.answer**2)) / (n + m)
    return squares - mean**2


def minimum_error_of_numbers(node: Node, root: Node, m: float = 2.0) -> tuple[Node, float]:
    """The same for numbers, with the m-estimate of the squared error."""
    own = m_variance(node, root, m)
    if not node.children:
        return node, own
    pruned = [minimum_error_of_numbers(child, root, m) for child in node.children]
    stay = node.weight - sum(child.weight for child in node.children)
    backed_up = stay * own + sum(child.weight * error for child, error in pruned)
    if node.weight * own <= backed_up + 1e-9:
        return as_leaf(node), own
    return replace(node, children=tuple(child for child, _ in pruned)), backed_up / node.weight


def rissanen_bits(counts: Sequence[float]) -> float:
    """Mehta, Rissanen and Agrawal (1995): bits that tell the classes of a leaf's rows.

    >>> round(rissanen_bits((9, 5)), 4)
    16.2192
    """
    n, k = sum(counts), len(counts)
    if n == 0:
        return 0.0
    data = sum(c * math.log2(n / c) for c in counts if c > 0)
    return data + (k - 1) / 2 * math.log2(n / 2) + math.log2(math.pi ** (k / 2) / math.gamma(k / 2))


def exception_bits(counts: Sequence[float], answer: int) -> float:
    """Quinlan and Rivest (1989): bits that tell which rows are exceptions, and of which class.

    >>> [round(exception_bits(counts, 0), 4) for counts in ((9, 5), (3, 2), (5, 0))]
    [13.9672, 5.3219, 2.0]
    """
    n, wrong = sum(counts), sum(counts) - counts[answer]
    most = (n + 1) // 2
    choose = (math.lgamma(n + 1) - math.lgamma(wrong + 1) - math.lgamma(n - wrong + 1)) / math.log(2)
    others = len(counts) - 1
    return math.log2(most + 1) + choose + (wrong * math.log2(others) if others > 1 else 0.0)


def minimum_description(node: Node, bits: Callable[[Node], float]) -> tuple[Node, float]:
    """From the leaves up: a leaf if it and its rows are told in no more bits than the test and all that lies below."""
    own = 1 + bits(node)
    if not node.children:
        return node, own
    pruned = [minimum_description(child, bits) for child in node.children]
    below = 1 + node.test_bits + sum(length for _, length in pruned)
    if own <= below:
        return as_leaf(node), own
    return replace(node, children=tuple(child for child, _ in pruned)), below


def critical_value(node: Node, threshold: float) -> Node:
    """Mingers (1987): a node stays if its split, or one below it, scores more than the threshold."""
    pruned = _prune_children(node, lambda child: critical_value(child, threshold))
    stays = pruned.gain > threshold or any(child.children for child in pruned.children)
    return pruned if stays else as_leaf(pruned)


def merge_equal_leaves(node: Node) -> Node:
    """From the leaves up: branches that are leaves and all answer what their node answers become one leaf."""
    pruned = _prune_children(node, merge_equal_leaves)
    same = all(not child.children and child.answer == pruned.answer for child in pruned.children)
    return as_leaf(pruned) if same else pruned
