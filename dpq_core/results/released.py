"""Release one question from private data, for a page: an account is charged, then the exact sampler draws."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..progress import Progress, unheard
from .answers import judged, of_cells
from .chosen import Chosen, TableReading
from .data_set import PrivateData, wording_of, words_of
from .kinds import Released
from .sealed import columns_to_release, fingerprint_of

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ..ledger.accounts import Account


def release_asked(
    table: Iterable[PrivateData],
    chosen: Chosen,
    reading: TableReading,
    account: Account,
    release_id: str,
    who: str,
    identity: str,
    about: str,
    progress: Progress = unheard,
    *,
    of_table: bool = True,
) -> Released:
    """Release all columns: charge the account once, then draw. Each id spends once. Raises as `charged_release`.

    `who`: the person signed in, for the ledger; `of_table`: whether several columns could be asked for.
    """
    from ..ledger.charging import charged_release

    asked = chosen.question
    of = {data.name: data for data in table if data.name in asked.columns}
    sealed = {name: data.column for name, data in of.items()}
    columns = columns_to_release(sealed, asked)
    progress(0.7)
    first = next(iter(of.values()))
    release = charged_release(
        columns,
        chosen.plan,
        account,
        release_id=release_id,
        who=who,
        file=fingerprint_of(next(iter(sealed.values())), account.ledger),
        words=words_of(of),
        question=asked,
    )
    progress(1.0)
    wordings = {each.column: wording_of(of[each.column], each.domain) for each in release.cells}
    answers = [
        answer
        for each in release.cells
        for answer in judged(
            of_cells(each, wordings[each.column]), release.description, chosen.chances.get(each.column, ()), len(of)
        )
    ]
    return Released(
        identity=identity, about=about, source=first.source, of_example=first.is_example, chosen=chosen,
        reading=reading, of_table=of_table,
        release=release, wordings=tuple(wordings.values()), answers=tuple(answers),
    )  # fmt: skip
