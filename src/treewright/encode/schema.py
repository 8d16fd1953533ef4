"""What the columns of a table are: names, kinds, faces and levels."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

Level = str | int | float | bool
KINDS = ("numeric", "nominal", "ordinal")
FACES = ("number", "text", "boolean", "date", "datetime", "time", "duration")


@dataclass(frozen=True)
class Column:
    name: str
    kind: str
    face: str = "number"
    levels: tuple[Level, ...] = ()

    def show(self, value: float) -> str:
        if self.kind != "numeric":
            return str(self.levels[int(value) - 1])
        if self.face == "date":
            return (datetime.date(1970, 1, 1) + datetime.timedelta(days=value)).isoformat()
        if self.face == "datetime":
            return (datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=value)).isoformat(sep=" ")
        text = repr(float(value))
        return text[:-2] if text.endswith(".0") else text


@dataclass(frozen=True)
class Schema:
    columns: tuple[Column, ...]
    target: str | None = None

    def to_json(self) -> dict[str, Any]:
        columns = [{"name": c.name, "kind": c.kind, "face": c.face, "levels": list(c.levels)} for c in self.columns]
        return {"target": self.target, "columns": columns}

    @classmethod
    def from_json(cls, saved: Any) -> Schema:
        columns = tuple(Column(c["name"], c["kind"], c["face"], tuple(c["levels"])) for c in saved["columns"])
        return cls(columns, saved["target"])
