"""`CostComplexity(cp=…)` keeps the nodes that rpart divides, by the plain definition of its rule."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracle.rpart.growth import divided, reachable
from properties.engine import grow_with_engine
from properties.tables import tables
from treewright.reference.cart import Recipe


@given(data=st.data(), cp=st.sampled_from([Fraction(0), Fraction(1, 100), Fraction(1, 16), Fraction(1, 5)]))
def test_the_nodes_that_are_divided_at_a_price_are_those_of_rpart(data: st.DataObject, cp: Fraction) -> None:
    table = data.draw(tables(classes=2))
    core = grow_with_engine(table, Recipe("gini")).tree_.core
    a = core.arrays()
    if core.n_nodes == 1:
        return
    counts = np.zeros((core.n_nodes, core.n_classes))
    counts[np.repeat(np.arange(core.n_nodes), np.diff(a["count_start"])), a["count_class"]] = a["count_weight"]
    total = Fraction(a["weight"][0])
    risks = [(Fraction(w) - Fraction(c.max())) / total for w, c in zip(a["weight"], counts, strict=True)]
    means = [Fraction(c[1:].sum()) / Fraction(w) for w, c in zip(a["weight"], counts, strict=True)]
    children = [core.children[slice(*core.children_start[i : i + 2])].tolist() for i in range(core.n_nodes)]
    leaf = core.leaves_by_price(np.array(risks, float), np.array(means, float), float(cp * risks[0]))
    ours = reachable(children, set(np.flatnonzero(leaf == 0).tolist()))
    assert ours == divided(children, risks, means, cp * risks[0])
