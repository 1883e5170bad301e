"""What is read again or chosen anew: who is protected and what was said stays with its data, and holds for no other."""

import io
import re
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import openpyxl
import pytest
from streamlit.testing.v1 import AppTest

from pages.compare import leaderboard as compare
from pages.files import key_columns
from pages.form.table import key
from pages.keys import PREFIX
from pages.tradeoff import sweeps as tradeoff
from tests.jobs.test_queue import wait
from tests.pages import driving
from tests.pages.driving import bring, column_key, keys, named, open_page, read, run, said, set_bounds, turn_to, upload

REGIONS, SEXES = ("north", "south"), ("f", "m")
ROWS = [(at % 60, REGIONS[at % 2], SEXES[at % 3 % 2], 1000 + at % 97, 20 + at % 50) for at in range(240)]
HEAD = ("hhid", "region", "sex", "income", "age")
FILE = "\n".join([",".join(HEAD), *(",".join(map(str, row)) for row in ROWS), "7,north,f,-99,-99"]).encode()
BARE = FILE.partition(b"\n")[2]
OF_UPLOAD = {
    "per_person": "rows", "max_rows_per_person": "3", "group_names": "north\nsouth", "group_other": "others",
    "groups_each": "2", "rows_in": "each", "adjacency": "replace_one", "one": "household",
}  # fmt: skip
"""What holds for every column of an upload."""
VALUES = {"lower": "0", "upper": "9000", "step": "10", "column_unit": "€", "missing": "50"}
"""What holds for one column."""


