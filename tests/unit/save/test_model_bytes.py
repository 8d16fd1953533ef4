"""A model as bytes and back."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from treewright.errors import ModelFileError
from treewright.save import from_bytes, to_bytes
from treewright.save.header import VERSION
from unit.save.model_pieces import (
    credit_model,
    header_length,
    header_of,
    sealed,
    with_header,
    with_header_text,
    with_numbers,
)
from unit.save.test_narrow import ANY_ARRAY

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text().filter(lambda name: name != "arrays"), JSON, max_size=3),
    st.dictionaries(st.text(), ANY_ARRAY, max_size=3),
)
def test_header_and_arrays_come_back_as_they_were(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    again, arrays_again = from_bytes(to_bytes(header, arrays))
    assert again == header
    assert set(arrays_again) == set(arrays)
    for name, array in arrays.items():
        native = array.astype(array.dtype.newbyteorder("="))
        assert arrays_again[name].dtype == native.dtype
        assert arrays_again[name].shape == native.shape
        assert arrays_again[name].tobytes() == native.tobytes()
        assert arrays_again[name].flags.writeable


def test_the_same_model_gives_the_same_bytes_whatever_the_order_of_its_parts() -> None:
    one = to_bytes({"a": 1, "b": 2}, {"x": np.arange(3), "y": np.arange(4)})
    other = to_bytes({"b": 2, "a": 1}, {"y": np.arange(4), "x": np.arange(3)})
    assert one == other


def test_the_bytes_are_where_the_design_says() -> None:
    data = to_bytes({"kind": "stump"}, {"a": np.array([1, 2]), "b": np.array([0.1])})
    assert data[:8] == b"\x89TWTREE\n"
    assert (int.from_bytes(data[8:12], "little"), int.from_bytes(data[12:16], "little")) == (1, 1)
    header = header_of(data)
    assert [sorted(row) for row in header["arrays"]] == [["bytes", "dtype", "given", "name", "offset", "shape"]] * 2
    start = -(-(56 + header_length(data)) // 64) * 64
    assert data[start : start + 2] == b"\x01\x02"
    assert np.frombuffer(data[start + 64 :])[0] == 0.1
    assert set(data[56 + header_length(data) : start]) <= {0}


def test_a_model_without_arrays_is_a_model() -> None:
    assert from_bytes(to_bytes({"kind": "constant"}, {})) == ({"kind": "constant"}, {})


@pytest.mark.parametrize(
    ("header", "arrays", "sentence"),
    [
        ({"arrays": 1}, {}, "uses the name 'arrays'"),
        ({"alpha": float("nan")}, {}, "JSON has no word for"),
        ({"alpha": {1, 2}}, {}, "JSON has no word for"),
        ({}, {"names": np.array(["a"])}, "array 'names' holds <U1"),
        ({}, {"objects": np.array([None])}, "array 'objects' holds object"),
        ({}, {"deep": np.zeros((1, 1, 1, 1, 1))}, "on 5 axes"),
    ],
)
def test_what_a_model_file_cannot_hold_is_refused(header: dict[str, Any], arrays: Any, sentence: str) -> None:
    with pytest.raises(ModelFileError, match=f"cannot be saved: .*{sentence}"):
        to_bytes(header, arrays)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "m.tw is empty"),
        (b"\x80\x04\x95", "a pickle, which treewright never opens"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x1f\x8b\x08", "a gzip file; unpack it first"),
        (b"PAR1....", "a Parquet table"),
        (b'{"format": 1}', "JSON; a tree saved as JSON is read by Tree.from_json"),
        (b"age,income\n1,2\n", "text, perhaps a CSV table"),
        (bytes(100), "something else"),
        (b"\x89TWTREE\r\n" + bytes(100), "sent as text"),
        (b"\x89TW", "cut short"),
    ],
)
def test_a_file_of_another_kind_is_named(data: bytes, sentence: str) -> None:
    with pytest.raises(ModelFileError, match=sentence):
        from_bytes(data, "m.tw")


def test_a_newer_file_that_an_old_reader_may_read_is_read() -> None:
    assert from_bytes(with_numbers(credit_model(), version=7, reader=1))[0] == from_bytes(credit_model())[0]


@pytest.mark.parametrize("reader", [VERSION + 1, 2**31])
def test_a_file_that_needs_a_newer_reader_says_which(reader: int) -> None:
    with pytest.raises(ModelFileError, match=rf"version {reader}; this one reads up to version {VERSION}\. Upgrade"):
        from_bytes(with_numbers(credit_model(), version=2**32 - 1, reader=reader))


@pytest.mark.parametrize(("version", "reader"), [(0, 0), (0, 1), (1, 0), (1, 2)])
def test_impossible_versions_are_damage(version: int, reader: int) -> None:
    with pytest.raises(ModelFileError, match="damaged: its version numbers are"):
        from_bytes(with_numbers(credit_model(), version=version, reader=reader))


@pytest.mark.parametrize("length", [0, 1, 2**28 + 1, 2**31, 2**63, 2**64 - 1])
def test_an_impossible_header_length_is_damage(length: int) -> None:
    with pytest.raises(ModelFileError, match=f"its header length reads {length}"):
        from_bytes(with_numbers(credit_model(), length=length))


def test_a_header_longer_than_the_file_is_a_file_cut_short() -> None:
    with pytest.raises(ModelFileError, match="cut short"):
        from_bytes(with_numbers(credit_model(), length=2**28))


def test_a_file_that_ends_early_says_how_much_is_there() -> None:
    data = credit_model()
    with pytest.raises(ModelFileError, match=f"cut short: it has {len(data) - 1} of {len(data)} bytes"):
        from_bytes(data[:-1])


def test_a_changed_byte_is_found_by_the_checksum() -> None:
    data = bytearray(credit_model())
    data[-1] ^= 1
    with pytest.raises(ModelFileError, match="its checksum does not fit"):
        from_bytes(bytes(data))


def test_bytes_after_the_last_array_are_damage() -> None:
    with pytest.raises(ModelFileError, match="its arrays end at byte"):
        from_bytes(sealed(credit_model() + b"x"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"{nonsense", "not JSON"),
        (b"[1, 2]", "not a JSON object but a list"),
        (b'{"a": NaN}', "holds NaN"),
        (b'{"a": 1, "a": 2}', "names 'a' twice"),
        (b'{"a": "\xff"}', "not JSON"),
        (b"[" * 100_000, "nested deeper than 64"),
        (b'{"a":' * 70 + b"1" + b"}" * 70, "nested deeper than 64"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"a": 1}', "no table of arrays"),
        (b'{"arrays": {}}', "no table of arrays"),
    ],
)
def test_a_header_that_is_not_one_is_damage(text: bytes, sentence: str) -> None:
    with pytest.raises(ModelFileError, match=sentence):
        from_bytes(with_header_text(credit_model(), text))


def test_brackets_in_names_are_not_nesting() -> None:
    header = {"names": ["[" * 100, '\\"[[[['] * 3}
    assert from_bytes(to_bytes(header, {}))[0] == header


def with_first_row(**values: Any) -> bytes:
    data = credit_model()
    header = header_of(data)
    header["arrays"][0].update(values)
    return with_header(data, header)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"dtype": "O8"}, "its dtype 'O8'"),
        ({"given": "U4"}, "given as 'U4'"),
        ({"dtype": ["f8"]}, "its dtype"),
        ({"dtype": "f8", "given": "f4"}, "f8 cannot stand for f4"),
        ({"dtype": "i1", "given": "u8"}, "i1 cannot stand for u8"),
        ({"shape": [-1]}, "its shape"),
        ({"shape": [True]}, "its shape"),
        ({"shape": 10}, "its shape"),
        ({"shape": [1, 1, 1, 1, 1]}, "its shape"),
        ({"shape": [0, 2**62]}, "too large"),
        ({"shape": [2**32, 2**32], "bytes": 0}, "too large"),
        ({"shape": [2**40], "bytes": 2**40}, "do not make the shape|its arrays end|should begin"),
        ({"bytes": 2**63}, "do not make the shape"),
        ({"bytes": -1}, "do not make the shape"),
        ({"offset": 64}, "should begin at 0"),
        ({"offset": -64}, "should begin at 0"),
        ({"name": 5}, "its name is not text"),
        ({"name": "weight"}, "stands twice"),
        ({"extra": 1}, "does not hold"),
    ],
)
def test_a_lying_table_of_arrays_is_damage(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ModelFileError, match=sentence):
        from_bytes(with_first_row(**values))


def test_values_that_their_own_form_cannot_hold_are_damage() -> None:
    data = to_bytes({}, {"flags": np.array([True, False])})
    with pytest.raises(ModelFileError, match="array 'flags' holds values that bool cannot hold"):
        from_bytes(sealed(data[:-1] + b"\x02"))


def test_halves_of_characters_are_refused_by_both_ways() -> None:
    with pytest.raises(ModelFileError, match=r"cannot be saved: its header holds '\\ud800', which is half of a char"):
        to_bytes({"b": ["ü\ud800"]}, {})
    whole = to_bytes({"b": "\U0001f4a5"}, {})
    with pytest.raises(ModelFileError, match="is damaged: its header holds"):
        from_bytes(sealed(whole.replace(rb"\ud83d\udca5", rb"\ud83d\ud83d")))


def test_headers_are_json_that_anything_can_read() -> None:
    assert header_of(to_bytes({"b": "ü\U0001f4a5"}, {})) == {"arrays": [], "b": "ü\U0001f4a5"}
    assert json.dumps(header_of(credit_model()))
