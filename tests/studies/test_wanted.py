"""Several searches as one job."""

from __future__ import annotations

from dpq_core.studies import wanted
from dpq_core.studies.grid import Grid
from dpq_core.studies.search import BudgetSearch, SearchResult, steps


def test_each_search_is_the_same_as_alone():
    cells = Grid(mechanisms=["aq", "slice"], quantiles=[3], n=[100], seed=3).configurations()
    questions = [BudgetSearch(configuration=configuration, wanted=20.0) for configuration in cells]
    found = list(wanted.steps(questions))
    shares = [share for share, _ in found]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    answers = {number: part for _, (number, part) in found if isinstance(part, SearchResult)}
    assert answers == {number: list(steps(question))[-1][1] for number, question in enumerate(questions)}
    assert len(found) == sum(len(answer.visits) + 1 for answer in answers.values())
    assert answers[0].budget is not None


def test_more_searches_take_longer():
    questions = [
        BudgetSearch(configuration=configuration, wanted=20.0)
        for configuration in Grid(mechanisms=["aq", "indexp"]).configurations()
    ]
    one, two = (wanted.expected_search_seconds(questions[:count], 1000) for count in (1, 2))
    assert 0 < one < two
