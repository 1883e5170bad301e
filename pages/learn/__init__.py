"""The Learn page: a course of short lessons with live pictures."""
