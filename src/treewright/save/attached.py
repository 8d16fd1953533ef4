"""What a model carries beside what it has learnt: a calibration, conformal scores, a model that it starts from.

They stand in the same file under names of their own, whatever kind of model it is. The models of the folds behind
conformal scores, and the first model of a booster, are whole models in the file of the one that they belong to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from treewright.learners.base.calibration import calibration_state, read_calibration
from treewright.learners.base.conformal import MOST_MEMBERS, read_scores

Header = dict[str, Any]
Arrays = dict[str, NDArray[Any]]
CARRIED = ("calibration_", "conformal_")  # attributes that a fitted model is given afterwards
CALIBRATION, CONFORMAL, MEMBER, INIT = "calibration", "conformal", "member", "init"
_OWN_NAMES = (CALIBRATION, CONFORMAL, INIT)  # of headers


def whole_state(model: Any) -> tuple[Header, Arrays]:
    """The header and the arrays of a model with all that it carries."""
    header, arrays = model._tw_state()
    if (calibration := model.__dict__.get("calibration_")) is not None:
        words, own = calibration_state(calibration)
        header, arrays = {**header, CALIBRATION: words}, {**arrays, **_named(CALIBRATION, own)}
    if (conformal := model.__dict__.get("conformal_")) is not None:
        own = {name: getattr(conformal, name) for name in conformal.arrays}
        members = [whole_state(member) for member in conformal.members]
        words = {"method": conformal.method, "members": [words for words, _ in members]}
        header, arrays = {**header, CONFORMAL: words}, {**arrays, **_named(CONFORMAL, own)}
        for number, (_, own) in enumerate(members):
            arrays.update(_named(f"{MEMBER}{number}", own))
    first = model.__dict__.get("init_")
    if hasattr(type(first), "_tw_state"):
        words, own = whole_state(first)
        header, arrays = {**header, INIT: words}, {**arrays, **_named(INIT, own)}
    return header, arrays


def take_apart(header: Header, arrays: Arrays) -> tuple[Header, Arrays, Arrays]:
    """Part the arrays into those of the model itself and those of what it carries; the header without the latter."""
    carried = {name: array for name, array in arrays.items() if ":" in name}
    own = {name: array for name, array in arrays.items() if ":" not in name}
    return {name: value for name, value in header.items() if name not in _OWN_NAMES}, own, carried


def attach(
    model: Any, header: Header, carried: Arrays, restore: Callable[[Header, Arrays], Any], is_member: bool
) -> None:
    """Give a restored model what its file says that it carries; ValueError where that does not fit it."""
    known = 0
    if "targets_" in model.__dict__ and (CALIBRATION in header or CONFORMAL in header):
        raise ValueError("it has several targets, and carries what only a model of one does")
    if CALIBRATION in header:
        if not model._predicts_classes:
            raise ValueError("it has a calibration and no classes")
        own = _of(CALIBRATION, carried)
        known += len(own)
        carry(model, calibration_=read_calibration(header[CALIBRATION], own, len(model.classes_)))
    if CONFORMAL in header:
        if is_member:
            raise ValueError("the model of a fold has conformal scores of its own")
        known += _attach_scores(model, header[CONFORMAL], carried, restore)
    if INIT in header:
        known += _attach_start(model, header[INIT], carried, restore)
    if known != len(carried):
        raise ValueError("it has arrays of something that it does not carry")


def _attach_scores(model: Any, words: Any, carried: Arrays, restore: Callable[[Header, Arrays], Any]) -> int:
    headers = words.get("members")
    if not isinstance(headers, list) or len(headers) > MOST_MEMBERS or not set(words) <= {"method", "members"}:
        raise ValueError("its conformal scores have no list of models")
    parts = [_of(f"{MEMBER}{number}", carried) for number in range(len(headers))]
    members = []
    for member_header, part in zip(headers, parts, strict=True):
        if not isinstance(member_header, dict) or member_header.get("estimator") != type(model).__name__:
            raise ValueError("the model of a fold is of another kind")
        members.append(restore(member_header, dict(part)))
    for member in members:
        refuse_other_columns(model, member)
    own = _of(CONFORMAL, carried)
    carry(model, conformal_=read_scores(words, own, members))
    return len(own) + sum(map(len, parts))


def _attach_start(model: Any, words: Any, carried: Arrays, restore: Callable[[Header, Arrays], Any]) -> int:
    """Give a booster the model that it starts from, which may not start from another: files have an end."""
    if not hasattr(model, "_start_from"):
        raise ValueError("it starts from another model, which none of its kind does")
    if not isinstance(words, dict) or INIT in words or CONFORMAL in words:
        raise ValueError("the model that it starts from is none that can stand alone")
    own = _of(INIT, carried)
    model._start_from(restore(words, dict(own)))
    return len(own)


def refuse_other_columns(model: Any, member: Any) -> None:
    """Refuse the model of a fold that cannot answer the rows that the model answers."""
    own, others = model._lookup.schema.columns, member._lookup.schema.columns
    same = [(one.name, one.kind, one.value_type, one.zoned) for one in own] == [
        (one.name, one.kind, one.value_type, one.zoned) for one in others
    ]
    if not same or hasattr(model, "feature_names_in_") != hasattr(member, "feature_names_in_"):
        raise ValueError("the model of a fold has other columns")
    if model._predicts_classes and not set(member.classes_.tolist()) <= set(model.classes_.tolist()):
        raise ValueError("the model of a fold has other classes")


def carry(model: Any, **what: Any) -> None:
    """Give a fitted model something to carry until it is fitted again."""
    model.__dict__.update(what)
    model._made_by_fit = model._made_by_fit | set(what)


def _named(prefix: str, arrays: Arrays) -> Arrays:
    return {f"{prefix}:{name}": array for name, array in arrays.items()}


def _of(prefix: str, arrays: Arrays) -> Arrays:
    start = f"{prefix}:"
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}
