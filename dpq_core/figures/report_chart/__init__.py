"""The chart of a report: rows of answers with their intervals, drawn once and written as SVG or as PNG."""
