"""Groups of a column and of several: chosen in the form, drawn and charged in one press, told in files and reports."""

import contextlib
import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import Column, Domain, Plan, simulate
from dpq_core.figures.frame import PRIVATE
from dpq_core.figures.rows import FAINT
from dpq_core.results import exports
from dpq_core.results.data_set import EXPLORE_SEED
from dpq_core.results.kinds import Answered, Released, Simulated
from dpq_core.sources.examples import load_example, load_groups
from dpq_core.studies.takes import SOME_ROWS
from pages.answers.sentences import beneath, headline
from pages.form.table import key
from pages.keys import PREFIX
from tests.narrowing import present
from tests.pages import driving
from tests.pages.driving import ask_all, figures, is_disabled, listing, metrics, named, press, run, said, turn_to, words
from tests.pages.shapes import FILE, HIDDEN, SIZES, table


def shown(visit: AppTest, mode: str) -> Simulated | Released:
    found = visit.session_state[f"{PREFIX}:outcome:{mode}"]
    assert isinstance(found, Simulated | Released)
    return found


def told_by_script(found: Answered) -> dict[Any, tuple[float, ...]]:
    """The first answers of the script of a simulation, by group."""
    told: dict[str, Any] = {}
    exec(exports.as_script(found).replace("print(", "str("), told)
    first = told["study"].cells[0].of_trial(0)
    return dict(zip(first.groups, first.values, strict=True))


@pytest.mark.slow
def test_a_link_to_an_example_draws_its_groups_and_its_files_repeat_them() -> None:
    names = ["Park", "Hill", "Nowhere"]
    chosen = {"group_way": "list", "group_names": "\n".join(names), "group_other": "rest"}
    visit = driving.open_page(data="visits", each="group", quantiles="quartiles", mechanism="aq", **chosen)
    found = shown(visit, "explore")
    values, groups = load_example("visits").values, load_groups("visits")
    domain, plan = Domain(0, 180, "0.1"), Plan(["1/4", "1/2", "3/4"], "aq")
    grouped = Column.from_values(values, domain, groups=groups, names=names, other="rest", seed=EXPLORE_SEED)
    assert isinstance(found, Simulated)
    study = simulate({found.wording.name: grouped}, plan, trials=found.draws, seed=1)
    assert {each.group: list(each.values) for each in found.answers} == dict(
        zip([*names, "rest"], study.values[found.wording.name][0].tolist(), strict=True)
    )
    assert [each.size for each in found.answers] == grouped.sizes.tolist()
    assert told_by_script(found) == {each.group: each.values for each in found.answers}
    assert chosen.items() <= driving.link_of(visit).items()
    assert metrics(visit)["Groups"] == "4"
    assert "The median of " in said(visit)
    long, wide = (list(csv.reader(io.StringIO(found.release.to_csv(wide=wide)))) for wide in (False, True))
    assert [len(long), len(wide)] == [1 + 4 * 3, 1 + 4]
    assert {row[1] for row in long[1:]} == {row[1] for row in wide[1:]} == {*names, "rest"}
    (figure,) = figures(visit)
    assert sorted(figure["layout"]["yaxis"]["ticktext"]) == sorted([*names, "rest"])
    run(visit.selectbox(key=key("each")).set_value("all"))
    assert "Groups" not in metrics(visit), "one answer for all is a picture of its own, drawn as the page opens"
    assert "Private median" in metrics(visit)


@pytest.mark.slow
def test_a_release_answers_the_list_alone_and_no_link_names_it() -> None:
    visit = listing(upload_groups({"per_person": "mean"}, ids=True), "north", "south; 900")
    run(visit.text_input(key=key("groups_each")).set_value("2"))
    press(listing(visit, "north", "south; 900", "nobody here"))
    found = shown(visit, "release")
    assert [each.group for each in found.answers] == ["north", "south", "nobody here"]
    assert (found.guarantee.epsilon, found.guarantee.protects, present(found.question.persons).max_groups) == (
        1, "person", 2,
    )  # fmt: skip
    table = next(driving.cells(each) for each in visit.dataframe if "group" in each.value.columns)
    assert list(table) == ["group", "25 % · lower quartile", "50 % · median", "75 % · upper quartile"]
    about = {"north": 1000, "south": 900, "nobody here": 1000}
    assert found.question.columns[found.wording.name].about_n == about, "as they were said"
    assert found.too_small == ()
    link = driving.link_of(visit)
    assert link["each"] == "group"
    assert not {"group_names", "group_other", "groups_each"} & link.keys()
    history = turn_to(visit, "releases").dataframe[0].value
    assert (list(history["requested"]), list(history["groups"])) == (
        ["25 %, 50 %, 75 %"], ["north, south, nobody here"],
    )  # fmt: skip


