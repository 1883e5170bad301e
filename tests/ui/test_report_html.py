"""The sheet: what it says, that it says nothing else, and that it needs nothing else."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest

from dpq_core import Adjacency, Domain, Plan, PureDP, Sample, simulate
from dpq_core.figures.report import draw_guesses
from dpq_core.figures.report_chart.scene import Diamond, Scene, Words
from dpq_core.intervals import Basis, around, sentences_of_neighbours
from dpq_core.release import QuantileRelease
from dpq_core.report.charts import MOST_ROWS, answer_chart, chosen, picture
from dpq_core.report.facts import ASKED, ReportFacts
from dpq_core.report.findings import about_ranges, does_not_mean, headline, privacy_line, range_of
from dpq_core.report.html import document, sheet
from dpq_core.report.tables import with_intervals
from dpq_core.report.words import accuracy, again, bound, label, proved, ranks
from dpq_core.results import error_bound
from dpq_core.results.error_bound import error_bound_of, presets
from dpq_core.results.wording import Wording

AGES = Domain(0, 120, 1)
DECILES = Plan([Fraction(k, 10) for k in range(1, 10)])


@pytest.fixture(autouse=True, scope="module")
def few_runs() -> Iterator[None]:
    """Simulate errors with few runs: which they are is asked in tests/results, here only how they are told."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(error_bound, "TRIALS", 16)
        _forget_errors()
        yield
    _forget_errors()


def _forget_errors() -> None:
    error_bound_of.cache_clear()


