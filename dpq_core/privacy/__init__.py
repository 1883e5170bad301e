"""Budgets and guarantees, the conversions between them, and the one place where losses add up (`composition`)."""
