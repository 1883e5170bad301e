"""Formats of files.

known.py   the list, a line for each; a new one is this line and one module with a FileTable
reader.py  FileTable: what a format offers; Layout: where the columns of one of its files are
encodings  how Python and people call the encodings of text

Nothing is imported here: the list is read without them.
"""
