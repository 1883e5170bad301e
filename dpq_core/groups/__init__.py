"""Groups: the same quantiles for every group of a table, in one release with one guarantee. Proof: docs/groups.md."""

from .calibration import CalibratedGroups, calibrate_groups
from .draws import GroupedRelease, GroupStudy, draw_once, release_groups, simulate_groups
from .names import GroupColumn, GroupName
from .table import Groups

__all__ = [
    "CalibratedGroups",
    "GroupColumn",
    "GroupName",
    "GroupStudy",
    "GroupedRelease",
    "Groups",
    "calibrate_groups",
    "draw_once",
    "release_groups",
    "simulate_groups",
]
