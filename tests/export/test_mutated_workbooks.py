"""The proof of an Excel rule book can fail: one cut, branch, level or answer changed is caught by LibreOffice."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from export.mutated_files import workbooks

if shutil.which("soffice"):

    @pytest.mark.thorough
    @pytest.mark.timeout(600)
    def test_nearly_every_mutation_of_a_workbook_is_caught(tmp_path: Path) -> None:
        outcome = workbooks(4, tmp_path, one_of=4)
        assert outcome.nearly_all, outcome.missed
