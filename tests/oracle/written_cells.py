"""What a column of cells may mean, in plain Python: every reading of every cell, letter by letter, and what they share.

A cell has many readings: "1,234" is 1234 with commas between thousands and 1.234 with a comma before decimals. A column
is numbers if its cells have a reading in common; dates in the same way, by the order of day, month and year.
"""

from __future__ import annotations

from datetime import date

GROUPS = ("", ",", ".", " ", "'")


def number_readings(cell: str) -> dict[tuple[str, str, str], float]:
    """Every reading of a cell by its marks (decimals, thousands) and its unit.

    >>> number_readings("1,23 €")
    {(',', '', '€'): 1.23, (',', '.', '€'): 1.23, (',', ' ', '€'): 1.23, (',', "'", '€'): 1.23}
    """
    cell = cell.strip().replace("\u00a0", " ").replace("\u202f", " ").replace("\u2212", "-")
    negative = cell.startswith("(") and cell.endswith(")")
    if negative:
        cell = cell[1:-1]
    if cell[:1] in ("-", "+"):
        if negative:
            return {}
        negative, cell = cell[0] == "-", cell[1:]
    unit = ""
    if cell[:1] in ("$", "€"):
        unit, cell = cell[0], cell[1:]
    else:
        digits = max((i + 1 for i, letter in enumerate(cell) if letter.isdigit()), default=0)
        if digits and cell[digits : digits + 1] in (".", ","):
            digits += 1  # a mark with nothing behind it
        unit, cell = cell[digits:].strip(), cell[:digits]
    readings = {}
    for decimal in (".", ","):
        for group in GROUPS:
            if group != decimal and (value := _value(cell, decimal, group)) is not None:
                readings[decimal, group, unit] = -value if negative else value
    return readings


def _value(digits: str, decimal: str, group: str) -> float | None:
    whole, mark, fraction = digits.partition(decimal)
    if mark and fraction and not fraction.isdigit():
        return None
    parts = whole.split(group) if group else [whole]
    if not all(part.isdigit() for part in parts):
        return None
    if len(parts) > 1 and (len(parts[0]) > 3 or len(parts[-1]) != 3 or any(len(part) != 3 for part in parts[1:-1])):
        return None
    if parts[0].startswith("0") and (len(parts) > 1 or len(parts[0]) > 1):
        return None  # a code, or no group of thousands
    return float("".join(parts) + "." + (fraction or "0"))


def column_values(cells: list[str]) -> list[list[float]]:
    """All ways to read a column as numbers in one format, each a list of values; ways with the same values once."""
    readings = [number_readings(cell) for cell in cells]
    shared = set(readings[0]).intersection(*map(set, readings[1:]))
    return [list(each) for each in dict.fromkeys(tuple(r[key] for r in readings) for key in sorted(shared))]


def date_values(cells: list[str], mark: str) -> dict[str, list[date]]:
    """The days of a column by each order of day and month in which all of its cells are days."""
    found: dict[str, list[date]] = {}
    for order in ("dmy", "mdy"):
        days = []
        for cell in cells:
            numbers = dict(zip(order, map(int, cell.split(mark)), strict=True))
            try:
                days.append(date(numbers["y"], numbers["m"], numbers["d"]))
            except ValueError:
                break
        if len(days) == len(cells):
            found[order] = days
    return found
