"""What stands in the place of an answer that cannot be had: every need at once, with buttons that set it."""

from __future__ import annotations

from unittest.mock import Mock

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core.advice import needs
from dpq_core.mechanisms import MECHANISMS
from pages.budget import counts
from pages.keys import PREFIX
from tests.pages.driving import bring, csv_of, open_page, press, run, said, set_bounds

RUN, SIMULATION, RELEASED = f"{PREFIX}:inside:run", f"{PREFIX}:outcome:explore", f"{PREFIX}:outcome:release"
FEW = 18 + np.arange(431) % 60
"""An uploaded column; its length is a canary."""


def offered(visit: AppTest) -> list[str]:
    return [button.label for button in visit.button if (button.key or "").startswith(f"{PREFIX}_way_")]


def use(visit: AppTest, label: str) -> AppTest:
    (button,) = [each for each in visit.button if each.label == label]
    return run(button.click())


def charts(visit: AppTest) -> int:
    return len(visit.get("plotly_chart"))


@pytest.mark.covering(1)
@pytest.mark.parametrize(("page", "result"), [("inside", RUN), ("quantiles", SIMULATION)])
@pytest.mark.parametrize(
    ("link", "ways"),
    [
        (
            {"mechanism": "slice", "budget": "approximate"},
            ["Use ε = 1.29", "Set Half width = 27", "Merge close quantiles"],
        ),
        ({"mechanism": "slice"}, ["Use ε = 1.88", "Merge close quantiles"]),
        ({"mechanism": "gkexp"}, ["Set N max = 10,000", "Protect against replacement"]),
    ],
)
def test_every_button_of_a_refusal_leads_to_an_answer(
    page: str, result: str, link: dict[str, str], ways: list[str]
) -> None:
    visit = open_page(page, **link)
    assert "is not available with these settings." in said(visit)
    assert offered(visit) == ways
    assert charts(visit) == 0
    assert visit.button(key=f"{PREFIX}_run{'_inside' * (page == 'inside')}").disabled
    for way in ways:
        visit = use(open_page(page, **link), way)
        assert result in visit.session_state, "of an example it is drawn at once"
        assert "is not available" not in said(visit)
        assert offered(visit) == []


def test_a_normal_sample_tells_all_it_needs_at_once_and_opens_the_fields() -> None:
    visit = open_page("inside", mechanism="normal", budget="concentrated")
    told = said(visit)
    for name in ("Protects", "Budget", "Sigma", "Mean bound"):
        assert f"“{name}” must be" in told
    assert offered(visit) == [
        "Protect against replacement", f"Use {MECHANISMS['aq'].LABEL}", f"Use {MECHANISMS['binhist'].LABEL}",
        "Use a budget in ε", "Use a budget in ε, δ", f"Use {MECHANISMS['binhist'].LABEL}",
        "Set Sigma …", "Set Mean bound …",
    ]  # fmt: skip
    use(visit, "Use a budget in ε")
    use(visit, "Protect against replacement")
    assert offered(visit) == ["Set Sigma …", "Set Mean bound …"]
    use(visit, "Set Sigma …")
    assert any("field:dpq_option_normal-sigma" in element.proto.body for element in visit.get("html"))
    for name, value in (("sigma", "15"), ("mean_bound", "120")):
        visit.text_input(key=f"{PREFIX}_option_normal.{name}").set_value(value)
    run(visit)
    assert offered(visit) == []
    assert visit.session_state[RUN].plan.mechanism == "normal"


def test_another_mechanism_may_be_the_way_out() -> None:
    visit = use(open_page(mechanism="jointexp", quantiles="even", even="501"), f"Use {MECHANISMS['aq'].LABEL}")
    assert visit.session_state[SIMULATION].plan.mechanism == "aq"
    assert visit.selectbox(key=f"{PREFIX}_mechanism").value == "aq"


def test_nothing_of_another_mechanism_stays_under_a_refusal_on_inside() -> None:
    visit = open_page("inside")
    assert charts(visit) == 2
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("gkexp"))
    assert charts(visit) == 0
    assert not visit.dataframe
    assert "Answer 9 of 9" not in said(visit)
    assert "Copy link" in said(visit)
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("aq"))
    assert charts(visit) == 2, "what was drawn comes back with its settings"


def test_on_quantiles_what_was_drawn_before_is_folded_under_its_own_name() -> None:
    visit = open_page(mechanism="aq")
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("gkexp"))
    folds = [fold for fold in visit.expander if "The simulation before" in fold.label]
    assert [fold.label.replace("\\", "") for fold in folds] == [
        f"The simulation before: {MECHANISMS['aq'].LABEL}, ε = 1"
    ]
    assert not folds[0].proto.expanded
    inside = folds[0].get("plotly_chart")
    assert len(inside) == charts(visit) == 3


def test_a_refused_run_stays_refused_until_settings_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the count is not looked at beforehand, as in Release, only the noisy one of a run tells."""
    monkeypatch.setattr(counts, "needs", lambda plan, count, cells, calibrations: ())
    visit = open_page("inside", mechanism="slice")
    for _ in range(2):
        assert "a noisy number of" in said(visit)
        assert "A release would have spent ε = 0.4 on finding this out." in said(visit)
        assert len(offered(visit)) >= 2
        run(visit)
    use(visit, "Merge close quantiles")
    assert visit.session_state[RUN].plan.options == {"merge_close": True}
    assert offered(visit) == []


def release_of_few(**choices: str) -> AppTest:
    visit = set_bounds(bring(open_page(data="file"), csv_of(FEW)), "0", "120", "1")
    for name, value in choices.items():
        run(visit.selectbox(key=f"{PREFIX}_{name}").set_value(value))
    return visit


def test_in_release_nothing_is_computed_from_the_private_number(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Mock(wraps=needs)
    monkeypatch.setattr(counts, "needs", asked)
    visit = release_of_few(mechanism="gkexp")
    assert offered(visit) == ["Set N max …", "Protect against replacement"], "no bound is proposed: it is private"
    release_of_few(mechanism="slice")
    assert {call.args[1] for call in asked.call_args_list} == {None}
    assert "431" not in said(visit)
    assert "1,000" not in offered(visit)


def test_a_release_that_slices_refuse_keeps_its_price_and_offers_what_would_do() -> None:
    visit = press(release_of_few(mechanism="slice"))
    assert "Finding this out has spent ε = 0.4" in said(visit)
    assert "a noisy number of" in said(visit)
    assert "Merge close quantiles" in offered(visit)
    assert RELEASED not in visit.session_state
    use(visit, "Merge close quantiles")
    assert RELEASED not in visit.session_state, "a button sets; it never releases"
    assert "is not available" not in said(visit)
    press(visit)
    assert visit.session_state[RELEASED].plan.options == {"merge_close": True}


def test_a_paid_answer_stays_within_reach_under_a_refusal() -> None:
    visit = press(release_of_few())
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value("gkexp"))
    (fold,) = [fold for fold in visit.expander if "The release before" in fold.label]
    assert len(fold.dataframe) == 1
    # its account counts people who join or leave: replacing is no way out for it
    assert offered(visit) == ["Set N max …"]


def test_numbers_in_a_refusal_have_a_unit_that_a_reader_knows() -> None:
    visit = open_page("inside", mechanism="slice")
    (sentence,) = [each.value for each in visit.markdown if "must be further apart" in each.value]
    assert "“Quantiles” must be further apart for about 1,000 people" in sentence.replace("\\", "")
    assert "`" not in sentence
