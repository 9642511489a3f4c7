"""State: document and session as frozen values, commands that change the document, and its store.  No Qt.

Commands come in through `Store.dispatch`; the store calls its listeners with the old and the new document.  Start with
`document.py` (what is saved), then `session.py` (what is not), `commands.py` and `store.py`.
"""
