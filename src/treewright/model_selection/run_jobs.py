"""One learner on one fold, and many such jobs here or in processes; results never depend on how many run at once."""

from __future__ import annotations

import pickle
import signal
import tempfile
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from time import monotonic, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import ColumnWarning
from treewright.learners.base.progress_bar import bars_on_terminal, show_progress
from treewright.learners.base.threads import thread_count
from treewright.learners.registry import record_of
from treewright.model_selection.cross_validation import Fold, take_rows
from treewright.model_selection.measures import Answers, measure_classes, measure_numbers
from treewright.wording import command_line_words, on_command_line

# One learner on one fold: fit, predict, measure, and tell what went wrong in a sentence.


@dataclass(frozen=True)
class Outcome:
    """What one fit on one fold gave; without scores, `problem` says why."""

    scores: dict[str, float] = field(default_factory=dict)
    fit_seconds: float = float("nan")  # of processor time
    predict_seconds: float = float("nan")
    n_bytes: int | None = None
    problem: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Task:
    """What is learnt, from what: the same for all learners and folds."""

    X: Any
    target: NDArray[Any]
    name: str  # "classification" | "regression"
    positive: Any = None
    needs_scores: bool = True  # whether log loss and AUC are wanted, which take a second look at the rows


def run_fold(task: Task, estimator: Any, fold: Fold, weigh: bool) -> Outcome:
    """Fit a copy of the estimator on a fold's training rows and score it on its test rows; never raises.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> task = Task(np.zeros((4, 1)), np.array(["a", "a", "b", "a"]), "classification")
    >>> outcome = run_fold(task, DummyClassifier(), Fold(np.array([0, 1]), np.array([2, 3])), weigh=False)
    >>> outcome.scores["accuracy"], outcome.problem
    (0.5, None)
    """
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ColumnWarning)  # told once, of the whole table
        try:
            outcome = _fit_and_score(task, estimator, fold, weigh)
        except Exception as error:
            return Outcome(problem=_of_learner(sentence(error), estimator), warnings=_texts(told))
    return Outcome(outcome.scores, outcome.fit_seconds, outcome.predict_seconds, outcome.n_bytes, None, _texts(told))


def _of_learner(problem: str, estimator: Any) -> str:
    """Say of which learner a parameter is, as the options do where there are several.

    >>> from treewright import ID3Classifier
    >>> _of_learner("Fill it, or choose --set missing=branch.", ID3Classifier())
    'Fill it, or choose --set id3.missing=branch.'
    """
    record = record_of(estimator)
    return problem if record is None else problem.replace("--set ", f"--set {record.name}.")


def _fit_and_score(task: Task, estimator: Any, fold: Fold, weigh: bool) -> Outcome:
    from sklearn.base import clone

    training, test = take_rows(task.X, fold.training), take_rows(task.X, fold.test)
    model = clone(estimator)
    start = process_time()
    model.fit(training, task.target[fold.training])
    fitted = process_time()
    predicted = np.asarray(model.predict(test))
    answered = process_time()
    return Outcome(
        scores=measure(task, model, test, task.target[fold.test], predicted),
        fit_seconds=fitted - start,
        predict_seconds=answered - fitted,
        n_bytes=model_bytes(model) if weigh else None,
    )


def measure(task: Task, model: Any, X: Any, truth: NDArray[Any], predicted: NDArray[Any]) -> dict[str, float]:
    """Measure a fitted model's answers to some rows."""
    if task.name == "regression":
        return measure_numbers(truth, predicted)
    classes = np.asarray(model.classes_)
    if not task.needs_scores:
        return measure_classes(truth, Answers(classes, predicted), task.positive)
    probabilities = np.asarray(model.predict_proba(X)) if hasattr(model, "predict_proba") else None
    scores = probabilities
    if probabilities is None and hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X))
        scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    return measure_classes(truth, Answers(classes, predicted, probabilities, scores), task.positive)


def model_bytes(model: Any) -> int:
    """The size of a fitted model: of its file where it has one, else of its pickle.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_tennis(return_X_y=True)
    >>> 500 < model_bytes(tw.ID3Classifier().fit(X, y)) < 5000
    True
    """
    return len(model._tw_bytes()) if hasattr(model, "_tw_bytes") else len(pickle.dumps(model))


def sentence(error: BaseException) -> str:
    """What went wrong in one line: the first paragraph of the message, with the kind of error where it is not our own.

    Examples
    --------
    >>> sentence(ValueError("Input X contains NaN.\\nLong advice follows."))
    'Input X contains NaN.'
    >>> sentence(KeyError("age"))
    "KeyError: 'age'"
    """
    text = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    if isinstance(error, ValueError) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _texts(told: list[warnings.WarningMessage]) -> tuple[str, ...]:
    first_lines = [str(one.message).strip().split("\n")[0] for one in told]
    return tuple(dict.fromkeys(first_lines))


# Many independent jobs, one after the other or in processes, with a bar; the results never depend on how many.


AT_ONCE = 1.0  # seconds of work that is done here before processes are thought of
WORTH_PROCESSES = 4.0  # seconds of work left; a process takes about a second to start
DIED = "The process that ran it ended without an answer, perhaps for want of memory."
_LOOK = 0.2  # seconds between two looks for Ctrl-C

Job = tuple[Any, ...]


