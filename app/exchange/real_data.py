"""Real data: tables shipped with the program, in `assets/data`; its README has sources and licences."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from app.files.assets import asset

from .columns import Choice, default_choice
from .importing import decode
from .table import Dialect, OnProgress, Table, unheard


class RealTable(Struct, frozen=True):
    """A table shipped with the program.

    Attributes
    ----------
    name : str
        Name of its file, without the suffix.
    title, sentence : str
    x, y : str
        The columns chosen first: the pair with the best accuracy of kNN.
    """

    name: str
    title: str
    sentence: str
    x: str
    y: str

    def read(
        self,
        dialect: Dialect | None = None,
        sheet: str | None = None,
        progress: OnProgress = unheard,
        beginning: bool = False,
    ) -> Table:
        """Return the table, which has no sheets; parameters and errors as of `importing.read`."""
        file = f"{self.name}.csv"
        return decode(asset("data", file), file, ".csv", dialect, sheet, progress, beginning)

    def first_choice(self, table: Table) -> Choice:
        """Return the first choice of columns."""
        choice, names = default_choice(table), [column.name for column in table.columns]
        if self.x in names and self.y in names:  # not so in another dialect
            choice = replace(choice, x=names.index(self.x), y=names.index(self.y))
        return choice


TABLES = (
    RealTable(
        "iris",
        "Iris flowers",
        "150 flowers of three species, in cm.  R. A. Fisher 1936; UCI, CC BY 4.0.",
        "petal length (cm)",
        "petal width (cm)",
    ),
    RealTable(
        "penguins",
        "Penguins",
        "344 penguins of three species, in mm and g.  K. Gorman and Palmer Station LTER; palmerpenguins, CC0.",
        "bill length (mm)",
        "bill depth (mm)",
    ),
    RealTable(
        "wine",
        "Wine",
        "178 wines of three cultivars, 13 chemical measurements.  M. Forina; UCI, CC BY 4.0.",
        "flavanoids",
        "colour intensity",
    ),
    RealTable(
        "breast-cancer",
        "Breast cancer",
        "569 tumours, benign or malignant, 30 measurements of their cells.  W. Wolberg and others; UCI, CC BY 4.0.",
        "worst area",
        "worst concave points",
    ),
)
