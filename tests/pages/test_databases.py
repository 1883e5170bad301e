"""A database of the server as data: chosen by a label, read by the server, its address and its rows shown nowhere."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import DataError
from dpq_core.ledger import Ledger
from dpq_core.results import GroupedReleased, GroupedSimulation, Released, Simulation, scripts
from pages.keys import PREFIX
from pages.server import databases
from tests.pages.driving import (
    forget,
    link_of,
    listing,
    named,
    open_page,
    press,
    read,
    run,
    said,
    set_bounds,
    state_of,
    words,
)

AGES = [20 + (7 * k) % 61 for k in range(1733)]
HIDDEN = re.compile(r"clinic\.db|sqlite:/|QX\d{4}|QZsecret|(?<![\da-f.])(1,?733|577|578)(?![\da-f])|(?<!\d)wards(?!\w)")
"""The address, the table, ids, a group and the numbers of rows, but not inside of a random id such as a577f0."""
WARDS = ("north", "south", "QZsecret")


@pytest.fixture(autouse=True)
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    database = tmp_path / "clinic.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE wards (age, patient, ward)")
        rows = [(age, f"QX{k % 900:04d}", WARDS[k % 3]) for k, age in enumerate(AGES)]
        connection.executemany("INSERT INTO wards VALUES (?, ?, ?)", rows)
    connection.close()
    file = tmp_path / "sources.toml"
    one = f'url = "sqlite:///{database}"\ntable = "wards"\n'
    file.write_text(
        f'[[source]]\nlabel = "Clinic"\n{one}without_sign_in = true\n'
        f'[[source]]\nlabel = "Made up"\n{one}public = true\ncolumns = ["ward", "age"]\n'
    )
    monkeypatch.setenv("DPQ_SOURCES", str(file))
    return file


def read_from(label: str, *, ids: bool = False, groups: bool = False) -> AppTest:
    visit = open_page(quantiles="median", data="database", **({"take": "first"} if ids else {}))
    choose(visit, "database", label)
    if ids:
        run(visit.button(key=f"{PREFIX}_same_person").click())
    if groups:
        choose(visit, "group_column", "ward")
    visit = read(visit)
    if ids:
        assert "Rows of a database have no order" in said(visit)
        run(visit.selectbox(key=f"{PREFIX}_take").set_value("mean"))
    return set_bounds(visit, "0", "100", "1")


def choose(visit: AppTest, name: str, value: str) -> None:
    run(named(visit.selectbox, name).set_value(value))


def test_a_release_tells_the_label_and_charges_an_account(own_ledger: Path) -> None:
    visit = read_from("Clinic")
    assert not visit.checkbox
    press(visit)
    released = state_of(visit, "release")
    assert isinstance(released, Released)
    assert 40 <= released.values[0] <= 60
    assert "Clinic" in said(visit)
    script = scripts.as_script(released)
    compile(script, "script", "exec")
    assert "# Clinic\nrows = Database('sqlite:///...', table='...').rows('age')" in script
    assert link_of(visit)["data"] == "database"
    for text in (words(visit), script):
        assert HIDDEN.search(text.replace("sqlite:///...", "")) is None
    ledger = Ledger.at(own_ledger)
    assert [account.name for account in ledger.accounts()] == ["Clinic"]
    ledger.engine.dispose()
    forget(visit)
    assert f"{PREFIX}_read" in {button.key for button in visit.button}


def test_what_the_server_calls_public_may_be_explored(monkeypatch: pytest.MonkeyPatch) -> None:
    visit = press(read_from("Made up"))
    assert isinstance(state_of(visit, "explore"), Simulation)
    monkeypatch.setenv("DPQ_MODE", "release")
    assert isinstance(state_of(press(read_from("Made up")), "release"), Released)


@pytest.mark.very_slow
def test_people_of_a_database() -> None:
    visit = read_from("Clinic", ids=True)
    released = state_of(press(visit), "release")
    assert isinstance(released, Released)
    assert released.guarantee.protects == "person"
    assert HIDDEN.search(words(visit)) is None


def test_a_release_answers_the_listed_groups_of_persons(own_ledger: Path) -> None:
    visit = press(listing(read_from("Clinic", ids=True, groups=True), "north", "nowhere"))
    released = visit.session_state[f"{PREFIX}:groups:release"]
    assert isinstance(released, GroupedReleased)
    assert [answer.group for answer in released.answers] == ["north", "nowhere"]
    assert 35 <= released.answers[0].values[0] <= 65
    assert released.guarantee.protects == "person"
    script = scripts.as_script(released)
    assert "rows = Database('sqlite:///...', table='...').rows('age', person='patient', group='ward')" in script
    for text in (words(visit), script):
        assert HIDDEN.search(text.replace("sqlite:///...", "")) is None


def test_groups_that_the_server_calls_public_are_explored_and_scripts_repeat_them(clinic: Path) -> None:
    visit = press(read_from("Made up", groups=True))
    found = visit.session_state[f"{PREFIX}:groups:explore"]
    assert isinstance(found, GroupedSimulation)
    assert {answer.group: answer.size for answer in found.answers} == {"QZsecret": 577, "north": 578, "south": 578}
    opened = f"Database('sqlite:///{clinic.with_name('clinic.db')}', table='wards')"
    script = scripts.as_script(found).replace("Database('sqlite:///...', table='...')", opened)
    told: dict[str, dict[str, list[float]]] = {}
    exec(script.replace("print(name, *row)", "pass"), told)
    assert told["answers"] == {answer.group: list(answer.values) for answer in found.answers}


def test_only_the_listed_columns_are_offered_and_read() -> None:
    visit = open_page(data="database")
    choose(visit, "database", "Made up")
    assert named(visit.selectbox, "column").options == ["age", "ward"]
    source = databases.sources()["Made up"]
    for refused in (("patient", "", ""), ("age", "patient", ""), ("age", "", "patient")):
        with pytest.raises(DataError, match="does not offer this column"):
            source.check(*refused)
    source.check("age", "", "ward")


def test_without_databases_none_is_offered(clinic: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clinic.write_text('[[source]]\nlabel = "Clinic"\nurl = "secret"\n')
    wrong = open_page(data="database")
    assert "must name a TOML file" in said(wrong)
    assert "secret" not in words(wrong)
    one = f'label = "Clinic"\nurl = "sqlite:///{clinic}"\ntable = "wards"\n'
    clinic.write_text(f"[[source]]\n{one}")
    assert "offers its databases to curators who sign in" in said(open_page(data="database"))
    monkeypatch.delenv("DPQ_SOURCES")
    visit = open_page(data="database")
    chosen = visit.selectbox(key=f"{PREFIX}_data")
    assert "A database of this server …" not in chosen.options
    assert chosen.value == "file"
    assert visit.file_uploader
