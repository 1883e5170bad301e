"""Give out answers that a ledger counts: charge first, then draw, then store the answer, then return it.

The charge is on disk before anything is drawn, and the answer before anyone sees it. A program that dies in between
has spent its charge and answered nothing; it never answers for free. A release has an id: a second request with it
gives the stored answer and charges nothing, so that a rerun, a reconnect or a second click costs nothing; with another
request it is refused (`requests`). A request made while it is being drawn waits for it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, Row, select

from ..asked_of import question_of
from ..column import Columns, Data
from ..columns_plan import ColumnsPlan, Plans
from ..errors import Infeasible, LedgerError, Name, ParameterError, Remedy, UsedIdError
from ..frame import COLUMN
from ..privacy.budgets import Adjacency, Guarantee
from ..progress import Progress, unheard
from ..question import Question
from ..release import Description, Release, now
from ..schedule import columns_in, columns_plan, draw, refuse_seeded_in, schedule_of
from .accounts import Account, checked_text, locked, refuse_another_unit
from .checking import State, sound
from .files import note_file
from .filters import WAYS, ReleaseCost, exact, grant, ways_to_count
from .requests import OF_FRAME, refuse_another_request
from .store.chain import CHARGED, ENDED, End, Kind, hold_to_key, is_signed_release
from .store.rollback import OLDER, end_of, missing
from .store.schema import releases

DRAWING_SECONDS = 60.0
"""How long to wait for an answer that another program is drawing; one that takes longer has probably died."""
LOOKING_SECONDS = 0.05
"""How often to look for it."""
CHANGED = (
    "The ledger's record of this release id was changed. So its answer is not given, and nothing was charged. Check "
    "the ledger with dpq ledger verify."
)
NOT_KEPT = "The ledger can no longer be reached. The charge stays. The answer could not be kept, so it is not released."
NOT_FETCHED = "The ledger can no longer be reached, so the answer could not be read; nothing more was charged."


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is requested: public facts only."""

    question: Question
    """As it was asked, with "best" in place of mechanisms. The id of the release belongs to it."""
    plan: ColumnsPlan
    """What is run."""
    guarantee: Guarantee
    release_id: str
    who: str = ""
    file: str = ""
    """The fingerprint of the file that it is from, where there is one."""


def new_release_id() -> str:
    """Return an id that no other release has; it names one press of a button, and holds no noise and no secret."""
    return uuid4().hex


def charged_release(
    data: Data | Columns,
    plan: Plans,
    account: Account,
    *,
    size: int | None = None,
    release_id: str | None = None,
    who: str = "",
    file: str = "",
    words: Description | None = None,
    question: Question | None = None,
    progress: Progress = unheard,
) -> Release:
    """Return private quantiles, charged to an account once: what `dpq_core.release` gives, or gave for this id before.

    Of a single column, of all its groups, or of the columns of a table; several answers are one release, with one
    charge. `size`: of a synthetic column, in place of the plan's quantiles: what `dpq_core.synthesize` gives.
    `release_id`: of one request. The same request gets the stored answer, another one is refused. `file`: the
    fingerprint of the file, kept with the charge. `words`: what the answers are of, kept with them; they name a single
    column. The id belongs to the `question`, as it was asked: "best" in place of a mechanism, and how a file is read;
    without one it is what the plan asks of these data. Raises BudgetError (nothing was charged), ParameterError (also
    Infeasible, which says what was), DataError; then nothing is answered.
    """
    words = words or Description()
    table = columns_in(data, next(iter(words.columns)) if len(words.columns) == 1 else COLUMN)
    plan = columns_plan(table, plan)
    refuse_seeded_in(table)
    refuse_another_adjacency(plan.adjacency, account)  # before n is read: the account says whether it is public
    asked = question or question_of(table, plan, size=size)
    run = plan if size is None else asked.plan
    schedule = schedule_of(table, run)  # for charge and draw; what public facts refuse is refused before the charge
    stored = schedule.plan
    if any(each.synthetic is not None for each in asked.columns.values()):  # without a level for each value
        stored = stored.each(lambda name, own: replace(own, quantiles=asked.columns[name].levels))
    request = Request(
        question=asked, plan=stored, guarantee=schedule.guarantee, who=who, file=file,
        release_id=new_release_id() if release_id is None else release_id,
    )  # fmt: skip
    alone = asked.groups is None and not asked.several
    described = asked.described(words, account.one_row_is, schedule.n_public if alone else None)

    return charged_answer(account, request, lambda: replace(draw(table, schedule, progress), description=described))


