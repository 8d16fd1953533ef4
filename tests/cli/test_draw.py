"""draw and boundary: pictures from the command line."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import treewright as tw
from cli.terminal import Run


@pytest.mark.parametrize(("name", "start"), [("t.svg", b"<svg"), ("t.png", b"\x89PNG"), ("t.pdf", b"%PDF")])
def test_draw_writes_the_format_of_the_ending(run: Run, model: Path, name: str, start: bytes) -> None:
    said = run("draw", model, name)
    assert said.code == 0
    assert Path(name).read_bytes().startswith(start)
    assert f"The picture is in {name}." in said.err


def test_draw_gives_the_picture_of_the_library(run: Run, model: Path) -> None:
    run("draw", model, "t.svg", "--depth", 2, "--title", "Who survived")
    expected = tw.draw(tw.load(model), max_depth=2, title="Who survived").to_svg()
    assert Path("t.svg").read_text(encoding="utf-8") == expected
    assert run("draw", model, "-", "--depth", 2, "--title", "Who survived").out == expected


def test_draw_shows_rows_and_the_path_of_one(run: Run, model: Path, titanic: Path) -> None:
    assert run("draw", model, "t.svg", "--data", titanic, "--row", 3).code == 0
    frame = tw.read(titanic)
    X, y = frame.drop(columns="survived"), frame["survived"]
    assert (
        Path("t.svg").read_text(encoding="utf-8") == tw.draw(tw.load(model), X=X, y=y, highlight=X.iloc[[2]]).to_svg()
    )


def test_draw_says_what_it_drew_as_json(run: Run, model: Path) -> None:
    said = json.loads(run("draw", model, "t.svg", "--json").out)
    tree = tw.load(model).tree_
    assert (said["out"], said["nodes"], said["leaves"], said["depth"]) == ("t.svg", tree.n_nodes, tree.n_leaves, 3)


def test_draw_takes_one_of_many_trees(run: Run, titanic: Path, tmp_path: Path) -> None:
    frame = tw.read(titanic)
    forest = tw.RandomForestClassifier(3, max_depth=2).fit(frame.drop(columns="survived"), frame["survived"])
    tw.save(forest, tmp_path / "forest.tw")
    assert run("draw", tmp_path / "forest.tw", "t.svg", "--tree", 1).code == 0
    said = run("draw", tmp_path / "forest.tw", "t.svg")
    assert (said.code, "--tree 0 to 2" in said.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["t.jpg"], "OUT t.jpg: the name must end with .png, .svg, .pdf"),
        (["nowhere/t.png"], "there is no folder 'nowhere'"),
        (["t.png", "--row", "3"], "--row needs rows"),
        (["t.png", "--data", "titanic.csv", "--row", "9999"], "titanic.csv has 1,309 rows"),
    ],
)
def test_wrong_usage_of_draw_is_said(run: Run, model: Path, titanic: Path, arguments: list[str], said: str) -> None:
    outcome = run("draw", model, *arguments)
    assert outcome.code == 2
    assert said in outcome.err


def test_draw_leaves_the_old_picture_if_the_new_one_fails(run: Run, model: Path, titanic: Path) -> None:
    Path("t.svg").write_text("old")
    Path("short.csv").write_text("sex,age\nmale,3\n")
    assert run("draw", model, "t.svg", "--data", "short.csv").code == 3
    assert Path("t.svg").read_text() == "old"


def test_boundary_draws_the_stump_depth_2_and_depth_12(run: Run) -> None:
    Path("iris.csv").write_bytes(tw.datasets.path("iris").read_bytes())
    said = run(
        "boundary", "iris.csv", "b.svg", "--target", "class", "--x", "petallength", "--y", "petalwidth", "--json"
    )
    assert said.code == 0
    assert json.loads(said.out)["panels"] == ["stump", "depth 2", "depth 12"]
    texts = ["".join(text.itertext()) for text in ElementTree.parse("b.svg").iter("{http://www.w3.org/2000/svg}text")]
    assert {"stump", "depth 2", "depth 12", "petallength", "petalwidth", "Iris-setosa"} <= set(texts)


def test_boundary_draws_other_learners_and_levels(run: Run, titanic: Path) -> None:
    asked = ("--target", "survived", "--x", "age", "--y", "sex")
    said = run(
        "boundary", titanic, "b.png", *asked, "--algorithms", "c45,forest", "--set", "forest.n_estimators=5", "--json"
    )
    assert json.loads(said.out)["panels"] == ["c45", "forest"]
    assert Path("b.png").read_bytes()[:4] == b"\x89PNG"
    said = run("boundary", titanic, "b.png", *asked, "--depth", 3, "--json")
    assert json.loads(said.out)["panels"] == ["depth 3"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["b.png", "--x", "age", "--y", "sexx"], 2, "Did you mean 'sex'"),
        (["b.png", "--x", "age", "--y", "age"], 3, "x and y are both 'age'"),
        (["b.gif", "--x", "age", "--y", "sex"], 2, "OUT b.gif: the name must end with"),
        (["-", "--x", "age", "--y", "sex"], 2, "cannot go to stdout"),
        (["b.png", "--x", "age", "--y", "sex", "--algorithms", "carrt"], 2, "Did you mean 'cart'"),
    ],
)
def test_what_boundary_cannot_draw_is_said(run: Run, titanic: Path, arguments: list[str], code: int, said: str) -> None:
    outcome = run("boundary", titanic, *arguments, "--target", "survived")
    assert outcome.code == code
    assert said in outcome.err
