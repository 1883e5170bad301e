"""Changes to what signs the entries of a ledger, checks them before a charge, and adds up what they cost."""

from tests.mutants.mutant import Mutant

LEDGER = "dpq_core/ledger/"
CHAIN, SIGNING, CHECKING = f"{LEDGER}store/chain.py", f"{LEDGER}store/signing.py", f"{LEDGER}checking.py"
UPGRADING, CHARGED = f"{LEDGER}upgrading.py", f"{LEDGER}charging.py"
CHARGING = "tests/ledger/test_charging.py::"
CONTINUITY, KEYS = "tests/ledger/test_continuity.py", "tests/ledger/test_keys.py"
REQUESTS, COLUMNS = "tests/ledger/test_requests.py", "tests/ledger/test_every_column.py"
UPGRADES = "tests/ledger/test_upgrading.py"
REFUSED = f"{CHARGING}test_a_refusal_that_drew_something_costs_only_that_in_the_plain_sum"
FOUND = f"{CONTINUITY} -k verify_finds"
TENTHS = f"{CHARGING}test_ten_tenths_are_granted_and_no_more"
NOT_VERIFIED = f"{UPGRADES} -k does_not_verify"


def unsigned(name: str, where: str) -> Mutant:
    """A column that an entry says, and its signature does not."""
    return Mutant(
        f"{name} can be changed unseen", CHAIN, where, where.replace(f'"{name}"', '"place"'), f"{COLUMNS} -k .{name}"
    )


