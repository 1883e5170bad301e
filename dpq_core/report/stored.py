"""The content of a report on an answer that the ledger keeps: of one column, of several, or of all groups."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeGuard

from ..columns.release import ColumnsRelease
from ..groups.draws import GroupedRelease
from ..release import QuantileRelease
from ..results.groups.sizes import GroupSizes
from ..results.persons import person_in
from ..results.wording import Wording, count_in_words, decimals_of, plural_of
from ..studies.shapes import MOST_STUDIED
from . import tables
from .tables import OfGroups, TableFacts

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ..ledger.accounts import Account
    from ..ledger.answers import ReleaseMetadata
    from ..ledger.history.entries import StoredAnswer, StoredTable

NO_LABELS: Mapping[str, str] = MappingProxyType({})


def is_single(stored: StoredAnswer | StoredTable) -> TypeGuard[StoredAnswer]:
    """Return whether an answer is of one column."""
    return isinstance(stored.answer, QuantileRelease)


def is_table(stored: StoredAnswer | StoredTable) -> TypeGuard[StoredTable]:
    """Return whether an answer is of several columns, or of all groups."""
    return not is_single(stored)


def in_groups(stored: StoredTable) -> bool:
    """Return whether answers are of groups: of one column, or of each of several."""
    answer = stored.answer
    found = [answer] if isinstance(answer, GroupedRelease) else answer.releases.values()
    return all(isinstance(each, GroupedRelease) for each in found)


def public_records(stored: StoredAnswer | None) -> int | None:
    """Return the number of records of a release where the ledger keeps it as public; None, too, where it is too large.

    More than MOST_STUDIED records are not simulated.
    """
    records = stored.words.records if stored is not None and stored.words is not None else None
    return records if records and records <= MOST_STUDIED else None


def table_facts(
    stored: StoredTable, typed: ReleaseMetadata, n: int, left: str, labels: Mapping[str, str] = NO_LABELS
) -> TableFacts:
    """Return the facts of a stored release; `typed`: the words for one that the ledger keeps without any.

    `n`: about how many records there are in each of several columns; `labels`: what the report calls some of these.
    """
    answer, words = stored.answer, stored.words or typed
    common: dict[str, Any] = {
        "account": stored.account.name,
        "release_id": stored.release_id,
        "left": left,
        "released": stored.finished[:10],
        "version": answer.version,
        "rule": words.rule,
        "of_rows": (words.most_rows or 1) > 1,
        "rule_unknown": stored.words is None and answer.guarantee.protects == "person",
    }
    source, known = f"{stored.account.name} · release · {stored.finished[:10]}", None
    if stored.words is not None and words.groups_per_person is not None:
        sizes = GroupSizes(words.group_size, words.group_sizes)
        known = OfGroups(words.groups_per_person, words.most_rows or 1, words.share, words.finding, sizes)
    if isinstance(answer, GroupedRelease):
        name = words.column.replace("_", " ")
        wording = Wording(name, words.kind, words.unit, words.one, words.many, decimals_of(answer.domain), words.person)
        about = f"{count_in_words(len(answer.values), 'group')} · {source}"
        title = f"{name[:1].upper()}{name[1:]} by group"
        return tables.of_groups(answer, wording, known, title=title, about=about, **common)
    return _of_columns(answer, stored, words, n, source, common, labels, known)


def _of_columns(
    answer: ColumnsRelease[Any],
    stored: StoredTable,
    words: ReleaseMetadata,
    n: int,
    source: str,
    common: dict[str, Any],
    labels: Mapping[str, str],
    of_groups: OfGroups | None,
) -> TableFacts:
    known = {name: (kind, unit) for name, kind, unit in words.columns}
    one = words.one or person_in(stored.account.one_row_is) or stored.account.one_row_is
    many = words.many or plural_of(one)
    wordings = {}
    for name, own in answer.releases.items():
        kind, unit = known.get(name, ("number", ""))
        label = labels.get(name) or name.replace("_", " ")
        wordings[name] = Wording(label, kind, unit, one, many, decimals_of(own.domain), words.person)
    persons = answer.guarantee.protects == "person"
    most_rows = None if persons and stored.words is None else words.most_rows or 1
    count = count_in_words(len(wordings), "column")
    whole = Wording(count, "number", "", one, many, person=words.person)
    return tables.of_columns(
        answer, wordings, n, most_rows, of_groups, title=count, about=source, wording=whole, **common
    )


def usual_words(
    stored: StoredAnswer | StoredTable, column: str, kind: str = "number", unit: str = ""
) -> ReleaseMetadata:
    """Return words for an answer that the ledger keeps without any: the account says what one row is."""
    from ..ledger.answers import ReleaseMetadata

    person = person_in(stored.account.one_row_is)
    one = person or stored.account.one_row_is
    return ReleaseMetadata(column=column, kind=kind, unit=unit, one=one, many=plural_of(one), person=person)


def left_in_words(account: Account) -> str:
    """Return what is left: `ε = 2 left of ε = 3, δ = 0.00001, for all releases of patients`."""
    from ..ledger.history.entries import shown, sums

    found = sums(account).balance
    return f"{found.letter} = {shown(found.left)} left of {account.budget}, for all releases of {account.name}"
