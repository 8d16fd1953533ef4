"""A slice of `make fuzz`: hostile files of every kind of model are refused, or load and answer everything."""

from __future__ import annotations

import copy
import io
import pickle
import random
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest

import treewright as tw
from fuzz.attempt import Attempt, attempt_of, try_it
from fuzz.grammar import Taken, parts_of
from fuzz.models import MODELS, model_bytes
from fuzz.run import run
from fuzz.verbs import verbs
from thorough import THOROUGH
from treewright.errors import DataError, ModelFileError
from treewright.export.model_formula import exported_of
from treewright.learners.ensemble.asked_ensemble import asked_ensemble_of
from treewright.learners.registry import LEARNERS
from treewright.save import from_bytes, to_bytes
from treewright.save.persist import KINDS, _param_from_json, load_bytes
from treewright.table.schema import Column

N_FILES = 8_000 if THOROUGH else 600


@pytest.mark.random_examples
def test_hostile_files_are_refused_or_answer_everything(tmp_path: Path) -> None:
    findings = run(N_FILES, seed=2, keep=tmp_path)
    assert not findings.wrong, "\n".join(findings.lines())
    assert findings.refused > N_FILES / 3
    assert findings.loaded > N_FILES / 10, "the damage never reaches past the checks, so it tests too little"


def test_every_kind_of_model_is_among_those_that_are_damaged() -> None:
    kinds = {type(load_bytes(model_bytes(name))).__name__ for name in MODELS}
    listed = {name for record in LEARNERS.values() for name in (record.classifier, record.regressor) if name}
    assert kinds >= listed | {"Autoencoder"}


