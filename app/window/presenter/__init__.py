"""Presenter: the pictures for many eyes: nothing round them, large text, a spotlight and a pen."""
