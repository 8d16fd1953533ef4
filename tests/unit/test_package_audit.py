"""The look through what is shipped finds what does not belong there."""

from __future__ import annotations

import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from package_audit import machine_words, module_problems, problems_of
from treewright import _core


def wheel(folder: Path, files: dict[str, bytes]) -> Path:
    path = folder / "treewright-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def test_a_package_of_its_own_files_is_taken(tmp_path: Path) -> None:
    files = {"treewright/__init__.py": b"x = 1\n", "treewright-1.dist-info/METADATA": b"Name: treewright\n"}
    assert problems_of(wheel(tmp_path, files)) == []


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("treewright/__pycache__/a.pyc", b"", "does not belong"),
        ("notes.txt", b"", "does not belong"),
        ("../treewright/a.py", b"", "leads out of"),
        ("treewright/a.py", b"-----BEGIN RSA " + b"PRIVATE KEY-----", "looks like a key"),
        ("treewright/a.py", b"built in " + machine_words()[0], "a folder of this machine"),
    ],
)
def test_what_does_not_belong_there_is_told(name: str, data: bytes, problem: str, tmp_path: Path) -> None:
    assert any(problem in told for told in problems_of(wheel(tmp_path, {name: data})))


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("readelf"), reason="modules of Linux, by readelf")
def test_the_compiled_module_has_closed_tables_and_no_paths_of_its_own() -> None:
    assert module_problems(Path(str(_core.__file__)).read_bytes()) == []
