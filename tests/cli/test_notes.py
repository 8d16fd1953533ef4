from pathlib import Path

import pytest

from cli.terminal import Run


@pytest.mark.filterwarnings("always:Column 'b':UserWarning")
def test_a_warning_of_every_fold_is_noted_once(run: Run, tmp_path: Path) -> None:
    rows = "\n".join(f"x{i % 3},same,{i % 2}" for i in range(60))
    (tmp_path / "t.csv").write_text(f"a,b,y\n{rows}\n", encoding="utf-8")
    said = run("train", "t.csv", "--target", "y", "--algorithm", "chaid")
    assert said.code == 0
    assert said.err.count("Column 'b' has only one value") == 1
    assert "Note: Column 'b' has only one value and cannot be tested. Leave it out." in said.err.splitlines()
