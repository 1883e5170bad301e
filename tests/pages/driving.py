"""A visitor of the pages without a browser."""

import io
import json
import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow.ipc
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Widget

from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.history.entries import standing
from pages.form import table
from pages.form.table import SETTINGS, key
from pages.keys import PREFIX
from pages.menu import file_of
from pages.shell import presses, waiting
from tests.jobs.test_queue import wait

ROOT = Path(__file__).parents[2]
Named = TypeVar("Named", bound=Widget)
CONFIRM = f"{PREFIX}_confirm"
SHEET = '<div class="dpq-sheet'
OF_TWO = {"data": "adult-age-full", "more": "adult-hours"}
"""The settings of two columns of an example."""
EPSILON = "1"
"""With which pages open in most tests: their answers are nearly exact."""
manifest_scanner.scan_component_manifests = list  # type: ignore[assignment]  # none: each visit would look, for .5 s
RANDOM = re.compile(r"[0-9a-f-]{12,}|\\\d{3}")
"""Ids of widgets and files, and bytes written as octal numbers: they hold any short number sooner or later."""


def open_page(name: str = "", /, **link: str) -> AppTest:
    """A page as it opens for a link with these settings: of own data Release, else Explore, where none is named."""
    name = name or ("release" if link.get("data") in table.SOURCES else "explore")
    visit = AppTest.from_file(str(ROOT / file_of(name)), default_timeout=60)
    for name, value in link.items():
        visit.query_params[name] = value
    return run(visit)


def drawn_by(script: Callable[..., object], *args: Any) -> AppTest:
    """What a function draws alone. It is given as text: it imports what it needs, and has no types but Python's own."""
    return run(AppTest.from_function(script, default_timeout=60, args=args))


def turn_to(visit: AppTest, page: str, /, **link: str) -> AppTest:
    """Another page of the same session, by the menu or by a link: it finds all settings and whatever is kept.

    AppTest's own way to another page loses what is pressed there.
    """
    other = AppTest.from_file(str(ROOT / file_of(page)), default_timeout=60)
    kept = visit.session_state._state.filtered_state  # AppTest lists nothing of it
    for name in (*map(key, SETTINGS), *(name for name in kept if name.startswith((f"{PREFIX}:", f"{PREFIX}_public_")))):
        if name in kept:
            other.session_state[name] = kept[name]
    for setting, value in link.items():
        other.query_params[setting] = value
    return run(other)


def run(changed: Any) -> AppTest:
    """Run the page after a change; give it the visit or the widget that was changed."""
    visit: AppTest = changed.run()
    assert not visit.exception, [element.message for element in visit.exception]
    return visit


def bring(
    visit: AppTest, content: bytes, name: str = "own.csv", *, public: bool = False, column: str = "", ids: bool = False
) -> AppTest:
    """Upload a file, read its first or the named column, and wait until that is done.

    `public`: declare it so, without which Explore leads to Release; other pages take only what is declared public.
    `ids`: press the button that takes rows of one person together. A page whose link says `data="file"` draws no
    example before, which takes as long as all of this.
    """
    visit = _to_bring(visit, "file", public=public)
    upload(visit, name, content)
    if column:
        run(visit.selectbox(key=column_key(visit)).set_value(column))
    if ids:
        run(visit.button(key=f"{PREFIX}_same_person").click())
    return read(visit)


def _to_bring(visit: AppTest, way: str, *, public: bool) -> AppTest:
    """The page that takes own data in this way: Release, or after the declaration another one."""
    page = visit.session_state[f"{PREFIX}:page"]
    if page == "explore" and not public:
        visit, page = turn_to(visit, "release"), "release"
    if visit.selectbox(key=f"{PREFIX}_data").value != way:
        run(visit.selectbox(key=f"{PREFIX}_data").set_value(way))
    return visit if page == "release" else declare(visit)


def declare(visit: AppTest) -> AppTest:
    """Say that own data are public, where that was not said yet."""
    box = named(visit.checkbox, "public")
    return visit if box.value else run(box.check())


def upload(visit: AppTest, name: str, content: bytes) -> AppTest:
    """Upload a file, in place of the one that the session keeps."""
    if not visit.file_uploader:
        run(visit.button(key=f"{PREFIX}_another_file").click())
    visit.file_uploader[0].upload(name, content)
    return run(visit)


def read_kept(visit: AppTest, column: str) -> AppTest:
    """Read a column of the file that the session keeps, and wait until that is done."""
    run(visit.selectbox(key=column_key(visit)).set_value(column))
    return read(visit)


def paste(visit: AppTest, values: np.ndarray, *, public: bool = False) -> AppTest:
    """Paste values, and wait until they are read; as `bring`."""
    visit = _to_bring(visit, "paste", public=public)
    visit.text_area[0].set_value("\n".join(str(value) for value in values))
    return read(run(visit))


