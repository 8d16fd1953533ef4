"""`make processors`: other processors, other libraries and other Pythons, as far as one machine can play them.

A part of the tests runs again with the matrix products of other processors (OpenBLAS), without the vectors of NumPy,
without the fused operations of glibc's libm, with every width of treewright's own vectors, with a libm whose last
digits are others, with the oldest packages that pyproject.toml allows, and with every Python that is found. One line
each; what was printed is in build/processors/. Some can be named: `python tests/processors.py haswell oldest_packages`.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "processors"
SWITCHES = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "GLIBC_TUNABLES", "TREEWRIGHT_VECTORS", "LD_PRELOAD")
NO_FUSED = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"  # libm has a form of exp, log and others for these
PYTHONS = range(11, 16)  # 3.11 to 3.15

# Numbers from elsewhere, and promises about bytes.
NUMBERS = (
    *(
        f"tests/golden/test_{name}.py"
        for name in ("ctree", "ctree_surrogates", "glm", "j48", "lm", "m5p", "rpart", "shap")
    ),
    "tests/learners/test_gradient_boosting_promises.py",
    "tests/learners/test_linear_regression.py",
    "tests/learners/test_locally_weighted.py",
    "tests/learners/test_logistic_regression.py",
    "tests/learners/test_naive_bayes.py",
    "tests/learners/test_networks.py",
    "tests/learners/test_perceptron.py",
    "tests/learners/test_regularized_regression.py",
    "tests/properties/test_invariance.py",
    "tests/properties/test_oblique_invariance.py",
    "tests/unit/base",
)
# Whatever people read.
READ = (
    "tests/learners/test_pages.py",
    "tests/inspection",
    "tests/unit/inspection/test_golden_texts.py",
    "src",
)
PLAYED = "tests/properties/test_other_processors.py"  # the models of this processor beside those of the one it plays

# What a process finds itself to be.
PROBE = """
import json, math, threadpoolctl, numpy, scipy.linalg
from treewright import _core
try:
    from numpy._core import _multiarray_umath as numbers
except ImportError:  # NumPy 1
    from numpy.core import _multiarray_umath as numbers
numpy.zeros((2, 2)) @ numpy.zeros((2, 2))
print(json.dumps({
    "products": sorted({str(one.get("architecture")) for one in threadpoolctl.threadpool_info()}),
    "dispatched": [name for name in numbers.__cpu_dispatch__ if numbers.__cpu_features__[name]],
    "vectors": _core.build_info()["vectors"],
    "levels": _core.build_info()["vectors_of_processor"],
    "libm": hash(tuple(f(i / 99_999) for f in (math.exp, math.log1p) for i in range(100_000))),
}))
"""


@dataclass(frozen=True)
class Part:
    """A way to run some tests: an interpreter, and the environment that makes it another machine."""

    name: str
    tests: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    make_python: Callable[[], Path] = lambda: Path(sys.executable)


def probe(environment: dict[str, str], python: Path = Path(sys.executable)) -> dict[str, list[str] | str]:
    """Ask a new process what it takes its processor for."""
    command = [str(python), "-W", "ignore", "-c", PROBE]
    done = subprocess.run(command, env={**without_switches(), **environment}, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{python} does not start with {environment}:\n{done.stderr}")
    return dict(json.loads(done.stdout))


# -------------------------------------------------------------------- processors
def switches() -> dict[str, str]:
    """Tell which switches are thrown in this process. Another library that is loaded first is none of them."""
    thrown = {name: os.environ[name] for name in SWITCHES if name in os.environ}
    return {name: value for name, value in thrown.items() if name != "LD_PRELOAD" or "other_libm" in value}


def without_switches() -> dict[str, str]:
    """Give the environment of this process as it is where no switch is thrown."""
    return {name: value for name, value in os.environ.items() if name not in switches()}


def old_processor() -> dict[str, str]:
    """Make an environment in which nothing newer than SSE 4.2 is used, as far as it can be switched off."""
    dispatched = " ".join(probe({})["dispatched"])
    off = {"NPY_DISABLE_CPU_FEATURES": dispatched} if dispatched else {}
    if platform.machine() != "x86_64":
        return {"OPENBLAS_CORETYPE": "ARMV8", "TREEWRIGHT_VECTORS": "baseline", **off}
    return {"OPENBLAS_CORETYPE": "Nehalem", "GLIBC_TUNABLES": NO_FUSED, "TREEWRIGHT_VECTORS": "baseline", **off}


def processors() -> Iterator[Part]:
    """Give the processors that this one can play. Each switch is thrown at least once, most of them together.

    What people read is looked at where most is different: on the oldest processor, and with another libm.
    """
    here = probe({})
    all_tests, numbers = (*NUMBERS, PLAYED, *READ), (*NUMBERS, PLAYED)
    yield Part("oldest_processor", all_tests, old_processor())
    # OpenBLAS takes a Zen for a Haswell, and every processor with AVX-512 for a SkylakeX.
    for name, kernel, level in (("haswell", "Haswell", "avx2"), ("skylake", "SkylakeX", "avx512")):
        if level in here["levels"] and ([kernel], level) != (here["products"], here["vectors"]):  # not the one it is
            yield Part(name, numbers, {"OPENBLAS_CORETYPE": kernel, "TREEWRIGHT_VECTORS": level})
    if "avx2" in here["levels"]:
        yield Part("sandybridge", numbers, {"OPENBLAS_CORETYPE": "Sandybridge", "GLIBC_TUNABLES": NO_FUSED})
    if shutil.which("cc"):
        yield Part("libm", all_tests, {"LD_PRELOAD": str(other_libm())})


def other_libm() -> Path:
    """Compile the library whose last digits are others."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = FOLDER / "other_libm.so"
    source = Path(__file__).with_name("other_libm.c")
    subprocess.run(["cc", "-O1", "-fPIC", "-shared", "-fno-builtin", "-o", made, source, "-ldl", "-lm"], check=True)
    return made


