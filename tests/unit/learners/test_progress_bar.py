"""The bar of a long fit: on a terminal after a while, anywhere when it is asked for, else nowhere."""

from __future__ import annotations

import io
import threading
import time

import pytest

from treewright import _core
from treewright.learners.base.progress_bar import bars_on_terminal, show_progress


class Terminal(io.StringIO):
    """A text that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def work(progress: _core.Progress, seconds: float) -> None:
    """Do twelve of twenty trees, and take some time."""
    progress.total, progress.done, progress.score = 20, 12, 0.875
    time.sleep(seconds)


def watch(monkeypatch: pytest.MonkeyPatch, err: io.StringIO, seconds: float, verbose: int = 0) -> str:
    monkeypatch.setattr("sys.stderr", err)
    progress = _core.Progress()
    with show_progress(progress, "Some forest", "out-of-bag score", verbose):
        work(progress, seconds)
    return err.getvalue()


def test_verbose_shows_trees_and_score_wherever_stderr_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    said = watch(monkeypatch, io.StringIO(), 0.3, verbose=1)
    assert "Some forest" in said
    assert "12/20" in said
    assert "out-of-bag score 0.8750" in said


def test_a_long_fit_shows_on_a_terminal_where_the_command_line_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with bars_on_terminal(after=0.05):
        assert "12/20" in watch(monkeypatch, Terminal(), 0.4)
        assert watch(monkeypatch, io.StringIO(), 0.2) == ""


def test_a_quick_fit_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with bars_on_terminal(after=5):
        assert watch(monkeypatch, Terminal(), 0.05) == ""


def test_nothing_shows_by_itself_even_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    with bars_on_terminal(after=0):
        pass
    assert watch(monkeypatch, Terminal(), 0.2) == ""


def test_the_thread_of_the_bar_ends_with_the_fit_even_if_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", io.StringIO())
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt), show_progress(_core.Progress(), "Some forest", verbose=1):
        raise KeyboardInterrupt
    assert threading.active_count() == before
