"""Which version of a package is installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def installed_version(package: str) -> str | None:
    """Give the version of an installed package, None if it is not installed.

    Examples
    --------
    >>> installed_version("no-such-package") is None
    True
    """
    try:
        return version(package)
    except PackageNotFoundError:
        return None
