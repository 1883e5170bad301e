"""Summarise columns in little memory, read once, with proved bounds on every rank."""
