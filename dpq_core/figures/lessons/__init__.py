"""Figures of the lessons."""
