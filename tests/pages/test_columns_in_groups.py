"""Several columns in groups on a page: read, asked, drawn and charged in one press, and told in files and reports."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpq_core.ledger import Ledger, standing
from dpq_core.results import Codebook, ColumnsOutcome, ColumnsReleased, ColumnsSimulation, scripts
from dpq_core.studies import SOME_ROWS
from pages.columns import asking
from pages.keys import PREFIX
from pages.settings.table import key
from tests.every_run import kept
from tests.pages.driving import (
    column_key,
    figures,
    metrics,
    more_key,
    named,
    open_page,
    press,
    read,
    run,
    said,
    turn_to,
    words,
)

RNG = np.random.default_rng(3)
SIZES = {
    ("north", "f"): 1877,
    ("north", "m"): 1543,
    ("south", "f"): 1229,
    ("south", "m"): 1117,
    ("QZsecret", "f"): 1013,
}
ROWS = [
    (f"ZX{person:05d}", *group, age, pay)
    for group, size in SIZES.items()
    for person, age, pay in zip(
        RNG.integers(0, 2500, size), RNG.integers(18, 90, size), np.round(RNG.lognormal(10, 0.5, size)), strict=True
    )
]
HIDDEN = re.compile(
    rf"ZX\d{{5}}|QZsecret|(?<![\d.])(?:{'|'.join(f'{size}|{size:,}' for size in [*SIZES.values(), len(ROWS)])})(?!\d)"
)
CSV = "customer_id;region;sex;age;pay\n" + "".join(";".join(map(str, row)) + "\n" for row in ROWS)


def bring(by: list[str], *, public: bool, ids: bool = False, **link: str) -> AppTest:
    visit = open_page(data="file", **link)
    if public:
        run(visit.checkbox[0].check())
    visit.file_uploader[0].upload("people.csv", CSV.encode())
    run(visit)
    run(visit.selectbox(key=column_key(visit)).set_value("age"))
    run(visit.multiselect(key=more_key(visit)).set_value(["pay"]))
    if ids:
        run(visit.button(key=f"{PREFIX}_same_person").click())
    asked = named(visit.multiselect, "group_columns")
    run(asked.set_value(by))
    return read(visit)


def edited(visit: AppTest, monkeypatch: pytest.MonkeyPatch, **cells: Any) -> AppTest:
    """Let every row of the editor have these cells, which nobody can type into without a browser."""
    usual = asking._usual
    monkeypatch.setattr(asking, "_usual", lambda column: usual(column) | cells)
    return run(visit)


def outcome(visit: AppTest, mode: str) -> ColumnsOutcome:
    found = visit.session_state[f"{PREFIX}:table_outcome:{mode}"]
    assert isinstance(found, ColumnsOutcome)
    return found


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the file in it, where scripts run."""
    (tmp_path / "people.csv").write_text(CSV)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def repeated(found: ColumnsOutcome, folder: Path) -> dict[str, list[list[float]]]:
    """The answers of the script of a simulation, by column: a row for each group that has some."""
    os.chdir(folder)
    told: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(scripts.as_script(found), told)
    return {
        name: [row for row in np.atleast_2d(values[0]).tolist() if row[0] == row[0]]
        for name, values in told["study"].values.items()
    }


def answers(found: ColumnsOutcome) -> dict[str, list[list[float]]]:
    rows: dict[str, list[list[float]]] = {}
    for each in found.answers:
        rows.setdefault(each.wording.name, []).append(list(each.values))
    return rows


KINDS: dict[str, tuple[list[str], dict[str, Any], dict[str, Any]]] = {
    "one column of groups": (["region"], {}, {}),
    "two columns of groups": (["region", "sex"], {}, {}),
    "intervals": (["region"], {"intervals": "0.9"}, {}),
    "found bounds": (["sex"], {}, {"otherwise": asking.FIND}),
    "found groups": (["region", "sex"], {"budget": "approximate", "group_way": "found"}, {}),
    "all found": (["region"], {"budget": "approximate", "group_way": "found"}, {"otherwise": asking.FIND}),
    "shares": (["region", "sex"], {"ids": True, "take": "share"}, {}),
    "shares, found groups": (
        ["region"],
        {"ids": True, "take": "share", "budget": "approximate", "group_way": "found"},
        {},
    ),
    "several rows": (["region"], {"ids": True, "take": SOME_ROWS}, {}),
    "persons": (["region"], {"ids": True, "take": "mean"}, {"otherwise": asking.FIND}),
    "whole": ([], {"intervals": "0.9"}, {}),
    "whole, counted": ([], {"intervals": "0.9", "counted": "noisy"}, {}),
    "whole, found bounds": ([], {"ids": True, "take": "share"}, {"otherwise": asking.FIND}),
}


IN_EVERY_RUN = "two columns of groups", "intervals", "all found", "shares, found groups", "persons", "whole, counted"


