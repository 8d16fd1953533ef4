"""Every example that ships runs, and says what the README says it says."""

import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WITH_A_PLACE = {"split_credit.py", "gallery.py", "penalties.py"}  # they are told where to write
SCRIPTS = sorted({path.name for path in (ROOT / "examples").glob("*.py")} - WITH_A_PLACE)


@pytest.fixture
def run_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Run a script in this process, which has imported already what takes a script a second."""

    def run(name: str, *arguments: str) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [name, *arguments])
        runpy.run_path(str(ROOT / "examples" / name), run_name="__main__")

    return run


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_script_runs(name: str, run_example: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    run_example(name)
    assert "accuracy" in capsys.readouterr().out


@pytest.mark.thorough
def test_the_picture_of_penalties_is_drawn(run_example: Callable[..., None], tmp_path: Path) -> None:
    run_example("penalties.py", "penalties.png")
    assert (tmp_path / "penalties.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.thorough
def test_the_gallery_is_what_its_script_draws(run_example: Callable[..., None], tmp_path: Path) -> None:
    shown = ROOT / "docs" / "gallery"
    run_example("gallery.py", str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in shown.iterdir())
    for picture in tmp_path.glob("*.svg"):  # a PNG may differ with the version of matplotlib
        assert picture.read_text(encoding="utf-8") == (shown / picture.name).read_text(encoding="utf-8"), picture.name
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert all(f"(gallery/{path.name})" in page for path in shown.iterdir())
    assert max(path.stat().st_size for path in shown.iterdir()) < 150_000


@pytest.mark.thorough
def test_the_demo_trains_predicts_and_passes_its_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # A `treewright` and a `python` of this very interpreter, as `make demo` has them on its path.
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, arguments in (("python", ""), ("treewright", '-c "from treewright.cli.main import main; main()"')):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        program.chmod(0o755)
    done = subprocess.run(
        ["bash", str(ROOT / "examples" / "credit.sh"), str(tmp_path / "demo")],
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "$ treewright train train.csv --target class --out credit.tw" in done.stdout
    assert "10-fold cross-validation" in done.stdout
    assert "prediction,probability_bad,probability_good" in done.stdout
    assert (tmp_path / "demo" / "credit.tw").stat().st_size > 0
    for name, verb in (("README.md", "train train.csv"), ("docs/command_line.md", "predict credit.tw")):
        shown = [block for block in (ROOT / name).read_text().split("```") if f"$ treewright {verb}" in block]
        assert len(shown) == 1
        assert shown[0].strip() in done.stdout, f"{name} shows another output than the demo gives"
    lines = (ROOT / "README.md").read_text().partition("```python\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path / "demo")
    exec(lines, {})
    assert "because checking_status is" in capsys.readouterr().out
