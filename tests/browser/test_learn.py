"""The lessons as a learner meets them, by slider and by keyboard; and a class with five browsers in a room."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, Page, expect

from pages.learn.texts import LESSONS, text_of
from pages.room.bar import AGREED, LABEL
from pages.room.membership import CLOSED, ENDED
from tests.browser import driving
from tests.browser.asking import say
from tests.browser.driving import PHONE, WIDE, arrive, idle
from tests.browser.lessons import figures_of
from tests.browser.looks import SCROLLED, violations
from tests.narrowing import present

pytestmark = pytest.mark.slow

STUDENTS = 4
LESSON = "halves"


def expect_lesson(page: Page, lesson: str) -> None:
    expect(page.get_by_role("heading", name=text_of(lesson).title)).to_be_visible()


def tab_to(page: Page, where: str) -> None:
    """Press Tab until a control has the focus of which this holds."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(f"(now => {where})(document.activeElement)"):
            return
    raise AssertionError(f"no way to {where}")


def test_a_lesson_by_keyboard_alone(open_page: Callable[..., Page]) -> None:
    page = open_page("/learn?lesson=gaps")
    figures_of(page)
    tab_to(page, "now.closest('.st-key-dpq_lesson') !== null")
    for _ in range(list(LESSONS).index("gaps")):
        page.keyboard.press("ArrowUp")
        idle(page)
    expect_lesson(page, "quantile")
    tab_to(page, "now.type === 'radio' && !now.closest('.st-key-dpq_lesson')")
    page.keyboard.press("Space")
    idle(page)
    expect(page.get_by_text("see the figure")).to_be_visible()
    tab_to(page, "(now.innerText || '').includes('Next')")
    page.keyboard.press("Enter")
    idle(page)
    expect_lesson(page, "one-person")


def test_every_next_lesson_begins_at_its_top_on_a_phone(open_page: Callable[..., Page]) -> None:
    page = open_page("/learn?lesson=quantile", viewport={"width": PHONE["width"], "height": 800})
    figures_of(page)
    rail = page.locator(".st-key-dpq_lesson").get_by_text(text_of("gaps").title)
    rail.click()
    idle(page)
    expect_lesson(page, "gaps")
    for _ in range(3):
        page.get_by_role("button", name="Next", exact=True).click()
        idle(page)
        expect(page.get_by_role("heading", name="How does it work?")).to_be_in_viewport()
        assert page.evaluate(SCROLLED) == 0


def test_an_arrow_key_moves_the_slider_or_turns_the_presented_lesson_not_both(open_page: Callable[..., Page]) -> None:
    page = open_page("/learn?lesson=halves")
    page.get_by_role("button", name="Present", exact=True).click()
    idle(page)
    slider = page.get_by_role("slider").first
    before = slider.get_attribute("aria-valuetext")
    slider.focus()
    page.keyboard.press("ArrowRight")
    idle(page)
    expect(slider).not_to_have_attribute("aria-valuetext", str(before))
    expect_lesson(page, "halves")
    slider.blur()
    page.keyboard.press("ArrowRight")
    idle(page)
    expect_lesson(page, "slices")


def front(page: Page) -> Page:
    """The tab, where it is seen: one behind another is drawn once a second."""
    page.bring_to_front()
    return page


def open_room(page: Page) -> str:
    """Open a room with this page, and return its code."""
    page.get_by_role("button", name=LABEL).click()
    line = page.get_by_text(re.compile("Your room"))
    expect(line).to_be_in_viewport()
    expect(page.get_by_text("Scan the code to join the room")).to_be_in_viewport()
    page.keyboard.press("Escape")
    return present(re.search("[0-9A-Z]{4}-[0-9A-Z]{4}", line.inner_text()))[0]


@pytest.fixture
def phone(browser: Browser) -> Iterator[Callable[[str], Page]]:
    """`phone(address)`: an address on a phone of somebody's own, which complains as little as any other page."""
    with ExitStack() as visitors:
        watch = driving.Watch()

        def open_phone(address: str) -> Page:
            page = visitors.enter_context(driving.new_visitor(browser, viewport=PHONE)).new_page()
            watch.attach(page)
            return arrive(page, address)

        yield open_phone
        assert not watch.complaints, "\n".join(watch.complaints)


def bird(page: Page, code: str) -> str:
    """Whom a student's page says that it is of."""
    line = page.get_by_text(re.compile(f"You are .* in room {code}"))
    expect(line).to_be_attached()
    return line.inner_text().partition(" in room")[0]


