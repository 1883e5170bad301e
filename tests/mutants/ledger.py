"""Changes to the ledger: charges written first, signed, added up, and never taken back."""

from tests.mutants.mutant import Table

# fmt: off
LEDGER: Table = {
"dpq_core/ledger/accounts.py": {
"ledger/test_charging::test_a_charge_locks_first_and_waits_for_the_disk": [
 ("account.number).with_for_update()", "account.number)")],
"ledger/test_keys -k is_gone": [("if ledger.read(has_key):", "if False:")],
"ledger/test_accounts -k nobody_can_tell": [("_as_read(other) == _as_read(name)", "other.split() == name.split()")],
"ledger/test_keys -k opening_an_account": [("select(versions).with_for_update(read=True)", "select(versions)")],
"ledger/test_charging -k decides_what_an_account": [
 ("releases.c.state != State.CANCELLED.value", "releases.c.state == State.ANSWERED.value")],
"ledger/test_rollback -k signs_a_ledger_anew": [
 ("if watch is not None and checked and watch.lacking(engine):", "if False:")],
"ledger/test_rollback -k take_the_ledgers_key_away": [
 ("unproven=sound(connection, row, None).charges", "unproven=0")],
"ledger/test_keys -k made_with_the_ledger": [("    if found.key_check is not None:\n", "    if False:\n")],
"ledger/test_charging::test_an_account_pays_for_records_or_for_persons": [
 ("where(accounts.c.number == account.number).distinct()", "where(accounts.c.number != account.number).distinct()")]},
"dpq_core/ledger/charging.py": {
"ledger/test_charging::test_one_press_in_many_tabs_is_charged_once": [("    charged = account.ledger.write(lambda",
 "    early = draw()\n    draw = lambda: early\n    charged = account.ledger.write(lambda")],
"ledger/test_charging::test_a_draw_that_fails_stays_charged_and_is_never_tried_again": [
 ("request, State.FAILED)", "request, State.CANCELLED)")],
"ledger/test_charging::test_a_refusal_that_drew_something_costs_only_that_in_the_plain_sum": [
 ("drew = error.noisy_count is not None or error.charged > 0", "drew = False")],
"ledger/test_charging::test_an_answer_that_costs_more_than_was_charged_is_not_given": [
 ("if answer.guarantee != replace(request.guarantee, exact=True):",
 "if answer.guarantee.adjacency is not request.guarantee.adjacency:")],
"ledger/test_charging::test_an_id_belongs_to_its_account": [
 ("(releases.c.account == account.number) & (releases.c.release_id == release_id)",
 "releases.c.release_id == release_id")],
"ledger/test_charging::test_what_is_refused_before_the_charge_costs_nothing": [
 ("    refuse_another_adjacency(plan.adjacency, account)", "  "),
 ("if adjacency is not account.adjacency:", "if adjacency not in Adjacency:")],
"ledger/test_accounts -k closed": [("if row.closed is not None:", "if account.closed is not None:")],
"ledger/test_charging -k come_back_for_a_report": [("schedule.n_public if alone else None", "3")],
"ledger/test_out_of_reach::test_an_answer_that_cannot_be_kept_is_not_given_and_its_charge_stays": [
 ("        raise LedgerError(NOT_KEPT) from None", "        return")],
"ledger/test_rollback -k put_back": [
 ("        account.ledger.watch.check_account(connection, account.number)", "        pass")],
"ledger/test_rollback::test_a_head_that_a_crash_left_behind_locks_nobody_out": [
 ("        account.ledger.watch.keep({account.number: charged})", "        pass")],
"ledger/test_charging -k right_before_a_charge": [("    account.before_charge()\n", "")],
"ledger/test_refused_before_a_charge -k said_again": [
 ("error.charged, answer=refusal_as_json(error))", "error.charged)")],
"ledger/test_keys -k that_runs": [
 ("    row = locked(connection, account)\n    hold_to_key(connection, account.ledger.key)\n",
 "    row = locked(connection, account)\n")],
"ledger/test_charging::test_a_release_whose_delta_does_not_fit_is_counted_by_rho_alone": [
 ("WAYS[ways_to_count(guarantee).index(cost)]", "WAYS[0]")],
"ledger/test_rollback -k also_without_heads": [
 ("if own is not None and missing(connection, account.number, own):", "if False:")],
"ledger/test_requests -k a_retry": [("row is None or is_signed_release(", "True or is_signed_release(")],
"ledger/test_every_field -k an_argument": [("        refuse_another_request(row, question, file)\n", "")],
"ledger/test_requests -k was_changed or waited_for": [("        if not signed:\n", "        if False:\n")],
"ledger/test_out_of_reach -k waited_for": [
 ("            raise LedgerError(NOT_FETCHED) from None", "            raise")],
"ledger/test_keys -k while_it_is_drawn": [("        hold_to_key(connection, key)\n", "")],
"ledger/test_charging::test_an_account_pays_for_records_or_for_persons": [
 ("    refuse_another_unit(connection, account, request.guarantee)\n", "")]},
"dpq_core/ledger/checking.py": {
"ledger/test_rollback -k verify_finds": [("    if found.problem:\n", "    if False:\n")],
"ledger/test_every_column -k there_twice_stops": [
 ('return Checked(problem=f"an entry after charge {charges} is missing", charges=charges, end=end)', "continue")],
"ledger/test_every_column -k contradicts": [
 ("answered and state not in {State.ANSWERED, State.INFEASIBLE}:", "False:"),
 ("(state != State.INFEASIBLE or Decimal(refused) > Decimal(epsilon))", "state != State.INFEASIBLE")],
"ledger/test_upgrading -k budget_that_was_exceeded": [
 ("if not any(each.allow(spent) for each in limits):", "if False:")],
"ledger/test_charging::test_nothing_asked_costs_nothing_and_settles_nothing": [
 ("if len(limits) > 1 and cost_of(*cost[:4]) != ReleaseCost():", "if len(limits) > 3:")],
"ledger/test_charging::test_ten_tenths_are_granted_and_no_more": [(".times(count)", "")],
"ledger/test_charging::test_a_draw_that_fails_stays_charged_and_is_never_tried_again": [
 ("if state == State.CANCELLED:", "if state in {State.CANCELLED, State.FAILED}:")],
"ledger/test_charging::test_a_refusal_that_drew_something_costs_only_that_in_the_plain_sum": [
 ("replace(cost, epsilon=Decimal(refused))", "ReleaseCost(Decimal(refused))")],
"ledger/test_charging::test_an_account_counts_and_lists_its_own_charges": [
 ("where(releases.c.account == number).group_by", "group_by")]},
"dpq_core/ledger/files.py": {
"ledger/test_requests -k recognised": [
 ('return hmac.new(ledger.key, digest, "sha256").hexdigest()', "return digest.hex()")],
"ledger/test_requests -k most": [(">= MOST_COMPARED", "> MOST_COMPARED")],
"ledger/test_requests -k nothing": [
 ("if connection.execute(select(files.c.number).where(own, same)).first() is None:\n            return ()",
 "if False:\n            return ()")]},
"dpq_core/ledger/filters.py": {
"ledger/test_filters::test_equal_parts_fill_a_budget_exactly": [
 ("if limits.allow(spent + cost):", "if limits.allow(spent):"),
 ("total.epsilon <= self.epsilon", "total.epsilon < self.epsilon"),
 ("return Decimal(repr(float(value)))", "return Decimal(float(value))")],
"ledger/test_filters::test_no_adaptive_choice_exceeds_the_budget": [
 ("return total.delta <= self.delta and (plain or concentrated)", "return plain or concentrated"),
 ("(self.epsilon, self.delta,", "(self.epsilon, self.delta / max(count, 1),")],
"ledger/test_filters::test_budgets_of_one_kind_take_what_they_can_count": [
 ("_EXACT.divide(squared, Decimal(2))", "_EXACT.divide(squared, Decimal(8))")],
"ledger/test_filters::test_a_release_counted_by_rho_alone_closes_the_plain_sum": [
 ("ReleaseCost(INFINITE, NOTHING,", "ReleaseCost(NOTHING, NOTHING,")],
"ledger/test_filters::test_every_split_of_delta_stays_within_the_budget": [
 ("exact(largest_rho(epsilon, delta / 2))", "exact(largest_rho(epsilon, delta))")],
"ledger/test_filters::test_the_smallest_excess_is_refused": [
 ("Context(prec=3000, traps=[Inexact, InvalidOperation])", "Context(prec=28)")],
"ledger/test_filters::test_what_is_left_is_shown_rounded_down_and_what_is_spent_rounded_up": [
 ("return max(float(_DOWN.plus(value)),", "return max(float(_UP.plus(value)),"),
 ("return float(_UP.plus(value))", "return float(_DOWN.plus(value))")],
"ledger/test_history::test_what_is_left_is_granted": [
 ("_DOWN.sqrt(_DOWN.multiply(Decimal(2),", "_DOWN.sqrt(_DOWN.multiply(Decimal(8),")]},
"dpq_core/ledger/history/amounts.py": {
"ledger/test_history::test_what_is_left_is_granted": [
 ("max(scale.down(difference(left,", "max(scale.up(difference(left,")]},
"dpq_core/ledger/history/entries.py": {
"ledger/test_history::test_the_smaller_sum_is_what_all_answers_keep": [
 ("float(reserved))", "self.account.budget.delta)")],
"ledger/test_groups::test_found_groups_come_back_as_they_were": [
 ("if found is None or found:", "if found is None:")],
"ledger/test_charging::test_an_account_counts_and_lists_its_own_charges": [
 (".where(releases.c.account == account.number)", "")]},
"dpq_core/ledger/requests.py": {
"ledger/test_every_field -k another_request": [
 ('but={"columns", "groups", "persons", "file"})', 'but={"columns", "groups", "persons", "file", "budget"})'),
 ('if _possible(one, dated=dated) != _possible(other, dated=dated):', "if False:")],
"ledger/test_requests -k another_column_or_file": [("if not unnamed and set(ours) != set(others):", "if False:"),
 ("if both and charged.file != mark:", "if False:")],
"results/test_every_setting -k reading": [('both_said = "file" in stored and "file" in given', "both_said = False")],
"ledger/test_upgrading -k ids_are_refused": [('if "budget" not in stored:', "if False:")]},
"dpq_core/ledger/store/chain.py": {
"ledger/test_keys -k made_with_the_ledger": [('"dpq ledger key 1"', '"dpq ledger chain 1"')],
"ledger/test_keys -k before_anything_is_charged": [("        if has_key(connection):\n", "        if False:\n")],
"ledger/test_every_column -k dpq_version.version": [(".scalar_one() != VERSION:", ".scalar_one() < 0:")],
"ledger/test_requests -k unsigned_end": [('row["finished"] is not None or row["answer"] is not None:', "False:")],
"ledger/test_every_column -k .budget": [('"budget", "opened"', '"place", "opened"')],
"ledger/test_every_column -k .answer": [('"finished", "answer")', '"finished", "place")'),
 ("return _digest(tuple(said))", "return _digest(tuple(said)[:2])")],
"ledger/test_rollback -k another_history": [("return signature(PURPOSE, (previous, kind.value, digest), key)",
 'return signature(PURPOSE, ("", kind.value, digest), key)')],
"ledger/test_rollback -k verify_finds": [
 ("if reading and key is None and found.startswith(KEYED):", "if found.startswith(KEYED):")]},
"dpq_core/ledger/store/rollback.py": {
"ledger/test_rollback::test_a_head_moves_forward_only": [(" WHERE excluded.place > heads.place", "")],
"ledger/test_rollback::test_another_charge_in_the_place_of_one_is_noticed": [
 ("0 if head.link in known and same_kind else", "0 if known and same_kind else")],
"ledger/test_rollback -k signs_a_ledger_anew": [("head.link in known and same_kind", "head.link in known")]},
"dpq_core/ledger/store/database.py": {
"ledger/test_charging::test_a_charge_locks_first_and_waits_for_the_disk": [('"BEGIN IMMEDIATE"', '"BEGIN"'),
 ("PRAGMA synchronous = FULL", "PRAGMA synchronous = OFF")],
"ledger/test_rollback -k gone": [("if _identity(file) != opened:", "if _identity(file) is None:")]},
"dpq_core/ledger/upgrading.py": {
"ledger/test_upgrading -k does_not_verify": [
 ('if broken := [each["name"] for each in accounts if not _verifies(each, charges[each["number"]], key)]:',
 "if broken := list[str]():"),
 ("                if counted == charged:\n", "                if counted.epsilon <= charged.epsilon:\n"),
 ('_is_signed(row["request_mark"], "dpq ledger request 1", request, key)', "True")],
"ledger/test_upgrading -k needs_its_key": [
 ('if found["key_check"] is not None and found["key_check"] not in {own, UNCHECKED}:', "if False:")]},
"dpq_core/ledger/verifying.py": {
"ledger/test_keys -k rekey_needs": [("[each.account for each in checked if each.problem]:", "list[str]():")],
"ledger/test_keys -k without_the_old_key": [("each.charges if old_key is None else None", "None")],
"ledger/test_rollback -k kept_elsewhere": [
 ("return ledger.read(lambda connection: lost(connection, known))\n\n\ndef entries_lost(",
 "return 0\n\n\ndef entries_lost(")]},
}
# fmt: on
