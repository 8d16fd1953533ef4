"""ID3: one branch for each level of the column that tells most about the class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.parameters import at_least, fixed, one_of, parameter
from treewright.learners.trees.training_data import Recipe, TrainingData
from treewright.learners.trees.tree_model import TreeClassifier, TreeModel
from treewright.prune.cp_table import CpTable
from treewright.prune.pruner import Pruner
from treewright.sources.source import Source
from treewright.table.column_kinds import column_kind
from treewright.table.frame import InputFrame, numbers_of
from treewright.wording import kind_words, on_command_line, set_words

# Columns for an algorithm that knows levels only: which columns of numbers are codes, and which are refused.


MOST_CODES = 20  # a named column of whole numbers counts as codes if it has no more of them …
ROWS_PER_CODE = 2  # … and each occurs this often on average


def nominal_kinds(frame: InputFrame, given: Mapping[Any, str] | None, who: str) -> dict[Any, str]:
    """Say "nominal" of every column that can be taken as levels; refuse the first one that cannot.

    Text, categories and truth values are levels. An array has no kinds of columns, so its numbers are codes; in a table
    a column of whole numbers is taken as codes where there are few of them.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table.frame import open_frame
    >>> nominal_kinds(open_frame(pd.DataFrame({"wind": ["weak", "strong"]})), None, "ID3")
    {'wind': 'nominal'}
    >>> nominal_kinds(open_frame(pd.DataFrame({"degrees": [20.5, 21.0]})), None, "ID3")
    Traceback (most recent call last):
    treewright.errors.DataError: Column 'degrees' holds numbers (20.5 in row 1), but ID3 takes levels only. Put the ...
    """
    kinds = dict(given or {})
    for j, name in enumerate(frame.names):
        wanted = kinds.get(name, kinds.get(j))
        if wanted == "numeric":
            raise DataError(f"Column '{name}' is asked to be numeric, but {who} takes levels only. {_cure(name)}")
        if wanted is None:
            if frame.matrix is None and frame.sparse is None:
                _refuse_measurements(frame, j, who)
            kinds[name] = "nominal"
    return kinds


def refuse_holes(frame: InputFrame, who: str) -> None:
    """Refuse a value that is missing, or infinite: neither is a level.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table.frame import open_frame
    >>> refuse_holes(open_frame(pd.DataFrame({"wind": ["weak", None]})), "ID3")
    Traceback (most recent call last):
    treewright.errors.DataError: Column 'wind' has no value (NaN or None) in row 2, and ID3 with missing='refuse' ...
    """
    for j, name in enumerate(frame.names):
        series = frame.column(j)
        holes = series.is_null().to_numpy()
        if series.dtype.is_float():
            numbers = series.to_numpy()
            _refuse(np.isinf(numbers), f"Column '{name}' holds inf, which is no level,", who)
            holes = holes | np.isnan(numbers)
        _refuse(holes, f"Column '{name}' has no value (NaN or None)", who)


def _refuse(rows: NDArray[np.bool_], what: str, who: str) -> None:
    if rows.any():
        raise DataError(
            f"{what} in row {int(np.argmax(rows)) + 1}, and {who} with {set_words('missing', 'refuse')} takes none "
            f"such. Fill it, or choose {set_words('missing', 'branch')}."
        )


def _refuse_measurements(frame: InputFrame, j: int, who: str) -> None:
    series, name = frame.column(j), frame.names[j]
    kind, value_type = column_kind(series)
    if kind != "numeric":
        return
    if value_type != "number":
        raise DataError(f"Column '{name}' holds a {value_type} in each row, but {who} takes levels only. {_cure(name)}")
    numbers, mask = numbers_of(series, name)
    known = numbers[~np.isnan(numbers) if mask is None else mask == 0]
    odd = known[known != np.floor(known)]
    if len(odd):
        row = int(np.argmax(numbers == odd[0]))
        held = f"numbers ({odd[0]} in row {row + 1})"
        raise DataError(f"Column '{name}' holds {held}, but {who} takes levels only. {_cure(name)}")
    n_codes = len(np.unique(known))
    if n_codes > MOST_CODES or n_codes * ROWS_PER_CODE > max(len(known), 2 * ROWS_PER_CODE):
        raise DataError(
            f"Column '{name}' holds {n_codes} different numbers, but {who} takes levels only. {_cure(name)}"
        )


def _cure(name: str) -> str:
    cutter = "--algorithm c45" if on_command_line() else "C45Classifier"
    return (
        f"Put the numbers into a few groups, pass {kind_words(name, 'nominal')} if they are codes, "
        f"or use {cutter}, which cuts numbers."
    )


class ID3Classifier(TreeClassifier, TreeModel):
    """A tree that predicts classes from nominal columns, grown by ID3.

    The column with the largest information gain is asked first; every level of it gets a branch, and it is not asked
    again below. A branch that no row takes answers as its parent would.

    Attributes
    ----------
    tree_ : Tree
        The stored tree: print it, walk it, turn it into a dict, JSON or a data frame.
    classes_ : array
        The class labels, sorted.

    References
    ----------
    J. R. Quinlan, Induction of Decision Trees, Machine Learning 1, 1986.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_tennis(return_X_y=True)
    >>> print(tw.ID3Classifier().fit(X, y))
    EnjoyTennis: Yes 64 %, No 36 %  (14 rows)
    ├─ Outlook is Overcast    → Yes  100 %  (4 of 4)
    ├─ Outlook is Rain          Yes   60 %  (3 of 5)
    │  ├─ Wind is Strong      → No   100 %  (2 of 2)
    │  └─ Wind is Weak        → Yes  100 %  (3 of 3)
    └─ Outlook is Sunny         No    60 %  (3 of 5)
       ├─ Humidity is High    → No   100 %  (3 of 3)
       └─ Humidity is Normal  → Yes  100 %  (2 of 2)
    """

    min_gain: float = parameter(
        default=0.0,
        takes=at_least(0.0),
        doc="""A split must gain this many bits. With 0 also splits without any gain are made, so that "exactly one of
        the two" is learnt; raising it gives a smaller tree.""",
    )
    missing: str = parameter(
        default="refuse",
        takes=one_of("refuse", "branch"),
        doc="Missing values are an error, or one more level.",
    )
    column_kinds: Mapping[Any, str] | None = parameter(
        default=None,
        doc='Kinds that override the guess: ``{"zip": "nominal"}`` makes levels of a column of numbers.',
    )
    random_state: Any = parameter(
        default=None,
        takes="random_state",
        doc="Not used: nothing is drawn. It is there so that all estimators can be set alike.",
    )

    criterion = "entropy"
    _counts_declared_levels = True  # they have branches
    ccp_alpha = 0.0
    max_depth: int | None = fixed(None)
    min_samples_split: float = fixed(2)
    min_samples_leaf: float = fixed(1)
    _refuses_unknown_levels = False  # they are levels without rows, which answer as the node above

    def _kinds(self, frame: InputFrame) -> Mapping[Any, str]:
        if self.missing == "refuse":
            refuse_holes(frame, "ID3")
        return nominal_kinds(frame, self.column_kinds, "ID3")

    def _recipe(self, n_rows: int, weights: NDArray[np.float64] | None) -> Recipe:
        options = {"min_gain": float(self.min_gain)}
        return Recipe(self.criterion, self.missing, splitter="branch_per_level", options=options)

    _takes_levels_only: ClassVar[bool] = True

    def _fit_source(self, source: Source, y: Any, sample_weight: Any = None) -> None:
        from treewright.learners.trees.fit_tables import fit_tables  # most fits have their rows at hand

        fit_tables(self, source, y, sample_weight)

    def _complete_recipe(self, recipe: Recipe, classes: NDArray[Any] | None) -> Recipe:
        return recipe

    def _prune_grown(
        self, core: _core.Tree, training: TrainingData, pruner: Pruner | None
    ) -> tuple[_core.Tree, CpTable | None]:
        return core, None

    def _check_rows(self, frame: InputFrame) -> None:
        if self.missing == "refuse":
            refuse_holes(frame, "ID3")

    def predict_one(self, values: Any) -> Any:
        """Answer one row, given as a list or tuple in column order or as a dict by column name.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_tennis(return_X_y=True)
        >>> tw.ID3Classifier().fit(X, y).predict_one({"Outlook": "Rain", "Wind": "Weak", "Humidity": "High"})
        Traceback (most recent call last):
        treewright.errors.DataError: The row has no value of 'Temperature', and ID3 with missing='refuse' takes none ...
        """
        if self.missing == "refuse" and hasattr(self, "tree_"):
            names = self.tree_.schema.names
            given = values.items() if isinstance(values, Mapping) else zip(names, values, strict=False)
            known = {name for name, value in given if value is not None and value == value}
            for name in names:
                if name not in known:
                    raise DataError(
                        f"The row has no value of '{name}', and ID3 with {set_words('missing', 'refuse')} takes none "
                        f"such. Give one, or train with {set_words('missing', 'branch')}."
                    )
        return super().predict_one(values)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "branch"
        return tags