def charged_answer(account: Account, request: Request, draw: Callable[[], Release]) -> Release:
    """Return what `draw` gives, charged first by the guarantee of the request; or the answer stored for its id.

    It waits for an answer that another program is drawing for this id. `draw` is called at most once. Its Infeasible is
    taken at its word about what was drawn and what that has spent; after every other error the whole charge stays.
    Raises BudgetError, ParameterError, LedgerError, and what `draw` raises.
    """
    charged = account.ledger.write(lambda connection: _charge(connection, account, request))
    if charged is None:
        answer = stored_release(account, request.question, request.release_id, request.file)
        assert answer is not None, "a charge never goes"
        return answer
    account.ledger.own[account.number] = max(charged, account.ledger.own.get(account.number, charged))
    if account.ledger.watch is not None:
        account.ledger.watch.keep({account.number: charged})
    try:
        answer = replace(draw(), id=request.release_id, account=account.name, question=request.question.as_dict())
        if answer.guarantee != replace(request.guarantee, exact=True):
            raise ParameterError("guarantee", "must be the one that was charged.")
    except Infeasible as error:
        drew = error.noisy_count is not None or error.charged > 0
        if drew:
            _finish(account, request, State.INFEASIBLE, error.charged, answer=refusal_as_json(error))
        else:
            _finish(account, request, State.CANCELLED)
        raise
    except BaseException:
        _finish(account, request, State.FAILED)
        raise
    _finish(account, request, State.ANSWERED, answer=answer.to_json())
    return answer


def _charge(connection: Connection, account: Account, request: Request) -> End | None:
    """Enter the charge and return it as the end of the account's chain; None where the id has one already.

    Raises BudgetError, ParameterError, LedgerError.
    """
    row = locked(connection, account)
    hold_to_key(connection, account.ledger.key)
    earlier = select(releases.c.number).where(_is_release(account, request.release_id))
    if connection.execute(earlier).one_or_none() is not None:
        return None
    checked_text(request.release_id, "release_id")
    if request.who:
        checked_text(request.who, "who")
    own = account.ledger.own.get(account.number)
    if account.ledger.watch is not None:  # which also knows what a curator has accepted
        account.ledger.watch.check_account(connection, account.number)
    elif own is not None and missing(connection, account.number, own):
        raise LedgerError(OLDER)
    checked = sound(connection, row._mapping, account.ledger.key)
    if row.closed is not None:
        raise ParameterError("account", f"must be open; this one was closed on {row.closed[:10]}.")
    refuse_another_adjacency(request.guarantee.adjacency, account)
    refuse_another_unit(connection, account, request.guarantee)
    cost = grant(checked.limits, checked.spent, request.guarantee)[1]
    charge = _row(account, request, cost) | {"place": checked.end.place + 1}
    end = checked.end.then(Kind.CHARGED, (charge[name] for name in CHARGED), account.ledger.key)
    account.before_charge()
    connection.execute(releases.insert().values(charge | {"link": end.link}))
    if request.file and not request.file.startswith(OF_FRAME):
        note_file(connection, account.number, request.file)
    return end


def stored_release(account: Account, question: Question, release_id: str, file: str = "") -> Release | None:
    """Return the answer that is stored for an id, if the same was asked; None where the id is new.

    Nothing is charged, and no row is read: a retry asks here first. It waits for an answer that another program is
    drawing, if that does not take too long. `file`: the fingerprint of the data, where there is one. Raises
    ParameterError, LedgerError.
    """
    chosen, give_up = select(releases).where(_is_release(account, release_id)), time.monotonic() + DRAWING_SECONDS

    def found(connection: Connection) -> tuple[Row[tuple[object, ...]] | None, bool]:
        hold_to_key(connection, account.ledger.key)
        row = connection.execute(chosen).one_or_none()
        return row, row is None or is_signed_release(connection, row._mapping, account.ledger.key)

    row, signed = account.ledger.read(found)
    while row is not None:
        if not signed:
            raise LedgerError(CHANGED)
        refuse_another_request(row, question, file)
        if row.state != State.CHARGED.value or time.monotonic() >= give_up:
            return _stored_answer(row)
        time.sleep(LOOKING_SECONDS)
        try:
            row, signed = account.ledger.read(found)
        except LedgerError:
            raise LedgerError(NOT_FETCHED) from None
    return None


