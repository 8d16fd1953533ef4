"""The description of the server that programs read: OpenAPI 3.1, written from the models."""

from __future__ import annotations

from typing import Any

from treewright.serve.request_rows import ARROW, CSV, JSON
from treewright.serve.shelf import ServedModel, Shelf

_TOLD = {
    "/predict": "Answer rows. ?probabilities=true adds the probability of each class.",
    "/why": "Explain the answer to one row in words.",
    "/explain": "SHAP values: what each column adds to the expected answer.",
}
_PROBABILITIES = {"name": "probabilities", "in": "query", "schema": {"type": "boolean", "default": False}}
_SAID = {
    "/predict": "The answers, as the rows came: JSON, CSV or Arrow.",
    "/why": "The reasons, and a sentence of them.",
    "/explain": "A number for each column of each row.",
}
_ERRORS = {
    "400": "The body cannot be read.",
    "401": "No token, or another one.",
    "404": "No such model.",
    "408": "The body did not come in time.",
    "413": "The body is too long.",
    "415": "Rows of a kind that is not taken.",
    "422": "The rows are none of this model.",
    "503": "It took too long.",
}


def openapi(shelf: Shelf, version: str, wants_token: bool = False) -> dict[str, Any]:
    """Give the document; `wants_token` says whether requests have to bring one.

    Examples
    --------
    >>> sorted(openapi(Shelf(), "1")["paths"])
    ['/explain', '/health', '/metrics', '/model', '/predict', '/why']
    """
    row = {"anyOf": [*(_row(one) for one in shelf.models.values()), {"type": "array"}]}
    columns = {"type": "object", "additionalProperties": {"type": "array"}}
    body = {
        "oneOf": [
            {"type": "object", "required": [name], "properties": {name: schema}}
            for name, schema in (("row", row), ("rows", {"type": "array", "items": row}), ("columns", columns))
        ]
    }
    which = {"name": "model", "in": "query", "schema": {"enum": [*shelf.models]}, "required": len(shelf.models) > 1}
    paths = {path: {"post": _question(path, body, which)} for path in _TOLD}
    for path, told in (("/model", "Columns, classes and versions."), ("/health", "Whether the server is up."),
                       ("/metrics", "Numbers for Prometheus.")):  # fmt: skip
        paths[path] = {"get": {"summary": told, "responses": {"200": {"description": "Always."}}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "treewright", "version": version},
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}] if wants_token else [],
    }


def _question(path: str, body: dict[str, Any], which: dict[str, Any]) -> dict[str, Any]:
    """One of the paths that take rows."""
    content = {JSON: {"schema": body}, CSV: {"schema": {"type": "string"}}, ARROW: {"schema": {"type": "string"}}}
    refusal = {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}}
    refused = {JSON: {"schema": refusal}}
    said: dict[str, Any] = {kind: {} for kind in ((JSON, CSV, ARROW) if path == "/predict" else (JSON,))}
    errors = {status: {"description": text, "content": refused} for status, text in _ERRORS.items()}
    return {
        "summary": _TOLD[path],
        "parameters": [which, _PROBABILITIES] if path == "/predict" else [which],
        "requestBody": {"required": True, "content": content},
        "responses": {"200": {"description": _SAID[path], "content": said}, **errors},
    }


def _row(served: ServedModel) -> dict[str, Any]:
    """A row by name; a value that is left out or null is missing."""
    properties: dict[str, Any] = {}
    for column in served.schema.columns:
        if column.kind == "numeric":
            kind = "number" if column.value_type == "number" else "string"
            properties[column.name] = {"type": [kind, "null"]}
        else:
            properties[column.name] = {"enum": [*column.levels, None]}
    return {"title": served.name, "type": "object", "properties": properties}
