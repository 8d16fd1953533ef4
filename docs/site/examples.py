"""Examples as the site shows them: sessions are coloured as such, and what only their test needs is left out."""

from __future__ import annotations

import re
from typing import Any

_SESSION = re.compile(r"(?ms)^```python\n(>>> .*?)\n+```$")
_FLAGS = re.compile(r"\s*# doctest: [^\n]*")


def shown(markdown: str) -> str:
    """Give a page without the marks of its tests.

    >>> shown("```python\\n>>> 1 + 1  # doctest: +SKIP\\n2\\n\\n```")
    '```pycon\\n>>> 1 + 1\\n2\\n```'
    """
    return _SESSION.sub(lambda found: f"```pycon\n{_plain(found.group(1))}\n```", markdown)


def _plain(session: str) -> str:
    return _FLAGS.sub("", session).replace("<BLANKLINE>", "")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Is called by MkDocs for every page."""
    return shown(markdown)
