"""Settings: what links hold, what is said about those that make no sense, and that no two things share a key."""

import re
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import typed
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import levels_of
from dpq_core.sources.examples import EXAMPLES
from pages import keys
from pages.form import said
from pages.form import table as settings
from pages.form.table import SETTINGS
from pages.shell import links
from pages.shell.fields import label_of, usual_value
from tests.approved import check_approved
from tests.documents import ROOT, modules


def test_an_empty_link_stands_for_the_defaults() -> None:
    values, notes = links.read_link({}, "explore")
    assert notes == []
    assert (values["data"], values["epsilon"], values["quantiles"], values["mechanism"]) == (
        "adult-age", "0.1", "deciles", "best",
    )  # fmt: skip
    assert (values["lower"], values["upper"], values["step"]) == ("0", "120", "1")


def test_every_setting_is_on_a_page_and_none_twice() -> None:
    for names in settings.PAGES.values():
        assert len(set(names)) == len(names)
    linked = {name for names in settings.PAGES.values() for name in names}
    assert linked.isdisjoint(settings.IN_NO_LINK)
    assert linked | set(settings.IN_NO_LINK) == set(settings.SETTINGS)


def test_the_usual_settings_are_as_approved_and_pass_their_own_checks() -> None:
    usual = {name: setting.default for name, setting in settings.SETTINGS.items()}
    assert [name for name, setting in settings.SETTINGS.items() if not setting.takes(usual[name])] == []
    check_approved(Path(__file__).parent / "approved" / "settings.json", "usual", usual)


@pytest.mark.parametrize(("name", "text"), [
    ("epsilon", "abc"), ("epsilon", "nan"), ("epsilon", "-1"), ("epsilon", ""), ("delta", "1"), ("rho", "inf"),
    ("mechanism", "worst"), ("quantiles", "nonciles"), ("even", "0"), ("even", "3000"), ("own", "1.2"), ("own", ""),
    ("lower", "low"), ("data", "../../etc"), ("adjacency", "none"), ("missing", "none"), ("step", "x" * 41),
    ("own", "0.5 " * 1000),
    *(("seed", text) for text in ("0", "1000001", "99999999999999999999", "-3", "seven", "", "7.0", "1e3")),
])  # fmt: skip
def test_a_bad_value_is_named_and_replaced(name: str, text: str) -> None:
    values, notes = links.read_link({name: text}, "explore")
    assert len(notes) == 1
    assert notes[0].startswith(f"This page cannot use “{label_of(name)}” of the link")
    assert text == "" or f"(`{text[:40]}" in notes[0].replace("…", "")
    assert values == links.read_link({}, "explore")[0]


def test_a_form_says_only_words_that_the_parser_knows() -> None:
    """The fault that was there: how Trade-off measures errors was taken for how a release rounds."""
    said_at_first = said.typed_column(lambda name: settings.setting_of(name).default, "number")
    assert [typed.word(said_at_first, name) for name in said_at_first] == list(said_at_first.values())
    columns, whole = {"age": {**said_at_first, "lower": "0", "upper": "9"}}, {**said_at_first, "person": ""}
    assert typed.parse(columns, whole).columns["age"].levels == levels_of("deciles")


@pytest.mark.parametrize(
    ("name", "text"), [("epsilon", "0,5"), ("rho", "0,5"), ("delta", "0,000001"), ("shape_size", "1,000")]
)
def test_a_link_takes_what_a_field_takes(name: str, text: str) -> None:
    """The fault that was there: the link of such a page, opened again, said that its own words are not understood."""
    values, notes = links.read_link({name: text}, "explore")
    assert (values[name], notes) == (text, [])


def test_every_setting_has_a_label_and_a_usual_value_in_words() -> None:
    assert all(setting.label for setting in settings.SETTINGS.values())
    assert usual_value("mechanism") == "Choose for me"
    assert usual_value("data") == "Ages of 1,000 people (US census sample)"
    assert {name for name, setting in settings.SETTINGS.items() if setting.default and not usual_value(name)} == set()


def test_an_unknown_name_is_quoted_and_a_known_one_has_its_label() -> None:
    _, notes = links.read_link({"foo": "1", "sweep": "rho", "slice.half_width": "wide"}, "explore")
    assert notes == [
        "`foo` in the link is not a setting of this page; it is ignored.",
        "“Over” in the link is not a setting of this page; it is ignored.",
        "“Half width” in the link is not a setting of this page; it is ignored.",
    ]


@pytest.mark.parametrize("page", ["explore", "inside"])
@pytest.mark.parametrize("data", ["file", "paste"])
@pytest.mark.parametrize("seed", ["1", "7", "1000000", "99999999999999999999", "-3", "seven", "", "7.0"])
def test_a_seed_beside_data_that_is_no_example_is_ignored_with_a_word(page: str, data: str, seed: str) -> None:
    values, notes = links.read_link({"seed": seed, "data": data}, page)
    assert values["seed"] == "1"
    assert "“The seed” in the link is ignored: only a simulation of example data can be repeated." in notes


