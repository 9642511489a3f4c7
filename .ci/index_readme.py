"""The README for an index of packages, made at build time: an index has none of the files that the README links to.

In a workflow, which knows where the files are published (GITHUB_REPOSITORY and GITHUB_REF_NAME), links lead there,
those of pictures, too.  Elsewhere the pictures are left out, and links become their words.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

#: A link to a file of the project, and the mark of a picture before it.
OWN = re.compile(r"(!?)\[([^]]*)\]\((?!https?:|#)([^)]+)\)")


class IndexReadme(MetadataHookInterface):
    """Sets the field `readme`."""

    def update(self, metadata: dict[str, Any]) -> None:
        repository, ref = os.environ.get("GITHUB_REPOSITORY", ""), os.environ.get("GITHUB_REF_NAME", "main")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": for_index(text, repository, ref)}


def for_index(text: str, repository: str, ref: str) -> str:
    """Return the README with its own links leading to a repository of GitHub; without one, see above."""

    def link(match: re.Match[str]) -> str:
        picture, words, path = match.groups()
        if repository:
            return f"{picture}[{words}](https://github.com/{repository}/{'raw' if picture else 'blob'}/{ref}/{path})"
        return "" if picture else words

    return OWN.sub(link, text)
