"""Controller: what the user can do, each thing in one method; the only writer of document and session.  No Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from app.controllers.host import Host
from app.core.number_format import count
from app.core.points import MAX_CLASSES, Points
from app.engine.results import Results
from app.files import documents
from app.learners.table import LEARNERS
from app.state.commands import (
    Clear,
    Command,
    Generate,
    ImportPoints,
    Regenerate,
    Revert,
    SetFields,
    SetLane,
    SetUnits,
    SetView,
    ShowLanes,
)
from app.state.document import LEAST_LIMIT, LEAST_UNIT, MOST_UNIT, NO_LIMIT, NO_UNITS, Document, View
from app.state.edit_struct import changed_struct, text_of
from app.state.law import law_of
from app.state.session import NOTHING, FeatureSession, Session
from app.state.store import Store, StoreState
from app.state.test_split import IdSet, Kind
from app.tools import PointerPosition
from solver.data.datasets import DATASETS

from .editing import Editing
from .examples import ExampleController
from .file_tasks import FileTasks
from .lanes import LaneController
from .playback import PlaybackController
from .presenting import PresentingController

if TYPE_CHECKING:
    from app.exchange.columns import Imported

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Aside:
    """The user's document while that of a lesson is in its place, with all that comes back with it."""

    own: StoreState
    on_disk: documents.Fingerprint | None
    session: Session


class TestSplitController:
    """Turns wishes about the split into commands.

    Parameters
    ----------
    host : Host
    """

    def __init__(self, host: Host) -> None:
        self._host = host

    def choose(self, kind: Kind) -> None:
        """No split, one by ratio, or one by hand, which goes on from a ratio's points or those painted before."""
        split = self._host.document.split
        if kind == "painted" and split.kind == "ratio":
            self._set("Choose test points by hand", kind=kind, painted=IdSet(self._host.document.test_points.ids))
            return
        texts = {"none": "Train on all points", "ratio": f"Keep {split.ratio:.0%} of the points for testing"}
        self._set(texts.get(kind, "Choose test points by hand"), kind=kind)

    def set_ratio(self, ratio: float, drag: object = None) -> None:
        """Keep this share of each class; the changes of one `drag` are one undo step."""
        self._set(f"Keep {ratio:.0%} of the points for testing", drag, kind="ratio", ratio=ratio)

    def set_seed(self, seed: int) -> None:
        """Draw other points."""
        self._set(f"Set the seed of the split to {seed}", kind="ratio", seed=seed)

    def _set(self, text: str, drag: object = None, **changes: Any) -> None:
        try:
            split = replace(self._host.document.split, **changes)
        except ValueError as error:
            self._host.say(str(error))
        else:
            self._host.dispatch(SetFields(drag, changes=(("split", split),), text=text))


