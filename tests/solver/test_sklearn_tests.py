"""scikit-learn's own tests of its classes pass on ours: see `run_sklearn_tests` for those left out, and why."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.mark.soak
@pytest.mark.skipif(find_spec("sklearn.svm.tests") is None, reason="scikit-learn is installed without its tests")
def test_scikit_learns_own_tests_pass_on_our_classes() -> None:
    command = [sys.executable, "-m", "tests.solver.run_sklearn_tests"]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=3600)
    print(done.stdout[-5000:], done.stderr[-5000:])
    assert done.returncode == 0
