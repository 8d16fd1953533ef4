"""Names that were public once: they do what the new ones do, and say how these are called."""

from __future__ import annotations

from pathlib import Path

import pytest

import treewright as tw
from treewright.renamed import RENAMED
from treewright.save.model_bytes import to_bytes


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


def test_an_old_name_of_a_parameter_is_taken_with_a_warning() -> None:
    with pytest.warns(FutureWarning, match="The parameter 'lambda_' is now 'alpha';"):
        model = tw.RegularizedRegression(lambda_=5.0)
    assert model.alpha == 5.0
    assert "lambda_" not in model.get_params()
    with pytest.warns(FutureWarning, match="The parameter 'lambda_' is now 'alpha';"):
        assert model.set_params(lambda_=2.0).alpha == 2.0
    with pytest.warns(FutureWarning, match=r"model\.lambda_ is now model\.alpha;"):
        assert model.lambda_ == 2.0
    with pytest.raises(TypeError, match="has no parameter 'lamda'"):
        tw.RegularizedRegression(lamda=5.0)


def test_a_file_of_the_old_version_is_read_by_its_old_names(tmp_path: Path) -> None:
    X, y = tw.datasets.load_airquality(return_X_y=True)
    model = tw.RegularizedRegression(alpha="cv", alphas=5).fit(X[["Wind", "Temp"]], y)
    old = {new: old for old, new in model._renamed.items()}
    header, arrays = model._tw_state()
    for part in ("params", "learnt"):
        header[part] = {old.get(name, name): value for name, value in header[part].items()}
    arrays = {
        f"learnt_{old.get(name[7:], name[7:])}" if name.startswith("learnt_") else name: each
        for name, each in arrays.items()
    }
    assert {"lambda_", "lambdas"} <= set(header["params"])
    assert "learnt_path_lambdas_" in arrays
    (tmp_path / "old.tw").write_bytes(to_bytes(header, arrays))
    assert tw.load(tmp_path / "old.tw").fingerprint() == model.fingerprint()


def test_a_model_without_the_attribute_tells_the_new_name() -> None:
    X, y = tw.datasets.load_kyphosis(return_X_y=True)
    with pytest.raises(AttributeError, match="cp_table_"):
        tw.DecisionTreeClassifier().fit(X, y).prices_  # noqa: B018


def test_a_file_of_the_old_version_names_its_pruner() -> None:
    from treewright.prune.choice import pruner_from_json

    assert pruner_from_json({"pruner": "PriceOfTests"}) == tw.DescriptionLength()
