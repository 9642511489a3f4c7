"""FlowLayout: an error in a call from Qt is reported, and does not end the process."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.views.widgets import flow_layout


def test_an_error_from_c_ends_where_python_has_called_qt(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    flow_layout.FlowLayout(holder).addWidget(QPushButton("wide"))
    assert holder.heightForWidth(200) > 0

    def failing(self: object, room: int) -> list[object]:
        return [len(room)]  # type: ignore[arg-type]

    monkeypatch.setattr(flow_layout.FlowLayout, "_sizes", failing)
    reported: list[BaseException] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: reported.append(error))
    holder.heightForWidth(300)
    assert [str(error) for error in reported] == ["object of type 'int' has no len()"]
