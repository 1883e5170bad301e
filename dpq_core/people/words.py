"""What one of the protected is called."""

USUAL_ROW = "person"
"""What one of the protected is called, where nobody said."""
PLURALS = {"person": "people", "entry": "entries", "": "records"}


def plural_of(one: str) -> str:
    """Return the plural of the word for one row."""
    return PLURALS.get(one, one if one.endswith("s") else f"{one}s")
