"""What one of the protected is called, and what counts of a person's rows."""

USUAL_ROW = "person"
"""What one of the protected is called, where nobody said."""
PLURALS = {"person": "people", "entry": "entries", "": "records"}


def plural_of(one: str) -> str:
    """Return the plural of the word for one row."""
    return PLURALS.get(one, one if one.endswith("s") else f"{one}s")


COUNTED = {
    "random": "one of their rows at random", "weight": "all of their rows, which together weigh as much as one",
    "mean": "the mean of their rows", "median": "the (lower) median of their rows",
    "min": "the smallest of their rows", "max": "the largest of their rows", "first": "the first of their rows",
    "last": "the last of their rows",
}  # fmt: skip
"""What counts of a person, by take: the end of a sentence such as "each patient counts once, by"."""


def rule_in_words(per_person: str | None, max_rows_per_person: int | None, one: str) -> str:
    """Return what counts as a sentence: `each patient counts once, by the mean of their rows`."""
    if max_rows_per_person is not None:
        rows = "1 row" if max_rows_per_person == 1 else f"{max_rows_per_person:,} rows"
        return f"at most {rows} of each {one} count{'s' * (max_rows_per_person == 1)}"
    return f"each {one} counts once, by {COUNTED[per_person or 'random']}"
