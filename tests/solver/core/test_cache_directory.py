"""The folder of machine code: that of versions not used for a month is removed."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from solver.core._cache_directory import KEPT_FOR, PACKAGES, cache_directory

ROOT = Path(__file__).resolve().parents[3]


def test_its_name_depends_on_every_compiled_file() -> None:
    """Else machine code of an older version would be used."""
    compiled = [
        path.relative_to(ROOT)
        for room in ("app", "solver")
        for path in (ROOT / room).rglob("*.py")
        if re.search("^@(jit|part|lean_part|inlined|intrinsic)$", path.read_text(), re.MULTILINE)
    ]
    assert {".".join(path.parts[:-1]) for path in compiled} <= set(PACKAGES)
    assert all(re.match("_[^_]", path.name) for path in compiled) and len(compiled) > 15


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
