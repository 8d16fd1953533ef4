"""A real PostgreSQL server in a temporary folder, wherever its programs are found; it listens to a socket only."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_FOLDERS = [*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True), Path("/usr/local/bin")]
INITDB = shutil.which("initdb") or next((str(f / "initdb") for f in _FOLDERS if (f / "initdb").exists()), None)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Without a server there is nothing to run; `make test` says so."""
    return True if INITDB is None and collection_path.name.startswith("test_") else None


def _owner() -> str | None:
    """A server refuses to run as root."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a server with an empty database."""
    assert INITDB is not None
    owner, programs = _owner(), Path(INITDB).parent
    with tempfile.TemporaryDirectory(prefix="tw-pg-") as folder:  # a short name, since that of a socket must be
        if owner is not None:
            shutil.chown(folder, owner)
        data = f"{folder}/data"

        def run(*command: str) -> None:
            subprocess.run(command, check=True, user=owner, cwd=folder, stdout=subprocess.DEVNULL)

        run(INITDB, "-D", data, "-U", "tester", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        run(
            f"{programs}/pg_ctl",
            "-D",
            data,
            "-w",
            "-o",
            f"-k {folder} -c listen_addresses=''",
            "-l",
            f"{folder}/log",
            "start",
        )
        try:
            yield f"postgresql://tester@/postgres?host={folder}"
        finally:
            run(f"{programs}/pg_ctl", "-D", data, "-m", "immediate", "stop")
