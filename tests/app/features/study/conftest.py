"""Workers of the tests have the priority of the tests."""

from __future__ import annotations

import pytest

from app.features.study import running


@pytest.fixture(autouse=True)
def _no_standing_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "NICENESS", 0)
