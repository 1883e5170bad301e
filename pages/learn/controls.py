"""The lessons in their order and the slider of each, whose options the links of the page know as well."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Control:
    """A slider over a few texts, by the name of its setting."""

    setting: str
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


AGES = tuple(map(str, range(17, 91)))
MANY = "How many quantiles?"
LESSONS = {
    "quantile": Control("learn_guess", "Your line: half of the people should be younger", AGES, "50", "years"),
    "one-person": Control("learn_newcomer", "How old is Kim?", AGES, "30", "years", "30"),
    "gaps": Control(
        "learn_gap_epsilon", "Budget (epsilon): to the left is more private", ("0.1", "0.2", "0.5", "1", "2", "5"), "1",
        in_question="0.1",
    ),
    "one-by-one": Control("learn_one_by_one", MANY, ("1", "3", "7", "15", "31", "63"), "3", in_question="15"),
    "halves": Control("learn_halves", MANY, ("1", "3", "7", "15", "31"), "7", in_question="15"),
    "slices": Control("learn_slices", MANY, ("3", "5", "9", "19"), "5", in_question="19"),
    "beliefs": Control(
        "learn_releases", "How often is the same median released?", ("1", "2", "5", "10", "20", "50"), "5",
        "times", "50",
    ),
    "broken": Control(
        "learn_noise", "Noise that is really added", ("100", "90", "80", "65", "50", "33"), "100", "percent", "65"
    ),
}  # fmt: skip
"""By the names of the lessons in links."""
