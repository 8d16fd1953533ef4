"""The names of the package: functions stay functions, whatever submodules are imported."""

from __future__ import annotations

import importlib
import inspect

import pytest

import treewright as tw
from treewright.public_names import STUB, stub_text


def test_folders_do_not_hide_the_functions_of_the_same_name() -> None:
    for module in (
        "treewright.table.reading.read_csv",
        "treewright.save.model_bytes",
        "treewright.report",
        "treewright.save",
    ):
        importlib.import_module(module)
    assert inspect.isfunction(tw.read)
    assert inspect.isfunction(tw.save)
    assert inspect.ismodule(tw.datasets)


def test_every_public_name_can_be_reached() -> None:
    assert sorted(dir(tw)) == sorted(tw.__all__)
    for name in tw.__all__:
        assert getattr(tw, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'forest'"):
        tw.forest  # noqa: B018


def test_the_stub_for_editors_is_fresh() -> None:
    assert STUB.read_text(encoding="utf-8") == stub_text(), "run python -m treewright.public_names"
