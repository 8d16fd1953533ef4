"""The look at every byte finds the same whatever blocks the file is read in."""

from pathlib import Path

import pytest

from treewright.errors import DataError
from treewright.table.reading import source_file as byte_check
from treewright.table.reading.source_file import SourceFile


@pytest.mark.parametrize("block", range(1, 12))
def test_letters_across_blocks_are_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(byte_check, "BLOCK", block)
    path = tmp_path / "t.csv"
    path.write_text("a,b\nü€,x\n𝄞y,z\n", encoding="utf-8")
    byte_check.check_bytes(SourceFile("t.csv", path, ".csv"))


@pytest.mark.parametrize("block", range(1, 12))
def test_the_wrong_byte_is_found_in_any_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(byte_check, "BLOCK", block)
    path = tmp_path / "t.csv"
    path.write_bytes("ü,b\n€,".encode() + b"\xe2\x82")
    with pytest.raises(DataError, match=r"^t\.csv:2: byte 0xE2 \(byte 10 of the file\)"):
        byte_check.check_bytes(SourceFile("t.csv", path, ".csv"))
