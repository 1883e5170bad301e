"""Release one request from private data, for a page: an account is charged, then the exact sampler draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ..calibrations import calibrations_of
from ..domain.domain import Domain
from ..progress import Progress, unheard
from .answers import judged, of_cells
from .data_set import PrivateData
from .kinds import Released
from .outcomes import MOST_OF_REFERENCE, REFERENCE_SIZE, answered, described, reference_interval, wording_of
from .sealed import columns_to_release, fingerprint_of
from .tables.kinds import TableReading, TableRequest

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from ..ledger.accounts import Account


def release_asked(
    table: Iterable[PrivateData],
    request: TableRequest,
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

    chosen = {data.name: data for data in table if data.name in request.plans}
    sealed = {name: data.column for name, data in chosen.items()}
    missing = {name: request.missing.get(name) for name in chosen}
    columns = columns_to_release(sealed, request.bounds, missing, request.person, request.groups)
    progress(0.7)
    words = replace(described(chosen), group_size=request.sizes.usual, group_sizes=request.sizes.own)
    release = charged_release(
        columns,
        request.plans,
        account,
        weights=request.weights,
        release_id=release_id,
        who=who,
        file=fingerprint_of(next(iter(sealed.values())), account.ledger),
        words=words,
        asked=None if request.asked is None else request.asked.plan,
        read=reading.said,
    )
    progress(1.0)
    wordings = {each.column: wording_of(chosen[each.column], each.domain) for each in release.cells}
    answers = [
        answer
        for each in release.cells
        for answer in judged(of_cells(each, wordings[each.column]), request.sizes, request)
    ]
    found = Released(
        **answered(chosen, request), identity=identity, about=about, reading=reading, of_table=of_table,
        release=release, wordings=tuple(wordings.values()), answers=tuple(answers), guarantee=release.guarantee,
        warnings=release.warnings, made=release.made, version=release.version,
    )  # fmt: skip
    return with_reference(found) if release.of_one_column else found


def with_reference(found: Released) -> Released:
    """Return a release of one column with how far noise alone moves such answers, on a public shape of a guessed size.

    Not where bounds were found, as records may lie beyond them.
    """
    size, bounds = min(found.request.about_n or REFERENCE_SIZE, MOST_OF_REFERENCE), found.bounds
    if not isinstance(bounds, Domain):
        return replace(found, reference_size=size)
    reference = reference_interval(calibrations_of(found.plan), bounds, found.request.person, size)
    return replace(found, reference=reference, reference_size=size)
