"""Read what was charged: entries, sums, statements, and the answers of each charge."""
