"""What a visitor does on the pages Explore and Release, in a browser."""

from pathlib import Path

from playwright.sync_api import FilePayload, Page

from tests.browser.driving import idle

CONFIRM = "Yes, release"
NOTHING_MOVES = """
() => !document.getAnimations().some(
    each => each.playState === 'running' && each.effect.getComputedTiming().endTime < Infinity)
"""
ARE_PRIVATE = "trace => trace.hovertemplate?.startsWith('private')"


def choose(page: Page, label: str, *options: str) -> None:
    """Open a list once, and choose an option of it; of several it stays open for the next. A list shuts on a scroll."""
    field = page.get_by_role("combobox", name=label, exact=True)
    field.scroll_into_view_if_needed()
    page.evaluate("new Promise(seen => requestAnimationFrame(() => requestAnimationFrame(seen)))")
    field.click()
    for option in options:
        page.get_by_role("option", name=option).first.click()
        idle(page)


def fill(page: Page, label: str, value: str) -> None:
    field = page.get_by_role("textbox", name=label, exact=True)
    if not field.count():
        unfold(page)
    field.fill(value)
    page.keyboard.press("Enter")
    idle(page)


def bring(
    page: Page, path: Path, column: str, *, public: bool = False, ids: str = "", groups: str = ""
) -> None:  # fmt: skip
    """Choose an own file and read one of its columns; with `ids` also whose rows they are, with `groups` those.

    Where it is not `public` the page goes on to Release.
    """
    link = page.get_by_role("link", name="Release from own data")
    if not public and link.count():
        link.first.click()
        idle(page)
    choose(page, "Data", "My own file")
    if public:
        page.get_by_text("This data is public or synthetic").click()
        idle(page)
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_role("button", name="Read this column").wait_for()
    idle(page)
    choose(page, "Column", column)
    if ids:
        page.get_by_role("button", name=f"All rows with the same {ids}").click()
        idle(page)
    if groups:
        choose(page, "For each …", groups)
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Read this column").click()
    page.get_by_role("button", name="Forget my data").wait_for()
    idle(page)


def bring_several(page: Page, file: Path | FilePayload, *columns: str) -> None:
    """Choose an own file, its first column and more of them, and read them."""
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Read this column").wait_for()
    idle(page)
    choose(page, "More columns", *columns)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Read these columns").click()
    page.get_by_role("button", name="Forget my data").wait_for()
    idle(page)


def without_bounds(page: Page) -> None:
    """Answer all of several columns in significant digits."""
    page.get_by_text("Significant digits", exact=True).click()
    idle(page)
    page.get_by_role("button", name="Ask all columns the same").click()
    idle(page)
    page.mouse.move(0, 0)  # where nothing is said of what is under the pointer


def say(page: Page, **fields: str) -> None:
    """Type into fields by their labels, in which `_` stands for a blank."""
    for label, value in fields.items():
        page.get_by_role("textbox", name=label.replace("_", " "), exact=True).fill(value)
        page.keyboard.press("Enter")
        idle(page)


def press(page: Page, verb: str) -> None:
    ask(page, verb)
    if verb == "Release":
        confirm(page)
    page.get_by_test_id("stMetricValue").first.wait_for()


def ask(page: Page, verb: str) -> None:
    """Press the main button, which in Release asks once more; after an answer it lies folded."""
    button = page.get_by_role("button", name=verb, exact=True)
    if not button.count():
        unfold(page)
    if verb == "Release":
        new_people(page)
    button.click()
    idle(page)


def new_people(page: Page) -> None:
    """Say that nobody in a new data set is in another one of the server, where the page asks for that."""
    box = page.get_by_role("checkbox", name="is a new data set")
    if box.count() and not box.is_checked():
        page.get_by_text("is a new data set").click()
        idle(page)


def confirm(page: Page) -> None:
    page.get_by_role("button", name=CONFIRM).click()
    idle(page)


def unfold(page: Page) -> None:
    """Open what asks for another answer once there is one; while it opens its button slides away from a click."""
    page.get_by_text("Ask again", exact=True).click()
    idle(page)
    page.wait_for_function(NOTHING_MOVES)


def private_values(page: Page) -> list[float]:
    """Return the private quantiles of the first figure, as plotly has them in the browser."""
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    traces = "document.querySelector('.js-plotly-plot')?._fullData ?? []"
    page.wait_for_function(f"({traces}).some({ARE_PRIVATE})")
    return list(page.evaluate(f"Array.from(({traces}).find({ARE_PRIVATE}).x)"))


def downloaded(page: Page, label: str) -> str:
    """The content of the file behind the link to a file, without the mark of UTF-8."""
    with page.expect_download() as waiting:
        page.get_by_role("link", name=label, exact=True).click()
    return Path(waiting.value.path()).read_text(encoding="utf-8-sig")
