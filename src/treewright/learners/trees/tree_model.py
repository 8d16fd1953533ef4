"""What every estimator with one tree does: encode → grow → prune, answers to new rows, the model file."""

from __future__ import annotations

from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base import shap_values as shap
from treewright.learners.base.calibration import calibrated
from treewright.learners.base.learner import Learner
from treewright.learners.base.parameters import fitted, parameter, share, whole
from treewright.learners.base.shap_values import ExplainedAnswers, explained_trees
from treewright.learners.base.table_lookup import Rows
from treewright.learners.base.threads import thread_count
from treewright.learners.trees import explained_answer
from treewright.learners.trees import explained_tree as explained
from treewright.learners.trees.stored_tree import read_tree
from treewright.learners.trees.training_data import (
    CodedRows,
    Recipe,
    TrainingData,
    encode_rows,
    grow_tree,
    growing_blocks,
    plain_criterion,
    tree_recipe,
    with_recipe,
)
from treewright.learners.trees.tree_lookup import RowLookup, column_importance, node_answers, node_paths
from treewright.memory import Block
from treewright.prune.choice import choose_pruner
from treewright.prune.cp_table import CpTable
from treewright.prune.fitted import RowsToPruneBy, grow_on_training_part, prune_fitted, prune_grown
from treewright.prune.pruner import JudgedByRows, Pruner
from treewright.renamed import OldName, ParameterAndMethod
from treewright.save.persist import labels_of, model_header, names_of, restore_params
from treewright.sources.answers import in_batches
from treewright.sources.source import Source
from treewright.table.frame import InputFrame
from treewright.table.schema import Schema
from treewright.tree.tree import Tree

# What every estimator with one tree does: it grows the tree, prunes it, and sends new rows down.


