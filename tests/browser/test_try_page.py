"""The page of the server in a real browser: numbers as people write them, names that break between words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from serve.running import serving

LONG = "kindOfContractWithTheCustomer_of_the_branch"


@pytest.fixture(scope="module")
def address(tmp_path_factory: Any) -> Iterator[str]:
    path: Path = tmp_path_factory.mktemp("models") / "salary.tw"
    frame = pd.DataFrame({LONG: np.tile(["monthly", "yearly"], 40), "age": np.arange(80)})
    pay = 119_013.4 + 20_000 * (frame[LONG] == "yearly")
    tw.save(tw.DecisionTreeRegressor(max_leaf_nodes=2).fit(frame, pay.rename("salary")), path)
    with serving(str(path)) as running:
        yield f"http://127.0.0.1:{running.port}/"


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_writes_numbers_as_people_do_and_fits_the_window(width: int, address: str, chromium: Any) -> None:
    context = chromium.new_context(viewport={"width": width, "height": 844})
    page = context.new_page()
    page.goto(address)
    page.get_by_label("Contract").select_option(label="monthly")
    page.locator("#answer", has_text="119,013").wait_for(timeout=10_000)
    assert page.locator("#answer").text_content() == "salary: 119,013"
    page.get_by_label("Contract").select_option(label="yearly")
    page.locator("#answer", has_text="139,013").wait_for(timeout=10_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert (
        page.locator("label wbr").count() == 8
    )  # between kind, Of, Contract, With, The, Customer_, of_, the_ and branch
    context.close()
