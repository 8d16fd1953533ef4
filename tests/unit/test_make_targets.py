"""What the README, the guides, .ci/run and the workflows tell people and machines to run is there to be run."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / ".ci" / "run", *(ROOT / "docs").rglob("*.md")]
TARGETS = set(re.search(r"(?m)^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"))[1].split())


def _named(text: str) -> set[str]:
    """The targets of every `make …` at the start of a line, of a command in backquotes, or of a step."""
    found = re.findall(r"(?m)(?:^\s*|`|run: )make ((?:[a-z][a-z0-9-]*[ \t]*)+)(?=[`\n#]|$)", text)
    return {target for targets in found for target in targets.split()}


def _steps(workflow: Path) -> list[dict[str, object]]:
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


def test_the_makefile_has_a_rule_for_each_of_its_targets() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert [target for target in sorted(TARGETS) if not re.search(rf"(?m)^{target}:", text)] == []
    assert {
        target for target in TARGETS if f"#   make {target} " not in text and f" make {target} " not in text
    } == set()


@pytest.mark.parametrize("page", [*PAGES, *WORKFLOWS], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_target_that_is_named_exists(page: Path) -> None:
    assert _named(page.read_text(encoding="utf-8")) <= TARGETS


def test_the_names_are_found() -> None:
    assert _named("make test       # sets up\n`make core-tests`, and make haste\n  - run: make docs\n") == {
        "test", "core-tests", "docs",
    }  # fmt: skip
    assert {"demo", "docs", "bench"} <= _named((ROOT / "README.md").read_text(encoding="utf-8"))
    assert TARGETS - {"clean"} <= _named((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda page: page.name)
def test_a_workflow_is_yaml_whose_steps_do_something(workflow: Path) -> None:
    steps = _steps(workflow)
    assert len(steps) > 1
    assert all(("run" in step) != ("uses" in step) for step in steps)


def test_scripts_that_workflows_and_wheels_start_exist() -> None:
    commands = " ".join(str(step.get("run", "")) for workflow in WORKFLOWS for step in _steps(workflow))
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["cibuildwheel"]
    scripts = re.findall(r"bash (\S+)", commands) + re.findall(r"\{project\}/(\S+)", settings["test-command"])
    assert scripts == [".ci/run", "tests/wheel_smoke.py"]
    assert all((ROOT / script).is_file() for script in scripts)
