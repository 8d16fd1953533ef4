"""A model as one C file and its header: C99, no memory is allocated, nothing is needed but libm."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Callable, Mapping, Sequence
from string import Template
from typing import Any

from treewright.errors import DataError
from treewright.export.code.flat_tables import flat_tables
from treewright.export.code.head import column_words, head_lines, safe, template, wrapped
from treewright.export.correction import Correction
from treewright.export.formula import Formula
from treewright.export.program import Program
from treewright.table.schema import Column

_LINKS = ("node", "mean", "identity", "logistic", "softmax", "exp", "samme", "median")  # as the template counts them
_CORRECTIONS = {"": 0, "softmax": 1, "isotonic": 2}
_LABEL_BY = {"": 0, "node": 1, "sign": 2, "sums": 3, "answers": 4}
# Words of C that are none of Python's.
_WORDS_OF_C = """
    auto case char const default do double enum extern float goto inline int long register restrict short signed sizeof
    static struct switch typedef union unsigned void volatile
""".split()  # noqa: SIM905 - a list of words reads better as words


def c_source(program: Program, name: str) -> tuple[str, str]:
    """Write the file and its header; `name` begins every public name.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_program import program_of
    >>> source, header = c_source(program_of(tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20])), "tiny")
    >>> "int tiny_predict(const tiny_row *row, double *answers);" in header
    True
    """
    fields = field_names([program.columns[place].name for place in program.used])
    told = [
        f"enum {{ {name}_n_answers = {program.n_answers}, {name}_n_trees = {len(program.trees)} }};",
        *predict_lines(program, name),
        "/* The node in which the row ends in a tree; -1 where it ends in several. */",
        f"int {name}_node(const {name}_row *row, int tree);",
    ]
    flat = flat_tables(program)
    assert program.link in _LINKS
    constants = {
        "N_COLUMNS": max(1, len(fields)),
        "N_TREES": len(program.trees),
        "N_OUTPUTS": program.n_outputs,
        "N_ANSWERS": program.n_answers,
        "WIDTH": flat.width,
        "MOST_WAITING": flat.most_waiting,
        "N_LABELLED": max(1, len(flat.whole["label_of"])),
    }
    lines = [f'#include "{name}.h"', "", "#include <math.h>", "#include <string.h>", ""]
    lines += [f"enum {{ {', '.join(f'{constant} = {value}' for constant, value in constants.items())} }};"]
    lines += [f"#define LINK LINK_{program.link.upper()}", f"#define LABEL_BY {_LABEL_BY[program.label_by]}"]
    lines += [f"#define ALL_VOTES {_number(program.all_votes)}"]
    lines += [*correction_lines(program.correction or Correction("")), ""]
    lines += [*arrays(flat.whole, {**flat.real, "start": program.start}), ""]
    parts = "".join(map(template, ("links.c", "correction.c", "program.c")))
    body = Template(parts).substitute(name=name, row=f"{name}_row")
    source = "\n".join(lines) + "\n" + body + "\n" + encoder(program, name, fields) + labels(program, name)
    return source, header(program, name, fields, told)


def correction_lines(correction: Correction) -> list[str]:
    """Define what corrects probabilities after training; its tables are arrays among the others."""
    return [
        f"enum {{ N_FUNCTIONS = {max(1, len(correction.start) - 1)} }};",
        f"#define CORRECTION {_CORRECTIONS[correction.kind]}",
        f"#define SLOPE {_number(correction.slope)}",
        f"#define KEPT {_number(correction.kept)}",
    ]


def field_names(names: Sequence[str]) -> list[str]:
    """Make names of C out of the names of columns, each once.

    >>> field_names(["age", "credit amount", "credit-amount", "2nd", "int"])
    ['age', 'credit_amount', 'credit_amount_2', 'c_2nd', 'c_int']
    """
    found: list[str] = []
    for name in names:
        plain = re.sub(r"\W", "_", name, flags=re.ASCII) or "c"
        if plain[0].isdigit() or keyword.iskeyword(plain) or plain in _WORDS_OF_C or plain.startswith("_"):
            plain = f"c_{plain}"
        unique, number = plain, 2
        while unique in found:
            unique, number = f"{plain}_{number}", number + 1
        found.append(unique)
    return found


def header(program: Program | Formula, name: str, fields: list[str], told: list[str]) -> str:
    """Write a header: the struct of a row, and what can be asked."""
    guard = f"{name.upper()}_H"
    columns = [program.columns[place] for place in program.used]
    lines = [f"/* {head_lines(program)[0]}", *(f"   {line}" for line in head_lines(program)[1:2]), "*/"]
    lines += [f"#ifndef {guard}", f"#define {guard}", ""]
    lines += [
        "/* A missing number is NAN, a missing text NULL; a text that is no level counts as missing. */",
        "typedef struct {",
    ]
    for field, column in zip(fields or ["unused"], columns or [Column("unused", "numeric")], strict=True):
        kind = "const char *" if _is_text(column) else "double "
        lines.append(f"  {kind}{field}; /* {safe(column.name)}: {column_words(column)} */")
    lines += [f"}} {name}_row;", "", *told]
    if program.labels is not None:
        lines.append(f"extern const char *const {name}_labels[{max(1, len(program.labels))}];")
    return "\n".join([*lines, "", "#endif", ""])


def predict_lines(program: Program | Formula, name: str) -> list[str]:
    """Declare what answers a row."""
    what = "Writes the answer into answers[0]."
    if program.labels is not None:
        what = f"Writes the probability of each class into answers; gives the number of the class in {name}_labels."
    return [f"/* {what} */", f"int {name}_predict(const {name}_row *row, double *answers);"]


def _is_text(column: Column) -> bool:
    return column.kind != "numeric" and any(isinstance(level, str) for level in column.levels)


def encoder(program: Program | Formula, name: str, fields: list[str]) -> str:
    """Write the function that turns a row into numbers and codes."""
    tables, lines = [], []
    for at, (field, place) in enumerate(zip(fields, program.used, strict=True)):
        column = program.columns[place]
        if column.kind == "numeric":
            lines.append(f"  x[{at}] = row->{field};")
            continue
        tables.append(_level_table(at, column))
        search = "text" if _is_text(column) else "number"
        lines.append(f"  x[{at}] = find_{search}(level_{at}, code_{at}, {len(column.levels)}, row->{field});")
    unused = [] if fields else ["  (void)row, (void)x;"]
    searches = [_SEARCH[kind] for kind in ("text", "number") if any(f"find_{kind}(" in line for line in lines)]
    encode = [f"static void encode(const {name}_row *row, double *x) {{", *lines, *unused, "}", ""]
    return "\n".join([*tables, *searches, *encode])


_SEARCH = {
    "text": """static double find_text(const char *const *levels, const int *codes, int n, const char *wanted) {
  int low = 0, high = n;
  if (wanted == NULL) return (double)NAN;
  while (low < high) {
    const int middle = low + (high - low) / 2, order = strcmp(levels[middle], wanted);
    if (order == 0) return codes[middle];
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return (double)NAN;
}
""",
    "number": """static double find_number(const double *levels, const int *codes, int n, double wanted) {
  int i;
  for (i = 0; i < n; ++i)
    if (levels[i] == wanted) return codes[i];
  return (double)NAN;
}
""",
}


def _level_table(at: int, column: Column) -> str:
    if _is_text(column):
        ordered = sorted((_bytes(column, level), code) for code, level in enumerate(column.levels, start=1))
        texts = wrapped([_text(level) for level, _ in ordered])
        written = f"static const char *const level_{at}[] = {{\n{texts}\n}};"
        codes = [code for _, code in ordered]
    else:
        written = _array(f"level_{at}", "double", [float(level) for level in column.levels], _number)
        codes = list(range(1, len(column.levels) + 1))
    return written + "\n" + _array(f"code_{at}", "int", codes, str)


def _bytes(column: Column, level: Any) -> bytes:
    encoded = str(level).encode("utf-8", "surrogatepass")
    if b"\0" in encoded:
        raise DataError(
            f"Column {column.name!r} has a level with a zero byte in it, which no text of C can hold. Export Python or "
            "JavaScript, or clean the column before training."
        )
    return encoded


def _text(text: bytes) -> str:
    letters = (chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in text)
    return f'"{"".join(letters)}"'


def labels(program: Program | Formula, name: str) -> str:
    """Write the names of the classes."""
    if program.labels is None:
        return ""
    texts = wrapped([_text(str(label).encode("utf-8", "surrogatepass")) for label in program.labels])
    return f"const char *const {name}_labels[{max(1, len(program.labels))}] = {{\n{texts}\n}};\n"


def _whole_type(numbers: Sequence[int]) -> str:
    low, high = min(numbers, default=0), max(numbers, default=0)
    return "signed char" if low >= -128 and high < 128 else "short" if low >= -32768 and high < 32768 else "int"


def arrays(whole: Mapping[str, Sequence[int]], real: Mapping[str, Sequence[float]]) -> list[str]:
    """Write tables of numbers."""
    return [
        *(_array(table, _whole_type(numbers), numbers, str) for table, numbers in whole.items()),
        *(_array(table, "double", numbers, _number) for table, numbers in real.items()),
    ]


def _array(name: str, kind: str, numbers: Sequence[Any], text: Callable[[Any], str]) -> str:
    return f"static const {kind} {name}[] = {{\n{wrapped([text(number) for number in numbers] or ['0'])}\n}};"


def _number(number: float) -> str:
    """Write a double so that C reads the same one: in hexadecimal."""
    if math.isnan(number):
        return "(double)NAN"
    if math.isinf(number):
        return "(double)INFINITY" if number > 0 else "-(double)INFINITY"
    return float(number).hex()
