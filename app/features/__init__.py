"""Features: one folder for each question about the models.

A feature gets the scene's context (document, session, results), controllers and the window's surroundings; it returns
queries, parts of the scene, overlays, a panel or a dialog, as declared in its `feature.py`.  Start with `table.py`, the
list of all, and `app/scene/feature.py`, what a feature may have.

The files of a folder have the same roles everywhere: `feature.py` (menu, keys, dock), `query.py` (work in the
background), `scene.py` (what is displayed, as values), `state.py` (its part of the session, unless that is in
`scene.py`), `text.py` (sentences), `controller.py` (user actions).  Qt is imported only in `panel`, `overlay`, `window`
and `view*`.
"""
