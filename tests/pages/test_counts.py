"""The number of records is on no screen unless the account that pays makes it public, whatever the page says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import Adjacency, Plan, PureDP
from dpq_core.ledger import Account, Ledger, standing
from pages.budget import counts
from pages.form.plan import DECIDED_BY_PRESS
from pages.keys import PREFIX
from pages.quantiles import attempts
from tests.pages.driving import bring, csv_of, field, open_page, press, run, said, set_bounds, widget, words

AGES = np.random.default_rng(4).integers(18, 91, size=7321)
PAGES = ("quantiles", "inside", "compare", "tradeoff")
"""All that have the form."""
LARGE_DELTA = {"budget": "approximate", "delta": "0.3"}
"""Questioned beside one in the number of records, where that may be said."""


def near(count: int, visit: AppTest) -> list[str]:
    """Numbers on the screen within two of the number of records."""
    numbers = [text.replace(",", "") for text in re.findall(r"\d[\d,]*", words(visit))]
    return [text for text in numbers if text.isdecimal() and abs(int(text) - count) <= 2]


def ready(page: str = "quantiles", name: str = "patients.csv", **link: str) -> AppTest:
    return set_bounds(bring(open_page(page, data="file", **link), csv_of(AGES), name), "0", "120", "1")


def choose(visit: AppTest, **settings: str) -> AppTest:
    for name, value in settings.items():
        run(widget(visit, f"{PREFIX}_{name}").set_value(value))
    return visit


def account(file: Path, adjacency: Adjacency, name: str = "patients") -> Account:
    ledger = Ledger.at(file, key="a key for the tests")
    return ledger.open_account(name, budget=PureDP(3.0), adjacency=adjacency, one_row_is="person")


@pytest.mark.covering(1)
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("opened", [None, *Adjacency], ids=["new", *Adjacency])
def test_choosing_replaced_on_the_page_tells_nobody_the_number(
    page: str, opened: Adjacency | None, own_ledger: Path
) -> None:
    """Neither beside an account that hides it, nor before one is opened, nor for the name of one that does not."""
    if opened is not None:
        account(own_ledger, opened)
    visit = ready(page, **LARGE_DELTA)
    assert near(AGES.size, visit) == []
    choose(visit, adjacency="substitute")
    assert near(AGES.size, visit) == []
    choose(visit, budget="pure", adjacency="add_remove")
    choose(visit, adjacency="substitute")
    assert near(AGES.size, visit) == []
    if page in {"quantiles", "inside"}:
        for mechanism in ("slice", "gkexp", "binhist", "normal"):
            assert near(AGES.size, choose(visit, mechanism=mechanism)) == []
        run(visit.button(key=f"{PREFIX}_which").click())
        assert near(AGES.size, visit) == []


def test_a_first_release_tells_the_number_and_another_name_takes_it_back(own_ledger: Path) -> None:
    visit = ready(adjacency="substitute", **LARGE_DELTA)
    run(field(visit, "total_delta").set_value("0.5"))
    while doubts := [box for box in visit.checkbox if not box.value and "_sure_" in (box.key or "")]:
        run(doubts[0].check())
    press(visit)
    assert f"{PREFIX}:outcome:release" in visit.session_state
    assert str(AGES.size) in near(AGES.size, visit)
    run(field(visit, "account").set_value("visitors"))
    assert near(AGES.size, visit) == []
    run(field(visit, "account").set_value("patients"))
    assert str(AGES.size) in near(AGES.size, visit)
    assert near(AGES.size, ready(adjacency="substitute", **LARGE_DELTA)) == [], "another session knows nothing of it"


def test_what_depends_on_the_number_is_settled_by_the_press(own_ledger: Path) -> None:
    """Slices for 19 quantiles need many records: the page says that the press decides, and the press says no number."""
    visit = ready(adjacency="substitute", mechanism="slice", quantiles="even", even="19")
    assert DECIDED_BY_PRESS in words(visit)
    assert not visit.button(key=f"{PREFIX}_run").disabled
    press(visit)
    assert attempts.NOT_WITH_THIS_NUMBER[20:60] in words(visit)
    assert near(AGES.size, visit) == []
    (opened,) = Ledger.at(own_ledger).accounts()
    assert opened.adjacency is Adjacency.SUBSTITUTE
    assert standing(opened).spent == 0
    choose(visit, adjacency="add_remove", quantiles="median")
    assert visit.button(key=f"{PREFIX}_run").disabled, "under this name the number is no secret any more"
    choose(visit, adjacency="substitute")
    press(choose(visit, quantiles="median"))
    assert f"{PREFIX}:outcome:release" in visit.session_state
    choose(visit, quantiles="even")
    assert visit.button(key=f"{PREFIX}_run").disabled
    assert "must be further apart" in said(visit), "now the number is public, and so is what would do"


def test_what_no_number_of_records_allows_is_refused_before_the_press() -> None:
    plan = Plan(["1/2"], "normal", PureDP(1.0), Adjacency.SUBSTITUTE)
    assert "“Sigma” must be given" in counts.judge(plan, None).reason
    assert counts.judge(Plan(["1/2"], "aq", PureDP(1.0), Adjacency.SUBSTITUTE), None).reason == ""
    close = Plan(["1/2", "1000000000001/2000000000000"], "slice", PureDP(1.0), Adjacency.SUBSTITUTE)
    assert counts.judge(close, None).reason == counts.HOWEVER_MANY


def test_a_refusal_on_the_screen_names_no_number_that_stands_for_all() -> None:
    """Slices as close as this have no room among any number of records: it is judged with one, and never says it."""
    settings = {"mechanism": "slice", "adjacency": "substitute", "quantiles": "own"}
    visit = ready(**settings, own="1/2, 1000000000001/2000000000000")
    told = words(visit).replace("\\", "")
    assert counts.HOWEVER_MANY in told
    assert "Merge close quantiles" in [button.label for button in visit.button]
    assert "people: two are" not in told
