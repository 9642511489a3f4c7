"""Compiling while the window is in use: the first start shows its progress, later starts show nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.engine import compile_ahead
from app.engine.compile_ahead import CompileAhead
from app.features.relief import z_buffer
from solver import KNeighborsClassifier
from solver.core import fast_loops
from solver.knn import _knn_loops
from tests.windows import Make

Report = Callable[[int, int, str], None]


class Compiler:
    """Stand-in for the solver's compiler: three steps, each released by the test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, known: bool) -> None:
        self.may = threading.Semaphore(0)
        monkeypatch.setattr(compile_ahead, "compile_all", self.compile)
        monkeypatch.setattr(CompileAhead, "_loaded", False)
        monkeypatch.setattr(compile_ahead, "complete", lambda *, in_window=False: known or not in_window)

    def compile(self, report: Report, *, in_window: bool) -> None:
        for done in range(3):
            report(done, 3, "something")
            assert self.may.acquire(timeout=300)
        report(3, 3, "ready")


@pytest.mark.parametrize("known", [False, True])
def test_the_first_start_reports_its_progress(monkeypatch: pytest.MonkeyPatch, known: bool) -> None:
    compiler, reports = Compiler(monkeypatch, known), list[str]()
    ahead: list[CompileAhead] = []
    begun = threading.Event()

    def done() -> None:
        begun.wait(300)
        reports.append(ahead[0].progress)

    ahead.append(CompileAhead(done))
    begun.set()
    compiler.may.release(3)
    ahead[0]._thread.join(300)
    steps = [f"First start: preparing faster pictures, {step} of 3" for step in (1, 2, 3)]
    assert reports == ([""] if known else [*steps, "", ""]) and fast_loops.ready() and not ahead[0].progress


def test_only_the_thread_that_loads_machine_code_uses_it_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go, used = threading.Event(), threading.Event(), list[bool]()

    def load(report: Report = lambda *_: None, *, in_window: bool = False) -> None:
        begun.set()
        go.wait(300)
        used.append(fast_loops.ready())

    monkeypatch.setattr(compile_ahead, "compile_all", load)
    monkeypatch.setattr(compile_ahead, "complete", lambda *, in_window=False: True)
    monkeypatch.setattr(CompileAhead, "_loaded", False)
    model = KNeighborsClassifier(1).fit([[0.0, 0.0], [1.0, 1.0]], [3, 5])
    loading = [CompileAhead(lambda: None) for _ in range(2)]  # two windows
    try:
        assert begun.wait(300) and not fast_loops.ready()
        with monkeypatch.context() as without:
            without.setattr(_knn_loops, "search", None)
            assert model.predict([[0.1, 0.2]]).tolist() == [3], "as the probe does while the scene is composed"
    finally:
        go.set()
    for each in loading:
        each._thread.join(300)
    assert used == [True, True] and fast_loops.ready()
    CompileAhead(lambda: None)._thread.join(300)
    assert fast_loops.ready(), "what is loaded once stays loaded"


def test_a_compiler_that_fails_leaves_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    Compiler(monkeypatch, False)

    def fail(report: Report, *, in_window: bool) -> None:
        report(1, 3, "something")
        raise RuntimeError("no compiler")

    monkeypatch.setattr(compile_ahead, "compile_all", fail)
    ahead = CompileAhead(lambda: None)
    ahead._thread.join(300)
    assert "no compiler" in ahead.failure and not ahead.progress and not fast_loops.ready()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_is_ended_while_it_loads_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """By an error that is no `Exception`: while `loading`, no garbage is collected."""
    Compiler(monkeypatch, False)
    monkeypatch.setattr(CompileAhead, "loading", False)

    def end(report: Report, *, in_window: bool) -> None:
        report(1, 3, "something")
        raise SystemExit

    monkeypatch.setattr(compile_ahead, "compile_all", end)
    reports = list[bool]()
    ahead = CompileAhead(lambda: reports.append(CompileAhead.loading))
    ahead._thread.join(300)
    assert reports == [True, False] and not CompileAhead.loading and not ahead.progress


def test_the_window_shows_it_in_one_quiet_line(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = Compiler(monkeypatch, False)
    window = make(wait=False)
    label = window.status_line.findChild(QLabel, "progress")
    assert label is not None
    qtbot.waitUntil(lambda: label.text().endswith("1 of 3") and label.isVisible())
    compiler.may.release()
    qtbot.waitUntil(lambda: label.text().endswith("2 of 3"))
    compiler.may.release(2)
    qtbot.waitUntil(lambda: not label.isVisible() and window.idle())


def test_the_first_start_ever_compiles_the_relief(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = list[str]()
    monkeypatch.setattr(
        compile_ahead, "compile_all", lambda *_, in_window=False: compiled.append("window" if in_window else "all")
    )
    monkeypatch.setattr(compile_ahead, "complete", lambda *, in_window=False: in_window)
    monkeypatch.setattr(z_buffer, "warm_up", lambda: compiled.append("relief"))
    make(wait=False)
    qtbot.waitUntil(lambda: compiled == ["window", "relief", "all"])
