"""The tab for a synthetic column on the Quantiles page, run without a browser."""

from __future__ import annotations

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core.results.wording import share_in_words
from pages.keys import PREFIX
from pages.settings.table import TABS
from tests.every_run import kept
from tests.pages import driving
from tests.pages.driving import (
    bring,
    csv_of,
    field,
    figures,
    metrics,
    open_page,
    press,
    run,
    said,
    set_bounds,
    widget,
    words,
)

AGES = np.random.default_rng(6).integers(18, 91, size=7321)
"""An uploaded column; its length is a canary."""
EXPLORED, RELEASED = f"{PREFIX}:column:explore", f"{PREFIX}:column:release"


def open_tab(**link: str) -> AppTest:
    return open_page(show=TABS[1], **link)


def preview(visit: AppTest) -> list[str]:
    table = visit.dataframe[len(visit.dataframe) - 1].value
    assert next(iter(table)) == "place"
    return list(table.iloc[:, 1])


def test_the_closed_tab_costs_nothing() -> None:
    visit = open_page()
    assert f"{PREFIX}_run_column" not in [button.key for button in visit.button]
    assert "show" not in visit.query_params


def test_a_simulated_column_beside_the_truth() -> None:
    visit = open_tab(size="200")
    assert "Nothing simulated yet" in words(visit)
    assert "Press Simulate a column" in words(visit)
    press(visit, "run_column")
    column = visit.session_state[EXPLORED]
    assert (len(column.values), column.seed) == (200, 2)
    shown = metrics(visit)
    assert (shown["Number of values"], shown["Largest difference"]) == ("200", share_in_words(column.distance))
    assert "Simulation with seed 2, not a release" in words(visit)
    assert len(figures(visit)[-1]["data"]) == 2
    assert preview(visit)[0] == f"{column.values[0]:.0f}"
    assert preview(visit)[-1] == f"{column.values[-1]:.0f}"
    assert len(preview(visit)) == 10


def test_nothing_but_its_button_draws_a_column() -> None:
    visit = press(open_tab(), "run_column")
    shown = visit.session_state[EXPLORED]

    def still_the_same(changed: bool) -> None:
        assert visit.session_state[EXPLORED] is shown
        assert ("Settings changed: press Simulate a column" in words(visit)) == changed

    still_the_same(changed=False)
    widget(visit, f"{PREFIX}_quantiles").set_value("median")
    run(visit)
    still_the_same(changed=False)
    for name, value, back in (("epsilon", "0.3", "1"), ("size", "20", "1000"), ("upper", "110", "120")):
        run(visit.text_input(key=f"{PREFIX}_{name}").set_value(value))
        still_the_same(changed=True)
        run(visit.text_input(key=f"{PREFIX}_{name}").set_value(back))
        still_the_same(changed=False)
    press(visit, "run_column")
    assert visit.session_state[EXPLORED] is not shown


def test_the_two_kinds_of_answer_leave_each_other_alone() -> None:
    visit = press(open_tab(), "run_column")
    column = visit.session_state[EXPLORED]
    quantiles = visit.session_state[f"{PREFIX}:outcome:explore"]
    press(visit, "run_column")
    assert visit.session_state[f"{PREFIX}:outcome:explore"] is quantiles
    column = visit.session_state[EXPLORED]
    press(driving.open_tab(visit, TABS[0]))
    assert visit.session_state[EXPLORED] is column


def primary(visit: AppTest) -> list[str]:
    return [button.label for button in visit.button if button.proto.type == "primary"]


@pytest.mark.very_slow
def test_one_primary_button_at_a_time_and_it_acts_on_the_open_tab() -> None:
    """Two buttons said Simulate while the tab of a column was open, and the large blue one did something else."""
    visit = open_page()
    assert primary(visit) == ["New noise"]
    driving.open_tab(visit, TABS[1])
    assert primary(visit) == ["Simulate a column"]
    assert "the button is beside *How many values*" in words(visit)
    driving.open_tab(visit, TABS[0])
    assert primary(visit) == ["New noise"]
    visit = set_bounds(bring(visit, csv_of(AGES)), "0", "120", "1")
    assert primary(driving.open_tab(visit, TABS[1])) == ["Release a column"]
    assert primary(driving.open_tab(visit, TABS[0])) == ["Release"]


