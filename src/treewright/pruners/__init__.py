"""Ways to make a grown tree smaller, each a small class with its own numbers.

A pruner looks at a stored tree and says which nodes become leaves. It knows no algorithm that grows trees, so each
works on every tree, with two branches a node or with many. Some look at the tree alone, some at rows that had no part
in growing it. Read `pruner` first (what all have in common), then `tree_sums` and `held_out` (what they measure).
"""

from treewright.pruners.chi_square import ChiSquare
from treewright.pruners.choice import PRUNER_NAMES, choose_pruner, pruner_from_json, pruner_to_json
from treewright.pruners.cost_complexity import CostComplexity
from treewright.pruners.critical_value import CriticalValue
from treewright.pruners.merge_equal_leaves import MergeEqualLeaves
from treewright.pruners.minimum_description import MinimumDescription
from treewright.pruners.minimum_error import MinimumError
from treewright.pruners.pessimistic_error import PessimisticError
from treewright.pruners.price_of_tests import PriceOfTests
from treewright.pruners.pruner import Grown, Pruner
from treewright.pruners.reduced_error import ReducedError
from treewright.pruners.validation_gain import ValidationGain

__all__ = [
    "PRUNER_NAMES",
    "ChiSquare",
    "CostComplexity",
    "CriticalValue",
    "Grown",
    "MergeEqualLeaves",
    "MinimumDescription",
    "MinimumError",
    "PessimisticError",
    "PriceOfTests",
    "Pruner",
    "ReducedError",
    "ValidationGain",
    "choose_pruner",
    "pruner_from_json",
    "pruner_to_json",
]
