"""The way out: a table, a model or rules to stdout or, whole or not at all, to a file."""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treewright.errors import nearest

if TYPE_CHECKING:
    import pandas as pd

    from treewright.inspection.rules import Rules


# The way out: a table or a model to stdout or, whole or not at all, to a file.


TABLE_ENDINGS = (".csv", ".parquet", ".jsonl")


def check_destination(out: str | None, endings: tuple[str, ...] = (), option: str = "--out") -> None:
    """Refuse a file that could not be written in the end, before the work begins."""
    if out is None or out == "-":
        return
    path = Path(out)
    if endings and path.suffix.lower() not in endings:
        raise click.UsageError(f"{option} {out}: the name must end with {', '.join(endings)}, which tells the format.")
    if path.is_dir():
        raise click.UsageError(f"{option} {out} is a folder. Name a file.")
    if not path.absolute().parent.is_dir():
        raise click.UsageError(f"{option} {out}: there is no folder '{path.parent}'. Make it first.")


def write_table(frame: pd.DataFrame, out: str | None) -> None:
    """Write rows as CSV to stdout, or to a file in the format of its ending."""
    if out is None or out == "-":
        frame.to_csv(sys.stdout, index=False, lineterminator="\n")
        return
    target = Path(out)
    replace_whole(target, lambda draft: _write_format(frame, draft, target.suffix.lower()))


def write_columns(columns: dict[str, Any], out: str | None) -> None:
    """Write columns by their names as `write_table` does; lists of plain values need no pandas to become CSV."""
    is_text = out is None or out == "-" or out.lower().endswith(".csv")
    if not is_text or not all(isinstance(cells, list) for cells in columns.values()):
        import pandas as pd

        write_table(pd.DataFrame(columns), out)
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    write_page(text.getvalue(), out)


def write_page(text: str, out: str | None) -> None:
    """Write a text to stdout or, whole or not at all, to a file."""
    if out is None or out == "-":
        click.echo(text, nl=False)
    else:
        replace_whole(out, lambda draft: draft.write_text(text, encoding="utf-8"))


def save_result(result: Any, out: str) -> None:
    """Save what has a picture and a table as the one or the other, as the ending of the file says."""
    from treewright.plot.style import PICTURE_ENDINGS

    if out.lower().endswith(PICTURE_ENDINGS):
        replace_whole(out, lambda draft: result.plot(draft))
    else:
        write_table(result.to_frame(), out)


def replace_whole(out: str | Path, write: Callable[[Path], object]) -> None:
    """Let a draft be written, and put it in the place of the file."""
    target = Path(out)
    # A neighbour, then a rename: whoever looks sees the old file or the new one, never half of it.
    handle, name = tempfile.mkstemp(dir=target.absolute().parent, prefix=f".{target.name}.", suffix=target.suffix)
    os.close(handle)
    draft = Path(name)
    try:
        write(draft)
        draft.chmod(_usual_mode())
        draft.replace(target)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT) and error.filename is None:
            error.filename = str(out)  # a full disk does not say what it has no room for
        raise
    finally:
        draft.unlink(missing_ok=True)


def _write_format(frame: pd.DataFrame, path: Path, ending: str) -> None:
    if ending == ".csv":
        frame.to_csv(path, index=False, lineterminator="\n")
    elif ending == ".jsonl":
        frame.to_json(path, orient="records", lines=True, force_ascii=False)
    else:
        import duckdb

        with duckdb.connect() as database:
            database.register("answers", frame)
            database.execute("COPY answers TO $path (FORMAT parquet)", {"path": str(path)})


def _usual_mode() -> int:
    """Give the permissions a new file would have; a draft is made readable by its owner only."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def save_model(model: Any, out: str) -> None:
    """Save a model to a file, or its bytes to stdout."""
    from treewright.save.persist import save

    if out != "-":
        save(model, out)
        return
    with tempfile.TemporaryDirectory() as folder:
        spool = Path(folder) / "model.tw"
        save(model, spool)
        sys.stdout.buffer.write(spool.read_bytes())
        sys.stdout.buffer.flush()


def leave_stdout_to_model(out: str | None) -> contextlib.AbstractContextManager[Any]:
    """Send the report to stderr where `--out -` gives stdout to the bytes of the model."""
    return contextlib.redirect_stdout(sys.stderr) if out == "-" else contextlib.nullcontext()


# The way out for rules: lines to stdout, or a file in the format of its ending.


RULE_ENDINGS = (".txt", ".md", ".html", ".csv", ".xlsx")


def check_rules_options(rules: bool, sort: str | None, out: str | None) -> None:
    """Refuse options that need --rules, and what they cannot do."""
    from treewright.inspection.rules import ORDERS

    if not rules and (sort is not None or out is not None):
        raise click.UsageError(f"{'--sort' if sort is not None else '--out'} is for rules. Add --rules.")
    if sort is not None and sort not in ORDERS:
        raise click.UsageError(f"--sort {sort}: rules have no such number. {nearest(sort, ORDERS)}")
    check_destination(out, RULE_ENDINGS)


def write_rules(rules: Rules, out: str | None, as_json: bool) -> None:
    """Print the rules, a line each or as JSON, or write them to a file."""
    from treewright.cli.screen import count, note, print_json

    if out is not None and out != "-":
        _write_file(rules, Path(out))
        note(f"{count(len(rules), 'rule')} written to {out}.")
    if as_json:
        print_json({"rules": rules.to_dict()})
    elif out is None or out == "-":
        for line in rules.lines():
            click.echo(line)


def _write_file(rules: Rules, path: Path) -> None:

    ending = path.suffix.lower()
    if ending == ".csv":
        write_table(rules.to_frame(), str(path))
    elif ending == ".xlsx":
        replace_whole(path, rules.to_excel)
    else:
        text = {".md": rules.to_markdown, ".html": rules.to_html}.get(ending, lambda: rules.to_text() + "\n")()
        write_page(text, str(path))