@pytest.mark.slow
def test_a_listed_name_that_the_column_cannot_hold_is_refused_where_it_is_typed() -> None:
    file = io.BytesIO()
    pd.DataFrame({"region": [1, 2] * 50, "age": np.arange(100.0)}).to_parquet(file)
    visit = upload_groups({}, content=file.getvalue())
    for second, refused in (("north", True), ("2", False)):
        listing(visit, "1", second)
        assert is_disabled(visit) is refused
        assert ("no row can be in north" in said(visit)) is refused


@pytest.mark.slow
def test_groups_that_were_said_to_be_too_small_are_no_finding_here_nor_in_the_report() -> None:
    """The sizes travel with the release: page, files, and the report by the ledger's own record."""
    visit = listing(upload_groups({}), "north; 4000", "south; 10", "west; 12")
    found = shown(press(visit), "release")
    assert isinstance(found, Released)
    assert found.too_small == ("south", "west")
    assert headline(found).endswith(" in north.")
    assert beneath(found) == "Too small for this budget: south and west."
    (figure,) = figures(visit)
    colours = {
        trace["name"]: trace["marker"]["color"] for trace in figure["data"] if trace.get("name") in {"private", "noise"}
    }
    assert (colours["private"], colours["noise"]) == (PRIVATE, FAINT)
    assert figure["layout"]["yaxis"]["ticktext"] == ["north", "south", "west"], "those too small come last"
    long = list(csv.DictReader(io.StringIO(found.release.to_csv().lstrip("\ufeff"))))
    assert {row["region"] for row in long} == {"north", "south", "west"}
    content = json.loads(exports.as_json(found))
    assert content["description"]["group_sizes"] == [["north", 4000], ["south", 10], ["west", 12]]
    report = turn_to(visit, "releases")
    assert "highest" not in words(report).partition("What this does not mean")[0]
    assert not [field for field in report.text_input if field.key == key("records")]


@pytest.mark.slow
def test_found_groups_need_a_delta_and_what_is_released_is_said() -> None:
    visit = upload_groups({"quantiles": "median"})
    for content, names in ((b"\xff\xfe\x00", ""), ("\ufeffM\u00fcnchen\nUlm\n".encode(), "München\nUlm\n")):
        visit.file_uploader[0].upload("list.txt", content)
        assert run(visit).text_area(key=key("group_names")).value == names, "and the next list takes its place"
    assert key("group_way") not in [each.key for each in visit.button_group], "a list is the only way"
    run(visit.button_group(key=key("budget")).set_value("approximate"))
    run(visit.button_group(key=key("group_way")).set_value("found"))
    assert "if one person is alone in a group, its name is released with that chance" in said(visit)
    press(visit)
    found = shown(visit, "release")
    assert {each.group for each in found.answers} == set(SIZES), "all are large"
    assert found.guarantee.delta == 1e-6
    assert present(found.groups).listed is None


@pytest.mark.slow
def test_forty_of_many_groups_are_in_view_and_too_small_ones_are_named_beforehand() -> None:
    names = [*(f"site {number:03d}" for number in range(60)), "Park", "tiny; 5"]
    visit = driving.open_page(
        data="visits", each="group", quantiles="quartiles", mechanism="aq", group_way="list",
        group_names="\n".join(names),
    )  # fmt: skip
    assert "1 of 62 groups: tiny" in said(visit)
    drawn = shown(visit, "explore")
    assert set(drawn.too_small or ()) == {*names[:60], "tiny"}, "they are empty, whatever was guessed"
    assert "Too small for this budget: site 000" in said(visit), "by their true sizes, not by the guess in the form"
    assert "40 of 62 groups in view" in said(visit)
    sought = named(visit.text_input, "groups_sought")
    run(sought.set_value("park"))
    (figure,) = figures(visit)
    assert figure["layout"]["yaxis"]["ticktext"] == ["Park"]


