"""Ways to write a hostile model file by someone who knows the format: words, types, ranges, sizes, and what fits what.

A file is taken apart into its header and its arrays, changed once or a few times, and put together again under a right
checksum. What only the bytes can say (a name twice, a wrong offset, NaN in JSON, bits) is done to the bytes.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from fuzz.models import MODELS, model_bytes
from treewright.errors import ModelFileError
from treewright.save import from_bytes, to_bytes
from treewright.save.persist import KINDS
from unit.save.model_pieces import header_of, with_header, with_header_text
from unit.save.mutations import (
    EDGES,
    ODD,
    edge_for,
    flipped_bits,
    flipped_bits_under_a_right_checksum,
    places_in,
    wrong_header_text,
)

NUMBERS = [*EDGES, 3, -2, 10, 1000, 0.5, -0.5, 1.5, 1e-300, -1e-300, 1e16, 1e155, -1e155, 1e308, -1e308, 5e-324]
TEXTS = [
    "", " ", "x", "a" * 300, "\x00", "\n", "\ud800", "é", "💥", "%s", "{}", "[", "\\", "'", "nan", "inf", "-1", "True",
    "<U5", "<U262144", "|O", "O", "<f8", "<M8[ns]", "V9999", "S3", "f8,i4", "../../etc", "spline:3", "spline:0",
    "radial:99999999", "polynomial:60", "fourier:2,period=0", "bspline:1", "polynomial:-1", "int8", "bool", "<i1",
]  # fmt: skip


@dataclass
class Taken:
    """A model file in its parts."""

    header: dict[str, Any]
    arrays: dict[str, np.ndarray]


@cache
def parts_of(name: str) -> Taken:
    """One of the models in its parts; to be copied before it is changed."""
    return Taken(*from_bytes(model_bytes(name)))


@cache
def words() -> tuple[str, ...]:
    """Every text and every name in the headers of all models, and the names of all classes."""
    found = set(KINDS)
    for name in MODELS:
        for holder, key in places_in(parts_of(name).header):
            found.update(word for word in (key, holder[key]) if isinstance(word, str))
    return tuple(sorted(found))


@cache
def array_names() -> tuple[str, ...]:
    """The name of every array of all models."""
    return tuple(sorted({name for model in MODELS for name in parts_of(model).arrays}))


# ---------------------------------------------------------------- the header


def other_value(value: Any, chance: random.Random) -> Any:
    """A value that could stand in the same place, or nearly."""
    if chance.random() < 0.15:
        return copy.deepcopy(chance.choice(ODD))
    if isinstance(value, bool):
        return chance.choice([not value, 0, 1, None, "True"])
    if isinstance(value, int | float):
        as_float = float(value) if abs(value) < 2**1000 else 2**1024  # no double is so large
        return chance.choice([value + 1, value - 1, -value, value * 1000, as_float, chance.choice(NUMBERS)])
    if isinstance(value, str):
        return chance.choice([chance.choice(words()), chance.choice(words()), chance.choice(TEXTS), value + "_"])
    if isinstance(value, list):
        return _other_list(value, chance)
    return chance.choice([chance.choice(words()), chance.choice(NUMBERS), True, [], {}])


def _other_list(values: list[Any], chance: random.Random) -> list[Any]:
    kind = chance.choice(["drop", "twice", "reverse", "empty", "longer", "one", "more"])
    if kind == "empty" or not values:
        return [] if values else [chance.choice([0, "x", None, [], {}])]
    at = chance.randrange(len(values))
    return {
        "drop": values[:at] + values[at + 1 :],
        "twice": [*values[:at], values[at], *values[at:]],
        "reverse": values[::-1],
        "longer": values * chance.choice([2, 3, 50]),
        "one": values[at : at + 1],
        "more": [*values, other_value(values[at], chance)],
    }[kind]


def _place(header: dict[str, Any], chance: random.Random) -> tuple[Any, Any]:
    """A place of the header, the parts of it equally often however long they are."""
    key = chance.choice(sorted(header))
    inside = places_in(header[key]) if isinstance(header[key], dict | list) else []
    return chance.choice([(header, key), *inside]) if inside and chance.random() < 0.9 else (header, key)


def change_a_value(taken: Taken, chance: random.Random) -> None:
    holder, key = _place(taken.header, chance)
    holder[key] = other_value(holder[key], chance)


def delete_or_rename(taken: Taken, chance: random.Random) -> None:
    holder, key = _place(taken.header, chance)
    value = holder.pop(key)
    if isinstance(holder, dict) and chance.random() < 0.5:
        holder[chance.choice([*words(), *TEXTS])] = value


def swap_two_values(taken: Taken, chance: random.Random) -> None:
    (first, i), (second, j) = _place(taken.header, chance), _place(taken.header, chance)
    first[i], second[j] = copy.deepcopy(second[j]), copy.deepcopy(first[i])


def add_a_word(taken: Taken, chance: random.Random) -> None:
    holders = [taken.header, *(h[k] for h, k in places_in(taken.header) if isinstance(h[k], dict))]
    chance.choice(holders)[chance.choice(words())] = copy.deepcopy(chance.choice([*NUMBERS, *ODD, *words()[:3]]))


def nest_a_value(taken: Taken, chance: random.Random) -> None:
    """Put a value into lists, tables, recipes or pruners, once or deep."""
    holder, key = _place(taken.header, chance)
    value, kind = holder[key], chance.choice(["plain", "list", "tuple", "dict", "recipe", "pruner", "key"])
    for _ in range(chance.choice([1, 1, 2, 3, 12, 30, 70])):
        value = {
            "plain": [value],
            "list": {"list": [value]},
            "tuple": {"tuple": [value]},
            "dict": {"dict": [["a", value]]},
            "recipe": {"recipe": chance.choice(sorted(KINDS)), "params": {"estimator": value}},
            "pruner": {"pruner": chance.choice(["CostComplexity", "ReducedError"]), "alpha": value},
            "key": {"dict": [[value, 0]]},
        }[kind]
    holder[key] = value


def part_of_another(taken: Taken, chance: random.Random) -> None:
    other = parts_of(chance.choice(list(MODELS))).header
    key = chance.choice(sorted(other))
    taken.header[key] = copy.deepcopy(other[key])


def make_something_long(taken: Taken, chance: random.Random) -> None:
    if chance.random() < 0.8:  # most long files teach the same, and each takes time
        return change_a_value(taken, chance)
    holder, key = _place(taken.header, chance)
    value, n = holder[key], chance.choice([1000, 20_000])
    if isinstance(value, list):
        holder[key] = value * (n // max(len(value), 1))
    elif isinstance(value, dict):
        value.update({f"{k}": k for k in range(n)})
    else:
        holder[key] = chance.choice(["x" * n, "[" * n, '"' * n, list(range(n)), [[]] * n, 10 ** (n // 10)])


# ---------------------------------------------------------------- the arrays


def _pick(taken: Taken, chance: random.Random) -> str:
    return chance.choice(sorted(taken.arrays))


def change_numbers(taken: Taken, chance: random.Random) -> None:
    array = taken.arrays[_pick(taken, chance)]
    for _ in range(chance.choice([1, 1, 1, 2, 5]) if array.size else 0):
        array.reshape(-1)[chance.randrange(array.size)] = edge_for(array.dtype, chance)


def change_all_numbers(taken: Taken, chance: random.Random) -> None:
    name = _pick(taken, chance)
    array = taken.arrays[name]
    with np.errstate(all="ignore"):
        if array.dtype.kind == "f" and chance.random() < 0.6:
            array *= array.dtype.type(chance.choice([1e308, 1e200, 1e-300, -1.0, 0.0]))
        elif array.dtype.kind != "b" and chance.random() < 0.5:
            array += array.dtype.type(1)
        else:
            array[...] = edge_for(array.dtype, chance)


def swap_numbers(taken: Taken, chance: random.Random) -> None:
    flat = taken.arrays[_pick(taken, chance)].reshape(-1)
    if flat.size > 1:
        i, j = chance.randrange(flat.size), chance.randrange(flat.size)
        flat[i], flat[j] = flat[j], flat[i]


def change_a_type(taken: Taken, chance: random.Random) -> None:
    name = _pick(taken, chance)
    dtype = chance.choice(["u1", "i1", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "?"])
    with np.errstate(all="ignore"):
        taken.arrays[name] = taken.arrays[name].astype(dtype)


def change_a_size(taken: Taken, chance: random.Random) -> None:
    name = _pick(taken, chance)
    array = np.atleast_1d(taken.arrays[name])
    kind = chance.choice(["shorter", "longer", "empty", "twice", "flat", "axis", "scalar", "turned", "many"])
    if kind == "scalar":
        taken.arrays[name] = array.reshape(-1)[:1].reshape(()) if array.size else np.zeros((), array.dtype)
    elif kind in ("longer", "twice", "many") and len(array):
        more = array[-1:] if kind == "longer" else array
        taken.arrays[name] = np.concatenate([array] + [more] * (20 if kind == "many" else 1))
    else:
        taken.arrays[name] = {
            "shorter": array[:-1], "empty": array[:0], "flat": array.reshape(-1), "axis": array[..., None],
            "turned": array.T,
        }.get(kind, array)  # fmt: skip


def swap_arrays(taken: Taken, chance: random.Random) -> None:
    first, second = _pick(taken, chance), _pick(taken, chance)
    taken.arrays[first], taken.arrays[second] = taken.arrays[second], taken.arrays[first].copy()


def drop_or_rename_an_array(taken: Taken, chance: random.Random) -> None:
    name = _pick(taken, chance)
    array = taken.arrays.pop(name)
    if chance.random() < 0.5:
        taken.arrays[chance.choice([*array_names(), *TEXTS, name + "_", name + "_start"])] = array
    if not taken.arrays:
        taken.arrays["x"] = array


def array_of_another(taken: Taken, chance: random.Random) -> None:
    other = parts_of(chance.choice(list(MODELS))).arrays
    for name in chance.sample(sorted(other), min(len(other), chance.choice([1, 1, 2, 4]))):
        taken.arrays[name] = other[name].copy()


# ---------------------------------------------------------------- whole files

Change = Callable[[Taken, random.Random], None]
IN_PARTS: tuple[Change, ...] = (
    change_a_value, change_a_value, change_a_value, change_a_value, delete_or_rename, swap_two_values, add_a_word,
    nest_a_value, part_of_another, make_something_long, change_numbers, change_numbers, change_numbers,
    change_all_numbers, swap_numbers, change_a_type, change_a_size, swap_arrays, drop_or_rename_an_array,
    array_of_another,
)  # fmt: skip


def changed_in_parts(data: bytes, chance: random.Random) -> bytes:
    """One to three changes, under a right checksum."""
    header, arrays = from_bytes(data)
    taken = Taken(header, arrays)
    for _ in range(chance.choice([1, 1, 1, 1, 2, 3])):
        chance.choice(IN_PARTS)(taken, chance)
    taken.header.pop("arrays", None)
    try:
        return to_bytes(taken.header, taken.arrays)
    except ModelFileError:  # what only a hostile writer puts into JSON
        names = list(taken.arrays)
        bare = to_bytes({}, {f"{place:04}": taken.arrays[name] for place, name in enumerate(names)})
        table = [{**row, "name": names[int(row["name"])]} for row in header_of(bare)["arrays"]]
        return with_header(bare, {**taken.header, "arrays": table})


def wrong_table_of_arrays(data: bytes, chance: random.Random) -> bytes:
    """The rows of the table of arrays say something else, under a right checksum."""
    header = header_of(data)
    holder, key = chance.choice(places_in(header["arrays"]))
    holder[key] = other_value(holder[key], chance)
    return with_header(data, header)


def name_said_twice(data: bytes, chance: random.Random) -> bytes:
    text = data[56 : 56 + int.from_bytes(data[16:24], "little")]
    return with_header_text(data, text[:-1] + b',"%s":0}' % chance.choice(words()).encode("utf-8", "replace"))


BY_BYTES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    wrong_table_of_arrays, name_said_twice, wrong_header_text, wrong_header_text, flipped_bits,
    flipped_bits_under_a_right_checksum, flipped_bits_under_a_right_checksum,
)  # fmt: skip


def hostile_file(data: bytes, chance: random.Random) -> bytes:
    """A changed file: four in five by someone who knows what the parts are, the others by bytes."""
    if chance.random() < 0.8:
        return changed_in_parts(data, chance)
    return chance.choice(BY_BYTES)(data, chance)
