"""`make wheel`: the wheel works where there is nothing else: an empty environment, and no compiler.

python tests/wheel_smoke.py dist/treewright-….whl   makes such an environment, installs the wheel and runs all here
python tests/wheel_smoke.py                         runs it in the environment that it is started in
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
NO_COMPILER = {name: "there-is-no-compiler-here" for name in ("CC", "CXX", "CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER")}
SHELL = ("bash", "dirname")  # what examples/credit.sh starts beside python and treewright


def in_empty_environment(wheel: Path, folder: Path) -> None:
    """Install the wheel alone, then start this script again there."""
    venv.create(folder / "venv", with_pip=True)
    programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python = str(programs / "python")
    environment = {**os.environ, **NO_COMPILER, "PATH": os.pathsep.join([str(programs), *_shell(folder / "shell")])}
    environment.pop("PYTHONPATH", None)
    found = [name for name in ("cc", "c++", "gcc", "g++", "clang") if shutil.which(name, path=environment["PATH"])]
    assert not found, f"There is a compiler after all: {found}"
    install = [python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", str(wheel)]
    subprocess.run(install, env=environment, cwd=folder, check=True)
    subprocess.run([python, str(Path(__file__).resolve())], env=environment, cwd=folder, check=True)


def _shell(folder: Path) -> list[str]:
    """Make a folder with the few programs that the demo needs; on Windows its verbs are run without a shell."""
    if os.name == "nt":
        return []
    folder.mkdir()
    for name in SHELL:
        (folder / name).symlink_to(shutil.which(name) or name)
    return [str(folder)]


def from_python(folder: Path) -> None:
    """Fit, save, load, answer and draw: one tree and many."""
    import numpy as np

    import treewright as tw
    from treewright import _core

    assert not Path(tw.__file__).is_relative_to(ROOT), f"{tw.__file__} is not that of the wheel"
    table = tw.datasets.load_credit_g()
    X, y = table.drop(columns="class"), table["class"]
    for model in (
        tw.DecisionTreeClassifier(max_depth=4),
        tw.RandomForestClassifier(n_estimators=20, random_state=0),
        tw.GradientBoostingClassifier(n_estimators=20, random_state=0),
    ):
        path = folder / "model.tw"
        tw.save(model.fit(X, y), path)
        again = tw.load(path)
        assert again.fingerprint() == model.fingerprint()
        assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
        assert model.score(X, y) > 0.75, f"{model} learnt nothing"
    tree = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    tw.draw(tree, folder / "tree.svg")
    assert (folder / "tree.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "because" in str(tree.why(X.iloc[0]))
    print(f"Python {sys.version.split()[0]}, {Path(_core.__file__).name}: trees, a forest and boosting are well")


def from_command_line(folder: Path) -> None:
    """Run the demo, or where there is no shell what it runs."""
    if os.name != "nt" and shutil.which("bash"):
        subprocess.run(["bash", str(ROOT / "examples" / "credit.sh"), str(folder)], check=True)
        return
    subprocess.run([sys.executable, str(ROOT / "examples" / "split_credit.py"), str(folder)], check=True)
    for words in (
        "profile train.csv",
        "train train.csv --target class --out credit.tw",
        "predict credit.tw new.csv --proba",
        "evaluate credit.tw test.csv --fail-under accuracy=0.7",
        "verify credit.tw",
    ):
        subprocess.run(["treewright", *words.split()], cwd=folder, check=True)


def main(wheels: list[str]) -> None:
    """Try these wheels, or what is installed here."""
    with tempfile.TemporaryDirectory() as made:
        for number, wheel in enumerate(wheels):
            (folder := Path(made) / str(number)).mkdir()
            in_empty_environment(Path(wheel).resolve(), folder)
        if not wheels:
            from_python(Path(made))
            from_command_line(Path(made) / "demo")


if __name__ == "__main__":
    main(sys.argv[1:])
