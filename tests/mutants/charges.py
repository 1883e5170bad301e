"""Changes to the ledger's charges: that they are written, written first, by themselves, and cannot be taken back."""

from tests.mutants.mutant import Mutant

LEDGER = "dpq_core/ledger/"
CHARGING = "tests/ledger/test_charging.py::"
CONTINUITY = "tests/ledger/test_continuity.py"

CHARGES = (
    Mutant(
        "names of groups whose bounds are found cost nothing",
        "dpq_core/columns/schedule.py",
        "Schedule(plan=plan, steps=columns, guarantee=columns.guarantee)",
        "Schedule(plan=plan, steps=columns, guarantee=columns.columns[ONE_COLUMN].guarantee)",
        "tests/ledger/test_groups.py::test_bounds_and_names_of_groups_that_are_found_are_charged_with_their_answers",
    ),
    Mutant(
        "another list of groups has the answer of groups whose bounds were found",
        f"{LEDGER}requests.py",
        """        bounds, groups = {"find_bounds": groups.find_bounds.as_dict()}, groups.coarse
""",
        """        return {"find_bounds": groups.find_bounds.as_dict()}
""",
        "tests/ledger/test_groups.py::test_bounds_and_names_of_groups_that_are_found_are_charged_with_their_answers",
    ),
    Mutant(
        "an answer is drawn before its charge is written",
        f"{LEDGER}charging.py",
        "    charged = account.ledger.write(lambda",
        "    early = draw()\n    draw = lambda: early\n    charged = account.ledger.write(lambda",
        f"{CHARGING}test_the_same_id_gives_the_same_answer_for_nothing",
    ),
    Mutant(
        "a draw that fails gets its charge back",
        f"{LEDGER}charging.py",
        "_finish(account, request, State.FAILED)",
        "_finish(account, request, State.CANCELLED)",
        f"{CHARGING}test_a_draw_that_fails_stays_charged_and_is_never_tried_again",
    ),
    Mutant(
        "a refusal that drew something counts nothing",
        f"{LEDGER}charging.py",
        "drew = error.noisy_count is not None or error.charged > 0",
        "drew = False",
        f"{CHARGING}test_a_refusal_that_drew_something_costs_only_that_in_the_plain_sum",
    ),
    Mutant(
        "an answer that costs more than was charged is given",
        f"{LEDGER}charging.py",
        "if answer.guarantee != replace(request.guarantee, exact=True):",
        "if answer.guarantee.adjacency is not request.guarantee.adjacency:",
        f"{CHARGING}test_an_answer_that_costs_more_than_was_charged_is_not_given",
    ),
    Mutant(
        "the id of a release in another account is answered from there",
        f"{LEDGER}charging.py",
        "(releases.c.account == account.number) & (releases.c.release_id == release_id)",
        "releases.c.release_id == release_id",
        f"{CHARGING}test_an_id_belongs_to_its_account",
    ),
    Mutant(
        "the number of records is read before the account says that it is public",
        f"{LEDGER}charging.py",
        "    refuse_another_adjacency(plan.adjacency, account)",
        "  ",
        f"{CHARGING}test_what_is_refused_before_the_charge_costs_nothing",
    ),
    Mutant(
        "an account takes charges of both adjacencies",
        f"{LEDGER}charging.py",
        "if adjacency is not account.adjacency:",
        "if adjacency not in Adjacency:",
        f"{CHARGING}test_what_is_refused_before_the_charge_costs_nothing",
    ),
    Mutant(
        "an account is open as long as somebody believes so",
        f"{LEDGER}charging.py",
        "if row.closed is not None:",
        "if account.closed is not None:",
        "tests/ledger/test_accounts.py -k closed",
    ),
    Mutant(
        "the private number of records is kept beside the answer",
        f"{LEDGER}charging.py",
        "records=schedule.n_public",
        "records=whole.n",
        "tests/ledger/test_kept.py::test_the_words_of_a_release_come_back_with_it_and_are_no_part_of_the_answer",
    ),
    Mutant(
        "an answer that could not be kept is given",
        f"{LEDGER}charging.py",
        "        raise LedgerError(NOT_KEPT) from None",
        "        return",
        "tests/ledger/test_out_of_reach.py::test_an_answer_that_cannot_be_kept_is_not_given_and_its_charge_stays",
    ),
    Mutant(
        "a ledger that was rolled back is charged",
        f"{LEDGER}charging.py",
        "        account.ledger.watch.check_account(connection, account.number)",
        "        pass",
        f"{CONTINUITY}::test_an_older_state_that_is_written_into_the_open_file_is_refused_at_the_next_charge",
    ),
    Mutant(
        "a charge leaves no head behind",
        f"{LEDGER}charging.py",
        "        account.ledger.watch.keep({account.number: charged})",
        "        pass",
        f"{CONTINUITY}::test_a_head_that_a_crash_left_behind_locks_nobody_out",
    ),
    Mutant(
        "two charges of one account read its sums at once",
        f"{LEDGER}accounts.py",
        "where(accounts.c.number == account.number).with_for_update()",
        "where(accounts.c.number == account.number)",
        f"{CHARGING}test_a_charge_locks_first_and_waits_for_the_disk",
    ),
    Mutant(
        "a charge on SQLite begins without the lock",
        f"{LEDGER}store/database.py",
        '"BEGIN IMMEDIATE"',
        '"BEGIN"',
        f"{CHARGING}test_a_charge_locks_first_and_waits_for_the_disk",
    ),
    Mutant(
        "a charge does not wait for the disk",
        f"{LEDGER}store/database.py",
        "PRAGMA synchronous = FULL",
        "PRAGMA synchronous = OFF",
        f"{CHARGING}test_a_charge_locks_first_and_waits_for_the_disk",
    ),
    Mutant(
        "a file put in the ledger's place is charged",
        f"{LEDGER}store/database.py",
        "if _identity(file) != opened:",
        "if _identity(file) is None:",
        f"{CONTINUITY} -k gone",
    ),
    Mutant(
        "a head moves back",
        f"{LEDGER}store/continuity.py",
        " WHERE excluded.place > heads.place",
        "",
        f"{CONTINUITY}::test_a_head_moves_forward_only",
    ),
    Mutant(
        "one file more is compared within an hour",
        f"{LEDGER}files.py",
        "< MOST_COMPARED",
        "<= MOST_COMPARED",
        "tests/ledger/test_files.py -k most",
    ),
    Mutant(
        "files are compared that nothing was charged for",
        f"{LEDGER}files.py",
        "if connection.execute(select(files.c.number).where(noted)).first() is None:\n            return ()",
        "if False:\n            return ()",
        "tests/ledger/test_files.py -k nothing",
    ),
    Mutant(
        "a comparison of the file before tells of all that came after it",
        f"{LEDGER}files.py",
        "key=lambda row: row.number)[1] for",
        "key=lambda row: row.number)[0] for",
        "tests/ledger/test_files.py -k alike",
    ),
    Mutant(
        "a comparison of one file counts for another",
        f"{LEDGER}files.py",
        "    if of_account[0].number != file.number:\n        return False\n",
        "",
        "tests/ledger/test_files.py -k second",
    ),
    Mutant(
        "a press is charged although its visitor is gone",
        f"{LEDGER}charging.py",
        "    account.before_charge()\n",
        "",
        "tests/ledger/test_before_a_charge.py",
    ),
    Mutant(
        "a fingerprint needs no key",
        f"{LEDGER}fingerprints.py",
        'return hmac.new(key, digest, "sha256").hexdigest()',
        "return sha256(digest).hexdigest()",
        "tests/ledger/test_files.py -k recognised",
    ),
)