def forget(visit: AppTest) -> AppTest:
    return run(visit.button(key=f"{PREFIX}_change").click())


def column_key(visit: AppTest) -> str:
    """The key of the list of the uploaded file's columns."""
    return str(named(visit.selectbox, "column").key)


def read(visit: AppTest) -> AppTest:
    return settled(run(visit.button(key=f"{PREFIX}_read").click()))


def settled(visit: AppTest) -> AppTest:
    """Run the page until there is a column or a refusal."""
    return until(visit, lambda: bool({f"{PREFIX}_change", f"{PREFIX}_read"} & keys(visit)))


def until(visit: AppTest, is_there: Callable[[], bool]) -> AppTest:
    """Run the page until something is there, as it does by itself in a browser."""
    for _ in range(500):
        if is_there():
            return visit
        time.sleep(0.02)
        run(visit)
    raise AssertionError("nothing was read")


def written(visit: AppTest, **reading: Any) -> AppTest:
    """Say in the popover how what is read is written."""
    for name, value in reading.items():
        fields: list[Any] = [*visit.selectbox, *visit.text_input]
        run(next(each for each in fields if str(each.key).startswith(f"{PREFIX}_reading_{name}:")).set_value(value))
    return visit


def read_so(visit: AppTest, **reading: Any) -> AppTest:
    """Say how what was read is written, and press the button below."""
    return run(written(visit, **reading).button(key=f"{PREFIX}_read_so").click())


def read_several(
    visit: AppTest, content: str, more: list[str], *, name: str = "people.csv", public: bool = False
) -> AppTest:
    """Upload a file, choose its first column and some more, and wait until they are read."""
    visit = _to_bring(visit, "file", public=public)
    upload(visit, name, content.encode())
    run(visit.multiselect(key=more_key(visit)).set_value(more))
    assert visit.button(key=f"{PREFIX}_read").label == "Read these columns"
    return read(visit)


def look_at(visit: AppTest, at: int) -> AppTest:
    """Let the form be about another of several columns that were read, by its place."""
    return run(named(visit.button_group, "column_of_table").set_value(at))


def bounds_of(visit: AppTest, at: int) -> list[str]:
    """What was said of one of several columns."""
    look_at(visit, at)
    return [str(field(visit, name).value) for name in ("lower", "upper", "step")]


def ask_all(visit: AppTest, bounds: str = "digits", **chosen: str) -> AppTest:
    """Say without bounds what several columns hold, and ask all of them the same."""
    for name, value in ({"bounds": bounds} | chosen).items():
        visit.session_state[key(name)] = value
    return run(run(visit).button(key=f"{PREFIX}_ask_the_same").click())


def more_key(visit: AppTest) -> str:
    """The key of the list of further columns of the uploaded file."""
    return str(named(visit.multiselect, "more_columns").key)


def set_bounds(visit: AppTest, lower: str, upper: str, step: str) -> AppTest:
    assert f"{PREFIX}_lower" in {field.key for field in visit.text_input}, said(visit)
    for name, value in {"lower": lower, "upper": upper, "step": step}.items():
        visit.text_input(key=f"{PREFIX}_{name}").set_value(value)
    return run(visit)


def sheet(visit: AppTest) -> str:
    """What the sheet of a report says, without its pictures."""
    bodies = [element.proto.body for element in visit.get("html") if element.proto.body.startswith(SHEET)]
    return re.sub(r"<[^>]+>", " ", bodies[-1]) if bodies else ""


def field(visit: AppTest, name: str) -> Any:
    """The text field with this name in its key."""
    return named(visit.text_input, name)


def all_named(widgets: Iterable[Named], name: str) -> list[Named]:
    """The widgets with this name in their keys, which may end with a file or a step after it."""
    return [each for each in widgets if re.fullmatch(rf"{PREFIX}_{name}(_.*)?", each.key or "")]


def named(widgets: Iterable[Named], name: str) -> Named:
    """The only widget with this name in its key, so that a label can change."""
    (found,) = all_named(widgets, name)
    return found


def widget(visit: AppTest, key: str) -> Widget:
    """The widget with this key, of whatever kind."""
    found = visit.get_by_key(key)
    assert isinstance(found, Widget)
    return found


def widgets_of(visit: AppTest, kinds: Iterable[str]) -> list[Widget]:
    """All widgets of these kinds."""
    found = [node for kind in kinds for node in visit.get(kind)]
    widgets = [node for node in found if isinstance(node, Widget)]
    assert len(widgets) == len(found), "a kind of widgets"
    return widgets


def press(visit: AppTest, name: str = "run") -> AppTest:
    """Press a button by its name, or else the main one of Quantiles; where that asks whether to release, say yes."""
    run(visit.button(key=f"{PREFIX}_{name}").click())
    return run(visit.button(key=CONFIRM).click()) if asks(visit) else visit


