"""Files of statistics programs: SPSS (.sav), Stata (.dta), SAS (.sas7bdat, .xpt). Labels of values become levels."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, cast

from treewright.errors import DataError
from treewright.table.reading.source_file import SourceFile

if TYPE_CHECKING:
    import pandas as pd

STATISTICS = {".sav": "SPSS", ".zsav": "SPSS", ".dta": "Stata", ".sas7bdat": "SAS", ".xpt": "SAS transport"}


def read_statistics(file: SourceFile) -> pd.DataFrame:
    """Read such a file by pyreadstat; a column whose values all have labels is categories, in the order of values."""
    try:
        import pyreadstat
    except ImportError as error:
        raise DataError(
            f"{file.shown}: files of {STATISTICS[file.suffix]} are read by pyreadstat, which is not installed: "
            "pip install pyreadstat (or pip install 'treewright[stats]'). Or save the table as CSV."
        ) from error
    readers: dict[str, Any] = {
        "SPSS": pyreadstat.read_sav,
        "Stata": pyreadstat.read_dta,
        "SAS": pyreadstat.read_sas7bdat,
        "SAS transport": pyreadstat.read_xport,
    }
    read_file = readers[STATISTICS[file.suffix]]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of pandas, about how pyreadstat builds its frame
            frame, about = read_file(str(file.path))
    except MemoryError:
        raise
    except Exception as error:  # pyreadstat has classes of its own, and those of the encodings
        raise DataError(
            f"{file.shown}: this is no whole file of {STATISTICS[file.suffix]} ({error}). Save it again."
        ) from error
    for name, labels in about.variable_value_labels.items():
        if name in frame.columns:
            frame[name] = _labelled(frame[name], labels)
    for name in frame.columns[frame.dtypes.map(str) == "object"]:
        frame[name] = _numbers(frame[name])
    frame.columns = [str(name) for name in frame.columns]
    return cast("pd.DataFrame", frame)


def _labelled(column: pd.Series, labels: dict[object, str]) -> pd.Series:
    """Give the labels of values as categories; where a value has none, the numbers are a measurement and stay."""
    import pandas as pd

    known = column.dropna()
    if not known.isin(list(labels)).all():
        return column
    in_order = list(dict.fromkeys(str(labels[value]) for value in sorted(labels, key=_sort_key)))
    texts = column.map({value: str(label) for value, label in labels.items()})
    return pd.Series(pd.Categorical(texts, categories=in_order), index=column.index, name=column.name)


def _numbers(column: pd.Series) -> pd.Series:
    """Whole numbers with holes among them, which pyreadstat hands over as Python's own."""
    import pandas as pd

    known = column.dropna()
    are_numbers = len(known) > 0 and all(type(value) in (int, float) for value in known)
    return pd.to_numeric(column).astype("float64") if are_numbers else column


def _sort_key(value: object) -> tuple[bool, float, str]:
    return (isinstance(value, str), 0.0 if isinstance(value, str) else float(str(value)), str(value))
