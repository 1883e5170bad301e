"""Verification: exact laws on small data, exact privacy loss over neighbours, and broken variants to be caught."""
