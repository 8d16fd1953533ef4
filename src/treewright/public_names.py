"""The stub of the package for editors and type checkers, written from its table of public names.

`python -m treewright.public_names` writes it; a test tells when it is stale.
"""

from __future__ import annotations

from pathlib import Path

import treewright

STUB = Path(__file__).with_name("__init__.pyi")


def stub_text() -> str:
    """Give what `__init__.pyi` has to hold.

    Examples
    --------
    >>> "from treewright.table.reading.read import read as read" in stub_text()
    True
    """
    lines = ["from treewright import datasets as datasets"]
    for name, home in sorted(treewright._HOME.items()):
        if name != "datasets":
            lines.append(f"from {home} import {name} as {name}")
    listed = "\n".join(f'    "{name}",' for name in treewright.__all__)
    return "\n".join([*sorted(lines), "", "__version__: str", "_HOME: dict[str, str]", f"__all__ = [\n{listed}\n]", ""])


if __name__ == "__main__":
    STUB.write_text(stub_text(), encoding="utf-8")
