"""MainWindow: lay out the views, compose the scene after each change, and let every view draw it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import cast

from PySide6.QtCore import QByteArray, QEvent, QObject, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QApplication, QLayout, QMenuBar, QStyle, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.core.number_format import count
from app.core.plain_text import plain
from app.core.points import MAX_CLASSES
from app.engine.compile_ahead import CompileAhead
from app.engine.frames import Frame
from app.engine.run_state import RunState
from app.engine.scheduler import Scheduler
from app.exchange.opening import Kind, kind_of
from app.files.settings import QtState, Settings
from app.scene.background_requests import BackgroundRequests
from app.scene.compose import compose, follow_pointer
from app.scene.feature import FeatureTable, Widget
from app.scene.model import SETTINGS, Context, Scene
from app.state.document import Document
from app.tools import PointerPosition, point_at
from app.views import theme
from app.views.chart.saver import ChartSaver
from app.views.export import layout
from app.views.export.layout import PictureSpec, Shot, What, screen_size
from app.views.export.maker import PictureMaker
from app.views.garbage import Garbage
from app.views.surroundings import Surroundings
from app.views.task_runner import TaskRunner
from app.views.widgets import whats_this
from app.views.widgets.deferred import is_waiting, later
from app.views.widgets.drop_window import DropWindow
from app.views.widgets.inputs import filled, take_typed_number
from app.views.widgets.qt_dialogs import show_one
from app.window.audience.audience import Audience
from app.window.bars.tool_palette import ToolPalette
from app.window.bars.top_bar import TopBar
from app.window.dialogs.export_picture import PictureDialog
from app.window.dialogs.files import FileDialogs
from app.window.dialogs.help import HelpDialog, LogDialog
from app.window.dialogs.import_export import ImportExport
from app.window.lane.lanes import Lanes
from app.window.presenter.presenter import Presenter

from . import actions
from .announcer import Announcer
from .appearance import TEXT_STEP, Appearance
from .dock_manager import DockManager
from .drawn_first import DrawnFirst
from .example_stage import ExampleStage
from .held_key import HeldKey
from .picture_menu import PictureMenu, close_menus
from .safekeeping import Safekeeping
from .status_line import StatusLine
from .throttle import Throttle

BRUSH_STEP = 1.25
ABOUT = Widget("app.window.dialogs.about.AboutDialog")
#: Longest delay (s) before a change is drawn, so that it is drawn together with the lanes' new pictures: at least
#: `A_MOMENT`, a frame of most screens; if the last pictures took less than `SOON`, twice that time, and at most `SOON`.
A_MOMENT, SOON = 0.02, 0.05
#: Size at the first start, and the smallest at which all parts fit (pixels).
FIRST_SIZE, LEAST_WINDOW = (1280, 800), (1020, 560)


class MainWindow(DropWindow):
    """The window; `assemble` adds its parts.

    Parameters
    ----------
    settings : Settings
        What is remembered from one start to the next.
    features : FeatureTable
    """

    #: Emitted when the window has closed.
    closed = Signal()

    def __init__(self, settings: Settings, features: FeatureTable) -> None:
        super().__init__()
        self.settings, self.features = settings, features
        #: Whether the document is the user's: closing it asks about unsaved changes, opening it offers unsaved work.
        self.asks_to_save = True
        self._menu_bar = QMenuBar()
        self.scene: Scene | None = None
        self._picture_menu: PictureMenu | None = None
        #: The commands that are enabled by the state of document and session.
        self._rules: list[actions.Rule] = []
        #: Jobs drawn, by slot.
        self._jobs_drawn: dict[int, int] = {}
        #: Functions to call after the present state is drawn.
        self._when_drawn: list[Callable[[], object]] = []
        self.closed.connect(Garbage(self).stop)
        self.refreshing = Throttle(self, self._prepare, self.refresh)
        self._drawn_first = DrawnFirst(self, self.refreshing.flush, self._indices_kept)
        self._closed = self._shown = False
        self.setObjectName("window")
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)  # Qt's menu would hide toolbars permanently
        if QApplication.platformName() == "offscreen":  # it has no window manager to tell the least size, and complains
            cast(QLayout, self.layout()).setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)

    def assemble(
        self, controller: Controller, scheduler: Scheduler, preparation: CompileAhead, safekeeping: Safekeeping
    ) -> None:
        """Set the parts that need the window, and build the views."""
        self.controller, self.scheduler, self.compile_ahead = controller, scheduler, preparation
        self.safekeeping = safekeeping
        self._requests = BackgroundRequests(scheduler, self.features)
        self.appearance = Appearance(self, controller, self.settings, self.refresh)
        self.tasks = TaskRunner(self, lambda: controller.editing.busy, self.say, self.alert)
        self.file_dialogs = FileDialogs(self, controller, self.settings, safekeeping.claims, self.tasks)
        self.picture_maker = PictureMaker(scheduler, self.say, self.alert, self)
        self.import_export = ImportExport(self, controller, self.settings, self.tasks)
        safekeeping.attach(self, controller, self.settings, self.file_dialogs, self.tasks)
        self.bar = TopBar(controller)
        head = QWidget()
        rows = filled(QVBoxLayout(head), self._menu_bar, self.bar, margins=0, spacing=0)
        self.setMenuWidget(head)  # panels dock below it, so that the bar keeps its width
        self.lanes_view = Lanes(controller, self.features, self.refreshing.request, self._open_menu, self._settings)
        self.canvases = self.lanes_view.canvases
        self.setCentralWidget(self.lanes_view)
        self.surroundings = around = Surroundings(
            features=self.features,
            window=self,
            controller=controller,
            scheduler=scheduler,
            settings=self.settings,
            tasks=self.tasks,
            grids=lambda: tuple(canvas.grid() for canvas in self.canvases[: self.document.shown]),
            alert=self.alert,
            ask_where=self.import_export.ask_where,
            do=lambda name: self.named_actions[name].trigger(),
            closed=self.closed,
            docks=lambda: self.dock_manager,
            switch=self.switch,
            when_drawn=self.when_drawn,
            open_example=lambda example: self.examples.open(example),
            open_table=self.import_export.import_real,
            text_size=lambda: self.lanes_view.text_size,
        )
        self.examples = ExampleStage(around, self.file_dialogs)
        self._openers = self.file_dialogs.openers = self.import_export.openers = self.features.openers(around)
        ChartSaver(self, self.tasks, around.ask_where, self.say)
        self.dock_manager = DockManager(around, self.refreshing.request, self.lanes_view.one_line)
        controller.playback.run_state_of = self._run_state_of
        self.status_line, self._announcer = StatusLine(self._show_hint), Announcer(self, self.canvases)
        self.setStatusBar(self.status_line)
        self.tasks.show_above(self.status_line)
        self.named_actions, menus = actions.make_actions(self, self.features, self._handlers(), self.bar.add_command)
        self._folding = {title: menu for title, menu in menus.items() if actions.has_more(self.features, title)}
        self.tool_palette = ToolPalette(self, menus["&Tools"], controller.editing)
        safekeeping.add_recent_menu(menus["&File"], self.named_actions["save"])
        bars = (self.menuBar(), self.bar, self.tool_palette, self.status_line)
        resting = (self.named_actions["larger"], self.named_actions["smaller"])
        parts = (controller, self.lanes_view, self.dock_manager, bars, resting)
        self.presenter = Presenter(self, *parts, self.examples.follow)
        rows.addWidget(self.presenter.caption)
        self.audience = Audience(self, controller, self.features, self.settings, self.refreshing.request)
        self.audience.add_menu(menus["&View"])
        for number in range(MAX_CLASSES):
            QShortcut(QKeySequence(str(number + 1)), self).activated.connect(partial(controller.press_number, number))
        every = actions.every(self.features)
        self.dock_manager.share_keys([self.named_actions[each.name] for each in every if each.everywhere])
        self._rules = [
            *((self.named_actions[each.name], each.able) for each in every if each.able),
            *((self.named_actions[name], self.features.covers_nothing) for name in self.features.training()),
            *self.presenter.rules(),
        ]
        HeldKey(self, self.named_actions["marks"], lambda held: controller.set_session(points_away=held))
        controller.editing.hover = self._hover
        controller.pointer_changed = self._follow_pointer
        controller.store.listen(close_menus)
        self.resize(*FIRST_SIZE)
        geometry = self.settings.values.geometry.data
        self.restoreGeometry(QByteArray(geometry))
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
        screen = (self.screen().availableSize() - QSize(0, bar)).expandedTo(QSize(*LEAST_WINDOW))
        self.setMinimumSize(0, 0)  # before the theme is applied, the parts need more space than later
        self.resize(self.size().boundedTo(screen))
        self.appearance.begin(menus["&View"])
        controller.prefer_simple(self.settings.values.simple)
        # A user with points of their own needs no example.
        controller.set_session(first_start=not geometry and controller.document.is_generated)
        self._draw(self._compose())
        self.follow()  # pictures are requested when their size is known
        self.dock_manager.restore()
        self.settings.on_failure(self.say)
        self.canvases[0].setFocus()

    def menuBar(self) -> QMenuBar:
        """Return the menu bar: Qt would put a new one in place of what it stands in."""
        return self._menu_bar

    # -- what outsiders rely on ------------------------------------------------------------------------------------

    @property
    def document(self) -> Document:
        """The document."""
        return self.controller.document

    def take_files(self, paths: Sequence[Path]) -> None:
        """Open or import the first of these files, with the necessary questions; a feature may open all of its kind."""
        kind = kind_of(paths[0])
        if len(paths) > 1 and kind not in self._openers:
            left = count(len(paths) - 1, "other file")
            self.say(f"Only {plain(paths[0].name)} is taken, not {left}: drop them one by one.")
        if kind in self._openers:
            self._openers[kind](paths)
        elif kind is Kind.OTHER:
            self.import_export.import_file(paths[0])
        else:
            self.file_dialogs.open_path(paths[0])

    def take_text(self, text: str) -> None:
        """Open a share text, as one step."""
        self.import_export.open_text(text)

    def result(self, lane: int) -> Frame | None:
        """Return the newest frame of a lane: job number, model, certificate."""
        return self.scheduler.results.frame(self.document.slots[lane])

    def to_widget(self, lane: int, x: float, y: float) -> QPoint:
        """Return the pixel of the lane's canvas for (x, y) in the present view, which may not be drawn yet."""
        return self.canvases[lane].to_widget(x, y)

    def idle(self) -> bool:
        """Return whether nothing is pending or running, and the last frame has been painted."""
        if self.compile_ahead.running or self.refreshing.pending or self.tasks.busy or not self.scheduler.idle:
            return False
        unpainted = any(canvas.isVisible() and canvas.unpainted for canvas in self.canvases[: self.document.shown])
        return not (unpainted or self.audience.unpainted or is_waiting())

    # -- composing -------------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """Handle a change of document or session: enable commands at once, and draw soon.

        Qt drops the key of a disabled command, or gives it to the widget that has the focus: that cannot wait.
        """
        if not self._closed:  # a floating panel is hidden, and changes the session, when the window is being deleted
            for command, able in self._rules:
                command.setEnabled(able(self.controller))
            self._drawn_first.begin()
            self.refreshing.request()

    def _prepare(self) -> float | None:
        """Request pictures and answers at once; return how long (s) the drawing may wait for pictures that arrive soon.

        Return None after a part of the window was made, which takes as long as drawing: input is handled in between.
        """
        if self.lanes_view.make_one(self.document.shown):
            return None
        self.scheduler.collect()
        if not self._indices_kept():
            return 0.0
        self._request()
        slowest = max(map(self.scheduler.delay, self.document.slots[: self.document.shown]), default=0.0)
        return max(A_MOMENT, min(2.0 * slowest, SOON)) if self.scheduler.are_near(self._jobs_drawn, SOON) else 0.0

    def _indices_kept(self) -> bool:
        """Return whether lanes are displayed at their present indices; then an action by index hits the right one."""
        drawn = () if self.scene is None else self.scene.lanes
        return tuple(lane.slot for lane in drawn) == self.document.slots[: self.document.shown]

    @Slot()
    def refresh(self) -> None:
        """Compose the scene, draw it, and request what it is to show."""
        self.refreshing.end()
        self._drawn_first.end()
        if self._closed:
            return
        requested = not self.scheduler.collect() and self.refreshing.prepared and self._indices_kept()
        self._draw(self._compose())
        if not requested:  # a layout that changes in the drawing requests a refresh of its own
            self._request()
        self.controller.playback.follow_results()
        for act in self._when_drawn:
            later(self, act)
        self._when_drawn.clear()

    def when_drawn(self, act: Callable[[], object]) -> None:
        """Call `act` once the present state has been drawn, and all parts are laid out."""
        self._when_drawn.append(act)
        self.refreshing.request()

    def _follow_pointer(self) -> None:
        """Compose, draw and request what follows the pointer, unless all is going to be drawn anyway."""
        if self.scene is not None and not (self.refreshing.pending or self._closed):
            self.scene = follow_pointer(self.scene, self._context(), self.features)
            for canvas in self.canvases[: self.scene.shown]:
                canvas.follow_pointer(self.scene)
            self.dock_manager.follow_pointer(self.scene)
            self.audience.follow_pointer(self.scene)
            self._request()

    def _present(self) -> Scene:
        """Return the present scene, which may not be drawn yet."""
        if self.scene is not None and not self.refreshing.pending:
            return self.scene
        self.scheduler.collect()
        return self._compose()

    def _compose(self, uncovered: bool | None = None) -> Scene:
        """Compose and return the present scene; `uncovered` as in `compose`, by default that of this window."""
        store, session = self.controller.store, self.controller.session
        return compose(
            store.document,
            session,
            self.scheduler.results,
            self.features,
            title=self.controller.title,
            modified=store.modified and self.controller.aside is None,
            history=store.history,
            position=store.position,
            saved_at=store.saved_position,
            pointer=self.controller.pointer,
            came_from=self.controller.came_from,
            uncovered=session.peeks if uncovered is None else uncovered,
        )

    def _draw(self, scene: Scene) -> None:
        old, self.scene = self.scene, scene
        dress, anew = self.appearance.dress(scene)
        if anew:
            tools = {f"tool.{name}": each for name, each in self.tool_palette.actions_by_tool.items()}
            actions.set_icons(self.named_actions | tools, dress, self.devicePixelRatioF())
        self.presenter.begin_or_end(scene)
        self.lanes_view.render_scene(scene, dress, anew)
        self.lanes_view.show_offer(scene, self.named_actions)
        self.bar.render_scene(scene, dress)
        self.tool_palette.render_scene(scene)
        self.dock_manager.render_scene(scene, dress, self.named_actions)
        self.presenter.render_scene(scene, dress)
        self.audience.render_scene(self._compose(uncovered=False) if scene.session.peeks else scene, dress)
        name = scene.title.replace("[*]", "[*][*]")  # doubled it is literal; single, it marks a modified document
        self.setWindowTitle(f"{name}[*] – Classifier Playground")
        self.setWindowModified(scene.modified)
        for name, what, word in (("undo", scene.undo, "Undo"), ("redo", scene.redo, "Redo")):
            action = self.named_actions[name]
            action.setText(f"&{word} {what or ''}".rstrip())
            action.setIconText(word)
            action.setToolTip(actions.tip_of(action, what or f"There is nothing to {word.lower()}."))
        if old is None or old.session.simple != scene.session.simple:
            for title, menu in self._folding.items():
                actions.fill_menu(menu, self.features, title, self.named_actions, scene.session.simple)
        for spec in actions.every(self.features):
            if (checked := spec.checked(scene)) is not None:
                self.named_actions[spec.name].setChecked(checked)
        self.named_actions["full_screen"].setChecked(self.isFullScreen())
        for name in self.controller.playback.verbs(lambda: 0):
            action = self.named_actions[name]
            if action.isEnabled() == bool(scene.no_run):
                action.setEnabled(not scene.no_run)
                action.setToolTip(actions.tip_of(action, scene.no_run) if scene.no_run else action.whatsThis())
        self._jobs_drawn = {lane.slot: lane.job for lane in scene.lanes}
        if self._shown and all(self._jobs_drawn.values()):
            later(self, self.compile_ahead.begin)  # once these pictures are painted
        self.status_line.show_progress(self.compile_ahead.progress or self.audience.note)
        self._show_hint()

    def _request(self) -> None:
        """Request missing pictures and answers for the present state."""
        context = self._context()
        shades = theme.dressed(theme.theme_of(context.session.dark), context.document.styles).shades
        self._requests.update(context, shades)

    def _context(self) -> Context:
        document, session = self.controller.document, self.controller.session
        view = document.view
        grids = tuple(
            self.audience.grid(index, canvas.grid_for(view), view)
            for index, canvas in enumerate(self.canvases[: document.shown])
        )
        covered = {} if session.peeks else self.features.covered(document, session)
        results = self.scheduler.results.without(covered)
        return Context(document, session, results, grids, self.controller.pointer, self.controller.came_from)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._shown:
            self._shown = True
            self.dock_manager.make_room()
            if self.controller.session.first_start and (handle := self.windowHandle()) is not None:
                handle.installEventFilter(self)  # until the first click anywhere
        if self.asks_to_save:
            self.safekeeping.offer_soon()
        self._drawn_first.begin()
        self.refreshing.request()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.MouseButtonRelease:
            watched.removeEventFilter(self)
            later(self, lambda: self.controller.set_session(first_start=False))  # after the click is handled
        return super().eventFilter(watched, event)

    def _settings(self, lane: int) -> None:
        """Show the settings of a lane in their panel, or close that."""
        before, focus = self.controller.session, self.focusWidget()
        self.controller.lanes.select(lane)
        if SETTINGS not in before.open_panels or self.controller.session is before:
            self.dock_manager.toggle(SETTINGS)
            (self.canvases[lane] if focus is None or not focus.isVisible() else focus).setFocus()

    def _run_state_of(self, lane: int) -> RunState | None:
        """Return the newest state of a lane's run."""
        lanes = self._present().lanes
        return lanes[lane].run_state if lane < len(lanes) else None

    # -- actions ---------------------------------------------------------------------------------------------------

    def _handlers(self) -> dict[str, Callable[[], object]]:
        every = actions.every(self.features)
        controller, questions = self.controller, self.file_dialogs
        editing = controller.editing
        return {
            "new": lambda: questions.unless_unsaved(controller.new),
            "open": lambda: questions.unless_unsaved(questions.ask_open),
            "start_over": self.examples.start_over,
            "save": questions.save,
            "save_as": questions.ask_save,
            "revert": questions.revert,
            "import": self.import_export.ask_import,
            "import_clipboard": lambda: self.import_export.import_clipboard(),
            "export": self.import_export.ask_export,
            "picture": self.ask_picture,
            "quit": self.close,
            "undo": controller.undo,
            "redo": controller.redo,
            "cut": self.import_export.cut,
            "copy": self.import_export.copy,
            "paste": self.import_export.paste,
            "copy_text": lambda: self.import_export.copy_as_text(questions.ask_save),
            "duplicate": lambda: editing.duplicate(self.canvases[0].unit()),
            "relabel": lambda: editing.relabel_selected(controller.session.active_class),
            "remove": lambda: editing.delete(self._pointer_position(), self.canvases[0].unit()),
            "select_all": editing.select_all,
            "select_none": editing.select_none,
            "invert": editing.invert_selection,
            "smaller_brush": lambda: editing.resize(1 / BRUSH_STEP),
            "larger_brush": lambda: editing.resize(BRUSH_STEP),
            "clear": controller.clear,
            "generate": controller.generate,
            "fit": controller.fit,
            "larger": lambda: self.appearance.change_text(TEXT_STEP),
            "smaller": lambda: self.appearance.change_text(-TEXT_STEP),
            "full_screen": self._toggle_full_screen,
            "simple": self.appearance.toggle_simple,
            **controller.playback.verbs(lambda: self._present().run_lane),
            "help": lambda: show_one(self, HelpDialog, self.features),
            "whats_this": lambda: whats_this.begin(self),
            "log": lambda: show_one(self, LogDialog),
            "about": lambda: show_one(self, ABOUT.kind, self.settings.folder, self.safekeeping.folder),
            **self.dock_manager.handlers(),
            **{spec.name: run for spec in every if (run := spec.handler(self.surroundings)) is not None},
        }

    def switch(self, names: Collection[str], among: Iterable[str]) -> None:
        """Switch on the commands of `among` that are in `names`, and switch off the others."""
        self.refreshing.flush()  # which updates the commands
        for name in sorted(among):
            if self.named_actions[name].isChecked() != (name in names):
                self.named_actions[name].trigger()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Space reaches the window if the focused widget does not handle it.
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self.controller.toggle_pause()
        else:
            super().keyPressEvent(event)

    def _pointer_position(self) -> PointerPosition | None:
        """Return the location of the pointer, if it is over a picture."""
        return next((pointer for canvas in self.canvases if (pointer := canvas.pointer_position()) is not None), None)

    def _toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)
        self.refreshing.request()

    def ask_picture(self) -> None:
        """Open the dialog that exports a picture, as displayed when the user confirms."""
        if self.findChild(PictureDialog) is not None:
            return
        scene = self._present()
        PictureDialog(
            self,
            self.settings,
            [lane.lane.title for lane in scene.lanes],
            scene.session.dark,
            lambda what: screen_size(self.canvases[: scene.shown], what),
            self.shoot,
            self.picture_maker.make,
            self.alert,
        ).open()

    def copy_picture(self, lane: int) -> None:
        """Copy the picture of a lane to the clipboard, as on screen."""
        what = cast("What", f"lane{lane}")
        shot = self.shoot(what)
        width, height, scale = screen_size(self.canvases[: shot.scene.shown], what)
        spec = PictureSpec(what, width, height, scale, shot.scene.session.dark, self.settings.values.picture_legend)
        self.picture_maker.make(shot, spec, None)

    def _open_menu(self, lane: int, pointer: PointerPosition | None, at: QPoint) -> None:
        if self._picture_menu is None:
            self._picture_menu = PictureMenu(self.surroundings, self.named_actions, self.copy_picture)
        self._picture_menu.open_at(lane, pointer, at)

    def shoot(self, what: What) -> Shot:
        scene, results = self._present(), self._context().results
        return layout.shoot(self.features, scene, [results.frame(lane.slot) for lane in scene.lanes], what)

    # -- status bar ------------------------------------------------------------------------------------------------

    def say(self, sentence: str) -> None:
        """Show the user a sentence, for a while or until the next change; "" removes it."""
        self.status_line.say(sentence, self.document)
        self._show_hint()

    def alert(self, sentence: str) -> None:
        """Show a message box with a sentence that must not be overlooked."""
        self.file_dialogs.alert(sentence)

    def _hover(self, pointer: PointerPosition | None) -> None:
        """Handle the pointer's movement over a picture, or that it has left it."""
        self._show_hint()
        self.presenter.aim(pointer)
        self.audience.aim(pointer)
        for feature in self.features:
            if feature.pointed is not None:
                feature.pointed(self.controller, pointer)
        if self.scene is not None and (self.scene.shows_run or self.controller.session.hovered is not None):
            point = None if pointer is None or not self.scene.shows_run else point_at(self.document, pointer)
            self.controller.playback.hover(None if point is None else int(self.document.points.ids[point]))

    def _show_hint(self) -> None:
        self.status_line.show_hint(self.document, self.controller.session, self._pointer_position())
        self._announcer.follow(self.scene, self.status_line.message)

    # -- closing -------------------------------------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        take_typed_number()
        if not self._closed and self.tasks.hold(self.close):
            event.ignore()
            return
        if self.asks_to_save and self.controller.own.modified and not self._closed:
            event.ignore()
            self.file_dialogs.unless_unsaved(self._close_for_good)
            return
        self._finish()
        event.accept()

    def _close_for_good(self) -> None:
        self._finish()
        self.close()

    def _finish(self) -> None:
        if not self._closed:
            self._closed = True
            self.refreshing.close()
            self.audience.close()
            self.presenter.end()  # so that the usual window is remembered
            self.settings.write(geometry=QtState.of(bytes(self.saveGeometry().data())))
            self.safekeeping.close()
            self.dock_manager.remember()
            self.tasks.close()
            self.picture_maker.close()
            self.scheduler.close()
            self.closed.emit()
