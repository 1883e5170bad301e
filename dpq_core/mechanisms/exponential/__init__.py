"""The exponential mechanism on the intervals between sorted records: its output distribution and exact samplers."""
