"""How often each split of a tree comes back when the rows are drawn anew: which branches are luck."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.inspection.tree_diff import compare_trees, split_name, split_text
from treewright.pages.blocks import Block, Paragraph, Table
from treewright.pages.page import Page
from treewright.tree.format import share_text
from treewright.tree.stored import THRESHOLD
from treewright.tree.test import cut_text
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    import pandas as pd


LUCK = 0.5  # a split that comes back less often is marked
_INDENT = 20


@dataclass
class SplitStability:
    """One split: in how many replicates the same place asks for the same column, and where the cut fell then."""

    node: int
    depth: int
    text: str
    n_rows: int
    came_back: int = 0
    parent_came_back: int = 0
    same_test: int = 0
    cuts: list[float] = field(default_factory=list)

    def middle_half(self) -> tuple[float, float]:
        """Where the middle half of the cuts fell; NaN for tests that are no thresholds."""
        if not self.cuts:
            return math.nan, math.nan
        low, high = np.quantile(self.cuts, [0.25, 0.75]).tolist()
        return low, high


class Stability(Page, Sequence[SplitStability]):
    """The splits of a tree with the share of replicates in which they come back.

    Made by `model.stability(X, y)`. A split comes back if the replicate asks for the same column at the same place:
    after the same columns, on the branches that belong together. A split can come back only where those above it do.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> found = tw.DecisionTreeClassifier(max_depth=2).fit(X, y).stability(X, y, replicates=20)
    >>> found.to_frame()[["test", "share", "is_lucky"]]
                      test  share  is_lucky
    0  petallength <= 2.45   0.95     False
    1   petalwidth <= 1.75   0.65     False
    """

    _width = 110

    def __init__(self, tree: Tree, splits: Sequence[SplitStability], replicates: int) -> None:
        self.tree = tree
        self.replicates = replicates
        self._splits = list(splits)

    def __getitem__(self, index: Any) -> Any:
        return self._splits[index]

    def __len__(self) -> int:
        return len(self._splits)

    def share(self, split: SplitStability) -> float:
        """The share of replicates in which a split comes back."""
        return split.came_back / self.replicates

    def is_lucky(self, split: SplitStability) -> bool:
        """Whether a split comes back in fewer than half of the replicates."""
        return self.share(split) < LUCK

    @property
    def title(self) -> str:
        """The heading of the page."""
        return "How stable are the splits?"

    def blocks(self) -> Iterator[Block]:
        """Give the splits as blocks, whatever they will be written as."""
        lucky = sum(map(self.is_lucky, self._splits))
        splits = "1 split" if len(self) == 1 else f"{len(self):,} splits"
        yield Paragraph(f"{self.replicates:,} replicates; {lucky:,} of {splits} come back in fewer than half of them.")
        rows = []
        for split in self._splits:
            of_parent = split.came_back / split.parent_came_back if split.parent_came_back else 0.0
            low, high = split.middle_half()
            column = self.tree.schema.columns[int(self.tree.arrays["column"][split.node])]
            cuts = "" if math.isnan(low) else f"{cut_text(column, low, 4)} to {cut_text(column, high, 4)}"
            shares = (
                share_text(self.share(split)),
                share_text(of_parent),
                share_text(split.same_test / self.replicates),
            )
            indent = "  " * min(split.depth, _INDENT)
            rows.append(
                (indent + split.text, f"{split.n_rows:,}", *shares, cuts, "lucky" if self.is_lucky(split) else "")
            )
        headings = ("split", "rows", "comes back", "if its parent does", "same cut", "middle half of the cuts", "")
        yield Table(headings, tuple(rows), frozenset({1, 2, 3, 4}))

    def to_frame(self) -> pd.DataFrame:
        """Give a pandas data frame with a row a split."""
        import pandas as pd

        middle = [split.middle_half() for split in self._splits]
        return pd.DataFrame(
            {
                "node": [split.node for split in self._splits],
                "test": [split.text for split in self._splits],
                "n_rows": [split.n_rows for split in self._splits],
                "share": [self.share(split) for split in self._splits],
                "share_if_parent": [split.came_back / max(split.parent_came_back, 1) for split in self._splits],
                "share_same_cut": [split.same_test / self.replicates for split in self._splits],
                "cut_low": [low for low, _ in middle],
                "cut_high": [high for _, high in middle],
                "is_lucky": [self.is_lucky(split) for split in self._splits],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the splits as plain values."""
        return {"replicates": self.replicates, "splits": self.to_frame().to_dict("records")}

    def __repr__(self) -> str:
        return f"<Stability of {len(self):,} splits in {self.replicates:,} replicates>"


def count_returns(tree: Tree, replicates: Iterator[Tree], n_replicates: int) -> Stability:
    """Count in how many replicates each split of a tree comes back.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> found = count_returns(example_tree(), iter([example_tree(), example_tree()]), 2)
    >>> [(split.text, split.came_back) for split in found]
    [('outlook: overcast | sunny, rain', 2), ('humidity <= 82.5', 2)]
    """
    inner = np.flatnonzero(tree.arrays["n_children"] > 0).tolist()
    splits = {
        i: SplitStability(i, int(tree.node_depth[i]), split_text(tree, i), int(tree.arrays["n_rows"][i])) for i in inner
    }
    for replicate in replicates:
        found = compare_trees(tree, replicate)
        back = dict(found.same + found.moved_cut)
        for i, split in splits.items():
            split.parent_came_back += i == 0 or int(tree.node_parent[i]) in back
            if i in back:
                split.came_back += 1
                split.same_test += split_name(tree, i) == split_name(replicate, back[i])
                if replicate.arrays["kind"][back[i]] == THRESHOLD and math.isfinite(
                    cut := float(replicate.arrays["threshold"][back[i]])
                ):
                    split.cuts.append(cut)
    return Stability(tree, list(splits.values()), n_replicates)
