"""Changes to what is read of a person with several rows."""

from tests.mutants.mutant import Mutant

GROUPS, GROUP_TESTS = "dpq_core/group_privacy.py", "tests/test_group_privacy.py"
PAGE = "tests/pages/test_people.py"
SHARES, SHARE_CLAIMS = "dpq_core/people/shares.py", "tests/audit/test_share_claims.py"
PEOPLE, TAKES = "tests/audit/test_people_claims.py", "tests/people/test_takes.py"

PERSONS = (
    Mutant(
        "people: every row at the full budget",
        GROUPS,
        "if self.unit.times == 1:\n            return plan",
        "if self.unit.times >= 1:\n            return plan",
        f"{PEOPLE}::test_at_most_k_rows_hold_the_whole_budget",
    ),
    Mutant(
        "people: rho divided by k alone",
        GROUPS,
        "pure, concentrated = 0.0, _part(privacy.rho, squares)",
        "pure, concentrated = 0.0, _part(privacy.rho, steps)",
        f"{GROUP_TESTS}::test_parts_never_add_up_to_more",
    ),
    Mutant(
        "people: of an (epsilon, delta) the rho divided by k alone",
        GROUPS,
        "pure, concentrated = _part(privacy.epsilon, steps), _part(rho, squares)",
        "pure, concentrated = _part(privacy.epsilon, steps), _part(rho, steps)",
        f"{GROUP_TESTS}::test_a_delta_is_never_handed_down",
    ),
    Mutant(
        "people: a part of the budget rounded up",
        GROUPS,
        "return nearest if Fraction(nearest) <= exact else nextafter(nearest, 0)",
        "return nearest",
        f"{GROUP_TESTS}::test_parts_never_add_up_to_more",
    ),
    Mutant(
        "people: the whole stated as the part",
        GROUPS,
        "epsilon, delta = self._times(each.epsilon, self.steps), 0.0",
        "epsilon, delta = each.epsilon, 0.0",
        f"{GROUP_TESTS}::test_every_mechanism_has_a_part_of_the_budget_and_states_the_whole",
    ),
    Mutant(
        "people: a replaced person counted once",
        "dpq_core/calibrations.py",
        "data.most_rows * (2 if plan.adjacency is Adjacency.SUBSTITUTE else 1)",
        "data.most_rows",
        f"{GROUP_TESTS}::test_the_number_of_rows_stays_private_where_a_person_is_replaced",
    ),
    Mutant(
        "people: the number of rows read where it is private",
        "dpq_core/calibrations.py",
        "if plan.adjacency is Adjacency.ADD_REMOVE or unit_of(sample, plan).times > 1:",
        "if plan.adjacency is Adjacency.ADD_REMOVE:",
        f"{GROUP_TESTS}::test_the_number_of_rows_stays_private_where_a_person_is_replaced",
    ),
    Mutant(
        "people: rows calibrated under replacement",
        GROUPS,
        "privacy=privacy, adjacency=Adjacency.ADD_REMOVE)",
        "privacy=privacy)",
        f"{GROUP_TESTS}::test_the_number_of_rows_stays_private_where_a_person_is_replaced",
    ),
    Mutant(
        "people: a count before a refusal charged once",
        GROUPS,
        "charged=round_up(Fraction(error.charged) * unit.steps)",
        "charged=error.charged",
        f"{GROUP_TESTS}::test_a_refusal_speaks_of_one_record_and_has_cost_as_much_as_the_whole",
    ),
    Mutant(
        "people: a plan for single rows draws from persons",
        "dpq_core/calibrations.py",
        "assert calibrated.unit == unit_of(sample, calibrated.plan)",
        "assert calibrated.unit or unit_of(sample, calibrated.plan)",
        f"{GROUP_TESTS}::test_a_plan_for_other_rows_draws_nothing",
    ),
    Mutant(
        "people: one row more than most_rows",
        "dpq_core/people/takes.py",
        "kept = np.minimum(sizes, most)",
        "kept = np.minimum(sizes, most + 1)",
        f"{TAKES}::test_nobody_has_more_rows_than_most_rows_and_nobody_loses_one_without_need",
    ),
    Mutant(
        "people: a sample forgets how many rows a person has",
        "dpq_core/sample.py",
        'protects="person", most_rows=most_rows)',
        'protects="person")',
        f"{GROUP_TESTS}::test_every_mechanism_has_a_part_of_the_budget_and_states_the_whole",
    ),
    Mutant(
        "people: a mean from running sums over all persons",
        "dpq_core/people/takes.py",
        "    sums = np.bincount(codes, clipped, minlength=taken.size)",
        "    sums = np.bincount(codes, clipped + clipped.sum(), minlength=taken.size) - clipped.sum() * np.bincount(\n"
        "        codes, minlength=taken.size\n"
        "    )",
        f"{TAKES}::test_a_person_gives_the_same_bits_alone_and_among_others",
    ),
    Mutant(
        "people: a sketch of persons with several rows",
        "dpq_core/sketches/greenwald_khanna.py",
        "if sample.most_rows is not None or sample.unit > 1:",
        "if sample.n < 0:",
        f"{GROUP_TESTS}::test_a_sketch_takes_no_persons_with_several_rows",
    ),
    Mutant(
        "people: rows of nobody forgotten where a person is replaced",
        "dpq_core/sample.py",
        "dropped = sample.dropped + people.nobodys",
        "dropped = sample.dropped",
        f"{TAKES}::test_where_one_is_replaced_everybody_has_a_record_and_every_row_somebody",
    ),
    Mutant(
        "people: rows of a person weigh more than one together",
        SHARES,
        "weights[last] = unit - through[last]",
        "weights[last] = unit - through[last] + 1",
        "tests/people/test_shares.py::test_rows_of_a_person_weigh_one_together_and_alike",
    ),
    Mutant(
        "people: shares at twice the rate",
        "dpq_core/mechanisms/exponential/distribution.py",
        "each.times(Fraction(1, unit))",
        "each.times(Fraction(2, unit))",
        f"{SHARE_CLAIMS}::test_the_budget_is_used_and_half_the_noise_is_caught",
    ),
    Mutant(
        "people: tuples of shares at twice the rate",
        "dpq_core/mechanisms/joint/shares.py",
        "distance = Fraction(self.rate, self.cells.unit) *",
        "distance = Fraction(2 * self.rate, self.cells.unit) *",
        f"{SHARE_CLAIMS}::test_tuples_of_records_that_stand_for_units_are_accepted_into_the_law",
    ),
    Mutant(
        "people: tuples of shares accepted as they are proposed",
        "dpq_core/mechanisms/joint/shares.py",
        "if entropy.bernoulli(int(ldexp(mantissa, 53)), 1 << (53 - exponent)):",
        "if mantissa:",
        f"{SHARE_CLAIMS}::test_tuples_of_records_that_stand_for_units_are_accepted_into_the_law",
    ),
    Mutant(
        "people: few paths of shares at the rate of records",
        "dpq_core/mechanisms/freetotal/paths.py",
        "Fraction(rate, unit_of(cells) << RATE_BITS)",
        "Fraction(rate, 1 << RATE_BITS)",
        f"{SHARE_CLAIMS}::test_the_budget_is_used_and_half_the_noise_is_caught",
    ),
    Mutant(
        "people: noise of records on counts of shares",
        "dpq_core/mechanisms/counts/noise.py",
        "self.size if unit == 1 else self.times(Fraction(unit)).size",
        "self.size",
        f"{SHARE_CLAIMS}::test_noise_on_counts_is_in_units",
    ),
    Mutant(
        "people: shares read by what reads whole records",
        "dpq_core/calibrations.py",
        "if not (isinstance(data, Sample) and data.unit > 1):",
        "if not (isinstance(data, Sample) and data.unit < 1):",
        "tests/people/test_shares.py::test_a_mechanism_takes_shares_or_says_what_to_take",
    ),
    Mutant(
        "people: numbers above 2^53 merged",
        "dpq_core/people/ids.py",
        "column = np.empty(len(given), dtype=object)",
        "column = np.empty(len(given), dtype=np.float64)",
        "tests/people/test_ids.py",
    ),
    Mutant(
        "people: a page releases rows although it says people",
        "dpq_core/results/sealed.py",
        'settings = {"people": people, **person.settings} if person else {}',
        "settings = {}",
        f"{PAGE}::test_a_file_asks_by_the_name_of_a_column_and_a_release_protects_people",
    ),
    Mutant(
        "people: a budget of people pays for rows by themselves",
        "dpq_core/ui/budget/panel.py",
        'Adjacency(text("adjacency")), data.protected, account)',
        'Adjacency(text("adjacency")), data.anyone, account)',
        f"{PAGE}::test_rows_and_people_are_never_added_up_in_one_budget",
    ),
    Mutant(
        "people: a plan file's people are not read",
        "dpq_core/commands/people.py",
        "        rule = stored\n",
        "        rule = {}\n",
        "tests/test_main.py::test_a_plan_file_of_people_releases_for_people_and_their_account_pays_for_nothing_else",
    ),
    Mutant(
        "people: long ids that begin alike are one person's",
        "dpq_core/sources/parquet.py",
        "            yield batch.column(twin)\n\n\ndef is_text",
        "            yield _short_text(batch.column(twin)) if text else batch.column(twin)\n\n\ndef is_text",
        "tests/sources/test_people.py::test_a_parquet_file_compares_as_it_holds_them",
    ),
)
