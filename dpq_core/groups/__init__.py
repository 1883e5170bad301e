"""Groups: the same quantiles for every group of a table, in one release with one guarantee.

Proof: docs/groups-proof.md.
"""

from .bounding import counted_for_names, persons_in
from .calibration import (
    CalibratedGroups,
    calibrate_groups,
    divided_for_names,
    in_seconds,
    named_with,
    plan_of_group,
)
from .collecting import by_group
from .draws import (
    GroupedRelease,
    GroupStudy,
    NamesFound,
    draw_once,
    find_names,
    rank_errors_in_parts,
    refuse_names_elsewhere,
    release_groups,
    simulate_groups,
)
from .finding import NamingRule
from .names import (
    GroupCodes,
    GroupColumn,
    GroupName,
    GroupsLike,
    Holds,
    MisfitWarning,
    OneName,
    as_name,
    checked_names,
    codes_of,
    in_order,
    misfits,
    name_in_words,
    names_in,
)
from .table import FINDING_SHARE, MOST_GROUPS_EACH, NO_GROUP, Groups

__all__ = [
    "FINDING_SHARE",
    "MOST_GROUPS_EACH",
    "NO_GROUP",
    "CalibratedGroups",
    "GroupCodes",
    "GroupColumn",
    "GroupName",
    "GroupStudy",
    "GroupedRelease",
    "Groups",
    "GroupsLike",
    "Holds",
    "MisfitWarning",
    "NamesFound",
    "NamingRule",
    "OneName",
    "as_name",
    "by_group",
    "calibrate_groups",
    "checked_names",
    "codes_of",
    "counted_for_names",
    "divided_for_names",
    "draw_once",
    "find_names",
    "in_order",
    "in_seconds",
    "misfits",
    "name_in_words",
    "named_with",
    "names_in",
    "persons_in",
    "plan_of_group",
    "rank_errors_in_parts",
    "refuse_names_elsewhere",
    "release_groups",
    "simulate_groups",
]
