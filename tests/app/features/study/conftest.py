"""Workers of the tests get as much of the processor as the tests beside them."""

from __future__ import annotations

import pytest

from app.features.study import running


@pytest.fixture(autouse=True)
def _no_standing_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "NICENESS", 0)
