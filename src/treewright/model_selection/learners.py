"""`tw.learners`: all learners in one table."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treewright.errors import DataError, nearest
from treewright.learners.registry import LEARNERS, learners_for
from treewright.model_selection.task import TASKS

if TYPE_CHECKING:
    import pandas as pd

_SAID = ("classifier", "regressor", "model", "scoring", "optimisation", "columns", "missing", "cost")


@dataclass(frozen=True)
class LearnerTable:
    """The learners by model, scoring function and optimisation, columns, missing values and cost. Print it.

    Examples
    --------
    >>> LearnerTable(("cart", "forest"))
    <LearnerTable of 2 learners>
    """

    names: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Give a row a learner, by the name that `tw.compare` and the command line know it by.

        Examples
        --------
        >>> learners().to_frame().loc["c45", ["classifier", "scoring", "missing"]].tolist()
        ['C45Classifier', 'gain ratio', 'rows in pieces']
        """
        import pandas as pd

        rows = [{"learner": name} | {said: getattr(LEARNERS[name], said) for said in _SAID} for name in self.names]
        return pd.DataFrame(rows).set_index("learner")

    def to_text(self, width: int = 100) -> str:
        """Write a paragraph a learner: its name, its classes, and the answers to the questions."""
        lines = []
        for name in self.names:
            facts = LEARNERS[name]
            lines.append(f"{name}: {', '.join(facts.classes.values())}")
            text = (
                f"{facts.model}. Scored by {facts.scoring}. Found by {facts.optimisation}. Takes {facts.columns}; "
                f"missing: {facts.missing}. Cost {facts.cost}."
            )
            lines += textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="  ")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<LearnerTable of {len(self.names)} learners>"

    def _repr_html_(self) -> str:
        html: str = self.to_frame().to_html()
        return html


def learners(task: str | None = None) -> LearnerTable:
    """List all learners: what each is made of, what it takes, and what it costs.

    Parameters
    ----------
    task : {"classification", "regression"}, optional
        Only those that learn classes, or numbers.

    Examples
    --------
    >>> print(learners().to_text(90).split("forest:")[0].split("model_tree:")[1])
     ModelTreeRegressor
      binary tree, linear equations in leaves. Scored by reduction of the standard deviation.
      Found by greedy; terms dropped, leaves joined, smoothed. Takes numbers, levels, order;
      missing: learnt side. Cost p n log n + p2 n.
    <BLANKLINE>
    """
    if task is not None and task not in TASKS:
        raise DataError(f"There is no task '{task}'. {nearest(str(task), TASKS)}")
    return LearnerTable(tuple(LEARNERS if task is None else learners_for(task)))
