"""Verification: exact output distributions and losses on small neighbouring data, and variants that must fail."""