class SideBySide:
    """Jobs to be done: `function(shared, *job)` for each, the results in the order of the jobs.

    Parameters
    ----------
    function : function
        Of a module, so that processes find it. It must not raise: a failure is a result too.
    shared : object
        What all jobs need. It goes to each process once.
    jobs : list of tuples
        The arguments of each.
    seconds : float, optional
        Jobs that have not begun when the time is up get None.
    watch : function, optional
        Called with the number and the result of each job as soon as it is done.

    Examples
    --------
    >>> SideBySide(divmod, 17, [(5,), (3,)]).run()
    [(3, 2), (5, 2)]
    """

    def __init__(
        self,
        function: Callable[..., Any],
        shared: Any,
        jobs: Sequence[Job],
        seconds: float | None = None,
        watch: Callable[[int, Any], None] | None = None,
    ) -> None:
        self.function, self.shared, self.jobs, self.watch = function, shared, list(jobs), watch
        self.results: list[Any] = [None] * len(jobs)
        self.end = None if seconds is None else monotonic() + seconds
        self.progress = _core.Progress()
        self.progress.total = len(jobs)

    def run(self, n_jobs: int | None = None, title: str = "", at_once: float = AT_ONCE) -> list[Any]:
        """Do the jobs; a job whose process died has the text `DIED` as its result.

        Parameters
        ----------
        n_jobs : int, optional
            Processes; None and -1 use all processors, 1 starts none.
        title : str
            Shown before the bar.
        at_once : float
            So many seconds of work are done before processes are thought of; 0 starts them before the first job.
        """
        with _bar(title, self.progress), _one_thread_each():
            workers = min(thread_count(n_jobs), len(self.jobs))
            left = self._run_here(None if workers == 1 else at_once)
            if left and not _is_over(self.end):
                self._run_in_processes(left, workers)
        return self.results

    def _run_here(self, at_once: float | None) -> list[int]:
        """Do jobs in this process until there are none or it takes long; give the numbers of those left."""
        start, total = monotonic(), len(self.jobs)
        for number, job in enumerate(self.jobs):
            spent = monotonic() - start
            takes_long = number == 0 or spent / number * (total - number) >= WORTH_PROCESSES
            if _is_over(self.end) or (at_once is not None and spent >= at_once and takes_long):
                return list(range(number, total))
            self._finish(number, self.function(self.shared, *job))
        return []

    def _run_in_processes(self, left: list[int], workers: int) -> None:
        with tempfile.TemporaryDirectory(prefix="treewright-") as folder:
            path = Path(folder) / "shared"
            path.write_bytes(_packed((self.function, self.shared)))
            if not _can_start(workers):  # some places do not let a program start others, or hide its modules from them
                for number in left:
                    self._finish(number, None if _is_over(self.end) else self.function(self.shared, *self.jobs[number]))
                return
            waiting = deque(left)
            while waiting:
                # One of those that died killed its process, and perhaps its neighbours' too: each alone tells who.
                for number in self._submit(path, waiting, workers):
                    if self._submit(path, deque([number]), 1):
                        self._finish(number, DIED)

    def _submit(self, path: Path, numbers: deque[int], workers: int) -> list[int]:
        """Run jobs in processes until none is left or a process died; give the numbers that have no answer then."""
        from joblib.externals.loky.process_executor import BrokenProcessPool

        pool = _pool(workers)
        running: dict[Future[Any], int] = {}
        try:
            while numbers or running:
                while numbers and len(running) < 2 * workers:  # no more, so that nothing queues up when it is stopped
                    future = pool.submit(_do, str(path), self.jobs[numbers[0]], self.end, on_command_line())
                    running[future] = numbers.popleft()
                # Python looks for Ctrl-C between two waits, whatever thread the signal went to.
                for done in wait(running, timeout=_LOOK, return_when=FIRST_COMPLETED).done:
                    self._finish(running[done], done.result())
                    del running[done]
        except BrokenProcessPool:
            return sorted(running.values())
        except BaseException:
            pool.shutdown(wait=True, kill_workers=True)
            raise
        return []

    def _finish(self, number: int, result: Any) -> None:
        self.results[number] = result
        self.progress.done += 1
        if self.watch is not None:
            self.watch(number, result)


def _pool(workers: int) -> Any:
    """The processes, which stay for a minute in case there is more to do."""
    from joblib.externals.loky import get_reusable_executor

    single = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    return get_reusable_executor(workers, timeout=60, initializer=_leave_ctrl_c_to_parent, env=single)


def _can_start(workers: int) -> bool:
    try:
        _pool(workers).submit(_leave_ctrl_c_to_parent).result()
    except (RuntimeError, OSError):  # a pool that broke is a RuntimeError
        return False
    return True


@contextmanager
def _bar(title: str, progress: _core.Progress) -> Iterator[None]:
    """A bar where stderr is a terminal. The fits inside draw none of their own."""
    with ExitStack() as stack:
        with bars_on_terminal():
            stack.enter_context(show_progress(progress, title))
        yield


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Linear algebra on one thread: sums in another order would be other numbers, and times could not be compared."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


def _is_over(end: float | None) -> bool:
    return end is not None and monotonic() >= end


def _packed(things: Any) -> bytes:
    """The bytes that processes read; classes and functions of a notebook or script go along."""
    from joblib.externals.loky.cloudpickle_wrapper import dumps

    data: bytes = dumps(things)
    return data


@lru_cache(maxsize=1)
def _unpacked(path: str) -> Any:
    return pickle.loads(Path(path).read_bytes())  # noqa: S301  (written by `_packed` in a folder of this process)


def _do(path: str, job: Job, end: float | None, names_options: bool) -> Any:
    """In a process: one job, unless the time is up; its messages are in the words of the process that asked."""
    if _is_over(end):
        return None
    function, shared = _unpacked(path)
    with command_line_words() if names_options else nullcontext():
        return function(shared, *job)


def _leave_ctrl_c_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
