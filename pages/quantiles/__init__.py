"""The Quantiles page."""