class TreeModel(Learner, is_base=True):
    """The part that classifiers and regressors share. Subclasses say how the tree is grown."""

    max_depth: int | None = parameter(
        default=None,
        takes=[whole(1), None],
        doc="The most questions on the way to a leaf. Raising it gives a larger tree; None sets no limit.",
    )

    min_samples_split: float = parameter(
        default=2,
        takes=[whole(2), share("right")],
        doc="A node with fewer rows is not split. A fraction is a share of all rows. Raising it gives a smaller tree.",
    )
    min_samples_leaf: float = parameter(
        default=1,
        takes=[whole(1), share("neither")],
        doc="""No branch may have fewer rows. A fraction is a share of all rows. Raising it gives a smaller, smoother
        tree.""",
    )
    tree_: Tree = fitted()
    _lookup: RowLookup = fitted()
    _fitted_by = "tree_"
    # bytes that growing has in memory for each cell of the table, and beside them for each row; of the general loop
    _fit_bytes: ClassVar[tuple[float, float]] = (16, 180)
    _refuses_unknown_levels = True  # with missing="refuse": a level never seen in training counts as missing
    prune = ParameterAndMethod()  # the method is `pruned`

    why = explained_answer.why
    rules = explained_answer.rules
    candidates = explained.candidates
    candidate_curve = explained.candidate_curve
    holdout_leaves = explained.holdout_leaves
    honest = OldName("holdout_leaves")
    prices_ = OldName("cp_table_")
    stability = explained.stability
    shap_values = shap.shap_values
    expected_value = property(shap.expected_value)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters by name (see `ParameterAndMethod` for why `prune` is looked up apart)."""
        names = self._get_param_names()
        return {name: self.__dict__["prune"] if name == "prune" else getattr(self, name) for name in names}

    # ---------------------------------------------------------------- the steps of fit
    def _encode(self, frame: InputFrame, y: Any, sample_weight: Any) -> TrainingData:
        return self._complete(self._training(encode_rows(self, frame, y, sample_weight)), y)

    def _reweighted(
        self, training: TrainingData, y: Any, weights: NDArray[np.float64], given: NDArray[np.float64] | None = None
    ) -> TrainingData:
        """The same table and target, encoded once, with other weights of the rows: what ensembles grow from.

        `given`: these weights without those of the classes.
        """
        truth = training.truth
        if training.exposure is not None:
            truth = np.column_stack([training.exposure, training.exposure * truth])
        plain = CodedRows(
            table=training.table,
            truth=truth,
            weights=weights,
            classes=training.classes,
            threads=training.threads,
            given=weights if given is None else given,
        )
        return self._complete(self._training(plain), y)

    def _training(self, coded: CodedRows) -> TrainingData:
        """Put together what the tree is grown from."""
        return with_recipe(coded, self._recipe(len(coded.truth), coded.weights))

    def _complete(self, training: TrainingData, y: Any) -> TrainingData:
        """Add what the recipe has to know of the encoded rows and of the target as it was given."""
        return training

    def _recipe(self, n_rows: int, weights: NDArray[np.float64] | None) -> Recipe:
        """What is grown, in the words of the core."""
        return tree_recipe(self, n_rows, weights)

    def _losses(self) -> NDArray[np.float64] | None:
        """What each answer costs where each class is true; None where every error costs the same."""
        return None

    def _learn(self, data: TrainingData) -> dict[str, Any]:
        core, prices = self._grow_and_prune(data)
        return self._fitted_tree(core, data.table.schema, data.classes, prices)

    def _fit_blocks(self, data: TrainingData) -> list[Block]:
        return growing_blocks(self._fit_bytes, data)

    def _grow_and_prune(self, training: TrainingData) -> tuple[_core.Tree, CpTable | None]:
        pruner = self._pruner()
        if isinstance(pruner, JudgedByRows):
            return pruner.cut(grow_on_training_part(training, pruner.share, self._seed())), None
        return self._prune_grown(grow_tree(training), training, pruner)

    def _pruner(self) -> Pruner | None:
        """What `prune=` asks for; an algorithm with pruning of its own has a plain True or False there, or nothing."""
        choice = self.__dict__.get("prune")
        return None if isinstance(choice, bool) else choose_pruner(choice, self.ccp_alpha)

    def _prune_grown(
        self, core: _core.Tree, training: TrainingData, pruner: Pruner | None
    ) -> tuple[_core.Tree, CpTable | None]:
        return (core, None) if pruner is None else prune_grown(core, pruner, training, self._seed())

    def _fitted_tree(
        self, core: _core.Tree, schema: Schema, classes: NDArray[Any] | None, prices: CpTable | None = None
    ) -> dict[str, Any]:
        """What was learnt, by attribute."""
        labels = None if classes is None else classes.tolist()
        fitted: dict[str, Any] = {"tree_": Tree(core, schema, labels, criterion=plain_criterion(self.criterion))}
        return fitted if prices is None else {**fitted, "cp_table_": prices}

    def _prepare(self) -> None:
        count_outputs(self)

    def _with_tree(
        self, core: _core.Tree, schema: Schema, classes: NDArray[Any] | None, names: NDArray[Any] | None
    ) -> Self:
        """This model with such a tree: what ensembles show their trees as."""
        self._set_fitted(schema, classes, names, self._fitted_tree(core, schema, classes))
        return self

    def _make_lookup(self) -> RowLookup:
        tree, classes = self.tree_, self.__dict__.get("classes_")
        refuses = self.missing == "refuse" and self._refuses_unknown_levels
        return RowLookup(tree, refuses, classes)

    def _node_numbers(self, core: _core.Tree) -> NDArray[np.float64]:
        """What every node of a tree of this kind answers as numbers: nodes × classes, or nodes × 1."""
        return node_answers(core, "shares" if self._predicts_classes else "values")

    def _explained(self) -> ExplainedAnswers:
        core = cast(_core.Tree, self.tree_.core)
        numbers = self._node_numbers(core)
        return explained_trees([(core, numbers)], np.zeros(numbers.shape[1]), core.n_classes > 0, 1.0)

    # ---------------------------------------------------------------- the model file
    def _tw_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        core = cast(_core.Tree, self.tree_.core)
        header = model_header(self, self.tree_.schema, core.n_classes)
        if "cp_table_" in self.__dict__:
            header["prices"] = self.cp_table_.to_json()
        return header, dict(core.arrays())

    def _tw_restore(self, header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> None:
        core, schema, classes = read_tree(header, arrays, source)
        arrays.clear()  # the core has them
        restore_params(self, header, source)
        labels = labels_of(self, header, classes, source)
        prices = header.get("prices")
        fitted = self._fitted_tree(core, schema, labels, None if prices is None else CpTable.from_json(prices))
        self._set_fitted(schema, labels, names_of(header, schema), fitted)
        self._losses()  # which says so where the costs are not those of the classes

    # ---------------------------------------------------------------- looking rows up
    def predict(self, X: Any) -> NDArray[Any]:
        """Give the answer of each row's leaf: a class, or a number.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"]).predict([[0], [7]])
        array(['a', 'b'], dtype=object)
        >>> tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20]).predict([[0], [7]])
        array([10., 20.])
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.predict)
        rows = self._rows(X)
        return self._lookup.answer(rows, thread_count(self.n_jobs))

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Give the number of the node in which each row ends (where rows are spread: in which most of it goes).

        Examples
        --------
        >>> import treewright as tw
        >>> tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"]).apply([[0], [7]])
        array([1, 2])
        """
        return self._find_leaves(X).astype(np.int64)

    def _find_leaves(self, X: Any) -> NDArray[np.int32]:
        if isinstance(X, Source):
            return in_batches(self, X, self._find_leaves)
        rows = self._rows(X)
        return self._lookup.find_leaves(rows, thread_count(self.n_jobs))

    def decision_path(self, X: Any) -> Any:
        """Give the nodes that each row passes, as a sparse matrix of shape (n_rows, n_nodes).

        Examples
        --------
        >>> import treewright as tw
        >>> tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"]).decision_path([[0], [7]]).toarray()
        array([[1, 1, 0],
               [1, 0, 1]])
        """
        leaves = self._find_leaves(X)
        return node_paths(self.tree_, leaves)

    def pruned(self, pruner: Pruner | str, X: Any = None, y: Any = None, sample_weight: Any = None) -> Self:
        """Give a smaller model; this one stays as it is.

        Parameters
        ----------
        pruner : a pruner, or one of the names that `prune=` takes
            How.
        X, y, sample_weight
            The rows that the pruner needs, if any. `ReducedError` and `ValidationGain` judge the tree by rows that it
            was not trained on; `CostComplexity(cv=…)` and `PessimisticError(raise_subtrees=True)` need the rows that it
            was trained on. The others look at the tree alone.

        Examples
        --------
        >>> import treewright as tw
        >>> full = tw.DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "b", "a", "b"])
        >>> full.pruned(tw.CostComplexity(alpha=0.2)).get_n_leaves(), full.get_n_leaves()
        (1, 4)
        """
        check_is_fitted(self)
        chosen = choose_pruner(pruner, self.ccp_alpha)
        if chosen is None:
            raise DataError("model.pruned needs a pruner, such as tw.CostComplexity(alpha=0.01). Got None instead.")
        core, prices = prune_fitted(self, chosen, RowsToPruneBy(X, y, sample_weight))
        smaller = object.__new__(type(self))
        smaller.__dict__ = dict(self.__dict__)
        schema, classes, names = (
            self.tree_.schema,
            self.__dict__.get("classes_"),
            self.__dict__.get("feature_names_in_"),
        )
        smaller._set_fitted(schema, classes, names, self._fitted_tree(core, schema, classes, prices))
        return smaller

    # ---------------------------------------------------------------- about the tree
    def _stored_candidates(self, node_id: int) -> Any:
        raise DataError("This kind of tree keeps no candidates. Pass the training rows: model.candidates(node, X, y).")

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much each column lowered the impurity, as shares that sum to 1; surrogates earn a part (as in rpart)."""
        check_is_fitted(self)
        return column_importance(self.tree_.arrays, self.n_features_in_)

    def get_depth(self) -> int:
        """The depth of the tree."""
        check_is_fitted(self)
        return int(self.tree_.depth)

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self)
        return int(self.tree_.n_leaves)

    def plot(self, path: Any = None, **how: Any) -> Any:
        """Draw the tree: `tw.draw` of this model, with the same options.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"]).plot().to_svg()[:4]
        '<svg'
        """
        import treewright  # the pictures are built on the models, so they are asked for by name

        check_is_fitted(self)
        return treewright.draw(self, path, **how)

    def _html_repr(self) -> str:
        """In a notebook: the tree, above what scikit-learn shows of every estimator."""
        below: str = super()._html_repr()
        return self.tree_._repr_html_() + below if "tree_" in self.__dict__ else below

    def __str__(self) -> str:
        return str(self.tree_) if "tree_" in self.__dict__ else repr(self)


