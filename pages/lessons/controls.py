"""The slider of each lesson, whose options the links of the page know as well."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Control:
    """A slider over a few texts."""

    label: str
    options: tuple[str, ...]
    default: str
    unit: str = ""
    in_question: str = ""
    """Where the slider goes once the prediction was made: the state that the question asks about.

    Empty where the figure shows that state at every position of the slider.
    """

    def shown(self, option: str) -> str:
        """Return an option as it is shown beside the slider: `1,000 years`."""
        number = f"{int(option):,}" if option.isdigit() else option
        return f"{number} {self.unit.removesuffix('s') if option == '1' else self.unit}".strip()


def _whole(first: int, last: int) -> tuple[str, ...]:
    return tuple(map(str, range(first, last + 1)))


EPSILONS = ("0.1", "0.2", "0.5", "1", "2", "5")

CONTROLS = {
    "learn_guess": Control("Your line: half of the people should be younger", _whole(17, 90), "50", "years"),
    "learn_newcomer": Control("How old is Kim?", _whole(17, 90), "30", "years", in_question="30"),
    "learn_rows": Control("How often did Kim come?", ("1", "2", "3", "5", "9", "20"), "1", "times", in_question="9"),
    "learn_gap_epsilon": Control("Budget (epsilon): to the left is more private", EPSILONS, "1", in_question="0.1"),
    "learn_one_by_one": Control("How many quantiles?", ("1", "3", "7", "15", "31", "63"), "3", in_question="15"),
    "learn_halves": Control("How many quantiles?", ("1", "3", "7", "15", "31"), "7", in_question="15"),
    "learn_slices": Control("How many quantiles?", ("3", "5", "9", "19"), "5", in_question="19"),
    "learn_pair": Control(
        "How far are the two quantiles from the ends?",
        ("5", "10", "20", "30", "40", "45"),
        "30",
        "percent",
        in_question="40",
    ),
    "learn_tree_epsilon": Control("Budget (epsilon): to the left is more private", EPSILONS, "0.5"),
    "learn_sketch": Control(
        "Allowed error of the sketch, in percent of the people", ("0.5", "1", "2", "5", "10"), "5", in_question="5"
    ),
    "learn_answers": Control(
        "How many answers, each at a price of 0.1?", ("1", "3", "10", "30", "100", "300"), "10", in_question="100"
    ),
    "learn_departments": Control(
        "How many departments?", ("1", "2", "3", "5", "10"), "3", "departments", in_question="10"
    ),
    "learn_people": Control(
        "How many people are there?", ("100", "300", "1000", "3000", "20000"), "1000", "people", in_question="100"
    ),
    "learn_sure": Control(
        "How sure should each interval be?", ("50", "80", "90", "95", "99"), "95", "percent", in_question="80"
    ),
    "learn_noise": Control(
        "Noise that is really added", ("100", "90", "80", "65", "50", "33"), "100", "percent", in_question="65"
    ),
    "learn_releases": Control(
        "How often is the same median released?", ("1", "2", "5", "10", "20", "50"), "5", "times", in_question="50"
    ),
}
"""By the name of the setting."""

LESSONS = {
    "quantile": "learn_guess",
    "one-person": "learn_newcomer",
    "gaps": "learn_gap_epsilon",
    "one-by-one": "learn_one_by_one",
    "halves": "learn_halves",
    "beliefs": "learn_releases",
    "many-rows": "learn_rows",
    "slices": "learn_slices",
    "free-total": "learn_pair",
    "counts": "learn_tree_epsilon",
    "sketches": "learn_sketch",
    "adding-up": "learn_answers",
    "groups": "learn_departments",
    "unknown-bounds": "learn_people",
    "how-sure": "learn_sure",
    "broken": "learn_noise",
}
"""The names of the lessons in links, in their order, and the setting that each of them moves."""
SHORT_COURSE = 6
"""The first lessons, which are a course of their own; the others show more ways."""