def check_switches(part: Part, python: Path) -> None:
    """Refuse a part whose switches do nothing: it would pass without testing anything."""
    usual, found, asked = probe({}, python), probe(part.environment, python), part.environment
    core = asked.get("OPENBLAS_CORETYPE")
    wrong = [f"OpenBLAS is {found['products']}"] if core and core not in found["products"] else []
    if "NPY_DISABLE_CPU_FEATURES" in asked and found["dispatched"]:
        wrong.append(f"NumPy still uses {found['dispatched']}")
    if asked.get("TREEWRIGHT_VECTORS", found["vectors"]) != found["vectors"]:
        wrong.append(f"treewright uses {found['vectors']}")
    if ("LD_PRELOAD" in asked or "GLIBC_TUNABLES" in asked) and found["libm"] == usual["libm"]:
        wrong.append("libm gives the same digits as always")
    if wrong:
        raise SystemExit(f"{part.name}: {', '.join(wrong)}, in spite of {asked}.")


# -------------------------------------------------------------------- Pythons and packages
def pythons() -> dict[str, Path]:
    """Find one interpreter of each version, on the path or under pyenv."""
    found = {}
    for minor in PYTHONS:
        name = f"python3.{minor}"
        places = [shutil.which(name), *sorted(map(str, Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/{name}")))]
        works = [Path(place) for place in places if place and _starts(place, f"3.{minor}")]
        if works:
            found[f"3.{minor}"] = works[-1]
    return found


def _starts(python: str, version: str) -> bool:
    done = subprocess.run([python, "--version"], capture_output=True, text=True)
    return done.returncode == 0 and done.stdout.startswith(f"Python {version}.")


def new_venv(name: str, python: Path) -> Path:
    """Make a virtual environment beside the others, or take the one that is there; give its interpreter."""
    made = FOLDER / name / "bin" / "python"
    if not made.exists():
        uv("venv", "--python", str(python), str(FOLDER / name))
    return made


def uv(*arguments: str) -> None:
    """Run uv, which is installed beside pip; what it says is shown only where it fails."""
    done = subprocess.run([sys.executable, "-m", "uv", *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"uv {' '.join(arguments)} failed:\n{done.stderr}")


def with_python(version: str, python: Path) -> Path:
    """Install what is needed for another Python, and treewright compiled for it."""
    made = new_venv(f"python{version}", python)
    uv("pip", "install", "--python", str(made), "-r", "pyproject.toml", "--extra", "test")
    if version == "3.11":
        build(made)
    else:
        link_to_compiled(packages_for_all(), made)
    return made


def build(python: Path) -> None:
    """Compile treewright for an interpreter; what does not depend on it comes from ccache, if there is one."""
    tools = re.findall(r'"([^"]+)"', re.search(r"BUILD_TOOLS := (.*)", (ROOT / "Makefile").read_text())[1])
    uv("pip", "install", "--python", str(python), *tools)
    place = "build-dir=build/processors_{wheel_tag}"
    uv("pip", "install", "--python", str(python), "--no-build-isolation", "--no-deps", "-C", place, "--editable", ".")


@cache
def packages_for_all() -> Path:
    """Give the packages of an interpreter with the module that every Python from 3.12 on loads; compile it once."""
    if sys.version_info >= (3, 12):
        return packages_of(Path(sys.executable))
    version, python = next((v, p) for v, p in pythons().items() if v != "3.11")
    made = new_venv(f"python{version}", python)
    build(made)
    return packages_of(made)


def packages_of(python: Path) -> Path:
    """Find the packages of a virtual environment."""
    return next(python.parents[1].glob("lib/python*/site-packages"))


def with_oldest_packages() -> Path:
    """Install the oldest packages that are allowed, and link to what was compiled for this very Python."""
    made = new_venv("oldest_packages", Path(sys.executable))
    wanted = ["--extra", "frames", "--extra", "excel", "--extra", "serve", "-r", "pyproject.toml"]
    uv("pip", "install", "--python", str(made), "--resolution", "lowest-direct", *wanted)
    beside = ["pytest", "pytest-xdist", "pytest-timeout", "hypothesis", "lightgbm", "xgboost-cpu"]
    uv("pip", "install", "--python", str(made), *beside)
    link_to_compiled(packages_of(Path(sys.executable)), made)
    return made


def link_to_compiled(packages: Path, python: Path) -> None:
    """Let this interpreter use the treewright that another one has among its packages; both lead to src/."""
    theirs = packages_of(python)
    for entry in packages.glob("*treewright*") if theirs != packages else ():
        if entry.is_dir():
            shutil.copytree(entry, theirs / entry.name, dirs_exist_ok=True)
        else:
            shutil.copy(entry, theirs)


def others() -> Iterator[Part]:
    """Give the oldest packages, and every other Python that is here; say which are not."""
    yield Part("oldest_packages", (*NUMBERS, *READ), make_python=with_oldest_packages)
    found = pythons()
    own = f"3.{sys.version_info.minor}"
    for version, python in found.items():
        if version != own:
            yield Part(f"python{version}", READ, make_python=lambda v=version, p=python: with_python(v, p))
    missing = [f"3.{minor}" for minor in PYTHONS if f"3.{minor}" not in {*found, own}]
    if missing:
        print(f"Not tried, since they are not here: Python {', '.join(missing)}.", flush=True)


# -------------------------------------------------------------------- running
_MAKING = Lock()  # one environment after the other: some are made from others
_AT_ONCE = 2  # parts: each waits for a single process at its start and its end


def run(part: Part) -> bool:
    """Run the tests, say in one line how it went, and show the end of what failed."""
    start = time.monotonic()
    with _MAKING:
        python = part.make_python()
        check_switches(part, python)
    made, log = time.monotonic(), FOLDER / f"{part.name}.log"
    command = [str(python), "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "-m", "", *part.tests]
    with log.open("w") as out:
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, **part.environment}, stdout=out, stderr=out)
    lines = log.read_text(errors="replace").rstrip().splitlines()
    times = f"made in {made - start:.0f} s, tested in {time.monotonic() - made:.0f} s"
    print(f"{part.name:<16}  {lines[-1].strip('= ')}; {times}", flush=True)
    if done.returncode:
        print(*lines[-60:], sep="\n")
    return not done.returncode


def main(names: list[str]) -> None:
    """Run the parts of these names, or all; end with an error where one of them failed."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    parts = [part for part in (*processors(), *others()) if not names or part.name in names]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        failed = [part.name for part, passed in zip(parts, pool.map(run, parts), strict=True) if not passed]
    if failed or not parts:
        raise SystemExit(f"Failed: {', '.join(failed) or 'there is no such part'}. See {FOLDER}.")


if __name__ == "__main__":
    main(sys.argv[1:])
