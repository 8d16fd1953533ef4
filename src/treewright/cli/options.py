"""Options that several verbs share, and the forms their values take: settings, pruners, learners."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from treewright.errors import nearest
from treewright.learners.registry import LEARNERS, learners_for, parameters_of

# Options that several verbs share, and the forms their values take.


Command = Callable[..., Any]

TABLE = "treewright.table"  # where --table is remembered until DATA is read
TASKS = ("classification", "regression")
COLUMN_KINDS = ("numeric", "nominal", "ordinal")


def _remember_debug(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        context.find_root().obj["debug"] = True


def every_verb(function: Command) -> Command:
    """Add the two options that every verb has."""
    function = click.option(
        "--debug", is_flag=True, expose_value=False, callback=_remember_debug, help="Show the traceback of an error."
    )(function)
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(function)


def reads_a_table(function: Command) -> Command:
    """Add what says where the rows are: DATA, --db, --missing-value."""
    return click.argument("data", cls=_Data)(says_how_to_read(function))


class _Data(click.Argument):
    """The argument DATA, which may be left out where --table says the same."""

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        table = ctx.meta.get(TABLE)
        if table is None:
            return super().process_value(ctx, value)
        if isinstance(value, str):
            raise click.UsageError(
                f"DATA ('{value}') and --table ('{table}') both say where the rows are. Leave one out."
            )
        return super().process_value(ctx, table)


def says_how_to_read(function: Command) -> Command:
    """Add what says how rows are read: --db, --missing-value, --date-order, --decimal and the like."""
    for option in (
        click.option("--sheet", metavar="NAME", help="The sheet of a workbook, by name or number; else the first."),
        click.option("--encoding", metavar="NAME", help="Of a text file, such as latin-1; left out, its bytes tell."),
        click.option("--delimiter", metavar="LETTER", help="Between cells, such as ';' or tab. Told by the header."),
        click.option("--decimal", type=click.Choice([".", ","]), help="The mark before decimals if cells do not tell."),
        click.option(
            "--date-order", type=click.Choice(["dmy", "mdy", "ymd"]),
            help="The order of day, month and year, where cells do not tell.",
        ),
        click.option(
            "--missing-value", "missing_values", multiple=True, metavar="TEXT",
            help="A text that stands for a missing value, beside the usual ones. May be repeated.",
        ),
        click.option("--db", metavar="FILE_OR_URL", help="Database to read; DATA is then a table name or a query."),
    ):  # fmt: skip
        function = option(function)
    return function


def takes_kinds(function: Command) -> Command:
    """Add --kind column=nominal and --order column=low,medium,high, which is a kind too."""
    function = click.option(
        "--order", multiple=True, metavar="COLUMN=A,B,C", expose_value=False, callback=_add_orders,
        help="The levels of an ordinal column, from low to high. May be repeated.",
    )(function)  # fmt: skip
    return click.option(
        "--kind", "kinds", multiple=True, metavar="COLUMN=KIND", is_eager=True,
        help=f"Fix the kind of a column: {', '.join(COLUMN_KINDS)}. May be repeated.",
    )(function)  # fmt: skip


def _add_orders(context: click.Context, _option: click.Parameter, given: Sequence[str]) -> None:
    """Put orders among the kinds, which are read before (they are eager)."""
    orders = []
    for pair in given:
        column, equals, levels = pair.partition("=")
        order = [level.strip() for level in levels.split(",") if level.strip()]
        if not (column and equals) or len(order) < 2:
            raise click.UsageError(f"--order needs the form column=low,medium,high. Got '{pair}'.")
        orders.append((column, order))
    context.params["kinds"] = (*context.params.get("kinds", ()), *orders)


def takes_settings(function: Command) -> Command:
    """Add --set name=value."""
    return click.option(
        "--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of the method. May be repeated."
    )(function)


def asks_a_model(function: Command) -> Command:
    """Add MODEL and the table that it is asked about."""
    return click.argument("model")(reads_a_table(function))


def judges_a_model(folds: int) -> Callable[[Command], Command]:
    """Add what says how a model is judged by rows not seen: --target, --cv, --unseen, --seed, --out."""

    def decorate(function: Command) -> Command:
        for option in (
            click.option("--out", required=True, metavar="MODEL.tw", help="Where to save the model."),
            click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the folds."),
            click.option("--unseen", is_flag=True, help="MODEL was not trained on the rows of DATA."),
            click.option("--cv", type=click.IntRange(min=2), default=folds, show_default=True, metavar="FOLDS"),
            click.option("--target", metavar="COLUMN", help="The column with the truth, if not named as in training."),
        ):
            function = option(function)
        return function

    return decorate


def learns_from_a_table(function: Command) -> Command:
    """Add what says what is learnt from which rows: DATA, --target, --task, --kind, --ignore and how to read."""
    for option in (
        click.option("--ignore", multiple=True, metavar="COLUMN", help="Leave out a column. May be repeated."),
        takes_kinds,
        click.option("--task", type=click.Choice(TASKS), help="Told by the target if left out."),
        click.option("--target", cls=_Target, required=True, metavar="COLUMN", help="The column to learn."),
    ):
        function = option(function)
    return reads_a_table(function)


class _Target(click.Option):
    """An option whose absence is told with the way to the names of the columns."""

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        try:
            return super().process_value(ctx, value)
        except click.MissingParameter as missing:
            data = ctx.params.get("data") or "DATA"
            raise click.UsageError(
                f"Missing option '--target': the column to learn. treewright profile {data} lists the columns.", ctx
            ) from missing


# What a verb was asked for: the values of its options, those that several verbs have in a class of their own.


@dataclass(frozen=True, kw_only=True)
class TableRequest:
    """Where the rows are, and how they are read."""

    data: str
    db: str | None
    missing_values: Sequence[str]
    date_order: str | None = None
    decimal: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    as_json: bool = False


@dataclass(frozen=True, kw_only=True)
class ModelRequest(TableRequest):
    """A table, and the model that is asked about it."""

    model: str


@dataclass(frozen=True, kw_only=True)
class JudgedRequest(ModelRequest):
    """A model that is judged by rows not seen, and where the model goes that is made of it."""

    target: str | None
    cv: int
    unseen: bool
    seed: int
    out: str

    @property
    def folds_or_prefit(self) -> int | str:
        """What `cv` is in Python."""
        return "prefit" if self.unseen else self.cv

    def note_rows(self) -> None:
        """Say what DATA was taken for."""
        from treewright.cli.screen import note

        if not self.unseen:
            note(
                f"DATA was taken for the rows that MODEL was trained on: {self.cv} copies were fitted without a fold. "
                "If MODEL has not seen them, say --unseen."
            )


@dataclass(frozen=True, kw_only=True)
class LearningRequest(TableRequest):
    """A table to learn from: what is learnt, from which columns, with which settings."""

    target: str
    task: str | None
    kinds: Sequence[Any]
    ignore: Sequence[str]
    settings: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class LearnersRequest(LearningRequest):
    """The same for several learners."""

    algorithms: Sequence[str]
    seed: int


def split_pairs(pairs: Iterable[str], option: str, form: str = "name=value") -> dict[str, str]:
    """Take `name=value` texts apart; `form` is what a message shows of it.

    Examples
    --------
    >>> split_pairs(["max_depth=3", "criterion=gini"], "--set")
    {'max_depth': '3', 'criterion': 'gini'}
    """
    divided = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise click.UsageError(f"{option} needs the form {form}. Got '{pair}'.")
        divided[name] = value
    return divided


def split_kinds(pairs: Iterable[Any]) -> dict[str, Any]:
    """Take `column=kind` texts apart; the last equals sign divides, since a column's name may hold one.

    Examples
    --------
    >>> split_kinds(["zip=nominal", "a=b=ordinal"])
    {'zip': 'nominal', 'a=b': 'ordinal'}
    """
    kinds: dict[str, Any] = {}
    for pair in pairs:
        if isinstance(pair, tuple):  # of --order
            kinds[pair[0]] = pair[1]
            continue
        column, equals, kind = pair.rpartition("=")
        if not (column and equals) or kind not in COLUMN_KINDS:
            raise click.UsageError(
                f"--kind needs the form column=kind, kind one of {', '.join(COLUMN_KINDS)}. Got '{pair}'."
            )
        kinds[column] = kind
    return kinds


# Several learners on the command line: `--algorithms cart,forest --set forest.n_estimators=500`.


def takes_learners(function: Command) -> Command:
    """Add --algorithms and --set algorithm.name=value."""
    function = click.option(
        "--set", "settings", multiple=True, metavar="ALGORITHM.NAME=VALUE",
        help="A parameter of one of them, such as forest.n_estimators=500. May be repeated.",
    )(function)  # fmt: skip
    return click.option(
        "--algorithms", "--algorithm", "algorithms", multiple=True, metavar="NAME,…",  # `train` takes one by the latter
        help=f"Which learners: {', '.join(LEARNERS)}. May be repeated.",
    )(function)  # fmt: skip


def check_learners(names: Sequence[str]) -> None:
    """Refuse a name that does not exist, before anything is read."""

    known = [*LEARNERS, "baseline"]
    for name in _split(names):
        if name not in known:
            raise click.UsageError(f"--algorithms {name}: there is no such algorithm. {nearest(name, known)}")


def read_learners(names: Sequence[str], settings: Sequence[str], task: str, seed: int) -> list[tuple[str, Any]]:
    """Make the learners that were named, or all for the task, with their settings.

    Examples
    --------
    >>> read_learners(["cart,forest"], ["forest.n_estimators=7"], "regression", seed=0)[1]
    ('forest', RandomForestRegressor(n_estimators=7, random_state=0))
    """
    from treewright.model_selection.task import named_estimator

    wanted = _split(names) or learners_for(task)
    by_learner = _settings_by_learner(settings, wanted)
    learners = []
    for name in dict.fromkeys(wanted):
        plain = named_estimator(name, task, seed)
        given = _parse(name, plain, by_learner.get(name, []), task)
        learners.append((name, named_estimator(name, task, seed, **given)))
    return learners


@contextmanager
def usage_errors() -> Iterator[None]:
    """A name that does not exist, or a value that a parameter cannot take, is wrong usage and no fault of the table."""
    from treewright.errors import DataError

    try:
        yield
    except DataError as error:
        raise click.UsageError(str(error)) from error


def _split(names: Sequence[str]) -> list[str]:
    return [name.strip() for part in names for name in part.split(",") if name.strip()]


def _settings_by_learner(settings: Sequence[str], wanted: Sequence[str]) -> dict[str, list[str]]:

    found: dict[str, list[str]] = {}
    for key, value in split_pairs(settings, "--set").items():
        learner, dot, name = key.partition(".")
        if not dot:
            raise click.UsageError(f"--set {key}: say of which learner, for instance --set {wanted[0]}.{key}={value}.")
        if learner not in wanted:
            raise click.UsageError(f"--set {key}: '{learner}' takes no part. {nearest(learner, wanted)}")
        found.setdefault(learner, []).append(f"{name}={value}")
    return found


def _parse(name: str, estimator: Any, settings: Sequence[str], task: str) -> dict[str, Any]:
    from treewright.cli.settings import parse_settings, read_learners_in, read_pruner, wrong_settings

    parsed = parse_settings(settings, parameters_of(type(estimator)), f"{type(estimator).__name__} ({name})")
    if "prune" in parsed:
        parsed["prune"] = read_pruner(parsed["prune"])
    parsed = read_learners_in(parsed, task)
    with wrong_settings():
        estimator.set_params(**parsed)._validate_params()
    return parsed


def takes_out(command: Any) -> Any:
    """Let a verb take the file that it writes as OUT, or by --out as the other verbs do."""

    def either(context: click.Context, argument: click.Parameter, value: str | None) -> str:
        found = value or context.meta.get("out")
        if found is None:
            raise click.MissingParameter(ctx=context, param=argument)
        return str(found)

    def keep(context: click.Context, _option: click.Parameter, value: str | None) -> None:
        context.meta["out"] = value

    option = click.option("--out", "_out", hidden=True, is_eager=True, expose_value=False, callback=keep)
    return click.argument("out", metavar="OUT", required=False, callback=either)(option(command))
