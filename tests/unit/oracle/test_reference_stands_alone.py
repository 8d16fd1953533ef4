"""A definition that the core is compared with must not ask the core. (Import layers do not see a compiled module.)"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import treewright

FILES = sorted((Path(treewright.__file__).parent / "reference").glob("*.py"))


def imported(file: Path) -> set[str]:
    """The modules that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_reference_imports_nothing_of_the_package_but_itself_and_errors(file: Path) -> None:
    own = {name for name in imported(file) if name.startswith("treewright")}
    assert {name for name in own if not name.startswith(("treewright.reference.", "treewright.errors."))} == set()


def test_there_is_something_to_look_at() -> None:
    assert len(FILES) > 8