def test_bounds_may_be_dates_fractions_or_decimals() -> None:
    values, notes = links.read_link(
        {"data": "adult-age", "lower": "2024-01-31", "upper": "1/3", "step": "0.01"}, "explore"
    )
    assert notes == []
    assert (values["lower"], values["upper"], values["step"]) == ("2024-01-31", "1/3", "0.01")


@pytest.mark.parametrize("source", settings.SOURCES)
def test_what_is_said_of_a_column_is_taken_over_for_an_example_or_a_shape_alone(source: str) -> None:
    link = {"data": source, "lower": "0", "upper": "9", "normal.sigma": "3", "normal.beta": "0.1"}
    values, notes = links.read_link(link, "explore")
    assert not {"lower", "upper", "step", "missing", "normal.sigma"} & set(values)
    assert values["normal.beta"] == "0.1"
    assert [note.split()[0] for note in notes] == ["“Lowest”", "“Highest”", "“Sigma”"]
    planned = {"data": source, "lower": "0", "upper": "9", "shape_size": "50"}
    values, notes = links.read_link(planned, "compare")
    assert (notes, values["upper"], values["shape_size"]) == ([], "9", "50")


def test_bounds_that_a_link_leaves_out_are_those_of_the_example() -> None:
    values, _ = links.read_link({"data": "income", "lower": "-5"}, "explore")
    assert (values["lower"], values["upper"]) == ("-5", EXAMPLES["income"].upper)


def test_options_are_checked_by_the_mechanism() -> None:
    assert settings.takes("binhist.bins", "50")
    assert not settings.takes("binhist.bins", "many")
    assert not settings.takes("aq.colour", "red")
    assert not settings.takes("best.bins", "50")
    for key, mechanism in MECHANISMS.items():
        for option in mechanism.OPTIONS:
            if option.default is not None:
                assert settings.takes(f"{key}.{option.name}", str(option.default))


@given(st.dictionaries(st.one_of(st.sampled_from(sorted(settings.SETTINGS)), st.text()), st.text(), max_size=5))
def test_no_link_breaks_the_page(link: dict[str, str]) -> None:
    values, notes = links.read_link(link, "explore")
    own = set(said.OF_COLUMN) if values["data"] in settings.SOURCES else set()
    expected = [name for name in settings.PAGES["explore"] if name not in own]
    assert list(values)[: len(expected)] == expected
    assert None not in values.values()
    assert all(len(note) < 250 and "\n" not in note for note in notes)


@pytest.fixture(autouse=True)
def made_here_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test makes is forgotten after it."""
    monkeypatch.setattr(keys, "_MADE", dict(keys._MADE))


def test_a_second_place_is_refused_a_key() -> None:
    for _ in range(2):  # a page runs again and again
        assert keys.widget("tested") == "dpq_tested"
    with pytest.raises(ValueError, match=r"dpq_tested is made at .*test_settings.py:\d+ and at .*test_settings.py:\d+"):
        keys.widget("tested")
    assert keys.state("tested") == "dpq:tested", "which is another thing"


def test_no_other_widget_has_the_key_of_a_setting() -> None:
    assert keys.setting("records") == "dpq_records"
    for name in SETTINGS:
        with pytest.raises(ValueError, match=rf"dpq_{name}\b.* made at"):
            keys.widget(name)
    with pytest.raises(KeyError, match="no setting present"):
        keys.setting("present")


def test_a_key_cannot_be_one_of_several_of_another_name() -> None:
    assert keys.widget("field", 1) == "dpq_field_1"
    for make in (partial(keys.widget, "field_1"), partial(keys.widget, "field_of", 1)):
        with pytest.raises(ValueError, match="could be dpq_field_, made at"):
            make()
    with pytest.raises(ValueError, match="could be dpq_option_, made at"):
        keys.widget("option_aq")


def test_several_of_one_name_are_told_apart_whatever_they_are_of() -> None:
    def field(*of: object) -> str:
        return keys.widget("several", *of)

    of = [("a", "b"), ("a:b",), ("a_b",), ("a", "b", ""), ("a%3Ab",), ("é",), ("e",)]
    assert len({field(*each) for each in of}) == len(of)


def test_rules_and_scripts_are_of_containers_that_pages_draw() -> None:
    made = set(re.findall(r'keys\.widget\(\s*"(\w+)"', "".join(file.read_text() for file in modules().values())))
    files = [file for kind in ("css", "js") for file in (ROOT / "pages").rglob(f"*.{kind}")]
    named = re.findall(rf"st-key-{keys.WIDGETS}(\w+)", "".join(file.read_text() for file in files))
    assert len(named) > 20
    assert [each for each in named if not any(f"{each}_".startswith(f"{name}_") for name in made | {*SETTINGS})] == []
