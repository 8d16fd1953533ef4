"""`treewright shap MODEL DATA`: what each column did to the answers, over all rows, to one row, or by its values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from treewright.cli.options import ModelRequest, asks_a_model, every_verb

if TYPE_CHECKING:
    import pandas as pd

    from treewright.inspection.shap_rows import ShapRows

_PARTS = 5  # of a numeric column
_MOST_LEVELS = 20


@dataclass(frozen=True, kw_only=True)
class Request(ModelRequest):
    """What was asked for."""

    row: int | None
    column: str | None
    of_class: str | None
    out: str | None


@click.command("shap", short_help="What each column did to the answers (SHAP values).")
@asks_a_model
@click.option("--row", type=click.IntRange(min=1), help="One row of DATA, from 1: from the mean answer to its own.")
@click.option("--column", metavar="COLUMN", help="One column: what it did, by its values.")
@click.option("--of-class", metavar="CLASS", help="Whose answer is explained; left out, that of the last class.")
@click.option(
    "--out", metavar="FILE",
    help="Draw a .png, .svg or .pdf: a beeswarm, with --row a waterfall, with --column the dependence.",
)  # fmt: skip
@every_verb
def command(**options: Any) -> None:
    """Tell how far each column moved the answers of MODEL to the rows of DATA away from the mean answer.

    The values of a row add up: mean answer + values = answer. Of boosting the answer is the raw score.

    \b
    treewright shap model.tw test.csv --out beeswarm.png
    treewright shap model.tw test.csv --row 3 --out waterfall.png
    treewright shap model.tw test.csv --column age --out dependence.png
    """
    from treewright.cli.inputs import load_model, need_column, need_row, read_table_for_model, refuse_two_stdins
    from treewright.cli.options import usage_errors
    from treewright.cli.outputs import check_destination
    from treewright.inspection.shap_rows import shap_rows

    request = Request(**options)
    _check(request)
    refuse_two_stdins(request.model, request.data)
    check_destination(request.out, (".png", ".svg", ".pdf"))
    fitted = load_model(request.model)
    columns = read_table_for_model(request, fitted)[list(fitted.feature_names_in_)]
    if request.column is not None:
        need_column(columns, request.column, "--column", request.data)
    if request.row is not None:
        need_row(request.row, len(columns), request.data)
        columns = columns.iloc[request.row - 1 : request.row]
    with usage_errors():
        rows = shap_rows(fitted, columns, _class_of(fitted, request.of_class))
    _draw(request, fitted, columns)
    if request.row is not None:
        _tell_row(rows, request)
    elif request.column is not None:
        _tell_column(rows, request)
    else:
        _tell_all(rows, request)


def _check(request: Request) -> None:
    if request.row is not None and request.column is not None:
        raise click.UsageError("--row tells of one row, --column of one column. Leave out one of them.")


def _class_of(fitted: Any, text: str | None) -> Any:
    """Give the class that is named in text."""
    if text is None or not hasattr(fitted, "classes_"):
        return text
    return {str(label): label for label in fitted.classes_.tolist()}.get(text, text)


def _draw(request: Request, fitted: Any, columns: pd.DataFrame) -> None:
    from treewright.cli.outputs import replace_whole
    from treewright.cli.screen import note
    from treewright.plot.shap_plots import plot_shap, plot_shap_dependence, plot_shap_waterfall

    if request.out is None:
        return
    of_class = _class_of(fitted, request.of_class)

    def write(draft: Any) -> None:
        if request.row is not None:
            plot_shap_waterfall(fitted, columns, 0, draft, of_class=of_class)
        elif request.column is not None:
            plot_shap_dependence(fitted, columns, request.column, draft, of_class=of_class)
        else:
            plot_shap(fitted, columns, draft, of_class=of_class)

    replace_whole(request.out, write)
    note(f"The picture is in {request.out}.")


def _tell_all(rows: ShapRows, request: Request) -> None:
    from treewright.cli.screen import count, print_json, print_table
    from treewright.tree.format import measured_text

    sizes = abs(rows.values).mean(axis=0)
    order = rows.by_size()
    if request.as_json:
        columns = {rows.columns[j].name: float(sizes[j]) for j in order}
        print_json({"answer": rows.answer, "mean_answer": rows.expected, "mean_size": columns})
        return
    click.echo(f"{rows.answer}: mean answer {measured_text(rows.expected)}; {count(len(rows.values), 'row')}\n")
    used = [j for j in order if sizes[j] > 0]
    texts = _with_ends([float(sizes[j]) for j in used], [rows.values[:, j] for j in used])
    lines = []
    for j, (size, low, high) in zip(used, texts, strict=True):
        lines.append([rows.columns[j].name, size.removeprefix("+"), low, high])
    headings = ["column", "mean size", "lowest", "highest"]
    print_table(headings, lines, numbers=headings[1:])
    if idle := [rows.columns[j].name for j in order if sizes[j] == 0]:
        click.echo(
            f"\n{count(len(idle), 'column')} did nothing: {', '.join(idle[:10])}{' …' if len(idle) > 10 else ''}"
        )


def _with_ends(means: list[float], parts: list[Any]) -> list[tuple[str, str, str]]:
    """The mean of each part, its smallest number and its largest, all with the same decimals."""
    from treewright.tree.format import even_texts

    threes = [(mean, values.min(), values.max()) for mean, values in zip(means, parts, strict=True)]
    texts = even_texts([float(value) for three in threes for value in three], signed=True)
    return list(zip(texts[::3], texts[1::3], texts[2::3], strict=True))


def _tell_row(rows: ShapRows, request: Request) -> None:
    from treewright.cli.screen import print_json, print_table
    from treewright.tree.format import even_texts, measured_text

    order = rows.by_size()
    answer = rows.expected + float(rows.values[0].sum())
    if request.as_json:
        moved = {rows.columns[j].name: float(rows.values[0, j]) for j in order}
        print_json({"answer": rows.answer, "mean_answer": rows.expected, "row": answer, "values": moved})
        return
    click.echo(f"{rows.answer} of row {request.row}: {measured_text(answer)}\n")
    moved_by = [j for j in order if rows.values[0, j] != 0]
    numbers = [rows.expected, *(float(rows.values[0, j]) for j in moved_by), answer]
    ends, steps = even_texts(numbers), even_texts(numbers, signed=True)
    lines = [["mean answer", "", ends[0]]]
    lines += [[rows.columns[j].name, rows.cell(0, j), step] for j, step in zip(moved_by, steps[1:-1], strict=True)]
    lines.append(["answer", "", ends[-1]])
    print_table(["column", "its value", "adds"], lines, numbers=["adds"])


def _tell_column(rows: ShapRows, request: Request) -> None:
    from treewright.cli.screen import print_json, print_table
    from treewright.inspection.shap_rows import parts_of_column

    assert request.column is not None
    parts = parts_of_column(rows, rows.number_of(request.column), _PARTS, _MOST_LEVELS)
    if request.as_json:
        found = [{"value": text, "rows": len(values), "mean": float(values.mean())} for text, values in parts]
        print_json({"answer": rows.answer, "column": request.column, "values": found})
        return
    click.echo(f"What {request.column} did to the {rows.answer}\n")
    texts = _with_ends([float(values.mean()) for _, values in parts], [values for _, values in parts])
    lines = [[text, f"{len(values):,}", *three] for (text, values), three in zip(parts, texts, strict=True)]
    headings = [request.column, "rows", "mean", "lowest", "highest"]
    print_table(headings, lines, numbers=headings[1:])
