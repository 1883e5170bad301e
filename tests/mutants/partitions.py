"""Changes to what workers of a cluster take of a table: persons, tie-breaking bits, groups and what leaves them."""

from tests.mutants.mutant import Mutant

ROOM = "dpq_core/tables/partitions/"
IDS, ROWS, TAKING, READING = (f"{ROOM}{name}.py" for name in ("ids", "rows", "taking", "reading"))
CELLS, BLOCKS, SHUFFLE = (f"{ROOM}{name}.py" for name in ("cells", "blocks", "shuffle"))
SPREAD, FINDING = f"{ROOM}spread.py", f"{ROOM}finding.py"
FOUND = "tests/cluster/test_finding.py::"
ONE = "tests/tables/test_partitions.py::"
CLUSTER, CLAIMS = "tests/cluster/test_tables.py::", "tests/cluster/test_table_claims.py::"
WORDS = f"{ONE}test_two_rows_have_equal_words_exactly_if_they_are_one_persons_in_memory"
PERSONS = f"{ONE}test_persons_after_a_shuffle_are_those_of_the_whole_table"
RECORDS = f"{CLUSTER}test_groups_have_the_records_of_the_table_in_memory"
AS_IN_MEMORY = f"{CLAIMS}test_plans_are_calibrated_as_for_the_table_in_memory"