def refuse_another_adjacency(adjacency: Adjacency, account: Account) -> None:
    """Raise ParameterError unless the account counts by this adjacency."""
    if adjacency is not account.adjacency:
        raise ParameterError(
            "adjacency", f"must be that of the account ({account.adjacency.in_words}): the two cannot be added up."
        )


def _row(account: Account, request: Request, cost: ReleaseCost) -> dict[str, object]:
    guarantee = request.guarantee
    return {
        "account": account.number,
        "release_id": request.release_id,
        "plan": request.plan.to_json(),
        "size": next(iter(request.question.columns.values())).synthetic,
        "request": json.dumps(request.question.as_dict(), sort_keys=True),
        "file": request.file or None,
        "earlier_links": None,
        "state": State.CHARGED.value,
        "who": request.who,
        "epsilon": str(exact(guarantee.epsilon)),
        "delta": str(exact(guarantee.delta)),
        "rho": None if guarantee.rho is None else str(exact(guarantee.rho)),
        "counts": WAYS[ways_to_count(guarantee).index(cost)],
        "charged": now(),
        "protects": guarantee.protects,
    }


def _is_release(account: Account, release_id: str) -> ColumnElement[bool]:
    return (releases.c.account == account.number) & (releases.c.release_id == release_id)


def _stored_answer(earlier: Row[tuple[object, ...]]) -> Release:
    if earlier.answer is None:
        raise UsedIdError(
            "release_id",
            f"must be new: the release with this id is {earlier.state} and has no stored answer. "
            "A new id makes a new release with its own charge.",
        )
    if earlier.state == State.INFEASIBLE.value:
        raise refusal_from_json(earlier.answer)
    return Release.from_json(earlier.answer)


def refusal_as_json(refused: Infeasible) -> str:
    """Return a refusal that was paid for as JSON text; `refusal_from_json` gives an equal one."""
    words = [[str(word), isinstance(word, Name)] for word in refused.words[2:]]
    facts = {name: getattr(refused, name) for name in ("count", "noisy_count", "charged")}
    remedies = [vars(remedy) for remedy in refused.remedies]
    return json.dumps({"refused": {"name": refused.name, "words": words, "remedies": remedies, **facts}})


def refusal_from_json(stored: str) -> Infeasible:
    """Return the refusal that `refusal_as_json` wrote."""
    read = json.loads(stored)["refused"]
    words = tuple(Name(word) if is_name else word for word, is_name in read.pop("words"))
    remedies = tuple(Remedy(**remedy) for remedy in read.pop("remedies"))
    return Infeasible(read.pop("name"), words, remedies, **read)


def _finish(
    account: Account, request: Request, state: State, charged: float = 0.0, *, answer: str | None = None
) -> None:
    """Sign how a charged release ended, once; the proof of what may come back is in `filters`."""
    values: dict[str, object] = {"state": state.value, "finished": now(), "answer": answer, "refused_epsilon": None}
    if state is State.INFEASIBLE:
        values["refused_epsilon"] = str(exact(min(charged, request.guarantee.epsilon)))
    key = account.ledger.key

    def sign(connection: Connection) -> None:
        locked(connection, account)
        hold_to_key(connection, key)
        charged = _is_release(account, request.release_id) & (releases.c.state == State.CHARGED.value)
        place = connection.execute(select(releases.c.place).where(charged)).scalar_one()  # it ends once
        said = values | {"place": place}
        end = end_of(connection, account.number).then(Kind.ENDED, (said[name] for name in ENDED), key)
        ended = {"end_place": end.place, "end_link": end.link}
        connection.execute(releases.update().where(charged).values(values | ended))

    try:
        account.ledger.write(sign)
    except LedgerError:
        raise LedgerError(NOT_KEPT) from None
