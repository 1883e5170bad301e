"""Every group of a column: chosen in the form, drawn and charged in one press; in Release no size and no other name."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import Domain, Groups, Plan, simulate
from dpq_core.figures.frame import FAINT, PRIVATE
from dpq_core.ledger import Ledger, standing
from dpq_core.results import EXPLORE_SEED, GroupedReleased, GroupedSimulation, TableRequest, exports, scripts
from dpq_core.results.groups.sizes import GroupSizes
from dpq_core.sources.examples import load_example, load_groups
from dpq_core.studies import SOME_ROWS
from pages.frame import presses
from pages.groups import results
from pages.keys import PREFIX
from pages.settings.table import key
from tests.pages.driving import (
    cells,
    figures,
    link_of,
    listing,
    metrics,
    named,
    open_page,
    press,
    run,
    said,
    set_bounds,
    turn_to,
    unfinished,
    words,
)

RNG = np.random.default_rng(11)
SIZES = {"north": 4177, "south": 2239, "QZsecret": 1663}
"""Numbers that appear nowhere else; the last group is in no list."""
ROWS = [
    (f"ZX{person:05d}", group, amount)
    for group, size in SIZES.items()
    for person, amount in zip(RNG.integers(0, 3000, size), RNG.integers(0, 121, size), strict=True)
]
TABLE = "customer_id,region,minutes\n" + "".join(f"{one},{group},{amount}\n" for one, group, amount in ROWS)
FILES = (exports.as_csv, exports.as_wide_csv, exports.as_json, scripts.as_script, exports.as_plan)
HIDDEN = re.compile(rf"ZX\d{{5}}|QZsecret|(?<![\d.])({'|'.join(f'{size}|{size:,}' for size in SIZES.values())})(?!\d)")


def upload(visit: AppTest, *, public: bool = False, ids: bool = False, content: bytes = TABLE.encode()) -> AppTest:
    """Bring the table with its column of groups."""
    run(visit.selectbox(key=f"{PREFIX}_data").set_value("file"))
    if public:
        run(visit.checkbox[0].check())
    visit.file_uploader[0].upload("regions.csv", content)
    run(visit)
    by_label = {widget.label: widget for widget in visit.selectbox}
    run(by_label["Column"].set_value("minutes"))
    if ids:
        run(visit.button(key=f"{PREFIX}_same_person").click())
    by_label = {widget.label: widget for widget in visit.selectbox}
    run(by_label["For each …"].set_value("region"))
    assert visit.button(key=f"{PREFIX}_read").label == ("Read these three columns" if ids else "Read these two columns")
    run(visit.button(key=f"{PREFIX}_read").click())
    for _ in range(200):
        if f"{PREFIX}_change" in {button.key for button in visit.button}:
            return set_bounds(visit, "0", "120", "0.5")
        run(visit)
    raise AssertionError("the columns were not read")


def shown(visit: AppTest, mode: str) -> GroupedSimulation | GroupedReleased:
    found = visit.session_state[f"{PREFIX}:groups:{mode}"]
    assert isinstance(found, GroupedSimulation | GroupedReleased)
    return found


def test_a_link_to_an_example_draws_its_groups_and_its_files_repeat_them() -> None:
    names = ["Park", "Hill", "Nowhere"]
    chosen = {"group_way": "list", "group_names": "\n".join(names), "group_other": "rest"}
    visit = open_page(data="visits", each="group", quantiles="quartiles", mechanism="aq", **chosen)
    found = shown(visit, "explore")
    values, groups = load_example("visits").values, load_groups("visits")
    domain, plan = Domain(0, 180, "0.1"), Plan(["1/4", "1/2", "3/4"], "aq")
    grouped = Groups.from_values(values, groups, domain, names=names, other="rest", seed=EXPLORE_SEED)
    assert isinstance(found, GroupedSimulation)
    study = simulate(grouped, plan, trials=found.draws, seed=1)
    assert {each.group: list(each.values) for each in found.answers} == dict(
        zip([*names, "rest"], study.values[0].tolist(), strict=True)
    )
    assert [each.size for each in found.answers] == grouped.sizes.tolist()
    told: dict[str, dict[str, list[float]]] = {}
    exec(scripts.as_script(found).replace("print(name, *row)", "pass"), told)
    assert told["answers"] == {each.group: list(each.values) for each in found.answers}
    assert chosen.items() <= link_of(visit).items()
    assert metrics(visit)["Groups"] == "4"
    assert "median: from" in said(visit)
    long, wide = (list(csv.reader(io.StringIO(made(found)))) for made in (exports.as_csv, exports.as_wide_csv))
    assert [len(long), len(wide)] == [1 + 4 * 3, 1 + 4]
    assert {row[0] for row in long[1:]} == {row[0] for row in wide[1:]} == {*names, "rest"}
    (figure,) = figures(visit)
    assert sorted(figure["layout"]["yaxis"]["ticktext"]) == sorted([*names, "rest"])
    run(visit.selectbox(key=key("each")).set_value("all"))
    assert "Groups" not in metrics(visit), "one answer for all is a picture of its own, drawn as the page opens"
    assert "Private median" in metrics(visit)


def test_a_release_answers_the_list_alone_and_tells_no_size(own_ledger: Path) -> None:
    visit = listing(
        upload(open_page(quantiles="quartiles", mechanism="aq", take="mean"), ids=True), "north", "south; 900"
    )
    run(visit.text_input(key=key("groups_each")).set_value("2"))
    listing(visit, "north", "south; 900", "nobody here")
    assert "Nothing released since this page was opened" in said(visit)
    assert "Maximum groups per person" in {widget.label for widget in visit.text_input}
    press(visit)
    found = shown(visit, "release")
    assert [each.group for each in found.answers] == ["north", "south", "nobody here"]
    assert all(len(each.values) == 3 and each.size is None and not each.true_values for each in found.answers)
    assert (found.guarantee.epsilon, found.guarantee.protects, found.groups.groups_per_person) == (1, "person", 2)
    assert metrics(visit)["Spent of the budget by now"] == "ε = 1 of 3"
    table = next(cells(each) for each in visit.dataframe if "group" in each.value.columns)
    assert list(table) == ["group", "25 % · lower quartile", "50 % · median", "75 % · upper quartile"]
    ledger = Ledger.at(own_ledger)
    (account,) = ledger.accounts()
    (entry,) = standing(account).entries
    run(visit)
    assert len(standing(account).entries) == 1, "a rerun draws nothing"
    assert entry.guarantee == found.guarantee
    ledger.engine.dispose()
    made = [make(found) for make in FILES]
    written = own_ledger.read_bytes().decode("latin-1")
    assert [HIDDEN.search(text) for text in (words(visit), written, *made)] == [None] * 7
    assert found.sizes == GroupSizes(1000, (("south", 900),)), "as they were said"
    assert found.too_small == ()
    link = link_of(visit)
    assert link["each"] == "group"
    assert not {"group_names", "group_other", "groups_each"} & link.keys()
    listing(visit, "north")
    assert "Settings changed: press Release" in said(visit)
    budget = turn_to(visit, "budget")
    history = budget.dataframe[0].value
    assert (list(history["requested"]), list(history["groups"])) == (
        ["25 %, 50 %, 75 %"],
        ["north, south, nobody here"],
    )
    assert HIDDEN.search(words(budget)) is None


def test_a_listed_name_that_the_column_cannot_hold_is_refused_where_it_is_typed() -> None:
    file = io.BytesIO()
    pd.DataFrame({"region": [1, 2] * 50, "minutes": np.arange(100.0)}).to_parquet(file)
    visit = listing(upload(open_page(), content=file.getvalue()), "1", "north")
    assert "The column of groups holds whole numbers, so no row can be in north." in said(visit)
    assert all(button.disabled for button in visit.button if button.label.startswith("Release"))
    assert "no row can be in" not in said(listing(visit, "1", "2"))


def test_the_heads_of_deciles_are_short_and_the_unit_stands_once() -> None:
    visit = open_page(data="visits", each="group", quantiles="deciles", mechanism="aq")
    table = next(cells(each) for each in visit.dataframe if "group" in each.value.columns)
    assert list(table)[:10] == ["group", *(f"{tenths}0 %" for tenths in range(1, 10))]
    assert "Table (minutes)" in {choice.label for choice in visit.button_group}


def test_a_search_that_finds_no_group_draws_no_picture() -> None:
    chosen = {
        "group_way": "list",
        "group_names": "\n".join(f"place {number}" for number in range(results.MOST_ROWS + 1)),
    }
    visit = open_page(data="visits", each="group", quantiles="median", mechanism="aq", **chosen)
    assert f"{results.MOST_ROWS} of {results.MOST_ROWS + 1} groups in view." in said(visit)
    sought = named(visit.text_input, "groups_sought")
    assert figures(run(sought.set_value("nowhere"))) == []
    assert "No group has such a name." in said(visit)


def test_groups_with_one_answer_are_told_in_one_number() -> None:
    """As where each is told nothing but that half of its values are 50."""
    drawn = shown(open_page(data="visits", each="group", quantiles="median", mechanism="aq"), "explore")
    same = replace(drawn, answers=tuple(replace(each, values=(50.0,), lows=(), highs=()) for each in drawn.answers))
    assert results.finding(same.answers, released=False).endswith(
        f": {same.wording.value(50)} in {len(drawn.answers)} groups"
    )


def test_the_answer_of_an_interrupted_press_is_fetched_and_not_paid_twice(own_ledger: Path) -> None:
    visit = press(listing(upload(open_page(quantiles="median", mechanism="aq")), "north"))
    found = shown(visit, "release")
    assert isinstance(found, GroupedReleased)
    name = found.wording.name
    asked = TableRequest(
        plans={name: found.plan}, bounds={name: found.domain}, weights={name: Fraction(1)}, about_n=0,
        missing={name: found.missing}, person=found.person, groups=found.groups, sizes=found.sizes,
    )  # fmt: skip
    del visit.session_state[f"{PREFIX}:groups:release"]
    visit.session_state[presses._open(found.identity)] = presses.ReleaseRequest(
        identity=found.identity, account=found.account, asked=asked, resolved=asked, release_id=found.release_id
    )
    run(visit)
    again = shown(visit, "release")
    assert (again.answers, again.made) == (found.answers, found.made)
    assert unfinished(visit) is None
    ledger = Ledger.at(own_ledger)
    assert [len(standing(account).entries) for account in ledger.accounts()] == [1]
    ledger.engine.dispose()


def test_groups_that_were_said_to_be_too_small_are_no_finding_here_nor_in_the_report(own_ledger: Path) -> None:
    """The sizes travel with the release: page, files, and the report by the ledger's own record."""
    visit = listing(upload(open_page(quantiles="quartiles", mechanism="aq")), "north; 4000", "south; 10", "west; 12")
    found = shown(press(visit), "release")
    assert isinstance(found, GroupedReleased)
    assert found.too_small == ("south", "west")
    headline = results.finding(found.answers, released=True)
    assert headline.endswith(" in north; too small for this budget: south, west")
    (figure,) = figures(visit)
    colours = {trace["name"]: trace["marker"]["color"] for trace in figure["data"] if trace["mode"] == "markers"}
    assert (colours["private"], colours["too small"]) == (PRIVATE, FAINT)
    assert figure["layout"]["yaxis"]["ticktext"] == ["north", "south", "west"], "those too small come last"
    long = list(csv.DictReader(io.StringIO(exports.as_csv(found).lstrip("\ufeff"))))
    assert {(row["group"], row["too_small"]) for row in long} == {("north", "no"), ("south", "yes"), ("west", "yes")}
    content = json.loads(exports.as_json(found))
    assert (content["sizes"], content["too_small"]) == ({"north": 4000, "south": 10, "west": 12}, ["south", "west"])
    report = turn_to(visit, "report")
    sheet = words(report)
    assert "Too small for this budget: south and west." in sheet
    assert "highest" not in sheet.partition("What this does not mean")[0]
    assert not [field for field in report.text_input if field.key in {key("records"), key("group_records")}]


