"""The command line: exit codes, one line for each error, and pictures without a window."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from app import __version__
from app.core.points import Points
from app.exchange.exporting import EXPORTS
from app.exchange.opening import Kind
from app.files import documents
from app.state.document import Document, GeneratorSettings, Lane, default_document
from tests import playground_files

ROOT = Path(__file__).parents[2]


def run(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    # The very first picture waits for the compiler.
    return subprocess.run(
        [sys.executable, "-m", "app", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=400.0,
        cwd=ROOT,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)} | environment,
        check=False,
    )


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--help"], "FILE"),
        (["--version"], __version__),
        (["render", "--help"], "WIDTHxHEIGHT"),
        (["code", "--help"], "--lane N"),
    ],
)
def test_help_needs_no_qt(words: list[str], shown: str) -> None:
    code = (
        "import sys; from app.main import main\n"
        f"try:\n    main({words!r})\n"
        "except SystemExit as end:\n    assert not end.code, end.code\n"
        "heavy = {'PySide6', 'pyqtgraph', 'numpy', 'numba'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, cwd=ROOT, check=False
    )
    assert (done.returncode, done.stderr) == (0, "") and shown in done.stdout


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    from app.main import _COMMANDS, main

    with pytest.raises(SystemExit):
        main(["--help"])
    lines = capsys.readouterr().out.splitlines()
    assert {"open", "render", "film", "study"} < set(_COMMANDS)
    for name, command in _COMMANDS.items():
        assert (f"  {name:8}{command.description}" if name else command.description) in lines
    assert max(map(len, lines)) <= 80


def test_a_command_wins_over_a_file_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], qapp: object
) -> None:
    import app.main

    class OpenedError(Exception):
        """Raised instead of opening a window."""

    def create_window(document: Document, profile_dir: Path | None, path: Path, *rest: object) -> None:
        raise OpenedError(path, len(document.points))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(app.main, "create_window", create_window)
    playground_files.write(Document(Points.of([(0.0, 0.0)] * 3, 0)), Path("film"))
    for words in (["open", "film"], ["./film"]):
        with pytest.raises(OpenedError) as opened:
            app.main.main(words)
        assert opened.value.args == (Path("film"), 3)
    with pytest.raises(SystemExit):
        app.main.main(["film"])
    assert "required: --out" in capsys.readouterr().err


WRONG: dict[str, tuple[list[str], str]] = {
    "unknown option": (["--frobnicate"], "--frobnicate"),
    "two files": (["a.playground", "b.playground"], "b.playground"),
    "missing file": (["nowhere.playground"], "nowhere.playground"),
    "a folder": (["app"], "app"),
    "no document": (["pyproject.toml"], "pyproject.toml"),
    "missing file to draw": (["render", "nowhere.playground", "--out", "x.png"], "nowhere.playground"),
    "no --out": (["render"], "--out"),
    "no size": (["render", "--out", "x.png", "--size", "large"], "large"),
    "half a size": (["render", "--out", "x.png", "--size", "800"], "800"),
    "too small": (["render", "--out", "x.png", "--size", "10x10"], "10x10"),
    "too large": (["render", "--out", "x.png", "--size", "9999x9999"], "9999x9999"),
    "below zero": (["render", "--out", "x.png", "--size=-800x600"], "-800x600"),
    "wrong suffix": (["render", "--out", "x.jpg"], "x.jpg"),
    "no name": ([""], "the file name is empty"),
    "no name to draw": (["render", "", "--out", "x.png"], "the file name is empty"),
    "no name of the picture": (["render", "--out", ""], "the file name is empty"),
    "no name of the profile": (["--profile-dir", ""], "the file name is empty"),
    "a profile that is a file": (["--profile-dir", "pyproject.toml"], "pyproject.toml is not a folder"),
    "a name that is too long": (["n" * 5000], "name too long"),
    "a name of two lines": (["render", "--out", "a\nb.jpg"], "a?b.jpg"),
    "an option of two lines": (["--a\nb"], "--a?b"),
    "a name that is no text": (["\udcff.playground"], "cannot be read"),
    "a damaged share text": (["share", "classifier-playground:#eJx"], "The share text is damaged"),
    "a damaged share text to draw": (["render", "classifier-playground:#eJx", "--out", "x.png"], "The share text is"),
    "no file to share": (["share", "nowhere.playground"], "nowhere.playground"),
    "no program": (["code"], "--out"),
    "no kind of program": (["code", "--out", "x.txt"], "x.txt must end in .py or .ipynb"),
    "no such lane": (["code", "--lane", "3", "--out", "x.py"], "--lane 3 must lie between 1 and 2"),
    "lane 0": (["code", "--lane", "0", "--out", "x.py"], "--lane 0 must lie"),
    "no number of a lane": (["code", "--lane", "one", "--out", "x.py"], "one"),
    "missing file to write as code": (["code", "nowhere.playground", "--out", "x.py"], "nowhere.playground"),
    "no folder for the program": (["code", "--out", "no/such/x.py"], "x.py was not saved"),
    "a film of no kind": (["film", "--out", "x.mp4"], "must end in .gif, .webp or .png"),
    "a film of a lane that does not train": (["film", "--out", "x.gif", "--lane", "1"], "does not train; its k can be"),
    "a film of no lane": (["film", "--out", "x.gif", "--lane", "3"], "There is no classifier 3"),
    "a film at no rate of a GIF": (["film", "--out", "x.gif", "--fps", "30"], "30 is not among them"),
    "a film of too many pictures": (["film", "--out", "x.webp", "--pictures", "5000"], "1 to 1?000 pictures, not"),
    "a film of no number": (["film", "--out", "x.webp", "--pictures", "few"], "'few' is no number"),
    "a film that is too small": (["film", "--out", "x.webp", "--size", "90x90"], "90 × 90 do not lie between"),
    "a film of no slider": (["film", "--out", "x.webp", "--sweep", "C"], "'C' is no sweep"),
    "a film of a slider nobody has": (["film", "--out", "x.webp", "--sweep", "lam=1:2"], "No classifier on screen has"),
    "a film beyond a slider": (["film", "--out", "x.webp", "--sweep", "k=1:900"], "900 is not between"),
    "a film of the relief of votes": (["film", "--out", "x.webp", "--lane", "1", "--relief"], "no f: it counts votes"),
    "a film of no lift": (["film", "--out", "x.webp", "--lift"], "polynomial kernel of degree 2"),
    "a film of a turn and a lift": (
        ["film", "--out", "x.webp", "--lift", "--turn"],
        "not allowed with argument --lift",
    ),
    "a film of no steps": (["film", "--out", "x.webp", "--steps", "all"], "'all' is no range"),
    "a film of what is not there": (["film", "nowhere.playground", "--out", "x.gif"], "nowhere.playground"),
    "unknown theme": (["render", "--out", "x.png", "--theme", "pink"], "pink"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_one_line(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from app.main import main

    words, shown = WRONG[name]
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit) as end:
        main(words)
    out, err = capsys.readouterr()
    assert end.value.code == 2 and out == ""
    assert shown in err and err.count("\n") == 1 and err.endswith("\n")
    assert not any(Path(f"x{suffix}").exists() for suffix in (".png", ".jpg", ".py", ".txt"))


@pytest.mark.skipif(sys.platform == "win32", reason="pipes that are not waited for")
def test_a_file_with_nothing_to_read_for_now_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Like /proc/kmsg, a file of ordinary type from which Python reads None."""
    from app.main import main

    source, sink = os.pipe()
    os.set_blocking(source, False)
    monkeypatch.setattr(documents, "open_ordinary", lambda path: os.fdopen(os.dup(source), "rb"))
    try:
        with pytest.raises(SystemExit) as end:
            main(["share", "kmsg"])
    finally:
        os.close(source)
        os.close(sink)
    shown = capsys.readouterr().err
    assert end.value.code == 2 and "kmsg cannot be read: " in shown and shown.count("\n") == 1


