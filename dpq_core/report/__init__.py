"""The report: one sheet about one answer for decision makers, as HTML."""
