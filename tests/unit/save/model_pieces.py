"""Model files taken apart and put together again, so that tests can damage one piece and keep the rest right."""

from __future__ import annotations

import json
import struct
from typing import Any

from treewright.save.header import checksum
from treewright.save.model_bytes import to_bytes
from unit.tree.hand_made import CREDIT, arrays_of, credit_root


def credit_model() -> bytes:
    """A small but whole tree model."""
    header = {"schema": CREDIT.to_json(), "classes": ["good", "bad"], "n_columns": len(CREDIT.columns)}
    return to_bytes(header, arrays_of(credit_root()))


def sealed(data: bytes) -> bytes:
    """Put the right checksum into bytes that were changed."""
    return data[:24] + checksum(data[:24], data[56:]) + data[56:]


def with_numbers(data: bytes, version: int = 1, reader: int = 1, length: int | None = None) -> bytes:
    """Change the numbers of the first 24 bytes, checksum right."""
    length = header_length(data) if length is None else length
    return sealed(data[:8] + struct.pack("<IIQ", version, reader, length) + data[24:])


def header_length(data: bytes) -> int:
    return int.from_bytes(data[16:24], "little")


def header_of(data: bytes) -> dict[str, Any]:
    header: dict[str, Any] = json.loads(data[56 : 56 + header_length(data)])
    return header


def with_header_text(data: bytes, text: bytes) -> bytes:
    """Put another header before the same arrays, with its length and the checksum right."""
    start = -(-(56 + header_length(data)) // 64) * 64
    new_start = -(-(56 + len(text)) // 64) * 64
    padding = bytes(new_start - 56 - len(text))
    numbers = data[:16] + len(text).to_bytes(8, "little")
    return sealed(numbers + bytes(32) + text + padding + data[start:])


def with_header(data: bytes, header: Any) -> bytes:
    return with_header_text(data, json.dumps(header, sort_keys=True, separators=(",", ":")).encode())
