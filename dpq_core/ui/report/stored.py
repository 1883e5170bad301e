"""Several columns, or all groups, as the ledger keeps them: what a report tells of such a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...columns import ColumnsRelease
from ...groups import GroupedRelease
from ...results import Wording, count_in_words, decimals_of, person_in, plural_of
from . import tables
from .tables import OfGroups, TableFacts

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ...ledger import AnswerWords
    from ...ledger.history import StoredTable

MOST_GROUPS = 2000
"""A report compares each of its groups with all others."""


def table_facts(stored: StoredTable, typed: AnswerWords, n: int, left: str) -> TableFacts:
    """Return the facts of a stored release; `typed`: the words for one that the ledger keeps without any."""
    answer, words = stored.answer, stored.words or typed
    common: dict[str, Any] = {
        "account": stored.account.name,
        "release_ids": (stored.release_id,),
        "left": left,
        "released": stored.finished[:10],
        "version": answer.version,
        "rule": words.rule,
    }
    source = f"{stored.account.name} · release · {stored.finished[:10]}"
    if isinstance(answer, GroupedRelease):
        name = words.column.replace("_", " ")
        wording = Wording(name, words.kind, words.unit, words.one, words.many, decimals_of(answer.domain), words.person)
        about = f"{count_in_words(len(answer.values), 'group')} · {source}"
        title = f"{name[:1].upper()}{name[1:]} by group"
        return tables.of_groups(answer, wording, n, _known(stored), title=title, about=about, **common)
    return _of_columns(answer, stored, words, n, source, common)


def _known(stored: StoredTable) -> OfGroups | None:
    """Return what is publicly known of the groups: for one row each a person is in one of them, whatever was kept."""
    words = stored.words
    if words is None or words.groups_per_person is None:
        return None
    return OfGroups(words.groups_per_person, words.fixed, words.finding)


def _of_columns(
    answer: ColumnsRelease, stored: StoredTable, words: AnswerWords, n: int, source: str, common: dict[str, Any]
) -> TableFacts:
    known = {name: (kind, unit) for name, kind, unit in words.columns}
    one = words.one or person_in(stored.account.one_row_is) or stored.account.one_row_is
    many = words.many or plural_of(one)
    wordings = {}
    for name, own in answer.releases.items():
        kind, unit = known.get(name, ("number", ""))
        wordings[name] = Wording(name.replace("_", " "), kind, unit, one, many, decimals_of(own.domain), words.person)
    persons = answer.guarantee.protects == "person"
    most_rows = None if persons and stored.words is None else words.most_rows or 1
    count = count_in_words(len(wordings), "column")
    whole = Wording(count, "number", "", one, many, person=words.person)
    return tables.of_columns(answer, wordings, n, most_rows, title=count, about=source, wording=whole, **common)
