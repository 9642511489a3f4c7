"""Registration with a Linux desktop: every file is valid, names this program, and is removed again."""

from __future__ import annotations

import configparser
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from app import __date__, __version__
from app.exchange import share_text
from app.files import integration
from app.main import main
from app.state.document import default_document
from tests import playground_files

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux desktops")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder in which the program is registered, from a path with an awkward name."""
    home, location = tmp_path / "data", tmp_path / 'a "50 %" $place'
    location.mkdir()
    program = location / integration.NAME
    program.write_text('#!/bin/sh\nprintf \'%s\\n\' "$@" > "$(dirname "$0")/given"\n')
    program.chmod(0o755)
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    monkeypatch.setattr(sys, "executable", str(location / "python"))
    assert main(["--integrate"]) == 0
    return home


@pytest.mark.parametrize("sign", ["\n", "\r", "\t", "\x7f", "\x85"])
def test_a_path_with_a_control_character_reaches_no_entry(
    sign: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / f"a{sign}Exec=sh" / "python"))
    with pytest.raises(SystemExit) as end:
        main(["--integrate"])
    shown = capsys.readouterr().err
    assert end.value.code == 2 and "its path has a control character" in shown and shown.count("\n") == 1
    assert not (tmp_path / "data").exists()


def checked(program: str, *words: str | Path) -> str:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_desktop_entry_is_valid(home: Path) -> None:
    assert checked("desktop-file-validate", home / f"applications/{integration.NAME}.desktop") == ""


@pytest.mark.parametrize(
    "name", ["metainfo/classifier-playground.metainfo.xml", "mime/packages/classifier-playground.xml"]
)
def test_the_other_files_are_well_formed(home: Path, name: str) -> None:
    text = (home / name).read_text(encoding="utf-8")
    assert "@" not in text, "nothing is left to be filled in"
    releases = ElementTree.fromstring(text.encode()).findall("releases/release")
    if "metainfo" in name:
        assert [(each.get("version"), each.get("date")) for each in releases] == [(__version__, __date__)]
    checked("xmllint", "--noout", home / name)


def test_the_description_is_valid_except_for_missing_addresses(home: Path) -> None:
    if shutil.which("appstreamcli") is None:
        pytest.skip("appstreamcli is not installed")
    words = ["appstreamcli", "validate", "--no-net", home / "metainfo/classifier-playground.metainfo.xml"]
    shown = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False).stdout
    remarks = {line.split()[2] for line in shown.splitlines() if line[:2] in ("E:", "W:")}
    assert "releases-info-missing" not in shown
    assert remarks <= {"cid-desktopapp-is-not-rdns", "url-homepage-missing", "developer-info-missing"}, shown


def test_the_entry_starts_this_program_with_what_was_clicked(home: Path) -> None:
    parser = configparser.RawConfigParser(strict=True)
    parser.read(home / f"applications/{integration.NAME}.desktop")
    line = parser["Desktop Entry"]["Exec"].replace("\\\\", "\\")
    assert "%" not in line.replace("%%", "").replace("%u", "")  # alone it has another meaning
    words = [word.replace("%%", "%").replace("\\$", "$") for word in shlex.split(line.replace("%u", "x.playground"))]
    subprocess.run(words, check=True, timeout=600)
    assert Path(words[0]).with_name("given").read_text() == "x.playground\n"


def test_icons_have_their_sizes(home: Path) -> None:
    for size in integration.SIZES:
        with Image.open(home / f"icons/hicolor/{size}x{size}/apps/{integration.NAME}.png") as icon:
            assert icon.size == (size, size) and len(icon.convert("RGB").getcolors(1 << 20) or ()) > 4
            assert icon.convert("RGBA").getpixel((0, 0))[3] == 0  # type: ignore[index]


@pytest.mark.parametrize(
    ("file", "kind"),
    [("a.playground", "application/x-classifier-playground"), ("a.lesson.md", "text/x-classifier-playground-lesson")],
)
def test_files_have_their_kind_and_the_kind_its_program(home: Path, tmp_path: Path, file: str, kind: str) -> None:
    assert kind in (home / f"applications/{integration.NAME}.desktop").read_text()
    if not (home / "mime/globs2").exists():
        pytest.skip("update-mime-database is not installed")
    assert f"{kind}:*.{file[2:]}" in (home / "mime/globs2").read_text()
    (tmp_path / file).write_text("{}")
    environment = os.environ | {"XDG_DATA_HOME": str(home), "XDG_CURRENT_DESKTOP": "X-Generic"}
    if shutil.which("gio"):
        asked = ["gio", "info", "-a", "standard::content-type", str(tmp_path / file)]
        assert kind in subprocess.run(asked, env=environment, capture_output=True, text=True, timeout=600).stdout


def test_all_of_it_goes_away_again(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--integrate"]) == 0  # a second time changes nothing
    written = [line.removeprefix("Wrote ") for line in capsys.readouterr().out.splitlines()]
    assert len(written) == 4 + len(integration.SIZES) and all(map(os.path.exists, written))
    assert main(["--remove"]) == 0
    assert capsys.readouterr().out.splitlines() == [f"Removed {path}" for path in written]
    assert not any(map(os.path.exists, written))
    assert not [path for path in home.rglob("*classifier-playground*") if path.is_file()]
    assert main(["--remove"]) == 0 and "nothing to remove" in capsys.readouterr().out


def test_a_folder_that_cannot_be_written_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    with pytest.raises(SystemExit) as end:
        main(["--integrate"])
    shown = capsys.readouterr().err
    assert end.value.code == 2 and shown.count("\n") == 1 and "was not saved" in shown
    assert main(["--remove"]) == 0 and "nothing to remove" in capsys.readouterr().out


def test_what_a_desktop_hands_over_is_opened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file by its address, and a share text by an address of its own scheme."""
    path = tmp_path / "zwei Möns #1.playground"
    playground_files.write(default_document(), path)
    text = share_text.encode(default_document())
    address = path.as_uri()
    assert address.startswith("file:///") and text.startswith("classifier-playground:")
    with_host, short = address.replace("file://", "FILE://localhost"), address.replace("file://", "file:")
    for given in (address, with_host, short, text):
        assert main(["share", given]) == 0 and capsys.readouterr().out == f"{text}\n"
