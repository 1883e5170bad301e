"""What comes in through a public door is answered, or refused by a ParameterError or DataError with a short sentence.

Values of any kind, plans and grids and sketches that somebody changed, and texts of a link or a field, in a time that
grows with their length alone.
"""

import datetime
import json
import random
import re
import shlex
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import dpq_core as dpq
from dpq_core import MECHANISMS, ApproxDP, DataError, Domain, GKSketch, ParameterError, Plan
from dpq_core.calibrations import calibrate
from dpq_core.commands.parser import parser_of_lines
from dpq_core.commands.release import price_of
from dpq_core.commands.words import FLAGS, stored_question
from dpq_core.domain.numbers import LARGEST_BITS, LONGEST_NUMBER, exact_number
from dpq_core.frame import parse_date
from dpq_core.ledger.history.entries import standing
from dpq_core.plan import MAX_LEVELS, parse_level, parse_levels
from dpq_core.privacy.budgets import privacy_from_dict
from dpq_core.sketches.rank_bounds import MARK
from dpq_core.sources import margins
from dpq_core.sources.excel import workbooks
from dpq_core.sources.pasted import read_pasted
from dpq_core.studies.design import StudyDesign
from dpq_core.table import refuse_unread
from pages.form.table import LONGEST_VALUE, PAGES, SETTINGS
from pages.inside.microscope import parse_values
from pages.shell.links import read_link

# ── values of any kind ───────────────────────────────────────────────────────────────────────────────────────────────

DOMAIN = Domain(0, 120, 1)
VALUES = [1.0, 2.0, 3.0]
LETTERS = ["a", "b", "a"]
PLAN = Plan(["1/4", "1/2"], "aq", dpq.PureDP(1.0))
SAMPLE = dpq.Column.from_values(VALUES, DOMAIN)
PEOPLE = dpq.People.of([1, 1, 2])
GROUPS = dpq.Column.from_values(VALUES, DOMAIN, groups=LETTERS, names=["a", "b"])

FRAME: dict[str, Any] = {
    "frame": {"a": VALUES, "b": LETTERS, "id": [1, 1, 2]}, "columns": {"a": DOMAIN}, "by": ["b"], "groups": ["a", "b"],
    "person": "id", "per_person": "mean", "max_groups_per_person": 1,
}  # fmt: skip
ASKED = dict(dpq.quantiles(**FRAME, levels="median", epsilon=1).question)


def groups(**chosen: Any) -> dpq.Column:
    usual: dict[str, Any] = {"values": VALUES, "groups": LETTERS, "domain": DOMAIN, "names": ["a", "b"]}
    return dpq.Column.from_values(**usual | {"people": PEOPLE} | chosen)


def priced(part: str, name: str, value: Any) -> object:
    asked = dpq.Question.from_dict(ASKED | {part: ASKED[part] | {name: value}})
    refuse_unread(asked)
    return price_of(asked)


def with_option(key: str, option: str, value: Any, **further: Any) -> object:
    adjacency = dpq.Adjacency.REPLACE_ONE if key == "normal" else dpq.Adjacency.ADD_REMOVE
    return calibrate(Plan(["1/2"], key, dpq.PureDP(1.0), adjacency, {**further, option: value}))


