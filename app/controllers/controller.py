"""Controller: the user's actions, one method each; the only writer of document and session.  No Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from app.controllers.host import SubjectController
from app.core.dates import NO_DATES
from app.core.number_format import count
from app.core.points import MAX_CLASSES, Points
from app.engine.results import Results
from app.files import documents
from app.learners.table import LEARNERS
from app.state.commands import (
    Clear,
    Command,
    Generate,
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
from app.state.split import IdSet, Kind
from app.state.store import Store, StoreState
from app.tools import PointerPosition
from solver.data.datasets import DATASETS, SQUARE

from .editing import Editing
from .examples import ExampleController
from .file_tasks import FileTasks
from .lanes import LaneController
from .playback import PlaybackController
from .presenting import PresentingController

if TYPE_CHECKING:
    from app.exchange.columns import Imported

T = TypeVar("T")


class Aside(Struct, frozen=True, eq=False):
    """The user's document while one of another title replaces it, with all that is restored with it."""

    title: str
    own: StoreState
    on_disk: documents.Fingerprint | None
    session: Session


class TestSplitController(SubjectController):
    """Translate user actions on the split into commands."""

    def choose(self, kind: Kind) -> None:
        """Choose no split, one by ratio, or one by hand, which starts from a ratio's points or those painted before."""
        split = self._host.document.split
        if kind == "painted" and split.kind == "ratio":
            self._set("Choose test points by hand", kind=kind, painted=IdSet(self._host.document.test_points.ids))
            return
        texts = {"none": "Train on all points", "ratio": f"Keep {split.ratio:.0%} of the points for testing"}
        self._set(texts.get(kind, "Choose test points by hand"), kind=kind)

    def set_ratio(self, ratio: float, drag: object = None) -> None:
        """Hold out this share of each class; the changes of one `drag` are one undo step."""
        self._set(f"Keep {ratio:.0%} of the points for testing", drag, kind="ratio", ratio=ratio)

    def set_seed(self, seed: int) -> None:
        """Draw other test points."""
        self._set(f"Set the seed of the split to {seed}", kind="ratio", seed=seed)

    def _set(self, text: str, drag: object = None, **changes: Any) -> None:
        try:
            split = replace(self._host.document.split, **changes)
        except ValueError as error:
            self._host.say(str(error))
        else:
            self._host.dispatch(SetFields(drag, changes=(("split", split),), text=text))


