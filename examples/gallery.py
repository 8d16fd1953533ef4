"""The pictures of docs/gallery.md, all of them from tables that ship.

Use: python gallery.py [FOLDER]      (docs/gallery holds what it writes there)
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

import treewright as tw


def draw_trees(folder: Path) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    iris = tw.DecisionTreeClassifier(max_depth=3).fit(X, y)
    tw.draw(iris, folder / "iris_plain.svg")
    tw.draw(iris, folder / "iris_rows.svg", X=X, y=y)
    tw.draw(iris, folder / "iris_path.svg", X=X, y=y, highlight=X.iloc[77], direction="right", leaves="pie")

    X, y = tw.datasets.load_restaurant(return_X_y=True)
    tw.draw(tw.ID3Classifier().fit(X, y), folder / "restaurant.svg", X=X, y=y)
    X, y = tw.datasets.load_fruit(return_X_y=True)
    tw.draw(tw.ID3Classifier().fit(X, y), folder / "fruit.svg")
    X, y = tw.datasets.load_credit_g(return_X_y=True)
    tw.draw(tw.DecisionTreeClassifier(max_depth=4).fit(X, y), folder / "credit.svg", X=X, y=y)
    X, y = tw.datasets.load_titanic(return_X_y=True)
    tw.draw(tw.DecisionTreeClassifier(max_depth=2).fit(X, y), folder / "titanic.svg", X=X, y=y)
    tw.draw(tw.DecisionTreeClassifier(max_depth=5).fit(X, y), folder / "titanic_depth_5.svg")

    X, y = tw.datasets.load_penguins(return_X_y=True)
    tw.draw(tw.ObliqueTreeClassifier().fit(X, y), folder / "oblique.svg", X=X, y=y)
    chaid = tw.CHAIDClassifier(min_samples_split=20, min_samples_leaf=10).fit(X, y)
    tw.draw(chaid, folder / "chaid.svg", X=X, y=y)


def draw_trees_of_numbers(folder: Path) -> None:
    X, y = tw.datasets.load_boston(return_X_y=True)
    tw.draw(tw.DecisionTreeRegressor(max_depth=3).fit(X, y), folder / "boston.svg", X=X, y=y)
    tw.draw(tw.ModelTreeRegressor().fit(X, y), folder / "model_tree.svg", max_depth=2)
    X, y = tw.datasets.load_car_test_frame(return_X_y=True)
    tw.draw(tw.DecisionTreeRegressor(max_depth=3).fit(X, y), folder / "cars.svg", X=X, y=y)
    X, y = tw.datasets.load_titanic(return_X_y=True)
    boosted = tw.GradientBoostingClassifier(n_estimators=20, max_depth=2).fit(X, y)
    tw.draw(boosted, folder / "boosting_tree_7.svg", X=X, y=y, tree=7)


def draw_boundaries(folder: Path) -> None:
    X, t = tw.datasets.load_iris(return_X_y=True)
    trees = {
        name: tw.DecisionTreeClassifier(max_depth=d) for name, d in (("stump", 1), ("depth 2", 2), ("depth 12", 12))
    }
    tw.boundary(trees, X, t, x="sepallength", y="sepalwidth", path=folder / "boundary_depths.png")
    X, t = tw.datasets.load_penguins(return_X_y=True)
    learners = {
        "CART": tw.DecisionTreeClassifier(max_depth=4),
        "oblique tree": tw.ObliqueTreeClassifier(),
        "random forest": tw.RandomForestClassifier(50, random_state=0),
        "logistic regression (scikit-learn)": LogisticRegression(max_iter=2000),
        "support vectors (scikit-learn)": SVC(),
        "boosting": tw.GradientBoostingClassifier(n_estimators=50, random_state=0),
    }
    tw.boundary(learners, X, t, x="bill_length_mm", y="bill_depth_mm", path=folder / "boundary_learners.png")
    X, t = tw.datasets.load_titanic(return_X_y=True)
    levels = {"depth 3": tw.DecisionTreeClassifier(max_depth=3), "C4.5": tw.C45Classifier()}
    tw.boundary(levels, X, t, x="age", y="sex", path=folder / "boundary_levels.png")
    X, t = tw.datasets.load_boston(return_X_y=True)
    numbers = {"CART, depth 3": tw.DecisionTreeRegressor(max_depth=3), "model tree": tw.ModelTreeRegressor()}
    tw.boundary(numbers, X, t, x="rm", y="lstat", path=folder / "boundary_numbers.png")


def draw_plots(folder: Path) -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    train, test = slice(0, None, 2), slice(1, None, 2)
    models = {
        "tree": tw.DecisionTreeClassifier(max_depth=4).fit(X[train], y[train]),
        "forest": tw.RandomForestClassifier(100, random_state=0).fit(X[train], y[train]),
    }
    tw.plot_roc(models, X[test], y[test], folder / "roc.png")
    tw.plot_calibration(models, X[test], y[test], folder / "calibration.png")
    tw.plot_gains(models, X[test], y[test], folder / "gains.png")
    X, y = tw.datasets.load_credit_g(return_X_y=True)
    tw.plot_pruning(tw.DecisionTreeClassifier(prune="cost_complexity_cv").fit(X, y), folder / "pruning.png")
    forest = tw.RandomForestClassifier(100, random_state=0).fit(X, y)
    tw.plot_shap(forest, X, folder / "shap.png")
    tw.plot_shap_waterfall(forest, X, 1, folder / "shap_waterfall.png")
    tw.plot_shap_dependence(forest, X, "duration", folder / "shap_dependence.png", colour_by="credit_amount")
    tw.importance(forest, kind="impurity").plot(folder / "importance.png", most=12)
    X, y = tw.datasets.load_glass(return_X_y=True)
    glass = tw.DecisionTreeClassifier(max_depth=4).fit(X[train], y[train])
    tw.plot_confusion(glass, X[test], y[test], folder / "confusion.png")


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "gallery")
    folder.mkdir(parents=True, exist_ok=True)
    for draw in (draw_trees, draw_trees_of_numbers, draw_boundaries, draw_plots):
        draw(folder)
    for picture in folder.glob("*.png"):
        Image.open(picture).convert("RGB").quantize(160).save(picture, optimize=True)
    pictures = sorted(folder.glob("*.*"))
    print(f"{len(pictures)} pictures in {folder}, {sum(p.stat().st_size for p in pictures) / 1000:,.0f} kB")


if __name__ == "__main__":
    main()
