"""Overrides: methods in place of Qt's, which Qt calls, and whose errors must not get into Qt.

Below Python 3.12 an error raised in C is a type and a text until it is handled; PySide 6.11 mistakes the text for the
exception if Qt was called from Python, and the process ends with a segmentation fault.  So each method of the program,
or of pyqtgraph, that replaces one of Qt's is guarded: its error is reported, and Qt's own method is called in its
place; in place of what cannot be painted there is a sentence.  `guard_all` guards all classes, also later ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from traceback import walk_tb
from types import FunctionType
from typing import Any

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractScrollArea, QGraphicsItem, QWidget
from shiboken6 import Shiboken

from app.views.widgets.painting import announce, painter_on, saved

#: Methods that paint with a painter that is passed to them.
PAINTING = frozenset(("paint", "drawBackground", "drawForeground"))
#: Methods of pyqtgraph that Qt calls, besides the events; the other names that both have are called by programs alone.
CALLED = PAINTING | {"event", "eventFilter", "boundingRect", "shape", "itemChange", "sizeHint"}
#: Type of the empty answer for a method that Qt declares, but does not implement; it is None for all others.
EMPTY = {"rowCount": int, "columnCount": int, "count": int, "boundingRect": QRectF, "sizeHint": QSize}

Method = Callable[..., Any]


def guard_all() -> None:
    """Guard the overrides of all classes of the program and of pyqtgraph, and of each that is defined from now on."""

    def defined(kind: type) -> None:
        super(Shiboken.Object, kind).__init_subclass__()  # type: ignore[misc]
        guard(kind)

    if "__init_subclass__" not in vars(Shiboken.Object):
        Shiboken.Object.__init_subclass__ = classmethod(defined)  # type: ignore[assignment]
        for each in _subclasses(Shiboken.Object):
            guard(each)


def _subclasses(kind: type) -> list[type]:
    below: list[type] = type.__subclasses__(kind)
    return below + [each for one in below for each in _subclasses(one)]


def guard(kind: type) -> None:
    """Guard the overrides of `kind`, if it is a class of the program or of pyqtgraph; leave those it inherits."""
    package = kind.__module__.partition(".")[0]
    for name, method in list(vars(kind).items()) if package in ("app", "pyqtgraph") else ():
        called = package == "app" or name in CALLED or name.endswith("Event")
        if called and is_override(kind, name) and not is_guarded(method):
            setattr(kind, name, guarded(method, name))


def is_override(kind: type, name: str) -> bool:
    """Return whether a class's own attribute is a method in place of one of Qt's."""
    method = isinstance(vars(kind)[name], FunctionType) and not name.startswith("__")
    return method and _of_qt(kind, name) is not None


def is_guarded(method: Any) -> bool:
    """Return whether `method` is one that `guarded` has returned."""
    return bool(method.__module__ == __name__)


def _of_qt(kind: type, name: str) -> Any:
    owners = (each for each in kind.__mro__ if each.__module__.startswith("PySide6."))
    return next((vars(each)[name] for each in owners if name in vars(each)), None)


def guarded(method: Method, name: str) -> Method:
    """Return `method`, which replaces Qt's `name`, so that an error in it is reported and ends there."""

    @wraps(method, assigned=("__name__", "__qualname__", "__doc__"))  # not its module: see `is_guarded`
    def called(self: Any, *given: Any, **named: Any) -> Any:
        try:
            return method(self, *given, **named)
        except Exception as error:
            return _answer_instead(self, name, error, given, named)

    @wraps(method, assigned=("__name__", "__qualname__", "__doc__"))
    def paints(self: Any, painter: QPainter, *given: Any) -> None:
        try:
            with saved(painter):
                method(self, painter, *given)
        except Exception as error:
            if getattr(self, "raises", False) and given[-1] is None:  # painted for a file, whose maker reports errors
                raise
            report(self, error)
            with saved(painter):
                area = painter.worldTransform().mapRect(_area(self, given))
                painter.resetTransform()  # the text is independent of the scale
                announce(painter, area, error)

    return paints if name in PAINTING else called


def report(owner: object, error: Exception) -> None:
    """Pass `error` to `sys.excepthook`, once for each way to the line that raises it: each frame may raise it again."""
    way = tuple((frame.f_code, line) for frame, line in walk_tb(error.__traceback__))
    if way not in (reported := vars(owner).setdefault("reported_errors", set())):
        reported.add(way)
        sys.excepthook(type(error), error, error.__traceback__)


def _answer_instead(self: Any, name: str, error: Exception, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Report the error of an override, and return the answer of Qt's own method, or paint a sentence."""
    report(self, error)
    if name == "paintEvent":
        device = self.viewport() if isinstance(self, QAbstractScrollArea) else self
        with painter_on(device) as painter:
            announce(painter, QRectF(device.rect()), error)
        return None
    try:
        return _of_qt(type(self), name)(self, *given, **named)
    except Exception:  # Qt has none
        return EMPTY.get(name, type(None))()


def _area(self: Any, given: tuple[Any, ...]) -> QRectF:
    """Return where a graphics item, a view or the delegate of a table paints."""
    if isinstance(self, QGraphicsItem):
        return self.boundingRect()
    return QRectF(self.rect() if isinstance(self, QWidget) else given[0].rect)