ENTRIES = (
    unsigned("budget", '"adjacency", "budget", "opened"'),
    unsigned("unproven", '"opened", "unproven", "earlier_links")'),
    unsigned("rho", '"delta", "rho", "counts"'),
    unsigned("counts", '"rho", "counts",'),
    unsigned("protects", '    "protects", "charged"'),
    unsigned("file", '"request", "file", "who"'),
    unsigned("state", '"place", "state", "refused_epsilon"'),
    unsigned("refused_epsilon", '"refused_epsilon", "finished"'),
    unsigned("answer", '"finished", "answer")'),
    unsigned("closed", '("closed",)'),
    Mutant(
        "a digest is remembered by a part of what an entry says",
        CHAIN,
        "digest = _digests.get(values)",
        "digest = next((own for said, own in _digests.items() if said[:2] == values[:2]), None)",
        f"{COLUMNS} -k .answer",
    ),
    Mutant(
        "entries are signed one by one, not as a chain",
        CHAIN,
        "return signature(PURPOSE, (previous, kind.value, digest), key)",
        'return signature(PURPOSE, ("", kind.value, digest), key)',
        f"{CONTINUITY} -k another_history",
    ),
    Mutant(
        "a link is made without the key",
        CHAIN,
        "(previous, kind.value, digest), key)",
        "(previous, kind.value, digest), None)",
        f"{CONTINUITY} -k take_the_ledgers_key_away",
    ),
    Mutant(
        "nobody checks who wrote a link",
        CHAIN,
        "if reading and key is None and found.startswith(KEYED):",
        "if found.startswith(KEYED):",
        FOUND,
    ),
    Mutant(
        "a charge without the key takes keyed links as they are",
        CHAIN,
        "if reading and key is None and",
        "if key is None and",
        f"{CONTINUITY} -k take_the_ledgers_key_away",
    ),
    Mutant(
        "an account is charged that was changed",
        CHECKING,
        "    if found.problem:\n",
        "    if False:\n",
        FOUND,
    ),
    Mutant(
        "a place without an entry is passed over",
        CHECKING,
        """        if entry is None:
            return Checked(problem=f"an entry after charge {charges} is missing", charges=charges, end=end)
""",
        """        if entry is None:
            continue
""",
        f"{COLUMNS} -k there_twice_stops",
    ),
    Mutant(
        "a charge that is cancelled may have an answer",
        CHECKING,
        "if answered and state not in {State.ANSWERED, State.INFEASIBLE}:",
        "if False:",
        f"{COLUMNS} -k contradicts",
    ),
    Mutant(
        "a charge may have ended without an entry that says so",
        CHECKING,
        "if (state == State.CHARGED) is ended:",
        "if False:",
        f"{COLUMNS} -k contradicts",
    ),
    Mutant(
        "a refusal may count more than was charged",
        CHECKING,
        "(state != State.INFEASIBLE or Decimal(refused) > Decimal(epsilon))",
        "state != State.INFEASIBLE",
        f"{COLUMNS} -k contradicts",
    ),
    Mutant(
        "an answer may count what a refusal has spent",
        CHECKING,
        "(state != State.INFEASIBLE or Decimal(refused) > Decimal(epsilon))",
        "Decimal(refused) > Decimal(epsilon)",
        f"{COLUMNS} -k contradicts",
    ),
    Mutant(
        "charges may add up to more than the budget",
        CHECKING,
        "if not any(each.allow(spent) for each in limits):",
        "if False:",
        f"{UPGRADES} -k budget_that_was_exceeded",
    ),
    Mutant(
        "every release chooses how delta is split",
        CHECKING,
        "if len(limits) > 1 and cost_of(*cost[:4]) != ReleaseCost():",
        "if len(limits) > 3:",
        f"{CHARGING}test_nothing_asked_costs_nothing_and_settles_nothing",
    ),
    Mutant(
        "a charge that costs nothing decides how delta is split",
        CHECKING,
        "if len(limits) > 1 and cost_of(*cost[:4]) != ReleaseCost():",
        "if len(limits) > 1:",
        f"{CHARGING}test_nothing_asked_costs_nothing_and_settles_nothing",
    ),
    Mutant("charges of the same cost count once", CHECKING, ".times(count)", "", TENTHS),
    Mutant(
        "a failed release counts nothing",
        CHECKING,
        "if state == State.CANCELLED:",
        "if state in {State.CANCELLED, State.FAILED}:",
        f"{CHARGING}test_a_draw_that_fails_stays_charged_and_is_never_tried_again",
    ),
    Mutant(
        "a refusal that drew something gets delta and rho back",
        CHECKING,
        "replace(cost, epsilon=Decimal(refused))",
        "ReleaseCost(Decimal(refused))",
        REFUSED,
    ),
    Mutant(
        "a charge is counted by a way that was not granted",
        CHARGED,
        "WAYS[ways_to_count(guarantee).index(cost)]",
        "WAYS[0]",
        f"{CHARGING}test_a_release_whose_delta_does_not_fit_is_counted_by_rho_alone",
    ),
    Mutant(
        "an account shows the charges of all",
        CHECKING,
        'where(releases.c.account == account["number"]).group_by',
        "group_by",
        f"{CHARGING}test_an_account_counts_and_lists_its_own_charges",
    ),
    Mutant(
        "a program without heads goes on where its own charge is gone",
        CHARGED,
        "if own is not None and missing(connection, account.number, own):",
        "if False:",
        f"{CONTINUITY} -k also_without_heads",
    ),
    Mutant(
        "a stored answer that was changed is given",
        CHARGED,
        "        if not is_signed_release(connection, earlier._mapping, account.ledger.key):\n",
        "        if False:\n",
        f"{REQUESTS} -k was_changed",
    ),
    Mutant(
        "an answer that was waited for is given though it was changed",
        CHARGED,
        "    if not signed:\n",
        "    if False:\n",
        f"{REQUESTS} -k waited_for",
    ),
    Mutant(
        "an end is signed under a key that the ledger no longer has",
        CHARGED,
        "        hold_to_key(connection, key)\n",
        "",
        f"{KEYS} -k while_it_is_drawn",
    ),
    Mutant(
        "a release that is not signed at its end is answered",
        SIGNING,
        'elif row["finished"] is not None or row["answer"] is not None:',
        "elif False:",
        f"{REQUESTS} -k unsigned_end",
    ),
    Mutant(
        "another entry in the place of one is taken for it",
        f"{LEDGER}store/continuity.py",
        "0 if head.link in known and same_kind else",
        "0 if known and same_kind else",
        f"{CONTINUITY}::test_another_charge_in_the_place_of_one_is_noticed",
    ),
    Mutant(
        "a ledger that was signed anew without a key is taken for the one of its head",
        f"{LEDGER}store/continuity.py",
        "head.link in known and same_kind",
        "head.link in known",
        f"{CONTINUITY} -k signs_a_ledger_anew",
    ),
    Mutant(
        "the first key is taken before the heads are asked",
        f"{LEDGER}accounts.py",
        "            if watch is not None and checked:\n                known = watch.known()",
        "            if False:\n                known = watch.known()",
        f"{CONTINUITY} -k signs_a_ledger_anew",
    ),
    Mutant(
        "a ledger that does not verify is signed with its first key",
        f"{LEDGER}accounts.py",
        "unproven=sound(connection, row, None).charges",
        "unproven=0",
        f"{CONTINUITY} -k take_the_ledgers_key_away",
    ),
    Mutant(
        "a check is written over by another key",
        f"{LEDGER}accounts.py",
        "    if found.key_check is not None:\n",
        "    if False:\n",
        f"{KEYS} -k made_with_the_ledger",
    ),
    Mutant(
        "a program goes on in a ledger of another version",
        f"{LEDGER}store/keys.py",
        ".scalar_one() != VERSION:",
        ".scalar_one() < 0:",
        f"{COLUMNS} -k dpq_version.version",
    ),
    Mutant(
        "charges that do not verify are signed with the new key",
        f"{LEDGER}upkeep.py",
        "if broken := [each.account for each in checked if each.problem]:",
        "if broken := list[str]():",
        f"{KEYS} -k rekey_needs",
    ),
    Mutant(
        "charges that nobody can check are signed as if they were checked",
        f"{LEDGER}upkeep.py",
        "each.charges if old_key is None else None",
        "None",
        f"{KEYS} -k without_the_old_key",
    ),
    Mutant(
        "a ledger is charged while its key changes",
        f"{LEDGER}upkeep.py",
        "rows = _accounts(connection, lock=True)",
        "rows = _accounts(connection)",
        f"{KEYS} -k rekey_holds",
    ),
    Mutant(
        "a ledger of 1.1 is signed without a look",
        UPGRADING,
        'if broken := [each["name"] for each in accounts if not _verifies(each, charges[each["number"]], key)]:',
        "if broken := list[str]():",
        NOT_VERIFIED,
    ),
    Mutant(
        "a charge of 1.1 may count less than it states",
        UPGRADING,
        "                if counted == charged:\n",
        "                if counted.epsilon <= charged.epsilon:\n",
        NOT_VERIFIED,
    ),
    Mutant(
        "a refusal of 1.1 may count no rho",
        UPGRADING,
        "if rest and counted.epsilon <= charged.epsilon:",
        "if counted.epsilon <= charged.epsilon:",
        NOT_VERIFIED,
    ),
    Mutant(
        "a request of 1.1 may be another one",
        UPGRADING,
        'signed &= _is_signed(row["request_mark"], "dpq ledger request 1", request, key)',
        "signed &= True",
        NOT_VERIFIED,
    ),
    Mutant(
        "a ledger of 1.1 is signed anew by anybody",
        UPGRADING,
        'if found["key_check"] is not None and found["key_check"] not in {own, UNCHECKED}:',
        "if False:",
        f"{UPGRADES} -k needs_its_key",
    ),
)
