"""Films of a training, or of a slider that moves."""

from app.features.feature import WATCHING, Feature, Widget

FEATURE = Feature(
    window=("film", Widget("app.features.film.window.FilmDialog", ("window", "scheduler"))),
    help=((WATCHING, "Ctrl+Alt+E", "film of the training, or of k, C or γ moving: GIF, WebP or APNG"),),
)
