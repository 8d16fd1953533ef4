"""Models as JSON: every kind comes back to the last byte, and text that was written to harm is refused."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from fuzz.models import MODELS, model_bytes
from thorough import THOROUGH
from treewright.errors import DataError, ModelFileError
from treewright.save import to_bytes
from treewright.save.model_json import from_json, to_json
from treewright.save.persist import load_bytes, model_json

N_HOSTILE = 6_000 if THOROUGH else 400
NAMES = sorted(MODELS)


def text_of(name: str) -> str:
    return model_json(load_bytes(model_bytes(name)))


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_model_comes_back_to_the_last_byte(name: str, tmp_path: Path) -> None:
    model = load_bytes(model_bytes(name))
    verdict = tw.export(model, tmp_path / "m.json")
    assert verdict.proven, verdict.text
    again = tw.load(tmp_path / "m.json")
    assert again._tw_bytes() == model._tw_bytes()
    assert model_json(again) == (tmp_path / "m.json").read_text(encoding="utf-8")


def test_numbers_that_json_has_no_word_for_come_back_with_their_bits() -> None:
    odd = np.frombuffer(bytes.fromhex("000000000000f8ff 010000000000f87f 0000000000000080"), dtype="<f8")
    arrays = {
        "odd": np.concatenate([odd, [np.nan, np.inf, -np.inf, 5e-324, 0.1]]),
        "large": np.array([2**63 - 1, -(2**63)]),
        "single": np.array([np.nan, 0.1, -np.inf], np.float32),
        "truths": np.array([[True], [False]]),
        "none": np.zeros((0, 3), np.uint8),
    }
    header = {"a pair": "\U0001f333", "number": 0.1, "whole": 1.0}
    assert from_json(to_json(header, arrays).encode(), "m.json") == to_bytes(header, arrays)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"version": 1', '"version": 2', "reads up to version 1. Upgrade"),
        ('"version": 1', '"version": true', "its version is True"),
        ('"values": [', '"values": [7, ', "as many values as its shape"),
        ('"type": "u1"', '"type": "O"', "its type 'O' is unknown"),
        ('"type": "u1"', '"type": ["u1"]', "is unknown"),
        ('"values": [1,', '"values": [1e999,', "beyond all doubles|something else than whole"),
        ('"model": {', '"model": {"arrays": [], ', "uses the name 'arrays'"),
        ('"sha256": "', '"sha256": "0', "its checksum does not fit"),
        ('"model": {', '"more": 1, "model": {', "it holds more or less than"),
        ('"arrays": {', '"arrays": {"x": NaN, ', "NaN, which JSON does not know"),
        ("}}\n", "}}}", "is not JSON"),
        ('"shape": [3]', '"shape": [-3]', "impossible"),
    ],
)
def test_what_is_wrong_is_said(old: str, new: str, words: str, tmp_path: Path) -> None:
    text = model_json(tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"]))
    assert old in text, text
    (tmp_path / "m.json").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ModelFileError, match=words):
        tw.load(tmp_path / "m.json")


def test_other_json_is_no_model(tmp_path: Path) -> None:
    tree = tw.DecisionTreeRegressor().fit([[1], [2]], [1, 2]).tree_
    for text in ('{"learner": {}}', '[{"format": "treewright model"}]', tree.to_json()):
        (tmp_path / "m.json").write_text(text, encoding="utf-8")
        with pytest.raises(ModelFileError, match="is not a treewright model file: it looks like JSON"):
            tw.load(tmp_path / "m.json")
    with pytest.raises(DataError, match="Got str instead"):
        tw.export("no model", tmp_path / "m.json")


def damaged(text: str, chance: random.Random) -> str:
    """Change one number, word or mark of a text that has no checksum any more."""
    text = re.sub(r'"sha256": "\w+",', "", text)
    tokens = list(re.finditer(r'-?[\d.]+(?:e-?\d+)?|"[^"\\]*"|true|false|null|[\[\]{}:,]', text))
    token = chance.choice(tokens)
    others: list[Any] = ["-1", "0", "1e308", "1e999", "255", "99999999999", '"NaN"', '"Infinity"', '"x"', "null", "[]"]
    others += ["{}", "true", "[[[[", "", chance.choice(tokens)[0], json.dumps("🌳"), "1" * 5000]
    return text[: token.start()] + str(chance.choice(others)) + text[token.end() :]


@pytest.mark.random_examples
def test_hostile_json_is_refused_or_is_a_model_that_answers(tmp_path: Path) -> None:
    chance, path, refused = random.Random(5), tmp_path / "m.json", 0
    texts = {name: text_of(name) for name in NAMES}
    for number in range(N_HOSTILE):
        path.write_text(damaged(texts[NAMES[number % len(NAMES)]], chance), encoding="utf-8")
        try:
            model = tw.load(path)
        except ModelFileError:
            refused += 1
        else:
            assert load_bytes(model._tw_bytes()).fingerprint() == model.fingerprint()
    assert N_HOSTILE / 3 < refused < N_HOSTILE