def new_people(visit: AppTest) -> AppTest:
    """Say that nobody in a new data set is in one of the others."""
    boxes = (box for box in visit.checkbox if "is a new data set: nobody in it" in box.label.replace("\\", ""))
    return run(next(boxes).check())


def asks(visit: AppTest) -> bool:
    """Whether the page asks just now if something is to be released."""
    return CONFIRM in {button.key for button in visit.button}


def metrics(visit: AppTest) -> dict[str, str]:
    """The numbers that stand large on the page, by their labels."""
    return {metric.label: metric.value for metric in visit.metric}


def link_of(visit: AppTest) -> dict[str, str]:
    """What the address bar holds: one text for each setting."""
    return {name: value if isinstance(value, str) else value[-1] for name, value in dict(visit.query_params).items()}


def said(visit: AppTest) -> str:
    """The words of the page as they are read: without the strokes before what Markdown would read as its own."""
    return words(visit).replace("\\", "")


def cells(table: Any) -> dict[str, list[str]]:
    """A table as it is read on the screen: where numbers stand for words, the words."""
    shown = table.proto.arrow_data.styler.display_values
    frame = pyarrow.ipc.open_stream(shown).read_pandas() if shown else table.value
    return {name: list(map(str, column)) for name, column in frame.to_dict("list").items()}


def private_values(visit: AppTest) -> list[str]:
    table = visit.dataframe[0].value
    return list(table[next(name for name in table.columns if name.startswith("private"))])


def words(visit: AppTest) -> str:
    """Everything that reached the browser, as text: every element of the tree, tables and figures included."""
    found = io.StringIO()
    _write(visit.main, found)
    return found.getvalue()


def _write(node: Any, found: io.StringIO) -> None:
    children = getattr(node, "children", None)
    if children:
        for child in children.values():
            _write(child, found)
    proto = getattr(node, "proto", None)
    if proto is not None:
        found.write(RANDOM.sub("", f"{proto}\n"))
    if getattr(node, "type", "") in {"arrow_data_frame", "dataframe"}:
        found.write(node.value.to_csv())
        if node.proto.arrow_data.styler.display_values:
            found.write(str(cells(node)))


def figures(visit: AppTest) -> list[dict[str, Any]]:
    """The plotly figures as dictionaries."""
    return [json.loads(element.proto.spec) for element in visit.get("plotly_chart")]


def csv_of(values: Iterable[float]) -> bytes:
    return ("age\n" + "\n".join(str(value) for value in values) + "\n").encode()


def listing(visit: AppTest, *names: str) -> AppTest:
    """Type the names of groups."""
    visit.text_area(key=key("group_names")).set_value("\n".join(names))
    return run(visit)


def state_of(visit: AppTest, mode: str) -> object:
    """What was drawn last in a mode."""
    return visit.session_state[f"{PREFIX}:outcome:{mode}"]


def unfinished(visit: AppTest) -> presses.ReleaseRequest | None:
    """The press that has no answer yet."""
    state = visit.session_state._state.filtered_state
    found = [value for name, value in state.items() if name.startswith(f"{PREFIX}:press:") and value is not None]
    assert len(found) < 2, "one press at a time"
    return found[0] if found else None


def charged(file: Path) -> int:
    """How many releases a ledger has."""
    return sum(len(standing(account).entries) for account in Ledger.at(file).accounts()) if file.exists() else 0


def own(file: bytes, name: str = "own.csv", *, public: bool = False, page: str = "", **link: str) -> AppTest:
    """A page with an uploaded column and its bounds: one press away from an answer; Explore where it is public."""
    page = page or ("explore" if public else "release")
    return set_bounds(bring(open_page(page, data="file", **link), file, name, public=public), "0", "120", "1")


def is_disabled(visit: AppTest, name: str = "run") -> bool:
    return bool(visit.button(key=f"{PREFIX}_{name}").disabled)


def keys(visit: AppTest) -> set[str]:
    """The keys of all buttons."""
    return {str(button.key) for button in visit.button}


def study(visit: AppTest, page: str, name: str) -> AppTest:
    """Press the main button of Compare or Trade-off and wait until the study called `name` has ended."""
    assert not is_disabled(visit, f"run_{page}"), said(visit)
    return ended(press(visit, f"run_{page}"), name)


def streamed(visit: AppTest) -> AppTest:
    """Press the main button of Stream and wait until its job has ended."""
    run(visit.button(key=f"{PREFIX}_run_stream").click())
    wait(lambda: visit.session_state[f"{PREFIX}:job:stream"].finished)
    return run(visit)


def ended(visit: AppTest, name: str) -> AppTest:
    """Wait until a job has ended, and run the page once more: not before, as that takes from the job what it needs."""
    job = visit.session_state[waiting._key(name)]
    for _ in range(1200):
        if job.finished:
            assert not job.problem
            return run(visit)
        job.ask()
        time.sleep(0.05)
    raise AssertionError("the study did not end")
