"""Every public door for plans, budgets, bounds, grids, sketches and links: whatever comes in, a documented error."""

from __future__ import annotations

import json
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from dpq_core import (
    MECHANISMS,
    ZCDP,
    Adjacency,
    ApproxDP,
    DataError,
    Domain,
    GKSketch,
    ParameterError,
    Plan,
    PureDP,
    Sample,
    calibrate,
    explain,
    privacy_loss,
    rank_errors,
    release,
    simulate,
    synthesize,
    unsupported,
)
from dpq_core.commands.release import _plan_and_bounds
from dpq_core.plan import parse_level, parse_levels
from dpq_core.privacy import privacy_from_dict
from dpq_core.sketches.storage import MARK
from dpq_core.studies.grid import Grid
from pages.frame.links import read_link
from pages.settings.table import PAGES, SETTINGS

DOMAIN = Domain(0, 100, 1)
SAMPLE = Sample.from_values([1, 2, 3], DOMAIN)
HUGE, DEEP = 10**400, "[" * 100_000
NESTED: list[object] = []
for _ in range(100_000):
    NESTED = [NESTED]

ODD = [HUGE, -HUGE, 10**5000, "1e999999", "9" * 5000, "1/0", "nan", "-inf", "0x1", NESTED]


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
fuzzed = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


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


@pytest.mark.parametrize(
    "text",
    [DEEP, DEEP.replace("[", '{"a":'), "", "null", "1", "9" * 5000, '{"format": 2}', b"\xff", 5],
    ids=lambda text: str(text)[:12],
)
@pytest.mark.parametrize("door", [Plan.from_json, Grid.from_json, _plan_and_bounds])
def test_any_text_is_a_plan_or_a_grid_or_refused(door, text):
    with pytest.raises(ParameterError):
        door(text)


@pytest.mark.parametrize(
    "door",
    [
        lambda: privacy_from_dict({"kind": "pure", "epsilon": HUGE}),
        lambda: privacy_from_dict({"kind": "approximate", "epsilon": 1, "delta": HUGE}),
        lambda: privacy_from_dict({"kind": [], "epsilon": 1}),
        lambda: privacy_from_dict(NESTED),  # type: ignore[arg-type]
        lambda: PureDP(10**5000),
        lambda: ApproxDP(1.0, -(10**5000)),
        lambda: ZCDP("1"),  # type: ignore[arg-type]
        lambda: calibrate(Plan(["1/2"]), "x"),  # type: ignore[arg-type]
        lambda: calibrate(Plan(["1/2"], "slice", ApproxDP(1.0, 1e-6), Adjacency.SUBSTITUTE), -1),
        lambda: calibrate(Plan(["1/2"], adjacency=Adjacency.SUBSTITUTE), []),  # type: ignore[arg-type]
        lambda: calibrate("x"),  # type: ignore[arg-type]
        lambda: calibrate([]),  # type: ignore[arg-type]
        lambda: calibrate(Plan(["1/2"], "aggtree", options={"height": HUGE})),
        lambda: calibrate(Plan(["1/2"], "aggtree", options={"height": "9" * 5000})),
        lambda: calibrate(Plan(["1/2"], "gkexp", options={"alpha": HUGE, "n_max": 5})),
        lambda: calibrate(Plan(["1/2"], "normal", adjacency=Adjacency.SUBSTITUTE, options={"sigma": 10**5000})),
        lambda: calibrate(Plan([0], "normal", PureDP(1.0), Adjacency.SUBSTITUTE, {"sigma": 1, "mean_bound": HUGE})),
        lambda: Plan(["1/2"], "x" * 5000) and calibrate(Plan(["1/2"], "x" * 5000)),
        lambda: Plan(["1/2"], options={"x": NESTED}),  # type: ignore[dict-item]
        lambda: Plan(5),
        lambda: Plan([10**5000]),
        lambda: Plan([NESTED]),  # type: ignore[list-item]
        lambda: parse_level(10**5000),
        lambda: parse_levels(5),  # type: ignore[arg-type]
        lambda: release(SAMPLE, "x"),  # type: ignore[call-overload]
        lambda: simulate(SAMPLE, [], 1),  # type: ignore[call-overload]
        lambda: simulate(SAMPLE, Plan(["1/2"]), -(10**5000)),
        lambda: simulate(SAMPLE, Plan(["1/2"]), trials="x"),  # type: ignore[call-overload]
        lambda: explain(SAMPLE, {}, 0),
        lambda: explain(SAMPLE, Plan(["1/2"]), "x"),  # type: ignore[arg-type]
        lambda: synthesize(SAMPLE, 10**5000, Plan([])),
        lambda: synthesize(SAMPLE, 3, "x"),  # type: ignore[arg-type]
        lambda: rank_errors(SAMPLE, [HUGE], [1.0]),
        lambda: privacy_loss("x", [1], [1, 2], DOMAIN),  # type: ignore[arg-type]
        lambda: Domain(10**5000, 0),
        lambda: Domain(0, "1/0"),
        lambda: Domain(0, 1, NESTED),  # type: ignore[arg-type]
        lambda: GKSketch(HUGE, DOMAIN, 5),
        lambda: GKSketch(0.1, DOMAIN, -(10**5000)),
        lambda: Sample.from_values([1], DOMAIN, seed="x"),  # type: ignore[arg-type]
        lambda: Sample.from_values([1], DOMAIN, jitter_bits=10**5000),
        lambda: Grid(n=[-(10**5000)]),
        lambda: Grid(trials=10**5000),
        lambda: Grid(seed="x"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_each_odd_setting_is_refused_as_documented(door):
    with pytest.raises(ParameterError) as caught:
        door()
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("door", [release, unsupported, simulate])
def test_a_plan_is_asked_for_by_its_name(door):
    given = ("aq",) if door is unsupported else (SAMPLE, "aq")
    said = only_documented(door, *given)
    assert said is None or "`plan` must be a Plan, got str" in said


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
    only_documented(Grid.from_dict, changed(Grid(quantiles=[3, ["1/2"]], domains=[DOMAIN]).as_dict(), data))
    only_documented(Grid.from_dict, data.draw(plain))


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
        st.sampled_from([*SETTINGS, "aggtree.height", "gkexp.alpha", "normal.sigma", "x", ""]),
        st.text(max_size=12) | st.sampled_from([DEEP, "9" * 5000, "1e999", "1/0", "nan", "½", "０", "1_0"]),
        max_size=4,
    ),
)
def test_any_link_is_understood_or_said_not_to_be(page, asked):
    values, notes = read_link({name: str(text) for name, text in asked.items()}, page)
    assert all(isinstance(value, str) for value in values.values())
    assert all(len(note) < 200 for note in notes)