ASKED: dict[str, dict[str, str]] = {
    "shares": {"per_person": "weight", "person": "same", "mechanism": "indexp"},
    "found by shares": {
        "per_person": "weight",
        "person": "same",
        "mechanism": "indexp",
        "group_way": "found",
        "budget": "approximate",
    },
    "several rows": {"per_person": "Several", "person": "same", "mechanism": "freetotal"},
    "rows in all groups": {
        "per_person": "Several",
        "person": "same",
        "mechanism": "aq",
        "rows_in": "all",
        "intervals": "0.9",
    },
    "intervals": {"mechanism": "aggtree", "intervals": "0.9"},
    "simulated intervals": {"mechanism": "aq", "intervals": "0.95"},
    "best": {"mechanism": "best", "intervals": "0.95"},
    "best of shares": {"mechanism": "best", "person": "same", "per_person": "weight", "bounds": "find"},
    "found bounds": {"bounds": "find", "share": "20 %", "mechanism": "indexp"},
    "both": {"bounds": "find", "mechanism": "indexp", "person": "same", "per_person": "weight"},
    "pooled": {"bounds": "find", "mechanism": "indexp", "group_other": "rest", "intervals": "none"},
    "all found": {"bounds": "find", "mechanism": "indexp", "group_way": "found", "budget": "approximate"},
    "persons": {"bounds": "find", "mechanism": "indexp", "person": "same", "per_person": "mean", "groups_each": "2"},
}


@pytest.mark.slow(keep="persons")
@pytest.mark.parametrize("name", ASKED)
def test_groups_have_all_that_the_library_gives_them_and_the_script_repeats_it(name: str) -> None:
    asked = ASKED[name]
    if asked.get("per_person") == "Several":
        asked = asked | {"per_person": SOME_ROWS, "max_rows_per_person": "3"}
    listed = {"group_way": "list", "group_names": "Park; 700\nHill", "shape_size": "1,000"}
    visit = driving.open_page(data="visits", each="group", quantiles="quartiles", epsilon="3", **listed | asked)
    found = shown(visit, "explore")
    assert isinstance(found, Simulated)
    assert {"Park"} <= {each.group for each in found.answers}
    assert told_by_script(found) == {each.group: each.values for each in found.answers}
    assert (found.answers[0].cells.find_bounds is not None) is (asked.get("bounds") == "find")
    assert found.guarantee.epsilon == pytest.approx(3)
    long = list(csv.DictReader(io.StringIO(found.release.to_csv().lstrip("\ufeff"))))
    assert bool(long[0]["low"]) is (asked.get("intervals", "none") != "none")
    if long[0]["low"]:
        assert all(float(row["low"]) <= float(row["value"]) <= float(row["high"]) for row in long)
        assert json.loads(exports.as_json(found))["answers"][0]["low"] is not None
        assert "interval of each group alone" in said(visit)
    json.loads(exports.as_plan(found))


@pytest.mark.slow
def test_slices_warn_before_a_release_that_one_small_group_leaves_all_without_an_answer() -> None:
    visit = listing(upload_groups({"mechanism": "slice"}), "north", "south")
    for size, warned in (("20", True), ("100000", False)):
        run(named(visit.text_input, "shape_size").set_value(size))
        found = [each.value for each in visit.warning if "needs about" in each.value]
        assert ["north and south" in each and "the whole budget is charged" in each for each in found] == [
            True
        ] * warned
    run(named(visit.selectbox, "mechanism").set_value("aq"))
    assert "needs about" not in said(visit)


@pytest.mark.slow
def test_what_groups_cannot_have_is_refused() -> None:
    asked = {"data": "visits", "each": "group", "quantiles": "median", "person": "same", "per_person": "weight"}
    assert [is_disabled(driving.open_page(**asked, mechanism=each)) for each in ("slice", "aq")] == [True, False]


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "hold"), [("aq", "together"), ("best", "each")])
def test_intervals_of_groups_rest_on_the_sizes_that_were_given(mechanism: str, hold: str) -> None:
    visit = upload_groups({"quantiles": "median", "mechanism": mechanism, "release_intervals": "0.9", "hold": hold})
    visit = listing(visit, "north; 1234", "south; 90", "east")
    run(named(visit.text_input, "shape_size").set_value("600"))
    found = shown(press(visit), "release")
    assert isinstance(found, Released)
    assert found.plan.about_n == {"north": 1200, "south": 80, "east": 600}
    promised = any("clearly differ" in each.proto.label for each in visit.get("link_button"))
    assert promised is (hold == "together") is ("it is not known which groups" not in words(turn_to(visit, "releases")))


