"""Rooms of a class: who is in them, what they look like, and the page where students come in."""
