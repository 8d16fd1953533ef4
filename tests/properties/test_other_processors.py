"""Another processor, with other vectors, other products of matrices and another libm, makes the same models."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from processors import old_processor, probe, switches, without_switches

SCRIPT = Path(__file__).parents[1] / "model_prints.py"


def _start(environment: dict[str, str]) -> subprocess.Popen[str]:
    command = [sys.executable, str(SCRIPT)]
    return subprocess.Popen(command, env={**without_switches(), **environment}, stdout=subprocess.PIPE, text=True)


@cache
def _pairs() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Every model as this processor makes it, and as an older one does; each in a process of its own."""
    makers = [_start(switches()), _start({} if switches() else old_processor())]
    texts = [maker.communicate()[0] for maker in makers]
    assert [maker.returncode for maker in makers] == [0, 0]
    models = [[json.loads(line) for line in text.splitlines()] for text in texts]
    return list(zip(*models, strict=True))


@pytest.mark.thorough
@pytest.mark.parametrize("group", ["exact", "logarithms", "products"])
def test_every_model_is_the_same_for_its_readers(group: str) -> None:
    pairs = [(a, b) for a, b in _pairs() if a["group"] == group]
    assert len(pairs) > 30
    for a, b in pairs:
        assert a["text"] == b["text"], a["model"]
        same = pytest.approx(b["answers"], rel=1e-8) if isinstance(b["answers"][0], float) else b["answers"]
        assert a["answers"] == same, a["model"]
        assert a["shares"] == pytest.approx(b["shares"], rel=1e-8, abs=1e-12), a["model"]


@pytest.mark.thorough
def test_models_of_whole_numbers_have_the_same_bytes() -> None:
    pairs = [(a, b) for a, b in _pairs() if a["group"] == "exact"]
    assert len(pairs) > 30
    assert [a["model"] for a, b in pairs if a["bytes"] != b["bytes"]] == []


def test_the_other_processor_is_another_one() -> None:
    """Else nothing would be tested."""
    asked = old_processor()
    found = probe(asked)
    assert asked["OPENBLAS_CORETYPE"] in found["products"]
    assert found["vectors"] == "baseline"
    assert not found["dispatched"]