@pytest.mark.parametrize("suffix", [".unreadable", ".recovery"])
def test_a_recovery_copy_is_work_that_is_not_saved(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from app import main

    copy, document = tmp_path / f"x{suffix}", Document(notes="kept")
    copy.write_bytes(b"any line\n" + documents.encode(document))
    started: list[main._Opened] = []
    command = replace(main._COMMANDS[""], run=lambda options, opened: started.append(opened))
    monkeypatch.setitem(main._COMMANDS, "", command)
    assert main.main([str(copy)]) == 0
    contents = started[0].contents
    assert isinstance(contents.document, Document) and contents.document.notes == "kept"
    assert (contents.path, contents.on_disk, contents.kind) == (None, None, Kind.RECOVERY_COPY)
    copy.write_bytes(b"any line\n{")
    with pytest.raises(SystemExit):
        main.main([str(copy)])
    assert f"x{suffix} is damaged" in capsys.readouterr().err and len(started) == 1


@pytest.mark.smoke
def test_a_share_text_is_printed_and_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from app import main
    from app.exchange import share_text

    file, text = tmp_path / "x.playground", share_text.encode(default_document())
    assert main.main(["share"]) == 0 and capsys.readouterr() == (f"{text}\n", "")
    for held in (documents.encode(default_document()), text.encode()):
        file.write_bytes(held)
        assert main.main(["share", str(file)]) == 0 and capsys.readouterr() == (f"{text}\n", "")
    drawn: list[Document] = []
    monkeypatch.setattr(main, "render", lambda document, *given: drawn.append(document) or "summary")
    opened: list[main._Opened] = []
    run = lambda options, given: opened.append(given)  # noqa: E731
    monkeypatch.setitem(main._COMMANDS, "", replace(main._COMMANDS[""], run=run))
    monkeypatch.setattr(main, "_leave", lambda code: None)
    wrapped = f"{text[:70]}\n  {text[70:]}\n"
    assert main.main(["render", wrapped, "--out", "x.png"]) == main.main([wrapped]) == main.main([str(file)]) == 0
    for document in (*drawn, *(each.contents.document for each in opened)):
        assert share_text.encode(document) == text
    assert len(drawn) == 1 and len(opened) == 2
    for contents in (each.contents for each in opened):
        assert (contents.path, contents.on_disk, contents.kind) == (None, None, Kind.SHARE_TEXT)


def test_too_many_points_to_share_are_one_line_and_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from app.main import main

    file = tmp_path / "x.playground"
    playground_files.write(Document(Points.of([(0.0, 0.0)] * 451, 0)), file)
    code = main(["share", str(file)])
    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("classifier-playground: The share text holds at most 450 points")


def test_the_printed_text_is_all_that_is_printed() -> None:
    done = run("share")
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.count("\n") == 1
    again = run("share", done.stdout)
    assert (again.returncode, again.stdout, again.stderr) == (0, done.stdout, "")


@pytest.mark.parametrize("name", ["missing file", "wrong suffix"])
def test_what_is_wrong_ends_the_process_with_2(name: str) -> None:
    words, shown = WRONG[name]
    done = run(*words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert shown in done.stderr and "Traceback" not in done.stderr


SHELL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="a shell and devices of Linux")


@SHELL
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("ending", "reason"), [("> /dev/full", "no space left on device"), (">&-", "bad file descriptor")]
)
@pytest.mark.parametrize("words", ["--version", "render --help"])
def test_what_cannot_be_printed_is_one_line(words: str, ending: str, reason: str, unbuffered: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m app {words} {ending}"],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=ROOT,
        env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, f"classifier-playground: nothing can be printed: {reason}.\n")


