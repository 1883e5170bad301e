"""Sentences, labels and tables on the page: in its own words, and never rounded to the wrong side."""

import re
from math import inf, nan

import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import Adjacency, Domain, ParameterError, Plan, PureDP
from dpq_core.calibrations import calibrate
from dpq_core.privacy.budgets import ZCDP
from dpq_core.results.wording import DisplayText, at_most_in_table, error_in_table, errors_in_table
from dpq_core.texts import plain_text
from pages.form.table import key
from pages.shell import pieces
from pages.shell.header import escape, in_label, sentence_of
from tests.pages.driving import drawn_by

NORMAL = {"sigma": 1.0, "mean_bound": 10.0}


@pytest.mark.parametrize(("refused", "said"), [
    (lambda: Domain(5, 1), "“Highest” must be > “Lowest”, got 5 and 1."),
    (lambda: Domain(0, 1, 2), "“Step” must be > 0 and <= “Highest” - “Lowest”, got 2."),
    (lambda: calibrate(Plan(["1/2"], "slice", ZCDP(1.0))), "“Budget” must be “ε” or “ε, δ” for slices"),
    (
        lambda: calibrate(Plan(["1/2"], "normal", PureDP(1.0), options=NORMAL)),
        "“Protects” must be “one person is replaced by another”",
    ),
    (
        lambda: calibrate(Plan(["1/2"], "normal", PureDP(1.0), Adjacency.REPLACE_ONE)),
        "“Sigma” must be given for a normal sample: a number > 0",
    ),
])  # fmt: skip
def test_settings_are_called_as_on_the_page(refused, said):
    with pytest.raises(ParameterError) as caught:
        refused()
    assert sentence_of(caught.value).startswith(said)


@pytest.mark.parametrize(
    "name", ["body_height", "own.file-2 (2026)", "Ärzte, h/week", "“a” is a new data set: release anyway", "50 %"]
)
def test_a_usual_name_has_no_backslash_in_a_label(name: str) -> None:
    assert in_label(name) == name


LATER = re.compile(  # what Streamlit's own script makes emoji, icons, links and signs of, once Markdown is read
    r":\+1:|:-1:|:[\w-]+:|:material[_/]|(?i:https?://|www(?=\.))[-.\w]+|[-.\w+]+@[-\w]+(?:\.[-\w]+)+|"
    r"(?:^|\s)(?:<->|->|<-|--|>=|<=|~=)(?:\s|$)"
)


@pytest.mark.parametrize(
    "name",
    ["_a_", "a *b*", "[a](b)", "<b>", "`a`", "$x$", ":red[x]", "a :smile: b", "# a", "1. a", "&amp;", "www.a.org",
     "a~~b~~", ":+1:", ":material/home:", "HTTPS://a.org", "a@b.org", "a -> b", "a <-> b", "a -- b", ">= 5", "~= 2"],
)  # fmt: skip
def test_a_name_that_a_browser_would_change_is_escaped(name: str) -> None:
    assert in_label(name) == escape(name) != name
    shown = re.sub(r"\\([\W_])", r"\1", escape(name))
    assert not LATER.search(shown)
    assert plain_text(shown) == name


def drawn(column: list[DisplayText]) -> tuple[list[float], list[str]]:
    styled = pieces._with_words({"who": ["x"] * len(column), "number": column, "other": column})
    cells = styled._translate(True, True)["body"]
    shown = [[cell["display_value"] for cell in row if cell["type"] == "td"] for row in cells]
    assert [row[1] for row in shown] == [row[2] for row in shown]
    return list(styled.data["number"]), [row[1] for row in shown]


def test_words_are_drawn_and_numbers_decide_the_order() -> None:
    column = [error_in_table(1026.4), error_in_table(0.3), error_in_table(9.16), error_in_table(nan)]
    numbers, words = drawn(column)
    assert words == ["1,000", "under 1", "9.2", "–"]
    assert sorted(numbers) == [0.3, 9.16, 1026.4, inf], "the browser writes None for a missing number"


def test_equal_numbers_keep_their_own_words() -> None:
    """Two ranges that end at the same number are two cells, not one."""
    _, words = drawn([errors_in_table(1.0, 38.0), errors_in_table(6.0, 38.0), errors_in_table(1.0, 38.0)])
    assert words == ["1 to 38", "6 to 38", "1 to 38"]


@pytest.mark.parametrize(("bound", "said"), [(39.4, "40"), (39.0, "39"), (0.31, "0.31"), (7.01, "7.1"), (nan, "–")])
def test_an_upper_bound_is_never_rounded_down(bound: float, said: str) -> None:
    assert str(at_most_in_table(bound)) == said
    assert not float(str(at_most_in_table(bound)).replace("–", "nan")) < bound


def page() -> None:
    import streamlit as st

    from dpq_core import Adjacency
    from pages.shell import fields

    words = {each.value: each.of(st.session_state.get("one", "record")) for each in Adjacency}
    st.text(fields.selectbox("adjacency", list(words), words.__getitem__))


def told(visit: AppTest) -> tuple[bool, str]:
    """Whether the browser is told to show an option, and its words; without that it keeps those it has shown."""
    assert not visit.exception
    proto = visit.selectbox(key=key("adjacency")).proto
    return proto.set_value, proto.raw_value


def test_an_option_that_is_called_otherwise_now_is_shown_by_its_new_words() -> None:
    visit = drawn_by(page)
    visit.selectbox(key=key("adjacency")).set_value("replace_one").run()
    assert not told(visit.run())[0]
    visit.session_state["one"] = "person"
    assert told(visit.run()) == (True, "one person is replaced by another")
    assert visit.text[0].value == "replace_one"
    assert not told(visit.run())[0], "and once is enough"


def options_page(mechanism: str, sought: str) -> None:
    import streamlit as st

    from pages.form import plan
    from pages.shell import links

    st.session_state[links._PAGE] = "compare"
    if sought:
        plan.open_option(mechanism, sought)
    plan.choose_options(mechanism)


@pytest.mark.parametrize(
    ("mechanism", "sought", "open_at_once"), [("normal", "", True), ("binhist", "", False), ("binhist", "bins", True)]
)
def test_options_are_in_view_where_one_is_needed_or_sought(mechanism: str, sought: str, *, open_at_once: bool) -> None:
    visit = drawn_by(options_page, mechanism, sought)
    assert visit.expander[0].proto.expanded is open_at_once