@pytest.mark.parametrize("kind", kept(KINDS, *IN_EVERY_RUN))
def test_a_table_is_explored_in_groups_and_its_script_repeats_it(
    kind: str, in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by, link, cells = KINDS[kind]
    later = {name: link[name] for name in ("take", "group_way") if name in link}
    asked = {name: value for name, value in link.items() if name not in {*later, "ids"}}
    visit = bring(by, public=True, ids=bool(link.get("ids")), **asked)
    for name, value in later.items():
        visit.session_state[key(name)] = value
    visit = edited(run(visit), monkeypatch, **{"mechanism": asking.LABELS["indexp"]} | cells)
    visit = press(visit, "run_columns")
    found = outcome(visit, "explore")
    assert isinstance(found, ColumnsSimulation)
    assert found.guarantee.epsilon == pytest.approx(1)
    assert answers(found) == repeated(found, in_folder)
    assert {each.group for each in found.answers} == ({""} if not by else {each.group for each in found.answers} - {""})
    assert all(bool(each.intervals) is ("intervals" in link) for each in found.answers)
    assert all((each.find_bounds is not None) is (cells != {}) for each in found.answers)
    rows = list(csv.DictReader(io.StringIO(Codebook.of(found).as_csv().lstrip("\ufeff"))))
    assert len(rows) == 5 * len(found.answers)
    assert ("group" in rows[0], "low" in rows[0]) == (bool(by), "intervals" in link)
    json.loads(Codebook.of(found).as_json())
    Codebook.of(found).as_html()
    assert metrics(visit)["Columns"] == "2"
    assert "Settings changed" not in said(visit)


def test_a_release_in_groups_is_charged_once_and_tells_no_size(own_ledger: Path) -> None:
    visit = bring(["region", "sex"], public=False, quantiles="median")
    assert visit.button(key=f"{PREFIX}_run_columns").disabled, "the lists are missing"
    visit.text_area(key=key("group_names")).set_value("north\nsouth\nnobody here")
    visit.text_area(key=key("more_names")).set_value("f\nm")
    run(visit)
    run(visit.button(key=f"{PREFIX}_run_columns").click())
    question = " ".join(each.value for each in visit.markdown).replace("\\", "")
    assert "for each of 6 groups of region and sex" in question
    assert "on average among 1,000 people of a group; more among fewer" in question
    visit = run(visit.button(key=f"{PREFIX}_confirm").click())
    found = outcome(visit, "release")
    assert isinstance(found, ColumnsReleased)
    assert [each.group for each in found.answers[:6]] == [
        "north · f", "north · m", "south · f", "south · m", "nobody here · f", "nobody here · m",
    ]  # fmt: skip
    assert not any(each.true_values or each.errors for each in found.answers)
    ledger = Ledger.at(own_ledger)
    (account,) = ledger.accounts()
    (entry,) = standing(account).entries
    assert entry.guarantee.epsilon == pytest.approx(1)
    run(visit)
    assert len(standing(account).entries) == 1, "a rerun draws nothing"
    ledger.engine.dispose()
    book = Codebook.of(found)
    made = [make() for make in (book.as_csv, book.as_json, book.as_html, lambda: scripts.as_script(found))]
    report = turn_to(visit, "report")
    for told in (words(visit), *made, words(report)):
        assert hidden(told) == []
    assert "nobody here" in words(report)


def test_more_combinations_than_a_release_answers_are_refused_before_they_are_made() -> None:
    visit = bring(["region", "sex"], public=False)
    many = "\n".join(f"place {number}" for number in range(4000))
    visit.text_area(key=key("group_names")).set_value(many)
    visit.text_area(key=key("more_names")).set_value(many)
    assert "these are 16,000,000 combinations, and a page answers 100,000" in said(run(visit))
    assert visit.button(key=f"{PREFIX}_run_columns").disabled


def test_pictures_are_one_for_each_column_and_grey_where_groups_are_too_small(own_ledger: Path) -> None:
    visit = bring(["region"], public=False)
    visit.text_area(key=key("group_names")).set_value("north; 3000\nsouth; 12")
    visit = run(run(visit).button(key=f"{PREFIX}_run_columns").click())
    question = " ".join(each.value for each in visit.markdown).replace("\\", "")
    assert "on average in groups of the sizes that you gave; more in smaller ones" in question
    visit = run(visit.button(key=f"{PREFIX}_confirm").click())
    found = outcome(visit, "release")
    assert [(each.group, each.too_small) for each in found.answers[:2]] == [("north", False), ("south", True)]
    assert len(figures(visit)) == 2
    assert "Grey: too small for this budget" in said(visit)
    assert said(visit).count(" in north; too small for this budget: south.") == 2, "a sentence for each column"


def test_intervals_of_several_columns_rest_on_the_sizes_of_their_groups(own_ledger: Path) -> None:
    visit = bring(["region"], public=False, intervals="0.9")
    visit.text_area(key=key("group_names")).set_value("north; 3000\nsouth; 150")
    found = outcome(press(run(visit), "run_columns"), "release")
    assert all(plan.about_n == {"north": 3000, "south": 150} for plan in found.request.plans.values())


def test_groups_between_found_bounds_are_not_said_to_be_judged_by_sizes(
    own_ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit = bring(["region"], public=False)
    visit.text_area(key=key("group_names")).set_value("north; 3000\nsouth; 12")
    visit = press(edited(run(visit), monkeypatch, otherwise=asking.FIND), "run_columns")
    assert [each.too_small for each in outcome(visit, "release").answers] == [None] * 4
    assert "follows from the sizes that you gave" not in said(visit)
    assert "the answer of a small group may be noise alone" in said(visit)


def hidden(told: str) -> list[str]:
    """What of the data is in a text: sizes of groups, ids, and a name that nobody listed."""
    return HIDDEN.findall(told)
