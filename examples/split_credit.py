"""Divide the shipped table of 1,000 German credits into rows to train on, rows to test on, and a few new applicants.

Use: python split_credit.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import treewright as tw
from treewright.model_selection.cross_validation import fold_of_each_row


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    table = tw.datasets.load_credit_g()
    test = fold_of_each_row(table["class"], 4, stratify=True) == 0
    table[~test].to_csv(folder / "train.csv", index=False)
    table[test].to_csv(folder / "test.csv", index=False)
    # Whether they will pay back is not known yet.
    table[test].head(5).drop(columns="class").to_csv(folder / "new.csv", index=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
