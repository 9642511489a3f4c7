"""Composition root: the command line, `create_window`, and `render`, which draws the window into a file."""

from __future__ import annotations

import argparse
import errno
import io
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from msgspec import Struct

from .core.version import NAME, __version__
from .features.study import arguments as study_arguments

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.exchange.choosing import Chosen
    from app.exchange.opening import Contents
    from app.features.lessons.model import Lesson
    from app.files.documents import Fingerprint
    from app.state.document import Document
    from app.window.main_window import MainWindow

LEAST_SIZE = (980, 560)  # of a picture of the window, which can go without the tools
DEFAULT_SIZE = (1280, 800)
#: Most points for which plain numpy makes the first pictures, and the time for them (s).
FEW, PLAIN_FIRST = 300, 1.0
#: Exit code after Ctrl+C, as shells report it.
STOPPED = 130
#: The application for windows opened by scripts; without a reference, Qt would delete it.
_kept: QApplication | None = None


def create_window(
    document: Document | None = None,
    profile_dir: Path | None = None,
    path: Path | None = None,
    on_disk: Fingerprint | None = None,
    modified: bool = False,
    classifiers: Sequence[Any] = (),
) -> MainWindow:
    """Return a working window, not shown yet; its classifiers learn while an event loop runs.

    Parameters
    ----------
    document : Document, optional
        Default: two moons, kNN beside an SVM.
    profile_dir : Path, optional
        Folder for settings, recovery copies and locks; default: the user's folders for these.
    path : Path, optional
        File that `document` was read from.
    on_disk : Fingerprint, optional
        Fingerprint of that file when it was read; default: the present one.
    modified : bool
        `document` has not been saved.
    classifiers : sequence of objects, default=()
        Objects with fit and predict, each for one more lane; at most four lanes in all.

    Raises
    ------
    ValueError
        If one of `classifiers` cannot be a lane; one sentence.
    """
    import platformdirs

    from app.arrays import with_classifiers
    from app.controllers.controller import Controller
    from app.core import log
    from app.engine.compile_ahead import CompileAhead
    from app.engine.scheduler import Scheduler
    from app.features.relief.z_buffer import warm_up
    from app.features.table import FEATURES
    from app.files import documents
    from app.files.settings import Settings
    from app.learners.passed import withdraw
    from app.state.document import MAX_LANES, default_document
    from app.state.session import Session
    from app.state.store import Store
    from app.views.application import make_application
    from app.window.main_window import MainWindow
    from app.window.safekeeping import Safekeeping

    document = with_classifiers(document or default_document(), classifiers)
    make_application()
    folder = profile_dir or Path(platformdirs.user_config_dir(NAME, False))
    window = MainWindow(Settings(folder / "settings.json"), FEATURES)
    store = Store(document, path)
    if modified:
        store.reset(store.document, path, modified=True)
    scheduler = Scheduler(MAX_LANES, window.refreshing.request)
    controller = Controller(store, Session(), window.follow, window.say, scheduler.results)
    if path is not None:
        controller.on_disk = on_disk or documents.fingerprint(path)
    state_folder = profile_dir or Path(platformdirs.user_state_dir(NAME, False))
    log.start(state_folder)
    safekeeping = Safekeeping(state_folder)
    # With few points, plain numpy is fast enough to make the first pictures before machine code is loaded.
    waiting = PLAIN_FIRST if len(store.document.points) <= FEW else 0.0
    window.assemble(controller, scheduler, CompileAhead(window.refreshing.request, waiting, warm_up), safekeeping)
    own = [lane.family for lane in document.lanes if not lane.family.in_files]
    window.closed.connect(lambda: withdraw(own))
    return window