def book(*sheets: tuple[str, tuple[str, ...]]) -> bytes:
    """A workbook with these columns on its sheets."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, columns in sheets:
        sheet = made.create_sheet(name)
        sheet.append(columns)
        for row in ROWS:
            sheet.append([row[HEAD.index(column)] for column in columns])
    held = io.BytesIO()
    made.save(held)
    return held.getvalue()


BOOK = book(("first", ("age", "sex")), ("second", HEAD))


def answer(visit: AppTest, column: str = "income", *more: str, person: str = "hhid", by: str = "region") -> AppTest:
    """Choose the columns, whose rows_of they are, and the groups."""
    run(visit.selectbox(key=column_key(visit)).set_value(column))
    if more:
        run(visit.multiselect(key=driving.more_key(visit)).set_value(list(more)))
    run(named(visit.selectbox, "person_column").set_value(person))
    run(named(visit.multiselect, "group_columns").set_value([by]))
    return read(visit)


def say_of(visit: AppTest, values: dict[str, str]) -> AppTest:
    """Set fields in the order in which the page shows them."""
    for name, value in values.items():
        kinds = ("selectbox", "button_group", "text_input", "text_area")
        found = [each for kind in kinds for each in visit.get(kind) if each.key == key(name)]
        assert found, name
        run(cast(Any, found[0]).set_value(value))
    return visit


def one_column() -> AppTest:
    visit = upload(open_page(data="file", quantiles="median"), "homes.csv", FILE)
    return say_of(say_of(answer(visit), OF_UPLOAD), VALUES)


def held(visit: AppTest) -> dict[str, Any]:
    """What protects now: of the reading, and in the fields."""
    own = visit.session_state[f"{PREFIX}:upload:brought:sealed"]
    by = tuple(name for name, _ in own.by)
    return {"person": own.person, "by": by, "each": visit.session_state[key("each")]} | {
        name: visit.session_state[key(name)] for name in (*OF_UPLOAD, *VALUES)
    }


HELD = {"person": "hhid", "by": ("region",), "each": "group"} | OF_UPLOAD | VALUES


def codes(visit: AppTest) -> AppTest:
    return driving.until(driving.read_so(visit, missing_codes="-99"), lambda: f"{PREFIX}_change" in keys(visit))


def change_column(visit: AppTest) -> AppTest:
    return run(visit.button(key=f"{PREFIX}_another_column").click())


def same_column(visit: AppTest) -> AppTest:
    return read(change_column(visit))


def codes_and_the_same_column(visit: AppTest) -> AppTest:
    return same_column(codes(visit))


def another_column_and_back(visit: AppTest) -> AppTest:
    run(change_column(visit).selectbox(key=column_key(visit)).set_value("age"))
    visit = change_column(read(visit))
    run(visit.selectbox(key=column_key(visit)).set_value("income"))
    return read(visit)


def two_columns_and_back(visit: AppTest) -> AppTest:
    run(change_column(visit).multiselect(key=driving.more_key(visit)).set_value(["age"]))
    visit = change_column(read(visit))
    run(visit.multiselect(key=driving.more_key(visit)).set_value([]))
    return read(visit)


def an_example_and_back(visit: AppTest) -> AppTest:
    other = turn_to(visit, "explore")
    return turn_to(run(other.selectbox(key=key("data")).set_value("adult-hours")), "release")


WAYS = [
    codes, same_column, codes_and_the_same_column, another_column_and_back, two_columns_and_back, an_example_and_back,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_one_column_that_is_read_again_keeps_all_that_protects(way: Callable[[AppTest], AppTest]) -> None:
    visit = one_column()
    for read_again in (lambda same: same, way):
        visit = read_again(visit)
        assert held(visit) == HELD
        assert not driving.is_disabled(visit)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["region", "sex"])
def test_another_column_keeps_what_is_of_the_upload_and_says_which_bounds_do_not_hold(by: str) -> None:
    visit = change_column(one_column())
    run(visit.selectbox(key=column_key(visit)).set_value("age"))
    run(named(visit.multiselect, "group_columns").set_value([by]))
    visit = read(visit)
    if by == "sex":
        assert visit.session_state[key("group_names")] == "", "groups by another column have no list of those before"
        return
    of_upload = {name: value for name, value in HELD.items() if name not in VALUES}
    assert {name: value for name, value in held(visit).items() if name in of_upload} == of_upload
    assert [visit.text_input(key=key(name)).value for name in ("lower", "upper", "step", "column_unit")] == [""] * 4
    assert "Bounds, step and unit of income do not hold for this column." in said(visit)
    assert driving.is_disabled(visit)


def one_and_back(visit: AppTest) -> AppTest:
    run(change_column(visit).multiselect(key=driving.more_key(visit)).set_value([]))
    run(change_column(read(visit)).multiselect(key=driving.more_key(visit)).set_value(["age"]))
    return read(visit)


def another_page(visit: AppTest) -> AppTest:
    return turn_to(turn_to(visit, "releases"), "release")


@pytest.mark.slow
@pytest.mark.parametrize(
    "way", [codes, same_column, one_and_back, an_example_and_back, another_page], ids=lambda way: way.__name__
)
def test_several_columns_that_are_read_again_keep_all_that_protects(way: Callable[[AppTest], AppTest]) -> None:
    run(change_column(visit := one_column()).multiselect(key=driving.more_key(visit)).set_value(["age"]))
    visit = read(visit)
    of_upload = {name: value for name, value in HELD.items() if name not in VALUES}
    for read_again in (lambda same: same, way):
        visit = read_again(visit)
        assert {name: value for name, value in held(visit).items() if name in of_upload} == of_upload
        assert [driving.bounds_of(visit, at) for at in (1, 0)] == [["", "", ""], ["0", "9000", "10"]]


@pytest.mark.slow
def test_another_sheet_says_who_was_one_person_and_asks_again() -> None:
    """The fault that was there: "Every row is a different person" without a word, and the groups were gone."""
    visit = upload(open_page(data="file"), "homes.xlsx", BOOK)
    run(named(visit.selectbox, "sheet").set_value("second"))
    visit = change_column(answer(visit))
    assert named(visit.selectbox, "sheet").value == "second", "and the sheet stays"
    for sheet, person in (("first", None), ("second", "hhid"), ("first", None)):
        run(named(visit.selectbox, "sheet").set_value(sheet))
        assert named(visit.selectbox, "person_column").value == person
    assert "hhid is not among the other columns here" in said(visit)
    assert "region is not among the other columns here" in said(visit)
    assert READ not in keys(visit), "nothing is read before the answer"
    run(named(visit.selectbox, "person_column").set_value(""))
    assert READ not in keys(visit)
    run(visit.button(key=f"{PREFIX}_without_groups").click())
    assert READ in keys(visit)


@pytest.mark.slow
def test_several_columns_of_another_sheet_go_on_without_groups_only_after_a_press() -> None:
    visit = upload(open_page(data="file"), "homes.xlsx", BOOK)
    run(named(visit.selectbox, "sheet").set_value("second"))
    visit = change_column(answer(visit, "income", "age"))
    run(named(visit.selectbox, "sheet").set_value("first"))
    run(visit.multiselect(key=driving.more_key(visit)).set_value(["sex"]))
    run(named(visit.selectbox, "person_column").set_value(""))
    assert READ not in keys(visit)
    run(visit.button(key=f"{PREFIX}_without_groups").click())
    assert READ in keys(visit)


@pytest.mark.slow
def test_a_changed_header_asks_again_and_so_does_the_column_of_ids() -> None:
    visit = upload(open_page(data="file"), "homes.csv", BARE.replace(b"0,north", b"q,north", 1))
    run(visit.radio[0].set_value("No, it is the first record"))
    visit = change_column(answer(visit, "column 4", person="column 1", by="column 2"))
    assert visit.radio[0].value == "No, it is the first record", "whether its first row is a header is asked once"
    run(visit.selectbox(key=column_key(visit)).set_value("column 1"))
    assert READ not in keys(visit), "the ids themselves are to be answered"
    run(visit.radio[0].set_value("Yes, it holds the names of the columns"))
    assert named(visit.selectbox, "person_column").value is None
    assert READ not in keys(visit)


@pytest.mark.slow
def test_another_encoding_keeps_who_is_protected_and_asks_for_groups_of_another_name_again() -> None:
    content = FILE.decode().replace("region", "région").encode("cp1252")
    visit = change_column(answer(upload(open_page(data="file"), "homes.csv", content), by="région"))
    run(named(visit.selectbox, "encoding").set_value("Windows-1251, Cyrillic"))
    assert named(visit.selectbox, "person_column").value == "hhid"
    assert "région is not among the other columns here" in said(visit)
    assert READ not in keys(visit)
    run(named(visit.multiselect, "group_columns").set_value(["rйgion"]))
    run(visit.selectbox(key=column_key(visit)).set_value("income"))
    visit = change_column(read(visit))
    assert named(visit.selectbox, "encoding").value == "Windows-1251, Cyrillic", "and the encoding stays"
    assert held(read(visit)).items() >= {"person": "hhid", "by": ("rйgion",)}.items()


@pytest.mark.slow
@pytest.mark.parametrize("kept", [True, False])
def test_another_upload_takes_rows_of_a_person_together_or_asks(kept: bool) -> None:
    """Nothing else of the upload before holds."""
    visit = one_column()
    visit = upload(change_column(visit), "later.csv", FILE if kept else FILE.replace(b"hhid", b"home", 1))
    run(visit.selectbox(key=column_key(visit)).set_value("income"))
    asked = named(visit.selectbox, "person_column")
    assert asked.value == ("hhid" if kept else None)
    assert (key_columns.CHOOSE_AGAIN in said(visit)) is not kept
    visit = read(run(asked.set_value("")))
    assert [visit.text_input(key=key(name)).value for name in ("lower", "upper", "one")] == ["", "", "person"]
    assert visit.session_state[key("group_names")] == ""


@pytest.mark.slow
def test_pasted_values_keep_their_bounds_when_they_are_read_again() -> None:
    visit = open_page(data="paste", quantiles="median")
    visit = read(run(visit.text_area[0].set_value("17\n-99\n23")))
    visit = codes(say_of(visit, {"lower": "0", "upper": "40", "column_unit": "€"}))
    assert [visit.text_input(key=key(name)).value for name in ("lower", "upper", "column_unit")] == ["0", "40", "€"]


@pytest.mark.slow
def test_what_was_said_goes_with_the_data() -> None:
    visit = driving.forget(one_column())
    kept = visit.session_state._state.filtered_state
    assert not [name for name, value in kept.items() if "9000" in str(value) or "north" in str(value)]
    visit = upload(visit, "homes.csv", FILE.replace(b"hhid", b"home", 1))
    run(visit.selectbox(key=column_key(visit)).set_value("income"))
    assert named(visit.selectbox, "person_column").value is None, "asked again, and nothing is read before the answer"
    assert READ not in keys(visit)
    visit = read(run(named(visit.selectbox, "person_column").set_value("home")))
    assert visit.session_state[key("lower")] == ""
    assert driving.field(visit, "account").value == "homes"


def two_columns_of_groups() -> AppTest:
    """One public column with groups by two."""
    visit = upload(driving.declare(open_page("explore", data="file", quantiles="median")), "homes.csv", FILE)
    run(visit.selectbox(key=column_key(visit)).set_value("income"))
    run(named(visit.selectbox, "person_column").set_value("hhid"))
    run(named(visit.multiselect, "group_columns").set_value(["region", "age"]))
    return read(visit)


LEFT_OUT = "You asked for groups by region and age, and they are not part of what was read."
READ = f"{PREFIX}_read"
HERE = "Groups by region and age are left out here"


@pytest.mark.slow
def test_groups_that_another_page_could_not_read_are_never_left_out_without_a_word() -> None:
    visit = change_column(turn_to(two_columns_of_groups(), "compare"))
    run(visit.selectbox(key=column_key(visit)).set_value("age"))  # one of the columns of groups itself
    visit = read(visit)
    assert HERE in said(visit)
    visit = say_of(turn_to(visit, "explore"), {"lower": "0", "upper": "9000", "step": "10"})
    assert LEFT_OUT in said(visit)
    assert not driving.is_disabled(visit)
    run(change_column(visit).selectbox(key=column_key(visit)).set_value("income"))
    assert LEFT_OUT not in said(read(visit)), "they come back"


@pytest.mark.slow
@pytest.mark.parametrize("page", ["compare", "stream", "inside", "tradeoff"])
def test_pages_that_cannot_answer_these_groups_say_so(page: str) -> None:
    visit = two_columns_of_groups()
    visit.session_state[key("stream")] = "data"
    assert HERE in said(turn_to(visit, page))
    if page == "compare":
        example = open_page(data="visits", each="group")
        assert "left out here" not in said(example)
        assert "Groups by site are left out here" in said(turn_to(example, page))


SAID = {
    "lower": "20011", "upper": "200033", "step": "1", "column_unit": "quatloos", "one": "zebra", "missing": "30077",
    "shape_size": "4099",
}  # fmt: skip
"""What is said of the first column; each is found wherever it stays."""
EMPTY = dict.fromkeys(SAID, "") | {"one": "person", "shape_size": "1000"}
TRACES = re.compile("|".join(value for value in SAID.values() if value != "1"))
KEPT = f"{PREFIX}:upload:file:sealed"
SALARIES = np.random.default_rng(3).integers(20_500, 90_000, size=60)
EXPENSES = np.random.default_rng(4).integers(3, 900, size=60)
A = b"salary,expenses\n" + b"\n".join(b"%d,%d" % pair for pair in zip(SALARIES, EXPENSES, strict=True)) + b"\n"
B = b"cost\n" + b"\n".join(b"%d" % value for value in EXPENSES) + b"\n"
FORMS: dict[str, dict[str, str]] = {
    "release": {"adjacency": "replace_one", "quantiles": "median"},
    "inside": {"adjacency": "replace_one", "quantiles": "median"}, "compare": {"quantiles": "median", "trials": "100"},
    "tradeoff": {"quantiles": "median", "marked": "aq"}, "stream": {"stream": "data"},
}  # fmt: skip
"""Every page with the form, and a link to it."""
BUTTONS = {"release": "run", "stream": "run_stream", "inside": "run_inside"} | {
    name: f"run_{name}" for name in ("compare", "tradeoff")
}


def other_file(visit: AppTest) -> AppTest:
    return bring(driving.forget(visit), B, "other.csv")


def other_column(visit: AppTest) -> AppTest:
    return bring(driving.forget(visit), A, "salaries.csv", column="expenses")


def pasted_after_forgetting(visit: AppTest) -> AppTest:
    return driving.paste(driving.forget(visit), EXPENSES)


def pasted_without_forgetting(visit: AppTest) -> AppTest:
    return driving.paste(visit, EXPENSES)


def back_from_an_example(visit: AppTest) -> AppTest:
    if visit.session_state[f"{PREFIX}:page"] == "release":
        return an_example_and_back(visit)
    run(visit.selectbox(key=f"{PREFIX}_data").set_value("adult-hours"))
    return run(visit.selectbox(key=f"{PREFIX}_data").set_value("file"))


REMEDY = re.compile('label: "Call it .*?zebra.*?"')
"""The button that takes the word from the budget of the same file, where the server keeps it."""
CHANGES = [other_file, other_column, pasted_after_forgetting, pasted_without_forgetting]
OF_THE_SAME_FILE = [other_column]
"""There the budget of the file still protects what was said first."""


def fields(visit: AppTest) -> dict[str, Any]:
    """Of the things that are said of a column, those that the form shows now."""
    shown = {str(field.key).removeprefix(f"{PREFIX}_"): field for field in visit.text_input}
    return {name: shown[name] for name in SAID if name in shown}


def say(visit: AppTest) -> AppTest:
    for _ in range(2):  # what a missing value counts as is asked once there are bounds
        for name, typed in fields(visit).items():
            typed.set_value(SAID[name])
        run(visit)
    return visit


def use(visit: AppTest, page: str) -> AppTest:
    """Release or simulate from the first column, or study a shape of its bounds."""
    if page in {"compare", "tradeoff"}:  # of an example until the column has bounds
        return driving.study(visit, page, {"compare": compare.NAME, "tradeoff": tradeoff.NAME}[page])
    driving.press(visit, BUTTONS[page])
    if page == "stream":
        wait(lambda: visit.session_state["dpq:job:stream"].finished)
    return run(visit)


def first_column(page: str) -> AppTest:
    return use(say(bring(open_page(page, data="file", **FORMS[page]), A, "salaries.csv")), page)


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("page", FORMS)
def test_another_column_starts_empty_and_sleeps_without_bounds(page: str, change: Callable[[AppTest], AppTest]) -> None:
    visit = first_column(page)
    assert TRACES.search(driving.words(visit))
    shown = fields(visit)
    assert len(shown) >= 5
    assert {name: field.value for name, field in shown.items()} == {name: SAID[name] for name in shown}
    change(visit)
    again = fields(visit)
    assert set(again) >= {"lower", "upper", "step", "column_unit", "one"}
    assert {name: field.value for name, field in again.items()} == {name: EMPTY[name] for name in again}
    assert visit.button(key=f"{PREFIX}_{BUTTONS[page]}").disabled
    assert not TRACES.search(REMEDY.sub("", driving.words(visit))), (
        "nothing on the screen speaks of the first column any more"
    )
    left = [*(field.proto for field in visit.text_input), visit.query_params, visit.code]
    assert not TRACES.search(driving.RANDOM.sub("", " ".join(map(str, left)))), page
    set_bounds(visit, "0", "1000", "1")
    if page == "release" and change not in OF_THE_SAME_FILE:
        driving.new_people(visit)
    other_unit = page == "release" and change in OF_THE_SAME_FILE
    assert visit.button(key=f"{PREFIX}_{BUTTONS[page]}").disabled == other_unit
    if other_unit:
        assert "protects one zebra" in driving.words(visit)
        assert not run(visit.text_input(key=f"{PREFIX}_one").set_value("zebra")).button(key=f"{PREFIX}_run").disabled


@pytest.mark.slow
@pytest.mark.parametrize("page", FORMS)
def test_what_was_said_of_a_column_stays_on_the_way_back_from_an_example(page: str) -> None:
    visit = first_column(page)
    shown = {name: field.value for name, field in fields(visit).items()}
    visit = back_from_an_example(visit)
    assert {name: field.value for name, field in fields(visit).items()} == shown


@pytest.mark.slow
def test_pasted_values_are_another_column_than_the_file_before_them() -> None:
    """With the same bounds: the answer is that of what was pasted."""
    visit = bring(open_page(quantiles="median", mechanism="aq"), b"low\n" + b"10\n" * 400, public=True)
    driving.press(set_bounds(visit, "0", "100", "1"))
    assert float(driving.private_values(visit)[0]) < 30
    run(visit.selectbox(key=key("data")).set_value("paste"))
    assert not named(visit.checkbox, "public").value, "nothing is declared about it"
    set_bounds(driving.paste(visit, np.full(400, 90), public=True), "0", "100", "1")
    assert not visit.metric
    driving.press(visit)
    assert float(driving.private_values(visit)[0]) > 70


@pytest.mark.slow(keep="compare")
@pytest.mark.parametrize("page", ["compare", "tradeoff"])
def test_a_shape_that_was_planned_with_leaves_no_bounds_for_the_column(page: str) -> None:
    visit = open_page(page, data="file", lower="20011", upper="200033", step="1", shape_size="4099", quantiles="median")
    assert not driving.is_disabled(visit, f"run_{page}")
    bring(visit, B)
    assert {name: field.value for name, field in fields(visit).items()} == {name: EMPTY[name] for name in fields(visit)}
    assert driving.is_disabled(visit, f"run_{page}")
    assert not fields(open_page("release", data="file")), "elsewhere it is asked about once it is there"


@pytest.mark.slow
def test_a_link_carries_bounds_of_an_example_but_none_of_an_own_column() -> None:
    assert open_page(lower="5", upper="95").text_input(key=f"{PREFIX}_upper").value == "95"
    visit = open_page(data="file", lower="20011", upper="200033", **{"normal.sigma": "8071"})
    assert "“Highest” in the link is of another column; say it of your own" in visit.info[0].value
    bring(visit, B)
    assert not fields(visit)["lower"].value
    assert visit.button(key=f"{PREFIX}_run").disabled
    say(visit)
    assert not TRACES.search(str(visit.query_params))
    assert "8071" not in driving.words(visit)


@pytest.mark.slow
def test_back_to_an_address_brings_nothing_of_the_first_column_and_keeps_the_second() -> None:
    visit = first_column("compare")
    before = driving.link_of(visit)
    assert "200033" in str(before), "a shape can be studied again by anybody"
    set_bounds(other_file(visit), "0", "1000", "1")
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("0.5"))
    for name, value in before.items():
        visit.query_params[name] = value
    del visit.query_params["epsilon"]
    run(visit)
    assert visit.text_input(key=f"{PREFIX}_epsilon").value == "1"
    assert visit.text_input(key=f"{PREFIX}_upper").value == "1000", "what was said of the second column stays"
    assert not driving.is_disabled(visit, "run_compare")


@pytest.mark.slow
def test_what_a_mechanism_was_told_of_the_column_is_forgotten_too() -> None:
    visit = bring(open_page("release", mechanism="normal"), B)
    told = [f"{PREFIX}_option_normal.{name}" for name in ("sigma", "mean_bound")]
    for name in told:
        visit.text_input(key=name).set_value("8071")
    visit.text_input(key=f"{PREFIX}_option_normal.beta").set_value("0.1")
    run(visit)
    other_column(visit)
    assert [visit.text_input(key=name).value for name in told] == ["", ""]
    assert visit.text_input(key=f"{PREFIX}_option_normal.beta").value == "0.1", "a choice of the method stays"


@pytest.mark.slow
def test_what_is_typed_of_a_column_before_it_is_read_stays_and_is_of_no_other() -> None:
    visit = upload(driving.declare(open_page("tradeoff", data="file")), "staff.csv", A)
    run(visit.selectbox(key=column_key(visit)).set_value("salary"))
    set_bounds(visit, "20011", "200033", "1")
    driving.read_kept(visit, "expenses")
    typed = ("lower", "upper")
    assert [driving.field(visit, name).value for name in typed] == ["", ""], "those were the bounds of a salary"
    run(visit.button(key=f"{PREFIX}_another_column").click())
    run(visit.selectbox(key=column_key(visit)).set_value("salary"))
    visit = read(visit)
    assert [driving.field(visit, name).value for name in typed] == ["20011", "200033"]


@pytest.mark.slow
def test_a_unit_is_of_its_preset_or_ones_own_and_never_beside_dates() -> None:
    visit, unit = bring(open_page(data="file", quantiles="median", mechanism="aq"), B), f"{PREFIX}_column_unit"
    for preset, typed, then in (("Age", None, "years"), ("Money", None, ""), ("Money", "€", "€")):
        run(driving.widget(visit, f"{PREFIX}_preset_number").set_value(preset))
        if typed:
            run(visit.text_input(key=unit).set_value(typed))
        assert visit.text_input(key=unit).value == then
        assert driving.widget(visit, f"{PREFIX}_preset_number").value == preset, "lit while the bounds are its own"
    dates = b"born\n" + b"\n".join(b"1980-01-%02d" % (1 + day % 28) for day in range(300))
    bring(driving.forget(visit), dates, "people.csv")
    assert "column_unit" not in fields(visit)
    driving.press(set_bounds(visit, "1900-01-01", "2030-12-31", "1"))
    assert driving.private_values(visit)[0].startswith("19")
    assert "€" not in said(visit).replace('options: "€"', "")


@pytest.mark.slow
def test_a_pending_release_changes_on_its_own_page_alone() -> None:
    visit = set_bounds(
        bring(open_page(data="file", quantiles="quartiles"), driving.csv_of(range(20, 90))), "0", "120", "1"
    )
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("0.5"))
    other = turn_to(visit, "tradeoff")
    run(other.button_group(key=f"{PREFIX}_quantiles").set_value("percentiles"))
    run(other.text_input(key=f"{PREFIX}_epsilon").set_value("8"))
    other = turn_to(other, "compare")
    run(other.selectbox(key=f"{PREFIX}_data").set_value("income"))
    back = turn_to(other, "release")
    assert [back.session_state[f"{PREFIX}_{name}"] for name in ("data", "quantiles", "epsilon", "upper", "step")] == [
        "file", "quartiles", "0.5", "120", "1",
    ]  # fmt: skip
    run(back.button(key=f"{PREFIX}_change").click())
    other = turn_to(back, "compare")
    run(other.button_group(key=f"{PREFIX}_quantiles").set_value("median"))
    assert turn_to(other, "release").session_state[f"{PREFIX}_quantiles"] == "median", "nothing is pending any more"


@pytest.mark.slow
def test_another_column_of_the_same_file_keeps_what_was_said_of_its_people_and_of_the_budget() -> None:
    """Its bounds have to be given again, and another file starts empty."""
    visit = bring(open_page(data="file", quantiles="median"), A, "staff.csv", column="salary")
    set_bounds(visit, "20011", "200033", "1")
    for name in ("one", "shape_size"):
        visit.text_input(key=f"{PREFIX}_{name}").set_value(SAID[name])
    run(driving.field(visit, "account").set_value("all staff"))
    run(visit.button(key=f"{PREFIX}_another_column").click())
    assert not visit.file_uploader, "the file is kept"
    assert "staff.csv" in driving.words(visit).replace("\\", "")
    driving.read_kept(visit, column="expenses")
    kept = {name: visit.text_input(key=f"{PREFIX}_{name}").value for name in ("one", "shape_size", "lower", "upper")}
    assert kept == {"one": "zebra", "shape_size": "4099", "lower": "", "upper": ""}
    assert driving.field(visit, "account").value == "all staff"
    assert visit.button(key=f"{PREFIX}_run").disabled
    driving.press(set_bounds(visit, "0", "1000", "1"))
    assert len(driving.private_values(visit)) == 1
    assert KEPT in visit.session_state
    run(visit.button(key=f"{PREFIX}_another_column").click())
    bring(visit, B, "costs.csv")
    kept = {name: visit.text_input(key=f"{PREFIX}_{name}").value for name in ("one", "shape_size", "lower", "upper")}
    assert kept == {"one": "person", "shape_size": "1000", "lower": "", "upper": ""}
    driving.forget(visit)
    assert KEPT not in visit.session_state
    assert visit.file_uploader, "the file is forgotten with the data"


@pytest.mark.parametrize("page", ["explore", "inside"])
def test_after_release_the_bounds_of_the_example_are_named_again(page: str) -> None:
    visit = turn_to(turn_to(open_page("explore"), "release"), page)
    assert "Possible values: 0 to 120 years" in [fold.label for fold in visit.expander]
