"""A deployed server: what nginx and the dashboard answer together, and what happens when a process dies.

One file, so that two servers never start at once. `pytest tests/deploy --slow=with -s` prints the figures of sixty
people.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from playwright.sync_api import Browser, Page, expect
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.history.entries import standing
from pages.frame.header import LOST
from pages.menu import MENU
from tests.browser.driving import Watch, idle, new_visitor, sign_in
from tests.browser.quantiles import bring, press, say, unfold
from tests.deploy.conftest import CURATORS
from tests.deploy.crowd import check, crowd
from tests.deploy.machine import NAME, Machine
from tests.deploy.people import PROCESS, XSRF, Person
from tests.load.visitor import ANSWER_SECONDS

pytestmark = pytest.mark.slow

EVERYWHERE = {
    "Strict-Transport-Security": "max-age=31536000",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
ADDRESSES = ("/", "/quantiles", "/_stcore/health", "/_stcore/metrics", "/download/none", "/auth/login")
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
    connection.request("GET", "/report?answer=1")
    moved = connection.getresponse()
    connection.close()
    assert (moved.status, moved.headers["Location"]) == (301, f"{small.url}/report?answer=1")


def test_another_name_gets_no_answer(small: Machine) -> None:
    careless = ssl.create_default_context()
    careless.check_hostname, careless.verify_mode = False, ssl.CERT_NONE
    port = urlsplit(small.url).port
    with (
        socket.create_connection((NAME, port), 30) as plain,
        pytest.raises(ssl.SSLError, match=r"(?i)unrecognized"),
    ):
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
    assert "secret" not in log
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
    page.goto(f"{whole.url}/report")
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


def test_a_process_that_dies_takes_uploads_and_no_answer(
    curator: Page, whole: Machine, watch: Watch, tmp_path: Path
) -> None:
    file = tmp_path / "patients.csv"
    file.write_text("age\n" + "\n".join(str(18 + k % 70) for k in range(RECORDS)) + "\n")
    curator.goto(f"{whole.url}/quantiles?data=file&quantiles=median")
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
    curator.goto(f"{whole.url}/report")
    idle(curator)
    expect(curator.locator(".dpq-number").first).to_be_visible()
    assert charges(whole) == 2
