"""Window: the main window and its bars, rows, panels and dialogs, put together from views and features."""
