"""A kernel with a parameter of its own, added to a copy of the sources by the recipe of CONTRIBUTING, works everywhere.

It is ``exp(gamma <x, z> / tau)``; `kernel_in_use` uses it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
#: Old and new text, by file.
EDITS: dict[str, list[tuple[str, str]]] = {
    "solver/kernels/table.py": [
        (
            "    degree: int = 3\n\n    def __post_init__",
            "    degree: int = 3\n    tau: float = 1.0\n\n    def __post_init__",
        ),
        (
            '        check_integer("degree", self.degree, 0, 100)',
            '        check_number("tau", self.tau, 0.0, open_low=True)\n'
            '        check_integer("degree", self.degree, 0, 100)',
        ),
        ("float(self.coef0), int(self.degree)\n", "float(self.coef0), int(self.degree), float(self.tau)\n"),
        (
            "KERNELS: dict[str, KernelKind] = {\n",
            "def _exponential(kernel: Parameters, product: Array) -> Array:\n"
            '    with np.errstate(over="ignore"):\n'
            "        return np.exp(kernel.gamma * product / kernel.tau)\n"
            "\n"
            "\n"
            "KERNELS: dict[str, KernelKind] = {\n"
            '    "exponential": ProductKind(\n'
            "        code=rows.EXPONENTIAL,\n"
            '        title="Exponential",\n'
            '        formula="K(x, z) = exp(γ⟨x, z⟩ / τ)",\n'
            '        parameters=("gamma", "tau"),\n'
            '        note="All powers of the product at once.",\n'
            "        is_definite=_always,\n"
            "        expansion_on=row_by_row_on,\n"
            "        value=_exponential,\n"
            "        slope=lambda kernel, product: kernel.gamma / kernel.tau * _exponential(kernel, product),\n"
            "        bound=lambda kernel, square: np.exp(kernel.gamma * square / kernel.tau),\n"
            "        growth_of=lambda kernel, square: kernel.gamma * square / kernel.tau\n"
            "        * np.exp(kernel.gamma * square / kernel.tau),\n"
            "    ),\n",
        ),
    ],
    "solver/kernels/_kernel_rows.py": [
        ("PRECOMPUTED = range(6)", "PRECOMPUTED, EXPONENTIAL = range(7)"),
        ("KernelNumbers = tuple[int, float, float, int]", "KernelNumbers = tuple[int, float, float, int, float]"),
        ("    code, gamma, coef0, degree = kernel\n", "    code, gamma, coef0, degree, tau = kernel\n"),
        (
            "    elif code == SIGMOID:\n",
            "    elif code == EXPONENTIAL:\n"
            "        for k in range(first, end):\n"
            "            out[k] = math.exp(gamma * out[k] / tau)\n"
            "    elif code == SIGMOID:\n",
        ),
    ],
    "solver/kernels/kernel_classifier.py": [
        ("    coef0: float = 0.0\n", "    coef0: float = 0.0\n    tau: float = field(default=1.0, kw_only=True)\n"),
        ("from dataclasses import dataclass, replace\n", "from dataclasses import dataclass, field, replace\n"),
    ],
    "app/learners/svm.py": [
        (
            "    tol: Annotated",
            '    tau: Annotated[float, Meta(ge=0.1, le=100.0, extra={"decades": (-1, 2)})] = 1.0\n    tol: Annotated',
        ),
        (
            '    Field(\n        "class_weight",',
            "    Field(\n"
            '        "tau",\n'
            '        "slider",\n'
            '        "τ",\n'
            '        "Divides the product.",\n'
            '        shown=_of_kernel("tau"),\n'
            "        has_curve=True,\n"
            "    ),\n"
            "    Field(\n"
            '        "class_weight",',
        ),
    ],
}


@pytest.mark.soak
def test_a_kernel_with_a_parameter_of_its_own_is_used_everywhere(tmp_path: Path) -> None:
    for name in ("app", "solver", "assets"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name, edits in EDITS.items():
        path = tmp_path / name
        text = path.read_text(encoding="utf-8")
        for old, new in edits:
            assert text.count(old) == 1, f"{name} has not exactly one {old!r}"
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
    profile = tmp_path / "profile"
    profile.mkdir()
    use = subprocess.run(
        [sys.executable, Path(__file__).with_name("kernel_in_use.py"), profile],
        env={**os.environ, "PYTHONPATH": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert use.stdout == "used everywhere\n", use.stderr


def test_the_recipe_names_the_files(tmp_path: Path) -> None:
    """The text of each edit still exists; CONTRIBUTING names each file, or the table in it."""
    recipes = [line for line in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines() if "kernel" in line]
    for name, edits in EDITS.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        for old, _ in edits:
            assert text.count(old) == 1, f"{name} has {text.count(old)} times, not once: {old!r}; change it in EDITS"
        assert any(name in line for line in recipes), name
