"""The comparison: every learner on the same folds."""

from __future__ import annotations

from collections.abc import Iterator

from treewright.compare import Comparison
from treewright.draw.style import figure_svg
from treewright.pages.blocks import Block, Drawing, Heading, Paragraph, Table


def comparison_section(comparison: Comparison) -> Iterator[Block]:
    """Give the table of learners, the best first, and its picture."""
    measures = comparison.measures()
    able = [learner for learner in comparison.learners if not learner.problem]
    yield Heading(2, "Learners compared", "comparison")
    yield Paragraph(
        f"Every learner saw the same folds of the rows to learn from ({comparison.folds}). The number after ± is the "
        "spread from fold to fold. The last column is the chance of a difference to the best as large as this one if "
        "both were equally good (a t-test corrected for folds that share their rows)."
    )
    lines = []
    for learner in able:
        scores = (f"{m.show(learner.mean(m.name))}\u00a0±\u00a0{m.show(learner.spread(m.name))}" for m in measures)
        p = comparison.p_value(learner.name)
        chance = "" if learner.name == comparison.best else ("-" if p != p else f"{p:.3f}")
        lines.append((learner.name, *scores, chance))
    yield Table(
        ("learner", *(measure.title for measure in measures), "as good as the best?"),
        tuple(lines),
        numbers=frozenset(range(1, len(measures) + 2)),
        marked=frozenset({0}),
    )
    yield Drawing(figure_svg(comparison.plot()), f"{measures[0].title} of each learner, with its range")
    for learner in comparison.learners:
        if learner.problem:
            yield Paragraph(f"{learner.name} could not be trained: {learner.problem}")
