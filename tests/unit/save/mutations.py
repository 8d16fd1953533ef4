"""Ways to damage a model file, from a flipped bit to a wrong number under a right checksum."""

from __future__ import annotations

import copy
import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from treewright.save import from_bytes, to_bytes
from unit.save.model_pieces import header_length, header_of, sealed, with_header, with_header_text

EDGES = [
    0,
    1,
    -1,
    2,
    255,
    256,
    65535,
    65536,
    2**31 - 1,
    2**31,
    -(2**31),
    2**32,
    2**53,
    2**63 - 1,
    2**63,
    -(2**63),
    2**64,
]
ODD = [*EDGES, 0.5, -0.5, 1e308, True, None, "", "x", [], {}, [[]], [0], {"a": 0}]
FLOATS = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 5e-324, 1e308, 0.5, 2.0**53]


def mutations(data: bytes, n: int, seed: int) -> Iterator[bytes]:
    """Give n damaged files, the kinds of damage in turn."""
    chance = random.Random(seed)
    kinds: list[Callable[[bytes, random.Random], bytes]] = [
        flipped_bits,
        flipped_bits_under_a_right_checksum,
        wrong_header_value,
        wrong_header_text,
        wrong_array_values,
        wrong_array_values,
        swapped_array_values,
        wrong_array_size,
    ]
    return (kind(data, chance) for kind in itertools.islice(itertools.cycle(kinds), n))


def systematic(data: bytes) -> Iterator[bytes]:
    """Give the file cut at every byte, and with every edge in every length field."""
    return itertools.chain(truncations(data), edges_in_the_length_fields(data))


def truncations(data: bytes) -> Iterator[bytes]:
    return (data[:end] for end in range(len(data)))


def edges_in_the_length_fields(data: bytes) -> Iterator[bytes]:
    for (start, size), edge in itertools.product([(8, 4), (12, 4), (16, 8)], EDGES):
        field = (edge % 2 ** (8 * size)).to_bytes(size, "little")
        changed = data[:start] + field + data[start + size :]
        yield changed
        yield sealed(changed)


def flipped_bits(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 8, 64])):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def flipped_bits_under_a_right_checksum(data: bytes, chance: random.Random) -> bytes:
    return sealed(flipped_bits(data, chance))


def wrong_header_value(data: bytes, chance: random.Random) -> bytes:
    header = header_of(data)
    holder, key = chance.choice(places_in(header))
    if chance.random() < 0.15 and isinstance(holder, dict):
        del holder[key]
    else:
        holder[key] = copy.deepcopy(chance.choice(ODD))
    return with_header(data, header)


def wrong_header_text(data: bytes, chance: random.Random) -> bytes:
    text = bytearray(data[56 : 56 + header_length(data)])
    start = chance.randrange(len(text))
    text[start : start + chance.choice([0, 1, 1, 5])] = chance.choice(
        [b"", b"[", b"}", b'"', b"9", b"-", b"\xff", b"NaN"]
    )
    return with_header_text(data, bytes(text))


def wrong_array_values(data: bytes, chance: random.Random) -> bytes:
    header, arrays = from_bytes(data)
    array = arrays[chance.choice(sorted(name for name in arrays if arrays[name].size))]
    for _ in range(chance.choice([1, 1, 2])):
        array.reshape(-1)[chance.randrange(array.size)] = edge_for(array.dtype, chance)
    return to_bytes(header, arrays)


def swapped_array_values(data: bytes, chance: random.Random) -> bytes:
    header, arrays = from_bytes(data)
    flat = arrays[chance.choice(sorted(name for name in arrays if arrays[name].size > 1))].reshape(-1)
    i, j = chance.randrange(flat.size), chance.randrange(flat.size)
    flat[i], flat[j] = flat[j], flat[i]
    return to_bytes(header, arrays)


def wrong_array_size(data: bytes, chance: random.Random) -> bytes:
    header, arrays = from_bytes(data)
    name = chance.choice(sorted(arrays))
    array = arrays[name]
    what = chance.choice(["drop", "shorter", "longer", "other", "flat", "rename"])
    if what == "drop":
        del arrays[name]
    elif what == "rename":
        arrays[name + "_"] = arrays.pop(name)
    elif what == "other":
        arrays[name] = arrays[chance.choice(sorted(arrays))]
    elif what == "flat":
        arrays[name] = array.ravel()[:1].reshape(()) if array.size and chance.random() < 0.5 else array.reshape(-1, 1)
    else:
        arrays[name] = array[:-1] if what == "shorter" else np.concatenate([array, array[-1:]])
    return to_bytes(header, arrays)


def edge_for(dtype: np.dtype[Any], chance: random.Random) -> Any:
    if dtype.kind == "f":
        return chance.choice(FLOATS)
    if dtype.kind == "b":
        return chance.random() < 0.5
    limits = np.iinfo(dtype)
    return chance.choice([edge for edge in [*EDGES, 3, 4, 5, limits.max] if limits.min <= edge <= limits.max])


def places_in(value: Any) -> list[tuple[Any, Any]]:
    """Give every place in nested lists and dicts, as (holder, key)."""
    places, waiting = [], [value]
    while waiting:
        holder = waiting.pop()
        keys = holder if isinstance(holder, dict) else range(len(holder))
        for key in list(keys):
            places.append((holder, key))
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])
    return places
