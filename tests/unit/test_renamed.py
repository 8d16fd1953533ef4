"""Names that were public once: they do what the new ones do, and say how these are called."""

from __future__ import annotations

import pytest

import treewright as tw
from treewright.renamed import RENAMED


@pytest.mark.parametrize("old", sorted(RENAMED))
def test_an_old_name_of_the_package_is_the_new_one_and_warns(old: str) -> None:
    with pytest.warns(FutureWarning, match=rf"tw\.{old} is now tw\.{RENAMED[old]};"):
        assert getattr(tw, old) is getattr(tw, RENAMED[old])
    assert old not in tw.__all__


def test_old_names_of_a_tree_warn_and_work() -> None:
    X, y = tw.datasets.load_kyphosis(return_X_y=True)
    model = tw.DecisionTreeClassifier(prune=tw.CostComplexity(cv=5), random_state=1).fit(X, y)
    with pytest.warns(FutureWarning, match=r"model\.prices_ is now model\.cp_table_;"):
        assert model.prices_ is model.cp_table_
    with pytest.warns(FutureWarning, match=r"model\.honest is now model\.holdout_leaves;"):
        assert str(model.honest(X, y)) == str(model.holdout_leaves(X, y))


def test_a_model_without_the_attribute_tells_the_new_name() -> None:
    X, y = tw.datasets.load_kyphosis(return_X_y=True)
    with pytest.raises(AttributeError, match="cp_table_"):
        tw.DecisionTreeClassifier().fit(X, y).prices_  # noqa: B018


def test_a_file_of_the_old_version_names_its_pruner() -> None:
    from treewright.prune.choice import pruner_from_json

    assert pruner_from_json({"pruner": "PriceOfTests"}) == tw.DescriptionLength()