def test_the_truth_of_groups_goes_with_the_declaration(own_ledger: Path) -> None:
    visit = press(upload(open_page(quantiles="median", mechanism="aq"), public=True))
    assert {each.group for each in shown(visit, "explore").answers} == set(SIZES), "those in the data"
    assert HIDDEN.search(words(visit))
    assert not own_ledger.exists()
    run(visit.checkbox[0].uncheck())
    assert f"{PREFIX}:groups:explore" not in visit.session_state
    assert HIDDEN.search(words(visit)) is None
    assert visit.button(key=f"{PREFIX}_run").disabled, "a list is needed now"


def test_found_groups_need_a_delta_and_what_is_released_is_said() -> None:
    visit = upload(open_page(quantiles="median", mechanism="aq"))
    for content, said_then in (
        (b"\xff\xfe\x00", "This file is not a text file"),
        ("\ufeffM\u00fcnchen\nUlm\n".encode(), "2 groups."),
    ):
        visit.file_uploader[0].upload("list.txt", content)
        assert said_then in said(run(visit))
    assert visit.text_area(key=key("group_names")).value == "München\nUlm\n", "and the next list takes its place"
    assert key("group_way") not in [each.key for each in visit.button_group], "a list is the only way"
    run(visit.button_group(key=key("budget")).set_value("approximate"))
    run(visit.button_group(key=key("group_way")).set_value("found"))
    assert "if one person is alone in a group, its name is released with that chance" in said(visit)
    press(visit)
    found = shown(visit, "release")
    assert {each.group for each in found.answers} == set(SIZES), "all are large"
    assert found.guarantee.delta == 1e-6
    assert found.groups.names is None


