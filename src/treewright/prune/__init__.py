"""Ways to make a grown tree smaller, each a small class with its own numbers.

A pruner looks at a stored tree and says which nodes become leaves. It knows no algorithm that grows trees, so each
works on every tree, with two branches a node or with many. Some look at the tree alone, some at rows that had no part
in growing it. Read `pruner` first: what all have in common, and what they measure.
"""

from treewright.prune.choice import PRUNER_NAMES, choose_pruner, pruner_from_json, pruner_to_json
from treewright.prune.cost_complexity import CostComplexity
from treewright.prune.description_length import DescriptionLength, MinimumDescription
from treewright.prune.minimum_error import MergeEqualLeaves, MinimumError
from treewright.prune.pessimistic_error import PessimisticError
from treewright.prune.pruner import Grown, Pruner
from treewright.prune.readable import Readable
from treewright.prune.reduced_error import ReducedError, ValidationGain
from treewright.prune.significance import ChiSquare, CriticalValue

__all__ = [
    "PRUNER_NAMES",
    "ChiSquare",
    "CostComplexity",
    "CriticalValue",
    "DescriptionLength",
    "Grown",
    "MergeEqualLeaves",
    "MinimumDescription",
    "MinimumError",
    "PessimisticError",
    "Pruner",
    "Readable",
    "ReducedError",
    "ValidationGain",
    "choose_pruner",
    "pruner_from_json",
    "pruner_to_json",
]
