"""Groups: the same quantiles for every group of a table, in one release with one guarantee.

Proof: docs/groups-proof.md.
"""
