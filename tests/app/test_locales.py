"""Numbers are the same in every locale: typed, displayed, saved and exported."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

SCRIPT = """
import locale, sys
from contextlib import suppress
from pathlib import Path
from PySide6.QtCore import QLocale
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QSpinBox
with suppress(locale.Error):
    locale.setlocale(locale.LC_ALL, "")
QLocale.setDefault(QLocale(sys.argv[1]))
from app.core.dates import Coordinates
from app.core.points import Points
from app.exchange.exporting import EXPORTS, Content
from app.files import documents
from app.main import create_window
from app.state.document import default_document
from msgspec.structs import replace
document = replace(default_document(), points=Points.of([(0.25, -1234.5), (1e-7, 2.0), (1e6, 0.2)], [0, 1, 2]))
window = create_window(document, Path(sys.argv[2]))
window.resize(1280, 800)
window.show()
def typed(name, text, kind=QLineEdit):
    field = window.findChild(kind, name)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, "\\r")
    QApplication.processEvents()
    print(name, text, field.text())
for text in ("0.25", "0,5", "1e-3", "1234567"):
    typed("lane1.C", text)
typed("lane0.k", "12345", QSpinBox)
for box in sorted(window.findChildren(QSpinBox), key=lambda each: each.objectName()):
    box.setValue(1234 if box.maximum() >= 1234 else box.maximum())
    print(box.objectName(), box.text())
print([line.text() for line in window.findChildren(QLineEdit) if line.objectName()])
print(documents.encode(window.document).decode())
given = (document.points.xy, document.points.labels)
content = Content(*given, ["a", "İ", "ı"], ("x", "I"), False, [0, 1, 2], (Coordinates(), Coordinates()))
for name in (".csv", ".tsv", ".svmlight"):
    print(EXPORTS[name].encode(content).decode())
for canvas in window.canvases:
    for side in ("left", "bottom"):
        axis = canvas.plot.axes[side]
        print(side, axis.tickStrings([0.1, 0.25, 1234.5], 1.0, 0.05))
window.close()
"""


@cache
def shown(name: str, folder: Path) -> str:
    """Return what a window displays, saves and exports in the locale `name`."""
    environment = os.environ | {"LC_ALL": f"{name}.UTF-8", "LANG": f"{name}.UTF-8", "QT_QPA_PLATFORM": "offscreen"}
    words = [sys.executable, "-c", SCRIPT, name, str(folder)]
    run = subprocess.run(words, env=environment | {"PYTHONUTF8": "1"}, capture_output=True, text=True, encoding="utf-8")
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", ["de_DE", "tr_TR", "ar_EG"])
def test_numbers_are_the_same_in_every_locale(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp() / "locales"
    assert shown(name, folder / name) == shown("C", folder / "C")
    assert "lane1.C 0,5 0.5" in shown(name, folder / name)
