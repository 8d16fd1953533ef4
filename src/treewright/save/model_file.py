"""A model on disk: written beside the old file and put in its place in one step, so that one of the two is whole."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from treewright.errors import ModelFileError
from treewright.memory import Block, as_sentence, refuse_beyond_memory
from treewright.save.header import PREFIX_BYTES, read_prefix
from treewright.save.model_bytes import Arrays, from_bytes, to_bytes

_ELSEWHERE = "Load it on a machine with more memory, or train a smaller model."


def write_model(path: str | os.PathLike[str], header: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Save a model; whatever happens on the way, a file that was there before stays whole until the new one is.

    Parameters
    ----------
    path : path
        Where to save. A link is followed; an existing file keeps its permissions.
    header, arrays
        As for `to_bytes`.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_model(Path(folder) / "m.tw", {"kind": "stump"}, {"threshold": np.array([41.5])})
    ...     read_model(Path(folder) / "m.tw")
    ({'kind': 'stump'}, {'threshold': array([41.5])})
    """
    data = to_bytes(header, arrays)
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            _write_through(target, data)
        else:
            _replace(target, data)
    except OSError as problem:
        raise ModelFileError(
            f"The model could not be saved to {os.fspath(path)}: {_reason(problem)}. "
            "Nothing was changed there. Choose another folder, or make room in this one."
        ) from problem


def read_model(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    """Read a model file and check all of it; anything wrong is a ModelFileError that says what to do.

    Examples
    --------
    >>> read_model("no_such_model.tw")
    Traceback (most recent call last):
    treewright.errors.ModelFileError: no_such_model.tw could not be read: No such file or directory. Check the path.
    """
    source = os.fspath(path)
    try:
        with Path(path).open("rb") as file:
            start = file.read(PREFIX_BYTES)
            read_prefix(start, source)  # before the rest is read: a large table is not a model
            refuse_beyond_memory(f"To load {source}", [Block(2, bytes=os.fstat(file.fileno()).st_size)], _ELSEWHERE)
            data = start + file.read()
    except OSError as problem:
        raise ModelFileError(f"{source} could not be read: {_reason(problem)}. Check the path.") from problem
    except MemoryError as problem:
        raise ModelFileError(str(as_sentence(problem, f"Loading {source}"))) from None
    return from_bytes(data, source)


def _replace(target: Path, data: bytes) -> None:
    # In the same folder, because a file can only be put in place of another in one step on the same disk.
    beside = target.with_name(f".treewright-{secrets.token_hex(8)}.part")
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o666)
        with os.fdopen(descriptor, "wb") as file:
            if mode is not None:
                beside.chmod(mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    except BaseException:  # Ctrl-C too: no half file is left behind
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    _settle(target.parent)


def _settle(folder: Path) -> None:
    # The new name is on disk only when the folder is; not every file system can be asked for that.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write_through(target: Path, data: bytes) -> None:
    """Write to a pipe or a device, which cannot be replaced."""
    with target.open("wb") as file:
        file.write(data)


def _reason(problem: OSError) -> str:
    return problem.strerror or str(problem)
