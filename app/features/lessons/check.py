"""Check: what `classifier-playground lesson check FILE...` prints: faults, spoilers, and faults of a translation.

A spoiler is a question whose answer is in sight before it is asked.  Each step is rehearsed: its document is trained,
and its scene composed as the window does it, covers and all, once while its question waits and once when the picture
is shown.  What these scenes display of a classifier (status line, badge, tips, marks, pair, boundary) is then compared
with what later questions about the same classifier on the same points ask.
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
from .reading import examined, read, text_of
from .rehearsal import context_of
from .state import LessonSession, StepState
from .translation import differences

#: What a question may be about, and the words that say so.
SUBJECTS = {
    "the test accuracy": r"new points|test points|test accuracy|kept back|not seen|better\?",
    "the training accuracy": r"training accuracy|training points right|own (?:training )?points|points are right",
    "the crosses on wrong points": r"wrong about [^.]*\. which|which[^.]*wrong",
    "the rings on support vectors": r"(?:which|how many)[^.]*(?:support vectors|street touch|depend on|above 0)",
    "the street": r"which[^.]*(?:street|margin)",
    "the number of steps": r"steps[^?]*how many|(?:which|how many)[^.]*steps|faster",
}
#: How to keep each from being seen.
MENDS = {
    "the test accuracy": "test accuracy",
    "the training accuracy": "numbers",
    "the number of steps": "numbers",
    "the rings on support vectors": "numbers, marks",
    "the street": "picture",
}
#: Shares in words.
WORDS = {"three quarters": 0.75, "half": 0.5, "a quarter": 0.25, "all of": 1.0, "none of": 0.0, "always": 1.0}
#: How far a share on screen may be from one that an answer gives, roughly or exactly.
ROUGHLY, EXACTLY = 0.03, 0.0051
_NUMBER = re.compile(r"(?<![^\s(])(\d+(?:\.\d+)?)(?=[\s,;:.]|$)")  # none of a formula
_SHARE = re.compile(r"(\d+(?:\.\d+)?) ?(?:%|(?:in|of|out of) 100\b)")
#: Numbers that are no answer: of settings, and seconds, which are others each time.
_SETTING = re.compile(r"[\w₀-₉]+ = \S+|\d+(?:\.\d+)? m?s\b")
_SPACE = re.compile("(?<=\\d)[ \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}](?=\\d{3}\\b)")


def check(features: FeatureTable, files: Sequence[Path], against: Path | None = None) -> tuple[list[str], bool]:
    """A line for each fault, or one that says that a file is sound; and whether all are.

    Each file is compared with the lesson `against`, which it translates, if there is one; FileError where that has a
    fault.
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
        Place of the step.
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
        """Whether both are of one classifier, trained on the same points."""
        points, others = self.document.training_points, other.document.training_points
        mine, theirs = (_settings(each.lane.lane, points.classes) for each in (self, other))
        return mine == theirs and points.same_as(others)

    @property
    def text(self) -> str:
        """All that is written about it."""
        lane = self.lane
        said = [lane.headline, lane.details, lane.badge.text, lane.remark]
        said += [part for score in lane.scores for part in (score.text, score.tip)]
        return _SPACE.sub("", "\n".join(said))

    @property
    def counts(self) -> set[int]:
        """How many points have marks of each kind."""
        marks = self.lane.marks
        free, bounded, wrong = len(marks.free), len(marks.bounded), len(marks.wrong)
        return {free, bounded, free + bounded, wrong} - {0}

    def displays(self, subject: str) -> bool:
        """Whether the answer to a question about `subject` can be read off it."""
        marked = self.lane.picture is not None and Cover.MARKS not in self.cover
        trainer = self.lane.lane.trainer
        if subject in ("the test accuracy", "the training accuracy"):
            word = subject.split()[1]
            return any(score.text.startswith(f"{word} ") and "%" in score.text for score in self.lane.scores)
        ended = self.lane.badge.mood is not Mood.RESTING
        if subject == "the number of steps":
            return ended and re.search(r"\d+ (?:steps|mistakes)", self.text) is not None
        if subject == "the crosses on wrong points":
            return marked
        if trainer is None or not trainer.has_margins:
            return False
        if subject == "the street":
            return self.lane.picture is not None
        return ended and (marked or "support vectors:" in self.text)


def _settings(lane: Lane, classes: Sequence[int]) -> tuple[object, ...]:
    """What applies to a lane: its classifier, and the settings that make a difference."""
    fields = [field for field in lane.family.fields if field.kind != "text" and field.shown(lane.settings, classes)]
    names = {name for field in fields for name in (field.parameter, field.end) if name}
    return lane.classifier, lane.standardises, *sorted((name, str(getattr(lane.settings, name))) for name in names)


