"""Trees over workers: whoever grows which trees, in whatever order they come back, the forest is that of one place."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import treewright as tw
from sources.engines import ENGINES
from sources.random_forests import assert_same_forest
from sources.random_tables import Case
from thorough import some
from treewright import _core
from treewright.errors import NotEnoughMemoryError
from treewright.sources.crew import Crew, Work, slices

ALL = 10**6


class PickledCrew(Crew):
    """Workers in this process that share nothing but what was pickled; they answer in a random order, some twice."""

    engine = "a test"
    cure = "Give the test more memory."

    def __init__(self, size: int, seed: int = 0, free: int = 2**62) -> None:
        self._size, self._free = size, free
        self._rng = np.random.default_rng(seed)
        self.handed: list[Any] = []
        self.n_answers = 0

    @property
    def size(self) -> int:
        return self._size

    def free_memory(self) -> tuple[int, str]:
        return self._free, "worker 7"

    def hand_out(self, thing: Any) -> None:
        packed = pickle.dumps(thing, protocol=5)
        self.handed = [pickle.loads(packed) for _ in range(self._size)]

    def each(self, work: Work, arguments: Sequence[Any], done: Callable[[int], None]) -> list[Any]:
        assert arguments  # Spark knows no job without tasks
        answers: dict[int, Any] = {}
        order = self._rng.permutation(len(arguments))
        for place in [*order, *order[:1]]:
            rows = self.handed[self._rng.integers(self._size)]
            answer = pickle.loads(pickle.dumps(work))(rows, pickle.loads(pickle.dumps(arguments[place])))
            answers[place] = pickle.loads(pickle.dumps(answer, protocol=5))
            done(int(place))
            self.n_answers += 1
        return [answers[place] for place in range(len(arguments))]

    def close(self) -> None:
        self.handed = []


def shared(source: Any, crew: Crew) -> Any:
    source.crew = lambda: nullcontext(crew)
    return source


@pytest.mark.parametrize("n_workers", [1, 2, 4])
@pytest.mark.parametrize("block", some(range(20), 1))
def test_a_random_forest_has_the_bytes_of_one_grown_in_one_place(block: int, n_workers: int, tmp_path: Path) -> None:
    def open_source(case: Case) -> Any:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        return shared(ENGINES["parquet"](case.arrow(), case.parts, ALL, folder), PickledCrew(n_workers, block))

    grown = [assert_same_forest(seed, open_source) for seed in range(12 * block, 12 * block + 12)]
    assert sum(grown) > 6


def table(n: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({f"x{j}": np.round(rng.normal(size=n), 2) for j in range(4)})
    frame["c"] = rng.choice(["red", "green", None], n)
    frame["y"] = np.where(frame.x3 + frame.x1 + (frame.c == "red") + rng.normal(size=n) > 0, "up", "down")
    return frame


def source_of(frame: pd.DataFrame, folder: Path, crew: Crew) -> Any:
    given = pa.Table.from_pandas(frame, preserve_index=False)
    return shared(ENGINES["parquet"](given, np.array_split(np.arange(len(frame)), 3), ALL, folder), crew)


@pytest.mark.parametrize(
    "settings", [{}, {"n_estimators": 20, "oob_score": True}, {"random_state": "drawn", "max_features": 2}]
)
def test_no_tree_is_grown_where_the_model_is_fitted(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judging settings is work of the workers, too."""
    frame, crew = table(100), PickledCrew(2)
    expected = drawn(settings).fit(frame.drop(columns="y"), frame["y"])
    grow, by_workers = _core.grow_forest, []

    def watched(*given: Any) -> Any:
        by_workers.append(any(rows._coded and rows._coded[0] is given[0] for rows in crew.handed))
        return grow(*given)

    monkeypatch.setattr(_core, "grow_forest", watched)
    found = drawn(settings).fit(source_of(frame, tmp_path, crew), "y")
    assert found.trees_.core.arrays()["threshold"].tobytes() == expected.trees_.core.arrays()["threshold"].tobytes()
    assert (found.max_features_, found.shrinkage_) == (expected.max_features_, expected.shrinkage_)
    assert all(by_workers)
    assert len(by_workers) == crew.n_answers > 2


def drawn(settings: Any) -> Any:
    """A forest, perhaps with a stream of random numbers, of which every look takes some."""
    given = settings | {"random_state": np.random.RandomState(3)} if "random_state" in settings else settings
    return tw.RandomForestClassifier(**given)


def test_a_warm_start_goes_on_with_trees_of_workers(tmp_path: Path) -> None:
    frame = table()
    source = source_of(frame, tmp_path, PickledCrew(2))
    model = tw.RandomForestClassifier(n_estimators=3, warm_start=True).fit(source, "y")
    model.set_params(n_estimators=8).fit(source, "y")
    model.fit(source, "y")  # nothing is left to grow
    at_once = tw.RandomForestClassifier(n_estimators=8, warm_start=True).fit(frame.drop(columns="y"), frame["y"])
    assert model._tw_bytes() == at_once._tw_bytes()


def test_the_importance_of_columns_out_of_bag_is_that_of_the_rows(tmp_path: Path) -> None:
    frame = table()
    X, y = frame.drop(columns="y"), frame["y"]
    found = tw.RandomForestClassifier(n_estimators=9).fit(source_of(frame, tmp_path, PickledCrew(2)), "y")
    expected = tw.RandomForestClassifier(n_estimators=9).fit(X, y)
    assert (found.feature_importances_ == expected.feature_importances_).all()
    assert (found.unbiased_importance(X, y).importances == expected.unbiased_importance(X, y).importances).all()
    assert all(
        (one == other).all() for one, other in zip(found.estimators_samples_, expected.estimators_samples_, strict=True)
    )


def test_rows_that_do_not_fit_a_worker_are_refused_before_they_are_sent(tmp_path: Path) -> None:
    crew = PickledCrew(2, free=30_000)
    model = tw.RandomForestClassifier(n_estimators=3)
    told = r"RandomForestClassifier.fit hands all rows to every worker of a test .* worker 7 has 30.0 kB. Give the test"
    with pytest.raises(NotEnoughMemoryError, match=told):
        model.fit(source_of(table(), tmp_path, crew), "y")
    assert not crew.handed
    assert not hasattr(model, "trees_")


@pytest.mark.parametrize("settings", [{"splitter": "oblique"}, {"monotonic_cst": {"x1": 1}}])
def test_forests_whose_trees_are_grown_one_by_one_stay_in_one_place(settings: Any, tmp_path: Path) -> None:
    frame, crew = table(100), PickledCrew(2)
    found = tw.RandomForestClassifier(n_estimators=3, **settings).fit(source_of(frame, tmp_path, crew), "y")
    expected = tw.RandomForestClassifier(n_estimators=3, **settings).fit(frame.drop(columns="y"), frame["y"])
    assert found._tw_bytes() == expected._tw_bytes()
    assert not crew.handed


@pytest.mark.parametrize("first", [0, 3, 10])
@pytest.mark.parametrize("n", [1, 2, 7, 300])
@pytest.mark.parametrize("workers", [1, 2, 1000])
def test_slices_are_every_number_once(first: int, n: int, workers: int) -> None:
    found = slices(first, first + n, workers)
    assert [number for begin, end in found for number in range(begin, end)] == list(range(first, first + n))
    assert all(begin < end for begin, end in found)
    assert min(n, workers) <= len(found) <= min(n, 4 * workers)
