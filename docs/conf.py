"""Sphinx configuration of these pages: `make docs` builds them into docs/_build, without a network."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

DOCS = Path(__file__).resolve().parent
# The extension that numbers lines, and the package that the API reference describes.
sys.path[:0] = [str(DOCS), str(DOCS.parent)]

from solver.version import __version__  # noqa: E402

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "Classifier Playground"
copyright = "Classifier Playground contributors"
release = version = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "source_lines",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = [
    "_build",
    "_pictures/*.md",
    "gallery/*.rst",
    "sg_execution_times.rst",
    "_gallery/sg_execution_times.rst",
]
nitpicky = True

myst_heading_anchors = 3

# `name` in a docstring is code, as in scikit-learn's.
default_role = "literal"
# The types are in the docstrings; those of the signatures name private aliases.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
# Members are those of our own classes and their bases, but for these.
autodoc_default_options = {"members": True, "inherited-members": "BaseException,int,str"}
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "_gallery",
    "filename_pattern": r"\.py$",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
}

html_theme = "furo"
html_title = "Classifier Playground"
html_show_sphinx = False


def escape_names(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Escape what reStructuredText would take for a reference: names that end in _, and |x|."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            parts = re.split(r"(`[^`]*`)", line)
            parts[::2] = [re.sub(r"(?<=\w)_(?!\w)|\|", r"\\\g<0>", part) for part in parts[::2]]
            lines[number] = "".join(parts)


def setup(app: Sphinx) -> None:
    """Have docstrings escaped after numpydoc has translated them."""
    app.connect("autodoc-process-docstring", escape_names, priority=900)
