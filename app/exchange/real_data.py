"""Real data: the tables that come with the program, in `assets/data`; sources and licences are in its README."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from app.files.assets import asset

from .columns import Choice, default_choice
from .importing import decode
from .table import Dialect, Table


class RealTable(Struct, frozen=True):
    """A table that comes with the program.

    Attributes
    ----------
    name : str
        Of its file, without the suffix.
    title, sentence : str
    x, y : str
        The columns that are offered first: the pair in which neighbours tell the classes apart best.
    standardise : bool
        Their units are so unlike that they are offered standardised.
    """

    name: str
    title: str
    sentence: str
    x: str
    y: str
    standardise: bool = False

    def read(self, dialect: Dialect | None = None) -> Table:
        """Return the table; FileError with one sentence where it cannot be read."""
        file = f"{self.name}.csv"
        return decode(asset("data", file), file, ".csv", dialect)

    def first_choice(self, table: Table) -> Choice:
        """Return the choice that the import dialog begins with; rows with a missing cell are left out."""
        names = [column.name for column in table.columns]
        if self.x not in names or self.y not in names:  # read in another dialect
            return default_choice(table)
        x, y = names.index(self.x), names.index(self.y)
        return replace(default_choice(table), x=x, y=y, standardise=self.standardise, leave_out=True)


TABLES: tuple[RealTable, ...] = (
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
        standardise=True,
    ),
)
