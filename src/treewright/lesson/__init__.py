"""Lessons: the working of an algorithm on a small table, as a teacher would write it.

`tw.lesson(X, y, algorithm="id3")` lets the estimator grow its tree and explains every node of it. `arithmetic` holds
what a teacher reckons with, `methods` how each algorithm judges the columns, `pruning` the closing section, `pages`
the formats.
"""

from treewright.lesson.result import Lesson
from treewright.lesson.teach import lesson

__all__ = ["Lesson", "lesson"]
