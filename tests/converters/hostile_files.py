"""Model files of other libraries with damage: each has to be refused with a sentence, or give a model that answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from treewright.errors import ModelFileError

_ODD = [b"-1", b"0", b"nan", b"inf", b"99999999999", b"1e308", b"", b"x", b"-5", b"2147483648", b"1.5", b"[]", b"{}"]


def damaged_texts(texts: list[bytes], n: int) -> Iterator[bytes]:
    """Texts of models with a number changed, a line gone or doubled, or the end cut off."""
    rng = np.random.default_rng(0)
    for _ in range(n):
        text = texts[rng.integers(len(texts))]
        way = rng.integers(4)
        if way == 0:
            numbers = list(re.finditer(rb"-?\d[\d.e+-]*", text))
            one = numbers[rng.integers(len(numbers))]
            yield text[: one.start()] + _ODD[rng.integers(len(_ODD))] + text[one.end() :]
        elif way == 1:
            yield text[: rng.integers(len(text))]
        elif way == 2:
            lines = text.split(b"\n")
            place = rng.integers(len(lines))
            yield b"\n".join(lines[:place] + lines[place + int(rng.integers(2)) :] + lines[place : place + 1])
        else:
            changed = bytearray(text)
            for place in rng.integers(0, len(text), 3):
                changed[place] = rng.integers(256)
            yield bytes(changed)


def damaged_documents(documents: list[dict[str, Any]], n: int) -> Iterator[bytes]:
    """JSON of models with a value replaced, an entry gone or a list of another length."""
    rng = np.random.default_rng(0)
    odd: list[Any] = [-1, 0, None, "x", [], {}, 1e39, 2**40, True, float("nan"), [1, 2], "[1,2]"]
    for _ in range(n):
        document = json.loads(json.dumps(documents[rng.integers(len(documents))]))
        box: Any = document
        while True:
            key = list(box)[rng.integers(len(box))] if isinstance(box, dict) else int(rng.integers(len(box)))
            if isinstance(box[key], dict | list) and box[key] and rng.random() < 0.9:
                box = box[key]
                continue
            if rng.random() < 0.3:
                del box[key]
            else:
                box[key] = odd[rng.integers(len(odd))]
            break
        yield json.dumps(document).encode()


def assert_refused_or_usable(read: Callable[[Path], Any], path: Path) -> None:
    try:
        model = read(path)
    except ModelFileError:
        return
    rows = np.zeros((2, len(model.trees_.schema.columns)))
    named = hasattr(model, "feature_names_in_")
    assert len(model.predict(pd.DataFrame(rows, columns=model.feature_names_in_) if named else rows)) == 2
    assert model.trees_[0].n_nodes >= 1
