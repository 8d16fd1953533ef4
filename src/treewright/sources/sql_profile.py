"""The first look at a table of a database: what all rows say of each column in one statement, levels, a sample."""
# ruff: noqa: S608

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from treewright.errors import DataError
from treewright.sources.profile import NumberProfile, Profile, number_target, plain_numbers
from treewright.sources.questions import Wishes
from treewright.table.frame import open_frame
from treewright.table.schema import Column

if TYPE_CHECKING:
    import pyarrow as pa

    from treewright.sources.sql_source import SqlSource

_SAMPLE = 16_384
_DAY = 86_400_000_000
_MOST_CLASSES = 200
CELLS = 128  # stretches of a column: each costs a search among them, and a count a node


@dataclass
class SqlProfile:
    """A first look on its way."""

    source: SqlSource
    wishes: Wishes
    found: Profile = field(default_factory=Profile)

    def look(self) -> Profile:
        """Take the look."""
        self._see_summary()
        if self.wishes.weight is not None and self.found.n_rows:
            self.found.weights = self.source.weights(self._name(self.wishes.weight))
        self._see_levels()
        self._see_numbers()
        return self.found

    def _name(self, name: str) -> str:
        return self.source.sql.dialect.identifier(name)

    def _type(self, name: str) -> Any:
        return self.source.empty_table().schema.field(name).type

    # ---------------------------------------------------------------- every row
    def statements(self) -> list[str]:
        """The statements of the look, for who wants to see them first; one for weights may come to them."""
        n_rows = self.found.n_rows or 100 * _SAMPLE
        return [self._summary()[0], self._levels(), self._sample(n_rows)]

    def _see_summary(self) -> None:
        self._read_summary(self.source.ask(*self._summary()))

    def _summary(self) -> tuple[str, dict[str, Any]]:
        """Numbers of rows, holes, ranges; of classes one row of the answer each, of numbers one in all."""
        wishes, target = self.wishes, self._name(self.wishes.target)
        parts = {"n": ("count(*)", "int64"), "holes": (f"count(*) - count({target})", "int64")}
        for j, name in enumerate(wishes.features):
            parts[f"h{j}"] = f"count(*) - count({self._name(name)})", "int64"
        parts |= self._dates() | self._ranges()
        if not wishes.classifies:
            counted = "" if wishes.weight is None else f" FILTER (WHERE {self._name(wishes.weight)} > 0)"
            of_type = self._type(wishes.target)
            parts |= {"low": (f"min({target}){counted}", of_type), "high": (f"max({target}){counted}", of_type)}
        chosen = ", ".join(f"{sql} AS {name}" for name, (sql, _) in parts.items())
        types = {name: of_type for name, (_, of_type) in parts.items()}
        statement = f"SELECT {chosen} FROM {self.source.relation}"
        if wishes.classifies:
            most = f"LIMIT {_MOST_CLASSES + 1}"
            statement = f"SELECT {chosen}, {target} AS y FROM {self.source.relation} GROUP BY {target} {most}"
            types["y"] = self._type(wishes.target)
        return statement, types

    def _dates(self) -> dict[str, tuple[str, Any]]:
        """A moment of each column of dates, and one that is not at midnight."""
        parts: dict[str, tuple[str, Any]] = {}
        as_number = dict(self.source.sql.dialect.dates).get("datetime", "{}")
        for j, name in enumerate(self._moments()):
            moment = f"CAST({as_number.format(self._name(name))} AS BIGINT)"
            parts[f"d{j}"] = f"min({moment})", "int64"
            parts[f"e{j}"] = f"min(CASE WHEN {moment} % {_DAY} <> 0 THEN {moment} END)", "int64"
        return parts

    def _moments(self) -> list[str]:
        return [name for name, kind in self.wishes.value_types.items() if kind == "datetime"]

    def _ranges(self) -> dict[str, tuple[str, Any]]:
        """The smallest and the largest finite number of each column."""
        parts: dict[str, tuple[str, Any]] = {}
        dialect = self.source.sql.dialect
        end = f"CAST('{{}}infinity' AS {dialect.double})"
        for j, (name, value_type) in enumerate(self.wishes.value_types.items()):
            number = dialect.as_number(Column(name, "numeric", value_type), self._name(name))
            finite = f"FILTER (WHERE {number} > {end.format('-')} AND {number} < {end.format('')})"
            parts |= {f"l{j}": (f"min({number}) {finite}", "double"), f"m{j}": (f"max({number}) {finite}", "double")}
        return parts

    def _read_summary(self, answer: pa.Table) -> None:
        found, wishes = self.found, self.wishes
        rows = answer.to_pylist()
        if len(rows) > _MOST_CLASSES:
            raise DataError(
                f"The target has more than {_MOST_CLASSES} classes, which is as many as {self.source.engine} counts. A "
                "source of files has no such limit."
            )

        def over(name: str, choose: Any) -> Any:
            known = [row[name] for row in rows if row[name] is not None]
            return choose(known) if known else None

        found.n_rows = over("n", sum) or 0
        self._refuse_holes(over("holes", sum) or 0, rows)
        found.with_holes = {name for j, name in enumerate(wishes.features) if over(f"h{j}", sum)}
        for j, name in enumerate(self._moments()):
            found.examples[name] = [value for value in (over(f"d{j}", min), over(f"e{j}", min)) if value is not None]
        for j, name in enumerate(wishes.value_types):
            found.numbers[name] = NumberProfile(None, few=CELLS, even=self.source.sql.cell is None)
            low, high = over(f"l{j}", min), over(f"m{j}", max)
            if low is not None:
                found.numbers[name].low, found.numbers[name].high = low + 0.0, high + 0.0
        if wishes.classifies:
            found.class_rows = {row["y"]: row["n"] for row in rows}
        elif found.n_rows:
            ends = (number_target(answer.column(end), str(self.source))[0] for end in ("low", "high"))
            found.low, found.high = map(float, ends)

    def _refuse_holes(self, holes: int, rows: Sequence[dict[str, Any]]) -> None:
        if self.wishes.classifies:  # NaN is a class of its own to SQL
            holes += sum(row["n"] for row in rows if row["y"] is not None and row["y"] != row["y"])
        if holes:
            raise DataError(
                f"{self.source}: Input y contains NaN: {holes:,} rows have no target value. Drop the rows without a "
                "target before training."
            )

    # ---------------------------------------------------------------- levels and samples
    def _see_levels(self) -> None:
        import pyarrow.compute as pc

        if not (statement := self._levels()):
            return
        answer = self.source.ask(statement, {"j": "int64", "v": "string"})
        for j, name in enumerate(self._level_columns()):
            texts = answer.filter(pc.equal(answer.column("j"), j)).column("v")
            self.found.levels[name] = texts.cast(self._type(name)).combine_chunks()

    def _level_columns(self) -> list[str]:
        return [name for name in self.wishes.features if name in self.wishes.levels]

    def _levels(self) -> str:
        """Every level of every column that has levels, as text, by one statement."""
        text, relation = self.source.sql.dialect.text, self.source.relation
        parts = [
            f"SELECT {j} AS j, CAST({self._name(name)} AS {text}) AS v FROM {relation} GROUP BY {self._name(name)}"
            for j, name in enumerate(self._level_columns())
        ]
        return "\nUNION ALL\n".join(parts)

    def _see_numbers(self) -> None:
        if not self.wishes.value_types or not self.found.n_rows:
            return
        names = list(self.wishes.value_types)
        sample = self.source.ask(self._sample(self.found.n_rows), {name: self._type(name) for name in names})
        for name, series in zip(names, open_frame(sample).columns, strict=True):
            self.found.numbers[name].see(plain_numbers(series, name, self.wishes.value_types[name]))

    def _sample(self, n_rows: int) -> str:
        """Some rows, by which columns of numbers are cut into stretches."""
        if not self.wishes.value_types:
            return ""
        return self.source.sql.sample.format(
            columns=", ".join(map(self._name, self.wishes.value_types)),
            relation=self.source.relation,
            rows=_SAMPLE,
            share=self.source.sql.dialect.number(_SAMPLE / n_rows),
        )
