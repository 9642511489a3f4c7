"""Check: the output of `classifier-playground lesson check FILE...`: faults, spoilers, and faults of a translation.

A spoiler is a question whose answer is visible before it is asked.  Each step is rehearsed: its document is trained,
and its scene composed as the window does it, with its covers, once while the question is open and once after the
picture is revealed.  What these scenes display of a classifier (status line, badge, tips, marks, pair, boundary) is
then compared with later questions about the same classifier on the same points.
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

#: Subjects of questions, and patterns of the words that mention them.
SUBJECTS = {
    "the test accuracy": r"new points|test points|test accuracy|kept back|not seen|better\?",
    "the training accuracy": r"training accuracy|training points right|own (?:training )?points|points are right",
    "the crosses on wrong points": r"wrong about [^.]*\. which|which[^.]*wrong",
    "the rings on support vectors": r"(?:which|how many)[^.]*(?:support vectors|street touch|depend on|above 0)",
    "the street": r"which[^.]*(?:street|margin)",
    "the number of steps": r"steps[^?]*how many|(?:which|how many)[^.]*steps|faster",
}
#: What a step has to cover so that the answer about a subject stays hidden.
MENDS = {
    "the test accuracy": "test accuracy",
    "the training accuracy": "numbers",
    "the number of steps": "numbers",
    "the rings on support vectors": "numbers, marks",
    "the street": "picture",
}
#: Shares written in words.
WORDS = {"three quarters": 0.75, "half": 0.5, "a quarter": 0.25, "all of": 1.0, "none of": 0.0, "always": 1.0}
#: Largest difference between a displayed share and that of an answer, for rough and for exact answers.
ROUGHLY, EXACTLY = 0.03, 0.0051
_NUMBER = re.compile(r"(?<![^\s(])(\d+(?:\.\d+)?)(?=[\s,;:.]|$)")  # not a number in a formula
_SHARE = re.compile(r"(\d+(?:\.\d+)?) ?(?:%|(?:in|of|out of) 100\b)")
#: Numbers that are no answers: those of settings, and times, which vary.
_SETTING = re.compile(r"[\w₀-₉]+ = \S+|\d+(?:\.\d+)? m?s\b")
_SPACE = re.compile("(?<=\\d)[ \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}](?=\\d{3}\\b)")


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
    def text(self) -> str:
        """All text about the classifier."""
        lane = self.lane
        texts = [lane.headline, lane.details, lane.badge.text, lane.remark]
        texts += [part for score in lane.scores for part in (score.text, score.tip)]
        return _SPACE.sub("", "\n".join(texts))

    @property
    def counts(self) -> set[int]:
        """Numbers of points that have marks of each kind."""
        marks = self.lane.marks
        free, bounded, wrong = len(marks.free), len(marks.bounded), len(marks.wrong)
        return {free, bounded, free + bounded, wrong} - {0}

    def displays(self, subject: str) -> bool:
        """Whether the view shows the answer to a question about `subject`."""
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
                return _shows(view, at, what, "marks")
        return ""
    asked = [view for view in asked if not view.lane.lane.is_difference]  # a difference has no numbers
    given = {number for number in _values(prediction.question) if number[1]}
    for subject in (each for each, words in SUBJECTS.items() if re.search(words, prediction.question.lower())):
        # A number in the question itself is no secret.
        able = [view for view in (*earlier, *asked) if view.displays(subject) and not given & _values(view.text)]
        views = [[view for view in able if view.is_of(about)] for about in asked]
        if asked and all(views):
            latest = max((each[0] for each in views), key=lambda view: view.step)
            return _shows(latest, at, subject, MENDS.get(subject, "marks"))
    for view in (*earlier, *asked):
        number = _number_in(prediction, view) if any(view.is_of(about) for about in asked) else ""
        if number:
            return _shows(view, at, f"{number}, the answer", "numbers, marks")
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


def _number_in(prediction: Prediction, view: LaneView) -> str:
    """Return the displayed number that is the right answer; "" if there is none."""
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
    """Return the numbers in a text, each with whether it is a share."""
    text = _SETTING.sub("", text.replace("\N{NO-BREAK SPACE}", " ").lower())
    values = {(float(number) / 100, True) for number in _SHARE.findall(text)}
    values |= {(share, True) for words, share in WORDS.items() if words in text}
    return values | {(float(number), False) for number in _NUMBER.findall(_SHARE.sub("", text))}


def _words_of(step: Step, whole: bool) -> str:
    """Return the words of a step, and those after its reveal if `whole`."""
    texts = [step.title, step.text, step.hint]
    if whole and step.prediction is not None:
        texts.append(step.prediction.because)
    return " ".join(texts)


def _plain(text: str) -> str:
    """Return `text` in lower case without punctuation."""
    return " ".join(re.findall(r"[\w₀-₉²³]+", text.lower()))