@pytest.mark.slow
@SHELL
def test_a_summary_that_cannot_be_printed_is_one_line(tmp_path: Path) -> None:
    out = tmp_path / "x.png"
    code = "import sys; from app import main; main.render = lambda *given: 'summary'; sys.exit(main.main(sys.argv[1:]))"
    command = f'{sys.executable} -c "{code}" render --out {out}'
    for ending, reason in (("> /dev/full", "no space"), (">&-", "bad file"), ("| true", "broken pipe")):
        # `true` ends and leaves a pipe without a reader; wait for that.
        script = f"(sleep 0.5; {command}) {ending}" if ending == "| true" else f"{command} {ending}"
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {script}"],
            capture_output=True,
            text=True,
            timeout=600,
            cwd=ROOT,
            check=False,
        )
        assert done.returncode == 1 and done.stderr.count("\n") == 1, ending
        assert done.stderr.startswith(f"classifier-playground: nothing can be printed: {reason}")


@SHELL
def test_no_document_replaces_a_closed_stream(tmp_path: Path) -> None:
    """Otherwise Qt would write a warning, for file 2, into a document that is being saved."""
    probe = (
        "import os, sys; from app import main\n"
        f"main.render = lambda *given: open({str(tmp_path / 'got')!r}, 'w').write(str(os.open(os.devnull, 0)))\n"
        "main.main(['render', '--out', 'x.png'])"
    )
    subprocess.run(["sh", "-c", f'{sys.executable} -c "$0" <&- >&- 2>&-', probe], timeout=600, cwd=ROOT, check=False)
    assert int((tmp_path / "got").read_text()) > 2


