"""Film: export a training, a moving slider or the relief of f as an animated picture."""

from app.scene.feature import WATCHING, Action, Feature, Widget

FEATURE = Feature(
    actions=(
        Action(
            "film",
            "&File",
            "Export fil&m…",
            ("Ctrl+Alt+E",),
            "A training, a slider moved or the relief: GIF, WebP, APNG.",
            after="picture",
        ),
    ),
    window=(
        "film",
        Widget(
            "app.features.film.window.FilmDialog",
            ("window", "controller", "scheduler", "settings", "grids", "alert", "features"),
            trains=True,
        ),
    ),
    help=(
        (WATCHING, "Ctrl+Alt+E", "film of the training, of k, C or γ moving, or of the relief of f: GIF, WebP or APNG"),
    ),
)
