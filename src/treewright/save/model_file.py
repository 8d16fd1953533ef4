"""A model on disk: written beside the old file and put in its place in one step, so that one of the two is whole."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from numpy.typing import NDArray

from treewright.errors import ModelFileError
from treewright.memory import Block, as_sentence, refuse_beyond_memory
from treewright.save.header import PREFIX_BYTES, read_prefix
from treewright.save.model_bytes import Arrays, from_bytes, to_bytes
from treewright.save.model_json import from_json, is_model_json

_ELSEWHERE = "Load it on a machine with more memory, or train a smaller model."
_COPIES_OF_JSON = 18  # the text, its numbers as objects, and the bytes of the model file that it becomes
_A_PART = 4 * 2**20  # bytes read at once
_PART_START, _PART_END = ".treewright-", ".part"
_TRIES, _PAUSE = 20, 0.002  # to lock a folder; seconds


def write_model(path: str | os.PathLike[str], header: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Save a model; whatever happens on the way, a file that was there before stays whole until the new one is.

    Parameters
    ----------
    path : path
        Where to save. A link is followed and stays a link; an existing file keeps its permissions.
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
    name = path_text(path)
    target = Path(os.path.realpath(name))
    try:
        if target.is_symlink():  # which has no end, so there is no file to replace
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if target.exists() and not target.is_file():
            _write_through(target, data)
        else:
            _replace(target, data)
    except OSError as problem:
        raise ModelFileError(
            f"The model could not be saved to {name}: {_reason(problem)}. "
            "Nothing was changed there. Choose another folder, or make room in this one."
        ) from problem


def beginning_of(path: str | os.PathLike[str], n_bytes: int) -> bytes:
    """The first bytes of a plain file; none of what is no plain file, or cannot be read: `read_model` says why.

    >>> beginning_of("no_such_model.tw", 8)
    b''
    """
    with contextlib.suppress(OSError, ValueError):
        file = Path(path_text(path))
        if file.is_file():
            with file.open("rb") as opened:
                return opened.read(n_bytes)
    return b""


def read_model(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    """Read a model file and check all of it; anything wrong is a ModelFileError that says what to do.

    Examples
    --------
    >>> read_model("no_such_model.tw")
    Traceback (most recent call last):
    treewright.errors.ModelFileError: no_such_model.tw could not be read: No such file or directory. Check the path.
    """
    source = path_text(path)
    try:
        with Path(source).open("rb") as file:
            start = file.read(PREFIX_BYTES)
            as_json = is_model_json(start)
            if not as_json:
                read_prefix(start, source)  # before the rest is read: a large table is not a model
            size = os.fstat(file.fileno()).st_size
            copies = _COPIES_OF_JSON if as_json else 2
            refuse_beyond_memory(f"To load {source}", [Block(copies, bytes=size)], _ELSEWHERE)
            data: bytes | bytearray = _whole(file, start)
            if as_json:
                data = from_json(data, source)
    except OSError as problem:
        raise ModelFileError(f"{source} could not be read: {_reason(problem)}. Check the path.") from problem
    except MemoryError as problem:
        raise ModelFileError(str(as_sentence(problem, f"Loading {source}"))) from None
    return from_bytes(data, source)


def path_text(path: str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> str:
    """Give a path as text, also one that is given as bytes; what can be the name of no file is refused.

    >>> path_text(b"credit.tw")
    'credit.tw'
    >>> path_text("a\\0b")
    Traceback (most recent call last):
    treewright.errors.ModelFileError: 'a\\x00b' is no path: it holds a zero byte. Check the path.
    """
    try:
        text = os.fsdecode(path)
    except TypeError as problem:
        raise ModelFileError(
            f"A model file is named by a path: a text, bytes or a Path. Got {type(path).__name__} instead."
        ) from problem
    if "\0" in text:
        raise ModelFileError(f"{text!r} is no path: it holds a zero byte. Check the path.")
    return text


def _whole(file: BinaryIO, start: bytes) -> bytearray:
    """The bytes of a file whose first ones have been read, without a second copy of them all."""
    data = bytearray(start)
    while part := file.read(_A_PART):
        data += part
    return data


def _replace(target: Path, data: bytes) -> None:
    # In the same folder, because a file can only be put in place of another in one step on the same disk.
    beside = target.with_name(f"{_PART_START}{secrets.token_hex(8)}{_PART_END}")
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    try:
        with open_part(beside) as file:
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


# A process that is killed leaves its part behind. It held a lock on it, which the kernel has let go.


def open_part(path: Path) -> BinaryIO:
    """Open a new part, locked, and clear those beside it that no living process writes.

    Whoever makes a part or looks for old ones holds a lock on the folder meanwhile, so that no part is found between
    its making and its locking. Where files have no locks, nothing is cleared.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    with _locked_folder(path.parent) as is_locked:
        if is_locked:
            clear_parts(path.parent)
        file = os.fdopen(os.open(path, flags, 0o666), "wb")
        _lock(file.fileno())
    return file


def clear_parts(folder: Path) -> None:
    """Remove the parts in a folder that no living process holds."""
    for part in folder.glob(f"{_PART_START}*{_PART_END}"):
        with contextlib.suppress(OSError), part.open("rb") as file:
            if _lock(file.fileno()):
                part.unlink()


@contextlib.contextmanager
def _locked_folder(folder: Path) -> Iterator[bool]:
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        yield False
        return
    try:
        # The others need the folder for microseconds. One that a program of another kind holds is not waited for.
        yield any(_lock(descriptor) for _ in _waiting())
    finally:
        os.close(descriptor)


def _waiting() -> Iterator[None]:
    for _ in range(_TRIES):
        yield
        time.sleep(_PAUSE)


def _lock(descriptor: int) -> bool:
    """Lock a file until it is closed, or its process ends; False where another process holds it, or nobody can."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


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