def count_outputs(model: Any) -> None:
    """Say what every model of trees says as scikit-learn's do: how many outputs and classes it has."""
    model.n_outputs_ = 1
    if "classes_" in model.__dict__:
        model.n_classes_ = len(model.classes_)


# What every classifier with one tree has: the target as classes, and the answers to new rows.


class TreeClassifier(ClassifierMixin):  # type: ignore[misc]
    """What a `TreeModel` that predicts classes has beside it."""

    _predicts_classes = True

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the share of each class in the leaf of each row; columns in the order of `classes_`.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.DecisionTreeClassifier().fit([[1], [1], [2]], ["a", "b", "b"]).predict_proba([[0], [7]])
        array([[0.5, 0.5],
               [0. , 1. ]])
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.predict_proba)
        rows = self._rows(X)
        self._refuse_beyond_memory("predict_proba", Block(8, rows=rows.n_rows, classes=len(self.classes_)))
        return calibrated(self, self._class_shares(self._lookup, rows, thread_count(self.n_jobs)))

    def _node_shares(self, core: _core.Tree) -> NDArray[np.float64] | None:
        """The shares of the classes in each node, where they are other ones than those of its rows."""
        return None

    def _node_numbers(self, core: _core.Tree) -> NDArray[np.float64]:
        own = self._node_shares(core)
        return cast(NDArray[np.float64], super()._node_numbers(core)) if own is None else own

    def _class_shares(self, lookup: RowLookup, rows: Rows, threads: int) -> NDArray[np.float64]:
        """What `predict_proba` says of rows that a tree of this kind is asked about."""
        own = self._node_shares(cast(_core.Tree, lookup.tree.core))
        return lookup.class_shares(rows, threads) if own is None else lookup.shares_by_node(rows, own, threads)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the logarithms of `predict_proba`; minus infinity where a leaf has no row of a class."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
