"""The JSON header of a model file: strict to write, suspicious to read."""

from __future__ import annotations

import hashlib
import json
import re
import struct
from dataclasses import dataclass
from typing import Any

from treewright.errors import ModelFileError

# The fixed first bytes of a model file: what it is, which version, how long the header, and the checksum.


MAGIC = b"\x89TWTREE\n"
# 2: rows spread over branches, hyperplanes, lists beside nodes; 3: many trees; 4: models without a tree; 5: several
# targets, and models that carry a calibration or conformal scores
VERSION = 5
PREFIX_BYTES = 56
ALIGNMENT = 64
LONGEST_HEADER = 256 * 2**20
_NUMBERS = struct.Struct("<8sIIQ")

# First bytes of files that people mistake for model files.
_FOREIGN = (
    (b"\x80", "a pickle, which treewright never opens because it could run code"),
    (b"PK", "a zip archive"),
    (b"\x1f\x8b", "a gzip file; unpack it first"),
    (b"x\x9c", "a compressed joblib file, which treewright never opens because it could run code"),
    (b"PAR1", "a Parquet table"),
    (b"SQLite format", "an SQLite database"),
    (b"\x89PNG", "a picture"),
    (b"%PDF", "a PDF document"),
    (b"ONNX", "an ONNX model"),
    (b"{", "JSON; a tree saved as JSON is read by Tree.from_json"),
    (b"[", "JSON"),
    (b"<", "XML or HTML"),
)


@dataclass(frozen=True)
class Prefix:
    """The numbers in the first 24 bytes of a model file.

    >>> Prefix(version=1, oldest_reader=1, header_bytes=10).data_start
    128
    """

    version: int
    oldest_reader: int
    header_bytes: int

    @property
    def data_start(self) -> int:
        """Where the arrays begin."""
        return aligned(PREFIX_BYTES + self.header_bytes)

    def pack(self) -> bytes:
        """Give the 24 bytes that stand before the checksum."""
        return _NUMBERS.pack(MAGIC, self.version, self.oldest_reader, self.header_bytes)


def aligned(position: int) -> int:
    """Round a position in the file up to where an array may begin.

    >>> aligned(0), aligned(1), aligned(64)
    (0, 64, 64)
    """
    return -(-position // ALIGNMENT) * ALIGNMENT


def checksum(numbers: bytes, rest: bytes | memoryview) -> bytes:
    """Give the sha256 that stands in bytes 24-55.

    >>> len(checksum(b"first 24 bytes", b"everything from byte 56"))
    32
    """
    digest = hashlib.sha256(numbers)
    digest.update(rest)
    return digest.digest()


def read_prefix(start: bytes, source: str) -> Prefix:
    """Read and check the first 56 bytes: a model file, of a version that this reader knows.

    >>> read_prefix(b"PK and more", "model.tw")
    Traceback (most recent call last):
    treewright.errors.ModelFileError: model.tw is not a treewright model file: it looks like a zip archive. ...
    """
    if start[:8] != MAGIC:
        raise ModelFileError(_not_a_model(start, source))
    if len(start) < PREFIX_BYTES:
        raise ModelFileError(cut_short(source, f"it ends after {len(start)} bytes, before the header"))
    _, version, oldest_reader, header_bytes = _NUMBERS.unpack_from(start)
    if version < 1 or not 1 <= oldest_reader <= version:
        raise ModelFileError(damaged(source, f"its version numbers are {version} and {oldest_reader}"))
    if oldest_reader > VERSION:
        raise ModelFileError(
            f"{source} is a model file of version {version} and needs a treewright that reads version {oldest_reader}; "
            f"this one reads up to version {VERSION}. Upgrade treewright on this machine, "
            "or save the model again with the treewright that is installed here."
        )
    if not 2 <= header_bytes <= LONGEST_HEADER:
        raise ModelFileError(damaged(source, f"its header length reads {header_bytes}"))
    return Prefix(version, oldest_reader, header_bytes)


def damaged(source: str, why: str) -> str:
    """Word the message for a model file whose bytes are wrong.

    >>> damaged("m.tw", "its checksum is wrong")
    'm.tw is damaged: its checksum is wrong. Copy it again from where it was made, or train the model again.'
    """
    return f"{source} is damaged: {why}. Copy it again from where it was made, or train the model again."


def cut_short(source: str, why: str) -> str:
    """Word the message for a model file that ends too early.

    >>> cut_short("m.tw", "it ends after 9 bytes")
    'm.tw is cut short: it ends after 9 bytes. Copy it again from where it was made, or train the model again.'
    """
    return f"{source} is cut short: {why}. Copy it again from where it was made, or train the model again."


def _not_a_model(start: bytes, source: str) -> str:
    if not start:
        return f"{source} is empty. Save the model again with tw.save(model, path)."
    if start[:8] == MAGIC[: len(start)]:
        return cut_short(source, f"it ends after {len(start)} bytes, before the header")
    if start[1:7] == MAGIC[1:7]:
        return damaged(source, "line ends or accents were changed on the way, as when a file is sent as text")
    looks = next((name for first, name in _FOREIGN if start.startswith(first)), None) or _plain_kind(start)
    return f"{source} is not a treewright model file: it looks like {looks}. Pass a file that tw.save wrote."


def _plain_kind(start: bytes) -> str:
    printable = sum(byte >= 32 or byte in b"\t\r\n" for byte in start)
    return "text, perhaps a CSV table" if printable == len(start) else "something else"


DEEPEST_NESTING = 64
# A list or an object takes about a hundred bytes of memory, or two, for the two or four that it takes in a file. The
# headers of models have them farther apart than this, so that what a header takes is in proportion to its length.
_FEW, _BYTES_A_LIST, _BYTES_AN_OBJECT = 1000, 12, 40
_MOST_NAMES = 1000  # of one object; what tables and users name stands in lists
# A string, ended or not, or a mark. Possessive: what was read once is never read again, so the time is linear.
_STRING_OR_MARK = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}:]', re.DOTALL)


