"""Formats of files: known.py is their list, reader.py what each offers. Nothing is imported here."""
