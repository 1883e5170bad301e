"""A question from a line, a page or Python, as a plan file: asked again it is the same question, with one charge."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import dpq_core as dpq
from dpq_core.__main__ import main
from dpq_core.commands.release import with_mechanisms
from dpq_core.commands.words import stored_question
from dpq_core.ledger.history.entries import standing
from dpq_core.plan import levels_of
from dpq_core.question import Asked, Persons, Question
from dpq_core.release import ColumnWords
from dpq_core.sources.reading import Opening
from tests.commands.conftest import Answered, Refused, typed

CHARGED = "--account people --release-id one"
LINES = [
    "--column salary=digits:3:negative=no --column age=find:1:share=1/5 --quantiles 10%,1/3 --rho 0.5",
    "--column salary=0:9000:round --quantiles median --epsilon 1 --delta 1e-6 --zero - --missing-texts x,y",
    "AGE BY --quantiles median --epsilon 1 --decimal . --missing-codes -99,9999 --header --encoding cp1252",
    "AGE --by office=north --other rest ASKED --intervals 0.9 --about north=30,rest=20 --together",
    "AGE ASKED --person id --per-person weight --intervals 0.9 --noisy-count --mechanism indexp",
    "AGE --by sex=f,m ASKED --person id --max-rows-per-person 2 --max-groups-per-person any --one-row-is patient",
    "AGE DAY --adjacency replaced --quantiles median --epsilon 1 --missing age=7.5 --missing day=2024-01-05",
    "--column day=find ASKED --missing 2024-01-05",
]


@pytest.mark.slow(keep=[line for line in LINES if "--by sex=f" in line])
@pytest.mark.parametrize("line", LINES)
def test_a_line_its_plan_file_and_its_answer_are_one_request(line: str, answered: Answered) -> None:
    assert main(["release", *typed(f"{line} --save-plan plan.json --quiet")]) == 0
    first, _ = answered(f"people.csv {line} {CHARGED} --total-epsilon 9 --total-delta 1e-3")
    assert Question.from_json(Path("plan.json").read_text()) == Question.from_dict(first["question"])
    Path("answer.json").write_text(json.dumps(first))
    for file in ("plan.json", "answer.json"):
        assert answered(f"people.csv --plan {file} {CHARGED}")[0] == first
    (entry,) = standing(dpq.account("people")).entries
    assert entry.names == tuple(first["question"]["columns"])


def test_a_retry_reads_no_row(answered: Answered, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = answered(f"people.csv SALARY ASKED {CHARGED} --total-epsilon 1")
    monkeypatch.setattr("dpq_core.commands.data.table_of", None)
    monkeypatch.setattr("dpq_core.commands.release.price_of", None)  # intervals take seconds to work out
    again, err = answered(f"people.csv SALARY ASKED {CHARGED}")
    assert again == first
    assert err == "This is the stored answer of this id; nothing was charged to people: ε = 0 left of ε = 1.\n"


@pytest.mark.slow(keep=("5-indexp", "100000-aq"))
@pytest.mark.parametrize(("guess", "mechanism"), [(5, "indexp"), (50, "aggtree"), (100_000, "aq")])
def test_the_shell_draws_the_mechanism_of_the_page_by_the_guess_beside_a_count(guess: int, mechanism: str) -> None:
    pay = Asked(
        possible=dpq.Domain(0, 1000, 1), levels=levels_of("deciles"), about_n=guess, noisy_count=True,
        intervals=dpq.Intervals(0.9),
    )  # fmt: skip
    asked = Question(columns={"pay": pay}, budget=dpq.PureDP(0.5))
    assert with_mechanisms(asked).columns["pay"].mechanism == mechanism


def test_the_plan_file_in_the_docs_is_a_question() -> None:
    page = (Path(__file__).parents[2] / "docs/command-line.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    assert stored_question(block).possible == {"days": dpq.Domain(0, 365, 1)}


def test_a_synthetic_column_is_asked_by_a_plan_file(answered: Answered, refused: Refused) -> None:
    asked = Asked(possible=dpq.Domain(0, 99, 1), levels=(), synthetic=7)
    question = Question(columns={"age": asked}, budget=dpq.PureDP(1))
    Path("plan.json").write_text(question.to_json())
    line = f"people.csv --plan plan.json {CHARGED}"
    found, again = (answered(f"{line} {total}")[0] for total in ("--total-epsilon 1", ""))
    assert found == again
    assert len(found["answers"]) == len(answered("people.csv --plan plan.json")[0]["answers"]) == 7
    Path("plan.json").write_text(replace(question, columns={"age": asked, "salary": asked}).to_json())
    assert "`plan` must ask for a synthetic column alone" in refused("people.csv --plan plan.json")


@pytest.mark.slow
def test_an_account_of_persons_pays_for_nothing_else(answered: Answered, refused: Refused) -> None:
    charge = "--account patients"
    answered(
        f"people.csv AGE ASKED --person id --max-rows-per-person 2 --one-row-is patient {charge} --total-epsilon 3"
    )
    assert dpq.account("patients").one_row_is == "patient"
    said = refused(f"people.csv AGE ASKED {charge}")
    assert said.startswith("`--person` must be given: patients protects one patient with all rows.")
    answered("people.csv AGE ASKED --account rows --total-epsilon 3")
    said = refused("people.csv AGE ASKED --account rows --person id --per-person mean")
    assert said.startswith("`--person` must go with an account of people")
    assert "`--adjacency` must be that of rows" in refused(
        "people.csv AGE ASKED --adjacency replaced --missing 0 --account rows"
    )


ONE = Asked(possible=dpq.Domain(0, 99, 1), levels=(Fraction(1, 2),))
AGE = Question(columns={"age": ONE}, budget=dpq.PureDP(1))
UNASKED = dpq.quantiles({"a": [1.0]}, {"a": (0, 9, 1)}, "median", epsilon=1)


def changed(**settings: object) -> str:
    return replace(AGE, columns={"age": replace(ONE, **settings)}).to_json()  # type: ignore[arg-type]


def persons_by(column: str) -> str:
    return replace(AGE, persons=Persons(column=column, per_person="mean")).to_json()


PLANS = {
    "no JSON": ("x", "", "`plan` must be JSON text."),
    "no question": ("{}", "", "`plan` must be a question in format 2."),
    "a plan alone": (dpq.Plan("median", epsilon=1).to_json(), "", "`plan` must be a question in format 2."),
    "beside words": (AGE.to_json(), "--epsilon 2", "`--epsilon` must be left out with a plan file: plan.json is"),
    "beside an encoding": (AGE.to_json(), "--encoding cp1252", "`--encoding` must be left out with a plan file"),
    "beside a plan": (AGE.to_json(), "--save-plan b.json", "`--save-plan` must be left out with a plan file"),
    "an answer of version 1.1": (replace(UNASKED, question={}).to_json(), "", "an answer that holds its question"),
    "a sketch": (changed(held="gk"), "", "only Python reads a sketch"),
    "persons of no column": (persons_by(""), "", "must name the column of ids"),
    "two parts for one column": (persons_by("age"), "", "`--person` must name a column that you do not ask"),
    "another adjacency": (replace(AGE, adjacency=dpq.Adjacency.REPLACE_ONE).to_json(), "", "`--missing` must be given"),
    "dates": (changed(words=ColumnWords(kind="date")), "", "holds no dates"),
    "another sheet": (replace(AGE, file=Opening(sheet="May")).to_json(), "", "sheet` must"),
}
"""What a plan file holds, what is said beside it, and the refusal."""


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_file_that_cannot_be_used_is_refused(name: str, refused: Refused) -> None:
    content, line, sentence = PLANS[name]
    Path("plan.json").write_text(content)
    assert sentence in refused(f"people.csv --plan plan.json {line}")
