"""A formula as one SELECT: the cells as numbers and codes, inputs on their scales, sums layer by layer, the answers."""

from __future__ import annotations

import math

from treewright.errors import DataError
from treewright.export.formula import (
    ALIKE,
    CLIP,
    CLIP_FROM,
    MISSING,
    ONE,
    Formula,
    Input,
    Unit,
    refuse_infinite_weights,
)
from treewright.export.sql.chain import Chain, SqlOptions, comment
from treewright.export.sql.conditions import coded_cell
from treewright.export.sql.correction import corrected
from treewright.export.sql.links import FARTHEST, exact_powers, expit, largest, log_of_bells, softmax
from treewright.table.sql_dialects import Dialect

_FEW = 3
TERMS = 100  # of one sum: SQLite takes an expression 1,000 deep
MOST_TERMS = 20_000  # of a statement, of about 40 bytes each
WIDEST = 500  # units of a layer: each is a column, and engines take one or two thousand
MOST_BELLS, BELLS_AT_ONCE = 5_000, 500  # of a statement, and of one density: each is a column
WITHOUT_TANH = ("sqlserver", "mysql")


def formula_sql(formula: Formula, dialect: Dialect, options: SqlOptions) -> str:
    """Write the statement.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_formula import formula_of
    >>> from treewright.table.sql_dialects import find_dialect
    >>> formula = formula_of(tw.LinearRegression().fit([[1], [2]], [11, 20]))
    >>> print(formula_sql(formula, find_dialect("sqlite"), SqlOptions("rows")))  # doctest: +ELLIPSIS
    -- LinearRegression of 2 terms, written by treewright. The same answers as the model, to the last bit.
    ...
    WITH cells AS MATERIALIZED (
      SELECT
        "x0" AS k0,
        CAST("x0" AS REAL) AS x0
      FROM rows
    ),
    sums_1 AS MATERIALIZED (
      SELECT
        k0,
        ... * COALESCE(x0, 1.5e0) + ... AS u2
      FROM cells
    )
    SELECT
      k0 AS "x0",
      u2 AS prediction
    FROM sums_1;
    <BLANKLINE>
    """
    _refuse_what_is_too_much(formula, dialect)
    statement = _Statement(formula, dialect, options)
    statement.add_cells()
    statement.add_inputs()
    for number in range(len(formula.layers)):
        statement.add_layer(number)
    return f"{comment(formula, dialect)}\n{statement.text(statement.answers())}\n"


def _refuse_what_is_too_much(formula: Formula, dialect: Dialect) -> None:
    refuse_infinite_weights(formula, dialect.name)
    widest = max(map(len, formula.layers))
    if formula.n_terms > MOST_TERMS or widest > WIDEST:
        raise DataError(
            f"This {formula.title} has {formula.n_terms:,} terms and up to {widest:,} sums side by side; a statement "
            f"is written for {MOST_TERMS:,} and {WIDEST:,}. Export C, JavaScript, Python or ONNX."
        )
    largest_density = max((len(unit.bells.places) for unit in formula.units if unit.bells), default=0)
    if formula.n_bells > MOST_BELLS or largest_density > BELLS_AT_ONCE:
        raise DataError(
            f"The densities of this {formula.title} stand on {formula.n_bells:,} values, up to {largest_density:,} of "
            f"one column in one class; a statement is written for {MOST_BELLS:,} and {BELLS_AT_ONCE:,}. Export C, "
            "JavaScript, Python or ONNX, or train it with numeric='gaussian'."
        )
    if dialect.name in WITHOUT_TANH and any(unit.shape in ("tanh", "sigmoid") for unit in formula.units):
        raise DataError(
            f"This {formula.title} takes tanh, which {dialect.name} does not have. Train it with activation='relu', or "
            "export C, JavaScript, Python or ONNX."
        )