class Controller:
    """Translate user actions into document commands and session changes.

    Parameters
    ----------
    store : Store
    session : Session
    changed : callable
        Called after every change of document or session.
    say : callable
        ``say(sentence)`` shows the user a sentence; "" removes it.
    results : Results, optional
        Results that the lanes show.
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
        #: Location of the pointer in the plane while a feature follows it; not in the session, which would then change
        #: with each move of the mouse.
        self.pointer: tuple[float, float] | None = None
        #: For each neighbour model, the location before the last crossing of a cell boundary.
        self.came_from: Mapping[object, tuple[float, float]] = {}
        #: Called after `pointer` has changed.
        self.pointer_changed: Callable[[], None] = lambda: None
        #: While a feature has taken over the pointer: take its last gesture back, as `Session.gesture_undo`; and take
        #: a number key, returning whether it has a meaning there.
        self.own_undo: Callable[[], object] = lambda: None
        self.own_number: Callable[[int], bool] = lambda number: False
        self._features: dict[object, Any] = {}
        self._changed = changed
        self.say = say
        #: The user prefers Simple.
        self.prefers_simple = False
        #: Fingerprint of the document's file when it was last read or written here, if known.
        self.on_disk: documents.Fingerprint | None = None
        #: The user's document while another one is staged in its place, and the function called when that ends.
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
        """The holder of the user's document: the store, or `aside`; only its changes need to be saved."""
        return self.store if self.aside is None else self.aside.own

    @property
    def title(self) -> str:
        """The title of the present document."""
        return self.store.title if self.aside is None else self.aside.title

    def _follow(self, old: Document, new: Document) -> None:
        """Leave the first start with the first change of the document."""
        if self.session.first_start:
            self.session = replace(self.session, first_start=False)
        self._changed()

    def dispatch(self, command: Command) -> bool:
        """Apply `command`; a gesture in progress ends first, as a step of its own.

        Return False if the command was refused; the gesture may have changed the document all the same.
        """
        if command.undoable:
            self.editing.finish()
        return self.apply(command)

    def apply(self, command: Command) -> bool:
        """Apply `command`, perhaps part of a gesture; report a refusal, which changes nothing, and return False."""
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
        """Let features follow the pointer to `location`; None if it is over no picture."""
        if location != self.pointer:
            self.pointer = location
            self.pointer_changed()

    def change(self, kind: type[FeatureSession], **changes: Any) -> None:
        """Change a feature's part of the session."""
        self.set_session(replace(self.session.of(kind), **changes))

    def feature(self, kind: Callable[[Controller], T]) -> T:
        """Return the controller of a feature, by its type; it is created when first needed."""
        if kind not in self._features:
            self._features[kind] = kind(self)
        made: T = self._features[kind]
        return made

    # -- the view --------------------------------------------------------------------------------------------------

    @property
    def view(self) -> View:
        """The displayed part of the plane."""
        return self.document.view

    def zoom(self, factor: float, pointer: PointerPosition) -> None:
        self.dispatch(SetView(view=self.document.view.zoomed(factor, pointer.x, pointer.y)))

    def pan(self, dx: float, dy: float) -> None:
        self.dispatch(SetView(view=self.document.view.panned(dx, dy)))

    def fit(self) -> None:
        self.dispatch(SetView(view=View.fitting(self.document.points, self.view.owns_scales)))

    def toggle_scales(self) -> None:
        """Give each axis its own scale, or both the same one, and show all points."""
        own = not self.view.owns_scales
        view, text = View.fitting(self.document.points, own), f"Scale the axes {'apart' if own else 'alike'}"
        self.dispatch(SetView(view=view, undoable=True, text=text))

    # -- the document ----------------------------------------------------------------------------------------------

    def undo(self) -> None:
        if self.session.gesture_undo:
            self.own_undo()
        elif self.editing.busy:
            self.say("Undo waits for the end of the stroke; Esc cancels it.")
        else:
            self.store.undo()

    def redo(self) -> None:
        if not self.editing.busy:
            self.store.redo()

    def go_to(self, position: int) -> None:
        """Undo or redo until `position` steps of the history are done."""
        if not self.editing.busy:
            self.store.go_to(position)

    def clear(self) -> None:
        self.dispatch(Clear())

    def generate(self, add: bool = False) -> None:
        self.dispatch(Generate(settings=self.document.generator, add=add))

    def choose_generator(self, name: str) -> None:
        """Choose another data set and generate it at once, with its default noise and classes, and no label flipped."""
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

        If the points are unedited points of the generator, they are regenerated at once; else they stay until
        `generate`. Return False if that was refused.
        """
        low, high = self.document.generator.square or SQUARE
        if values.keys() & {"low", "high"}:
            values = {"square": (values.get("low", low), values.get("high", high))}
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
        """Set the names of the axes."""
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
        """Train on a sample if there are more points than `limit`, which is clipped to the range allowed in files."""
        limit = min(max(limit, LEAST_LIMIT), NO_LIMIT)
        text = "Train on all points" if limit == NO_LIMIT else f"Train on at most {count(limit, 'point')}"
        self.dispatch(SetFields(changes=(("training_limit", limit),), text=text))

    def set_class_weight(self, index: int, label: int, weight: float) -> None:
        """Change the cost of an error on class `label` (0 to 7) in a lane with custom class weights."""
        lane = self.document.lanes[index]
        parameter = next(field.parameter for field in lane.family.fields if field.kind == "numbers of classes")
        weights = list(getattr(lane.settings, parameter))
        weights[label] = weight
        text = f"Set the weight of class {label + 1} to {weight:g}"
        self.set_lane(index, lane.classifier, text=text, **{parameter: tuple(weights)})

    def toggle_lanes(self) -> None:
        """Show one classifier or all of them; if there is only one, add another beside it."""
        document = self.document
        if len(document.lanes) == 1:
            self.lanes.add(0)
        else:
            self.dispatch(ShowLanes(count=1 if document.shown > 1 else len(document.lanes)))

    # -- the session -----------------------------------------------------------------------------------------------

    def set_class(self, label: int) -> None:
        if 0 <= label < MAX_CLASSES:
            self.set_session(active_class=label, n_classes=max(self.session.n_classes, label + 1))

    def press_number(self, number: int) -> None:
        """Handle a key from 1 to 8 (`number` is one less): a feature's, else the class of the next point."""
        if not self.own_number(number):
            self.set_class(number)

    def toggle_pause(self) -> None:
        self.playback.toggle_all()

    def set_panel_open(self, panel: str, visible: bool) -> None:
        """Record that a panel has become visible or hidden."""
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
        """Show the main settings only, or everything; the rows name hidden settings that are not at their defaults."""
        self.prefers_simple = simple
        self.set_session(simple=simple)

    def toggle_simple(self) -> None:
        """Switch from Simple to Full, or back."""
        self.prefer_simple(not self.session.simple)

    # -- files -----------------------------------------------------------------------------------------------------

    def new(self) -> None:
        """Start a document without points, what belongs to them, and a file; keep classifiers and colours."""
        self.put_back()
        old = self.document
        split = replace(old.split, painted=IdSet())
        styles = tuple(replace(style, name="") for style in old.styles)
        bare = replace(
            old,
            points=Points(),
            origin=None,
            scaling=None,
            split=split,
            units=NO_UNITS,
            dates=NO_DATES,
            view=View(),
            styles=styles,
            axes=("", ""),
            attached=(),
            notes="",
        )
        self.put(bare, None)

    def put(
        self,
        document: Document,
        path: Path | None,
        on_disk: documents.Fingerprint | None = None,
        modified: bool = False,
    ) -> None:
        """Replace the document by another one; its lanes start from zero, whatever they had learnt before.

        `on_disk` is the fingerprint of its file when it was read; `modified` if the document holds more than its file.
        """
        if self.aside is not None:
            self.aside = None
            self.unstaged()
        self._put(document, path, on_disk, modified)

    def _put(
        self, document: Document, path: Path | None, on_disk: documents.Fingerprint | None, modified: bool
    ) -> None:
        self.editing.cancel()
        self._begin_anew(document.slots)
        self.on_disk = on_disk
        self.store.reset(document, path, modified)

    def stage(self, document: Document, title: str) -> None:
        """Show a document that is not the user's in place of theirs, which `put_back` restores."""
        self.editing.finish()
        own = self.aside or Aside(title, self.store.state, self.on_disk, self.session)
        self.aside = replace(own, title=title)
        self._put(document, None, None, modified=False)

    def put_back(self) -> None:
        """Restore the user's document, its history and its session; its runs start from zero."""
        aside = self.aside
        if aside is None:
            return
        self.editing.cancel()
        self.presenting.clear()
        now, self.aside, self.on_disk = self.session, None, aside.on_disk
        self.session = replace(
            aside.session,
            cursor=None,
            seeks=Session().seeks,
            restarts=now.restarted,
            hovered=None,
            open_panels=now.open_panels,
            points_away=False,
            presenting=now.presenting,
            simple=self.prefers_simple,
            theme=now.theme,
            dark=now.dark,
        )
        self.store.put_back(aside.own)
        self.unstaged()

    def replace_by(self, document: Document, text: str) -> bool:
        """Replace the document in one undo step called `text`; return False if that changes nothing."""
        self.put_back()
        before = self.document
        if not self.dispatch(Revert(document=document, text=text, own_view=True)) or self.document is before:
            return False
        self._begin_anew(before.slots)
        return True

    def _begin_anew(self, slots: tuple[int, ...]) -> None:
        """Start the session of another document, whose lanes have the `slots`; discard the state of earlier runs."""
        old = self.document.slots  # a lane of the new document inherits the settings of the one at its index
        self.presenting.clear()
        session, names = self.session, ("playing", "speeds")
        kept = {name: _moved(getattr(session, name), old, slots) for name in names}
        self.set_session(
            *(part.of_new_document() for part in session.features),
            selection=NOTHING,
            cursor=None,
            pins=(),
            simple=self.prefers_simple,
            gesture_hint="",
            idle_hint="",
            gesture_undo="",
            controls=None,
            announcement="",
            first_start=False,
            seeks=Session().seeks,
            restarts=session.restarted,
            **kept,
        )

    def import_points(self, points: Imported, add: bool) -> None:
        """Replace the points of the user's document by those of a file, or add them; an open lesson ends first."""
        from app.exchange.choosing import import_command  # here, because the start does not need it

        if add and (scaling := self.own.document.scaling) is not None:
            points = replace(points, xy=scaling.apply(points.xy))
        command = import_command(points, add)
        if self.aside is not None:
            try:
                command.apply(self.own.document)  # refused points end no lesson
            except ValueError as error:
                self.say(str(error))
                return
            self.put_back()
        if self.dispatch(command):
            left = f"  {count(points.n_left_out, 'row')} left out." if points.n_left_out else ""
            self.say(f"{'Added' if add else 'Imported'} {count(len(points.xy), 'point')}.{left}")


def _moved(values: tuple[Any, ...], old: tuple[int, ...], new: tuple[int, ...]) -> tuple[Any, ...]:
    """Rearrange `values` of the slots `old` for the slots `new`, index by index."""
    of_slot = {slot: values[before] for before, slot in zip(old, new, strict=True)}
    return tuple(of_slot[slot] for slot in range(len(values)))
