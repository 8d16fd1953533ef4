"""What a command said, and small tables to give it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


def write_csv(path: Path, columns: dict[str, Any]) -> Path:
    pd.DataFrame(columns).to_csv(path, index=False)
    return path