DOORS: dict[str, Callable[[Any], object]] = {
    "People.of": lambda x: dpq.People.of(x), "values": lambda x: dpq.Column.from_values(x, DOMAIN),
    "domain": lambda x: dpq.Column.from_values(VALUES, x),
    "people": lambda x: dpq.Column.from_values(VALUES, DOMAIN, people=x),
    "per_person": lambda x: dpq.Column.from_values(VALUES, DOMAIN, people=PEOPLE, per_person=x),
    "max_rows_per_person": lambda x: dpq.Column.from_values(VALUES, DOMAIN, people=PEOPLE, max_rows_per_person=x),
    "batches": lambda x: dpq.Column.from_values(iter([x]), DOMAIN),
    **{
        f"groups, {name}": partial(lambda name, x: groups(**{name: x}), name)
        for name in ("values", "groups", "domain", "names", "people", "max_groups_per_person", "other", "finding")
    },
    "quantiles": lambda x: Plan(x, "aq", dpq.PureDP(1.0)), "mechanism": lambda x: Plan(["1/2"], x, dpq.PureDP(1.0)),
    "privacy": lambda x: Plan(["1/2"], "aq", x), "adjacency": lambda x: Plan(["1/2"], "aq", dpq.PureDP(1.0), x),
    "options": lambda x: Plan(["1/2"], "aq", dpq.PureDP(1.0), options=x),
    "intervals": lambda x: Plan(["1/2"], "aq", dpq.PureDP(1.0), intervals=x, about_n=1000),
    "about_n": lambda x: Plan(["1/2"], "aq", dpq.PureDP(1.0), intervals=0.95, about_n=x),
    "epsilon": lambda x: dpq.PureDP(x), "delta": lambda x: ApproxDP(1.0, x), "rho": lambda x: dpq.ZCDP(x),
    "release, sample": lambda x: dpq.release(x, PLAN), "release, plan": lambda x: dpq.release(SAMPLE, x),
    "release, column": lambda x: dpq.release({"a": SAMPLE, "b": x}, PLAN),
    "release, weights": lambda x: dpq.release({"a": SAMPLE, "b": SAMPLE}, PLAN, weights=x),
    "release, weight": lambda x: dpq.release({"a": SAMPLE, "b": SAMPLE}, PLAN, weights={"a": 1, "b": x}),
    "release of groups, plan": lambda x: dpq.release(GROUPS, x),
    "release, account": lambda x: dpq.release(SAMPLE, PLAN, account=x) if x is not None else None,
    **{
        f"Table, {name}": partial(lambda name, x: dpq.Table.from_frame(**FRAME | {name: x}), name)
        for name in ("frame", "columns", "by", "groups", "person", "per_person", "max_groups_per_person", "missing")
    },
    "Table, possible values": lambda x: dpq.Table.from_frame({"a": VALUES}, {"a": x}),
    "Table, names of groups": lambda x: dpq.Table.from_frame(**FRAME | {"by": {"b": x}, "groups": None}),
    "FindGroups": lambda x: dpq.FindGroups(x),
    "quantiles, levels": lambda x: dpq.quantiles({"a": VALUES}, {"a": DOMAIN}, x, "aq", epsilon=1),
    "simulate, trials": lambda x: dpq.simulate(SAMPLE, PLAN, trials=x, seed=0),
    "simulate, seed": lambda x: dpq.simulate(SAMPLE, PLAN, trials=2, seed=x),
    "simulate groups, trials": lambda x: dpq.simulate(GROUPS, PLAN, trials=x, seed=0),
    "simulate groups, seed": lambda x: dpq.simulate(GROUPS, PLAN, trials=2, seed=x),
    "digits": lambda x: Domain.significant(digits=x), "smallest": lambda x: Domain.significant(smallest=x),
    "largest": lambda x: Domain.significant(largest=x), "lower": lambda x: Domain(x, 120, 1),
    "step": lambda x: Domain(0, 120, x), "Domain.from_dict": lambda x: Domain.from_dict(x),
    "Column without bounds, values": lambda x: dpq.Column.from_values(x, dpq.FindBounds()),
    "explain, seed": lambda x: dpq.explain(SAMPLE, PLAN, seed=x), "share": lambda x: dpq.FindBounds(share=x),
    "rank_errors": lambda x: dpq.rank_errors(SAMPLE, ["1/2"], x),
    "true_quantiles": lambda x: dpq.true_quantiles(SAMPLE, x), "synthesize": lambda x: dpq.synthesize(SAMPLE, x, PLAN),
    "privacy_loss, plan": lambda x: dpq.privacy_loss(x, [1], [1, 2], DOMAIN), "upper": lambda x: Domain(0, x),
    "seed": lambda x: dpq.Column.from_values(VALUES, DOMAIN, seed=x),
    "tie_bits": lambda x: dpq.Column.from_values(VALUES, DOMAIN, tie_bits=x), "alpha": lambda x: GKSketch(x, DOMAIN, 5),
    "n_max": lambda x: GKSketch(0.1, DOMAIN, x), "privacy_from_dict": privacy_from_dict,
    "epsilon of privacy_from_dict": lambda x: privacy_from_dict({"kind": "pure", "epsilon": x}),
    "delta of privacy_from_dict": lambda x: privacy_from_dict({"kind": "approximate", "epsilon": 1, "delta": x}),
    "kind of privacy_from_dict": lambda x: privacy_from_dict({"kind": x, "epsilon": 1}), "calibrate, plan": calibrate,
    "calibrate, n": partial(calibrate, PLAN),
    "calibrate, public n": partial(calibrate, Plan(["1/2"], "slice", ApproxDP(1.0, 1e-6), dpq.Adjacency.REPLACE_ONE)),
    "calibrate, mechanism": lambda x: calibrate(Plan(["1/2"], x)),
    **{
        f"option {option}": partial(with_option, key, option, **further)
        for key, option, further in (
            ("binhist", "bins", {}), ("gkexp", "alpha", {"n_max": 5}), ("normal", "sigma", {}),
            ("normal", "mean_bound", {"sigma": 1}), ("aq", "x", {}),
        )
    },
    "a level": parse_level, "typed levels": parse_levels, "simulate, plan": lambda x: dpq.simulate(SAMPLE, x, 1),
    "explain, plan": lambda x: dpq.explain(SAMPLE, x, 0), "synthesize, plan": lambda x: dpq.synthesize(SAMPLE, 3, x),
    "rank_errors, levels": lambda x: dpq.rank_errors(SAMPLE, x, [1.0]),
    **{f"Grid, {name}": partial(lambda name, x: StudyDesign(**{name: x}), name) for name in ("n", "trials", "seed")},
    **{f.__qualname__: f for f in (Plan.from_json, Plan.from_dict, StudyDesign.from_json, StudyDesign.from_dict)},
    **{
        f"plan file, {part}: {name}": partial(priced, part, name)
        for part in ("persons", "groups", "budget") for name in ASKED[part]
    },
    "Release.from_json": dpq.Release.from_json, "a plan file": stored_question, "a stored sketch": GKSketch.from_bytes,
    "privacy_loss": lambda x: dpq.privacy_loss(PLAN, [1, 2], x, Domain(0, 3, 1)),
}  # fmt: skip

