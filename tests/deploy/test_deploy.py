"""A deployed server: what nginx and the dashboard answer together, and what happens when a process dies.

One file, so that two servers never start at once. `pytest tests/deploy --slow=with -s` prints the figures of sixty
people.
"""

import http.client
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from threading import Barrier, BrokenBarrierError, Semaphore
from urllib.parse import urlencode, urlsplit

import psutil
import pyarrow as pa
import pytest
from playwright.sync_api import Browser, Page, expect
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from dpq_core.ledger import verifying
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.checking import State
from dpq_core.ledger.history.entries import standing
from pages.menu import MENU
from pages.shell.header import LOST, PAID
from tests.browser.asking import bring, press, say, unfold
from tests.browser.driving import Watch, idle, new_visitor, sign_in
from tests.deploy import people
from tests.deploy.conftest import CURATORS
from tests.deploy.machine import KEY, NAME, Machine
from tests.deploy.people import PROCESS, XSRF, Person
from tests.load import classroom
from tests.load.visitor import ANSWER_SECONDS, Visitor

pytestmark = pytest.mark.slow

EVERYWHERE = {
    "Strict-Transport-Security": "max-age=31536000", "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}  # fmt: skip
ADDRESSES = ("/", "/release", "/_stcore/health", "/_stcore/metrics", "/download/none", "/auth/login")
TOO_LARGE = 403 << 20


def answered(machine: Machine, address: str, method: str = "GET", **headers: str) -> http.client.HTTPResponse:
    """The answer as it is, no redirect followed; what `headers` announce is never sent."""
    parts = urlsplit(machine.url)
    connection = http.client.HTTPSConnection(str(parts.hostname), parts.port, context=machine.trust, timeout=30)
    connection.request(method, address, headers={name.replace("_", "-"): text for name, text in headers.items()})
    found = connection.getresponse()
    found.read()
    connection.close()
    return found


def test_every_answer_has_the_headers(small: Machine) -> None:
    for address in ADDRESSES:
        found = answered(small, address)
        assert {name: found.headers.get_all(name) for name in EVERYWHERE} == {k: [v] for k, v in EVERYWHERE.items()}
        assert found.headers["Server"] == "nginx"
        (policy,) = found.headers.get_all("Content-Security-Policy", [])
        assert policy.startswith("default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-")
        assert policy.endswith("base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
        assert not [each for each in found.headers.get_all("Set-Cookie", []) if "Secure" not in each]


def test_http_2_is_spoken_and_http_leads_to_https(small: Machine) -> None:
    trust = small.trust
    trust.set_alpn_protocols(["h2", "http/1.1"])
    parts = urlsplit(small.url)
    with (
        socket.create_connection((NAME, parts.port), 30) as plain,
        trust.wrap_socket(plain, server_hostname=NAME) as secured,
    ):
        assert secured.selected_alpn_protocol() == "h2"
        assert secured.version() == "TLSv1.3"
    connection = http.client.HTTPConnection(urlsplit(small.plain_url).netloc, timeout=30)
    connection.request("GET", "/releases?answer=1")
    moved = connection.getresponse()
    connection.close()
    assert (moved.status, moved.headers["Location"]) == (301, f"{small.url}/releases?answer=1")


def test_another_name_gets_no_answer(small: Machine) -> None:
    careless = ssl.create_default_context()
    careless.check_hostname, careless.verify_mode = False, ssl.CERT_NONE
    port = urlsplit(small.url).port
    with socket.create_connection((NAME, port), 30) as plain, pytest.raises(ssl.SSLError, match=r"(?i)unrecognized"):
        careless.wrap_socket(plain, server_hostname="elsewhere.example")
    with pytest.raises((http.client.HTTPException, ConnectionError)):
        answered(small, "/", Host="elsewhere.example")


def test_a_visitor_stays_with_a_process_and_finds_another_where_it_is_dead(small: Machine) -> None:
    first = [Person(small) for _ in range(12)]
    for person in first:
        person.ask("/")
        process = person.cookies[PROCESS]
        person.ask("/_stcore/health")
        assert person.cookies[PROCESS] == process
    assert {person.cookies[PROCESS] for person in first} <= {"a", "b"}, "the third is not there"
    moved = answered(small, "/_stcore/health", Cookie=f"{PROCESS}=c")
    assert moved.status == 200
    assert [each[:13] for each in moved.headers.get_all("Set-Cookie", []) if each.startswith(PROCESS)] in (
        [f"{PROCESS}=a"], [f"{PROCESS}=b"],
    )  # fmt: skip


def test_a_page_of_another_site_cannot_connect_or_upload(small: Machine) -> None:
    person = Person(small)
    person.ask("/_stcore/health")
    token = person.cookies[XSRF]

    def status(origin: str, words: list[str], cookies: Mapping[str, str]) -> int:
        try:
            with connect(
                small.url.replace("https:", "wss:") + "/_stcore/stream",
                ssl=small.trust_in_threads,
                origin=Origin(origin),
                subprotocols=[Subprotocol(word) for word in words],
                additional_headers={"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())},
                open_timeout=ANSWER_SECONDS,
            ):
                return 101
        except InvalidStatus as refused:
            return refused.response.status_code

    assert status(small.url, ["streamlit", token], person.cookies) == 101
    for origin, words, cookies in (
        ("https://elsewhere.example", ["streamlit", token], person.cookies),
        (small.plain_url, ["streamlit", token], person.cookies),
        (small.url, ["streamlit"], person.cookies),
        (small.url, ["streamlit", "none"], person.cookies),
        (small.url, ["streamlit", token], {}),
    ):
        assert status(origin, words, cookies) == 403, origin
    assert answered(small, "/_stcore/upload_file/a/b", "PUT", Origin="https://elsewhere.example").status == 403
    assert answered(small, "/_stcore/upload_file/a/b", "PUT", Origin=small.url, Content_Length="0").status == 403


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(small: Machine) -> None:
    found = answered(small, "/_stcore/upload_file/a/b", "PUT", Origin=small.url, Content_Length=str(TOO_LARGE))
    assert (found.status, found.headers["Server"]) == (413, "nginx")
    assert not list((small.folder / "body").rglob("*/*")), "nothing of an upload is on the disk"


def test_the_log_names_nobody_and_no_address_that_is_a_secret(small: Machine) -> None:
    answered(small, "/download/a-secret-token?more=secret")
    answered(small, "/_stcore/upload_file/a-secret-session/file", "PUT", Origin=small.url)
    log = (small.folder / "dpq.log").read_text()
    assert "GET /download/... 404" in log
    assert "PUT /_stcore/upload_file/... 403" in log
    answered(small, "/download/a-secret-token", Cookie=f"{PROCESS}=c")  # whose process is dead
    answered(small, "/_stcore/upload_file/a-secret/b", "PUT", Origin=small.url, Content_Length=str(TOO_LARGE))
    log += (small.folder / "error.log").read_text()
    assert "secret" not in log + (small.folder / "nginx-error.log").read_text()
    assert "127.0.0.1" not in log


def test_while_no_process_is_there_a_page_says_so(whole: Machine) -> None:
    for process in whole.processes.values():
        process.kill()
    with pytest.raises(urllib.error.HTTPError) as refused:
        Person(whole).ask("/")
    assert refused.value.code == 503
    with refused.value as answer:
        assert "This page tries again every five seconds." in answer.read().decode()
    assert refused.value.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert refused.value.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"


FEW, MANY = 4, 60


def test_a_few_people(small: Machine) -> None:
    killed, stories = crowd(small, FEW, after=0.05)
    check(small, killed, stories)
    assert all(len(story.answers) == 2 for story in stories)
    struck = [story for story in stories if story.processes[0] == killed]
    assert all(len(story.answers) > 0 for story in struck)
    assert {story.processes[-1] for story in struck} <= {"b"}


def test_sixty_people(whole: Machine, record_property: Callable[[str, object], None]) -> None:
    began = time.monotonic()
    killed, stories = crowd(whole, MANY, after=0.3)
    lasted = time.monotonic() - began
    check(whole, killed, stories)
    struck = [story for story in stories if story.away]
    assert len(struck) >= MANY // 6, "about a third of them were there"
    whole.start(killed)
    newcomers = [Person(whole) for _ in range(20)]
    for person in newcomers:
        person.ask("/")
    assert killed in {person.cookies[PROCESS] for person in newcomers}, "it takes new visitors again"
    for story in struck:
        story.person.ask("/_stcore/health")
        assert story.person.cookies[PROCESS] == story.processes[-1], "who went elsewhere stays there"
    seconds = sorted(second for story in stories for second in story.seconds)
    away = sorted(story.away for story in struck)
    held = [psutil.Process(each.running.pid).memory_info().rss / 1e6 for each in whole.processes.values()]
    words = (
        f"{MANY} people in {lasted:.0f} s; {len(struck)} were with the dead process and were told within "
        f"{away[len(away) // 2]:.1f} s (median), {away[-1]:.1f} s (last); from press to answer "
        f"{seconds[len(seconds) // 2]:.1f} s (median), {seconds[-1]:.1f} s (longest); "
        f"{', '.join(f'{each:.0f}' for each in held)} MB"
    )
    record_property("killed", words)
    print(f"\n{words}")


PAGES = sorted(page for page, _, _ in MENU)
STATE = "[data-testid=stApp]"
RECORDS = 60_000
"""Some 400 kB: more than nginx would keep in memory by itself."""


def charges(machine: Machine) -> int:
    ledger = Ledger.at(machine.ledger)
    try:
        return len(standing(ledger.account("patients")).entries)
    finally:
        ledger.engine.dispose()


@pytest.fixture
def watch() -> Watch:
    return Watch(NAME)


@pytest.fixture
def curator(browser: Browser, whole: Machine, watch: Watch) -> Iterator[Page]:
    """Somebody who has signed in. The provider's form asks another machine for its looks, and gets none."""
    context = new_visitor(browser, ignore_https_errors=True)
    context.route("https://cdn.*/**", lambda route: route.abort())
    page = context.new_page()
    page.goto(f"{whole.url}/releases")
    sign_in(page, CURATORS[0])
    watch.attach(page)
    yield page
    context.close()


def test_every_page_works_without_a_complaint(curator: Page, whole: Machine, watch: Watch) -> None:
    for name in PAGES:
        curator.goto(f"{whole.url}/{name}")
        idle(curator)
        expect(curator.get_by_role("heading", level=1).first).to_be_visible()
        for button in ("Compare", "Draw", "Copy link"):
            found = curator.get_by_role("button", name=button, exact=True)
            if found.count() and found.first.is_enabled():
                found.first.click()
                idle(curator)
        curator.keyboard.press("Escape")
    assert watch.complaints == []


def test_a_process_that_dies_takes_no_answer(curator: Page, whole: Machine, watch: Watch, tmp_path: Path) -> None:
    file = tmp_path / "patients.csv"
    file.write_text("age\n" + "\n".join(str(18 + k % 70) for k in range(RECORDS)) + "\n")
    curator.goto(f"{whole.url}/release?data=file&quantiles=median")
    idle(curator)
    bring(curator, file, "age")
    say(curator, Lowest="0", Highest="120", Step="1")
    press(curator, "Release")
    assert watch.complaints == []
    (process,) = (each["value"] for each in curator.context.cookies() if each["name"] == PROCESS)
    whole.processes[str(process)].kill()
    curator.wait_for_function(f"() => document.querySelector('{STATE}').dataset.testConnectionState !== 'CONNECTED'")
    idle(curator)
    expect(curator.get_by_test_id("stMetricValue").first).to_be_visible()  # what stood there may still be read
    unfold(curator)
    curator.get_by_role("button", name="Release", exact=True).click()
    told = curator.get_by_text(LOST.split(".")[0])
    expect(told).to_be_visible(timeout=60_000)
    idle(curator)
    curator.screenshot(path=whole.folder / "told.png")
    expect(curator.get_by_role("button", name="Release", exact=True)).to_be_disabled()
    assert charges(whole) == 1, "the press that found the process dead was none"
    curator.get_by_role("button", name="I see").click()
    expect(told).to_have_count(0)
    idle(curator)
    bring(curator, file, "age")
    say(curator, Lowest="0", Highest="120", Step="1")
    press(curator, "Release")
    curator.goto(f"{whole.url}/releases")
    idle(curator)
    expect(curator.locator(".dpq-headline").first).to_be_visible()
    assert charges(whole) == 2


# ── a crowd, of whose processes one is killed while they press ───────────────────────────────────────────────────────

EPSILON = Decimal("0.5")
LINK = urlencode({"data": "paste", "quantiles": "quartiles", "epsilon": EPSILON})
CONFIRM, ANSWERS, MOST_PRESSES = "Yes, release", "Quantiles of every column", 5
AT_THE_PROVIDER = Semaphore(4)
"""The tests' provider of sign-in answers no more people at a time."""


@dataclass
class Story:
    """What happened to one person."""

    column: classroom.Person
    person: people.Person
    processes: list[str] = field(default_factory=list)
    """The letters of those that served this person, one after the other."""
    presses: int = 0
    answers: list[list[int]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    """From each press to its answer."""
    away: float = 0.0
    """Seconds from the broken connection to a page that says so; 0 for those who lost none."""
    frames: list[bytes] = field(default_factory=list)


def live(machine: Machine, number: int, pressing: Barrier) -> Story:
    """Sign in, release twice (the second time all at once), and where the connection breaks come back and go on."""
    story = Story(classroom.Person(number), people.Person(machine, CURATORS[number]))
    session = ""
    try:
        with AT_THE_PROVIDER:
            story.person.sign_in()
        with story.person.visiting("release", LINK) as visitor:
            session = _arrive(story, visitor)
            _bring(visitor, story.column)
            _release(story, visitor)
            pressing.wait()
            _release(story, visitor)
    except ConnectionClosed:
        _come_back(story, session)
    except BaseException:
        pressing.abort()  # nobody waits for this one
        raise
    return story


def _come_back(story: Story, session: str) -> None:
    lost = time.monotonic()
    with story.person.visiting("release", LINK, session) as visitor:
        said = " ".join(markdown.body for markdown in visitor.all_of("markdown"))
        assert LOST in said
        assert PAID in said
        story.away = time.monotonic() - lost
        assert _arrive(story, visitor) != session
        visitor.act(WidgetState(id=visitor.widget_id("button", "I see"), trigger_value=True))
        assert LOST not in " ".join(markdown.body for markdown in visitor.all_of("markdown"))
        _bring(visitor, story.column)
        _release(story, visitor)


def _arrive(story: Story, visitor: Visitor) -> str:
    visitor.frames = story.frames = [*story.frames, *visitor.frames]
    story.processes.append(story.person.cookies[people.PROCESS])
    return visitor.session


def data_set_of(column: classroom.Person) -> str:
    """The name of a person's data set, which the server offers to everybody; nothing else of it is theirs."""
    return f"records {column.number}"


def _bring(visitor: Visitor, column: classroom.Person) -> None:
    """Paste the column, wait until it is read, say what is known of it and whose budget pays."""
    visitor.act(
        WidgetState(id=visitor.widget_id("text_area", "Values"), string_value=column.pasted),
        WidgetState(id=visitor.widget_id("button", "Read these values"), trigger_value=True),
    )
    visitor.wait_for("button", "Forget my data")
    said = column.said | {"Name of the data set": data_set_of(column)}
    visitor.act(*(WidgetState(id=visitor.widget_id("text_input", name), string_value=said[name]) for name in said))


def _ask(visitor: Visitor) -> None:
    """Press Release until the page asks whether to release.

    That the data set is a new one has to be said as soon as there is another one, which may be made before any press.
    """
    for _ in range(MOST_PRESSES):
        buttons = visitor.all_of("button")
        if any(button.label == CONFIRM for button in buttons):
            return
        ready = [button.id for button in buttons if button.label == "Release" and not button.disabled]
        new = [box.id for box in visitor.all_of("checkbox") if "is a new data set" in box.label.replace("\\", "")]
        said = [WidgetState(id=box, bool_value=True) for box in new]
        visitor.act(*([WidgetState(id=ready[0], trigger_value=True)] if ready else said))
    raise AssertionError("the page never asked whether to release")


def _release(story: Story, visitor: Visitor) -> None:
    """Press Release, and say yes; the answer is that of this person's column."""
    began = time.monotonic()
    story.presses += 1
    for _ in range(MOST_PRESSES):
        _ask(visitor)
        visitor.act(WidgetState(id=visitor.widget_id("button", CONFIRM), trigger_value=True))
        tables = [table for table in visitor.all_of("dataframe") if table.alt == ANSWERS]
        if tables:
            break
    (numbers,) = tables
    story.seconds.append(time.monotonic() - began)
    columns = pa.ipc.open_stream(numbers.arrow_data.data).read_all().to_pydict()
    answer = [int(cell) for cell in columns["private"]]
    column = story.column
    assert all(column.lower <= value <= column.lower + classroom.WIDTH for value in answer)
    story.answers.append(answer)


def crowd(machine: Machine, size: int, after: float) -> tuple[str, list[Story]]:
    """Have so many people live their stories, and kill the first process while all press; return its letter.

    `after`: seconds from the second press of all to the kill.
    """
    pressing = Barrier(size + 1, timeout=600)
    with ThreadPoolExecutor(size) as threads:
        stories = [threads.submit(live, machine, number, pressing) for number in range(size)]
        try:
            pressing.wait()
        except BrokenBarrierError as error:
            raise _first_of(stories) or error from None
        time.sleep(after)
        machine.processes["a"].kill()
        return "a", [story.result() for story in stories]


def _first_of(stories: Sequence[Future[Story]]) -> BaseException | None:
    """What happened to somebody who could not go on, for whom all others waited."""
    found = [story.exception() for story in stories]
    return next((error for error in found if error and not isinstance(error, BrokenBarrierError)), None)


def check(machine: Machine, killed: str, stories: Sequence[Story]) -> None:
    """Nobody paid for more than was pressed or for another, nobody was sent another's words, all went on."""
    ledger = Ledger.at(machine.ledger, key=KEY, heads=machine.folder / "heads")
    try:
        assert not [each.problem for each in verifying.verify(ledger) if each.problem]
        assert verifying.entries_lost(ledger) == 0
        assert len(ledger.accounts()) == len(stories)
        for story in stories:
            _check_charges(ledger, killed, story)
    finally:
        ledger.engine.dispose()
    for story in stories:
        content, own = b"".join(story.frames), story.column.word
        assert own.encode() in content
        words = [other.column.word for other in stories if other is not story]
        assert not [word for word in words if word.encode() in content]


def _check_charges(ledger: Ledger, killed: str, story: Story) -> None:
    found = standing(ledger.account(data_set_of(story.column)))
    states = [entry.state for entry in found.entries]
    assert {entry.who for entry in found.entries} == {story.person.email}
    assert found.total.epsilon == len(states) * EPSILON
    if story.away:
        assert story.processes[0] == killed
        assert story.processes[1] != killed
        assert len(story.answers) <= len(states) <= story.presses, "a press is charged once at most"
        assert states.count(State.CHARGED) <= 1
        assert set(states) <= {State.CHARGED, State.ANSWERED}
    else:
        assert states == [State.ANSWERED] * story.presses
        assert len(story.answers) == story.presses
