"""Where `treewright` starts: find the verb, run it, turn what went wrong into a sentence and an exit code.

Only click is imported here, and a verb imports what it needs when it runs, so that `--help` answers at once.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
import traceback
from collections.abc import Sequence

import click

from treewright.cli.exit_codes import INTERRUPTED, UNEXPECTED, WRONG_USAGE, QualityGateError, code_of
from treewright.cli.meant_options import meant
from treewright.cli.option_words import in_options
from treewright.cli.screen import warnings_as_notes
from treewright.errors import TreewrightError, nearest
from treewright.wording import command_line_words

# In the order of the work, as --help lists them. A verb lives in the file of its name, as `command`.
VERBS = (
    "profile",
    "train",
    "show",
    "why",
    "ask",
    "diff",
    "predict",
    "evaluate",
    "roc",
    "importance",
    "shap",
    "surrogate",
    "calibrate",
    "conformal",
    "prune",
    "learners",
    "compare",
    "tune",
    "curve",
    "draw",
    "boundary",
    "report",
    "lesson",
    "export",
    "verify",
    "serve",
    "doctor",
)


class VerbGroup(click.Group):
    """A group that imports a verb only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the verbs in the order of the work."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the file of the verb and give its command."""
        if cmd_name not in VERBS:
            return None
        command = importlib.import_module(f"treewright.cli.verbs.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Answer an unknown verb with the one that was probably meant."""
        if args and not args[0].startswith("-") and args[0] not in VERBS:
            raise click.UsageError(f"There is no verb '{args[0]}'. {nearest(args[0], VERBS)}", ctx)
        return super().resolve_command(ctx, args)


def _print_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from treewright.cli.screen import installed_version

        click.echo(f"treewright {installed_version('treewright') or '(not installed as a package)'}")
        context.exit()


@click.group(
    cls=VerbGroup,
    subcommand_metavar="VERB …",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Show the version."
)
def command_line() -> None:
    """Decision trees for real tables: from a file to a tree you can trust.

    \b
    treewright train credit.csv --target class --out model.tw
    treewright predict model.tw new.csv --out answers.csv

    Results go to stdout, notes and progress to stderr. DATA is a CSV, TSV, Parquet, JSON lines or ARFF file,
    '-' for stdin, or with --db a table name or query. Every verb takes --json and --debug.

    Exit codes: 0 done, 2 wrong usage, 3 data problem, 4 model-file problem, 5 a quality gate failed, 130 interrupted.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code.

    Examples
    --------
    >>> main(["--version"])
    Traceback (most recent call last):
    ...
    SystemExit: 0
    """
    state = {"debug": False}
    sys.exit(_run(list(sys.argv[1:] if arguments is None else arguments), state))


def _run(arguments: list[str], state: dict[str, bool]) -> int:
    """Run one command; answer with its exit code."""
    _never_fail_on_a_character_the_terminal_lacks()
    if refused := _wrong_level_of_vectors():
        click.echo(f"Error: {refused}", err=True)
        return WRONG_USAGE
    try:
        # Not command_line.main(): click's own handling would turn a closed pipe into exit code 1.
        with (
            command_line_words(),
            warnings_as_notes(),
            command_line.make_context("treewright", arguments, obj=state) as context,
        ):
            command_line.invoke(context)
        sys.stdout.flush()
        return 0
    except click.exceptions.Exit as leave:
        return int(leave.exit_code)
    except click.ClickException as wrong:
        object.__setattr__(wrong, "message", in_options(wrong.message) + meant(wrong))
        wrong.show()
        return WRONG_USAGE
    except BrokenPipeError:
        _forget_stdout()
        return 0
    except (KeyboardInterrupt, click.Abort):
        click.echo("Interrupted. No file was changed.", err=True)
        return INTERRUPTED
    except Exception as error:
        return _report(error, state["debug"])


def _report(error: Exception, debug: bool) -> int:
    """Print an error as a sentence, with the traceback only when asked for."""
    if debug:
        traceback.print_exception(error)
    code = code_of(error)
    if code == UNEXPECTED:
        hint = "" if debug else " Run it again with --debug to see where, and please report it."
        click.echo(f"Unexpected error, a fault of treewright: {type(error).__name__}: {error}.{hint}", err=True)
    elif isinstance(error, QualityGateError):
        click.echo(f"Gate failed: {error}", err=True)
    else:
        click.echo(f"Error: {in_options(_sentence(error))}", err=True)
    return code


def _sentence(error: Exception) -> str:
    """The words of an error; those of the system get the file, if they know it, and the cure."""
    if not isinstance(error, OSError) or error.strerror is None or isinstance(error, TreewrightError):
        return str(error)
    where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    cure = "Make room there, or write to another folder." if full else "Is it the right file, and may you use it?"
    return f"{where}{error.strerror}. {cure}"


def _wrong_level_of_vectors() -> str | None:
    """Say why TREEWRIGHT_VECTORS cannot be followed; the core tells it when it is loaded."""
    if not os.environ.get("TREEWRIGHT_VECTORS"):
        return None
    try:
        importlib.import_module("treewright._core")
    except ImportError as error:
        return str(error) if "TREEWRIGHT_VECTORS" in str(error) else None
    return None


def _never_fail_on_a_character_the_terminal_lacks() -> None:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _forget_stdout() -> None:
    """Point stdout at nothing, or Python would complain about the closed pipe once more while it leaves."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