@pytest.mark.smoke
def test_render_writes_a_picture(tmp_path: Path) -> None:
    points = Points.of([(0.0, 0.0), (1.0, 1.0), (0.0, 1.0), (1.0, 0.2)], [0, 1, 0, 1])
    source, out = tmp_path / "four points.playground", tmp_path / "pictüre.PNG"
    playground_files.write(Document(points, (Lane("knn"), Lane("svm"))), source)
    done = run("render", source, "--out", out, "--size", "1000x600", "--theme", "dark")
    assert (done.returncode, done.stderr) == (0, "")
    data = out.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert (int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")) == (1000, 600)
    for shown in ("4 points in 2 classes", "kNN, k = 5", "only 4 points", "SVM, RBF", "Optimal", f"Wrote {out}"):
        assert shown in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([source.name, out.name])


@pytest.mark.smoke
def test_code_writes_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from app.features.code.export import notebook
    from app.features.code.program import program
    from app.main import main

    points = GeneratorSettings("moons", 200).points()
    document = Document(points, (Lane("knn"), Lane("svm"), Lane("perceptron")), 2)
    source, out = tmp_path / "moons.playground", tmp_path / "möns.PY"
    playground_files.write(document, source)
    assert main(["code", str(source), "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"Wrote {out}\nWrote {tmp_path / 'möns-points.csv'}\n"
    assert out.read_text(encoding="utf-8") == program(document, None, "möns-points.csv", beside=True).text
    assert (tmp_path / "möns-points.csv").read_text() == program(document).rows
    book = tmp_path / "book.ipynb"
    assert main(["code", str(source), "--lane", "2", "--out", str(book)]) == 0
    assert book.read_bytes() == notebook(program(document, [1], "book-points.csv"))
    done = run("code", "--lane", "1", "--out", tmp_path / "two moons.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert "KNeighborsClassifier(n_neighbors=5" in (tmp_path / "two moons.py").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.smoke
def test_film_writes_a_film(tmp_path: Path) -> None:
    from PIL import Image

    points = Points.of([(0.0, 0.0), (1.0, 1.0), (0.0, 1.0), (1.0, 0.2)], [0, 1, 0, 1])
    source, out = tmp_path / "four points.playground", tmp_path / "tráining.WebP"
    playground_files.write(Document(points, (Lane("knn"), Lane("svm"))), source)
    done = run("film", source, "--out", out, "--size", "320x240", "--pictures", "3", "--fps", "5", "--theme", "dark")
    assert (done.returncode, done.stderr) == (0, "")
    assert "SVM, RBF, C = 1, γ = 1: " in done.stdout and f"Wrote {out}" in done.stdout
    with Image.open(out) as film:
        assert film.size == (320, 240) and 1 < film.n_frames <= 3 and film.info["loop"] == 0
    assert f"{film.n_frames} pictures, {(film.n_frames - 1) / 5 + 2:.1f} s" in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([source.name, out.name])


@pytest.mark.soak
def test_render_into_a_missing_folder_is_one_line(tmp_path: Path) -> None:
    done = run("render", "--out", tmp_path / "no" / "x.png")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "x.png was not saved" in done.stderr


@pytest.mark.slow
def test_a_console_with_few_letters_is_no_crash(tmp_path: Path) -> None:
    out = tmp_path / "γ.png"
    done = run("render", "--out", out, "--size", "980x560", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "") and "SVM, RBF, C = 1, ? = 1" in done.stdout and out.exists()


@pytest.mark.parametrize("words", [["render", "--out", "a.png"], ["film", "--out", "a.gif"]])
def test_the_first_start_shows_its_progress_before_it_draws(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """With nothing compiled the first picture takes half a minute."""
    import app.main
    from solver import warmup

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(warmup, "complete", lambda in_window=False: False)
    monkeypatch.setattr(warmup, "compile_all", lambda report, in_window: report(3, 8, "pixels"))

    class DrawingError(Exception):
        """Raised instead of drawing."""

    def draw(*rest: object) -> str:
        raise DrawingError(capsys.readouterr().err)

    monkeypatch.setattr(app.main, "render", draw)
    monkeypatch.setattr(app.main, "create_window", draw)
    monkeypatch.setattr("app.features.film.view_maker.render_film", draw)
    with pytest.raises(DrawingError, match=r"^Compiling the numeric kernels \[###\.\.\.\.\.\] pixels"):
        app.main.main(words)


#: Modules at whose import, one after the other from the first to the last of the start, Ctrl+C is pressed.
MOMENTS = (
    "app.main",
    "argparse",
    "app.features.study.arguments",
    "app.files.documents",
    "numpy",
    "PySide6.QtCore",
    "app.window.main_window",
    "pyqtgraph",
    "app.views.app_icon",
)
#: Sends SIGINT when a module is looked for, or once the window has been made.
INTERRUPT = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["MOMENT"]:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT from another program")
@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_during_the_start_ends_it_quietly(tmp_path: Path, moment: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPT)
    environment = {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "MOMENT": moment}
    done = run("--profile-dir", tmp_path, **environment)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT from another program")
def test_ctrl_c_ends_a_command_quietly_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """The picture is drawn in a window with a temporary profile."""
    (tmp_path / "sitecustomize.py").write_text(INTERRUPT)
    folder = tmp_path / "temporary"
    folder.mkdir()
    environment = {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "MOMENT": "app.arrays", "TMPDIR": str(folder)}
    done = run("render", "--out", tmp_path / "out.png", **environment)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "") and not list(folder.iterdir())


# -- tables --------------------------------------------------------------------------------------------------------

CUSTOMERS = "User ID,Gender,Age,EstimatedSalary,Purchased\n" + "".join(
    f"{15700000 + 7919 * k},{('Male', 'Female')[k % 2]},{20 + 3 * k % 41},{20000 + 1000 * (k * 17 % 90)},{k % 3 % 2}\n"
    for k in range(30)
)


@pytest.fixture
def customers(tmp_path: Path) -> Path:
    path = tmp_path / "customers.csv"
    path.write_text(CUSTOMERS)
    return path


@pytest.mark.parametrize("suffix", EXPORTS)
def test_help_names_each_format_of_an_export(suffix: str, capsys: pytest.CaptureFixture[str]) -> None:
    from app.main import main
    from app.window.actions import OWN

    with pytest.raises(SystemExit):
        main(["convert", "--help"])
    assert re.search(rf"{re.escape(suffix)}\b", capsys.readouterr().out), (
        f"The help of --out of `convert` (app/main.py) does not name {suffix}, a row of EXPORTS: add it."
    )
    tip = next(each.tip for each in OWN if each.name == "export")
    words = {suffix.removeprefix("."), *(word for word in re.findall(r"\w+", EXPORTS[suffix].title) if len(word) > 3)}
    assert {*map(str.casefold, words)} & {*re.findall(r"\w+", tip.casefold())}, (
        f"The tip of Export points (app/window/actions.py), {tip!r}, has none of {sorted(words)}: name {suffix}."
    )


def test_a_table_is_converted_and_the_choice_is_said(
    customers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from app.main import main

    for suffix in (".csv", ".tsv", ".svmlight", ".npz", ".playground"):
        out = tmp_path / f"points{suffix}"
        assert main(["convert", str(customers), "--out", str(out)]) == 0
        shown = capsys.readouterr().out
        assert "x 'Age', y 'EstimatedSalary', class 'Purchased', the classifiers standardise." in shown
        back = tmp_path / f"back{suffix}.csv"
        assert main(["convert", str(out), "--out", str(back)]) == 0
        first = (tmp_path / "points.csv").read_text().splitlines()
        again = back.read_text().splitlines()
        assert again[1:] == first[1:] if suffix != ".svmlight" else len(again) == len(first)
        capsys.readouterr()
    document = documents.decode((tmp_path / "points.playground").read_bytes())
    assert document.axes == ("Age", "EstimatedSalary") and all(lane.standardises for lane in document.lanes)


def test_columns_are_chosen_by_name_or_number(
    customers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from app.main import main

    out = ["--out", str(tmp_path / "points.csv")]
    words = ["--x", "EstimatedSalary", "--y", "3", "--class", "Gender", "--no-standardise", "--json"]
    assert main(["convert", str(customers), *words, *out]) == 0
    fields = json.loads(capsys.readouterr().out)
    assert (fields["x"], fields["y"], fields["class"]) == ("EstimatedSalary", "Age", "Gender")
    assert fields["classes"] == {"Female": 15, "Male": 15} and not fields["standardise"] and fields["n_left_out"] == 0
    for words, sentence in (
        (["--x", "age"], "customers.csv has no column 'age'; did you mean 'Age'?"),
        (["--class", "zzz"], "customers.csv has no column 'zzz'; it has User ID, Gender, Age, EstimatedSalary,"),
        (["--x", "Gender"], "'Male' in column 'Gender' is not a number"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["convert", str(customers), *words, *out])
        assert ended.value.code == 2 and sentence in capsys.readouterr().err


def test_every_command_takes_a_table(customers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from app.main import main

    program = tmp_path / "program.py"
    assert main(["code", str(customers), "--out", str(program)]) == 0
    assert "StandardScaler" in program.read_text()
    assert main(["share", str(customers)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("classifier-playground:")


@pytest.mark.slow
def test_standard_input_is_a_table_a_document_or_a_share_text(customers: Path, tmp_path: Path) -> None:
    out = tmp_path / "points.csv"
    document = tmp_path / "points.playground"
    for data in (CUSTOMERS.encode(), documents.encode(default_document())):
        document.write_bytes(data)
        with document.open("rb") as file:
            done = subprocess.run(
                [sys.executable, "-m", "app", "convert", "-", "--out", str(out)],
                stdin=file,
                capture_output=True,
                text=True,
                timeout=400,
                cwd=ROOT,
                check=False,
            )
        assert done.returncode == 0, done.stderr
        assert f"Wrote {out}" in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["rendr", "x.playground"], "there is no command rendr; did you mean render?"),
        (["convert", "pyproject.toml", "--out", "x.csv"], "pyproject.toml"),
        (["convert", "README.md", "--out", "nowhere/x.csv"], "README.md"),
        (["convert", "--out", "nowhere/x.csv"], "there is no folder"),
        (["convert", "--x", "a", "--out", "x.csv"], "--x is for tables: give the file of one"),
        (["convert", "--x", "a", "assets/examples/moons.playground", "--out", "x.csv"], "--x is for tables"),
        (["study", "init", "s.yaml"], "the name of a study ends in .toml"),
        (["study", "init", "s.toml", "--from", "assets/data/iris.csv"], "iris.csv is a table"),
    ],
)
def test_what_cannot_be_done_with_a_table_is_said(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.main import main

    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit) as ended:
        main(words)
    shown = capsys.readouterr().err
    assert ended.value.code == 2 and sentence in shown and "damaged" not in shown
    assert not (ROOT / "x.csv").exists() and not (ROOT / "s.yaml").exists() and not (ROOT / "s.toml").exists()


def test_standard_input_that_is_too_large_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from app.main import main

    monkeypatch.setattr(documents, "MAX_BYTES", len(CUSTOMERS) - 1)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CUSTOMERS.encode())))
    with pytest.raises(SystemExit):
        main(["convert", "-", "--out", str(tmp_path / "x.csv")])
    assert "Standard input is larger than" in capsys.readouterr().err and not (tmp_path / "x.csv").exists()
