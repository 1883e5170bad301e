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
from .cells import ANY_NAME, Holds, PossibleNames, by_clocks, holds_of
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
    OneName,
    as_name,
    checked_names,
    codes_of,
    in_order,
    name_in_words,
    names_in,
    refuse_misfits,
)
from .table import FINDING_SHARE, MOST_GROUPS_EACH, NO_GROUP, Groups

__all__ = [
    "ANY_NAME",
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
    "NamesFound",
    "NamingRule",
    "OneName",
    "PossibleNames",
    "as_name",
    "by_clocks",
    "by_group",
    "calibrate_groups",
    "checked_names",
    "codes_of",
    "counted_for_names",
    "divided_for_names",
    "draw_once",
    "find_names",
    "holds_of",
    "in_order",
    "in_seconds",
    "name_in_words",
    "named_with",
    "names_in",
    "persons_in",
    "plan_of_group",
    "rank_errors_in_parts",
    "refuse_misfits",
    "refuse_names_elsewhere",
    "release_groups",
    "simulate_groups",
]