def test_the_size_is_in_the_link_and_a_bad_one_is_named() -> None:
    visit = open_tab(size="250")
    assert visit.query_params["size"] == "250"
    assert visit.query_params["show"] == "Synthetic column"
    for bad in ("0", "10001", "many", "", "2.5"):
        run(visit.text_input(key=f"{PREFIX}_size").set_value(bad))
        assert "How many values must be a whole number from 1 to 10,000" in said(visit)
        assert visit.button(key=f"{PREFIX}_run_column").disabled
    visit = open_tab(size="20000")
    assert "“How many values” in the link was not understood (`20000`); using “1,000”." in visit.info[0].value
    assert visit.text_input(key=f"{PREFIX}_size").value == "1000"


def test_a_setting_that_stops_quantiles_stops_a_column() -> None:
    visit = open_tab()
    run(visit.text_input(key=f"{PREFIX}_upper").set_value("-5"))
    reasons = [caption.value for caption in visit.caption if "the bounds are missing" in caption.value]
    assert len(reasons) == 1
    assert visit.button(key=f"{PREFIX}_run_column").disabled


def test_a_released_column_holds_nothing_of_the_truth() -> None:
    visit = set_bounds(bring(open_tab(size="50"), csv_of(AGES)), "0", "120", "1")
    assert "spends the budget once more" in words(visit)
    assert not visit.metric
    press(visit, "run_column")
    column = visit.session_state[RELEASED]
    assert column.guarantee.exact
    assert not {"distance", "cdf", "n", "seed", "true_values"} & set(vars(column))
    assert list(metrics(visit)) == ["Number of values", "Spent by this release", "Spent of the budget by now"]
    (figure,) = figures(visit)
    assert figure["layout"]["xaxis"]["range"] == [0.0, 120.0]
    (trace,) = figure["data"]
    assert set(trace["x"]) <= {0.0, 120.0, *column.values}
    assert str(AGES.size) not in words(visit)
    assert f"{AGES.size:,}" not in words(visit)


def test_columns_and_quantiles_share_one_sum() -> None:
    visit = set_bounds(bring(open_tab(size="50"), csv_of(AGES)), "0", "120", "1")
    press(run(field(visit, "total_delta").set_value("0")), "run_column")
    assert metrics(visit)["Spent of the budget by now"] == "ε = 1 of 3"
    column = visit.session_state[RELEASED]
    run(visit)
    assert visit.session_state[RELEASED] is column
    press(driving.open_tab(visit, TABS[0]))
    assert metrics(visit)["Spent of the budget by now"] == "ε = 2 of 3"
    visit.session_state[f"{PREFIX}_show"] = TABS[1]
    press(run(visit), "run_column")
    totals = [metric.value for metric in visit.metric if metric.label == "Spent of the budget by now"]
    assert totals == ["ε = 3 of 3", "ε = 3 of 3"], "both tabs say the same at once"


def test_an_explored_column_goes_when_the_declaration_is_taken_back() -> None:
    visit = set_bounds(bring(open_tab(size="50"), csv_of(AGES), public=True), "0", "120", "1")
    press(visit, "run_column")
    assert EXPLORED in visit.session_state
    run(visit.checkbox[0].uncheck())
    assert EXPLORED not in visit.session_state


@pytest.mark.parametrize("public", kept([True, False], False))
def test_dates_are_shown_as_dates(public: bool) -> None:
    content = b"day\n" + b"\n".join(b"2024-01-%02d" % (1 + k % 28) for k in range(300))
    visit = set_bounds(bring(open_tab(size="30"), content, public=public), "2020-01-01", "2030-12-31", "1")
    press(visit, "run_column")
    assert preview(visit)[5].startswith("20")
    assert len(preview(visit)[5].split("-")) == 3
    assert all(isinstance(x, str) for x in json.loads(json.dumps(figures(visit)[-1]["data"][0]["x"])))
