"""`make processors`: other processors, other libraries and other Pythons, as far as one machine can play them.

The same tests run again with the matrix products of other processors (OpenBLAS), without the vectors of NumPy, without
the fused operations of glibc's libm, with every width of treewright's own vectors, with a libm whose last digits are
others, with the oldest packages that pyproject.toml allows, and with every Python that is found. One line each; what
was printed is in build/processors/. Some can be named: `python tests/processors.py haswell oldest_packages`.
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
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "processors"
SWITCHES = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "GLIBC_TUNABLES", "TREEWRIGHT_VECTORS", "LD_PRELOAD")
NO_FUSED = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"  # libm has a form of exp, log and others for these
PYTHONS = range(11, 16)  # 3.11 to 3.15

# Numbers that people read, numbers from elsewhere, and promises about bytes; about a minute on two cores.
TESTS = (
    *(
        f"tests/golden/test_{name}.py"
        for name in ("ctree", "ctree_surrogates", "glm", "j48", "lm", "m5p", "rpart", "shap")
    ),
    "tests/learners/test_pages.py",
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
    "tests/properties/test_other_processors.py",
    "tests/inspection",
    "tests/unit/base",
    "tests/unit/inspection/test_golden_texts.py",
    "src",
)

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
    """A way to run the tests: an interpreter, and the environment that makes it another machine."""

    name: str
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
    """Give the processors that this one can play. Each switch is thrown at least once, most of them together."""
    levels = probe({})["levels"]
    yield Part("oldest_processor", old_processor())
    if "avx2" in levels:
        # OpenBLAS takes a Zen for a Haswell, and every processor with AVX-512 for a SkylakeX.
        yield Part("haswell", {"OPENBLAS_CORETYPE": "Haswell", "TREEWRIGHT_VECTORS": "avx2"})
        yield Part("sandybridge", {"OPENBLAS_CORETYPE": "Sandybridge", "GLIBC_TUNABLES": NO_FUSED})
    if "avx512" in levels:
        yield Part("skylake", {"OPENBLAS_CORETYPE": "SkylakeX", "TREEWRIGHT_VECTORS": "avx512"})
    if shutil.which("cc"):
        yield Part("libm", {"LD_PRELOAD": str(other_libm())})


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
    """Build and install for another Python; what does not depend on it comes from ccache, if there is one."""
    made = new_venv(f"python{version}", python)
    tools = re.findall(r'"([^"]+)"', re.search(r"BUILD_TOOLS := (.*)", (ROOT / "Makefile").read_text())[1])
    uv("pip", "install", "--python", str(made), *tools)
    uv("pip", "install", "--python", str(made), "--no-build-isolation", "--editable", ".[test]")
    return made


def with_oldest_packages() -> Path:
    """Install the oldest packages that are allowed, and link to what was compiled for this very Python."""
    made = new_venv("oldest_packages", Path(sys.executable))
    wanted = ["--extra", "frames", "--extra", "excel", "-r", "pyproject.toml"]
    uv("pip", "install", "--python", str(made), "--resolution", "lowest-direct", *wanted)
    uv("pip", "install", "--python", str(made), "pytest", "pytest-xdist", "pytest-timeout", "hypothesis")
    ours = next(Path(sys.prefix).glob("lib/python*/site-packages"))
    theirs = next((FOLDER / "oldest_packages").glob("lib/python*/site-packages"))
    for entry in ours.glob("*treewright*"):
        if entry.is_dir():
            shutil.copytree(entry, theirs / entry.name, dirs_exist_ok=True)
        else:
            shutil.copy(entry, theirs)
    return made


def others() -> Iterator[Part]:
    """Give the oldest packages, and every other Python that is here; say which are not."""
    yield Part("oldest_packages", make_python=with_oldest_packages)
    found = pythons()
    own = f"3.{sys.version_info.minor}"
    for version, python in found.items():
        if version != own:
            yield Part(f"python{version}", make_python=lambda v=version, p=python: with_python(v, p))
    missing = [f"3.{minor}" for minor in PYTHONS if f"3.{minor}" not in {*found, own}]
    if missing:
        print(f"Not tried, since they are not here: Python {', '.join(missing)}.", flush=True)


# -------------------------------------------------------------------- running
def run(part: Part) -> bool:
    """Run the tests, say in one line how it went, and show the end of what failed."""
    start = time.monotonic()
    python = part.make_python()
    check_switches(part, python)
    made, log = time.monotonic(), FOLDER / f"{part.name}.log"
    command = [str(python), "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "-m", "", *TESTS]
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
    failed = [part.name for part in parts if not run(part)]
    if failed or not parts:
        raise SystemExit(f"Failed: {', '.join(failed) or 'there is no such part'}. See {FOLDER}.")


if __name__ == "__main__":
    main(sys.argv[1:])
