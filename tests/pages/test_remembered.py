"""What was said of a column's reading is remembered with the data set that paid, and offered for its next file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import Adjacency, PureDP
from dpq_core.__main__ import main
from dpq_core.ledger import Account, Ledger, remember_readings, remembered_readings
from dpq_core.plan import Plan
from dpq_core.sources.reading import AS_WRITTEN, Reading
from pages.files import reading
from pages.keys import PREFIX
from pages.server import signin
from tests.every_run import kept
from tests.pages import driving
from tests.pages.driving import (
    CONFIRM,
    bring,
    field,
    listing,
    more_key,
    open_page,
    paste,
    press,
    private_values,
    run,
    said,
    set_bounds,
    words,
)

ROWS = "who,area,it,other\n" + "".join(f"p{at % 30},north,{17 + at % 5},{at % 7}\n" for at in range(60))
FILE = ROWS.encode() + b"p1,north,-99,3\n"
CODES = Reading(missing_codes=(-99,))
LINE = "it of {} was read with -99 as missing before."
BUTTON = f"{PREFIX}_as_before"


def ledger(file: Path) -> Ledger:
    return Ledger.at(file, key="a key for the tests")


def known(file: Path, name: str = "pay", one: str = "person", **said: Reading) -> Account:
    """A data set whose columns were read so in an earlier release."""
    account = ledger(file).open_account(name, budget=PureDP(3), adjacency=Adjacency.ADD_REMOVE, one_row_is=one)
    remember_readings(account, said)
    return account


def test_what_was_said_of_a_column_before_its_last_release_is_offered_once_more(own_ledger: Path) -> None:
    rows = b"wage\n" + b"".join(b"%d\n" % (2000 + 7 * at) for at in range(400))
    button = f"{PREFIX}_said_before"
    first = bring(open_page(data="file", quantiles="median"), rows, "pay.csv")
    assert button not in keys(first), "nothing was released before"
    for name, value in {"column_unit": "€", "one": "nurse"}.items():
        first.text_input(key=f"{PREFIX}_{name}").set_value(value)
    press(set_bounds(first, "0", "200,000", "10"))
    assert private_values(first)
    later = bring(open_page(data="file", quantiles="median"), rows, "pay.csv")
    offered = later.button(key=button)
    assert offered.label == "As in release 1: 0 to 200,000 €"
    assert later.text_input(key=f"{PREFIX}_lower").value == "", "offered, and not applied"
    run(offered.click())
    typed = [
        later.text_input(key=f"{PREFIX}_{name}").value for name in ("lower", "upper", "step", "column_unit", "one")
    ]
    assert typed == ["0", "200,000", "10", "€", "nurse"]
    assert button not in keys(later)
    assert not later.button(key=f"{PREFIX}_run").disabled or "new data set" in words(later)
    other = bring(open_page(data="file", quantiles="median"), rows.replace(b"wage", b"bonus"), "pay.csv")
    assert button not in keys(other), "another column"
    other = bring(open_page(data="file", quantiles="median"), rows, "other.csv")
    assert button not in keys(other), "another data set"


def keys(visit: AppTest) -> set[str | None]:
    return {button.key for button in visit.button}


def upload(visit: AppTest, name: str, column: str = "it") -> AppTest:
    """Choose a file and a column, and read nothing yet."""
    driving.upload(visit, name, FILE)
    by_label = {widget.label: widget for widget in visit.selectbox}
    return run(by_label["Column"].set_value(column))


def wait_until_read(visit: AppTest, button: str = f"{PREFIX}_change") -> AppTest:
    for _ in range(200):
        if button in keys(visit):
            return visit
        run(visit)
    raise AssertionError(said(visit))


def read(visit: AppTest) -> AppTest:
    return wait_until_read(run(visit.button(key=f"{PREFIX}_read").click()))


def change(visit: AppTest, codes: str = "-99") -> AppTest:
    """Say by Change which codes mean missing, and bring the file again."""
    visit.text_input(key=f"{PREFIX}_reading_missing_codes").set_value(codes)
    return run(visit.button(key=f"{PREFIX}_read_so").click())


def question_of(visit: AppTest) -> str:
    """What the question before a release repeats."""
    (dialog,) = visit.get("dialog")
    return " ".join(element.value for element in dialog.markdown).replace("\\", "")


def said_of(visit: AppTest) -> Reading:
    found = visit.session_state[reading._BROUGHT]
    assert isinstance(found, reading.OwnColumn)
    return found.said.reading


def one_answer(visit: AppTest) -> AppTest:
    return change(bring(visit, FILE, "pay.csv", column="it"))


def of_people(visit: AppTest) -> AppTest:
    run(upload(visit, "pay.csv"))
    by_label = {widget.label: widget for widget in visit.selectbox}
    run(by_label["Who is one person?"].set_value("who"))
    return visit


def of_groups(visit: AppTest) -> AppTest:
    run(upload(visit, "pay.csv"))
    by_label = {widget.label: widget for widget in visit.selectbox}
    run(by_label["For each …"].set_value("area"))
    return visit


@pytest.mark.parametrize("asked", kept([upload, of_people, of_groups], of_groups))
def test_a_release_remembers_what_was_said_and_the_next_file_is_read_so_by_one_press(
    own_ledger: Path, asked: Callable[..., AppTest]
) -> None:
    link = {"data": "file", "quantiles": "median", "mechanism": "aq", "take": "mean"}
    visit = change(read(asked(open_page(**link), *(["pay.csv"] if asked is upload else []))))
    assert BUTTON not in keys(visit)
    visit = read(asked(visit, *(["pay.csv"] if asked is upload else [])))
    assert said_of(visit) == CODES
    set_bounds(visit, "0", "100", "1")
    if asked is of_groups:
        listing(visit, "north")
    assert remembered_of(own_ledger) == {}, "only a release is remembered"
    press(visit)
    assert remembered_of(own_ledger) == {"it": CODES}
    later = upload(open_page(**link), "pay.csv")
    assert LINE.format("pay") in said(later)
    run(later.button(key=BUTTON).click())
    wait_until_read(later)
    assert said_of(later) == CODES
    assert BUTTON not in keys(later), "what is said is what is remembered"
    assert "null or ?, and -99" in said(later)


def remembered_of(file: Path) -> dict[str, Reading]:
    (found,) = ledger(file).accounts() or (None,)
    return {} if found is None else remembered_readings(found)


def test_nothing_is_read_otherwise_without_a_press(own_ledger: Path) -> None:
    known(own_ledger, it=CODES)
    visit = read(upload(open_page(data="file"), "pay.csv"))
    assert said_of(visit) == AS_WRITTEN
    assert LINE.format("pay") in said(visit), "it is offered all the time"
    assert "null or ?, and -99" not in said(visit)


def test_another_column_or_data_set_is_offered_nothing(own_ledger: Path) -> None:
    known(own_ledger, it=CODES)
    assert BUTTON not in keys(upload(open_page(data="file"), "pay.csv", "other"))
    assert BUTTON not in keys(upload(open_page(data="file"), "others.csv"))


def test_a_file_of_another_name_is_offered_it_once_its_data_set_is_chosen_and_keeps_what_was_typed(
    own_ledger: Path,
) -> None:
    known(own_ledger, it=CODES)
    visit = set_bounds(read(upload(open_page(data="file"), "march.csv")), "0", "120", "1")
    assert BUTTON not in keys(visit)
    run(field(visit, "account").set_value("pay"))
    assert LINE.format("pay") in said(visit)
    run(visit.button(key=BUTTON).click())
    visit = read(upload(visit, "march.csv"))
    assert said_of(visit) == CODES
    assert BUTTON not in keys(visit)
    assert field(visit, "account").value == "pay"
    assert visit.text_input(key=f"{PREFIX}_upper").value == "120"


def test_what_is_said_otherwise_is_told_before_the_charge_and_takes_its_place(own_ledger: Path) -> None:
    account = known(own_ledger, it=Reading(zero=("-",), missing_codes=(-1,)))
    visit = change(read(upload(open_page(data="file", quantiles="median"), "pay.csv")))
    visit = set_bounds(read(upload(visit, "pay.csv")), "0", "120", "1")
    before = "it of pay was read with “-” as zero, with -1 as missing before."
    assert f"{before} After a release, the present setting is remembered instead." in said(visit)
    run(visit.button(key=f"{PREFIX}_run").click())
    now = "it was read with “-” as zero, with -1 as missing before, and is read with -99 as missing now"
    assert now in question_of(visit)
    run(visit.button(key=CONFIRM).click())
    assert remembered_readings(account) == {"it": CODES}
    assert BUTTON not in keys(run(visit))


def test_a_release_of_which_nothing_is_said_tells_that_and_forgets_nothing(own_ledger: Path) -> None:
    account = known(own_ledger, it=CODES)
    visit = set_bounds(read(upload(open_page(data="file", quantiles="median"), "pay.csv")), "0", "120", "1")
    run(visit.button(key=f"{PREFIX}_run").click())
    assert "it was read with -99 as missing before, and is read as its cells say now" in question_of(visit)
    run(visit.button(key=CONFIRM).click())
    assert remembered_readings(account) == {"it": CODES}


def test_pasted_values_are_offered_it_too(own_ledger: Path) -> None:
    known(own_ledger, "pasted values", pasted=CODES)
    visit = paste(open_page(data="paste"), np.array([17, 18, -99]))
    assert LINE.replace("it of {}", "pasted of pasted values") in said(visit)
    run(visit.button(key=BUTTON).click())
    assert "It is read with -99 as missing" in said(visit)


def test_nothing_is_offered_to_a_visitor_who_sees_reports_only(
    own_ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(own_ledger, it=CODES)
    visit = upload(open_page(data="file"), "pay.csv")
    assert BUTTON in keys(visit)
    monkeypatch.setattr(signin, "role", lambda: signin.Role.VIEWER)
    monkeypatch.setattr("pages.frame.header.guard", lambda **_: None)
    assert BUTTON not in keys(run(visit))
    assert "-99" not in words(visit)


def test_public_data_is_of_no_data_set(own_ledger: Path) -> None:
    known(own_ledger, it=CODES)
    visit = run(open_page(data="file").checkbox[0].check())
    assert BUTTON not in keys(upload(visit, "pay.csv"))
    assert BUTTON not in keys(read(visit))


def choose_table(visit: AppTest, name: str = "pay.csv") -> AppTest:
    upload(visit, name)
    return run(visit.multiselect(key=more_key(visit)).set_value(["other"]))


def said_of_table(visit: AppTest) -> dict[str, Reading]:
    found = visit.session_state[reading._BROUGHT]
    return {each.name: each.said for each in found.columns}


def test_several_columns_remember_each_and_are_read_so_by_one_press(own_ledger: Path) -> None:
    visit = read(choose_table(open_page(data="file")))
    codes = next(widget for widget in visit.text_input if "_reading_missing_codes:0" in str(widget.key))
    codes.set_value("-99")
    run(next(button for button in visit.button if f"{PREFIX}_read_so_0" in str(button.key)).click())
    visit = read(choose_table(visit))
    press(visit, "run_columns")
    assert remembered_of(own_ledger) == {"it": CODES}
    visit = choose_table(open_page(data="file"))
    assert LINE.format("pay") in said(visit)
    run(visit.button(key=BUTTON).click())
    wait_until_read(visit, f"{PREFIX}_change")
    assert said_of_table(visit) == {"it": CODES, "other": AS_WRITTEN}
    assert BUTTON not in keys(visit)


@pytest.mark.very_slow
def test_several_columns_of_a_file_of_another_name_are_read_once_more(own_ledger: Path) -> None:
    account = known(own_ledger, "pay", it=CODES, other=Reading(zero=("-",)), who=CODES)
    visit = read(choose_table(open_page(data="file"), "march.csv"))
    assert BUTTON not in keys(visit)
    run(field(visit, "account").set_value("pay"))
    assert LINE.format("pay") in said(visit)
    run(visit.button(key=f"{PREFIX}_run_columns").click())
    assert "other was read with “-” as zero before, and is read as its cells say now" in question_of(visit)
    run(visit.button(key=BUTTON).click())
    visit = read(choose_table(visit, "march.csv"))
    assert said_of_table(visit) == {"it": CODES, "other": Reading(zero=("-",))}
    assert field(visit, "account").value == "pay"
    assert remembered_readings(account)["other"] == Reading(zero=("-",))


def test_the_shell_and_the_page_read_what_the_other_remembered(
    own_ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pay.csv").write_bytes(FILE)
    Path("plan.json").write_text(Plan(["1/2"], privacy=PureDP(0.5)).to_json())
    line = ["release", "plan.json", "pay.csv", "--column", "it", "--lower", "0", "--upper", "99", "--account", "pay"]
    assert main([*line, "--total-epsilon", "3", "--missing-codes", "-99"]) == 0
    visit = upload(open_page(data="file", quantiles="median"), "pay.csv")
    assert LINE.format("pay") in said(visit)
    visit = change(read(visit), "-99, 12")
    visit = set_bounds(read(upload(visit, "pay.csv")), "0", "99", "1")
    assert LINE.format("pay") in said(visit)
    press(visit)
    assert remembered_of(own_ledger) == {"it": Reading(missing_codes=(-99, 12))}
    capsys.readouterr()
    assert main(line) == 0
    assert "it of pay was read with --missing-codes=-99,12 before; add that if it holds here" in capsys.readouterr().err
    assert main([*line, "--missing-codes", "-99"]) == 0
    told = "--missing-codes=-99,12 before; after this release --missing-codes=-99 is remembered in its place."
    assert told in capsys.readouterr().err
    assert remembered_of(own_ledger) == {"it": CODES}
