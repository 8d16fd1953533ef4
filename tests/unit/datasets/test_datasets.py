"""The shipped tables are whole, and the drawn guests follow the true tree."""

import numpy as np
import pytest

import treewright as tw
from treewright.datasets.catalogue import CATALOGUE
from treewright.errors import DataError


@pytest.mark.parametrize("name", tw.datasets.names())
def test_each_table_has_its_rows_its_target_and_its_loader(name: str) -> None:
    shipped = CATALOGUE[name]
    load = getattr(tw.datasets, f"load_{name}")
    frame = load()
    X, y = load(return_X_y=True)
    assert len(frame) == len(X) == len(y) == shipped.n_rows
    assert y.name == shipped.target
    assert shipped.target not in X.columns
    assert y.notna().all()


def test_every_file_in_the_folder_is_in_the_catalogue() -> None:
    assert {path.stem for path in tw.datasets.path("iris").parent.glob("*.csv")} == set(tw.datasets.names())


def test_no_patrons_is_a_level_and_no_missing_value() -> None:
    assert set(tw.datasets.load_restaurant()["Pat"]) == {"None", "Some", "Full"}


def test_a_name_that_does_not_ship_is_answered_with_the_nearest() -> None:
    with pytest.raises(DataError, match="Did you mean 'tennis'"):
        tw.datasets.path("tenis")


def test_guests_have_the_columns_of_the_restaurant_table() -> None:
    assert list(tw.datasets.make_restaurant(5).columns) == list(tw.datasets.load_restaurant().columns)


def test_the_lectures_rows_agree_with_the_true_tree_except_row_four() -> None:
    from treewright.datasets.restaurant_guests import will_wait

    table = tw.datasets.load_restaurant()
    answers = will_wait({name: table[name].to_numpy(dtype=str) for name in table.columns})
    assert np.flatnonzero(answers != (table["WillWait"] == "T")).tolist() == [3]


def test_the_same_seed_gives_the_same_guests() -> None:
    assert tw.datasets.make_restaurant(50, 3).equals(tw.datasets.make_restaurant(50, 3))
    assert not tw.datasets.make_restaurant(50, 3).equals(tw.datasets.make_restaurant(50, 4))
    assert len(tw.datasets.make_restaurant(0)) == 0


def test_a_wrong_number_of_guests_is_refused() -> None:
    with pytest.raises(DataError, match="at least 0"):
        tw.datasets.make_restaurant(-1)
