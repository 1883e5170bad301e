"""Rooms of a class, and which of them a session is in. What they look like is in `class_views`."""
