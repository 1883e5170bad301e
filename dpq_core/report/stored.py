"""The content of a report on an answer that the ledger keeps: of one column, of several, or of all groups."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..release import ColumnWords, Description, Release
from ..results.groups.sizes import GroupSizes
from ..results.persons import person_in
from ..results.wording import Wording, count_in_words, decimals_of, plural_of
from ..studies.shapes import MOST_STUDIED
from . import tables
from .tables import OfGroups, TableFacts

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ..ledger.accounts import Account
    from ..ledger.history.entries import Stored

NO_LABELS: Mapping[str, str] = MappingProxyType({})


def in_groups(stored: Stored) -> bool:
    """Return whether answers are of groups: of one column, or of each of several."""
    return not any(each.in_one_piece for each in stored.release.cells)


def public_records(stored: Stored | None) -> int | None:
    """Return the number of records of a release where the ledger keeps it as public; None, too, where it is too large.

    More than MOST_STUDIED records are not simulated.
    """
    records = stored.release.description.records if stored is not None else None
    return records if records and records <= MOST_STUDIED else None


def table_facts(
    stored: Stored, typed: Description, n: int, left: str, labels: Mapping[str, str] = NO_LABELS
) -> TableFacts:
    """Return the facts of a stored release; `typed`: the words for one that the ledger keeps without any.

    `n`: about how many records there are in each of several columns; `labels`: what the report calls some of these.
    """
    release = stored.release
    words = release.description if release.described else typed
    common: dict[str, Any] = {
        "account": stored.account.name,
        "release_id": release.id,
        "left": left,
        "released": release.made[:10],
        "version": release.version,
        "rule": words.rule,
        "of_rows": (words.most_rows or 1) > 1,
        "rule_unknown": not release.described and release.guarantee.protects == "person",
    }
    source, known = f"{stored.account.name} · release · {release.made[:10]}", None
    if words.groups_per_person is not None:
        sizes = GroupSizes(words.group_size, words.group_sizes)
        known = OfGroups(words.groups_per_person, words.most_rows or 1, words.share, words.finding, sizes)
    if len(release.cells) == 1:
        (answer,) = release.cells
        column, own = next(iter(words.columns.items()), (answer.column, ColumnWords()))
        name = own.label or column.replace("_", " ")
        wording = Wording(name, own.kind, own.unit, words.one, words.many, decimals_of(answer.domain), words.person)
        about = f"{count_in_words(len(answer.groups), 'group')} · {source}"
        title = f"{name[:1].upper()}{name[1:]} by group"
        return tables.of_groups(answer, wording, known, title=title, about=about, **common)
    return _of_columns(release, stored, words, n, source, common, labels, known)


def _of_columns(
    release: Release[Any],
    stored: Stored,
    words: Description,
    n: int,
    source: str,
    common: dict[str, Any],
    labels: Mapping[str, str],
    of_groups: OfGroups | None,
) -> TableFacts:
    one = words.one or person_in(stored.account.one_row_is) or stored.account.one_row_is
    many = words.many or plural_of(one)
    wordings = {}
    for name, own in release.items():
        said = words.columns.get(name, ColumnWords())
        label = labels.get(name) or name.replace("_", " ")
        wordings[name] = Wording(label, said.kind, said.unit, one, many, decimals_of(own.domain), words.person)
    persons = release.guarantee.protects == "person"
    most_rows = None if persons and not release.described else words.most_rows or 1
    count = count_in_words(len(wordings), "column")
    whole = Wording(count, "number", "", one, many, person=words.person)
    return tables.of_columns(
        release, wordings, n, most_rows, of_groups, title=count, about=source, wording=whole, **common
    )


def usual_words(stored: Stored, column: str, kind: str = "number", unit: str = "") -> Description:
    """Return words for an answer that the ledger keeps without any: the account says what one row is."""
    person = person_in(stored.account.one_row_is)
    one = person or stored.account.one_row_is
    columns = {column: ColumnWords(kind=kind, unit=unit)}
    return Description(columns=columns, one=one, many=plural_of(one), person=person)


def left_in_words(account: Account) -> str:
    """Return what is left: `ε = 2 left of ε = 3, δ = 0.00001, for all releases of patients`."""
    from ..ledger.history.entries import shown, sums

    found = sums(account).balance
    return f"{found.letter} = {shown(found.left)} left of {account.budget}, for all releases of {account.name}"
