"""The final table as text for the terminal and as Markdown for the docs."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import astuple
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.levels import COMMON
from benchmarks.roster import CONTESTANTS
from benchmarks.verdicts import Row

HEADINGS = ("work", "contestant", "measured", "test accuracy", "ratio to treewright", "bar", "verdict")
DOCS = Path(__file__).parent.parent / "docs" / "benchmarks.md"
START, END = "<!-- results: start -->", "<!-- results: end -->"


def text(rows: list[Row]) -> str:
    """Give the table with aligned columns; the work is named once.

    >>> print(text([Row("w", "YDF", "2.000 CPU s"), Row("w", "treewright", "1.000 CPU s")]))
    work  contestant  measured     test accuracy  ratio to treewright  bar  verdict
    ----  ----------  -----------  -------------  -------------------  ---  -------
    w     YDF         2.000 CPU s
          treewright  1.000 CPU s
    """
    cells = _cells(rows)
    widths = [max(map(len, column)) for column in zip(HEADINGS, *cells, strict=True)]
    ruled = [HEADINGS, tuple("-" * width for width in widths), *cells]
    aligned = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in ruled)
    return "\n".join(line.rstrip() for line in aligned)


def markdown(rows: list[Row]) -> str:
    """Give the table as Markdown.

    >>> print(markdown([Row("w", "YDF", "2 CPU s")]).splitlines()[-1])
    | w | YDF | 2 CPU s |  |  |  |  |
    """
    ruled = [HEADINGS, ("---",) * len(HEADINGS), *_cells(rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in ruled)


def _cells(rows: list[Row]) -> list[tuple[str, ...]]:
    works = [None, *(row.work for row in rows)]
    return [
        ("" if row.work == before else row.work, *astuple(row)[1:]) for row, before in zip(rows, works, strict=False)
    ]


def machine(when: float) -> str:
    """Say on what the numbers were measured: day, processor, level of vectors, libraries."""
    day = datetime.fromtimestamp(when, UTC).strftime("%d %B %Y")
    level = f"treewright at {COMMON} where nothing else is said"
    python = platform.python_version()
    return f"{day}, {_processor()}, {level}, Python {python}; {', '.join(_libraries())}."


def _processor() -> str:
    described = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    models = (line.partition(":")[2].strip() for line in described if line.startswith("model name"))
    return next(models, platform.machine())


_OF_DEBIAN = ("weka", "r-cran-rpart", "r-cran-partykit")


def _libraries() -> Iterable[str]:
    for package in sorted({contestant.package for contestant in CONTESTANTS.values()}):
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            if package == "treewright":
                yield f"{package} from source"
            elif package in _OF_DEBIAN:
                yield f"{package} of Debian"


def write_docs(rows: list[Row], when: float) -> None:
    """Put the table between the two marks of docs/benchmarks.md and leave the rest of the page alone."""
    before, start, rest = DOCS.read_text().partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise SystemExit(f"{DOCS} has lost its marks. Put {START} and {END} where the table belongs.")
    DOCS.write_text(f"{before}{START}\n{machine(when)}\n\n{markdown(rows)}\n{END}{after}")
