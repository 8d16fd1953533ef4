"""A model as one R script that needs nothing but R."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from treewright.errors import DataError
from treewright.export.code.flat_tables import constants, flat_tables
from treewright.export.code.head import UNITS, head_lines, template, wrapped
from treewright.export.program import Program
from treewright.table.schema import Column

_LARGEST_EXACT = 2**53
_LINKS = ("node", "mean", "identity", "logistic", "softmax", "exp", "samme")
_WORDS_OF_R = """
    if else repeat while function for next break in TRUE FALSE NULL Inf NaN NA NA_integer_ NA_real_ NA_complex_
    NA_character_
""".split()  # noqa: SIM905 - a list of words reads better as words
# What a session needs of the file beside the model itself. Every export writes the same.
_METHODS = """
predict.treewright_model <- function(object, newdata, type = c("response", "prob", "node"), ...) {
  object$ask(newdata, match.arg(type))
}
print.treewright_model <- function(x, ...) {
  cat(x$title, "\\n", sep = "")
  invisible(x)
}
"""


def r_source(program: Program, name: str) -> str:
    """Write the script; `name` is what the model is called in R.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_program import program_of
    >>> script = r_source(program_of(tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20])), "tiny")
    >>> print("\\n".join(line for line in script.splitlines() if "tiny" in line or "rule_number <-" in line))
    tiny <- local({
      rule_number <- c(0x1.8000000000000p+0, 0x1.8000000000000p+0)
    """
    _refuse_what_r_cannot_say(program)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9._]*", name) or name in _WORDS_OF_R:
        raise DataError(
            f"The name of an R script is what the model is called there, and {name!r} is no name in R. Use letters, "
            "digits, . and _, and a letter first."
        )
    flat = flat_tables(program)
    lines = [f"# {line}".rstrip().encode("ascii", "backslashreplace").decode() for line in head_lines(program)]
    lines += [f"{name} <- local({{", "  columns <- list(", _columns(program), "  )"]
    lines.append(f"  labels <- {'NULL' if program.labels is None else _values(program.labels)}")
    lines += [f"  {constant} <- {_constant(value)}" for constant, value in constants(program, flat).items()]
    lines += [f"  {table} <- {_vector(numbers, 'integer', _whole)}" for table, numbers in flat.whole.items()]
    lines += [f"  {table} <- {_vector(numbers, 'numeric', r_number)}" for table, numbers in flat.real.items()]
    lines += [f"  start <- {_vector(program.start, 'numeric', r_number)}", "", template("program.R").rstrip(), ""]
    title = r_text(f"{program.title} of treewright, {len(program.trees):,} tree{'s' * (len(program.trees) != 1)}")
    names = f"vapply(columns, `[[`, {r_text('')}, {r_text('name')})"
    parts = f"ask = ask, columns = {names}, labels = labels, title = {title}"
    lines += [f"  structure(list({parts}), class = {r_text('treewright_model')})", "})"]
    return "\n".join(lines) + _METHODS


def _refuse_what_r_cannot_say(program: Program) -> None:
    """The script knows trees and these links; anything else that a program may hold is refused, not left out."""
    if program.link in _LINKS and program.correction is None:
        return
    what = {"median": "a weighted median of trees"}.get(program.link, f"the link '{program.link}'")
    if program.link in _LINKS:
        what = "probabilities corrected by tw.calibrate"
    raise DataError(
        f"This {program.title} has {what}, which our script of R has no words for. Export Python, C or ONNX."
    )


def r_text(text: str) -> str:
    """Write a text of R in plain ASCII, whatever the locale.

    >>> r_text('say "no"'), r_text("Ünï 🌳")
    ('"say \\\\"no\\\\""', '"\\\\u00dcn\\\\u00ef \\\\U0001f333"')
    """
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise DataError(f"R has no text {text!r}: it takes no zero letter and no half of a pair. Export Python.")
    return '"' + "".join(_letter(letter) for letter in text) + '"'


def _letter(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    if " " <= letter <= "~":
        return letter
    return f"\\u{ord(letter):04x}" if ord(letter) < 2**16 else f"\\U{ord(letter):08x}"


def r_number(number: float) -> str:
    """Write a double of R with all its bits: decimal digits are rounded there, hexadecimal ones are not.

    >>> r_number(0.1), r_number(-math.inf)
    ('0x1.999999999999ap-4', '-Inf')
    """
    if math.isnan(number):
        return "NaN"
    return float(number).hex() if math.isfinite(number) else "Inf" if number > 0 else "-Inf"


def _whole(number: int) -> str:
    return f"{number}L"


def _constant(value: Any) -> str:
    return r_text(value) if isinstance(value, str) else _whole(value) if isinstance(value, int) else r_number(value)


def _vector(items: Sequence[Any], kind: str, written: Callable[[Any], str]) -> str:
    texts = [written(item) for item in items]
    if len(texts) < 3:
        return f"c({', '.join(texts)})" if texts else f"{kind}(0)"
    return f"c(\n{wrapped(texts, '    ')}\n  )"


def _columns(program: Program) -> str:
    return ",\n".join(f"    {_column(program.columns[place])}" for place in program.used)


def _column(column: Column) -> str:
    if column.kind == "numeric":
        unit = UNITS.get(column.value_type, ("days", ""))[0]
        return f"list(name = {r_text(column.name)}, unit = {r_text(unit)})"
    return f"list(name = {r_text(column.name)}, levels = {_values(column.levels)})"


def _values(values: Iterable[Any]) -> str:
    """Levels or classes as one vector of R: of texts where one of them is a text, else of truth values or numbers."""
    kept = list(values)
    if any(isinstance(value, str) for value in kept):
        return f"c({', '.join(r_text(str(value)) for value in kept)})"
    if all(isinstance(value, bool) for value in kept):
        return f"c({', '.join(str(value).upper() for value in kept)})"
    large = next((value for value in kept if abs(value) > _LARGEST_EXACT), None)
    if large is not None:
        raise DataError(
            f"R has no whole number {large}: beyond 9,007,199,254,740,992 it rounds them. Export Python or C, or name "
            "the levels by text."
        )
    return f"c({', '.join(r_number(float(value)) for value in kept)})"