def test_forty_of_many_groups_are_in_view_and_too_small_ones_are_named_beforehand() -> None:
    names = [*(f"site {number:03d}" for number in range(60)), "Park", "tiny; 5"]
    visit = open_page(
        data="visits",
        each="group",
        quantiles="quartiles",
        mechanism="aq",
        group_way="list",
        group_names="\n".join(names),
    )
    assert "1 of 62 groups: tiny" in said(visit)
    drawn = shown(visit, "explore")
    assert set(drawn.too_small or ()) == {*names[:60], "tiny"}, "they are empty, whatever was guessed"
    assert "too small for this budget: site 000" in said(visit)
    assert "40 of 62 groups in view" in said(visit)
    sought = named(visit.text_input, "groups_sought")
    run(sought.set_value("park"))
    (figure,) = figures(visit)
    assert figure["layout"]["yaxis"]["ticktext"] == ["Park"]
    view = named(visit.button_group, "groups_view")
    run(view.set_value("Curves"))
    (figure,) = figures(visit)
    assert [note["text"] for note in figure["layout"]["annotations"]] == ["Park"]


def test_a_column_of_one_page_asks_for_no_groups_on_another() -> None:
    visit = open_page("compare")
    run(visit.selectbox(key=f"{PREFIX}_data").set_value("file"))
    visit.file_uploader[0].upload("regions.csv", TABLE.encode())
    assert "For each …" not in {widget.label for widget in run(visit).selectbox}


