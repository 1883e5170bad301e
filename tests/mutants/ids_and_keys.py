"""Changes to what binds an id to its request and a ledger to its key, and to how a release without an answer counts."""

from tests.mutants.mutant import Mutant

LEDGER = "dpq_core/ledger/"
CHARGING = "tests/ledger/test_charging.py::"
UNANSWERED = "tests/ledger/test_unanswered.py"
REQUESTS = "tests/ledger/test_requests.py"
KEYS = "tests/ledger/test_keys.py"

IDS_AND_KEYS = (
    Mutant(
        "an id answers another plan",
        f"{LEDGER}requests.py",
        'differing = ["plan"] if _plan_of(stored, facts) != _plan_of(given, asked if as_asked else {}) else []',
        "differing: list[str] = []",
        f"{CHARGING}test_an_id_belongs_to_its_plan",
    ),
    Mutant(
        "an id answers a synthetic column with quantiles",
        f"{LEDGER}requests.py",
        'differing += ["size"] if stored["size"] != given["size"] else []',
        "differing += []",
        f"{CHARGING}test_an_id_belongs_to_its_plan",
    ),
    Mutant(
        "an id answers whatever has its plan",
        f"{LEDGER}requests.py",
        "differing += _differing(facts, asked) if as_asked or not _is_unknown(facts, asked) else []",
        "pass",
        f"{REQUESTS} -k another_request_is_refused",
    ),
    Mutant(
        "an id of several columns answers whatever has its plan",
        f"{LEDGER}requests.py",
        "for column in {**ours, **others}:",
        "for column in ():",
        f"{REQUESTS} -k another_request_is_refused",
    ),
    Mutant(
        "an id answers with another file",
        f"{LEDGER}requests.py",
        ' and stored["file"] != given["file"]:',
        " and False:",
        f"{REQUESTS} -k another_column_or_file",
    ),
    Mutant(
        "what is taken of a person is no part of a request",
        f"{LEDGER}requests.py",
        '{"take": whole.take, "most_rows": whole.most_rows}',
        '{"most_rows": whole.most_rows}',
        f"{REQUESTS} -k another_request_is_refused",
    ),
    Mutant(
        "what is taken of a person's rows in a group is no part of a request",
        f"{LEDGER}requests.py",
        "        take=groups.take,\n",
        "",
        f"{REQUESTS} -k another_request_is_refused",
    ),
    Mutant(
        "names of groups that are found are stored before they are answered",
        f"{LEDGER}requests.py",
        "_digest(groups.names) if groups.finding is None else None",
        "_digest(groups.names)",
        f"{REQUESTS} -k neither_names_nor_sizes",
    ),
    Mutant(
        "private sizes of groups are stored and compared",
        f"{LEDGER}requests.py",
        "pooled=groups.pooled or None,",
        "pooled=groups.pooled or None, sizes=_digest(groups.sizes.tolist()),",
        f"{REQUESTS} -k what_is_private",
    ),
    Mutant(
        "the column of persons is no part of a request",
        f"{LEDGER}requests.py",
        '{"person": whose.column, "missing_is_person"',
        '{"missing_is_person"',
        f"{REQUESTS} -k another_request_is_refused",
    ),
    Mutant(
        "whether a row without an id is a person is no part of a request",
        f"{LEDGER}requests.py",
        '"missing_is_person": whose.missing_is_person or None}',
        '"missing_is_person": None}',
        f"{REQUESTS} -k another_request_is_refused",
    ),
    Mutant(
        "a column forgets by which column its rows belong to persons",
        "dpq_core/sample.py",
        "most_rows=most_rows, take=take, whose=people.whose",
        "most_rows=most_rows, take=take",
        f"{REQUESTS} -k another_request_is_refused",
    ),
    Mutant(
        "groups forget by which column their rows belong to persons",
        "dpq_core/groups/table.py",
        "whose=UNSAID if people is None else people.whose",
        "whose=UNSAID",
        f"{REQUESTS} -k another_request_is_refused",
    ),
    Mutant(
        "the columns of groups are no part of a request",
        f"{LEDGER}requests.py",
        "        by=groups.by or None,\n",
        "",
        f"{REQUESTS} -k another_request_is_refused",
    ),
    Mutant(
        "how a file is read is no part of a request",
        f"{LEDGER}requests.py",
        "read=dict(read) if read else None",
        "read=None",
        "tests/results/test_every_setting.py -k groups_reading",
    ),
    Mutant(
        "an id of 1.1 answers for any persons",
        f"{LEDGER}requests.py",
        "    return of_others or not stored",
        "    return not stored",
        f"{REQUESTS} -k did_not_store_whose",
    ),
    Mutant(
        "an id without a stored request answers whatever has its plan",
        f"{LEDGER}requests.py",
        "    return of_others or not stored or",
        "    return of_others or",
        "tests/ledger/test_upgrading.py -k before_1_1",
    ),
    Mutant(
        "a program with another key goes on charging",
        f"{LEDGER}charging.py",
        "    hold_to_key(connection, account.ledger.key)\n",
        "",
        f"{KEYS} -k that_runs",
    ),
    Mutant(
        "keys are checked by a signature that links have",
        f"{LEDGER}store/keys.py",
        '"dpq ledger key 1"',
        '"dpq ledger chain 1"',
        f"{KEYS} -k made_with_the_ledger",
    ),
    Mutant(
        "a ledger with a key is charged without one",
        f"{LEDGER}store/keys.py",
        "        if has_key(connection):\n",
        "        if False:\n",
        f"{KEYS} -k before_anything_is_charged",
    ),
    Mutant(
        "a text shows a secret key",
        "dpq_core/noise/jitter.py",
        "    __str__ = __repr__",
        "    __str__ = bytes.__str__",
        "tests/noise/test_jitter.py -k no_text",
    ),
    Mutant(
        "a text shows a key that was made of another",
        "dpq_core/noise/jitter.py",
        "return Key(bytes(self) + more)",
        "return bytes(self) + more",
        "tests/noise/test_jitter.py -k no_text",
    ),
    Mutant(
        "a key that is gone is made anew",
        f"{LEDGER}accounts.py",
        "        if ledger.read(has_key):\n",
        "        if False:\n",
        f"{KEYS} -k is_gone",
    ),
    Mutant(
        "an account is opened while the key changes",
        f"{LEDGER}accounts.py",
        "select(versions).with_for_update(read=True)",
        "select(versions)",
        f"{KEYS} -k opening_an_account",
    ),
    Mutant(
        "a release without an answer does not say what an account protects",
        f"{LEDGER}accounts.py",
        "releases.c.state != State.CANCELLED.value",
        "releases.c.state == State.ANSWERED.value",
        f"{UNANSWERED} -k pays_for_records",
    ),
)