def test_a_class_with_five_browsers(
    open_page: Callable[..., Page], phone: Callable[[str], Page], server: driving.Server
) -> None:
    lecturer = open_page(f"/learn?lesson={LESSON}")
    code = open_room(lecturer)
    students = [phone(f"{server.url}/learn?room={code}") for _ in range(STUDENTS)]
    for student in students:
        expect(student.get_by_role("heading", name=text_of(LESSON).title)).to_be_visible()
    names = [bird(student, code) for student in students]
    assert len(set(names)) == STUDENTS
    expect(lecturer.get_by_text(f"{STUDENTS} people here")).to_be_visible()

    front(lecturer).get_by_role("button", name="Ask everyone").click()
    choices = text_of(LESSON).predict.choices
    for at, student in enumerate(students):
        expect(student.get_by_text("Make your prediction below.")).to_be_visible()
        front(student).get_by_test_id("stRadio").get_by_text(choices[at % 2].text, exact=True).click()
        expect(student.get_by_text("You may change it until the lecturer reveals.")).to_be_visible()
    expect(lecturer.get_by_text(f"{STUDENTS} of {STUDENTS} have predicted.")).to_be_visible()
    front(students[0]).reload()
    assert bird(students[0], code) == names[0]
    expect(students[0].get_by_role("radio", name=choices[0].text)).to_be_checked()
    expect(students[0].get_by_text("Your prediction is in; wait for the others.")).to_be_visible()
    front(lecturer).reload()
    expect(lecturer.get_by_text(re.compile(f"Your room {code}"))).to_be_visible()
    expect(lecturer.get_by_text(f"{STUDENTS} people here")).to_be_visible()
    expect(lecturer.get_by_text(f"{STUDENTS} of {STUDENTS} have predicted.")).to_be_visible()
    told = text_of(LESSON).predict.right.text
    expect(lecturer.locator(".st-key-dpq_figure_room_predictions")).to_have_count(0)
    lecturer.get_by_role("button", name="Reveal").click()
    for student in students:
        expect(student.get_by_text("The answer is on this page now.")).to_be_visible()
    expect(lecturer.locator(".st-key-dpq_figure_room_predictions").get_by_text("✓")).to_be_visible()
    assert f"{told}  ✓" in wall_of(lecturer)
    lecturer.get_by_role("button", name="Show the join code").click()
    expect(lecturer.get_by_text("Scan the code to join the room")).to_be_visible()
    expect(lecturer.get_by_text("phones need the dashboard on a server")).to_be_visible()
    assert [each for page in (students[0], lecturer) for each in violations(front(page))] == []
    lecturer.keyboard.press("Escape")

    lecturer.get_by_role("link", name="Explore", exact=True).first.click()
    lecturer.get_by_role("button", name="Everybody draws").click()
    for student in students:
        expect(student.get_by_text("your own noise")).to_be_attached()
        expect(student.get_by_text(re.compile(r"Simulation with seed 1\d{4}"))).to_be_attached()
    expect(lecturer.get_by_text(f"{STUDENTS} private answers")).to_be_visible()
    seeds = [own_seed(student) for student in students]
    assert len(set(seeds)) == STUDENTS

    front(students[0]).reload()
    assert bird(students[0], code) == names[0]
    expect(students[0].get_by_text(f"Simulation with seed {seeds[0]}")).to_be_attached()
    expect(lecturer.get_by_text(f"{STUDENTS} private answers")).to_be_visible()
    for shared in (lecturer.url, students[1].url):  # as a projector shows it, and as a student sends it on
        stranger = phone(shared)
        assert bird(stranger, code) not in names
        assert own_seed(stranger) not in seeds
        expect(stranger.get_by_role("button", name="Leave")).to_be_visible()
    students[3].get_by_role("button", name="Leave").click()
    expect(students[3].get_by_text(f"in room {code}")).to_have_count(0)
    front(lecturer).get_by_role("button", name="Close the room").click()
    for student in students[:3]:
        expect(student.get_by_text(ENDED)).to_be_attached()
    expect(lecturer.get_by_text(CLOSED)).to_be_visible()
    expect(lecturer.get_by_text("There is no room with this code.")).to_have_count(0)
    for page in (lecturer, students[3]):
        idle(page)
        assert "room=" not in page.url
    assert not [page for page in (lecturer, *students) if page.get_by_test_id("stException").count()]