@pytest.mark.parametrize(
    "asked",
    [
        {"take": "share", "person": "same", "mechanism": "indexp"},
        {"take": "share", "person": "same", "mechanism": "indexp", "group_way": "found", "budget": "approximate"},
        {"take": "Several", "person": "same", "mechanism": "freetotal"},
        {"take": "Several", "person": "same", "mechanism": "aq", "rows_in": "all", "intervals": "0.9"},
        {"mechanism": "aggtree", "intervals": "0.9"},
        {"mechanism": "aq", "intervals": "0.95"},
        {"mechanism": "best", "intervals": "0.95"},
        {"mechanism": "best", "person": "same", "take": "share", "bounds": "find"},
        {"bounds": "find", "share": "20 %", "mechanism": "indexp"},
        {"bounds": "find", "mechanism": "indexp", "person": "same", "take": "share"},
        {"bounds": "find", "mechanism": "indexp", "group_other": "rest", "intervals": "none"},
        {"bounds": "find", "mechanism": "indexp", "group_way": "found", "budget": "approximate"},
        {"bounds": "find", "mechanism": "indexp", "person": "same", "take": "mean", "groups_each": "2"},
    ],
    ids=["shares", "found by shares", "several rows", "rows in all groups", "intervals", "simulated intervals", "best",
         "best of shares", "found bounds", "both", "pooled", "all found",
         "persons"],
)  # fmt: skip
def test_groups_have_all_that_the_library_gives_them_and_the_script_repeats_it(asked: dict[str, str]) -> None:
    if asked.get("take") == "Several":
        asked = asked | {"take": SOME_ROWS, "most_rows": "3"}
    listed = {"group_way": "list", "group_names": "Park; 700\nHill", "shape_size": "1,000"}
    visit = open_page(data="visits", each="group", quantiles="quartiles", epsilon="3", **listed | asked)
    found = shown(visit, "explore")
    assert isinstance(found, GroupedSimulation)
    assert {"Park"} <= {each.group for each in found.answers}
    told: dict[str, dict[str, list[float]]] = {}
    exec(scripts.as_script(found).replace("print(name, *row)", "pass"), told)
    assert told["answers"] == {each.group: list(each.values) for each in found.answers}
    assert (found.find_bounds is not None) is (asked.get("bounds") == "find")
    assert found.guarantee.epsilon == pytest.approx(3)
    long = list(csv.DictReader(io.StringIO(exports.as_csv(found).lstrip("\ufeff"))))
    assert ("low" in long[0]) is (asked.get("intervals", "none") != "none")
    if "low" in long[0]:
        assert all(float(row["low"]) <= float(row["private"]) <= float(row["high"]) for row in long)
        assert json.loads(exports.as_json(found))["intervals"]["sentences"]
        assert "each for one group alone" in said(visit)
    json.loads(exports.as_plan(found))


