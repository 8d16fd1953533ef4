"""Reports: a table profiled, learners compared, a tree drawn and judged, as one page that needs nothing else."""

from treewright.report.report_page import Report, report

__all__ = ["Report", "report"]
