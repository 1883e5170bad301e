"""What can be drawn of one's own file: a column, its groups, several columns, and groups of these."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from pages.form.table import key
from pages.keys import PREFIX
from tests.pages import driving
from tests.pages.driving import ask_all, run

RNG = np.random.default_rng(11)
SIZES = {"north": 2177, "south": 1663, "QZsecret": 1277}
"""Numbers that appear nowhere else; the last group is in no list."""
ROWS = [
    (f"ZX{at % 2999:05d}", group, "fm"[at % 2], age, pay)
    for group, size in SIZES.items()
    for at, age, pay in zip(RNG.permutation(size), RNG.integers(18, 90, size), RNG.integers(10, 900, size), strict=True)
]
FILE = ("patient,region,sex,age,pay\n" + "".join(",".join(map(str, row)) + "\n" for row in ROWS)).encode()
COUNTS = "|".join(f"{size}|{size:,}" for size in (*SIZES.values(), len(ROWS)))
HIDDEN = re.compile(rf"ZX\d{{5}}|QZsecret|(?<![\d.a-f])(?:{COUNTS})(?![\da-f])")
"""Ids, the group that nobody listed, the sizes of groups and the number of rows."""
TRUTH = ("true_values", "errors", "lows", "highs", "distance", "cdf", "n", "size", "seed", "report")
"""What a simulation knows and a release never holds."""


@dataclass(frozen=True)
class Shape:
    """One kind of answer: how its form is filled."""

    fill: Callable[[AppTest], AppTest]
    groups: bool = False
    more: bool = False

    def ready(self, *, public: bool = False, ids: bool = False, **link: Any) -> AppTest:
        """A page one press away from an answer."""
        return self.fill(table(public=public, ids=ids, groups=self.groups, more=self.more, **link))

    def drawn(self, *, public: bool = False, **link: Any) -> AppTest:
        return driving.press(self.ready(public=public, **link))

    def found(self, visit: AppTest, mode: str = "release") -> Any:
        """The answer that the session keeps, None where there is none."""
        return visit.session_state._state.filtered_state.get(f"{PREFIX}:outcome:{mode}")


def table(
    *, public: bool = False, ids: bool = False, groups: bool = False, more: bool = False, content: bytes = FILE,
    by: tuple[str, ...] = ("region",), **link: Any,
) -> AppTest:  # fmt: skip
    """The file as a page has read it: its column of ages, with that of pays, of groups or of persons."""
    visit = driving.open_page(
        "explore" if public else "release", **{"data": "file", "quantiles": "quartiles", "mechanism": "aq"} | link
    )
    if public:
        driving.declare(visit)
    driving.upload(visit, "staff.csv", content)
    run(visit.selectbox(key=driving.column_key(visit)).set_value("age"))
    if more:
        run(visit.multiselect(key=driving.more_key(visit)).set_value(["pay"]))
    if ids:
        run(visit.button(key=f"{PREFIX}_same_person").click())
    if groups:
        run(driving.named(visit.multiselect, "group_columns").set_value(list(by)))
    return driving.read(visit)


def bounded(visit: AppTest) -> AppTest:
    return driving.set_bounds(visit, "0", "120", "1")


def listed(visit: AppTest, *names: str) -> AppTest:
    """List groups where a list is asked for: data that are public have it."""
    areas = [area for area in visit.text_area if area.key == key("group_names")]
    if areas and visit.session_state[f"{PREFIX}:page"] == "release":
        run(areas[0].set_value("\n".join(names or ("north", "south", "nobody here"))))
    return visit


SHAPES = {
    "column": Shape(bounded),
    "groups": Shape(lambda visit: listed(bounded(visit)), groups=True),
    "columns": Shape(ask_all, more=True),
    "columns in groups": Shape(lambda visit: listed(ask_all(visit)), groups=True, more=True),
}  # fmt: skip


def answers(found: Any) -> list[Any]:
    """Each answer of an outcome, which may be one."""
    return list(getattr(found, "answers", [found]))
