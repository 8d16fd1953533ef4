"""One hostile file: loaded within its bounds of time and memory, and asked everything, or refused with a sentence."""

from __future__ import annotations

import copyreg
import pickle
import random
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz.grammar import hostile_file
from fuzz.models import MODELS, model_bytes
from fuzz.verbs import rows_for, verbs
from treewright.errors import DataError, ModelFileError
from treewright.learners.asked_model import asked_model_of
from treewright.learners.linear.asked_sums import AskedSums
from treewright.learners.trees.asked_tree import AskedTree
from treewright.save import from_bytes
from treewright.save.persist import load_bytes
from treewright.table.frame import open_frame

SECONDS, SECONDS_A_BYTE = 0.2, 1e-6
MEMORY, MEMORY_A_BYTE = 32 * 2**20, 16
_THROUGH_A_PICKLE = 0.1
_QUICK_DOOR = 0.2
_OFTEN = 0.3  # how often what is not among the first things is asked of a model that loads
# What a model may rightly say of a row: an honest one that was trained on numbers of 1e-296 finds 40 too far away.
ABOUT_THE_ROW = ("too far apart for their distance", "has no neighbour within its bandwidth")
_FIRST = ("predict", "transform", "str", "save")
_EXPORTED = 0.03  # how often one of the twelve exports is written: each takes as long as all the rest together


@dataclass(frozen=True)
class Attempt:
    """A file to try, and the pickle that carries it where it goes through one."""

    model: str
    data: bytes
    pickled: bytes | None
    chance: random.Random


@dataclass(frozen=True)
class Outcome:
    """What became of it: "refused", "loaded", or what went wrong and where."""

    kind: str
    detail: str = ""

    @property
    def is_right(self) -> bool:
        return self.kind in ("refused", "loaded")


class _Carrier:
    """Pickles as a model does that has these bytes."""

    def __init__(self, kind: type[Any], data: bytes) -> None:
        self._parts = (kind, data)

    def __reduce__(self) -> Any:
        kind, data = self._parts
        return copyreg._reconstructor, (kind, object, None), {"params": {}, "model": data}  # type: ignore[attr-defined]


def attempt_of(seed: int, number: int) -> Attempt:
    """Attempt `number` of a seed: always the same file."""
    chance = random.Random(f"{seed} {number}")
    names = list(MODELS)
    name = names[number % len(names)]
    data = hostile_file(model_bytes(name), chance)
    pickled = None
    if chance.random() < _THROUGH_A_PICKLE:
        pickled = pickle.dumps(_Carrier(type(load_bytes(model_bytes(name))), data))
    return Attempt(name, data, pickled, chance)


def try_it(attempt: Attempt) -> Outcome:
    """Load the file and ask the model everything."""
    reset_peak()
    memory, start = resident_bytes(), time.process_time()
    model, problem = None, None
    try:
        model = load_bytes(attempt.data, "fuzz.tw") if attempt.pickled is None else pickle.loads(attempt.pickled)
    except ModelFileError as refusal:
        problem = refusal
    except Exception as error:
        return Outcome(f"{type(error).__name__} at load", where(error))
    seconds, taken = time.process_time() - start, peak_bytes() - memory
    size = len(attempt.data)
    if seconds > SECONDS + SECONDS_A_BYTE * size:
        return Outcome("slow to load", f"{seconds:.2f} s for {size} bytes; {problem}")
    if taken > MEMORY + MEMORY_A_BYTE * size:
        return Outcome("much memory to load", f"{taken / 2**20:.0f} MB for {size} bytes; {problem}")
    if attempt.chance.random() < _QUICK_DOOR:
        outcome = through_the_quick_door(attempt.data)
        if not outcome.is_right:
            return outcome
    return Outcome("refused", str(problem)) if model is None else ask_everything(model, attempt.chance)


def through_the_quick_door(data: bytes) -> Outcome:
    """Open the file as the command line does that only asks: a model without its estimator."""
    try:
        header, arrays = from_bytes(data, "fuzz.tw")
        asked = asked_model_of(header, arrays, "fuzz.tw")
    except ModelFileError as problem:
        return Outcome("refused", str(problem))
    except Exception as error:
        return Outcome(f"{type(error).__name__} at the quick door", where(error))
    if asked is not None and not isinstance(asked, AskedTree):
        rows = asked.encoder.encode(open_frame(rows_for(asked.encoder.schema)))
        try:
            str(asked), asked.predict(rows), hasattr(asked, "classes_") and asked.predict_proba(rows)
        except Exception as error:
            if not (isinstance(asked, AskedSums) and isinstance(error, DataError)):  # sums refuse infinite cells
                return Outcome(f"{type(error).__name__} behind the quick door", where(error))
    elif asked is not None:
        X = rows_for(asked.tree_.schema)
        try:
            str(asked.tree_), asked.rules().to_text(), str(asked.why(dict(X.iloc[1])))
            asked.predict(asked.encoder.encode(open_frame(X)))
        except Exception as error:
            return Outcome(f"{type(error).__name__} behind the quick door", where(error))
    return Outcome("loaded")


def ask_everything(model: Any, chance: random.Random) -> Outcome:
    """Ask a model what its file should have made possible."""
    try:
        asked = list(verbs(model))
    except Exception as error:
        return Outcome(f"{type(error).__name__} before any question", where(error))
    for name, ask in asked:
        if name not in _FIRST and chance.random() > (_EXPORTED if name.startswith("export") else _OFTEN):
            continue
        try:
            ask()
        except Exception as error:
            if not (isinstance(error, DataError) and any(words in str(error) for words in ABOUT_THE_ROW)):
                return Outcome(f"{type(error).__name__} in {name}", where(error))
    return Outcome("loaded", type(model).__name__)


def where(error: BaseException) -> str:
    """The last line of the package that the error passed, and what it said."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "treewright" in frame.filename]
    place = f"{'/'.join(Path(frames[-1].filename).parts[-2:])}:{frames[-1].lineno}" if frames else "outside"
    return f"{place}: {str(error)[:200]}"


# The memory of this process, as the kernel counts it.


def reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def peak_bytes() -> int:
    return _status("VmHWM:")


def resident_bytes() -> int:
    return _status("VmRSS:")


def address_bytes() -> int:
    return _status("VmSize:")


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"the kernel tells no {field}")