DEEP = "[" * 100_000
NESTED: list[object] = []
for _ in range(100_000):
    NESTED = [NESTED]

ODD = (10**400, -(10**400), 10**5000, -(10**5000), "1e999999", "9" * 5000, "1/0", "nan", "-inf", "0x1", NESTED,
       "1" * (LONGEST_NUMBER + 1), "1/" + "3" * LONGEST_NUMBER, 10**LARGEST_BITS)  # fmt: skip
GIVEN: tuple[object, ...] = (
    *(None, True, 0, 1, -1, 2, 1.5, float("nan"), float("inf"), 10**30, 2**63, 1j, Fraction(1, 3), np.float64(3)),
    *("", "a", "0.5", b"x", (), [], [None], ["a", "b"], [[1], [2]], [[1, 2], [3, 4]], {}, {"a": 1}, set(), object()),
    *(np.array(3), np.array([]), np.array([1.0, np.nan]), np.array([[1, 2], [3, 4]]), np.array(["a", "b", "c"])),
    *(np.array([None, "a", 1], dtype=object), np.array([2**63] * 3, dtype=np.uint64), np.array([1j])),
    *(np.array(["2020-01-01"], "datetime64[D]"), np.array([1, 2], "timedelta64[s]")),
    *(np.ma.array([1, 2], mask=[False, True]), datetime.date(2020, 1, 1), range(3), len),
    *(DEEP, DEEP.replace("[", '{"a":'), "null", "1", '{"format": 2}', b"\xff", *ODD),
)


@pytest.mark.parametrize("name", DOORS)
def test_a_value_of_any_kind_is_answered_or_refused_with_a_sentence(name: str) -> None:
    unclear = []
    for at, value in enumerate(GIVEN):
        too_long = isinstance(value, int) and value > 10**6 and ("trials" in name or name == "synthesize")
        try:
            too_long or DOORS[name](value)
        except (ParameterError, DataError) as error:
            if not str(error).endswith((".", "?")) or len(str(error)) > 300:
                unclear.append((at, str(error)))
        except Exception as error:
            unclear.append((at, f"{type(error).__name__}: {error}"))
    assert not unclear


# ── one question by four doors ───────────────────────────────────────────────────────────────────────────────────────

