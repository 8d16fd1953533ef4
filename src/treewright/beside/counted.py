"""Numbers of things in words."""

from __future__ import annotations


def counted(number: int, thing: str, things: str | None = None) -> str:
    """Write how many there are.

    Examples
    --------
    >>> counted(1, "class", "classes"), counted(2_000, "weight")
    ('1 class', '2,000 weights')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