def own_seed(page: Page) -> str:
    return str(re.findall(r"seed=(\d+)", page.url)[0])


def wall_of(page: Page) -> str:
    picture = page.locator(".st-key-dpq_figure_room_predictions .js-plotly-plot")
    expect(picture).to_have_count(1)  # while the page is drawn again, the one before may stand beside it
    return str(picture.evaluate("plot => JSON.stringify(plot.layout.annotations.map(each => each.text))"))


@pytest.mark.parametrize("size", ["wide", "phone"])
def test_the_menu_leads_into_a_room(open_page: Callable[..., Page], phone: Callable[[str], Page], size: str) -> None:
    lecturer = open_page(f"/learn?lesson={LESSON}", viewport=WIDE)
    code = open_room(lecturer)
    student = phone(urljoin(lecturer.url, "/papers"))
    student.set_viewport_size(WIDE if size == "wide" else PHONE)
    idle(student)
    if size == "phone":
        student.get_by_role("button", name="Menu", exact=True).click()
    else:
        expect(student.get_by_test_id("stSidebar")).to_have_count(0)
    student.get_by_role("link", name="Enter a room", exact=True).click()
    field = student.get_by_role("textbox", name="Code from your lecturer")
    expect(field).to_be_in_viewport()
    idle(student)
    field.fill("wrong")
    student.get_by_role("button", name="Enter", exact=True).click()
    expect(student.get_by_text("There is no room with this code.")).to_be_visible()
    idle(student)
    field.fill(code.lower())
    student.get_by_role("button", name="Enter", exact=True).click()
    expect(student.get_by_role("heading", name=text_of(LESSON).title)).to_be_visible()
    bird(student, code)
    lecturer.get_by_role("link", name="Enter a room", exact=True).click()
    expect(lecturer.get_by_text("You lead this room.")).to_be_visible()
    expect(lecturer.get_by_role("button", name="Show this to everyone")).to_have_count(0)
    lecturer.get_by_role("button", name="Close the room").click()  # else the next test is led back to it
    expect(lecturer.get_by_text(CLOSED)).to_be_visible()


def test_a_class_answers_on_public_numbers_of_its_lecturer(
    open_page: Callable[..., Page], phone: Callable[[str], Page], server: driving.Server
) -> None:
    lecturer = open_page("/explore?data=paste&quantiles=median&epsilon=0.5&mechanism=aq")
    lecturer.get_by_text("This data is public or synthetic").click()
    idle(lecturer)
    lecturer.locator("textarea").fill("\n".join(str(minutes) for minutes in range(5, 61)))
    lecturer.locator("textarea").press("Control+Enter")
    idle(lecturer)
    lecturer.get_by_role("button", name="Read these values").click()
    lecturer.get_by_role("button", name="Forget my data").wait_for()
    idle(lecturer)
    say(lecturer, Lowest="0", Highest="120", Step="1")
    lecturer.get_by_role("button", name=LABEL).click()
    lecturer.get_by_role("textbox", name="What are these numbers?").fill("Minutes to school")
    lecturer.get_by_text(AGREED).click()
    idle(lecturer)
    lecturer.get_by_role("button", name="Open the room").click()
    line = lecturer.get_by_text(re.compile("Your room"))
    expect(line).to_be_visible()
    idle(lecturer)
    code = present(re.search("[0-9A-Z]{4}-[0-9A-Z]{4}", line.inner_text()))[0]
    students = [phone(f"{server.url}/learn?room={code}") for _ in range(2)]
    for student in students:
        bird(student, code)
        expect(student.get_by_role("combobox", name="Data", exact=True)).to_have_value(
            "Minutes to school, of this class"
        )
    front(lecturer).get_by_role("button", name="Everybody draws").click()
    expect(lecturer.get_by_text("2 private answers")).to_be_visible()
    expect(lecturer.get_by_text("the true value is 32")).to_be_visible()
    for student in students:
        expect(student.get_by_text(re.compile(r"Simulation with seed 1\d{4}"))).to_be_attached()
        assert not student.get_by_test_id("stException").count()
    front(lecturer).reload()
    expect(lecturer.get_by_text(re.compile(f"Your room {code}"))).to_be_visible()
    expect(lecturer.get_by_role("combobox", name="Data", exact=True)).to_have_value("Minutes to school, of this class")
    lecturer.get_by_role("button", name="Close the room").click()
    expect(lecturer.get_by_text(CLOSED)).to_be_visible()