RNG = np.random.default_rng(4)
TABLE = pd.DataFrame({
    "age": RNG.integers(0, 99, 200), "net pay": RNG.gamma(2, 900, 200).round(2), "who": np.arange(200) // 2,
    "joined": pd.to_datetime("2015-01-01") + pd.to_timedelta(RNG.integers(0, 3600, 200), "D"),
    "ward": RNG.choice(["north", "Zürich, alt", '"x"'], 200), "sex": RNG.choice(["f", "m"], 200),
})  # fmt: skip
WARDS, BY_WARD = {"ward": ["north", "Zürich, alt", "nowhere"]}, """--by 'ward=north,"Zürich, alt",nowhere'"""
SAID: dict[str, list[tuple[dict[str, Any], str]]] = {
    "columns": [
        ({"columns": {"age": (0, 120, 1)}}, "--column age=0:120:1"),  # in Python, and in a shell
        ({"columns": {"joined": (datetime.date(2010, 1, 1), datetime.date(2030, 12, 31))}},
         "--column joined=2010-01-01:2030-12-31"),
        ({"columns": {"joined": dpq.FindBounds()}, "missing": 18_000}, "--column joined=find --missing 2019-04-14"),
        ({"columns": {"age": dpq.FindBounds(step=1)}, "adjacency": "replaced", "missing": 7.5},
         "--column age=find:1 --adjacency replaced --missing 7.5"),
        ({"columns": {"net pay": Domain.significant(2, negative=False)}}, "--column 'net pay=digits:negative=no'"),
        ({"columns": {"net pay": ("-3.5", "9e3", "1/3"), "age": dpq.FindBounds("1/5", step=1)}},
         "--column 'net pay=-3.5:9e3:1/3' --column age=find:1:share=1/5"),
    ],
    "levels": [({"levels": each}, f"--quantiles {each}") for each in ("median", "deciles", "0", "1,1/2,0.5")],
    "budget": [
        ({"epsilon": 1.0}, "--epsilon 1"), ({"epsilon": 1e-6}, "--epsilon 1e-6"), ({"epsilon": 1e3}, "--epsilon 1000"),
        ({"rho": 1 / 3}, f"--rho {1 / 3!r}"), ({"epsilon": 0.5, "delta": 1e-9}, "--epsilon 0.5 --delta 1e-9"),
    ],
    "mechanism": [({}, "")] * 4 + [({"mechanism": each}, f"--mechanism {each}") for each in MECHANISMS],
    "groups": [({}, "")] * 3 + [
        ({"by": WARDS}, BY_WARD), ({"by": WARDS, "other": "rest"}, f"{BY_WARD} --other rest"),
        ({"by": WARDS | {"sex": ["m", "f"]}}, f"{BY_WARD} --by sex=m,f"), ({"by": {"sex": ["f", "m"]}}, "--by sex=f,m"),
        ({"by": {"sex": dpq.FindGroups()}}, "--by sex=find"),
    ],
    "persons": [({}, "")] * 3 + [
        ({"person": "who", "per_person": "weight"}, "--person who --per-person weight"),
        ({"person": "who", "per_person": "mean"}, "--person who --per-person mean"),
        ({"person": "who", "max_rows_per_person": 3, "max_groups_per_person": "any"},
         "--person who --max-rows-per-person 3 --max-groups-per-person any"),
    ],
    "guess": [({}, "")] * 3 + [
        ({"about_n": 30}, "--about 30"), ({"about_n": {"m": 90, "f": 9}}, "--about f=9,m=90"),
        ({"intervals": 0.9, "about_n": 200}, "--intervals 0.9 --about 200"), ({"intervals": 0.9}, "--intervals 0.9"),
    ],
}  # fmt: skip
DRAWN = [[random.Random(f"{part} {seed}").choice(said) for part, said in SAID.items()] for seed in range(60)]


BY_NOISE = "refused once a noisy number was drawn, which is another one each time"


def outcome_of(ask: Callable[[], Any]) -> Any:
    python = {flag: name for name, flag in FLAGS.items()} | {"--about": "about_n", "--by": "by", "--column": "column"}
    try:
        return ask()
    except ParameterError as error:
        if isinstance(error, dpq.Infeasible) and error.charged:
            return python.get(error.name, error.name), BY_NOISE
        said = error.sentence(lambda name: python.get(name, name))
        return python.get(error.name, error.name), re.sub(r"\d[\d,]*", "#", said)  # some numbers are noisy


