"""Check that this commit can be released, and print the commands that release it; nothing is published.

Usage: python .ci/release.py {before,after}

  before  check version, changelog and citation, and that everything is committed
  after   check that wheel, sdist and bundle of this version exist, and print the commands
"""

from __future__ import annotations

import re
import sys

from dist import DIST
from environments import NAME, ROOT, Failure, run, say

from solver.version import __date__ as date
from solver.version import __version__ as version


def before() -> None:
    """Raise Failure with all that prevents a release."""
    wrong = []
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        wrong.append(f"The version {version} in solver/version.py is not of three numbers.")
    heads = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    head = f"{version} ({date})"
    if heads[:1] != [head]:
        wrong.append(f"CHANGELOG.md begins with {heads[:1]}; by solver/version.py it should be {head}.")
    if re.search(r"^(version|date-released):", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE):
        wrong.append("CITATION.cff names a version, which belongs in solver/version.py only.")
    if changed := run(["git", "-C", ROOT, "status", "--porcelain"]).strip():
        wrong.append(f"Not everything is committed:\n{changed}")
    if run(["git", "-C", ROOT, "tag", "--list", f"v{version}", "--no-contains", "HEAD"]).strip():
        wrong.append(f"The tag v{version} is of an earlier commit.")
    if wrong:
        raise Failure("\n".join(wrong))
    say(f"Version {version}: changelog, citation and a clean tree.")


def after() -> None:
    """Raise Failure if a file was not built; print the next commands."""
    built = [*DIST.glob(f"*-{version}-*.whl"), *DIST.glob(f"*-{version}.tar.gz")]
    if len(built) != 2 or not (DIST / NAME).is_dir():
        raise Failure("Wheel, sdist or bundle are missing in dist.")
    names = " ".join(str(path.relative_to(ROOT)) for path in built)
    say(f"""
Everything is in dist. The commands that are left:
    git tag -a v{version} -m "Classifier Playground {version}"
    git push --follow-tags
    python -m pip install twine && python -m twine upload {names}
    tar -C dist -caf dist/{NAME}-{version}-{sys.platform}.tar.xz {NAME}   # the bundle of this system""")


if __name__ == "__main__":
    try:
        {"before": before, "after": after}[sys.argv[1]]()
    except Failure as failure:
        sys.exit(str(failure))
