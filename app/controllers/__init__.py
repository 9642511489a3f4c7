"""Controllers: the user's actions, one method each.  No Qt.

Calls from views and menus come in; commands go to the store, and changes to the session.  Start with `controller.py`;
the others take over a subject each (points, lanes, playback, files, presenting).
"""
