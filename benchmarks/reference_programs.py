"""The programs that classic trees come from: Weka and R's rpart and partykit, run where they are installed.

They read the table from a file and say themselves how many seconds the tree took, so starting them and reading the
file are not part of it. R tells CPU seconds; Weka tells seconds on the clock, of a program with one busy thread.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd

from benchmarks.contestants import Contestant
from benchmarks.data import Table

WEKA_JAR = Path("/usr/share/java/weka.jar")  # where Debian's package puts it


class ReferenceProgram(Contestant):
    """A program beside Python: `fit` runs it and keeps the seconds that it told."""

    told_seconds: float | None = None

    def fit(self, X: Table, y: np.ndarray) -> None:
        if len(y) < 1000:  # a warm-up warms nothing that runs on its own
            return
        frame = pd.DataFrame(X).astype({c: str for c in pd.DataFrame(X).select_dtypes("category")})
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "table.csv"
            frame.assign(the_class=np.char.add("class", y.astype(str))).to_csv(table, index=False)
            output = subprocess.run(self.command(table), capture_output=True, text=True, cwd=folder)
        found = re.search(r"seconds: ([0-9.]+)|build model.*: ([0-9.]+) seconds", output.stdout)
        if found is None:
            raise RuntimeError((output.stderr or output.stdout).strip().splitlines()[-1])
        self.told_seconds = float(found.group(1) or found.group(2))

    def command(self, table: Path) -> list[str]:
        """Give the command that grows the tree from this table."""
        raise NotImplementedError


class WekaJ48(ReferenceProgram):
    title, package = "Weka J48", "weka"
    compared_with = "treewright C4.5"

    def command(self, table: Path) -> list[str]:
        _need(WEKA_JAR.exists(), "weka")
        arff = table.with_suffix(".arff")
        _write_arff(pd.read_csv(table), arff)
        options = ["-t", str(arff), "-no-cv"]
        return ["java", "-Xmx4g", "-cp", str(WEKA_JAR), "weka.classifiers.trees.J48", *options]


class RProgram(ReferenceProgram):
    call: ClassVar[str]
    library: ClassVar[str]

    def command(self, table: Path) -> list[str]:
        _need(shutil.which("Rscript") is not None, "r-base-core")
        script = (
            f"suppressMessages(library({self.library}));"
            f'd <- read.csv("{table}", stringsAsFactors=TRUE, na.strings="");'
            f"best <- Inf; for (i in 1:3) {{ t <- system.time({self.call}); best <- min(best, t[1] + t[2]) }};"
            'cat("seconds:", best, "\\n")'
        )
        return ["Rscript", "-e", script]


class Rpart(RProgram):
    title, package, library = "rpart", "r-cran-rpart", "rpart"
    compared_with = "treewright, as rpart"
    call = (
        'rpart(the_class ~ ., d, method="class", '
        "control=rpart.control(cp=0, minsplit=2, minbucket=1, maxsurrogate=0, maxcompete=0, xval=0, usesurrogate=0))"
    )


class PartykitCtree(RProgram):
    title, package, library = "partykit ctree", "r-cran-partykit", "partykit"
    compared_with = "treewright ctree"
    call = "ctree(the_class ~ ., d)"


def _need(is_there: bool, package: str) -> None:
    if not is_there:
        raise RuntimeError(f"not installed (Debian's package {package})")


def _write_arff(frame: pd.DataFrame, path: Path) -> None:
    """Weka guesses kinds from a CSV by its first rows; ARFF leaves nothing to guess."""
    with path.open("w", encoding="utf-8") as file:
        file.write("@relation t\n")
        for name, column in frame.items():
            numeric = pd.api.types.is_numeric_dtype(column)
            levels = "" if numeric else ",".join(f"'{level}'" for level in sorted(column.dropna().unique()))
            file.write(f"@attribute '{name}' {'numeric' if numeric else '{' + levels + '}'}\n")
        file.write("@data\n")
        frame.to_csv(file, index=False, header=False, na_rep="?", quotechar="'")
