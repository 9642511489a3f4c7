"""The folder of machine code: that of versions not used for a month is removed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from solver.core._cache_directory import KEPT_FOR, cache_directory


def test_unused_machine_code_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    ages = {"compiled-old": KEPT_FOR + 60, "compiled-recent": KEPT_FOR - 60, "of somebody else": 2 * KEPT_FOR}
    for name, age in ages.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.nbi").write_bytes(b"code")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    mine = cache_directory.__wrapped__()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [mine.name, "compiled-recent", "of somebody else"]
    )
    os.utime(mine, (0, 0))
    assert cache_directory.__wrapped__() == mine and mine.stat().st_mtime > time.time() - 60, "it is in use again"