def write_header(header: dict[str, Any]) -> bytes:
    """Turn a dict of JSON values into bytes: always the same bytes for the same dict.

    >>> write_header({"b": 1, "a": [0.1, None]})
    b'{"a":[0.1,null],"b":1}'
    """
    try:
        text = json.dumps(header, sort_keys=True, separators=(",", ":"), allow_nan=False)
        _refuse_half_characters(text, header)
    except _BadHeaderError as problem:
        raise ModelFileError(f"The model cannot be saved: {problem}. Rename it, and train again.") from None
    except (TypeError, ValueError) as problem:
        raise ModelFileError(
            f"The model cannot be saved: its header holds something that JSON has no word for ({problem}). "
            "Use text, finite numbers, true, false, None, lists and dicts as parameters."
        ) from problem
    if len(text) > LONGEST_HEADER:
        raise ModelFileError(
            f"The model cannot be saved: its names and levels take {len(text)} bytes, and a model file holds at most "
            f"{LONGEST_HEADER}. Leave out identifier columns, or group rare levels."
        )
    return text.encode("ascii")


def read_header(data: bytes | memoryview, source: str) -> dict[str, Any]:
    """Turn bytes back into the dict, or say what is wrong with them.

    >>> read_header(b'{"a":1,"a":2}', "m.tw")
    Traceback (most recent call last):
    treewright.errors.ModelFileError: m.tw is damaged: its header names 'a' twice. Copy it again ...
    """
    try:
        text = str(data, "utf-8")
        _check_brackets(text)
        header = json.loads(text, object_pairs_hook=_unique_names, parse_constant=_no_constant)
        _refuse_half_characters(text, header)
    except _BadHeaderError as problem:
        raise ModelFileError(damaged(source, str(problem))) from None
    except (ValueError, RecursionError) as problem:
        raise ModelFileError(damaged(source, f"its header is not JSON ({problem})")) from None
    if not isinstance(header, dict):
        raise ModelFileError(damaged(source, f"its header is not a JSON object but a {type(header).__name__}"))
    return header


class _BadHeaderError(ValueError):
    """Valid JSON that a model file may not hold."""


def _refuse_half_characters(text: str, header: Any) -> None:
    """Refuse halves of surrogate pairs, which JSON can write and no page, terminal or data frame can take."""
    if "\\ud" not in text and "\\uD" not in text:
        return
    try:
        json.dumps(header, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as problem:
        half = problem.object[problem.start : problem.end]
        raise _BadHeaderError(f"its header holds {half!r}, which is half of a character") from None


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _BadHeaderError(f"its header names '{name}' twice")
        found[name] = value
    return found


def _no_constant(word: str) -> Any:
    raise _BadHeaderError(f"its header holds {word}, which JSON does not know")


def _check_brackets(text: str) -> None:
    """Refuse what the JSON reader would take too deep a stack or too much memory for, before it runs."""
    if text.count("[") + text.count("{") <= DEEPEST_NESTING and text.count(":") <= _MOST_NAMES:
        return  # as most headers: too few brackets to be deep
    lists = objects = 0
    names: list[int] = []  # of each list and object that is open
    most_lists, most_objects = _FEW + len(text) // _BYTES_A_LIST, _FEW + len(text) // _BYTES_AN_OBJECT
    for found in _STRING_OR_MARK.finditer(text):
        mark = text[found.start()]
        if mark in "[{":
            names.append(0)
            lists += 1
            objects += mark == "{"
            if len(names) > DEEPEST_NESTING:
                raise _BadHeaderError(f"its header is nested deeper than {DEEPEST_NESTING} levels")
            if lists > most_lists or objects > most_objects:
                raise _BadHeaderError("its header is made of more lists and objects than any model needs")
        elif mark in "]}" and names:
            names.pop()
        elif mark == ":" and names:
            names[-1] += 1
            if names[-1] > _MOST_NAMES:
                raise _BadHeaderError(f"its header has an object of more than {_MOST_NAMES} names")
