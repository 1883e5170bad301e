"""What nginx and the dashboard answer together: names, headers, cookies, origins, sizes."""

from __future__ import annotations

import http.client
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

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


@pytest.mark.very_slow
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
