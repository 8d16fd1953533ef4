"""Boosting from a source: rows of files or of a cluster, larger than memory. The model is that of the rows in memory.

Where the workers of a cluster can share the rounds they do (`sources/shared_rounds.py`). Elsewhere the rows
are gathered once as narrow columns (`sources/gathered_rows.py`), mapped from a scratch file where they do not
fit. From there on everything is the ordinary booster: it looks at the numbers while it finds bins, and then has a byte
a cell, and what it keeps of each row.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.target import weights_by_class
from treewright.learners.base.threads import thread_count
from treewright.learners.boosting.averaged_models import BoostedRows
from treewright.learners.boosting.given_scores import goes_on, scores_to_go_on_from
from treewright.learners.boosting.grow_rounds import RoundsGrower
from treewright.learners.boosting.rows_of_workers import RowsOfWorkers
from treewright.learners.boosting.starting_model import is_estimator
from treewright.sources.batches import BatchSource
from treewright.sources.dask_rounds import boost_over_workers, workers_can_meet
from treewright.sources.dask_source import DaskSource
from treewright.sources.gathered_rows import GatheredRows, gathered_rows
from treewright.sources.profile import Profile, kinds_by_type, small_table, with_cells
from treewright.sources.questions import Plan, Wishes
from treewright.sources.shared_rounds import can_share
from treewright.table.column_kinds import check_column_kinds
from treewright.table.encode import EncodedTable, lay_out
from treewright.table.frame import InputFrame, open_frame
from treewright.table.target import encode_classes, encode_weights, refuse_extremes, target_column
from treewright.wording import set_words

_NOT_CUT = -1  # cells of columns are not asked for: the core finds the bins


@dataclass(frozen=True)
class _FirstLook:
    """What is known of a source before its rows are gathered."""

    plan: Plan
    profile: Profile
    empty: Any  # a table of Arrow with the types of the columns
    frame: InputFrame  # a small table with every level


def fit_source(model: Any, source: BatchSource, y: Any, sample_weight: Any) -> None:
    """Boost trees from a source; the model is changed in one step at the end."""
    model._validate_params()
    refuse_unknown(model)
    with source.session():
        look = first_look(model, source, y, sample_weight)
        shared = rows_of_workers(model, source, look)
        if shared is not None:
            fitted = model._learn(shared)
        else:
            with training_rows(model, source, look) as training:
                model._refuse_beyond_memory("fit", *model._fit_blocks(training))
                fitted = model._learn(training)
    plan = look.plan
    model._set_fitted(plan.schema, plan.classes, np.array(plan.features, dtype=object), fitted)


def refuse_unknown(model: Any) -> None:
    """Refuse by name what cannot be done with a source."""
    choices = {
        "scoring": model._judges_by_score(),
        "keep_scores": model.keep_scores,
        "warm_start": goes_on(model),
        "estimator as init": is_estimator(model.init),
    }
    for name, is_asked in choices.items():
        if is_asked:
            raise DataError(
                f"With a source a booster has no {name}, which looks at the table after it is learnt. Leave it out, or "
                "read the rows with tw.read and fit them in memory."
            )


def first_look(model: Any, source: BatchSource, y: Any, sample_weight: Any) -> _FirstLook:
    """Find out what the columns and the target of a source are."""
    target = source.need(y, "target")
    weight = None if sample_weight is None else source.need(sample_weight, "sample_weight")
    features = tuple(name for name in source.names if name not in (target, weight, *source.left_out))
    if not features:
        raise DataError(f"{source} has no column to learn from beside the target. Give it some.")
    everything = source.empty_table()
    empty = everything.select(list(features))
    wanted = model._kinds(open_frame(empty))
    wishes = _wishes(model, empty, wanted, (features, target, weight))
    profile = source.profile(wishes)
    if profile.n_rows == 0:
        raise DataError(f"{source} has no rows. Give it some.")
    frame = open_frame(small_table(profile, empty, wishes))
    schema = lay_out(frame, wanted, target, model._counts_declared_levels, warns=False).schema
    columns = tuple(with_cells(profile, column, wishes)[0] for column in schema.columns)
    classes = _classes(model, profile, everything.schema.field(target).type)
    plan = Plan(replace(schema, columns=columns), target, weight, classes, None, {}, ())
    if model.missing == "refuse" and profile.with_holes:
        raise DataError(
            f"Column '{min(profile.with_holes)}' has missing values and {set_words('missing', 'refuse')} was asked "
            f"for. Fill them, or choose {set_words('missing', 'learn')}."
        )
    return _FirstLook(plan, profile, empty, frame)


def _wishes(model: Any, empty: Any, wanted: Any, names: tuple[tuple[str, ...], str, str | None]) -> Wishes:
    features, target, weight = names
    kinds = dict(zip(features, kinds_by_type(empty, check_column_kinds(wanted, features)), strict=True))
    levels = frozenset(name for name, (kind, _) in kinds.items() if kind != "numeric")
    value_types = {name: value_type for name, (kind, value_type) in kinds.items() if kind == "numeric"}
    return Wishes(features, target, weight, levels, value_types, model._predicts_classes, _NOT_CUT)


def _classes(model: Any, profile: Profile, of_type: Any) -> NDArray[Any] | None:
    if not model._predicts_classes:
        refuse_extremes(np.array([profile.low, profile.high]), model._target_exponent, type(model).__name__)
        return None
    import pyarrow as pa

    labels = pa.chunked_array([pa.array(list(profile.class_rows), of_type)])
    return encode_classes(target_column(labels, len(labels), type(model).__name__))[0]


def rows_of_workers(model: Any, source: BatchSource, look: _FirstLook) -> RowsOfWorkers | None:
    """The rows where they are, if workers can share the rounds; None where they have to be gathered."""
    plan, profile = look.plan, look.profile
    settled = model.init is None and getattr(model, "class_weight", None) is None and not callable(model.loss)
    by_units = model.early_stopping == "auto" and profile.weights is not None  # "auto" asks what weights add up to
    if not settled or by_units or not isinstance(source, DaskSource) or not workers_can_meet():
        return None
    ends = np.array([profile.low, profile.high])
    weighed = profile.weights
    training = RowsOfWorkers(
        table=EncodedTable(_core.Table(0, [], 1), plan.schema),
        truth=ends if plan.classes is None else np.arange(plan.n_classes, dtype=np.int32),
        weights=None,
        classes=plan.classes,
        threads=1,
        grow=partial(boost_over_workers, source, plan, profile),
        n_counted=profile.n_rows if weighed is None else weighed.n_counted,
    )
    settings = model._settings(training)
    if settings.n_models > 1:
        return None
    sides = training.without(np.empty(0, dtype=np.uint32), None)
    rules = RoundsGrower(model, training, settings, sides, 0, _core.Progress()).rules_of_workers()
    return training if can_share(plan, profile, rules) else None


@contextmanager
def training_rows(model: Any, source: BatchSource, look: _FirstLook) -> Iterator[BoostedRows]:
    """The rows of a source as a booster learns from them."""
    plan, threads = look.plan, thread_count(model.n_jobs)
    with gathered_rows(source, plan, look.profile, look.empty) as rows:
        given = encode_weights(rows.weights, len(rows.truth))
        training = BoostedRows(
            table=encode_gathered(plan, rows, threads),
            truth=rows.truth,
            weights=_with_class_weights(model, plan, rows, given),
            classes=plan.classes,
            threads=threads,
            given=given,
        )
        yield replace(training, scores=scores_to_go_on_from(model, look.frame, training))


def _with_class_weights(model: Any, plan: Plan, rows: GatheredRows, given: Any) -> Any:
    class_weight = getattr(model, "class_weight", None)
    if plan.classes is None or class_weight is None:
        return given
    by_row = weights_by_class(class_weight, plan.classes, rows.truth)[rows.truth]
    return encode_weights(by_row if given is None else given * by_row, len(rows.truth))


def encode_gathered(plan: Plan, rows: GatheredRows, threads: int) -> EncodedTable:
    """The gathered columns as the core has them: all rows decide where columns are cut, as in memory."""
    parts = [
        (column.kind, values, None if column.kind == "numeric" else len(column.levels))
        for column, values in zip(plan.schema.columns, rows.columns, strict=True)
    ]
    return EncodedTable(_core.Table(len(rows.truth), parts, threads, len(rows.truth)), plan.schema)
