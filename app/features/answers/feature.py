"""Answers: handed in by each learner, and displayed together to the class."""

from app.exchange.opening import Kind
from app.features.lessons.feature import is_open
from app.features.lessons.state import LessonSession
from app.scene.feature import LESSONS, Action, Feature, Widget

from . import scene
from .controller import AnswersController

READER = Widget("app.features.answers.window.AnswerReader", ())

FEATURE = Feature(
    actions=(
        Action(
            "hand_in",
            LESSONS,
            "Hand &in answers…",
            (),
            "Your answers to the lesson, as one small text for your teacher.",
            able=is_open,
            gap=True,
        ),
        Action(
            "class_answers",
            LESSONS,
            "Answers of the &class",
            (),
            "Show or hide what learners handed in, all in one picture; or count raised hands.",
            checkable=True,
            run=lambda around: around.controller.feature(AnswersController).toggle(),
            on=lambda scene: scene.session.of(LessonSession).for_class,
            able=is_open,
        ),
        Action(
            "open_answers",
            LESSONS,
            "&Open answers…",
            (),
            "Files that learners handed in, as many as you like at once.",
            run=lambda around: around.part(READER).ask(),
            able=is_open,
        ),
        Action(
            "paste_answers",
            LESSONS,
            "P&aste answers",
            (),
            "Texts that learners handed in, one below the other.",
            run=lambda around: around.part(READER).paste(),
            able=is_open,
        ),
    ),
    window=(
        "hand_in",
        Widget("app.features.answers.window.HandInDialog", ("controller", "window", "tasks", "ask_where")),
    ),
    scene=scene.scene,
    opens={Kind.ANSWERS: lambda around, source: around.part(READER).open(source)},
    views={
        "overlay": Widget("app.features.answers.overlay.ClassLayer", ()),
        "lesson": Widget("app.features.answers.panel.ClassPanel", ("controller", "do")),
    },
    help=(
        (
            "Lessons",
            "Lessons > Hand in answers",
            "answers, drawn boundaries and solved steps as one small text or file, with a nickname if you like",
        ),
        (
            "Lessons",
            "Lessons > Answers of the class",
            "what many handed in: bars, all boundaries over each other, then Reveal; or count raised hands",
        ),
    ),
)
