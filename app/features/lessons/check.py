"""Check: the output of `classifier-playground lesson check FILE...`: faults, spoilers, and faults of a translation.

A spoiler is a question whose answer is visible before it is asked.  Each step is rehearsed: its document is trained,
and its scene composed as the window does it, with its covers, once while the question is open and once after the
picture is revealed.  What these scenes display of a classifier (numbers, marks, boundary, pair) is
then compared with what later questions about the same classifier on the same points ask for (`Step.asks`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from app.core.number_format import count
from app.core.plain_text import plain
from app.engine.cover import Cover
from app.engine.results import Results
from app.files.documents import FileError
from app.scene.compose import compose
from app.scene.feature_table import FeatureTable
from app.scene.model import LaneScene
from app.scene.status_badge import Mood
from app.state.document import MAX_LANES, Document, Lane
from app.state.session import Session

from . import starting
from .model import Lesson, Prediction, Step
from .reading import examined, read, text_of, words_of
from .rehearsal import context_of
from .state import LessonSession, StepState
from .translation import differences


def check(features: FeatureTable, files: Sequence[Path], against: Path | None = None) -> tuple[list[str], bool]:
    """Return a line for each fault, or a line for each sound file; and whether all files are sound.

    Each file is compared with the lesson `against`, of which it is a translation, if that is given; raise FileError if
    `against` has a fault.
    """
    lines, sound = [], True
    original = None if against is None else read(features, against)
    for path in files:
        name = plain(str(path))
        try:
            lesson, found = examined(features, text_of(path), name, path.parent)
        except FileError as error:
            found = [f"{name}{str(error).removeprefix(plain(path.name))}"]
        else:
            if not found:
                wrong = spoilers(features, lesson)
                wrong += [] if original is None else differences(lesson, original)
                found = [f"{name}:{line}: {plain(sentence)}" for line, sentence in sorted(wrong, key=itemgetter(0))]
        lines += found or [f"{name}: sound, {count(len(lesson.steps), 'step')}"]
        sound &= not found
    return lines, sound


class LaneView(Struct, frozen=True, eq=False):
    """What a step displays of one classifier.

    Attributes
    ----------
    step : int
        Index of the step.
    document : Document
    lane : LaneScene
    cover : Cover
    panel : str
        The panel of the step.
    """

    step: int
    document: Document
    lane: LaneScene
    cover: Cover
    panel: str

    def is_of(self, other: LaneView) -> bool:
        """Whether both views are of one classifier, trained on the same points."""
        points, others = self.document.training_points, other.document.training_points
        mine, theirs = (_settings(each.lane.lane, points.classes) for each in (self, other))
        return mine == theirs and points.same_as(others)

    @property
    def shown(self) -> Cover:
        """The parts of the classifier's results that the step displays."""
        if self.lane.badge.mood is Mood.RESTING:
            return Cover.NOTHING
        tested = any(score.text.startswith("test ") and "%" in score.text for score in self.lane.scores)
        return Cover.PICTURE & ~self.cover & ~(Cover.NOTHING if tested else Cover.TEST)


def _settings(lane: Lane, classes: Sequence[int]) -> tuple[object, ...]:
    """Return the classifier of a lane, and those of its settings that have an effect."""
    fields = [field for field in lane.family.fields if field.kind != "text" and field.shown(lane.settings, classes)]
    names = {name for field in fields for name in (field.parameter, field.end) if name}
    return lane.classifier, lane.standardises, *sorted((name, str(getattr(lane.settings, name))) for name in names)


def spoilers(features: FeatureTable, lesson: Lesson) -> list[tuple[int, str]]:
    """Return line and sentence of each question that is answered before it is asked."""
    found: list[tuple[int, str]] = []
    earlier: list[LaneView] = []
    for at, step in enumerate(lesson.steps):
        try:
            document = starting.start_of(lesson, at)
        except FileError:
            return found
        results = context_of(document, step.paused).results
        if step.prediction is not None:
            asked = list(_views(features, lesson, at, document, results, revealed=False))
            if sentence := _spoiler(lesson, at, step.prediction, earlier, asked):
                found.append((step.line, sentence))
        earlier += _views(features, lesson, at, document, results, revealed=True)
        if step.paused and step.show is not None and "playback" in step.show:  # the student may play the run to its end
            earlier += _views(features, lesson, at, document, context_of(document).results, revealed=True)
    return found


def _views(
    features: FeatureTable, lesson: Lesson, at: int, document: Document, results: Results, revealed: bool
) -> Iterator[LaneView]:
    """Yield what step `at` displays, before or after its picture is revealed."""
    step = lesson.steps[at]
    session = LessonSession(lesson, at, (StepState(),) * len(lesson.steps))
    if revealed:
        session = session.with_state(guess=replace(session.state.guess, revealed=True))
    whole = Session(playing=(not step.paused,) * MAX_LANES).having(session)
    if step.panel:
        whole = replace(whole, open_panels=frozenset({step.panel}))
    scene = compose(document, whole, results, features)
    covers = features.covered(document, whole)
    for lane in scene.lanes:
        yield LaneView(at, document, lane, covers.get(lane.slot, Cover.NOTHING), step.panel)


def _spoiler(lesson: Lesson, at: int, prediction: Prediction, earlier: list[LaneView], asked: list[LaneView]) -> str:
    """Return a sentence about how the question of step `at` is answered beforehand; "" if it is not."""
    if prediction.kind != "choice":
        what = "this boundary" if prediction.kind == "boundary" else "the pair that moves"
        for view in (*earlier, *asked):
            if view.is_of(asked[prediction.lane]) and _gives(view, prediction.kind):
                return _shows(view, at, what, "picture" if prediction.kind == "boundary" else "marks")
        return ""
    asked = [view for view in asked if not view.lane.lane.is_difference]  # a difference has no numbers
    asks = lesson.steps[at].asks
    views = [[view for view in (*earlier, *asked) if view.shown & asks and view.is_of(about)] for about in asked]
    if asked and all(views):
        latest = max((each[0] for each in views), key=lambda view: view.step)
        return _shows(latest, at, f"the {words_of(asks)}", words_of(asks))
    right = _plain(prediction.answers[prediction.right])
    for index in range(at + 1) if len(right) > 12 else ():
        if right in _plain(_words_of(lesson.steps[index], index < at)):
            return f"the words of step {index + 1} give the answer away."
    return ""


def _shows(view: LaneView, at: int, what: str, mend: str) -> str:
    """Return the sentence that a view shows `what`, and how to hide it."""
    where, word = ("its own step", "cover") if view.step == at else (f"step {view.step + 1}", "hide")
    return f"{where} shows {what}; write “{word}: {mend}” there."


def _gives(view: LaneView, kind: str) -> bool:
    """Whether the view shows the boundary, or the pair of the next step."""
    if kind == "boundary":
        return view.lane.picture is not None
    paused = view.lane.run_state is not None and not view.lane.run_state.at_end
    return paused and (view.lane.shows_pair or view.panel == "step")


def _words_of(step: Step, whole: bool) -> str:
    """Return the words of a step, and those after its reveal if `whole`."""
    texts = [step.title, step.text, step.hint]
    if whole and step.prediction is not None:
        texts.append(step.prediction.because)
    return " ".join(texts)


def _plain(text: str) -> str:
    """Return `text` in lower case without punctuation."""
    return " ".join(re.findall(r"[\w₀-₉²³]+", text.lower()))
