"""Generated changes that no test can or need notice, each with the reason; `make mutants-all` leaves them out.

Equivalent: no input tells the change from the code. Unreachable: what would tell it is refused, or never arises.
Harmless: it changes time, memory, or which of several right answers is given, and no guarantee.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from tests.mutants.generated import Change


class Judged(NamedTuple):
    """A change with what was found about it."""

    change: Change
    verdict: Literal["equivalent", "unreachable", "harmless"]
    why: str


NAMES, SCHEMA = "dpq_core/groups/names.py", "dpq_core/ledger/store/schema.py"

JUDGED: tuple[Judged, ...] = (
    Judged(
        Change(
            "dpq_core/columns/release.py",
            "_protects",
            "return whole.protects if isinstance(whole, Groups) else unit_of(whole, plan).protects",
            "return whole.protects if (isinstance(whole, Groups)) and False else unit_of(whole, plan).protects",
        ),
        "equivalent",
        "`unit_of` says of groups, too, what they protect.",
    ),
    Judged(
        Change("dpq_core/finding/counting.py", "module", "OF_THE_COUNT = 2**31 + 1", "OF_THE_COUNT = 2**31 + 2"),
        "harmless",
        "Any part of a seed above 2^31 is one that neither the trials of a mechanism nor the walk has.",
    ),
    Judged(
        Change(
            "dpq_core/finding/walk.py",
            "Walk.of",
            "both = adjacency is Adjacency.SUBSTITUTE and find_bounds.zero > 0",
            "both = adjacency is Adjacency.SUBSTITUTE and find_bounds.zero > 1",
        ),
        "unreachable",
        "Below 0 there are no candidates or ten at least: the smallest and the largest are different powers of ten.",
    ),
    Judged(
        Change(
            "dpq_core/ledger/answers.py",
            "_release_from_dict",
            'ends = {name: as_pairs(own) for name, own in zip(names, stored.get("intervals", ()), strict=False)}',
            'ends = {name: as_pairs(own) for name, own in zip(names, stored.get("intervals", ()), )}',
        ),
        "equivalent",
        "`zip` is not strict unless that is said.",
    ),
    Judged(
        Change(
            NAMES,
            "_numbered",
            "low, high = min(known, default=0), max(known, default=0)",
            "low, high = min(known, default=1), max(known, default=0)",
        ),
        "equivalent",
        "Without a whole number among the names every place of the table is that of the rest, however many there are.",
    ),
    Judged(
        Change(SCHEMA, "module", 'Column("charged", Text, nullable=False),', 'Column("charged", Text, nullable=True),'),
        "harmless",
        "Every charge is entered with its time, in the one place that enters any (`ledger.charging`).",
    ),
    Judged(
        Change(SCHEMA, "module", 'Column("who", Text, nullable=False),', 'Column("who", Text, ),'),
        "harmless",
        "Every charge is entered with a text, an empty one where nobody is named.",
    ),
    Judged(
        Change(
            "dpq_core/noise/fast.py",
            "FastEntropy.discrete_gaussian",
            "if sigma_squared > MOST_TABLED:",
            "if sigma_squared >= MOST_TABLED:",
        ),
        "harmless",
        "At the limit the table and a rounded normal number have one law but for what no study can see.",
    ),
    Judged(
        Change(
            "dpq_core/people/takes.py",
            "some_rows",
            "rows = rows.copy() if ordered is not None and busy.size else rows",
            "rows = rows.copy() if (ordered is not None and busy.size) or True else rows",
        ),
        "harmless",
        "A copy more costs time and changes no answer.",
    ),
    Judged(
        Change(
            SCHEMA,
            "module",
            'Column("compared", Text, nullable=False, index=True),',
            'Column("compared", Text, nullable=True, index=True),',
        ),
        "harmless",
        "Every comparison is entered with its time.",
    ),
    Judged(
        Change(
            "dpq_core/ledger/store/database.py",
            "_sqlite",
            'URL.create("sqlite", database=str(file)), creator=connect, hide_parameters=True, '
            "pool_timeout=WAIT_SECONDS,",
            'URL.create("sqlite", database=str(file)), creator=connect, hide_parameters=False, '
            "pool_timeout=WAIT_SECONDS,",
        ),
        "harmless",
        "No text of a database's error reaches anyone: `_ledger_error` logs its kind alone. This is a second guard.",
    ),
)