class _Statement(Chain):
    """The statement of a formula. Cells are x by column, inputs i, sums t, units u; scores s, answers p."""

    def __init__(self, formula: Formula, dialect: Dialect, options: SqlOptions) -> None:
        super().__init__([formula.columns[place].name for place in formula.used], dialect, options)
        self.formula = formula
        # An input that many sums read is a column; else it is written into the sum, where people can read it.
        self.inputs_are_columns = max(map(len, formula.layers)) > _FEW

    # ---------------------------------------------------------------- cells and inputs
    def add_cells(self) -> None:
        """Add the cells as numbers and codes of levels."""
        cells = [f"{coded_cell(self.dialect, self.formula.columns[place])} AS x{place}" for place in self.formula.used]
        self.step("cells", [*self.kept_columns(), *cells] or ["1 AS unasked"])

    def add_inputs(self) -> None:
        """Add the inputs that have columns of their own."""
        inputs = self.formula.inputs
        places = [place for place in range(len(inputs)) if self._has_column(place)]
        if not places:
            return
        carried = [*self.kept, *(f"x{place}" for place in self.formula.used)]
        self.numbered_step("inputs", [*carried, *(f"{self._input(place)} AS i{place}" for place in places)])
        bounded = [place for place in places if inputs[place].reach < math.inf]
        if bounded:
            columns = [self._within_reach(place) if place in bounded else f"i{place}" for place in places]
            self.numbered_step("inputs", [*carried, *columns])

    def _has_column(self, place: int) -> bool:
        entry = self.formula.inputs[place]
        return entry.column != ONE and (self.inputs_are_columns or (entry.level == 0 and not entry.is_plain))

    def _input(self, place: int) -> str:
        entry, number = self.formula.inputs[place], self.dialect.number
        if entry.level != 0:
            return self._by_level(entry, 1.0)
        filled = f"COALESCE(x{entry.column}, {number(entry.fill)})"
        if entry.is_plain:
            return filled
        return f"({filled} - {number(entry.center)}) / {number(entry.scale)}"

    def _by_level(self, entry: Input, weight: float) -> str:
        """An input of 0 and 1 times a weight: what it is in each case."""
        known, gone, other = (
            self.dialect.number(weight * ((x - entry.center) / entry.scale) + 0.0) for x in (1.0, entry.fill, 0.0)
        )
        name = f"x{entry.column}"
        if entry.level == MISSING:
            return f"CASE WHEN {name} IS NULL THEN {known} ELSE {other} END"
        missing = f" WHEN {name} IS NULL THEN {gone}" if gone != other else ""
        return f"CASE WHEN {name} = {entry.level} THEN {known}{missing} ELSE {other} END"

    def _within_reach(self, place: int) -> str:
        reach = self.formula.inputs[place].reach
        low, high = self.dialect.number(-reach), self.dialect.number(reach)
        return f"CASE WHEN i{place} < {low} THEN {low} WHEN i{place} > {high} THEN {high} ELSE i{place} END AS i{place}"

    # ---------------------------------------------------------------- sums
    def add_layer(self, number: int) -> None:
        """Add the units of a layer: their sums, some terms at a time, then what becomes of them."""
        formula, places = self.formula, self.formula.layers[number]
        units = [formula.unit(place) for place in places]
        before, after = self._needed(number, number), self._needed(number + 1, number)
        plain = all(unit.is_plain_sum for unit in units)
        batches = max(1, *(-(-len(unit.terms) // TERMS) for unit in units))
        for batch in range(batches):
            ends = plain and batch == batches - 1
            sums = [
                f"{self._sum(unit, place, batch)} AS {'u' if ends else 't'}{place}"
                for place, unit in zip(places, units, strict=True)
            ]
            self.numbered_step("sums", [*self.kept, *(after if ends else before), *sums])
        self._add_bells(places, after)
        if not plain:
            shaped = [f"{self._shaped(unit, place)} AS u{place}" for place, unit in zip(places, units, strict=True)]
            self.numbered_step("units", [*self.kept, *after, *shaped])

    def _add_bells(self, places: list[int], after: list[str]) -> None:
        """Add the densities of a layer one after the other: the columns of their bells are dropped again."""
        waiting = [f"t{place}" for place in places]
        for place in places:
            if self.formula.unit(place).bells is not None:
                log_of_bells(self, [*self.kept, *after, *waiting], place, self.formula.unit(place))
                waiting[waiting.index(f"t{place}")] = f"v{place}"

    def _needed(self, number: int, made_from: int) -> list[str]:
        """What the layers from this one on read of steps before; layers from `made_from` on are not there yet."""
        formula = self.formula
        read: set[str] = set()
        for unit in (formula.unit(place) for layer in formula.layers[number:] for place in layer):
            read |= {self._source(source) for source in unit.sources} | ({f"x{unit.gate}"} if unit.gate >= 0 else set())
        read |= {f"u{place}" for place in formula.outputs}
        made = {f"u{place}" for layer in formula.layers[made_from:] for place in layer}
        known = read - made - {""}
        return sorted(known, key=lambda name: (name[0], int(name[1:])))

    def _source(self, source: int) -> str:
        if source >= len(self.formula.inputs):
            return f"u{source}"
        column = self.formula.inputs[source].column
        return "" if column == ONE else f"i{source}" if self._has_column(source) else f"x{column}"

    def _sum(self, unit: Unit, place: int, batch: int) -> str:
        terms = [self._term(*term) for term in unit.terms[batch * TERMS : (batch + 1) * TERMS]]
        if batch:
            terms.insert(0, f"t{place}")
        return " + ".join(terms or [self.dialect.number(0.0)])

    def _term(self, source: int, weight: float) -> str:
        number, name = self.dialect.number, self._source(source)
        if not name:
            return number(weight)
        if source >= len(self.formula.inputs):
            return name if weight == 1.0 else f"{number(weight)} * {name}"
        entry = self.formula.inputs[source]
        if self._has_column(source):
            return f"{number(weight)} * {name}"
        return f"{number(weight)} * {self._input(source)}" if entry.level == 0 else self._by_level(entry, weight)

    def _shaped(self, unit: Unit, place: int) -> str:
        number, name = self.dialect.number, f"t{place}"
        half, zero = number(0.5), number(0.0)
        shaped = {
            "linear": name,
            "relu": f"CASE WHEN {name} > {zero} THEN {name} ELSE {zero} END",
            "tanh": f"tanh({name})",
            "sigmoid": f"{half} * tanh({half} * {name}) + {half}",
            "expit": expit(self.dialect, name),
            "square": f"{name} * {name}",
            "exp": self._exp(name),
            "sin": f"sin({name})",
            "cos": f"cos({name})",
            "smooth_clip": self._smooth_clip(name),
            "curve": self._along(unit, name),
            "bells": f"v{place}",
        }[unit.shape]
        if unit.times >= 0:
            shaped = f"({shaped}) * {self._factor(unit.times)}"
        if unit.divisor != 1.0:
            shaped = f"({shaped}) / {number(unit.divisor)}"
        return f"CASE WHEN x{unit.gate} IS NULL THEN {zero} ELSE {shaped} END" if unit.gate >= 0 else shaped

    def _smooth_clip(self, name: str) -> str:
        number = self.dialect.number
        third = f"({name} / {number(CLIP)})"
        near = f"{name} / sqrt({number(1.0)} + {third} * {third})"
        high = f"WHEN {name} > {number(CLIP_FROM)} THEN {number(CLIP)}"
        low = f"WHEN {name} < {number(-CLIP_FROM)} THEN {number(-CLIP)}"
        return f"CASE {high} {low} ELSE {near} END"

    def _factor(self, source: int) -> str:
        is_unit = source >= len(self.formula.inputs) or self._has_column(source)
        return self._source(source) if is_unit else self._input(source)

    def _exp(self, name: str) -> str:
        if not self.dialect.exp_is_guarded:
            return f"exp({name})"
        return f"CASE WHEN {name} < -{FARTHEST} THEN {self.dialect.number(0.0)} ELSE exp({name}) END"

    def _along(self, unit: Unit, name: str) -> str:
        """A curve: the piece of the last cut that is not above."""
        number, cases = self.dialect.number, []
        for piece in reversed(unit.curve):
            gap, terms = f"({name} - {number(piece.origin)})", []
            for degree, weight in enumerate(piece.numbers):
                powers = " * ".join([gap] * degree)
                terms.append(f"{number(weight)} * ({powers})" if degree else number(weight))
            total = " + ".join(terms)
            cases.append(
                f"WHEN {name} >= {number(piece.cut)} THEN {total}" if piece.cut > -math.inf else f"ELSE {total}"
            )
        return f"CASE {' '.join(cases)} END" if cases else name

    # ---------------------------------------------------------------- answers
    def answers(self) -> list[str]:
        """What is told: the scores, the class and the probabilities; or the number."""
        formula = self.formula
        if formula.labels is None:
            return [f"u{formula.outputs[0]} AS prediction"]
        scores = [f"s{i}" for i in range(len(formula.outputs))]
        named = zip(formula.outputs, scores, strict=True)
        self.numbered_step("scores", [*self.kept, *(f"u{place} AS {score}" for place, score in named)])
        if formula.link == "bayes":
            self._add_alike(scores)
        shares = [f"p{i}" for i in range(formula.n_answers)]
        told = zip(self._linked(scores), shares, strict=True)
        self.numbered_step("answers", [*self.kept, *scores, *(f"{answer} AS {share}" for answer, share in told)])
        label = self._label(scores, shares)
        if formula.correction is not None:
            carried = [*self.kept, *scores, "told"]
            self.numbered_step("told", [*self.kept, *scores, f"{label} AS told", *shares])
            made = zip(corrected(self, formula.correction, carried, shares), shares, strict=True)
            self.numbered_step("corrected", [*carried, *(f"{answer} AS {share}" for answer, share in made)])
            label = "told"
        names = ["score"] if len(scores) == 1 else [f"score of {label}" for label in formula.labels]
        return [
            *(f"{score} AS {self.dialect.identifier(name)}" for score, name in zip(scores, names, strict=True)),
            f"{label} AS prediction",
            *(f"{share} AS {self.probability(label)}" for share, label in zip(shares, formula.labels, strict=True)),
        ]

    def _add_alike(self, scores: list[str]) -> None:
        """Naive Bayes: logarithms next to the highest count as it."""
        self.numbered_step("highest", [*self.kept, *scores, f"{largest(scores, scores)} AS highest"])
        least = f"highest - {self.dialect.number(ALIKE)} * abs(highest)"
        alike = [f"CASE WHEN {score} >= {least} THEN highest ELSE {score} END AS {score}" for score in scores]
        self.numbered_step("scores", [*self.kept, *alike])

    def _linked(self, scores: list[str]) -> list[str]:
        """The probabilities, in steps of their own where a link needs them."""
        link, dialect, carried = self.formula.link, self.dialect, [*self.kept, *scores]
        if link in ("logistic", "logistic_pair"):
            second = expit(dialect, scores[0])
            self.numbered_step("opposite", [*carried, f"-{scores[0]} AS opposite"])
            pair = link == "logistic_pair"
            return [expit(dialect, "opposite") if pair else f"{dialect.number(1.0)} - ({second})", second]
        if link == "expit_shares":
            exact_powers(self, carried, [f"-{score}" for score in scores])
            one = dialect.number(1.0)
            return self._shares(carried, [f"{one} / ({one} + e{i})" for i in range(len(scores))])
        return softmax(self, carried, scores)

    def _shares(self, carried: list[str], numbers: list[str]) -> list[str]:
        names = [f"q{i}" for i in range(len(numbers))]
        named = [f"{number} AS {name}" for number, name in zip(numbers, names, strict=True)]
        self.numbered_step("parts", [*carried, *named])
        self.numbered_step("parts", [*carried, *names, f"{' + '.join(names)} AS whole_of_parts"])
        zero, equal = self.dialect.number(0.0), self.dialect.number(1.0 / len(names))
        return [f"CASE WHEN whole_of_parts > {zero} THEN {name} / whole_of_parts ELSE {equal} END" for name in names]

    def _label(self, scores: list[str], shares: list[str]) -> str:
        labels = [self.dialect.literal(label) for label in self.formula.labels or ()]
        if self.formula.label_by == "sign":
            return f"CASE WHEN {scores[0]} > 0 THEN {labels[1]} ELSE {labels[0]} END"
        return largest(scores if self.formula.label_by == "sums" else shares, labels)