@pytest.mark.slow
def test_bounds_of_groups_are_found_and_their_intervals_released_and_told_in_the_report() -> None:
    visit = listing(upload_groups({"release_intervals": "0.9"}), "north", "south")
    found = shown(press(visit), "release")
    assert isinstance(found, Released)
    assert all(len(each.intervals) == 3 and not each.held and not each.lows for each in found.answers)
    assert all(each.cells.basis is not None for each in found.answers)
    run(visit.button_group(key=key("release_intervals")).set_value("none"))
    run(visit.button_group(key=key("bounds")).set_value("find"))
    press(visit)
    between = shown(visit, "release")
    assert isinstance(between, Released)
    assert (between.answers[0].cells.find_bounds is not None, between.guarantee.epsilon) == (True, 1)
    assert metrics(visit)["Spent of the budget by now"] == "ε = 2 of 3"
    made = [make(between) for make in (exports.as_json, exports.as_script)]
    made += [between.release.to_csv(wide=wide) for wide in (False, True)]
    for text in (words(visit), words(turn_to(visit, "releases")), *made):
        assert HIDDEN.search(text) is None


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the file in it, where scripts run."""
    (tmp_path / "staff.csv").write_bytes(FILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def upload_groups(link: dict[str, Any], *, ids: bool = False, content: bytes = FILE) -> AppTest:
    return driving.set_bounds(table(groups=True, ids=ids, content=content, **link), "0", "120", "1")


def bring_table(by: list[str], *, public: bool, ids: bool = False, **link: Any) -> AppTest:
    usual: dict[str, Any] = {"quantiles": "deciles", "mechanism": "best"}
    return table(public=public, ids=ids, groups=bool(by), more=True, by=tuple(by), **usual | link)


def repeated(found: Answered, folder: Path) -> dict[str, list[list[float]]]:
    """The answers of the script of a simulation, by column: a row for each group that has some."""
    os.chdir(folder)
    told: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(exports.as_script(found), told)
    return {name: [*map(list, each.of_trial(0).values)] for name, each in told["study"].items()}


def answers(found: Answered) -> dict[str, list[list[float]]]:
    rows: dict[str, list[list[float]]] = {}
    for each in found.answers:
        rows.setdefault(each.wording.name, []).append(list(each.values))
    return rows


KINDS: dict[str, tuple[list[str], dict[str, Any], str]] = {
    "one column of groups": (["region"], {}, "digits"), "two columns of groups": (["region", "sex"], {}, "digits"),
    "intervals": (["region"], {"intervals": "0.9"}, "digits"), "found bounds": (["sex"], {}, "find"),
    "found groups": (["region", "sex"], {"budget": "approximate", "group_way": "found"}, "digits"),
    "all found": (["region"], {"budget": "approximate", "group_way": "found"}, "find"),
    "shares": (["region", "sex"], {"ids": True, "per_person": "weight"}, "digits"),
    "shares, found groups": (
        ["region"],
        {"ids": True, "per_person": "weight", "budget": "approximate", "group_way": "found"},
        "digits",
    ),
    "several rows": (["region"], {"ids": True, "per_person": SOME_ROWS}, "digits"),
    "persons": (["region"], {"ids": True, "per_person": "mean"}, "find"), "whole": ([], {"intervals": "0.9"}, "digits"),
    "whole, counted": ([], {"intervals": "0.9", "counted": "noisy"}, "digits"),
    "whole, found bounds": ([], {"ids": True, "per_person": "weight"}, "find"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_table_is_explored_in_groups_and_its_script_repeats_it(kind: str, in_folder: Path) -> None:
    by, link, bounds = KINDS[kind]
    later = {name: link[name] for name in ("per_person", "group_way") if name in link}
    asked = {name: value for name, value in link.items() if name not in {*later, "ids"}}
    visit = bring_table(by, public=True, ids=bool(link.get("ids")), **asked)
    for name, value in later.items():
        visit.session_state[key(name)] = value
    visit = press(ask_all(visit, bounds, mechanism="indexp", quantiles="quartiles"))
    found = shown(visit, "explore")
    assert isinstance(found, Simulated)
    assert found.guarantee.epsilon == pytest.approx(1)
    assert answers(found) == repeated(found, in_folder)
    assert {each.group for each in found.answers} == ({""} if not by else {each.group for each in found.answers} - {""})
    assert all(bool(each.intervals) is ("intervals" in link) for each in found.answers)
    assert all((each.cells.find_bounds is not None) is (bounds == "find") for each in found.answers)
    rows = list(csv.DictReader(io.StringIO(found.release.to_csv().lstrip("\ufeff"))))
    assert len(rows) == 3 * len(found.answers)
    assert (set(by) <= rows[0].keys(), bool(rows[0]["low"])) == (True, "intervals" in link)
    json.loads(exports.as_json(found))
    assert metrics(visit)["Columns"] == "2"
    assert "Settings changed" not in said(visit)


@pytest.mark.slow
def test_one_column_alone_has_groups_by_two_columns() -> None:
    visit = driving.set_bounds(table(groups=True, by=("region", "sex"), quantiles="median"), "0", "120", "1")
    visit.text_area(key=key("group_names")).set_value("north\nsouth")
    visit.text_area(key=key("more_names")).set_value("f\nm")
    found = shown(press(run(visit)), "release")
    assert [each.group for each in found.answers] == ["north · f", "north · m", "south · f", "south · m"]
    assert turn_to(visit, "releases").dataframe[0].value["groups"].tolist() == [
        "north · f, north · m, south · f, south · m"
    ]
    public = driving.set_bounds(
        table(public=True, groups=True, by=("region", "sex"), quantiles="median"), "0", "120", "1"
    )
    assert {each.group for each in shown(press(public), "explore").answers} == {
        f"{region} · {sex}" for region in SIZES for sex in "fm"
    }


@pytest.mark.slow
def test_a_release_in_groups_answers_every_combination_of_two_lists() -> None:
    visit = ask_all(bring_table(["region", "sex"], public=False, quantiles="median", mechanism="aq"))
    assert is_disabled(visit), "the lists are missing"
    visit.text_area(key=key("group_names")).set_value("north\nnobody here")
    visit.text_area(key=key("more_names")).set_value("f\nm")
    press(run(visit))
    found = shown(visit, "release")
    assert isinstance(found, Released)
    assert [each.group for each in found.answers[:4]] == [
        "north · f", "north · m", "nobody here · f", "nobody here · m",
    ]  # fmt: skip
    report = turn_to(visit, "releases")
    assert "nobody here" in words(report)
    many = "\n".join(f"place {number}" for number in range(4000))
    visit.text_area(key=key("group_names")).set_value(many)
    visit.text_area(key=key("more_names")).set_value(many)
    assert "16,000,000 combinations" in said(run(visit)), "refused before they are made"
    assert is_disabled(visit)


@pytest.mark.slow
def test_pictures_are_one_for_each_column_and_grey_where_groups_are_too_small() -> None:
    visit = ask_all(bring_table(["region"], public=False, release_intervals="0.9", mechanism="aq"))
    visit.text_area(key=key("group_names")).set_value("north; 3000\nsouth; 12")
    visit = press(run(visit))
    found = shown(visit, "release")
    assert [(each.group, each.too_small) for each in found.answers[:2]] == [("north", False), ("south", True)]
    assert all(plan.about_n == {"north": 3000, "south": 12} for plan in found.chosen.plan.plans.values())
    (figure,) = figures(visit)
    assert [figure["layout"][name]["ticktext"] for name in ("yaxis", "yaxis2")] == [["north", "south"]] * 2
    assert said(visit).count("Too small for this budget: south") == 1


@pytest.mark.slow
def test_groups_between_found_bounds_are_not_judged_by_sizes() -> None:
    visit = bring_table(["region"], public=False)
    visit.text_area(key=key("group_names")).set_value("north; 3000\nsouth; 12")
    visit = press(ask_all(run(visit), "find"))
    assert [each.too_small for each in shown(visit, "release").answers] == [None] * 4
