"""Groups: the same quantiles for every group of a table, in one release with one guarantee. Proof: docs/groups.md."""

from .calibration import REFUSING, CalibratedGroups, calibrate_groups, check_for_groups, plan_of_group, unit_of_groups
from .draws import GroupedRelease, GroupStudy, draw_once, release_groups, simulate_groups
from .names import GroupColumn, GroupName, checked_names, names_in
from .table import FINDING_SHARE, MOST_GROUPS_EACH, NO_GROUP, Groups

__all__ = [
    "FINDING_SHARE",
    "MOST_GROUPS_EACH",
    "NO_GROUP",
    "REFUSING",
    "CalibratedGroups",
    "GroupColumn",
    "GroupName",
    "GroupStudy",
    "GroupedRelease",
    "Groups",
    "calibrate_groups",
    "check_for_groups",
    "checked_names",
    "draw_once",
    "names_in",
    "plan_of_group",
    "release_groups",
    "simulate_groups",
    "unit_of_groups",
]