def facts(plan: Plan | None = None, n: int = 5000, **changes: object) -> ReportFacts:
    plan = plan or Plan([Fraction(k, 100) for k in range(1, 100)])
    answers = replace(plan, intervals=None, about_n=None)
    values = tuple(float(20 + at // 2) for at in range(len(plan.quantiles)))
    answer = ReportFacts(
        title="Age",
        about="patients · release · 2026-01-31",
        wording=Wording("age", "number", "years", "patient", "patients", 0),
        plan=plan,
        domain=AGES,
        values=values,
        intervals=around(plan.quantiles, values, AGES, 100, n),
        basis=Basis(False, sentences_of_neighbours(ASKED, n)),
        simulated=False,
        privacy=plan.privacy,
        account="patients",
        release_id="a" * 32,
        left="ε = 2 left",
        allows_again=True,
        released="2026-01-31",
        made="2026-02-01",
        version="0",
        n=n,
        counted=False,
        error_bound=error_bound_of(answers, AGES, n),
        presets=presets(answers, AGES, n),
    )
    return replace(answer, **changes)  # type: ignore[arg-type]


class Balanced(HTMLParser):
    """Complains of a tag that is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in {"meta", "img", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def text_of(html: str) -> str:
    html = re.sub(r"</?span[^>]*>", "", html)  # inside a word
    return unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)))


def words_of(scene: Scene) -> str:
    return " ".join(mark.text for mark in scene.marks if isinstance(mark, Words))


def test_notes_of_the_answers_are_said_beside_what_they_rest_on() -> None:
    note = "12 of 99 levels were drawn; the others lie between them, because the records are too few for more."
    said = facts(notes=(note,))
    assert note in text_of(sheet(said))
    assert about_ranges(said).endswith(f" {note}")
    assert about_ranges(replace(said, basis=None)).endswith(f" {note}")


def test_the_answer_comes_first_and_then_its_privacy() -> None:
    page = text_of(sheet(facts()))
    order = [
        headline(facts()),
        "The numbers as a table",
        privacy_line(facts()),
        "What this does not mean",
        "A guess about one patient is right",
    ]
    places = [page.index(part) for part in order]
    assert places == sorted(places)
    said = "any one patient. Someone guessing whether a given patient is in the data would be right at most 74 times"
    assert page.index(said) < page.index("Privacy label")


def test_three_numbers_without_greek_on_the_card() -> None:
    page = document(facts())
    numbers = re.findall(r'class="dpq-number">([^<]+)<', page)
    assert numbers[:2] == ["any one patient", "at most 74 times in 100"]
    assert re.fullmatch(r"within \d+ ranks of 5,000", numbers[2])
    assert "It is not a share of the patients." in page, "74 of 100 guesses, and not of the patients"
    assert "places" not in page
    before_the_choices = text_of(page).partition("What another budget would buy")[0]
    assert not re.search("[ερδ]", before_the_choices)


def test_the_file_is_whole_small_and_asks_no_other_machine() -> None:
    page = document(facts())
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    assert len(page.encode()) < 60_000
    assert "<script" not in page
    assert re.findall(r'(?:src|href)="(?!data:)', page) == []
    assert "http" not in text_of(page)


def test_names_are_text_only() -> None:
    evil = '<script>alert("x")</script>'
    page = document(facts(title=evil, account=evil, wording=Wording(evil, "number", evil, evil, evil, 0)))
    assert "<script" not in page
    drawings = [b64decode(code).decode() for code in re.findall(r"base64,([^\"]+)", page)]
    assert drawings
    assert not any("<script" in drawing for drawing in drawings)


@pytest.mark.parametrize(
    ("levels", "changes", "said"),
    [
        (["1/4", "1/2"], {}, "For half of the patients, age is 38 years or less (roughly 37 to 40 years)."),
        (["1/4", "1/2"], {"intervals": ()}, "For half of the patients, age is 38 years or less."),
        (["1/5", "9/10"], {}, "For 20 % of the patients, age is 21 years or less (roughly at most 22 years)."),
        (["0", "1"], {}, "The minimum of age is 21 years (roughly at most 22 years)."),
        ([], {"values": (), "intervals": ()}, "No quantile was requested, so there is no answer."),
        (
            ["1/4", "1/2"],
            {"wording": Wording("Aufnahme", "date", "days", "patient", "patients", 0)},
            "For half of the patients, Aufnahme is 1970-02-08 or earlier (roughly 1970-02-07 to 1970-02-10).",
        ),
        (
            ["1/4", "1/2"],
            {"wording": Wording("GPA", "money", "€", "visit", "visits", 0, "patient")},
            "For half of the visits, GPA is €\u00a038 or less (roughly €\u00a037 to 40).",
        ),
        (
            ["1/4", "1/2"],
            {
                "wording": Wording("age", "number", "years", "patient", "patients", 0, "patient"),
                "rule": "each patient counts once, by all of their rows, which together weigh as much as one",
            },
            "For half of all rows (those of one patient weigh as much as one), age is 38 years or less "
            "(roughly 37 to 40 years).",
        ),
    ],
)  # fmt: skip
def test_the_headline(levels: list[str], changes: dict[str, object], said: str) -> None:
    """With the level nearest to the median, the words of the column, and the interval as far as it is closed."""
    usual: dict[str, object] = {"values": (21.0, 38.0), "intervals": ((0.0, 22.0), (37.0, 40.0))}
    found = facts(Plan(levels), 5000, **(usual | changes))
    assert headline(found) == said
    assert said in text_of(sheet(found))


@pytest.mark.parametrize(
    ("levels", "values", "said"),
    [
        (
            DECILES.quantiles,
            (120.0,) * 9,
            "For half of the patients or more, age is 120 years, the highest possible value, or more.",
        ),
        (
            ("1/4",),
            (120.0,),
            "For 75 % of the patients or more, age is 120 years, the highest possible value, or more.",
        ),
        (
            DECILES.quantiles,
            (0.0,) * 9,
            "For half of the patients or more, age is 0 years, the lowest possible value, or less.",
        ),
    ],
)
def test_answers_at_a_bound_are_no_finding(levels: tuple[str, ...], values: tuple[float, ...], said: str) -> None:
    """Highest = 1,000 on incomes near 28,000 said "income is 1,000 or less"."""
    told = facts(Plan(levels), values=values, intervals=())
    assert headline(told) == said
    page = text_of(sheet(told))
    assert page.index(said) < page.index("possible value: the bound is probably too ") < page.index("What this does")
    assert "possible value" not in text_of(sheet(facts()))


def test_an_answer_far_beyond_all_others_is_grey_and_stretches_no_axis() -> None:
    """-5.6e13 was an age in chart, codebook and report."""
    five = Plan([Fraction(share, 100) for share in (5, 25, 50, 75, 95)])
    told = facts(five, values=(-5.6e13, 27.0, 41.0, 55.0, 74.0), domain=Domain.significant(2))
    chart = answer_chart(told)
    assert [mark.role for mark in chart.marks if isinstance(mark, Diamond)] == ["private"] * 4
    assert [mark.role for mark in chart.marks if isinstance(mark, Words) and mark.text == "not usable"] == ["quiet"]
    places = [mark.x for mark in chart.marks if isinstance(mark, Diamond)]
    assert places[1] - places[0] > 50, "the others fill the axis"
    page = text_of(sheet(told))
    assert "The answer at 5 % is not usable at this budget" in page
    assert headline(told).startswith("For half of the patients, age is 41 years or less")
    often = replace(told, values=(18.0, 27.0, 41.0, 55.0, 74.0), chances=(0.42, 0.0, 0.004, 0.0, 0.9))
    page = text_of(sheet(often))
    assert "Among 5,000 patients, simulated answers are often far off at 5 % (42 of 100), 95 % (90 of 100)." in page
    assert [mark.role for mark in answer_chart(often).marks if isinstance(mark, Diamond)] == ["private"] * 4
    lost = replace(often, chances=(0.9, 0.8, 0.6, 0.8, 0.9))
    assert headline(lost) == "The median of age is not usable at this budget."


def test_bought_intervals_are_no_approximation_by_neighbours() -> None:
    found = facts(Plan(["1/2"], intervals=0.9, about_n=5000), values=(38.0,), intervals=((37.0, 40.0),))
    assert "(90 %: 37 to 40 years)" in headline(found)


def test_an_interval_from_bound_to_bound_is_no_finding() -> None:
    found = facts(Plan(["1/2"]), values=(38.0,), intervals=((0.0, 120.0),))
    assert headline(found) == "For half of the patients, age is 38 years or less."
    assert range_of(found, Fraction(1, 2)) == "cannot be determined"


def test_what_it_does_not_mean_fits_what_was_asked() -> None:
    exact, learned = does_not_mean(facts())
    assert "They describe the patients in these data, and no others." in exact
    assert "how much the data of one patient can reveal" in learned
    from dpq_core.plan import Intervals

    sample = facts(Plan(["1/2"], intervals=Intervals(0.95, of="population"), about_n=5000))
    assert "no others" not in does_not_mean(sample)[0]
    assert does_not_mean(facts(privacy=PureDP(100.0)))[1] == "That anyone is protected."


def test_errors_are_ranks_and_no_percents_that_read_as_values() -> None:
    """39 of 1,000 is no 3.9 % of the euros."""
    found = facts(DECILES, 1000, wording=Wording("income", "money", "€", "person", "people", 2))
    assert found.errors is not None
    page = text_of(sheet(found)).replace("\xa0", " ")
    assert f"within {found.errors.bound} ranks of 1,000" in page
    assert "Ranks, not €" in page
    assert "off by at most" not in page.lower()
    shares = re.findall(r"([\d.]+) %", page)
    asked = {f"{10 * k}" for k in range(1, 10)}
    assert set(shares) == asked | {"95"}, "percents are asked shares, and how sure the range is"


def test_the_number_of_people_is_never_assumed_silently() -> None:
    assert "If there are about 5,000 patients ranked" in accuracy(facts())
    assert "With the 5,000 patients ranked" in accuracy(facts(counted=True))
    for counted, said in ((False, "about 5,000 patients"), (True, "5,000 patients")):
        assert label(facts(counted=counted))["Errors worked out for"] == said


def test_the_three_measures_stand_under_their_names() -> None:
    found = facts(DECILES, 1000)
    assert found.errors is not None
    page = text_of(sheet(found))
    assert f"Error bound (95 of 100 runs)  within {found.errors.bound} ranks of 1,000" in page
    assert f"Mean rank error, over all answers and runs: {ranks(found.errors.mean)}." in page
    assert f"Worst rank error, of a run's farthest answer, over all runs: {ranks(found.errors.worst)}." in page
    assert ranks(0.3) == "under 1 rank"


def test_every_level_has_a_range_open_at_the_bounds() -> None:
    found = facts(DECILES, 1000)
    said = {level: range_of(found, level, unit=False) for level in DECILES.quantiles}
    assert said[Fraction(1, 10)] == "at most 21"
    assert said[Fraction(9, 10)] == "at least 23"
    assert all(re.fullmatch(r"\d+ to \d+|\d+|at (most|least) \d+", text) for text in said.values())
    assert said[Fraction(1, 2)] == "21 to 23"
    assert "–" not in text_of(sheet(found))


def test_where_no_error_is_known_a_dash_says_so() -> None:
    found = facts(DECILES, 1000, error_bound=None, intervals=(), basis=None)
    page = text_of(sheet(found))
    assert page.count(" – ") == 9
    assert about_ranges(found) == "It is not known how far the answers are from the true values."
    assert about_ranges(found) in page
    assert "Errors worked out for" not in label(found)
    assert "not known" in page.partition("What the answers reveal")[0]
    assert [mark for mark in answer_chart(found).marks if mark.role == "interval"] == []


def test_where_the_bounds_were_found_the_mechanism_is_not_blamed() -> None:
    unknown: dict[str, object] = {"error_bound": None, "presets": {}, "intervals": (), "basis": None}
    page = text_of(sheet(facts(DECILES, 1000, **unknown, bounds_found=True)))
    assert "The bounds were found in the data" in page
    assert "mechanism gives no answer" not in page
    assert "another budget" not in page


def test_a_budget_that_protects_hardly_anybody_is_not_praised() -> None:
    page = text_of(sheet(facts(privacy=PureDP(100.0))))
    assert "Hardly anyone is protected: the budget is too large (ε = 100)." in page
    assert "keep it uncertain" not in page


def test_the_file_says_where_it_comes_from() -> None:
    """Mechanism, data set, dates, and the id of the release."""
    page = text_of(document(facts()))
    for fact in ("Splitting in halves", "patients", "2026-01-31", "2026-02-01", "a" * 32):
        assert fact in page
    assert "Release id" not in label(facts(simulated=True, account="", left="", released="", release_id=""))


def test_what_is_left_is_said_of_a_day() -> None:
    assert label(facts())["Budget left"] == "ε = 2 left, on 2026-02-01"
    assert "on 2026-02-01 the budget did not allow it" in again(facts(allows_again=False))


def test_a_long_answer_is_cut_for_one_page_and_says_so() -> None:
    found = facts()
    levels = chosen(found.plan.quantiles)
    assert (len(levels), levels[0], levels[-1]) == (MOST_ROWS, Fraction(1, 100), Fraction(99, 100))
    assert found.middle in levels
    assert f"{MOST_ROWS} of 99 answers are shown; the table on screen lists more." in sheet(found)
    assert f"{MOST_ROWS} of 99 answers are shown; the report lists more" in words_of(picture(found))
    assert len([mark for mark in answer_chart(found).marks if isinstance(mark, Diamond)]) == MOST_ROWS


def test_page_and_picture_show_the_same_numbers() -> None:
    found = facts(DECILES)
    texts = [mark.text for mark in answer_chart(found).marks if isinstance(mark, Words)]
    assert "are shown" not in words_of(picture(found))
    for at, level in enumerate(DECILES.quantiles):
        assert found.wording.number(found.values[at]) in texts
        assert range_of(found, level, unit=False) in texts
    alone = " ".join(mark.text for mark in picture(found).marks if isinstance(mark, Words))
    assert headline(found) in alone
    for fact in ("Release, private answers only", "ε = 1", "whether one patient joins or leaves", "a" * 8):
        assert fact in alone
    mark = "Simulation, not private"
    assert mark in " ".join(each.text for each in picture(facts(simulated=True)).marks if isinstance(each, Words))


def test_no_line_ends_inside_a_date_or_before_a_percent_sign() -> None:
    shown = sheet(facts())
    assert '<td>Released on</td><td><span class="dpq-whole">2026-01-31</span></td>' in shown
    assert 'Approximate <span class="dpq-whole">95 %</span> ranges' in shown


def test_the_headline_says_no_unit_that_the_name_has_said() -> None:
    days = facts(wording=Wording("days", "number", "days", "patient", "patients", 0))
    assert re.match(r"For half of the patients, days is \d+ or less \(", headline(days))


@pytest.mark.very_slow
def test_more_answers_than_a_table_holds_are_said_to_be_in_the_file() -> None:
    many = facts(Plan([Fraction(k, 200) for k in range(1, 200)]), values=tuple(map(float, range(199))), intervals=())
    assert "99 of 199 answers are shown; the CSV file has all." in sheet(many)


def test_a_simulation_says_so_and_a_release_does_not() -> None:
    assert "It is no release and protects nobody" in sheet(facts(simulated=True))
    assert "no release" not in sheet(facts())
    assert label(facts())["What this is"] == "Release, private answers only"
    simulated = label(facts(simulated=True, account="", left=""))
    assert "Data set" not in simulated
    assert (simulated["Who is protected"], simulated.get("What is hidden")) == ("nobody", None)
    assert simulated["What a release would hide"] == label(facts())["What is hidden"]


def test_intervals_stand_in_the_units_of_the_column() -> None:
    plan = Plan(["1/4", "1/2"], intervals=0.95, about_n=5000)
    basis = Basis(False, ("Of these records.", "Approximate.", "At least 5,000."))
    found = facts(plan, values=(21.0, 38.0), intervals=((20.0, 22.0), (37.0, 40.0)), basis=basis)
    text = text_of(sheet(found))
    assert "20 to 22" in text
    assert "Of these patients. Approximate. At least 5,000." in text
    assert "public example, if there" not in text


def test_measuring_again_is_priced() -> None:
    assert "right at most 89 times in 100 instead of 74" in again(facts())
    assert "right at most 89 times in 100 instead of 74" in again(facts(error_bound=None)), "errors do not matter to it"


def test_only_a_useful_theorem_is_told() -> None:
    assert "it is proved" in proved(facts(n=100_000))
    assert proved(facts(n=1000)) == ""


@pytest.mark.parametrize(
    ("records", "n", "said"),
    [(17, 1000, "17"), (121, 1001, "130"), (1201, 9000, "1,300"), (995, 1000, "1,000"), (9, 9, "9")],
)
def test_bounds_have_two_digits_and_are_rounded_up(records: int, n: int, said: str) -> None:
    assert bound(records, n) == f"within {said} ranks of {n:,}"


def test_a_bound_never_exceeds_everybody() -> None:
    assert bound(991, 995) == "within 995 ranks of 995"
    assert bound(0, 1000) == "under 1 rank of 1,000"


@pytest.mark.parametrize(("right", "width"), [(50, 1), (74, 136.3), (75, 142), (100, 284)])
def test_guesses_are_a_scale_from_a_coin_toss_to_certainty_and_no_hundred_people(right: int, width: float) -> None:
    drawing = b64decode(re.findall(r"base64,([^\"]+)", draw_guesses(right, alt="guesses"))[0]).decode()
    assert "<circle" not in drawing
    (drawn,) = re.findall(r'<rect class="interval" [^>]* width="([\d.]+)"', drawing)
    assert float(drawn) == pytest.approx(width, abs=0.1)
    for words in (f"at most {right}", "50: a coin toss", "100: always right"):
        assert words in drawing


@pytest.mark.parametrize(
    ("adjacency", "said"),
    [
        (Adjacency.ADD_REMOVE, "whether one patient joins or leaves"),
        (Adjacency.SUBSTITUTE, "that one patient is replaced by another"),
    ],
)
def test_what_is_hidden_fits_the_adjacency(adjacency: Adjacency, said: str) -> None:
    hidden = label(facts(Plan(["1/4", "1/2"], "aq", PureDP(1.0), adjacency)))["What is hidden"]
    assert hidden == said


def test_no_ranges_are_laid_to_an_answer_far_beyond_all_others() -> None:
    """A line to it is no measure: with 142,320 at the highest level there are none, with 121,070 there are."""
    domain = Domain(0, 10**7, 10)
    plan = Plan([Fraction(1, 20), Fraction(1, 2), Fraction(19, 20)], "aq", PureDP(0.25))
    drawn = simulate(Sample.from_values(np.arange(1000.0), domain, seed=1), plan, trials=1, seed=1)
    found = [
        with_intervals(
            QuantileRelease(values=values, guarantee=drawn.guarantee, plan=plan, domain=domain), ASKED, 1000, 1
        ).intervals
        for values in ((7380.0, 30960.0, 121070.0), (6370.0, 31650.0, 142320.0))
    ]
    assert (len(found[0]), found[1]) == (3, ())
