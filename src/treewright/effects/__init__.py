"""What columns do to the answers of any fitted model: how much each one matters, and how answers move with it.

Read `find_importance` (`tw.importance`) with `column_importance` (its result), and `find_dependence`
(`tw.partial_dependence`) with `dependence` (its result). Models of other libraries are taken too: nothing here knows
how a model is made.
"""

from treewright.effects.column_importance import Importance
from treewright.effects.dependence import PartialDependence
from treewright.effects.find_dependence import partial_dependence
from treewright.effects.find_importance import importance

__all__ = ["Importance", "PartialDependence", "importance", "partial_dependence"]
