"""Files of other libraries: their bytes, and the sentence for what is in them and cannot be taken."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

from treewright.errors import ModelFileError
from treewright.memory import Block, refuse_beyond_memory
from treewright.save.model_file import path_text

_BYTES_A_BYTE = 20  # texts and numbers of Python for each byte of a file
_ELSEWHERE = "Read it on a machine with more memory."


def source_of(path: str | os.PathLike[str]) -> str:
    """What messages call a file.

    >>> source_of(Path("m.txt"))
    'm.txt'
    """
    return path_text(path)


def file_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read a file whole, if there is memory for what is made of it; ModelFileError where it cannot be read.

    >>> file_bytes("no_such_model.txt")
    Traceback (most recent call last):
    treewright.errors.ModelFileError: no_such_model.txt could not be read: No such file or directory. Check the path.
    """
    source = source_of(path)
    try:
        with Path(source).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            refuse_beyond_memory(f"To read {source}", [Block(_BYTES_A_BYTE, bytes=size)], _ELSEWHERE)
            return file.read()
    except OSError as problem:
        raise ModelFileError(f"{source} could not be read: {problem.strerror}. Check the path.") from problem


def refuse(source: str, why: str, cure: str) -> NoReturn:
    """Say that a whole model cannot be taken.

    >>> refuse("m.txt", "it was trained on a Tuesday", "Train it on another day.")
    Traceback (most recent call last):
    treewright.errors.ModelFileError: m.txt cannot be brought in: it was trained on a Tuesday. Train it on another day.
    """
    raise ModelFileError(f"{source} cannot be brought in: {why}. {cure}")
