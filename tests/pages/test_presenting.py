"""Quantiles on a projector: one figure at a time, with large texts and without a form; the keys turn and leave."""

from __future__ import annotations

import json
from typing import Any

from streamlit.testing.v1 import AppTest

from pages.keys import PREFIX
from pages.quantiles.presenting import MOST_ROWS, OF_SIMULATION
from tests.pages.driving import open_page, run


def presented(**link: str) -> AppTest:
    return run(open_page(**link).button(key=f"{PREFIX}_present").click())


def layouts(visit: AppTest) -> list[dict[str, Any]]:
    return [json.loads(chart.proto.spec)["layout"] for chart in visit.get("plotly_chart")]


def pressed(visit: AppTest, name: str) -> AppTest:
    return run(visit.button(key=f"{PREFIX}_{name}").click())


def test_one_figure_at_a_time_with_large_texts_and_its_finding() -> None:
    usual = layouts(open_page(mechanism="aq"))
    visit = presented(mechanism="aq")
    names = ("presented_previous", "presented_next", "present_off")
    shortcuts = {name: visit.button(key=f"{PREFIX}_{name}").proto.shortcut for name in names}
    assert shortcuts == {"presented_previous": "left", "presented_next": "right", "present_off": "escape"}
    assert "the private deciles are off by" in visit.header[0].value
    axes = []
    for at in range(3):
        (figure,) = layouts(visit)
        axes.append(figure["xaxis"]["title"]["text"])
        assert visit.button(key=f"{PREFIX}_presented_previous").disabled is (at == 0)
        visit = pressed(visit, "presented_next")
    assert axes[0] == axes[2] != axes[1]
    assert "rank error" in axes[1]
    (first,) = layouts(
        pressed(pressed(pressed(visit, "presented_previous"), "presented_previous"), "presented_previous")
    )
    assert first["xaxis"]["title"]["font"]["size"] > 1.4 * usual[0]["xaxis"]["title"]["font"]["size"]
    assert first["xaxis"]["range"] == usual[0]["xaxis"]["range"]


def test_the_last_are_the_numbers_of_each_quantile() -> None:
    visit = presented(quantiles="quartiles", mechanism="aq")
    for _ in range(len(OF_SIMULATION) - 1):
        visit = pressed(visit, "presented_next")
    assert visit.button(key=f"{PREFIX}_presented_next").disabled
    assert not visit.get("plotly_chart")
    (table,) = [each.value for each in visit.markdown if each.value.startswith("| quantile")]
    outcome = visit.session_state["dpq:outcome:explore"]
    assert len(table.splitlines()) == 2 + 3
    assert f"{outcome.true_values[1]:g} years" in table.splitlines()[3]
    assert f"{outcome.values[1]:g} years" in table.splitlines()[3]


def test_more_numbers_than_a_room_can_read_are_not_shown() -> None:
    visit = presented(quantiles="even", even=str(MOST_ROWS + 1), mechanism="aq")
    for _ in range(2):
        visit = pressed(visit, "presented_next")
    assert visit.button(key=f"{PREFIX}_presented_next").disabled


def test_leaving_shows_the_page_as_it_was_and_the_link_says_nothing_of_it() -> None:
    visit = presented(mechanism="aq")
    assert visit.query_params == {"mechanism": "aq"}
    visit = pressed(visit, "present_off")
    assert len(layouts(visit)) > 1
    assert "present_off" not in {str(each.key) for each in visit.button}
