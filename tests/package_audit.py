"""What is shipped, looked through: python tests/package_audit.py dist/*.whl dist/*.tar.gz

Only files that belong there, no path or name of the machine that built it, nothing that looks like a key; a compiled
module that loads nothing from a folder of its own, whose tables of addresses cannot be written and whose stack is no
code. Needs nothing but Python, and `readelf` for modules of Linux.
"""

from __future__ import annotations

import getpass
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

IN_A_WHEEL = re.compile(
    r"treewright/.*\.(py|pyi|so|pyd|c|R|html|css|js|csv|arff|json|txt|typed|md|gz|parquet)$|treewright/py\.typed$"
    r"|treewright-[^/]*\.dist-info/.*$"
)
STRAY = re.compile(
    r"(^|/)(__pycache__|\.git|\.venv|build|dist|node_modules|\.env|\.DS_Store|\.ccache)(/|$)|\.(pyc|part|log|orig)$"
)
KEYS = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----|AKIA[0-9A-Z]{16}|ghp_[A-Za-z0-9]{36}|xox[bp]-[0-9A-Za-z-]{20}")


def files_of(package: Path) -> Iterator[tuple[str, bytes]]:
    """The files of a wheel, or of an archive of sources without its first folder."""
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as archive:
            yield from ((name, archive.read(name)) for name in archive.namelist() if not name.endswith("/"))
        return
    with tarfile.open(package) as archive:
        for member in archive:
            if member.issym() or member.islnk():
                yield member.name.partition("/")[2], b"\0a link\0"
            elif member.isfile():
                file = archive.extractfile(member)
                yield member.name.partition("/")[2], b"" if file is None else file.read()


def machine_words() -> list[bytes]:
    """What only this machine says: where the sources and the home of the builder are."""
    here, home = str(Path(__file__).resolve().parents[1]), str(Path.home())
    words = [here, *([home] if len(home) > len("/root") else []), f"/home/{getpass.getuser()}/"]
    return [word.encode() for word in words]


def problems_of(package: Path) -> list[str]:
    """What is wrong with a package, a sentence each."""
    found: list[str] = []
    words = machine_words()
    for name, data in files_of(package):
        if STRAY.search(name) or (package.suffix == ".whl" and not IN_A_WHEEL.match(name)):
            found.append(f"{name} does not belong into {package.name}")
        if name.startswith("/") or ".." in name.split("/") or data == b"\0a link\0":
            found.append(f"{name} leads out of {package.name}")
        if KEYS.search(data):
            found.append(f"{name} holds what looks like a key")
        found += [f"{name} names a folder of this machine: {w.decode()}" for w in words if w in data]
        if name.endswith(".so") and data.startswith(b"\x7fELF"):
            found += [f"{name} {problem}" for problem in module_problems(data)]
    return found


def module_problems(data: bytes) -> list[str]:
    """What is wrong with a compiled module of Linux."""
    with tempfile.NamedTemporaryFile(suffix=".so") as file:
        file.write(data)
        file.flush()
        told = subprocess.run(["readelf", "-Wld", file.name], capture_output=True, text=True, check=True).stdout
    found = []
    if re.search(r"\((RPATH|RUNPATH)\)", told):
        found.append("looks for libraries in a folder of its own (RPATH)")
    if "GNU_RELRO" not in told or not re.search(r"BIND_NOW|Flags:.*NOW", told):
        found.append("leaves its table of addresses open to be written (no full RELRO)")
    stack = re.search(r"GNU_STACK.*", told)
    if stack is None or re.search(r"\bRWE\b", stack[0]):
        found.append("has a stack that may be run as code")
    return found


if __name__ == "__main__":
    packages = [Path(name) for name in sys.argv[1:]]
    wrong = [problem for package in packages for problem in problems_of(package)]
    sys.exit("\n".join(wrong) if wrong or not packages else print(f"{len(packages)} packages: nothing found"))