def work_on(document: Document) -> Document:
    """Open a window on `document`, wait until it is closed, and return the document that it then has.

    Raises
    ------
    RuntimeError
        If there is no display, and so no way to close the window.
    """
    from PySide6.QtCore import QEventLoop
    from PySide6.QtWidgets import QApplication

    from app.views.application import make_application, no_display

    global _kept
    if QApplication.instance() is None and no_display() and not os.environ.get("QT_QPA_PLATFORM"):
        raise RuntimeError("There is no display to open a window on.")
    application = _kept = make_application()
    window = create_window(document, modified=True)
    window.asks_to_save = False
    loop, quits = QEventLoop(), application.quitOnLastWindowClosed()
    window.closed.connect(loop.quit)
    application.setQuitOnLastWindowClosed(False)  # the caller's application decides when it ends
    try:
        window.show()
        loop.exec()
    finally:
        window.close()
        application.setQuitOnLastWindowClosed(quits)
        window.deleteLater()
    return window.document


def render(document: Document, out: Path, size: tuple[int, int], theme: str) -> str:
    """Draw the window with `document`, after all training, into the PNG file `out`; return a summary."""
    from app.files import documents
    from app.scene.text import details
    from app.views.application import make_application
    from app.views.png_bytes import png_bytes
    from app.window.main_window import LEAST_WINDOW

    application = make_application()
    with tempfile.TemporaryDirectory() as profile:
        window = create_window(document, Path(profile))
        window.appearance.choose_theme(theme)
        window.controller.set_session(first_start=False)  # without the offer of a first start
        window.tool_palette.setVisible(size[0] >= LEAST_WINDOW[0])
        window.resize(*size)
        window.show()
        while not window.idle():
            application.processEvents()
            time.sleep(0.002)
        documents.write_bytes(png_bytes(window.grab().toImage()), out)
        lines = [f"{len(document.points)} points in {len(document.points.classes)} classes"]
        for index, lane in enumerate(() if window.scene is None else window.scene.lanes):
            frame = window.result(index)
            lines += [f"{lane.lane.title}: {lane.headline}", f"    {details(frame)}" if details(frame) else ""]
        window.close()
    return "\n".join(line for line in lines if line)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        message = "".join(sign if sign.isprintable() else "?" for sign in message)  # a file name may have line ends
        self.exit(2, f"{NAME}: {message} (see {NAME} --help)\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stderr:
            super()._print_message(message, file)
        else:  # help and version: argparse would ignore that they cannot be printed
            _print_text(message)


class _Licences(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *rest: Any) -> None:
        from app.files import licences

        _print_text(licences.notice())
        parser.exit()


def _print_text(text: str) -> None:
    """Print `text` and flush; if that fails, end with one sentence and exit code 1."""
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        if sys.stdout is not None:  # else Python would flush the buffer again at exit, with a traceback
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if sys.stderr is not None:
            sys.stderr.write(f"{NAME}: nothing can be printed: {(error.strerror or type(error).__name__).lower()}.\n")
        raise SystemExit(1) from None


def _occupy_standard_files() -> None:
    """Open closed standard files: otherwise a saved document could get their number, and warnings written into it."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


class _Command(Struct, frozen=True):
    """A command, chosen by the first word of the command line.

    Attributes
    ----------
    description : str
        Description in its help.
    arguments : tuple of callable
        Functions that add arguments to a parser.
    run : callable
        ``run(options, opened)`` runs it and returns the exit code, None for 0; raises FileError for an unusable file,
        and ArgumentTypeError for arguments that exclude each other.
    epilog : str
        Last lines of its help.
    """

    description: str
    arguments: tuple[Callable[[_Parser], object], ...]
    run: Callable[[argparse.Namespace, _Opened], int | None]
    epilog: str = ""


def _argument(*names: str, **options: Any) -> Callable[[_Parser], object]:
    return lambda parser: parser.add_argument(*names, **options)


def _one_of(dest: str, **choices: str) -> Callable[[_Parser], object]:
    """Return a function that adds exclusive switches, with their help; `dest` gets the name of the one used, or ""."""

    def add(parser: _Parser) -> None:
        group = parser.add_mutually_exclusive_group()
        for name, text in choices.items():
            group.add_argument(f"--{name}", dest=dest, action="store_const", const=name, default="", help=text)

    return add


#: Prefixes of a path in the address of a file (RFC 8089).
FILE_ADDRESSES = ("file://localhost/", "file:///", "file:/")


def _path(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("the file name is empty")
    # Some desktops pass the address of a file that was clicked.
    beginning = next((each for each in FILE_ADDRESSES if text.lower().startswith(each)), None)
    if beginning is not None:
        from urllib.request import url2pathname

        return Path(url2pathname(f"/{text[len(beginning) :]}"))
    return Path(text)


def _folder(text: str) -> Path:
    if os.path.exists(text) and not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"{text} is not a folder")
    return _path(text)


def _typed(read: Callable[[str], Any], what: str) -> Callable[[str], Any]:
    """Return the type of an argument that `read` converts; `what` says in the error how to write it."""

    def typed(text: str) -> Any:
        try:
            return read(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no {what}") from None

    return typed


def _two_numbers(text: str) -> tuple[int, int]:
    width, height = map(int, text.lower().split("x"))
    return width, height


def _first_and_last(text: str) -> tuple[int, int | None]:
    first, _, last = text.partition(":")
    return int(first or 0), int(last) if last else None


def _name_and_ends(text: str) -> tuple[str, float, float]:
    name, _, ends = text.partition("=")
    start, stop = map(float, ends.split(":"))
    return name, start, stop


_pixels = _typed(_two_numbers, "size; write it as 1280x720")


def _size(text: str) -> tuple[int, int]:
    width, height = _pixels(text)
    least_width, least_height = LEAST_SIZE
    if not (least_width <= width <= 8000 and least_height <= height <= 8000):
        raise argparse.ArgumentTypeError(f"{text} must lie between {least_width}x{least_height} and 8000x8000")
    return width, height


class _Opened(Struct, frozen=True):
    """The document for a command, and the lesson that begins with it, or the choice of columns, if any."""

    contents: Contents
    lesson: Lesson | None = None
    chosen: Chosen | None = None


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    _occupy_standard_files()
    name = words[0] if words and words[0] in _COMMANDS else ""
    command, parser = _COMMANDS[name], _parser(name)
    if not name:
        parser.usage, parser.epilog = f"{NAME} [OPTION]... [FILE]\n       {NAME} COMMAND ...", _list_of_commands()
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
    if isinstance(sys.stdout, io.TextIOWrapper):  # a console without γ gets a question mark, not a traceback
        sys.stdout.reconfigure(errors="replace")
    _suggest(words)
    options = parser.parse_args(words[1:] if name else words)
    if name not in ("", "open") and callable(signal.getsignal(signal.SIGINT)):
        signal.signal(signal.SIGINT, signal.default_int_handler)  # temporary files are deleted first

    from app.files import documents

    try:
        return command.run(options, _opened(getattr(options, "file", None), options)) or 0
    except (documents.FileError, argparse.ArgumentTypeError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return STOPPED


def _parser(name: str) -> _Parser:
    """Return the parser of a command."""
    command = _COMMANDS[name]
    parser = _Parser(prog=f"{NAME} {name}".rstrip(), description=command.description, epilog=command.epilog)
    for add in command.arguments:
        add(parser)
    return parser


def _list_of_commands() -> str:
    """Return the names of the commands, with a line for each."""
    rows = [f"  {name:8}{command.description}" for name, command in _COMMANDS.items() if name]
    return "\n".join(
        [
            "commands:",
            *rows,
            "",
            f"{NAME} COMMAND --help describes one of them.",
            f"A file with the name of a command: {NAME} open film, or ./film.",
        ]
    )


def _suggest(words: list[str]) -> None:
    """If the first word is almost a command, and no file, end with a question and the command's own help."""
    first = words[0] if words else ""
    if first in _COMMANDS or not first.isalpha() or os.path.exists(first):
        return
    from difflib import get_close_matches  # here, because the start of the program does not need it

    if close := get_close_matches(first.lower(), [name for name in _COMMANDS if name], 1):
        sys.stderr.write(f"{NAME}: there is no command {first}; did you mean {close[0]}?\n")
        parser = _parser(close[0])
        parser.exit(2, parser.format_help())


def _opened(path: Path | None, options: argparse.Namespace | None = None) -> _Opened:
    from app.exchange import opening
    from app.state.document import default_document

    wanted = {name: getattr(options, name, None) for name in ("x", "y", "label", "standardise", "sheet")}
    named = next((name for name, value in wanted.items() if value is not None), "").replace("label", "class")
    if path is None and not named:
        return _Opened(opening.Contents(default_document()))
    if path is None:
        raise argparse.ArgumentTypeError(f"--{named} is for tables: give the file of one")
    kind = opening.kind_of(path)
    if kind is opening.Kind.LESSON:
        from app.features.lessons.reading import read
        from app.features.lessons.starting import start_of
        from app.features.table import FEATURES

        lesson = read(FEATURES, path)
        return _Opened(opening.Contents(start_of(lesson, 0), kind), lesson)
    if kind is opening.Kind.OTHER:
        from app.exchange import choosing, importing
        from app.files import documents

        piped = str(path) == "-"
        data, title = _piped() if piped else documents.read_bytes(path), "Standard input" if piped else path.name
        text = data[:200].decode("utf-8", "replace")
        if opening.kind_of_text(text) is kind and not opening.is_document(data):
            table = importing.decode(data, title, path.suffix.lower(), sheet=wanted["sheet"])
            chosen = choosing.choose(table, choosing.Wanted(**wanted))
            return _Opened(opening.Contents(chosen.document, kind), chosen=chosen)
        if piped and not named:
            if opening.is_document(data):
                return _Opened(opening.Contents(documents.decode(data, title)))
            return _Opened(opening.of_text(data.decode("utf-8", "replace")))
    if named:
        raise argparse.ArgumentTypeError(f"--{named} is for tables, and {path.name} is none")
    return _Opened(opening.read(path))


def _piped() -> bytes:
    """Return the bytes of the standard input; raise a FileError if there are too many."""
    from app.files import documents

    data = documents.read_at_most(sys.stdin.buffer, documents.MAX_BYTES + 1)
    if len(data) > documents.MAX_BYTES:
        raise documents.FileError(
            f"Standard input is larger than {documents.MAX_BYTES // 10**6} MB, so it was not read."
        )
    return data


def _convert(options: argparse.Namespace, opened: _Opened) -> None:
    from app.exchange import exporting
    from app.files import documents

    document, out = opened.contents.document, options.out
    xy, axes = document.measured
    names = tuple(style.name for style in document.styles)
    if out.suffix.lower() == documents.SUFFIX:
        documents.write_bytes(documents.encode(document), out)
    else:
        pieces = exporting.encode_pieces(xy, document.points.labels, names, axes, out, True, document.coordinates)
        documents.write_pieces((piece for piece, _ in pieces), out)
    if options.json:
        import json

        fields = {"points": len(xy)} if opened.chosen is None else opened.chosen.fields()
        _print_text(json.dumps({**fields, "out": str(out)}, ensure_ascii=False) + "\n")
    else:
        line = f"{len(xy)} points." if opened.chosen is None else opened.chosen.line
        _print_text(f"{line}\nWrote {out}\n")


def _draw(options: argparse.Namespace, opened: _Opened) -> None:
    if options.out.suffix.lower() != ".png":
        raise argparse.ArgumentTypeError(f"--out {options.out} must end in .png")
    _compile_first()
    _finish(render(opened.contents.document, options.out, options.size, options.theme), options.out)


def _compile_first() -> None:
    """Show on standard error how the first start compiles; what goes wrong there is reported by the window."""
    from solver.warmup import compile_first

    with suppress(Exception):
        compile_first(sys.stderr, in_window=True)


def _finish(summary: str, out: Path) -> None:
    _print_text(f"{summary}\nWrote {out}\n")
    _leave(0)


def _share(options: argparse.Namespace, opened: _Opened) -> int | None:
    from app.exchange import share_text
    from app.files.documents import FileError

    try:
        text = share_text.encode(opened.contents.document)
    except FileError as error:
        print(f"{NAME}: {error}", file=sys.stderr)
        return 1
    _print_text(f"{text}\n")
    return None


def _lessons(options: argparse.Namespace, opened: _Opened) -> int:
    from app.features.lessons.check import check
    from app.features.table import FEATURES

    owners = {"csv": "answers", "out": "worksheet", "against": "check"}
    for name, owner in owners.items():
        if getattr(options, name) is not None and options.what != owner:
            raise argparse.ArgumentTypeError(f"--{name} is for lesson {owner}")
    if options.what == "answers":
        return _report_answers(options)
    if options.what == "worksheet":
        return _make_worksheet(options)
    lines, sound = check(FEATURES, options.files, options.against)
    _print_text("".join(f"{line}\n" for line in lines))
    return 0 if sound else 1


def _make_worksheet(options: argparse.Namespace) -> int:
    from app.features.lessons import worksheet_task
    from app.features.table import FEATURES

    if options.out is None or options.out.suffix.lower() not in worksheet_task.SUFFIXES:
        raise argparse.ArgumentTypeError("lesson worksheet needs --out, a file that ends in .pdf or .xml")
    if len(options.files) > 1:
        raise argparse.ArgumentTypeError("lesson worksheet takes one file")
    lesson = worksheet_task.lesson_in(FEATURES, options.files[0])

    from app.features.lessons.view_worksheet import render_worksheet

    _compile_first()
    _finish(render_worksheet(create_window, lesson, options), options.out)
    return 0


def _report_answers(options: argparse.Namespace) -> int:
    from app.features.answers.table import report
    from app.features.table import FEATURES
    from app.files import documents

    table, rows = report(FEATURES, options.files)
    _print_text(f"{table}\n")
    if options.csv is not None:
        documents.write_bytes(rows.encode("utf-8"), options.csv)
        _print_text(f"\nWrote {options.csv}\n")
    return 0


def _write_code(options: argparse.Namespace, opened: _Opened) -> None:
    from app.features.code import export

    document, lane = opened.contents.document, options.lane
    if options.out.suffix.lower() not in export.SUFFIXES:
        raise argparse.ArgumentTypeError(f"--out {options.out} must end in {' or '.join(export.SUFFIXES)}")
    if lane is not None and not 1 <= lane <= document.shown:
        limits = f"between 1 and {document.shown}, the number of classifiers"
        raise argparse.ArgumentTypeError(f"--lane {lane} must lie {limits}")
    written = export.write(document, None if lane is None else (lane - 1,), options.out)
    _print_text("".join(f"Wrote {path}\n" for path in written))


def _film(options: argparse.Namespace, opened: _Opened) -> None:
    from app.features.film import plan

    document = opened.contents.document
    try:
        plan.check_rate(plan.check_kind(options.out), options.fps)
        asked = options.steps, options.sweep, options.pictures, options.relief
        content = plan.content_of(document, options.lane, *asked)
        plan.check(document, content)
        plan.check_size(1, *options.size)

        from app.features.film.view_maker import render_film

        _compile_first()
        summary = render_film(create_window, document, content, options)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    _finish(summary, options.out)


def _study(options: argparse.Namespace, opened: _Opened) -> int:
    from app.features.study import command
    from app.files.documents import FileError

    def document(path: Path | None) -> Document:
        found = _opened(path)
        if path is not None and found.chosen is not None:
            raise FileError(f"{path.name} is a table: write a document first, with {NAME} convert, and study that.")
        return found.contents.document

    return command.run(options, document, _print_text)


def _integrate(what: str) -> None:
    from app.files import integration

    if what == "remove":
        done = [f"Removed {path}\n" for path in integration.remove()] or ["There was nothing to remove.\n"]
    else:
        from app.views.app_icon import picture

        done = [f"Wrote {path}\n" for path in integration.integrate(picture)]
    _print_text("".join(done))


def _integrate_or_open(options: argparse.Namespace, opened: _Opened) -> int | None:
    if options.desktop:
        _integrate(options.desktop)
        return None
    return _open_window(options, opened)


def _open_window(options: argparse.Namespace, opened: _Opened) -> int | None:
    from app.core import log
    from app.exchange.opening import Kind
    from app.features.lessons.feature import STAGE
    from app.views.application import make_application

    application, contents = make_application(), opened.contents
    is_copy = contents.kind is Kind.RECOVERY_COPY
    window = create_window(contents.document, options.profile_dir, contents.path, contents.on_disk, is_copy)
    log.take_uncaught()
    if opened.lesson is not None:
        window.surroundings.part(STAGE).begin(opened.lesson)
    window.show()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C in the terminal ends the program; Qt ignores it
    code = application.exec()
    _leave(code)
    return code


_FILE = _argument(
    "file",
    nargs="?",
    type=_path,
    metavar="FILE",
    help="a .playground document, a .lesson.md lesson, a share text, or a table of points; - is standard input;"
    " default: two moons",
)
_CHOICE = (
    _argument("--x", metavar="COLUMN", help="of a table: its name, or its number from 1; default: the program chooses"),
    _argument("--y", metavar="COLUMN", help="as --x"),
    _argument("--class", dest="label", metavar="COLUMN", help="column of the class; none: all points are of one"),
    _argument("--sheet", metavar="NAME", help="of a workbook; default: the first table"),
    _argument(
        "--standardise",
        action=argparse.BooleanOptionalAction,
        help="the classifiers standardise x and y; default: where the units ask for it",
    ),
)
_THEME = _argument("--theme", choices=("light", "dark"), default="light")
_PROFILE = _argument(
    "--profile-dir", type=_folder, metavar="DIR", help="keep settings and recovery copies there, not in your profile"
)

#: Commands by the first word; "" opens a window.
_COMMANDS = {
    "": _Command(
        "Watch classifiers learn on points you click.",
        (
            _FILE,
            *_CHOICE,
            _PROFILE,
            _argument("--version", action="version", version=f"{NAME} {__version__}"),
            _one_of(
                "desktop",
                integrate="register the program, its documents and share texts with the desktop (Linux), for this user",
                remove="undo --integrate",
            ),
            _argument("--licences", action=_Licences, nargs=0, help="list the packages in use, and their licences"),
        ),
        _integrate_or_open,
    ),
    "open": _Command(
        "Open a window with a document, a lesson, a share text or a table.", (_FILE, *_CHOICE, _PROFILE), _open_window
    ),
    "convert": _Command(
        "Write the points of a table or a document in another format.",
        (
            _FILE,
            *_CHOICE,
            _argument(
                "--out",
                type=_path,
                required=True,
                metavar="POINTS",
                help="a .csv, .tsv, .svmlight, .npz, .arff, .tab or .playground file",
            ),
            _argument("--json", action="store_true", help="print the choice as JSON"),
        ),
        _convert,
    ),
    "render": _Command(
        "Draw the window into a PNG file; needs no display.",
        (
            _FILE,
            *_CHOICE,
            _argument("--out", type=_path, required=True, metavar="PICTURE", help="the PNG file to write"),
            _argument("--size", type=_size, default=DEFAULT_SIZE, metavar="WIDTHxHEIGHT", help="default 1280x800"),
            _THEME,
        ),
        _draw,
    ),
    "share": _Command(
        "Print a document as one text, for a mail or a chat.",
        (_FILE, *_CHOICE),
        _share,
        "The text may take the place of FILE in every command, and can be pasted into the window.",
    ),
    "lesson": _Command(
        "Check lessons, count the answers of a class, or print a lesson.",
        (
            _argument(
                "what",
                choices=("check", "answers", "worksheet"),
                help="check: one line for each fault, with its line; answers: how many gave which answer; worksheet:"
                " the questions with pictures to draw into, and the solutions",
            ),
            _argument(
                "files",
                nargs="+",
                type=_path,
                metavar="FILE",
                help="a lesson, a .lesson.md file; for answers the files that were handed in, and the lesson where it"
                " does not come with the program; for a worksheet also a document, or the name of a lesson or example"
                " that comes with the program",
            ),
            _argument("-o", "--out", type=_path, metavar="WORKSHEET", help="a .pdf file, or an .xml file for Moodle"),
            _argument("--paper", choices=("a4", "letter"), default="a4", help="of a .pdf file; default a4"),
            _argument("--csv", type=_path, metavar="TABLE", help="write a row for each that was handed in, too"),
            _argument(
                "--against", type=_path, metavar="ORIGINAL", help="for check: the lesson that each FILE translates"
            ),
        ),
        _lessons,
    ),
    "code": _Command(
        "Write the scikit-learn program that makes the picture.",
        (
            _FILE,
            *_CHOICE,
            _argument("--lane", type=int, metavar="N", help="one classifier, counted from 1; default: all of them"),
            _argument("--out", type=_path, required=True, metavar="PROGRAM", help="the .py or .ipynb file to write"),
        ),
        _write_code,
        "A program of many points reads them from a file, which is written beside it.",
    ),
    "film": _Command(
        "Make a film of a training, of a moving slider, or of the relief.",
        (
            _FILE,
            *_CHOICE,
            _argument("--out", type=_path, required=True, metavar="FILM", help="a .gif, .webp or .png (APNG) file"),
            _argument("--lane", type=int, metavar="N", help="which classifier, from 1; default: the first that trains"),
            _argument(
                "--steps",
                type=_typed(_first_and_last, "range of steps; write it as 0:200"),
                metavar="FROM:TO",
                help="of the training; default: all of them",
            ),
            _argument(
                "--sweep",
                type=_typed(_name_and_ends, "sweep; write it as C=0.1:100"),
                metavar="NAME=FROM:TO",
                help="in its place k, C, gamma or lam, moved",
            ),
            _one_of(
                "relief",
                relief="the relief of f in place of the flat picture",
                turn="the relief at the end of the training, turned once",
                lift="the kernel trick (polynomial kernel of degree 2): to the map and back",
            ),
            _argument(
                "--pictures",
                type=_typed(lambda text: 0 if text == "changes" else int(text), "number of pictures, nor changes"),
                default=60,
                metavar="N",
                help="at most, default 60; or: changes (of the SVs)",
            ),
            _argument("--fps", type=int, default=10, metavar="N", help="pictures a second, default 10"),
            _argument("--size", type=_pixels, default=(960, 540), metavar="WIDTHxHEIGHT", help="default 960x540"),
            _THEME,
        ),
        _film,
    ),
    "study": _Command(
        "Train many times, and compare: a table over two parameters or more.",
        (study_arguments.add_to,),
        _study,
        "A study goes on where it was stopped.  Help > Studies says how to run one on many machines.",
    ),
}


def _leave(code: int) -> None:
    """End the process immediately if a compiler thread is still running.

    The thread cannot be stopped, and the shutdown of Qt and LLVM under it would crash.
    """
    import threading

    from solver.warmup import abandon

    abandon()
    if any(thread.name == "compile" for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
