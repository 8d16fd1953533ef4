"""`npm ci && npm run build` in `web/` makes the page that the package ships: its lock file leaves nothing out."""

from __future__ import annotations

import json
from pathlib import Path

WEB = Path(__file__).parents[2] / "web"
LOCK = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))["packages"]


def test_the_lock_file_asks_for_what_the_page_asks_for() -> None:
    asked = json.loads((WEB / "package.json").read_text(encoding="utf-8"))
    for part in ("dependencies", "devDependencies"):
        assert LOCK[""][part] == asked[part]


def test_every_package_that_a_locked_one_needs_is_locked_for_every_system() -> None:
    # One written on a single system alone lacks what the bundler needs on others, and `npm ci` refuses it everywhere.
    absent = [
        (package, needed)
        for package, record in LOCK.items()
        for part in ("dependencies", "devDependencies", "optionalDependencies")
        for needed in record.get(part, {})
        if f"node_modules/{needed}" not in LOCK and f"{package}/node_modules/{needed}" not in LOCK
    ]
    assert absent == []


def test_every_locked_package_has_its_checksum_and_no_host() -> None:
    for package, record in LOCK.items():
        assert "resolved" not in record, package
        assert not package or record["integrity"].startswith("sha512-"), package
