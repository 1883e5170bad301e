"""Changes to what stands between a table and its draws: whose rows are whose, what protects whom, what a map says."""

from tests.mutants.mutant import Mutant

CHARGING, ACCOUNTS = "dpq_core/ledger/charging.py", "dpq_core/ledger/accounts.py"
SKETCH = "dpq_core/sketches/greenwald_khanna.py"
IDS, OPENDP = "dpq_core/people/ids.py", "dpq_core/opendp.py"
UNITS, WRAPPERS = "tests/audit/test_units_claims.py::", "tests/audit/test_wrappers_claims.py::"
OF_SKETCH = "tests/test_group_privacy.py::test_a_sketch_of_persons_says_so_and_stays_one"
OF_LEDGER = "tests/ledger/test_units.py::test_an_account_pays_for_records_or_for_persons"
COMPOSITION = "dpq_core/privacy/composition.py"
TABLE = "dpq_core/groups/table.py"

UNITS_AND_WRAPPERS = (
    Mutant(
        "an account pays for records and for persons",
        CHARGING,
        "    refuse_another_unit(connection, account, request.guarantee)\n",
        "",
        OF_LEDGER,
    ),
    Mutant(
        "an account of another data set decides whether records or persons are paid for",
        ACCOUNTS,
        "where((releases.c.account == account.number) & others)",
        "where((releases.c.account != account.number) & others)",
        OF_LEDGER,
    ),
    Mutant(
        "a sketch of persons says that it protects records",
        SKETCH,
        "sketch.dropped, sketch.protects = sample.dropped, sample.protects",
        "sketch.dropped = sample.dropped",
        OF_SKETCH,
    ),
    Mutant(
        "a stored sketch of persons comes back as one of records",
        SKETCH,
        "        sketch.protects = found.protects\n",
        "",
        OF_SKETCH,
    ),
    Mutant(
        "a merged sketch of persons is one of records",
        SKETCH,
        "        self.protects = other.protects\n",
        "",
        OF_SKETCH,
    ),
    Mutant(
        "rows are added to a sketch of persons",
        SKETCH,
        'if self.protects == "person":',
        'if self.protects == "nobody":',
        OF_SKETCH,
    ),
    Mutant(
        "ids with outer blanks are other persons",
        "dpq_core/people/identity.py",
        "return plain_text(cell)",
        "return str(cell) or None",
        "tests/people/test_identity.py",
    ),
    Mutant(
        "a person in two batches is two persons",
        IDS,
        "known.setdefault(person, len(known)) for person in map(",
        "known.setdefault((len(parts), person), len(known)) for person in map(",
        "tests/people/test_batches.py",
    ),
    Mutant(
        "whoever has no valid row is not missed where rows are shares",
        "dpq_core/people/shares.py",
        "return found, people.count - found.size // UNIT",
        "return found, 0",
        "tests/people/test_shares.py",
    ),
    Mutant(
        "groups forget in how many of them a person is",
        TABLE,
        "protects=protects, groups_per_person=most,",
        "protects=protects,",
        f"{UNITS}test_a_person_in_two_groups",
    ),
    Mutant(
        "groups of persons say that they protect records",
        TABLE,
        'protects: Protects = "record" if people is None else "person"',
        'protects: Protects = "record" if people is None else "record"',
        f"{UNITS}test_pooled_groups",
    ),
    Mutant(
        "groups with numbers of their own state the loss of the cheapest",
        COMPOSITION,
        "epsilon=max(part.epsilon for part in parts)",
        "epsilon=min(part.epsilon for part in parts) / 2",
        "tests/groups/test_intervals_of_groups.py::test_the_guarantee_of_groups_with_numbers_of_their_own_is_that_of_the_worst",
    ),
    Mutant(
        "names have a delta that the answers spend",
        COMPOSITION,
        "left = Fraction(whole.delta) - Fraction(answers.delta)",
        "left = Fraction(whole.delta)",
        f"{WRAPPERS}test_names_have_what_answers_leave_of_delta",
    ),
    Mutant(
        "the ends of intervals follow from the private number of records",
        "dpq_core/finding/counting.py",
        "replace(self.rest, about_n=at_least)",
        "replace(self.rest, about_n=max(sample.n, 1))",
        "tests/finding/test_counting.py",
    ),
    Mutant(
        "OpenDP: a replaced record is one that joins",
        OPENDP,
        "allowed = REPLACING if replaced else JOINING",
        "allowed = (*REPLACING, *JOINING)",
        "tests/test_opendp.py",
    ),
    Mutant(
        "OpenDP: rho is converted at twice the delta",
        OPENDP,
        "rho_to_epsilon(rho, plan.privacy.delta)",
        "rho_to_epsilon(rho, min(2 * plan.privacy.delta, 0.5))",
        "tests/test_opendp.py",
    ),
    Mutant(
        "OpenDP: the loss at distance 1 is that of less",
        OPENDP,
        "return loss_times(guarantee.epsilon, distance)",
        "return loss_times(guarantee.epsilon, max(distance - 1, 1))",
        f"{WRAPPERS}test_a_measurement_of_opendp_loses_no_more_than_its_map_says",
    ),
    Mutant(
        "shares: rows of a person are weighed as if they were one fewer",
        "dpq_core/people/shares.py",
        "np.repeat(unit / np.maximum(sizes, 1), sizes)",
        "np.repeat(unit / np.maximum(sizes - 1, 1), sizes)",
        "tests/people/test_shares.py",
    ),
)