def test_slices_warn_before_a_release_that_one_small_group_leaves_all_without_an_answer(own_ledger: Path) -> None:
    visit = listing(upload(open_page(quantiles="quartiles", mechanism="slice")), "north", "south")
    run(named(visit.text_input, "shape_size").set_value("20"))
    (warned,) = [each.value for each in visit.warning if "needs about" in each.value]
    assert "no group is answered, and the whole budget is charged" in warned
    assert "By your guess these have fewer: north, south." in warned
    run(named(visit.text_input, "shape_size").set_value("100000"))
    assert not [each for each in visit.warning if "needs about" in each.value]
    assert "needs about" in said(visit), "still said, without a group that is known to be small"
    run(named(visit.selectbox, "mechanism").set_value("aq"))
    assert "needs about" not in said(visit)


def test_what_groups_cannot_have_is_refused_in_the_words_of_the_library() -> None:
    visit = open_page(data="visits", each="group", quantiles="median", person="same", take="share", mechanism="slice")
    assert visit.button(key=f"{PREFIX}_run").disabled
    assert "must make one record of each person, such as random, unless the" in said(visit)
    visit = open_page(data="visits", each="group", quantiles="median", person="same", take="share")
    assert "Intervals around the answers: " not in said(visit), "the library has them"


@pytest.mark.parametrize("mechanism", ["aq", "best"])
def test_intervals_of_groups_rest_on_the_sizes_that_were_given(own_ledger: Path, mechanism: str) -> None:
    visit = upload(open_page(quantiles="median", mechanism=mechanism, intervals="0.9"))
    visit = listing(visit, "north; 1234", "south; 90", "east")
    run(named(visit.text_input, "shape_size").set_value("600"))
    found = shown(press(visit), "release")
    assert isinstance(found, GroupedReleased)
    assert found.plan.about_n == {"north": 1200, "south": 80, "east": 600}
    told = " ".join(each.value for each in visit.caption).replace("\\", "")
    assert "that its intervals are worked out for (80 to 1,200)" in told


def test_bounds_of_groups_are_found_and_their_intervals_released_and_told_in_the_report(own_ledger: Path) -> None:
    visit = listing(upload(open_page(quantiles="quartiles", mechanism="aq", intervals="0.9")), "north", "south")
    found = shown(press(visit), "release")
    assert isinstance(found, GroupedReleased)
    assert all(len(each.intervals) == 3 and not each.held and not each.lows for each in found.answers)
    assert found.basis is not None
    assert HIDDEN.search(words(visit)) is None
    run(visit.button_group(key=key("intervals")).set_value("none"))
    run(visit.button_group(key=key("bounds")).set_value("find"))
    press(visit)
    between = shown(visit, "release")
    assert isinstance(between, GroupedReleased)
    assert (between.find_bounds is not None, between.guarantee.epsilon) == (True, 1)
    assert any("were found from 10 % of the budget" in each for each in between.warnings)
    assert metrics(visit)["Spent of the budget by now"] == "ε = 2 of 3"
    made = [make(between) for make in FILES]
    assert [HIDDEN.search(text) for text in (words(visit), *made)] == [None] * 6
    report = turn_to(visit, "report")
    assert "Minutes by group" in said(report)
    assert HIDDEN.search(words(report)) is None
