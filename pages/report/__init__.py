"""The Report page: one sheet about one answer."""
