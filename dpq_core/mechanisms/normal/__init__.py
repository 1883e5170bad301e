"""Quantiles of normally distributed records: find privately where they lie, and count in bins there."""
