"""Whatever is read again: who is protected, and all that was said of the columns, stays, or is asked for again."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, cast

import openpyxl
import pytest
from streamlit.testing.v1 import AppTest

from pages.files import key_columns, reading
from pages.keys import PREFIX
from pages.settings.table import key
from tests.pages.driving import (
    column_key,
    field,
    forget,
    more_key,
    named,
    open_page,
    read,
    run,
    said,
    turn_to,
    upload,
)

REGIONS, SEXES = ("north", "south"), ("f", "m")
ROWS = [(at % 60, REGIONS[at % 2], SEXES[at % 3 % 2], 1000 + at % 97, 20 + at % 50) for at in range(240)]
HEAD = ("hhid", "region", "sex", "income", "age")
FILE = "\n".join([",".join(HEAD), *(",".join(map(str, row)) for row in ROWS), "7,north,f,-99,-99"]).encode()
BARE = FILE.partition(b"\n")[2]
SAID = {
    "take": "rows", "most_rows": "3", "group_names": "north\nsouth", "group_other": "others",
    "groups_each": "2", "rows_in": "each", "adjacency": "substitute", "one": "household",
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
    """Choose the columns, whose rows they are, and the groups."""
    run(visit.selectbox(key=column_key(visit)).set_value(column))
    if more:
        run(visit.multiselect(key=more_key(visit)).set_value(list(more)))
    run(named(visit.selectbox, "person_column").set_value(person))
    if more:
        run(named(visit.multiselect, "group_columns").set_value([by]))
    else:
        run(named(visit.selectbox, "group_column").set_value(by))
    return read(visit)


def say(visit: AppTest, values: dict[str, str]) -> AppTest:
    """Set fields in the order in which the page shows them."""
    for name, value in values.items():
        kinds = ("selectbox", "button_group", "text_input", "text_area")
        found = [each for kind in kinds for each in visit.get(kind) if each.key == key(name)]
        assert found, name
        run(cast(Any, found[0]).set_value(value))
    return visit


def one_column() -> AppTest:
    visit = upload(open_page(data="file", quantiles="median"), "homes.csv", FILE)
    return say(say(answer(visit), SAID), VALUES)


def held(visit: AppTest) -> dict[str, Any]:
    """What protects now: of the reading, and in the fields."""
    own = visit.session_state[reading._BROUGHT]
    by = (own.group,) if isinstance(own, reading.OwnColumn) else tuple(name for name, _ in own.by)
    return {"person": own.person, "by": by, "each": visit.session_state[key("each")]} | {
        name: visit.session_state[key(name)] for name in (*SAID, *VALUES)
    }


HELD = {"person": "hhid", "by": ("region",), "each": "group"} | SAID | VALUES


def codes(visit: AppTest) -> AppTest:
    run(visit.text_input(key=f"{PREFIX}_reading_missing_codes").set_value("-99"))
    return waited(run(visit.button(key=f"{PREFIX}_read_so").click()))


def waited(visit: AppTest) -> AppTest:
    for _ in range(200):
        if f"{PREFIX}_change" in {button.key for button in visit.button}:
            return visit
        run(visit)
    raise AssertionError("it was not read")


def change(visit: AppTest) -> AppTest:
    return run(visit.button(key=f"{PREFIX}_another_column").click())


def same_column(visit: AppTest) -> AppTest:
    return read(change(visit))


def codes_and_the_same_column(visit: AppTest) -> AppTest:
    return same_column(codes(visit))


def another_column_and_back(visit: AppTest) -> AppTest:
    run(change(visit).selectbox(key=column_key(visit)).set_value("age"))
    visit = change(read(visit))
    run(visit.selectbox(key=column_key(visit)).set_value("income"))
    return read(visit)


def two_columns_and_back(visit: AppTest) -> AppTest:
    run(change(visit).multiselect(key=more_key(visit)).set_value(["age"]))
    visit = change(read(visit))
    run(visit.multiselect(key=more_key(visit)).set_value([]))
    return read(visit)


def an_example_and_back(visit: AppTest) -> AppTest:
    run(visit.selectbox(key=key("data")).set_value("adult-hours"))
    return run(visit.selectbox(key=key("data")).set_value("file"))


def another_page_and_back(visit: AppTest) -> AppTest:
    """It reads the column once more, and has no groups itself."""
    other = turn_to(visit, "compare")
    return turn_to(read(change(other)), "quantiles")


WAYS = [
    codes, same_column, codes_and_the_same_column, another_column_and_back, two_columns_and_back, an_example_and_back,
    another_page_and_back,
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_one_column_that_is_read_again_keeps_all_that_protects(
    way: Callable[[AppTest], AppTest], own_ledger: object
) -> None:
    visit = one_column()
    assert held(visit) == HELD
    assert not visit.button(key=f"{PREFIX}_run").disabled
    visit = way(visit)
    assert held(visit) == HELD
    assert not visit.button(key=f"{PREFIX}_run").disabled


def test_another_column_keeps_what_is_of_the_upload_and_says_which_bounds_do_not_hold(own_ledger: object) -> None:
    visit = change(one_column())
    run(visit.selectbox(key=column_key(visit)).set_value("age"))
    visit = read(visit)
    of_upload = {name: value for name, value in HELD.items() if name not in VALUES}
    assert {name: value for name, value in held(visit).items() if name in of_upload} == of_upload
    assert [visit.text_input(key=key(name)).value for name in ("lower", "upper", "step", "column_unit")] == [""] * 4
    assert "Bounds, step and unit of income do not hold for this column." in said(visit)
    assert visit.button(key=f"{PREFIX}_run").disabled


def rows(visit: AppTest) -> list[list[str]]:
    return visit.dataframe[0].value[["column", "lower", "upper", "step"]].to_numpy().tolist()  # type: ignore[no-any-return]


def several_columns() -> AppTest:
    """Read with the bounds that were said of one of them."""
    run(change(visit := one_column()).multiselect(key=more_key(visit)).set_value(["age"]))
    return read(visit)


def codes_of_one(visit: AppTest) -> AppTest:
    fields = [each for each in visit.text_input if "_reading_missing_codes:0" in str(each.key)]
    run(fields[0].set_value("-99"))
    return waited(run(next(each for each in visit.button if f"{PREFIX}_read_so_0" in str(each.key)).click()))


def one_and_back(visit: AppTest) -> AppTest:
    run(change(visit).multiselect(key=more_key(visit)).set_value([]))
    run(change(read(visit)).multiselect(key=more_key(visit)).set_value(["age"]))
    return read(visit)


def another_page(visit: AppTest) -> AppTest:
    return turn_to(turn_to(visit, "budget"), "quantiles")


@pytest.mark.parametrize("way", [codes_of_one, same_column, one_and_back, an_example_and_back, another_page])
def test_several_columns_that_are_read_again_keep_all_that_protects(
    way: Callable[[AppTest], AppTest], own_ledger: object
) -> None:
    visit = several_columns()
    of_upload = {name: value for name, value in HELD.items() if name not in VALUES}
    for read_again in (lambda same: same, way):
        visit = read_again(visit)
        assert {name: value for name, value in held(visit).items() if name in of_upload} == of_upload
        assert rows(visit) == [["income", "0", "9000", "10"], ["age", "", "", ""]]


def test_another_sheet_says_who_was_one_person_and_asks_again() -> None:
    """The fault that was there: "Every row is a different person" without a word, and the groups were gone."""
    visit = upload(open_page(data="file"), "homes.xlsx", BOOK)
    run(named(visit.selectbox, "sheet").set_value("second"))
    visit = change(answer(visit))
    assert named(visit.selectbox, "sheet").value == "second", "and the sheet stays"
    run(named(visit.selectbox, "sheet").set_value("first"))
    assert "All rows with the same hhid were one person’s, and hhid is not among the other columns here" in said(visit)
    assert "Before, there were groups by region, and region is not among the other columns here" in said(visit)
    assert named(visit.selectbox, "person_column").value is None
    assert f"{PREFIX}_read" not in {button.key for button in visit.button}, "nothing is read before the answer"
    run(named(visit.selectbox, "person_column").set_value(""))
    assert f"{PREFIX}_read" not in {button.key for button in visit.button}
    run(named(visit.selectbox, "group_column").set_value(""))
    assert visit.button(key=f"{PREFIX}_read").label == "Read this column"


def test_the_same_sheet_again_asks_nothing_again() -> None:
    visit = upload(open_page(data="file"), "homes.xlsx", BOOK)
    run(named(visit.selectbox, "sheet").set_value("second"))
    visit = change(answer(visit))
    for sheet in ("first", "second"):
        run(named(visit.selectbox, "sheet").set_value(sheet))
    run(visit.selectbox(key=column_key(visit)).set_value("income"))
    assert held(read(visit)).items() >= {"person": "hhid", "by": ("region",)}.items()


def test_several_columns_of_another_sheet_go_on_without_groups_only_after_a_press() -> None:
    visit = upload(open_page(data="file"), "homes.xlsx", BOOK)
    run(named(visit.selectbox, "sheet").set_value("second"))
    visit = change(answer(visit, "income", "age"))
    run(named(visit.selectbox, "sheet").set_value("first"))
    run(visit.multiselect(key=more_key(visit)).set_value(["sex"]))
    run(named(visit.selectbox, "person_column").set_value(""))
    assert f"{PREFIX}_read" not in {button.key for button in visit.button}
    run(visit.button(key=f"{PREFIX}_without_groups").click())
    assert visit.button(key=f"{PREFIX}_read").label == "Read these columns"


def test_a_changed_header_asks_again() -> None:
    visit = upload(open_page(data="file"), "homes.csv", BARE.replace(b"0,north", b"q,north", 1))
    run(visit.radio[0].set_value("No, it is the first record"))
    visit = change(answer(visit, "column 4", person="column 1", by="column 2"))
    assert visit.radio[0].value == "No, it is the first record"
    run(visit.radio[0].set_value("Yes, it holds the names of the columns"))
    assert "All rows with the same column 1 were one person’s" in said(visit).replace("\\", "")
    assert f"{PREFIX}_read" not in {button.key for button in visit.button}


def test_another_encoding_keeps_who_is_protected_and_asks_for_groups_of_another_name_again() -> None:
    content = FILE.decode().replace("region", "région").encode("cp1252")
    visit = change(answer(upload(open_page(data="file"), "homes.csv", content), by="région"))
    asked = named(visit.selectbox, "encoding")
    run(asked.set_value("Windows-1251, Cyrillic"))
    assert named(visit.selectbox, "person_column").value == "hhid"
    assert "there were groups by région, and région is not among the other columns here" in said(visit)
    assert f"{PREFIX}_read" not in {button.key for button in visit.button}
    run(named(visit.selectbox, "group_column").set_value("rйgion"))
    run(visit.selectbox(key=column_key(visit)).set_value("income"))
    visit = change(read(visit))
    assert named(visit.selectbox, "encoding").value == "Windows-1251, Cyrillic", "and the encoding stays"
    assert held(read(visit)).items() >= {"person": "hhid", "by": ("rйgion",)}.items()


def test_the_column_of_ids_chosen_for_answers_asks_again() -> None:
    visit = change(one_column())
    run(visit.selectbox(key=column_key(visit)).set_value("hhid"))
    assert "hhid is not among the other columns here" in said(visit)
    assert f"{PREFIX}_read" not in {button.key for button in visit.button}


@pytest.mark.parametrize("kept", [True, False])
def test_another_upload_takes_rows_of_a_person_together_or_asks(kept: bool) -> None:
    """Nothing else of the upload before holds."""
    visit = one_column()
    other = FILE if kept else FILE.replace(b"hhid", b"home", 1)
    visit = upload(change(visit), "later.csv", other)
    run(visit.selectbox(key=column_key(visit)).set_value("income"))
    asked = named(visit.selectbox, "person_column")
    assert asked.value == ("hhid" if kept else None)
    assert (key_columns.CHOOSE_AGAIN in said(visit)) is not kept
    visit = read(run(asked.set_value("")))
    assert [visit.text_input(key=key(name)).value for name in ("lower", "upper", "one")] == ["", "", "person"]
    assert visit.session_state[key("group_names")] == ""
    assert "do not hold for this column" not in said(visit)


def test_pasted_values_keep_their_bounds_when_they_are_read_again(own_ledger: object) -> None:
    visit = run(open_page(quantiles="median").selectbox(key=key("data")).set_value("paste"))
    visit = read(run(visit.text_area[0].set_value("17\n-99\n23")))
    visit = codes(say(visit, {"lower": "0", "upper": "40", "column_unit": "€"}))
    assert [visit.text_input(key=key(name)).value for name in ("lower", "upper", "column_unit")] == ["0", "40", "€"]


def test_what_was_said_goes_with_the_data(own_ledger: object) -> None:
    visit = forget(one_column())
    kept = visit.session_state._state.filtered_state
    assert not [name for name, value in kept.items() if "9000" in str(value) or "north" in str(value)]
    run(upload(visit, "homes.csv", FILE).selectbox(key=column_key(visit)).set_value("income"))
    assert named(visit.selectbox, "person_column").value is None, "asked again, and nothing is read before the answer"
    assert f"{PREFIX}_read" not in {button.key for button in visit.button}
    visit = read(run(named(visit.selectbox, "person_column").set_value("hhid")))
    assert visit.session_state[key("lower")] == ""
    assert field(visit, "account").value == "homes"


def two_columns_of_groups() -> AppTest:
    """Several columns with groups by two."""
    visit = upload(open_page(data="file", quantiles="median"), "homes.csv", FILE)
    run(visit.selectbox(key=column_key(visit)).set_value("income"))
    run(visit.multiselect(key=more_key(visit)).set_value(["age"]))
    run(named(visit.selectbox, "person_column").set_value("hhid"))
    run(named(visit.multiselect, "group_columns").set_value(["region", "sex"]))
    return read(visit)


def one_of_them(visit: AppTest) -> AppTest:
    """Compare takes one column of them, which it reads itself."""
    visit = change(turn_to(visit, "compare"))
    run(visit.selectbox(key=column_key(visit)).set_value("income"))
    return read(visit)


LEFT_OUT = "You asked for groups by region and sex, and they are not part of what was read."
OPENS = f"{PREFIX}_leave_out_groups"
HERE = "Groups by region and sex are left out here"


def test_groups_that_another_page_could_not_read_are_never_left_out_without_a_word(own_ledger: object) -> None:
    """The fault that was there: Quantiles then showed one answer for all."""
    visit = one_of_them(two_columns_of_groups())
    assert HERE in said(visit)
    visit = turn_to(visit, "quantiles")
    assert LEFT_OUT in said(visit)
    assert visit.button(key=f"{PREFIX}_run").disabled
    assert key("lower") not in {each.key for each in visit.text_input}, "nothing goes on before the answer"
    visit = say(run(visit.button(key=OPENS).click()), {"lower": "0", "upper": "9000", "step": "10"})
    assert LEFT_OUT not in said(visit)
    assert HERE in said(visit)
    assert not visit.button(key=f"{PREFIX}_run").disabled


def test_groups_that_were_left_out_come_back_with_several_columns(own_ledger: object) -> None:
    visit = change(turn_to(one_of_them(two_columns_of_groups()), "quantiles"))
    run(visit.multiselect(key=more_key(visit)).set_value(["age"]))
    visit = read(visit)
    assert held(visit).items() >= {"person": "hhid", "by": ("region", "sex"), "each": "group"}.items()
    assert LEFT_OUT not in said(visit)
    visit = turn_to(one_of_them(visit), "quantiles")
    assert LEFT_OUT in said(visit), "and where they are left out once more, they are asked for once more"


def test_an_answer_to_leave_groups_out_ends_where_they_are_read_again(own_ledger: object) -> None:
    visit = run(turn_to(one_of_them(two_columns_of_groups()), "quantiles").button(key=OPENS).click())
    assert LEFT_OUT not in said(turn_to(turn_to(visit, "report"), "quantiles")), "no other page ends it"
    run(change(visit).multiselect(key=more_key(visit)).set_value(["age"]))
    assert LEFT_OUT in said(turn_to(one_of_them(read(visit)), "quantiles"))


def test_a_column_of_groups_that_is_chosen_for_answers_elsewhere_is_asked_for_again(own_ledger: object) -> None:
    visit = change(turn_to(answer(upload(open_page(data="file"), "homes.csv", FILE), by="age"), "compare"))
    run(visit.selectbox(key=column_key(visit)).set_value("age"))
    visit = turn_to(read(visit), "quantiles")
    assert LEFT_OUT.replace("region and sex", "age") in said(visit)
    assert visit.button(key=f"{PREFIX}_run").disabled


@pytest.mark.parametrize("page", ["compare", "stream", "inside", "tradeoff"])
def test_pages_that_cannot_answer_these_groups_say_so(page: str, own_ledger: object) -> None:
    visit = two_columns_of_groups()
    visit.session_state[key("stream")] = "data"
    assert HERE in said(turn_to(visit, page))


def test_public_data_goes_on_and_says_so(own_ledger: object) -> None:
    visit = turn_to(one_of_them(two_columns_of_groups()), "quantiles")
    visit = say(run(named(visit.checkbox, "public").check()), {"lower": "0", "upper": "9000", "step": "10"})
    assert LEFT_OUT in said(visit)
    assert not visit.button(key=f"{PREFIX}_run").disabled


def test_groups_of_an_example_are_not_left_out_without_a_word() -> None:
    visit = open_page(data="visits", each="group")
    assert "left out here" not in said(visit)
    assert "Groups by site are left out here" in said(turn_to(visit, "compare"))
