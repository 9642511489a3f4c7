"""Views: widgets that draw a scene and pass on what the user does; they keep no state of their own."""