class Controller:
    """Turns wishes of the user into commands and session changes.

    Parameters
    ----------
    store : Store
    session : Session
    changed : callable
        Called after every change of document or session.
    say : callable
        ``say(sentence)`` tells the person at the window something; "" takes it back.
    results : Results, optional
        What lanes show.
    """

    def __init__(
        self,
        store: Store,
        session: Session,
        changed: Callable[[], None],
        say: Callable[[str], None],
        results: Results | None = None,
    ) -> None:
        self.store = store
        self.session = session
        self.results = results or Results()
        #: Location of the pointer in the plane, as long as a feature follows it; no part of the session, which would
        #: be another one after each move of the mouse.
        self.pointer: tuple[float, float] | None = None
        #: Of each model of neighbours: where it was before it crossed the last border of a cell.
        self.came_from: Mapping[object, tuple[float, float]] = {}
        #: Called after `pointer` has changed.
        self.pointer_changed: Callable[[], None] = lambda: None
        self._features: dict[object, Any] = {}
        self._changed = changed
        self.say = say
        #: Simple is wanted, wherever the document allows it.
        self.prefers_simple = False
        #: What the document's file held when it was last read or written here, if known.
        self.on_disk: documents.Fingerprint | None = None
        #: The user's document, while that of a lesson is in its place; and what is called when it no longer is.
        self.aside: Aside | None = None
        self.unstaged: Callable[[], object] = lambda: None
        self.file_tasks = FileTasks(self)
        self.editing = Editing(self)
        self.playback = PlaybackController(self)
        self.presenting = PresentingController(self)
        self.splitting = TestSplitController(self)
        self.lanes = LaneController(self)
        self.examples = ExampleController(self)
        store.listen(self._follow)

    @property
    def document(self) -> Document:
        """The present document."""
        return self.store.document

    @property
    def own(self) -> Store | StoreState:
        """What holds the user's document: the store, or what was set aside; its changes alone are worth a question."""
        return self.store if self.aside is None else self.aside.own

    def _follow(self, old: Document, new: Document) -> None:
        """The document has changed: Simple cannot show one that uses more."""
        if self.session.first_start:
            self.session = replace(self.session, first_start=False)
        if self.session.simple and old.lanes is not new.lanes and not new.is_simple:
            self.session = replace(self.session, simple=False)
        self._changed()

    def dispatch(self, command: Command) -> bool:
        """Apply `command`; a gesture that is going on ends first, and is a step of its own.

        False when the command was refused; the gesture may have changed the document all the same.
        """
        if command.undoable:
            self.editing.finish()
        return self.apply(command)

    def apply(self, command: Command) -> bool:
        """Apply `command`, which may be part of a gesture; a refusal is said, changes nothing, and gives False."""
        try:
            self.store.dispatch(command)
        except ValueError as error:
            self.say(str(error))
            return False
        return True

    def set_session(self, *parts: FeatureSession, **changes: Any) -> None:
        session = replace(self.session, **changes).having(*parts)
        if session != self.session:
            self.session = session
            self._changed()

    def point(self, location: tuple[float, float] | None) -> None:
        """Have features follow the pointer to `location`; None: it is in no picture."""
        if location != self.pointer:
            self.pointer = location
            self.pointer_changed()

    def change(self, kind: type[FeatureSession], **changes: Any) -> None:
        """Change what is being done with a feature."""
        self.set_session(replace(self.session.of(kind), **changes))

    def feature(self, kind: Callable[[Controller], T]) -> T:
        """The controller of a feature, by its type; made when it is first wanted."""
        if kind not in self._features:
            self._features[kind] = kind(self)
        made: T = self._features[kind]
        return made

    # -- the view --------------------------------------------------------------------------------------------------

    @property
    def view(self) -> View:
        """The part of the plane that is looked at."""
        return self.document.view

    def zoom(self, factor: float, pointer: PointerPosition) -> None:
        self.dispatch(SetView(view=self.document.view.zoomed(factor, pointer.x, pointer.y)))

    def pan(self, dx: float, dy: float) -> None:
        self.dispatch(SetView(view=self.document.view.panned(dx, dy)))

    def fit(self) -> None:
        self.dispatch(SetView(view=View.fitting(self.document.points)))

    # -- the document ----------------------------------------------------------------------------------------------

    def undo(self) -> None:
        if self.editing.busy:
            self.say("Undo waits for the end of the stroke; Esc cancels it.")
        else:
            self.store.undo()

    def redo(self) -> None:
        if not self.editing.busy:
            self.store.redo()

    def go_to(self, position: int) -> None:
        """Go through the history until `position` steps are done."""
        if not self.editing.busy:
            self.store.go_to(position)

    def clear(self) -> None:
        self.dispatch(Clear())

    def generate(self, add: bool = False) -> None:
        self.dispatch(Generate(settings=self.document.generator, add=add))

    def choose_generator(self, name: str) -> None:
        """Another data set, made at once with the noise and number of classes it looks best with, no label flipped."""
        kind = DATASETS[name]
        few, many = kind.n_classes
        n_classes = min(max(self.document.generator.n_classes, few), many)
        settings = changed_struct(
            self.document.generator,
            {"name": name, "noise": kind.noise, "shift": 0.0, "n_classes": n_classes, "flipped": 0.0},
        )
        self.dispatch(Generate(settings=settings))

    def set_generator(self, drag: object = None, **values: Any) -> bool:
        """Change fields of the generator's settings; `drag` makes the changes of one drag one undo step.

        As long as the points are the generator's own, they are made anew at once; else they stay until `generate`.
        False where that was refused.
        """
        try:
            settings = changed_struct(self.document.generator, values)
        except ValueError as error:
            self.say(str(error))
            return False
        text, document = text_of(values), self.document
        if document.is_generated:
            return self.dispatch(Regenerate(settings=settings, text=text, merge_key=drag))
        accepted = self.dispatch(SetFields(drag, changes=(("generator", settings),), text=text))
        if accepted and len(document.points):
            why = "The points are not the generator's" if document.origin is None else "The points were edited"
            self.say(f"{why}, so they stay as they are.  Generate (G) makes new ones.")
        return accepted

    def set_lane(self, index: int, part: str = "", drag: object = None, text: str = "", **values: Any) -> None:
        """Change fields of a lane, or of its settings of the learner `part`; `text` names the undo step."""
        lane = self.document.lanes[index]
        fields = LEARNERS[part].fields if part else ()
        try:
            changed = changed_struct(lane.part(part) if part else lane, values, fields)
        except ValueError as error:
            self.say(str(error))
            return
        lane = lane.with_part(part, changed) if part else changed
        self.dispatch(SetLane(index=index, lane=lane, text=text or text_of(values, fields), merge_key=drag))

    def set_style(self, label: int, drag: object = None, **values: str) -> None:
        """Change the name or colour ("#rrggbb", "" for the theme's) of class `label` (0 to 7); those of one `drag`
        are one undo step."""
        styles = list(self.document.styles)
        try:
            styles[label] = changed_struct(styles[label], values)
        except ValueError as error:
            self.say(str(error))
            return
        what = "Name" if "name" in values else "Colour"
        self.dispatch(SetFields(drag, changes=(("styles", tuple(styles)),), text=f"{what} class {label + 1}"))

    def set_axes(self, axes: tuple[str, str]) -> None:
        """Name the axes."""
        self.dispatch(SetFields(changes=(("axes", (axes[0][:60], axes[1][:60])),), text="Name the axes"))

    def set_unit(self, axis: int, factor: float, drag: object = None) -> None:
        """Multiply the coordinates of an axis (0 for x) by `factor`, in all; those of one `drag` are one undo step."""
        had_law = law_of(self.document.origin) is not None
        units = list(self.document.units)
        units[axis] = min(max(factor, LEAST_UNIT), MOST_UNIT)
        if self.dispatch(SetUnits(drag, units=(units[0], units[1]))) and had_law:
            self.say("In other units, nothing is known of new points of the generator. Undo brings its units back.")

    def set_notes(self, notes: str, writing: object = None) -> None:
        """Change the notes; those of one `writing` are one undo step."""
        self.dispatch(SetFields(writing, changes=(("notes", notes[:100_000]),), text="Write notes"))

    def set_training_limit(self, limit: int) -> None:
        """Train on a sample where there are more points than `limit`, which is kept within what a file may say."""
        limit = min(max(limit, LEAST_LIMIT), NO_LIMIT)
        text = "Train on all points" if limit == NO_LIMIT else f"Train on at most {count(limit, 'point')}"
        self.dispatch(SetFields(changes=(("training_limit", limit),), text=text))

    def set_class_weight(self, index: int, label: int, weight: float) -> None:
        """Change what an error on class `label` (0 to 7) costs in a lane with weights of one's own."""
        lane = self.document.lanes[index]
        parameter = next(field.parameter for field in lane.family.fields if field.kind == "numbers of classes")
        weights = list(getattr(lane.settings, parameter))
        weights[label] = weight
        text = f"Set the weight of class {label + 1} to {weight:g}"
        self.set_lane(index, lane.classifier, text=text, **{parameter: tuple(weights)})

    def toggle_lanes(self) -> None:
        """One classifier on screen, or all of them; where there is only one, another beside it."""
        document = self.document
        if len(document.lanes) == 1:
            self.lanes.add(0)
        else:
            self.dispatch(ShowLanes(count=1 if document.shown > 1 else len(document.lanes)))

    # -- the session -----------------------------------------------------------------------------------------------

    def set_class(self, label: int) -> None:
        if 0 <= label < MAX_CLASSES:
            self.set_session(active_class=label, n_classes=max(self.session.n_classes, label + 1))

    def toggle_pause(self) -> None:
        self.playback.toggle_all()

    def look_at(self, panel: str, visible: bool) -> None:
        """A panel has come into sight, or gone out of it."""
        self.set_session(
            open_panels=self.session.open_panels | {panel} if visible else self.session.open_panels - {panel}
        )

    def toggle(self, switch: str, of: type[FeatureSession] | None = None) -> None:
        """Turn a field of the session, or `of` a feature's part of it, on or off."""
        if of is None:
            self.set_session(**{switch: not getattr(self.session, switch)})
        else:
            self.change(of, **{switch: not getattr(self.session.of(of), switch)})

    def prefer_simple(self, simple: bool) -> None:
        """Show what one plays with, or everything; a document that uses settings out of sight shows all."""
        self.prefers_simple = simple
        self.set_session(simple=simple and self.document.is_simple)

    def toggle_simple(self) -> None:
        """From Simple to Full, or back where the document allows it."""
        if self.session.simple or self.document.is_simple:
            self.prefer_simple(not self.session.simple)
        else:
            self.say("Simple shows the main settings; these classifiers use more.")

    # -- files -----------------------------------------------------------------------------------------------------

    def new(self) -> None:
        """No points, nothing that is of the points alone, and no file; everything else stays as it is."""
        self.put_back()
        old = self.document
        split = replace(old.split, painted=IdSet())
        bare = replace(
            old,
            points=Points(),
            origin=None,
            split=split,
            scaling=None,
            units=NO_UNITS,
            axes=old.measured[1],
            attached=(),
        )
        self.put(bare, None)

    def put(
        self,
        document: Document,
        path: Path | None,
        on_disk: documents.Fingerprint | None = None,
        modified: bool = False,
    ) -> None:
        """Another document in place of this one; its lanes start from zero, whatever was learnt before.

        `on_disk` is what its file held when it was read; `modified` when the document holds more than its file.
        """
        if self.aside is not None:
            self.aside = None
            self.unstaged()
        self._put(document, path, on_disk, modified)

    def _put(
        self, document: Document, path: Path | None, on_disk: documents.Fingerprint | None, modified: bool
    ) -> None:
        self.editing.cancel()
        self._begin_anew(document.is_simple, document.slots)
        self.on_disk = on_disk
        self.store.reset(document, path, modified)

    def stage(self, document: Document) -> None:
        """Show a document that is not the user's in place of theirs, which `put_back` restores."""
        self.editing.finish()
        if self.aside is None:
            self.aside = Aside(self.store.state, self.on_disk, self.session)
        self._put(document, None, None, modified=False)

    def put_back(self) -> None:
        """Restore the user's document, its history and what was being done with it; its runs start from zero."""
        aside = self.aside
        if aside is None:
            return
        self.editing.cancel()
        self.presenting.clear()
        now, self.aside, self.on_disk = self.session, None, aside.on_disk
        self.session = replace(
            aside.session,
            cursor=None,
            seeks=Session.seeks,
            restarts=now.restarted,
            hovered=None,
            open_panels=now.open_panels,
            points_away=False,
            presenting=now.presenting,
            simple=self.prefers_simple and aside.own.document.is_simple,
            theme=now.theme,
            dark=now.dark,
        )
        self.store.put_back(aside.own)
        self.unstaged()

    def replace_by(self, document: Document, text: str) -> bool:
        """The same as one step, which undo takes back and calls `text`; False where nothing is changed by it."""
        self.put_back()
        before = self.document
        if not self.dispatch(Revert(document=document, text=text, own_view=True)) or self.document is before:
            return False
        self._begin_anew(document.is_simple, before.slots)
        return True

    def _begin_anew(self, is_simple: bool, slots: tuple[int, ...]) -> None:
        """The session of another document, whose lanes have the `slots`; nothing of its runs is over."""
        old = self.document.slots  # a lane of the new one takes over what was set for the one in its place
        self.presenting.clear()
        session, names = self.session, ("playing", "speeds", "folds")
        kept = {name: _moved(getattr(session, name), old, slots) for name in names}
        self.set_session(
            *(part.of_new_document() for part in session.features),
            selection=NOTHING,
            cursor=None,
            simple=self.prefers_simple and is_simple,
            lent="",
            first_start=False,
            seeks=Session.seeks,
            restarts=session.restarted,
            **kept,
        )

    def import_points(self, points: Imported, add: bool) -> None:
        """Points of a file in place of the present ones, or beside them."""
        command = ImportPoints(
            xy=points.xy,
            labels=points.labels,
            class_names=points.class_names,
            axes=points.axes,
            scaling=points.scaling,
            add=add,
        )
        if self.dispatch(command):
            left = f"  {count(points.n_left_out, 'row')} left out." if points.n_left_out else ""
            self.say(f"{'Added' if add else 'Imported'} {count(len(points.xy), 'point')}.{left}")


def _moved(values: tuple[Any, ...], old: tuple[int, ...], new: tuple[int, ...]) -> tuple[Any, ...]:
    """`values` of the slots `old` as those of the slots `new`, place by place."""
    of_slot = {slot: values[before] for before, slot in zip(old, new, strict=True)}
    return tuple(of_slot[slot] for slot in range(len(values)))
