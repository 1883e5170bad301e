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
    "learn_gap_epsilon": Control("Budget (epsilon): to the left is more private", EPSILONS, "1", in_question="0.1"),
    "learn_one_by_one": Control("How many quantiles?", ("1", "3", "7", "15", "31", "63"), "3", in_question="15"),
    "learn_halves": Control("How many quantiles?", ("1", "3", "7", "15", "31"), "7", in_question="15"),
    "learn_slices": Control("How many quantiles?", ("3", "5", "9", "19"), "5", in_question="19"),
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
    "slices": "learn_slices",
    "beliefs": "learn_releases",
    "broken": "learn_noise",
}
"""The names of the lessons in links, in their order, and the setting that each of them moves."""
