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
_ERRORS = {
    "400": "The body cannot be read.",
    "401": "No token, or another one.",
    "404": "No such model.",
    "413": "The body is too long.",
    "415": "Rows of a kind that is not taken.",
    "422": "The rows are none of this model.",
    "503": "It took too long.",
}


def openapi(shelf: Shelf, version: str) -> dict[str, Any]:
    """Give the document.

    Examples
    --------
    >>> sorted(openapi(Shelf(), "1")["paths"])
    ['/explain', '/health', '/metrics', '/model', '/predict', '/why']
    """
    row = {"anyOf": [_row(one) for one in shelf.models.values()] or [{"type": "object"}]}
    columns = {"type": "object", "additionalProperties": {"type": "array"}}
    body = {
        "oneOf": [
            {"type": "object", "required": [name], "properties": {name: schema}}
            for name, schema in (("row", row), ("rows", {"type": "array", "items": row}), ("columns", columns))
        ]
    }
    which = {"name": "model", "in": "query", "schema": {"enum": [*shelf.models]}}
    paths: dict[str, Any] = {}
    for path, told in _TOLD.items():
        content = {JSON: {"schema": body}, CSV: {"schema": {"type": "string"}}, ARROW: {"schema": {"type": "string"}}}
        errors = {status: {"description": text} for status, text in _ERRORS.items()}
        paths[path] = {
            "post": {
                "summary": told,
                "parameters": [which],
                "requestBody": {"required": True, "content": content},
                "responses": {"200": {"description": "The answers, as the rows came."}, **errors},
            }
        }
    for path, told in (("/model", "Columns, classes and versions."), ("/health", "Whether the server is up."),
                       ("/metrics", "Numbers for Prometheus.")):  # fmt: skip
        paths[path] = {"get": {"summary": told, "responses": {"200": {"description": "Always."}}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "treewright", "version": version},
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
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