@pytest.mark.parametrize("name", sorted(MODELS))
def test_an_honest_file_answers_everything(name: str) -> None:
    model = load_bytes(model_bytes(name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _, ask in verbs(model):
            ask()


def test_the_same_seed_and_number_make_the_same_file() -> None:
    assert [attempt_of(3, k).data for k in range(60)] == [attempt_of(3, k).data for k in range(60)]
    assert len({attempt_of(3, k).data for k in range(60)}) > 50


def changed(name: str) -> Taken:
    return copy.deepcopy(parts_of(name))


def outcome(taken: Taken) -> str:
    data = to_bytes(taken.header, taken.arrays)
    return try_it(Attempt("", data, None, random.Random(0))).kind


def test_an_array_of_another_type_is_refused() -> None:
    taken = changed("forest")
    taken.arrays["test"] = taken.arrays["test"].astype(np.float64)
    assert outcome(taken) == "refused"
    taken = changed("cart")
    taken.arrays["column"] = taken.arrays["column"].astype(np.float64)
    assert outcome(taken) == "refused"


def test_a_class_that_others_derive_from_is_no_kind_of_model() -> None:
    assert not {"TreeModel", "EnsembleModel", "MatrixModel", "ReweightedTrees"} & set(KINDS)
    taken = changed("bagging")
    taken.header["params"]["estimator"]["recipe"] = "TreeModel"
    assert outcome(taken) == "refused"


@pytest.mark.parametrize(
    ("array", "value"),
    [
        ("candidate_column", 99.0),
        ("candidate_column", 0.5),
        ("candidate_level_level", 99.0),
        ("candidate_level_branch", 7.0),
        ("candidate_level_which", 9.0),
        ("surrogate_level_level", 99.0),
    ],
)
def test_candidates_and_surrogates_are_tests_of_their_columns(array: str, value: float) -> None:
    taken = changed("cart, surrogates")
    taken.arrays[array][0] = value
    assert outcome(taken) == "refused"


def test_candidates_need_the_improvement_of_their_node() -> None:
    taken = changed("cart, surrogates")
    del taken.arrays["improvement"]
    assert outcome(taken) == "refused"


def test_no_node_weighs_more_than_all_rows() -> None:
    taken = changed("cart")
    taken.arrays["weight"][0] = 5e-324
    assert outcome(taken) == "refused"


def test_the_leaves_of_a_tree_weigh_a_number_together() -> None:
    taken = changed("boosting")
    taken.arrays["weight"] = np.full(len(taken.arrays["weight"]), 1e308)
    assert outcome(taken) == "refused"


def test_no_candidate_is_better_than_the_test_that_was_taken() -> None:
    taken = changed("cart, surrogates")
    taken.arrays["improvement"][:] = 5e-324
    model = load_bytes(to_bytes(taken.header, taken.arrays))
    assert "100 %\n" in str(model.why({}))


def test_targets_that_want_different_tables_are_refused() -> None:
    for what, value in (("name", "another"), ("levels", ["cook", "pilot"])):
        taken = changed("neighbours of several targets")
        taken.header["targets"][0]["schema"]["columns"][1][what] = value
        assert outcome(taken) == "refused"


def test_a_price_that_was_given_is_shown_so_whatever_the_parameters_say_now() -> None:
    model = load_bytes(model_bytes("regularized, one"))
    assert "cross-validation" not in str(model.set_params(alpha="cv"))


def test_deviances_that_are_no_numbers_are_unknown_in_a_file_and_shown_so() -> None:
    taken = changed("logistic")
    del taken.header["learnt"]["deviance_"]
    model = load_bytes(to_bytes(taken.header, taken.arrays))
    assert np.isnan(model.deviance_)
    assert "deviance  -" in str(model)


def test_a_date_beyond_every_calendar_is_shown_as_a_number() -> None:
    taken = changed("neighbours")
    taken.arrays["learnt_fit_numbers_"][:, 1] = 1e100
    assert outcome(taken) in ("refused", "loaded")


@pytest.mark.parametrize("name", ["cart", "forest", "linear"])
def test_pickle_joblib_and_deepcopy_carry_the_same_checked_bytes(name: str) -> None:
    model = load_bytes(model_bytes(name))
    stream = io.BytesIO()
    joblib.dump(model, stream)
    stream.seek(0)
    for again in (pickle.loads(pickle.dumps(model)), joblib.load(stream), copy.deepcopy(model)):
        assert again._tw_bytes() == model_bytes(name)
    for other in ("boosting", "neighbours"):
        with pytest.raises(ModelFileError, match="the pickle"):
            object.__new__(type(model)).__setstate__({"params": {}, "model": model_bytes(other)})


def test_a_check_that_is_not_there_is_found_as_the_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise IndexError("nobody thought of this")

    monkeypatch.setattr(tw.DecisionTreeClassifier, "_tw_restore", fail)
    with pytest.raises(ModelFileError, match="do not fit each other") as caught:
        load_bytes(model_bytes("cart"))
    assert isinstance(caught.value.__cause__, IndexError)


def test_a_learnt_number_beyond_every_integer_of_64_bits_is_a_number() -> None:
    taken = changed("regularized")
    taken.header["learnt"]["r_squared_"] = 2**80
    assert outcome(taken) == "loaded"


def test_a_curve_without_a_point_is_refused() -> None:
    taken = changed("neighbours")
    taken.arrays["learnt_cv_curve_"] = np.zeros(0)
    assert outcome(taken) == "refused"


def test_a_parameter_that_is_a_bare_list_is_refused() -> None:
    with pytest.raises(ValueError, match="neither a value nor a table of values"):
        _param_from_json([[[1]]])


def test_a_forest_of_trees_that_hold_numbers_is_no_classifier_behind_the_quick_door() -> None:
    booster = tw.GradientBoostingClassifier(n_estimators=3).fit([[1], [2], [3]], ["a", "b", "c"])
    header, arrays = from_bytes(booster._tw_bytes(), "m")
    header["estimator"] = "RandomForestClassifier"
    with pytest.raises(ModelFileError, match="not those of its estimator"):
        asked_ensemble_of(header, arrays, "m")


def test_polynomials_whose_lengths_cannot_be_divided_are_refused() -> None:
    for length in (0.0, 5e-324):
        taken = changed("linear, polynomial")
        taken.arrays["learnt_basis_numbers_"][-1] = length
        assert outcome(taken) == "refused"


@pytest.mark.parametrize("name", ["linear", "linear, flags", "logistic", "perceptron"])
def test_sums_beyond_the_largest_number_are_refused(name: str) -> None:
    taken = changed(name)
    taken.arrays["learnt_coef_"][..., :2] = 1.5e308
    taken.arrays["learnt_fill_"][:2] = 1.0
    assert outcome(taken) == "refused"


def test_levels_that_are_one_key_are_refused() -> None:
    with pytest.raises(DataError, match="has the level False twice"):
        Column("member", "nominal", "boolean", (False, 0))


def test_a_level_beyond_64_bits_is_refused_by_exports() -> None:
    X = pd.DataFrame({"code": pd.Categorical([2**64, 1] * 5)})
    model = tw.DecisionTreeClassifier().fit(X, ["a", "b"] * 5)
    with pytest.raises(DataError, match="The level 18446744073709551616"):
        exported_of(model)
