"""ExampleStage: open an example of the gallery with the panels that it needs."""

from __future__ import annotations

from collections.abc import Callable

from app.files.documents import FileError
from app.files.examples import EXAMPLES, Example
from app.views.surroundings import Surroundings
from app.window.dialogs.files import FileDialogs


class ExampleStage:
    """
    Parameters
    ----------
    around : Surroundings
    dialogs : FileDialogs
    """

    def __init__(self, around: Surroundings, dialogs: FileDialogs) -> None:
        self._around, self._dialogs = around, dialogs
        self._examples = around.controller.examples

    def open(self, example: Example) -> None:
        """Open an example of the gallery: in one undo step, or in place of a file after asking about its changes."""
        if self._around.controller.own.path is None:
            self._put(self._examples.step_to, example)
        else:
            self._dialogs.unless_unsaved(lambda: self._put(self._examples.open, example))

    def _put(self, put: Callable[[Example], None], example: Example) -> None:
        try:
            put(example)
        except FileError as error:
            self._around.alert(str(error))
        else:
            self._arrange(example)

    def follow(self, by: int) -> None:
        """Open the example `by` positions further on, as one step."""
        self._arrange(self._examples.follow(by))

    def start_over(self) -> None:
        """Restore the example to its original state, as one step."""
        self._examples.start_over()
        self._arrange(self._examples.present)

    def _arrange(self, example: Example | None) -> None:
        """Open the panels that the example needs, and close those of other examples."""
        if example is not None:
            self._around.docks().show_only(example.opens)
            self._around.switch(example.opens, {name for each in EXAMPLES for name in each.opens})
            self._around.controller.say(example.sentence)
