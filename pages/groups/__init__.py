"""Every group of a column on the page Quantiles: drawn in one press, shown in rows."""