def spoilers(features: FeatureTable, lesson: Lesson) -> list[tuple[int, str]]:
    """Return line and sentence of each question that is answered before it is asked."""
    found: list[tuple[int, str]] = []
    seen: list[LaneView] = []
    for at, step in enumerate(lesson.steps):
        try:
            document = starting.start_of(lesson, at)
        except FileError:
            return found
        results = context_of(document, step.paused).results
        if step.prediction is not None:
            asked = list(_views(features, lesson, at, document, results, revealed=False))
            if sentence := _spoiler(lesson, at, step.prediction, seen, asked):
                found.append((step.line, sentence))
        seen += _views(features, lesson, at, document, results, revealed=True)
        if step.paused and step.show is not None and "playback" in step.show:  # the student goes on to the end
            seen += _views(features, lesson, at, document, context_of(document).results, revealed=True)
    return found


def _views(
    features: FeatureTable, lesson: Lesson, at: int, document: Document, results: Results, revealed: bool
) -> Iterator[LaneView]:
    """Yield what the step at place `at` displays, before or after its picture is shown."""
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


def _spoiler(lesson: Lesson, at: int, prediction: Prediction, seen: list[LaneView], asked: list[LaneView]) -> str:
    """Return how the question of the step at place `at` is answered beforehand, in a sentence; "" where it is not."""
    if prediction.kind != "choice":
        what = "this boundary" if prediction.kind == "boundary" else "the pair that moves"
        for view in (*seen, *asked):
            if view.is_of(asked[prediction.lane]) and _gives(view, prediction.kind):
                return _shows(view, at, what, "marks")
        return ""
    asked = [view for view in asked if not view.lane.lane.is_difference]  # which has no numbers of its own
    given = {number for number in _values(prediction.question) if number[1]}
    for subject in (each for each, words in SUBJECTS.items() if re.search(words, prediction.question.lower())):
        # A number that the question itself gives is no secret.
        able = [view for view in (*seen, *asked) if view.displays(subject) and not given & _values(view.text)]
        views = [[view for view in able if view.is_of(about)] for about in asked]
        if asked and all(views):
            latest = max((each[0] for each in views), key=lambda view: view.step)
            return _shows(latest, at, subject, MENDS.get(subject, "marks"))
    for view in (*seen, *asked):
        number = _number_in(prediction, view) if any(view.is_of(about) for about in asked) else ""
        if number:
            return _shows(view, at, f"{number}, the answer", "numbers, marks")
    right = _plain(prediction.answers[prediction.right])
    for place in range(at + 1) if len(right) > 12 else ():
        if right in _plain(_words_of(lesson.steps[place], place < at)):
            return f"the words of step {place + 1} give the answer away."
    return ""


def _shows(view: LaneView, at: int, what: str, mend: str) -> str:
    """Return the sentence that a view shows `what`, and what to write there instead."""
    where, word = ("its own step", "cover") if view.step == at else (f"step {view.step + 1}", "hide")
    return f"{where} shows {what}; write “{word}: {mend}” there."


def _gives(view: LaneView, kind: str) -> bool:
    """Whether the view shows the boundary, or the pair that moves."""
    if kind == "boundary":
        return view.lane.picture is not None
    paused = view.lane.run_state is not None and not view.lane.run_state.at_end
    return paused and (view.lane.shows_pair or view.panel == "step")


def _number_in(prediction: Prediction, view: LaneView) -> str:
    """The number on screen that is the right answer; "" for none."""
    right = prediction.answers[prediction.right]
    others = set().union(*(_values(each) for each in prediction.answers if each != right))
    for value, is_share in _values(right) - others:
        for shown, shown_share in _values(view.text):
            near = ROUGHLY if is_share and "about" in right.lower() else EXACTLY if is_share or value % 1 else 0.0
            if is_share == shown_share and abs(value - shown) <= near:
                return f"{100 * shown:.4g} %" if is_share else f"{shown:g}"
        if not is_share and value in view.counts:
            return f"{value:g} marked points"
    return ""


def _values(text: str) -> set[tuple[float, bool]]:
    """Numbers in a text, and whether they are shares."""
    text = _SETTING.sub("", text.replace("\N{NO-BREAK SPACE}", " ").lower())
    values = {(float(number) / 100, True) for number in _SHARE.findall(text)}
    values |= {(share, True) for words, share in WORDS.items() if words in text}
    return values | {(float(number), False) for number in _NUMBER.findall(_SHARE.sub("", text))}


def _words_of(step: Step, whole: bool) -> str:
    """What a step says by itself, and after its reveal where `whole`."""
    said = [step.title, step.text, step.hint]
    if whole and step.prediction is not None:
        said.append(step.prediction.because)
    return " ".join(said)


def _plain(text: str) -> str:
    """`text` in small letters without punctuation."""
    return " ".join(re.findall(r"[\w₀-₉²³]+", text.lower()))
