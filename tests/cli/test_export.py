"""export and verify: a model leaves with its proof."""

from __future__ import annotations

import json
from pathlib import Path

from cli.terminal import Run


def test_a_model_is_exported_with_its_proof_and_verified_again(run: Run, titanic: Path) -> None:
    assert run("train", titanic, "--target", "survived", "--out", "m.tw").code == 0
    said = run("export", "m.tw", "m.sql", "--dialect", "sqlite", "--table", "passengers", "--keep", "name")
    assert said.code == 0
    assert "proven in SQLite" in said.out
    assert "FROM passengers" in Path("m.sql").read_text()
    again = run("verify", "m.sql")
    assert again.code == 0
    assert "all answers equal to the last bit" in again.out
    assert json.loads(run("verify", "m.sql", "--json").out)["proven"]
    Path("m.sql").write_text(Path("m.sql").read_text() + " ")
    assert run("verify", "m.sql").code == 3


def test_a_model_as_json_is_a_model_to_every_verb(run: Run, titanic: Path) -> None:
    assert run("train", titanic, "--target", "survived", "--out", "m.tw").code == 0
    assert "proven by reading it back" in run("export", "m.tw", "m.json").out
    assert "json version    1" in run("verify", "m.json").out
    for verb in (("show",), ("predict", titanic)):
        assert run(verb[0], "m.json", *verb[1:]).out == run(verb[0], "m.tw", *verb[1:]).out
    Path("m.json").write_text(Path("m.json").read_text().replace("0", "1", 1))
    assert run("verify", "m.json").code == 4


def test_a_model_file_may_have_a_proof(run: Run, titanic: Path) -> None:
    assert run("train", titanic, "--target", "survived", "--out", "m.tw").code == 0
    assert "proof" not in run("verify", "m.tw").out
    assert "proven in treewright" in run("export", "m.tw", "p.tw").out
    assert Path("p.tw").read_bytes() == Path("m.tw").read_bytes()
    assert "proof           proven in treewright" in run("verify", "p.tw").out
    assert run("train", titanic, "--target", "survived", "--set", "max_depth=2", "--out", "p.tw").code == 0
    assert run("verify", "p.tw").code == 3


def test_wrong_words_get_a_sentence(run: Run, titanic: Path) -> None:
    assert run("train", titanic, "--target", "survived", "--out", "m.tw").code == 0
    assert "the name must end with" in run("export", "m.tw", "m.txt").err
    assert "Did you mean 'postgresql'?" in run("export", "m.tw", "m.sql", "--dialect", "postgre").err
    assert "has no proof" in run("verify", _written("other.py")).err
    assert "is not there" in run("verify", "no.sql").err


def _written(name: str) -> str:
    Path(name).write_text("print('hello')\n")
    return name
