"""Window: the main window and its bars, rows, panels and dialogs, assembled from views and features.

Scenes come in through `MainWindow.refresh` and go to every view; clicks and keys go to the controllers.  Start with
`main_window.py`; then `actions.py` (commands), `dock_manager.py` (panels) and the folder `lane` (rows of controls).
"""
