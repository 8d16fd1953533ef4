"""Lessons: the working of an algorithm on a small table, as a teacher would write it.

`tw.lesson(X, y, algorithm="id3")` lets the estimator grow its tree and explains every node of it. The numbers come
from `treewright.reference`; here are the words and the layout: `methods` for each algorithm, `pruning` for the closing
section.
"""

from treewright.lesson.result import Lesson
from treewright.lesson.teach import lesson

__all__ = ["Lesson", "lesson"]
