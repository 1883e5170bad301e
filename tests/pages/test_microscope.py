"""The microscope without a browser: its number is that of `privacy_loss`, and every broken variant is seen to break."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import MECHANISMS, Adjacency, Domain, Plan, PureDP, privacy_loss
from dpq_core.audit.broken import BROKEN
from dpq_core.audit.variants import Broken
from pages.frame import links
from pages.keys import PREFIX
from pages.settings import table
from tests.pages.driving import figures, link_of, run, said, widget, words


def script() -> None:
    from pages.frame import links
    from pages.microscope import view as microscope

    links.begin("inside")
    microscope.show()
    links.write_link()


def open_microscope(**link: str) -> AppTest:
    visit = AppTest.from_function(script, default_timeout=60)
    for name, value in link.items():
        visit.query_params[name] = value
    return run(visit)


def metric(visit: AppTest, label: str) -> str:
    return next(metric.value for metric in visit.metric if metric.label == label)


def own(name: str, view: str = "sound") -> str:
    return f"{PREFIX}_microscope_{view}:{name}"


def test_the_number_is_that_of_privacy_loss() -> None:
    visit = open_microscope()
    run(visit.text_input(key=own("values")).set_value("2, 2, 9"))
    run(visit.number_input(key=own("joining")).set_value(15))
    run(visit.selectbox(key=own("quantiles")).set_value("1/4, 3/4"))
    for mechanism in ("aq", "indexp", "jointexp"):
        run(visit.selectbox(key=f"{PREFIX}_tiny_mechanism").set_value(mechanism))
        plan = Plan(["1/4", "3/4"], mechanism, PureDP(1.0))
        loss = privacy_loss(plan, [2, 2, 9], [2, 2, 9, 15], Domain(0, 19, 1))
        assert metric(visit, "Exact loss") == f"ε = {loss.epsilon:.3f}"
        assert metric(visit, "Claim") == "ε = 1.000"
        assert "holds" in words(visit)


def test_a_refusal_names_the_control_that_is_here() -> None:
    visit = open_microscope()
    run(visit.selectbox(key=f"{PREFIX}_tiny_mechanism").set_value("normal"))
    assert "“One person” must be “one person is replaced by another”" in words(visit)
    assert "Protects" not in words(visit)


def test_one_count_that_differs_is_one() -> None:
    visit = open_microscope()
    run(visit.selectbox(key=f"{PREFIX}_tiny_mechanism").set_value("binhist"))
    assert "1 count of the bins differs by one, and has noise of its own;" in words(visit)
    run(widget(visit, own("change")).set_value(table.TINY_CHANGES[2]))
    assert "2 counts of the bins differ, each by one, and have independent noise;" in words(visit)


@pytest.mark.parametrize("name", BROKEN)
def test_a_link_opens_each_broken_variant_and_its_fix(name: str) -> None:
    visit = open_microscope(tiny_show=name)
    assert "close: broken" in words(visit)
    assert BROKEN[name].reason[:30] in said(visit)
    assert len(figures(visit)) == (2 if isinstance(BROKEN[name], Broken) else 1)
    if isinstance(BROKEN[name], Broken):
        run(widget(visit, f"{PREFIX}_tiny_state").set_value("fixed"))
        assert "close: broken" not in words(visit)
        assert "check: holds" in words(visit)
        assert visit.query_params["tiny_state"] in ("fixed", ["fixed"])


def test_the_link_holds_every_field_of_the_view_and_opens_them_again() -> None:
    visit = open_microscope(tiny_mechanism="indexp")
    run(visit.text_input(key=own("values")).set_value("1, 2, 9"))
    run(visit.number_input(key=own("highest")).set_value(12))
    run(widget(visit, own("change")).set_value("is replaced"))
    run(visit.number_input(key=own("leaving")).set_value(2))
    run(visit.number_input(key=own("joining")).set_value(11))
    run(visit.selectbox(key=own("quantiles")).set_value("1/4, 3/4"))
    run(visit.select_slider(key=own("epsilon")).set_value("0.5"))
    assert link_of(visit) == {
        "tiny_mechanism": "indexp", "tiny_values": "1, 2, 9", "tiny_highest": "12", "tiny_change": "is replaced",
        "tiny_leaving": "2", "tiny_joining": "11", "tiny_quantiles": "1/4, 3/4", "tiny_epsilon": "0.5",
    }  # fmt: skip
    (copied,) = visit.code
    assert "tiny_values=1%2C+2%2C+9" in copied.value
    assert "same draw" not in words(visit)
    other = open_microscope(**link_of(visit))
    assert metric(other, "Exact loss") == metric(visit, "Exact loss")
    assert [element.value for element in other.text_input] == ["1, 2, 9"]
    assert link_of(other) == link_of(visit)


def test_every_view_keeps_its_own_fields_and_the_link_is_that_of_the_shown_one() -> None:
    visit = open_microscope(tiny_show="half", tiny_values="1, 2, 33", tiny_epsilon="2")
    assert visit.text_input(key=own("values", "half")).value == "1, 2, 33"
    run(visit.selectbox(key=f"{PREFIX}_tiny_show").set_value("sound"))
    assert visit.text_input(key=own("values")).value == "3, 4, 4, 7, 12, 19"
    assert link_of(visit) == {}
    run(visit.selectbox(key=f"{PREFIX}_tiny_show").set_value("half"))
    assert link_of(visit) == {"tiny_show": "half", "tiny_values": "1, 2, 33", "tiny_epsilon": "2"}


def test_a_link_opened_over_another_one_sets_back_what_it_leaves_out() -> None:
    visit = open_microscope(tiny_values="1, 2, 9", tiny_epsilon="5")
    visit.query_params.clear()
    visit.query_params["tiny_epsilon"] = "0.2"
    run(visit)
    assert visit.text_input(key=own("values")).value == "3, 4, 4, 7, 12, 19"
    assert link_of(visit) == {"tiny_epsilon": "0.2"}


@pytest.mark.parametrize(
    ("name", "said", "label"),
    [
        ("tiny_values", "1, x", "People’s values"), ("tiny_values", "3, 400", "People’s values"),
        ("tiny_change", "dies", "One person"), ("tiny_quantiles", "1/7", "Quantiles"),
        ("tiny_epsilon", "-1", "Privacy loss ε"), ("tiny_joining", "1e9", "Joins with"),
    ],
)  # fmt: skip
def test_a_field_in_a_link_that_makes_no_sense_is_named(name: str, said: str, label: str) -> None:
    values, notes = links.read_link({name: said}, "inside")
    assert values[name] == ""
    assert notes == [f"“{label}” in the link was not understood (`{said}`); using the usual one."]


def test_an_amount_between_two_stops_stands_at_the_nearest() -> None:
    assert open_microscope(tiny_epsilon="0.9").select_slider(key=own("epsilon")).value == "1"
    assert open_microscope(tiny_show="total", tiny_epsilon="0.9").select_slider(key=own("epsilon", "total")).value


def test_a_person_can_leave_or_be_replaced() -> None:
    visit = open_microscope()
    run(widget(visit, own("change")).set_value("leaves"))
    run(visit.number_input(key=own("leaving")).set_value(4))
    assert "without 4" in words(visit)
    run(widget(visit, own("change")).set_value("is replaced"))
    assert "with 19 instead" in words(visit)
    plan = Plan(["1/2"], "aq", PureDP(1.0), Adjacency.SUBSTITUTE)
    loss = privacy_loss(plan, [3, 4, 4, 7, 12, 19], [3, 4, 7, 12, 19, 19], Domain(0, 19, 1))
    assert metric(visit, "Exact loss") == f"ε = {loss.epsilon:.3f}"


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ("3, many", "“People’s values” must be whole numbers"),
        ("3, 99", "“People’s values” must lie from 0 to 19, got 99"),
        ("1 " * 13, "at most 12 numbers, got 13"),
    ],
)
def test_a_mistake_is_named_beside_its_field(typed: str, complaint: str) -> None:
    visit = open_microscope()
    run(visit.text_input(key=own("values")).set_value(typed))
    assert complaint in said(visit)
    assert not visit.metric
    run(visit.text_input(key=own("values")).set_value("3"))
    assert visit.metric


def test_nobody_at_all_is_a_data_set_too() -> None:
    visit = open_microscope()
    run(visit.text_input(key=own("values")).set_value(""))
    assert metric(visit, "Exact loss").startswith("ε = 0.")


def test_every_figure_has_a_text_and_a_table_and_few_points() -> None:
    for name in ("jitter", "height", "ranks"):
        visit = open_microscope(tiny_show=name)
        for figure in figures(visit):
            assert all(len(trace["x"]) <= 2000 for trace in figure["data"])
        assert all(element.proto.alt for element in visit.get("plotly_chart"))
        assert visit.dataframe


def test_what_a_mechanism_cannot_serve_is_a_sentence() -> None:
    visit = open_microscope(tiny_show="total")
    run(visit.selectbox(key=own("quantiles", "total")).set_value("1/4, 3/4"))
    assert "“Quantiles” must be one level" in said(visit)


@pytest.mark.parametrize("mechanism", list(MECHANISMS))
def test_every_mechanism_can_be_looked_at_with_half_its_noise_too(mechanism: str) -> None:
    visit = open_microscope(tiny_mechanism=mechanism)
    joins = Adjacency.ADD_REMOVE in MECHANISMS[mechanism].SUPPORTS
    if not joins:
        run(widget(visit, own("change")).set_value("is replaced"))
    assert "check: holds" in words(visit)
    run(visit.selectbox(key=f"{PREFIX}_tiny_show").set_value("half"))
    if not joins:
        run(widget(visit, own("change", "half")).set_value("is replaced"))
    assert "close: broken" in words(visit)


def test_a_broken_variant_within_its_claim_is_not_called_sound() -> None:
    visit = open_microscope(tiny_show="floored")
    assert "proves nothing" not in words(visit)
    run(visit.text_input(key=own("values", "floored")).set_value(""))
    assert "One pair within the claim proves nothing" in words(visit)
    run(widget(visit, f"{PREFIX}_tiny_state").set_value("fixed"))
    assert "proves nothing" not in words(visit)
