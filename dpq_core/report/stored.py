"""The content of a report on an answer that the ledger keeps: of one column, of several, or of all groups."""

from __future__ import annotations

from collections.abc import Collection, Mapping
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
    from ..ledger.history.answers import StoredAnswer, StoredTable

NO_LABELS: Mapping[str, str] = MappingProxyType({})
MOST_GROUPS = 2000
"""A report compares each of its groups with all others."""


def is_single(stored: StoredAnswer | StoredTable) -> TypeGuard[StoredAnswer]:
    """Return whether an answer is of one column."""
    return isinstance(stored.answer, QuantileRelease)


def is_table(stored: StoredAnswer | StoredTable) -> TypeGuard[StoredTable]:
    """Return whether an answer is of several columns, or of all groups."""
    return not is_single(stored)


def in_groups(stored: StoredTable) -> bool:
    """Return whether answers are of groups: of one column, or of each of several."""
    return all(isinstance(answer, GroupedRelease) for answer in _releases(stored))


def too_many_groups(stored: StoredTable) -> bool:
    """Return whether the groups of a column are more than a report compares."""
    return any(len(each.values) > MOST_GROUPS for each in _releases(stored) if isinstance(each, GroupedRelease))


def _releases(stored: StoredTable) -> Collection[Any]:
    """Return the answers of each column."""
    return [stored.answer] if isinstance(stored.answer, GroupedRelease) else stored.answer.releases.values()


def public_records(stored: StoredAnswer | None) -> int | None:
    """Return the number of records of a release where the ledger keeps it as public; None, too, where it is too large.

    More than MOST_STUDIED records are not simulated.
    """
    records = stored.words.records if stored is not None and stored.words is not None else None
    return records if records and records <= MOST_STUDIED else None


def sizes_of(stored: StoredTable, typed: int | None) -> GroupSizes:
    """Return the sizes of groups that were said before a release; where none were, the one `typed` for the report."""
    words = stored.words
    if words is None or (words.group_size is None and not words.group_sizes):
        return GroupSizes(typed)
    return GroupSizes(words.group_size, words.group_sizes)


def lacks_sizes(stored: StoredTable) -> bool:
    """Return whether a size of its groups is all that a report needs to judge them, and the ledger has none.

    Groups that were released with intervals are not judged.
    """
    if any(answer.intervals for answer in _releases(stored)):
        return False
    known = _known(stored, None)
    return known is not None and known.finding is None and known.sizes == GroupSizes()


def table_facts(
    stored: StoredTable, typed: ReleaseMetadata, n: int, left: str, group_size: int | None = None,
    labels: Mapping[str, str] = NO_LABELS,
) -> TableFacts:  # fmt: skip
    """Return the facts of a stored release; `typed`: the words for one that the ledger keeps without any.

    `n`: about how many records there are in each of several columns; `group_size`: in each group, where the ledger does
    not know; `labels`: what the report calls some of several columns.
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
    source, known = f"{stored.account.name} · release · {stored.finished[:10]}", _known(stored, group_size)
    if isinstance(answer, GroupedRelease):
        name = words.column.replace("_", " ")
        wording = Wording(name, words.kind, words.unit, words.one, words.many, decimals_of(answer.domain), words.person)
        about = f"{count_in_words(len(answer.values), 'group')} · {source}"
        title = f"{name[:1].upper()}{name[1:]} by group"
        return tables.of_groups(answer, wording, known, title=title, about=about, **common)
    return _of_columns(answer, stored, words, n, source, common, labels, known)


def _known(stored: StoredTable, group_size: int | None) -> OfGroups | None:
    """Return the public facts about the groups: with one row each, a person is in one of them."""
    words = stored.words
    if words is None or words.groups_per_person is None:
        return None
    sizes = sizes_of(stored, group_size)
    return OfGroups(words.groups_per_person, words.most_rows or 1, words.share, words.finding, sizes)


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
