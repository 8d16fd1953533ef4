"""Reports: a table profiled, learners compared, a tree drawn and judged, as one page that needs nothing else."""

from treewright.report.build_report import report
from treewright.report.finished_report import Report

__all__ = ["Report", "report"]
