"""Models behind HTTP: `treewright serve`. Needs the extra `serve` (Starlette, uvicorn)."""
