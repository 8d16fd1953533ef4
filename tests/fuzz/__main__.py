"""Try many hostile model files: make fuzz N=200000 SEED=1, or with PYTHONPATH=tests: python -m fuzz 200000 --seed 1.

Every file is made from its number and the seed, is loaded within 0.2 s + 1 µs a byte of processor time and 32 MB + 16
bytes a byte, and is refused by a ModelFileError or answers everything. What goes wrong is counted by kind and kept.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from fuzz.run import run


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("n", type=int, nargs="?", default=200_000, help="how many files")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other files")
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="folder for files that go wrong")
    given = parser.parse_args()
    start = time.monotonic()
    findings = run(given.n, given.seed, given.keep, lambda text: print(text, file=sys.stderr, flush=True))
    print("\n".join(findings.lines()))
    print(f"seed {given.seed}, {time.monotonic() - start:.0f} s; what went wrong is in {given.keep}")
    return 1 if findings.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
