"""What every algorithm's teacher can do: introduce the rules, look at a node, judge its columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from treewright.lesson.methods.candidate import Candidate, Verdict
from treewright.lesson.sample import Sample
from treewright.lesson.unit import Unit
from treewright.reference.split import Split
from treewright.reference.table import Place
from treewright.reference.tally import Tally
from treewright.tree.format import name_text


class Method(ABC):
    """One algorithm with its parameters, as a teacher explains it."""

    title: str
    measures: tuple[str, ...]  # of a candidate, in the order of the table
    impurity_name: str | None = None  # of a node; None where the method knows none
    algorithm: Any  # the definition in treewright.reference, which does the working

    def __init__(self, sample: Sample, parameters: Mapping[str, Any], unit: Unit) -> None:
        self.sample = sample
        self.parameters = parameters
        self.unit = unit
        self.total_weight = sum(sample.table.weights)

    def given(self, recipe: type[Any]) -> dict[str, Any]:
        """The parameters that a recipe of the reference knows."""
        known = {field.name for field in fields(recipe)}
        return {name: value for name, value in self.parameters.items() if name in known and value is not None}

    @abstractmethod
    def introduction(self) -> list[str]:
        """Say in a few sentences how the algorithm chooses, and when it stops."""

    def impurity(self, tally: Tally) -> float | None:
        """How mixed a node or a branch is; None where the method does not ask."""
        return None

    @abstractmethod
    def stop(self, place: Place) -> str | None:
        """Say why this node is a leaf before any column is looked at; None if it is not."""

    def stop_text(self, reason: str | None) -> str | None:
        """A rule that stops a node, in words; None where none does."""
        if reason is None:
            return None
        if reason == "pure":
            return "all rows are of one class" if self.sample.classes is not None else "all rows have the same value"
        recipe: Any = self.algorithm.recipe
        if reason == "max_depth":
            return f"it has depth {recipe.max_depth} (max_depth)"
        return f"it has fewer than {recipe.min_samples_split:g} rows (min_samples_split)"

    @abstractmethod
    def candidates(self, place: Place) -> list[Candidate]:
        """Look at every column."""

    @abstractmethod
    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Verdict:
        """Choose among the candidates."""

    def lines(self, node: Tally, candidate: Candidate) -> list[str]:
        """Work out a candidate's measures, a line each; nothing where its steps say it all."""
        return []

    def taken_back(self) -> str:
        """Say why a node that could be split is a leaf after all."""
        return "the tree was cut back here"

    def note_on(self, found: Split, stored: Split) -> str:
        """Say what else there is to say about the chosen question, such as where a cut is stored."""
        return ""

    def as_fitted(self) -> str:
        """What to say where the fitted tree asks another question than this reckoning would."""
        return "the estimator found it the best; scores that differ by rounding only are equal"

    def subject(self, candidate: Candidate) -> str:
        """Say what a candidate asks: as a rule one column."""
        return self.column_name(candidate.column)

    def column_name(self, j: int) -> str:
        """Give the name of a column, on one line."""
        return name_text(self.sample.column(j).name)
