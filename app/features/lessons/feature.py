"""Lessons: steps with a text, a start and perhaps a question, answered before the picture is displayed."""

from app.controllers.controller import Controller
from app.engine.cover import Cover
from app.exchange.opening import Kind
from app.scene.feature import LESSONS, Action, Dock, Feature, LegendEntry, Widget

from . import matching, scene
from .controller import LessonController
from .state import LessonSession

STAGE = Widget("app.features.lessons.view_stage.LessonStage", ())


def _of(controller: Controller) -> LessonController:
    return controller.feature(LessonController)


def is_open(controller: Controller) -> bool:
    """Return whether a lesson is open."""
    return controller.session.of(LessonSession).lesson is not None


FEATURE = Feature(
    actions=(
        Action(
            "examples",
            "&File",
            "E&xamples…",
            ("Ctrl+Shift+O",),
            "Demonstrations, each ready to play with.",
            run=lambda around: around.part(STAGE).show_gallery("examples"),
            after="open",
        ),
        Action(
            "real_data",
            "&File",
            "Real &data…",
            (),
            "Iris, penguins, wine or breast cancer: two columns.",
            run=lambda around: around.part(STAGE).show_gallery("data"),
            after="import",
        ),
        Action(
            "lessons",
            LESSONS,
            "&Lessons…",
            ("Ctrl+Alt+L",),
            "Five minutes each: predict, then look.",
            run=lambda around: around.part(STAGE).show_gallery("lessons"),
        ),
        Action(
            "lesson_add",
            LESSONS,
            "New lesson &step…",
            (),
            "The present document as a step of your own lesson.",
            run=lambda around: around.part(STAGE).add_step(),
        ),
        Action(
            "worksheet",
            LESSONS,
            "Wor&ksheet…",
            (),
            "The lesson, or the picture on screen, as a PDF to draw into, with solutions; or as a quiz for Moodle.",
            run=lambda around: around.part(STAGE).ask_worksheet(),
        ),
        Action(
            "lesson", LESSONS, "Lesson &panel", (), "The text of the lesson that is open.", checkable=True, gap=True
        ),
        Action(
            "lesson_next",
            LESSONS,
            "&Next step",
            ("PgDown",),
            "The next step of the lesson; checks a guess first.",
            run=lambda around: _of(around.controller).next(),
            able=is_open,
            everywhere=True,
        ),
        Action(
            "lesson_back",
            LESSONS,
            "&Back",
            ("PgUp",),
            "The step before, as you left it.",
            run=lambda around: _of(around.controller).back(),
            able=is_open,
            everywhere=True,
        ),
        Action(
            "lesson_reset",
            LESSONS,
            "&Reset this step",
            (),
            "The step as it began; your changes to it are lost.",
            run=lambda around: _of(around.controller).reset(),
            able=is_open,
        ),
        Action(
            "lesson_leave",
            LESSONS,
            "Lea&ve the lesson",
            (),
            "All controls again, and your own document as it was before.",
            run=lambda around: _of(around.controller).leave(),
            able=is_open,
        ),
    ),
    dock=Dock(
        "lesson",
        "Lesson",
        Widget("app.features.lessons.panel.LessonPanel", ("controller", "do", "features")),
        group=-1,
        kept=False,
        needs=(),
        reveals=Cover.NOTHING,
        presented=True,
    ),
    queries=scene.queries,
    scene=scene.scene,
    covers=scene.covers,
    opens={Kind.LESSON: lambda around, source: around.part(STAGE).open(source)},
    sheets=scene.sheets,
    legend=(LegendEntry(matching.TARGET, "Boundary to be found"),),
    views={"overlay": Widget("app.features.lessons.overlay.LessonLayer", ())},
    help=(
        (
            "Lessons",
            "Lessons > Lessons",
            "five minutes each: predict, then see; leaving one brings your document back as it was",
        ),
        ("Lessons", "PageDown, PageUp", "the next step, and the one before as you left it; a clicker sends these"),
        ("Lessons", "1 – 4", "choose an answer; Reveal or PageDown checks it, and a wrong one may be tried again"),
        ("Lessons", "Drag, Ctrl+Z", "draw a boundary over a covered picture; take the last line back"),
    ),
)
