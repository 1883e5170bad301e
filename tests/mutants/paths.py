"""Where changes are made everywhere: the modules that calibrate, draw and charge, with the tests that must see one.

The longest beginning of a file's path counts. Tests run in this order until one fails: fast and near ones come first.
"""

from __future__ import annotations

from pathlib import Path

TESTS = {
    "privacy/": "tests/test_privacy.py tests/test_composition.py tests/test_release.py tests/test_extreme_budgets.py",
    "privacy/composition.py": "tests/test_composition.py tests/test_group_privacy.py tests/columns/test_columns.py "
    "tests/finding/test_finding.py tests/groups tests/audit/test_groups_claims.py tests/audit/test_units_claims.py",
    "release.py": "tests/test_release.py tests/audit/test_wrappers_claims.py tests/intervals",
    "intervals/counted.py": "tests/audit/test_counting_claims.py tests/finding/test_counting.py",
    "intervals/drawing.py": "tests/test_release.py tests/audit/test_wrappers_claims.py tests/intervals",
    "calibrations.py": "tests/test_release.py tests/test_plan.py tests/test_privacy.py tests/test_group_privacy.py "
    "tests/results/test_calibrations.py",
    "group_privacy.py": "tests/test_group_privacy.py tests/people/test_takes.py",
    "opendp.py": "tests/test_opendp.py tests/audit/test_wrappers_claims.py",
    "noise/": "tests/noise",
    "noise/exact.py": "tests/noise/test_exact.py tests/noise/test_gaussian.py",
    "noise/integer_noise.py": "tests/noise/test_words.py tests/noise/test_gaussian.py",
    "noise/jitter.py": "tests/noise/test_jitter.py tests/test_sample.py tests/people/test_takes.py",
    "noise/fast.py": "tests/noise/test_fast.py tests/noise/test_gaussian.py tests/audit/test_recorded_draws.py",
    "finding/": "tests/finding/test_finding.py tests/test_warnings.py tests/audit/test_finding_claims.py",
    "finding/walk.py": "tests/audit/test_finding_claims.py tests/finding/test_finding.py",
    "finding/counting.py": "tests/audit/test_counting_claims.py tests/finding/test_counting.py "
    "tests/finding/test_finding.py tests/test_warnings.py tests/audit/test_finding_claims.py",
    "groups/": "tests/groups tests/test_warnings.py tests/audit/test_groups_claims.py tests/audit/test_units_claims.py",
    "groups/bounding.py": "tests/groups/test_groups.py tests/audit/test_tables_claims.py tests/test_unseeded.py "
    "tests/audit/test_groups_claims.py tests/groups tests/audit/test_units_claims.py",
    "groups/names.py": "tests/groups tests/audit/test_wrappers_claims.py tests/audit/test_groups_claims.py",
    "people/": "tests/people tests/audit/test_people_claims.py tests/audit/test_units_claims.py",
    "people/shares.py": "tests/people/test_shares.py tests/audit/test_share_claims.py tests/people",
    "columns/": "tests/columns tests/audit/test_columns_claims.py",
    "ledger/": "tests/ledger/test_charging.py tests/ledger/test_accounts.py tests/ledger/test_units.py "
    "tests/ledger/test_groups.py tests/ledger/test_kept.py",
    "ledger/filters.py": "tests/ledger/test_filters.py tests/ledger/test_accounts.py tests/ledger/test_charging.py",
    "ledger/fingerprints.py": "tests/ledger/test_fingerprints.py tests/ledger/test_charging.py",
    "ledger/answers.py": "tests/ledger/test_kept.py tests/ledger/test_groups.py tests/ledger/test_charging.py",
    "ledger/files.py": "tests/ledger/test_files.py tests/ledger/test_accounts.py",
    "ledger/upkeep.py": "tests/ledger/test_restore.py tests/ledger/test_accounts.py tests/ledger/test_charging.py",
    "ledger/store/": "tests/ledger/test_schema.py tests/ledger/test_new_folder.py tests/ledger/test_continuity.py "
    "tests/ledger/test_restore.py tests/ledger/test_files.py tests/ledger/test_upgrading.py "
    "tests/ledger/test_charging.py",
}
PACKAGE = "dpq_core/"
ELSEWHERE = ("ledger/history/",)
"""Pages and files about what was charged: they read a ledger."""


def files(root: Path) -> list[str]:
    """Return the modules of the table, sorted, as paths below `root`."""
    below = (str(path.relative_to(root / PACKAGE)) for path in sorted((root / PACKAGE).rglob("*.py")))
    return [f"{PACKAGE}{name}" for name in below if name.startswith(tuple(TESTS)) and not name.startswith(ELSEWHERE)]


def judges_of(file: str) -> list[str]:
    """Return what pytest is given for a change of a module."""
    name = file.removeprefix(PACKAGE)
    return TESTS[max((place for place in TESTS if name.startswith(place)), key=len)].split(" ")
