"""What differs from one SQL engine to the next; the rest of the exports is the same text for all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from treewright.errors import DataError, nearest
from treewright.table.schema import Column

_READ_BY_DIGITS = (1e-150, 1e150)  # beyond these engines that read roughly take even 17 digits as a neighbour
_LARGEST_STEP = 60  # 2**60 has 19 digits, which fit an integer of 64 bits


@dataclass(frozen=True)
class Dialect:
    """How an engine names, casts and computes.

    Attributes
    ----------
    name, quote : str
        Its name, and the letter around names of columns; doubled inside.
    double : str
        The type of doubles.
    text : str
        The type of texts.
    without_nan : str
        A number that may be NaN, with NULL in its place; `{}` is the number.
    materialized : str
        What keeps a named step from being written into the next one, where that would repeat it.
    exp_is_guarded : bool
        Whether exp fails where its result is too small or too large.
    dates : dict
        From a value of a type to its number; `{}` is the column.
    proven : bool
        Whether the engine can be started here and the export proven.
    as_double : str
        What makes a double of a number with an exponent, where that alone does not.
    reads_roughly : bool
        Whether a number is rounded twice as it is read, so that a text half-way between two doubles may become the
        other one.
    compared : str
        A column of texts as it is compared letter by letter, where the engine takes capitals for small letters.
    backslash_escapes : bool
        Whether a backslash in a text begins an escape.
    unicode_mark : str
        What stands before a text of letters beyond one code page.
    truth : tuple of str
        False and true.
    list_of_doubles : str
        A list of doubles as one constant, of which `{place}` (from 0) is taken; `{numbers}` stand between commas. Empty
        where the engine has none. A CASE of as many WHENs is planned WHEN by WHEN, which takes longer than to run it.
    lists_of_steps : bool
        Whether a large tree is to be lists of steps, since the engine takes seconds to plan a long CASE.
    trees_at_once : int
        How many trees one step may ask: DuckDB plans each the longer, the more columns its step has.
    tells_capitals : bool
        Whether names in quotes that differ in capitals are two columns.
    """

    name: str
    quote: str = '"'
    double: str = "DOUBLE PRECISION"
    text: str = "VARCHAR"
    without_nan: str = "{}"
    materialized: str = ""
    exp_is_guarded: bool = False
    dates: tuple[tuple[str, str], ...] = ()
    proven: bool = False
    as_double: str = "{}"
    reads_roughly: bool = False
    compared: str = "{}"
    backslash_escapes: bool = False
    unicode_mark: str = ""
    truth: tuple[str, str] = ("FALSE", "TRUE")
    list_of_doubles: str = ""
    lists_of_steps: bool = False
    trees_at_once: int = 100
    tells_capitals: bool = False

    def identifier(self, name: str) -> str:
        """Write the name of a column.

        >>> DIALECTS["mysql"].identifier("a `b` c")
        '`a ``b`` c`'
        """
        if "\0" in name:
            raise DataError(f"The name {name!r} has a zero byte in it, which SQL cannot write. Rename the column.")
        closing = "]" if self.quote == "[" else self.quote
        return f"{self.quote}{name.replace(closing, closing * 2)}{closing}"

    def number(self, number: float) -> str:
        """Write a double: always with an exponent, since 0.1 is a decimal in many engines and 0.1e0 a double.

        >>> DIALECTS["duckdb"].number(0.1), DIALECTS["duckdb"].number(3.0), DIALECTS["duckdb"].number(-1e300)
        ('0.1e0', '3.0e0', '-1e+300')
        >>> DIALECTS["sqlite"].number(5.186360860978803)
        '5.1863608609788026e0'
        >>> DIALECTS["sqlite"].number(4.3e-299)  # which SQLite reads as another number
        '(8105576869299967.0e0 / 1152921504606846976.0e0 / ... / 16777216.0e0)'
        """
        self._refuse_infinite(number)
        if self.reads_roughly and number and not _READ_BY_DIGITS[0] < abs(number) < _READ_BY_DIGITS[1]:
            return self.as_double.format(_by_powers_of_two(float(number)))
        shortest = repr(float(number))
        written = f"{number:.17g}" if self.reads_roughly and _is_nearly_half_way(shortest, float(number)) else shortest
        return self.as_double.format(written if "e" in written else f"{written}e0")

    def one_of(self, numbers: list[float], place: str) -> str:
        """Write the number at a place, counted from 0, of numbers that are one constant.

        >>> DIALECTS["duckdb"].one_of([0.5, 3.0], "n0"), DIALECTS["sqlite"].list_of_doubles
        ("CAST('[0.5, 3.0]' AS DOUBLE[])[n0 + 1]", '')
        """
        self._refuse_infinite(*numbers)
        return self.list_of_doubles.format(numbers=", ".join(map(repr, numbers)), place=place)

    def _refuse_infinite(self, *numbers: float) -> None:
        for number in numbers:
            if not math.isfinite(number):
                raise DataError(
                    f"The model has the number {number}, which {self.name} cannot write. Export Python, JavaScript or "
                    "C."
                )

    def literal(self, level: Any) -> str:
        """Write a level or a label.

        >>> DIALECTS["duckdb"].literal("it's"), DIALECTS["duckdb"].literal(True), DIALECTS["duckdb"].literal(3)
        ("'it''s'", 'TRUE', '3')
        """
        if isinstance(level, bool):
            return self.truth[level]
        if isinstance(level, int):
            return str(level)
        if isinstance(level, float):
            return self.number(level)
        return self.string(str(level))

    def string(self, text: str) -> str:
        if "\0" in text:
            raise DataError(f"The text {text!r} has a zero byte in it, which SQL cannot write. Clean the column first.")
        if self.backslash_escapes:
            text = text.replace("\\", "\\\\")
        if self.name == "bigquery":  # its texts end with their line
            text = text.replace("\n", "\\n").replace("\r", "\\r")
        quote = "''" if self.name not in ("bigquery", "spark") else "\\'"
        return f"{self.unicode_mark}'{text.replace(chr(39), quote)}'"

    def as_number(self, column: Column, name: str) -> str:
        """Write a numeric column as a double, NULL where it has no value."""
        inside = dict(self.dates).get(column.value_type, "{}").format(name)
        return self.without_nan.format(f"CAST({inside} AS {self.double})")

    def as_level(self, column: Column, name: str) -> str:
        """Write a column of levels as it is compared with them.

        >>> print(DIALECTS["sqlserver"].as_level(Column("job", "nominal", "text", ("cook",)), "[job]"))
        [job] COLLATE Latin1_General_100_BIN2
        """
        return self.compared.format(name) if column.value_type == "text" else name


_MICROSECONDS = "1000000"
_NEARLY_HALF = Fraction(49, 100)
DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect(
            "duckdb",
            double="DOUBLE",
            without_nan="NULLIF({}, 'nan'::DOUBLE)",
            materialized="MATERIALIZED ",
            dates=(
                ("date", "date_diff('day', DATE '1970-01-01', CAST({} AS DATE))"),
                ("datetime", "epoch_us(CAST({} AS TIMESTAMP))"),
                ("time", "epoch_us(CAST({} AS TIME))"),
                ("duration", "epoch_us(CAST({} AS INTERVAL))"),
            ),
            proven=True,
            list_of_doubles="CAST('[{numbers}]' AS DOUBLE[])[{place} + 1]",
            trees_at_once=20,
        ),
        Dialect(
            "postgresql",
            text="TEXT",
            without_nan="NULLIF({}, 'NaN'::DOUBLE PRECISION)",
            materialized="MATERIALIZED ",
            exp_is_guarded=True,
            as_double="{}::FLOAT8",  # 1e0 is a NUMERIC there, and sums would be others
            dates=(
                ("date", "(CAST({} AS DATE) - DATE '1970-01-01')"),
                ("datetime", f"(EXTRACT(EPOCH FROM CAST({{}} AS TIMESTAMP)) * {_MICROSECONDS})"),
                ("time", f"(EXTRACT(EPOCH FROM CAST({{}} AS TIME)) * {_MICROSECONDS})"),
                ("duration", f"(EXTRACT(EPOCH FROM CAST({{}} AS INTERVAL)) * {_MICROSECONDS})"),
            ),
            proven=True,
            list_of_doubles="('{{{numbers}}}'::FLOAT8[])[{place} + 1]",
            tells_capitals=True,
        ),
        Dialect(
            "sqlite",
            double="REAL",
            text="TEXT",
            materialized="MATERIALIZED ",
            dates=(("date", "(julianday({}) - 2440587.5)"),),
            proven=True,
            reads_roughly=True,
        ),
        Dialect(
            "spark",
            quote="`",
            double="DOUBLE",
            text="STRING",
            without_nan="nullif({}, double('NaN'))",
            dates=(("date", "datediff({}, DATE '1970-01-01')"), ("datetime", "unix_micros({})")),
            proven=True,
            backslash_escapes=True,
            # A query of its own: without it a list is made again for every row of a small table.
            list_of_doubles="(SELECT CAST(split('{numbers}', ',') AS ARRAY<DOUBLE>))[{place}]",
            lists_of_steps=True,
        ),
        Dialect(
            "bigquery",
            quote="`",
            double="FLOAT64",
            text="STRING",
            without_nan="NULLIF({}, CAST('nan' AS FLOAT64))",
            exp_is_guarded=True,
            dates=(
                ("date", "UNIX_DATE(CAST({} AS DATE))"),
                ("datetime", "UNIX_MICROS(CAST({} AS TIMESTAMP))"),
                ("time", "TIME_DIFF({}, TIME '00:00:00', MICROSECOND)"),
            ),
            backslash_escapes=True,
        ),
        Dialect(
            "snowflake",
            double="DOUBLE",
            without_nan="NULLIF({}, 'NaN'::DOUBLE)",
            exp_is_guarded=True,
            dates=(
                ("date", "DATEDIFF('day', DATE '1970-01-01', CAST({} AS DATE))"),
                ("datetime", "DATE_PART('epoch_microsecond', CAST({} AS TIMESTAMP_NTZ))"),
            ),
            backslash_escapes=True,
            tells_capitals=True,
        ),
        Dialect(
            "sqlserver",
            quote="[",
            double="FLOAT",
            text="NVARCHAR(MAX)",
            exp_is_guarded=True,
            dates=(
                ("date", "DATEDIFF(day, '19700101', CAST({} AS DATE))"),
                ("datetime", "DATEDIFF_BIG(microsecond, '19700101', CAST({} AS DATETIME2))"),
            ),
            compared="{} COLLATE Latin1_General_100_BIN2",
            unicode_mark="N",
            truth=("0", "1"),  # a BIT; there is no word for it
        ),
        Dialect(
            "mysql",
            quote="`",
            double="DOUBLE",
            text="CHAR",
            exp_is_guarded=True,
            dates=(
                ("date", "DATEDIFF({}, '1970-01-01')"),
                ("datetime", "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', {})"),
            ),
            compared="CONVERT({} USING utf8mb4) COLLATE utf8mb4_0900_bin",
            backslash_escapes=True,
        ),
    )
}


def _by_powers_of_two(number: float) -> str:
    """Write a number as a whole one times or over powers of two, each of which has few enough digits to be exact.

    >>> _by_powers_of_two(-(2.0**-70))
    '(-4503599627370496.0e0 / 1152921504606846976.0e0 / 1152921504606846976.0e0 / 4.0e0)'
    """
    mantissa, exponent = math.frexp(number)
    whole, power = int(math.ldexp(mantissa, 53)), exponent - 53
    steps, rest = divmod(abs(power), _LARGEST_STEP)
    factors = [_LARGEST_STEP] * steps + [rest] * (rest > 0)
    sign = " * " if power > 0 else " / "
    return f"({sign.join([f'{whole}.0e0', *(f'{2**factor}.0e0' for factor in factors)])})"


def _is_nearly_half_way(written: str, number: float) -> bool:
    """Say whether the text of a double is next to the middle between it and its neighbour; 17 digits never are.

    >>> _is_nearly_half_way("5.186360860978803", 5.186360860978803), _is_nearly_half_way("0.1", 0.1)
    (True, False)
    """
    if number.is_integer():
        return False
    told, exact = Fraction(written), Fraction(number)
    gap = abs(Fraction(math.nextafter(number, math.inf if told > exact else -math.inf)) - exact)
    return abs(told - exact) > _NEARLY_HALF * gap


def find_dialect(name: str) -> Dialect:
    """Give the dialect of this name.

    >>> find_dialect("postgres")
    Traceback (most recent call last):
    treewright.errors.DataError: There is no SQL dialect 'postgres'. Did you mean 'postgresql'? See docs/export.md.
    """
    if name not in DIALECTS:
        raise DataError(f"There is no SQL dialect {name!r}. {nearest(name, DIALECTS)} See docs/export.md.")
    return DIALECTS[name]
