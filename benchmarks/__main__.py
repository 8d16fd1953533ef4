"""Run the benchmarks: `python -m benchmarks [tree|classic|predict|memory|levels|scaling|ensembles]… [--only …]`."""

from __future__ import annotations

import argparse
import sys

from benchmarks.all_lines import GROUPS, chosen, without_data
from benchmarks.results import FOLDER, Record, Results
from benchmarks.roster import CONTESTANTS
from benchmarks.rounds import run
from benchmarks.tables import text, write_docs
from benchmarks.verdicts import quality, rows


def main(arguments: list[str] | None = None) -> None:
    """Measure, then print one table of everything asked for; progress goes to stderr."""
    asked = _parser().parse_args(arguments)
    only = [] if asked.only is None else _titles(asked.only)
    lines = chosen(asked.groups, asked.quick, asked.line)
    missing = without_data(lines)
    lines = [line for line in lines if line not in missing]
    results = Results(FOLDER / ("quick.json" if asked.quick else "latest.json"))
    if not (asked.write_docs or asked.show):
        for record in run(lines, 1 if asked.quick else asked.rounds, only):
            results.add(record)
            print(_progress(record), file=sys.stderr, flush=True)
    table = rows(lines, results)
    print(text(table))
    for reason in sorted(set(missing.values())):
        print(reason)
    if asked.write_docs:
        write_docs(table, results.newest())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks", description="Compare treewright with other libraries.")
    parser.add_argument(
        "groups", nargs="*", choices=[*GROUPS, []], metavar="|".join(GROUPS), help="parts to run, all if none is named"
    )
    parser.add_argument("--rounds", type=int, default=2, help="how often everything runs (default 2)")
    parser.add_argument("--line", default="", help="only lines whose title has this text in it, for example 'flights'")
    parser.add_argument("--only", help="contestants, separated by ';', for example 'treewright;YDF'")
    parser.add_argument("--quick", action="store_true", help="small tables, one round: does it run?")
    parser.add_argument("--show", action="store_true", help="print the last results, measure nothing")
    parser.add_argument("--write-docs", action="store_true", help="put the last results into docs/benchmarks.md")
    return parser


def _titles(named: str) -> list[str]:
    by_small_title = {title.lower(): title for title in CONTESTANTS}
    unknown = [name for name in named.split(";") if name.strip().lower() not in by_small_title]
    if unknown:
        raise SystemExit(f"No contestant is called {unknown[0]!r}. Choose from: {'; '.join(CONTESTANTS)}.")
    return [by_small_title[name.strip().lower()] for name in named.split(";")]


def _progress(record: Record) -> str:
    trees = "" if record.task.trees == 1 else f" {record.task.trees} trees"
    work = f"{record.task.data}{trees} depth {record.task.max_depth} {record.contestant}"
    if record.problem is not None:
        return f"{work}: {record.problem}"
    key = "predict_cpu" if record.task.predict_rows else "explain_cpu" if record.task.explain_rows else "fit_cpu"
    return f"{work}: {record.smallest(key):.3f} CPU s, {quality(record) or 'no score'}"


if __name__ == "__main__":
    main()
