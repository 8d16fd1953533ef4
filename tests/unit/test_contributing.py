"""CONTRIBUTING.md lists every file that a criterion, a splitter, a learner or a picture is named in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CODE = ("core", "src", "examples", "docs/api", "tests/core", "tests/oracle")
# heading → a word that the files of its example have, the name of the example's own files, where to look
EXAMPLES = {
    "criterion": ("hellinger", "hellinger", (*CODE, "tests/properties", "tests/lesson", "tests/model_prints.py")),
    "splitter": ('BranchPerLevel|"branch_per_level"', "branch_per_level", CODE),
    "learner": ('LocallyWeightedRegression|"local"', "local_regression", CODE),
    "picture": ("plot_pruning", "pruning_plot", (*CODE, "docs/gallery.md", "docs/drawing.md", "tests/plot")),
}


def _listed(heading: str, name: str) -> set[str]:
    section = re.split(r"(?m)^## ", TEXT.partition(f"## Adding a {heading}\n")[2])[0]
    paths = (path.replace("NAME", name) for path in re.findall(r"`([\w./]+)`", section))
    return {path for path in paths if "/" in path or path.endswith((".md", ".yml", ".toml"))}


def _naming(word: str, places: tuple[str, ...]) -> set[str]:
    roots = [ROOT / place for place in places]
    files = [path for root in roots for path in ([root] if root.is_file() else root.rglob("*")) if path.is_file()]
    texts = (path for path in files if path.suffix in {".py", ".pyi", ".cpp", ".hpp", ".md"})
    wanted = re.compile(word, re.I if word == "hellinger" else 0)
    return {str(path.relative_to(ROOT)) for path in texts if wanted.search(path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("heading", EXAMPLES)
def test_every_file_that_names_the_example_is_listed(heading: str) -> None:
    word, name, places = EXAMPLES[heading]
    listed, naming = _listed(heading, name), _naming(word, places)
    assert len(naming) > 3
    assert {path for path in naming if path not in listed and f"{Path(path).parent}/" not in listed} == set()


@pytest.mark.parametrize("heading", EXAMPLES)
def test_every_listed_file_exists(heading: str) -> None:
    # The tests of a learner have names of their own.
    listed = {path for path in _listed(heading, EXAMPLES[heading][1]) if "test_local" not in path}
    assert [path for path in sorted(listed) if not (ROOT / path).exists()] == []
