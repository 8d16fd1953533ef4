"""The proof of a script of R can fail: scripts with one cut, branch, level or answer changed are caught by Rscript."""

from __future__ import annotations

from pathlib import Path

import pytest

from export.mutated_files import r_scripts
from thorough import THOROUGH


@pytest.mark.random_examples
@pytest.mark.timeout(3000)
def test_nearly_every_mutation_of_a_script_of_r_is_caught(tmp_path: Path) -> None:
    outcome = r_scripts(80 if THOROUGH else 8, tmp_path, one_of=3 if THOROUGH else 12)
    assert outcome.nearly_all, outcome.missed