@pytest.mark.slow(keep=[str(seed) for seed in range(8)])
@pytest.mark.parametrize("seed", range(len(DRAWN)))
def test_python_the_shell_and_a_plan_file_answer_alike(seed, read_in_place, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DPQ_LEDGER_URL", "ledger.sqlite")
    TABLE.to_csv("people.csv", index=False)
    said: dict[str, Any] = {name: value for part, _ in DRAWN[seed] for name, value in part.items()}
    line = shlex.split(" ".join(words for _, words in DRAWN[seed]))

    def shell(*words: str) -> Any:
        chosen = parser_of_lines().parse_args(["release", "people.csv", *words])
        chosen.run(chosen)
        return dpq.Release.from_json(capsys.readouterr().out)

    first, second = outcome_of(lambda: dpq.quantiles(TABLE, **said)), outcome_of(lambda: shell(*line))
    if not isinstance(first, dpq.Release):
        assert second == first
        return
    account = dpq.account("staff", epsilon=1e4, delta=0.5, adjacency=said.get("adjacency", "joins"))
    Path("plan.json").write_text(first.to_json())
    found = shell("--plan", "plan.json", "--account", "staff", "--release-id", "one")
    assert len({(*each.mechanisms.items(), each.guarantee) for each in (first, second, found)}) == 1
    assert shell(*line, "--account", "staff", "--release-id", "one") == found
    assert dpq.quantiles(TABLE, **said, account=account, release_id="one") == found
    assert len(standing(account).entries) == 1
    asked = dpq.forecast(dpq.Question.from_dict(found.question), 200).question.columns
    assert {name: each.mechanism for name, each in asked.items()} == first.mechanisms


def test_dates_between_found_bounds_are_days_of_one_request() -> None:
    asked: dict[str, Any] = {"joined": dpq.FindBounds()}
    of: dict[str, Any] = {"account": dpq.account("found", epsilon=9), "release_id": "days"}
    found = dpq.release(dpq.Table.from_frame(TABLE, asked), dpq.Plan("deciles", epsilon=9), **of)
    assert all(day.is_integer() for day in found.values["joined"])
    assert found == dpq.quantiles(TABLE, asked, "deciles", "aq", epsilon=9, **of)


# ── what was changed ─────────────────────────────────────────────────────────────────────────────────────────────────


def odd(at: int) -> object:
    """One of them, which hypothesis cannot always print."""
    return ODD[at]


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(0, len(ODD) - 1).map(odd)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["pure", "approximate", "aq", "1/2", "add_remove", "uniform", "adult-age"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
fuzzed = settings(suppress_health_check=[HealthCheck.too_slow])


def only_documented(door, *given, **named):
    """What the door gives; None after an error that it documents."""
    try:
        return door(*given, **named)
    except (ParameterError, DataError) as error:
        assert len(str(error)) < 600  # noqa: PT017 (either may come)
        return None


def changed(values, data):
    """The same dictionary with a value changed, left out or added, here or below."""
    values = dict(values)
    name = data.draw(st.sampled_from([*values, "more"]))
    below = values.get(name)
    if isinstance(below, dict) and data.draw(st.booleans()):
        values[name] = changed(below, data)
    elif data.draw(st.integers(0, 4)):
        values[name] = data.draw(plain)
    else:
        values.pop(name, None)
    return values


@pytest.mark.slow
@fuzzed
@given(st.data(), st.sampled_from(list(MECHANISMS)))
def test_a_changed_plan_is_a_plan_or_refused(data, key):
    plan = Plan(["1/4", "1/2"], key, ApproxDP(1.0, 1e-6), options={})
    found = only_documented(Plan.from_dict, changed(plan.as_dict(), data))
    if found is not None:
        only_documented(calibrate, found, 100)
        assert Plan.from_json(found.to_json()) == found


@fuzzed
@given(plain, plain)
def test_any_options_are_calibrated_or_refused(value, other):
    for key, mechanism in MECHANISMS.items():
        for option in mechanism.OPTIONS:
            plan = only_documented(Plan, ["1/2"], key, options={option.name: value})
            if plan is not None:
                only_documented(calibrate, plan, 100)
    only_documented(Plan, other, "aq", value)


@fuzzed
@given(plain, plain, plain)
def test_any_bounds_make_a_domain_or_are_refused(lower, upper, step):
    only_documented(Domain, lower, upper, step)
    found = only_documented(Domain, lower, 7, step)
    if found is not None:
        assert Domain(**found.as_dict()) == found
    only_documented(Domain.significant, step, lower, upper)
    only_documented(Domain.significant, 2, lower, upper, negative=step)
    only_documented(Domain.from_dict, lower)
    only_documented(Domain.from_dict, {"digits": 2, "smallest": lower, "largest": upper})
    only_documented(privacy_from_dict, lower)
    only_documented(privacy_from_dict, {"kind": "approximate", "epsilon": lower, "delta": upper})


@fuzzed
@given(st.data())
def test_a_changed_grid_is_a_grid_or_refused(data):
    only_documented(
        StudyDesign.from_dict, changed(StudyDesign(quantiles=[3, ["1/2"]], domains=[DOMAIN]).as_dict(), data)
    )
    only_documented(StudyDesign.from_dict, data.draw(plain))


RELEASED = dpq.release({"a": SAMPLE, "b": GROUPS}, Plan(PLAN.quantiles, epsilon=1, intervals=0.5, about_n=3)).as_dict()


@fuzzed
@given(st.data())
def test_a_changed_release_is_a_release_or_refused(data):
    try:
        text = json.dumps(changed(RELEASED, data))
    except (ValueError, RecursionError):
        reject()
    found = only_documented(dpq.Release.from_json, text)
    if found is not None:
        assert repr(found)
        assert found.to_csv()


def sealed(header, arrays=b""):
    """Bytes that a sketch takes for its own, whatever they hold."""
    try:
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
    except (ValueError, RecursionError):
        reject()  # nothing that JSON can hold
    body = MARK + len(text).to_bytes(4, "little") + text + arrays
    return body + sha256(body).digest()


def header_of(sketch):
    data = sketch.to_bytes()
    start = len(MARK) + 4
    size = int.from_bytes(data[len(MARK) : start], "little")
    return json.loads(data[start : start + size]), data[start + size : -32]


@fuzzed
@given(st.data())
def test_bytes_are_a_sketch_or_refused(data):
    sketch = GKSketch(0.1, DOMAIN, 50, missing=3)
    sketch.update(np.arange(40.0))
    header, arrays = header_of(sketch)
    only_documented(GKSketch.from_bytes, sealed(changed(header, data), arrays))
    only_documented(GKSketch.from_bytes, sealed(header, data.draw(st.binary(max_size=48))))
    only_documented(GKSketch.from_bytes, sketch.to_bytes()[: data.draw(st.integers(0, 500))])
    only_documented(GKSketch.from_bytes, data.draw(st.binary(max_size=60) | st.none() | st.text()))


@pytest.mark.parametrize(
    "header", [DEEP.encode(), b"[]", b"5", b"\xff", b"", {"missing": "1/0"}], ids=lambda header: str(header)[:12]
)
def test_a_sealed_header_of_any_kind_is_refused(header):
    if isinstance(header, dict):
        header = header_of(GKSketch(0.1, DOMAIN, 50))[0] | header
    with pytest.raises(DataError):
        GKSketch.from_bytes(sealed(header))


@fuzzed
@given(
    st.sampled_from(list(PAGES)),
    st.dictionaries(
        st.sampled_from([*SETTINGS, "binhist.bins", "gkexp.alpha", "normal.sigma", "x", ""]),
        st.text(max_size=12) | st.sampled_from([DEEP, "9" * 5000, "1e999", "1/0", "nan", "½", "０", "1_0"]),
        max_size=4,
    ),
)
def test_any_link_is_understood_or_said_not_to_be(page, asked):
    values, notes = read_link({name: str(text) for name, text in asked.items()}, page)
    assert all(isinstance(value, str) for value in values.values())
    assert all(len(note) < 200 for note in notes)


# ── texts ────────────────────────────────────────────────────────────────────────────────────────────────────────────

SHORT, TIMES = 10_000, 4
SOON = 0.02
"""Seconds within which no growth can be told from the machine's own unrest."""
GROWTH = 9
"""Four times the text may take four times as long; sixteen times is a square."""
HOSTILE: dict[str, Callable[[int], str]] = {
    "blanks between": lambda n: "0.5" + " " * n + "x", "lines between": lambda n: "1" + "\n" * n + "%",
    "bars": lambda n: "/" * n, "bars apart": lambda n: "1 / " * (n // 4), "percents": lambda n: "% ," * (n // 3),
    "commas": lambda n: "1" + "," * n + "x", "semicolons": lambda n: "; " * (n // 2), "digits": lambda n: "1" * n,
    "a long fraction": lambda n: "1" * (n // 2) + "/" + "3" * (n // 2), "decimals": lambda n: "0." + "1" * n + "x",
    "groups": lambda n: ",123" * (n // 4) + "x", "exponents": lambda n: "1e" * (n // 2),
    "words": lambda n: "total" + " " * n + "x", "dates": lambda n: "2024-" * (n // 5),
}  # fmt: skip
TAGS: dict[str, Callable[[int], str]] = {
    "tags never closed": lambda n: "<v " * (n // 3), "tags closed at last": lambda n: "<v " * (n // 3) + ">",
    "cells without values": lambda n: "<c r='A1' " * (n // 9), "prefixes": lambda n: "<" + "a" * n + ":",
    "blanks in a tag": lambda n: "<c r" + " " * n,
}  # fmt: skip


def measure(part: str) -> None:
    workbooks.Measures().add(part.encode())
    workbooks.VALUE.findall(part.encode())


READERS: dict[str, Callable[[str], object]] = {
    "a workbook": measure, "levels": parse_levels, "a level": parse_level,
    "a bound": partial(exact_number, name="lower"), "a date": parse_date, "the microscope's values": parse_values,
    "pasted values": read_pasted, "decimal marks": lambda text: margins.decimal_mark([[text]], comma_separated=True),
    "totals": margins.TOTAL.fullmatch, "the check of own levels": SETTINGS["own"].takes,
    "the check of a bound": SETTINGS["lower"].takes, "the check of a release's id": SETTINGS["answer"].takes,
    "a link": lambda text: read_link({"own": text, "lower": text, text: text}, "explore"),
}  # fmt: skip


def seconds(reader: Callable[[str], object], text: str) -> float:
    """The least of three times that the process spent on it."""
    spent = []
    for _ in range(3):
        start = time.process_time()
        try:
            reader(text)
        except ValueError:
            pass
        finally:
            spent.append(time.process_time() - start)
        if spent[-1] < SOON:
            break
    return min(spent)


def is_proportional(reader: Callable[[str], object], text: Callable[[int], str]) -> bool:
    long = seconds(reader, text(TIMES * SHORT))
    return long < SOON or long < GROWTH * seconds(reader, text(SHORT))


@pytest.mark.slow(keep=(*READERS.keys() - {"pasted values"},))
@pytest.mark.parametrize("reader", READERS)
def test_the_time_for_a_typed_text_grows_with_its_length_alone(reader):
    kinds = TAGS if reader == "a workbook" else HOSTILE
    assert [kind for kind, text in kinds.items() if not is_proportional(READERS[reader], text)] == []


def test_a_list_of_too_many_levels_is_refused_before_any_is_read(monkeypatch):
    read: list[str] = []
    monkeypatch.setattr("dpq_core.plan.parse_level", read.append)
    for make in (lambda: parse_levels("0 " * (MAX_LEVELS + 1)), lambda: Plan(iter(int, 1))):
        with pytest.raises(ParameterError, match=f"at most {MAX_LEVELS} levels"):
            make()
    assert read == []


def test_a_setting_of_a_link_is_no_longer_than_its_field():
    assert SETTINGS["own"].takes("0.5," * (LONGEST_VALUE // 4))
    assert not SETTINGS["own"].takes("0.5," * (LONGEST_VALUE // 4) + "0.5")


def test_values_of_a_workbook_are_found_to_its_end():
    part = b'<row><c r="A1"><v>12</v></c><x:c><x:v xml:space="a">7</x:v></c><v/><v >3<!-- --></v><va>9</va><v>4'
    assert workbooks.VALUE.findall(part) == [(b"12", b""), (b"7", b""), (b"3", b"!"), (b"4", b"")]
