"""A first tree from Python: a shipped table, text columns and missing values as they are.

Use: python first_tree.py
"""

from __future__ import annotations

from sklearn.model_selection import StratifiedKFold, cross_val_score

import treewright as tw


def main() -> None:
    passengers = tw.datasets.load_titanic()
    columns, survived = passengers.drop(columns="survived"), passengers["survived"]
    tree = tw.DecisionTreeClassifier(max_depth=3).fit(columns, survived)
    print(tree)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    accuracy = cross_val_score(tw.DecisionTreeClassifier(max_depth=3), columns, survived, cv=folds)
    print(f"accuracy {accuracy.mean():.3f} ± {accuracy.std():.3f} on rows it has not seen")


if __name__ == "__main__":
    main()