PARTITIONS = (
    Mutant(
        "cluster: ids are digests that anybody can compute",
        IDS,
        "digest_size=32, key=bytes(key)",
        "digest_size=32",
        f"{ONE}test_words_follow_from_the_secret_key_alone",
    ),
    Mutant(
        "cluster: an id is part of its digest",
        IDS,
        "words = table[codes]",
        "table[:, 1:-1] = 0\n    words = table[codes] >> 60",
        WORDS,
    ),
    Mutant(
        "cluster: ids of several parts run together",
        IDS,
        'return len(text).to_bytes(8, "little") + text',
        "return text",
        WORDS,
    ),
    Mutant(
        "cluster: a text is the number that it is written as",
        IDS,
        'b"t" + person.encode',
        'b"n" + person.encode',
        WORDS,
    ),
    Mutant(
        "cluster: a whole number is the nearest float",
        IDS,
        "    exact = Fraction(number)",
        "    exact = Fraction(float(number))",
        WORDS,
    ),
    Mutant(
        "cluster: a time is what clocks show",
        IDS,
        " - (offset or datetime.timedelta())",
        "",
        WORDS,
    ),
    Mutant(
        "cluster: ids that do not fit into 64 bits are cut off",
        IDS,
        'kind.kind in "iub" and np.can_cast(kind, np.int64)',
        'kind.kind in "iub"',
        f"{ONE}test_whole_numbers_are_their_own_words_where_all_fit",
    ),
    Mutant(
        "cluster: all rows without an id are one person's",
        IDS,
        "words[nobody, -1] = first_row + nobody",
        "words[nobody, -1] = first_row",
        WORDS,
    ),
    Mutant(
        "cluster: rows without an id are one person's with those of other partitions",
        ROWS,
        "words_of(ids, at * MOST_ROWS_EACH + 1,",
        "words_of(ids, 1,",
        PERSONS,
    ),
    Mutant(
        "cluster: persons are told apart by the first word of their id",
        ROWS,
        "new = np.any(np.diff(words[order], axis=0, prepend=words[order[:1]] - 1) != 0, axis=1)",
        "new = (np.diff(words[order], axis=0, prepend=words[order[:1]] - 1) != 0)[:, 0]",
        f"{ONE}test_ids_that_differ_in_one_word_are_two_persons",
    ),
    Mutant(
        "cluster: a person whose rows are apart is several",
        ROWS,
        "order = np.lexsort(words.T)",
        "order = np.arange(len(words))",
        PERSONS,
    ),
    Mutant(
        "cluster: rows of nobody are persons unasked",
        ROWS,
        "    if missing_is_person or not alone.any():",
        "    if len(words):",
        PERSONS,
    ),
    Mutant(
        "cluster: rows of nobody belong to somebody",
        ROWS,
        "    codes[alone] = -1\n",
        "    codes[alone] = 0\n",
        PERSONS,
    ),
    Mutant(
        "cluster: rows are not numbered in the table",
        ROWS,
        "np.arange(at * MOST_ROWS_EACH, at * MOST_ROWS_EACH + rows)",
        "np.zeros(rows, np.int64)",
        f"{ONE}test_records_do_not_depend_on_the_order_in_which_rows_arrive",
    ),
    Mutant(
        "cluster: bits and choices follow the order of arrival",
        TAKING,
        "rows = rows.sort_values(ROW)",
        "rows = rows.sort_values(ROW, ignore_index=True) if len(rows) < 2 else rows",
        f"{ONE}test_records_do_not_depend_on_the_order_in_which_rows_arrive",
    ),
    Mutant(
        "cluster: two columns break ties alike",
        TAKING,
        'key.of(f"{rule.purpose} {name}")',
        "key.of(rule.purpose)",
        f"{ONE}test_bits_are_a_function_of_a_secret_key_and_of_each_column",
    ),
    Mutant(
        "cluster: bits of a partition can be guessed",
        TAKING,
        '"seed": key.of(f"{rule.purpose} {name}")',
        '"seed": Key(b"").of(f"column {name}")',
        f"{ONE}test_bits_are_a_function_of_a_secret_key_and_of_each_column",
    ),
    Mutant(
        "cluster: bits of a lost partition are drawn anew",
        TAKING,
        '"seed": key.of(f"{rule.purpose} {name}")',
        '"seed": None',
        f"{ONE}test_bits_are_a_function_of_a_secret_key_and_of_each_column",
    ),
    Mutant(
        "cluster: the keys of partitions can be guessed",
        READING,
        "jitter_keys(len(parts) + 1, seed)",
        "jitter_keys(len(parts) + 1, seed or 1)",
        f"{CLAIMS}test_bits_without_a_seed_are_others_each_time",
    ),
    Mutant(
        "cluster: every row is a person",
        TAKING,
        "people = persons_of(rows, wanted, missing_is_person=rule.missing_is_person)",
        "people = persons_of(rows.assign(**{wanted.id_columns[0]: np.arange(len(rows))}), wanted, "
        "missing_is_person=rule.missing_is_person)",
        f"{ONE}test_a_persons_rows_weigh_one_together_and_rows_of_nobody_nothing",
    ),
    Mutant(
        "cluster: ids that are missing are persons, whatever was asked",
        TAKING,
        "missing_is_person=rule.missing_is_person",
        "missing_is_person=True",
        f"{ONE}test_a_persons_rows_weigh_one_together_and_rows_of_nobody_nothing",
    ),
    Mutant(
        "cluster: rows of a person are taken in each partition",
        READING,
        "together = [wanted.id_columns[0], wanted.id_columns[-1]]",
        'together = ["row"]',
        f"{CLUSTER}test_rows_chosen_at_random_are_the_persons_own_and_as_many",
    ),
    Mutant(
        "cluster: a person is kept in one group more than was asked",
        READING,
        'counted |= {"groups_per_person": groups_per_person,',
        'counted |= {"groups_per_person": groups_per_person if isinstance(groups_per_person, str) '
        "else groups_per_person + 1,",
        f"{CLAIMS}test_a_person_is_in_as_many_groups_as_asked_and_keeps_as_many_rows",
    ),
    Mutant(
        "cluster: a person in several groups pays for one",
        BLOCKS,
        '"records": Elsewhere(), "starts": Elsewhere(), "dropped"',
        '"groups_per_person": 1, "records": Elsewhere(), "starts": Elsewhere(), "dropped"',
        AS_IN_MEMORY,
    ),
    Mutant(
        "cluster: several rows of a person pay for one",
        SPREAD,
        "public, records=records, jitter_bits=checked_bits(bits, domain)",
        "public, records=records, jitter_bits=checked_bits(bits, domain), most_rows=None",
        AS_IN_MEMORY,
    ),
    Mutant(
        "cluster: groups of shares are paid for as records",
        BLOCKS,
        '"weights": None if empty.weights is None else Elsewhere(),',
        '"weights": None,',
        AS_IN_MEMORY,
    ),
    Mutant(
        "cluster: a person of a whole column is a record",
        SPREAD,
        "public, records=records, jitter_bits=checked_bits(bits, domain)",
        'public, records=records, jitter_bits=checked_bits(bits, domain), protects="record"',
        AS_IN_MEMORY,
    ),
    Mutant(
        "cluster: missing values are left out of a column whose size is public",
        SPREAD,
        "seed=self.seed, dropped=dropped",
        "seed=self.seed, dropped=0",
        f"{CLAIMS}test_rows_are_not_left_out_where_their_number_is_public",
    ),
    Mutant(
        "cluster: all groups are drawn by one noise",
        "dpq_core/groups/draws.py",
        "    entropy = ExactEntropy()\n    which, calibrated = _named",
        "    entropy = FastEntropy(1, 1)\n    which, calibrated = _named",
        f"{CLAIMS}test_blocks_are_drawn_by_noise_of_their_own",
    ),
    Mutant(
        "cluster: simulated blocks repeat the errors of the first",
        "dpq_core/groups/draws.py",
        "seed += at * OF_ONE_PART",
        "seed += 0 * at",
        f"{CLAIMS}test_blocks_are_drawn_by_noise_of_their_own",
    ),
    Mutant(
        "cluster: what some blocks could not answer is left out",
        BLOCKS,
        "            if isinstance(each, DataError | ParameterError):\n                raise each\n",
        "            if isinstance(each, DataError | ParameterError):\n                return []\n",
        f"{CLAIMS}test_no_group_is_answered_where_one_block_has_no_answer",
    ),
    Mutant(
        "cluster: shares are given to other records of a range",
        CELLS,
        "WeightedCells.of(cells[order], weights[order], unit)",
        "WeightedCells.of(cells[order], np.sort(weights), unit)",
        f"{ONE}test_a_persons_rows_weigh_one_together_and_rows_of_nobody_nothing",
    ),
    Mutant(
        "cluster: shares are given to other records of a block",
        BLOCKS,
        "ordered, weights = cells[order], weights[order]",
        "ordered, weights = cells[order], np.sort(weights)",
        f"{ONE}test_groups_of_a_block_are_those_of_all_partitions_with_their_weights",
    ),
    Mutant(
        "cluster: shares of a partition weigh one each",
        TAKING,
        "np.diff(cells.through).astype(np.int32)",
        "np.full(cells.size, cells.through[-1] // max(cells.size, 1), np.int32)",
        f"{ONE}test_a_persons_rows_weigh_one_together_and_rows_of_nobody_nothing",
    ),
    Mutant(
        "cluster: a block answers for the group beside its own",
        BLOCKS,
        "codes = rows[CODE].to_numpy() - np.int32(first)",
        "codes = rows[CODE].to_numpy() - np.int32(first) if first == 0 else rows[CODE].to_numpy() * 0",
        RECORDS,
    ),
    Mutant(
        "cluster: tasks show what they are asked",
        SHUFFLE,
        'return "Hidden()"',
        'return f"Hidden({self.value})"',
        f"{ONE}test_nothing_private_is_in_the_text_of_what_a_worker_holds",
    ),
    Mutant(
        "cluster: partitions that were read show their records",
        TAKING,
        "@dataclass(frozen=True, eq=False, repr=False)\nclass Records",
        "@dataclass(frozen=True, eq=False)\nclass Records",
        f"{ONE}test_nothing_private_is_in_the_text_of_what_a_worker_holds",
    ),
    Mutant(
        "cluster: the error of a cell quotes it",
        ROWS,
        "@partial(only_clear_errors, otherwise=DAMAGED)\n",
        "",
        f"{ONE}test_an_error_of_a_library_is_a_sentence_without_the_cell",
    ),
    Mutant(
        "cluster: bounds are found by the choices of the answers",
        FINDING,
        "of_purpose(name, grid, 0, BOUNDS, unheard)",
        'of_purpose(name, grid, 0, "column", unheard)',
        f"{FOUND}test_bits_are_the_same_for_each_step_and_others_for_each_purpose",
    ),
    Mutant(
        "cluster: shares of all groups are given to other records where bounds are found",
        SPREAD,
        "None if records.weights is None else records.weights[order]",
        "None if records.weights is None else np.sort(records.weights)",
        f"{FOUND}test_the_walk_reads_the_integers_of_the_table_in_memory",
    ),
    Mutant(
        "cluster: bounds are found of a seeded table, whose bits can be guessed",
        SPREAD,
        "seed=self.seed, dropped=dropped",
        "seed=None, dropped=dropped",
        f"{FOUND}test_a_release_finds_bounds_with_the_guarantee_of_one_in_memory",
    ),
)
