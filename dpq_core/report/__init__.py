"""The report: one sheet about one answer for decision makers, as HTML and as a picture."""
