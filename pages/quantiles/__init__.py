"""The Quantiles page, with its tab for a synthetic column."""
