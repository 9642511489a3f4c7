"""Views: widgets that draw a scene and hand on what the hand does; they keep no state of their own."""
