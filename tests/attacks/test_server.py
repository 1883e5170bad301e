"""What the server refuses to whoever is not the person at the page; and what it would share between people."""

import http.client
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser import driving

ROOT = Path(__file__).parents[2]
SHARED_CACHES = {
    "pages/form/data.py": "public example columns, read-only",
    "pages/stream/sources.py": "names of public files of the server, and how their cells are read, without the cells",
}
"""Files that may keep something in a cache of Streamlit, which all visitors share, and why that is no leak."""
HANDSHAKE = {
    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}  # fmt: skip


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with driving.serve(tmp_path_factory.mktemp("server") / "streamlit.log") as server:
        yield urlsplit(server.url).netloc


def answer(address: str, method: str, path: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(address, timeout=30)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): text for name, text in headers.items()})
        return connection.getresponse()
    finally:
        connection.close()


def ask(address: str, method: str, path: str, **headers: str) -> int:
    return answer(address, method, path, **headers).status


@pytest.fixture(scope="module")
def handshake(address: str) -> dict[str, str]:
    """What the browser sends from a page of the server, whose token stands in a cookie."""
    cookie = str(answer(address, "GET", "/_stcore/health").headers["Set-Cookie"]).split(";")[0]
    said = f"streamlit, {cookie.split('=', 1)[1]}"
    return HANDSHAKE | {"Origin": f"http://{address}", "Cookie": cookie, "Sec-WebSocket-Protocol": said}


def test_a_page_of_this_server_connects(address: str, handshake: dict[str, str]) -> None:
    assert ask(address, "GET", "/_stcore/stream", **handshake) == 101


@pytest.mark.parametrize("changed", [
    {"Origin": "https://example.org"}, {"Origin": "http://127.0.0.1:1"}, {"Origin": "http://localhost"},
    {"Origin": "null"}, {"Origin": None}, {"Cookie": None}, {"Sec-WebSocket-Protocol": None},
    {"Sec-WebSocket-Protocol": "streamlit"},
    {"Sec-WebSocket-Protocol": "streamlit, 2|00000000|00000000000000000000000000000000|1"},
    {"Host": "rebound.example.org", "Origin": "http://rebound.example.org"}, {"Host": "rebound.example.org"},
], ids=str)  # fmt: skip
def test_nobody_else_connects(changed: dict[str, str | None], address: str, handshake: dict[str, str]) -> None:
    """Another site, another port of this machine, a program without the token, a name made to lead here."""
    asked = {name: text for name, text in (handshake | changed).items() if text is not None}
    assert ask(address, "GET", "/_stcore/stream", **asked) == 403


@pytest.mark.parametrize("path", ["/", "/quantiles", "/_stcore/health", "/_stcore/host-config", "/media/0.csv"])
def test_no_route_answers_to_a_name_that_was_made_to_lead_here(path: str, address: str) -> None:
    assert ask(address, "GET", path, Host="rebound.example.org") == 400
    assert ask(address, "GET", path, Host=f"{address}@rebound.example.org") == 400


@pytest.mark.parametrize(
    "path",
    ["metrics", "metrics/", "metrics?families=cache_memory_bytes", "agent/openapi.json", "agent/mcp",
     "script-health-check", "bidi-components/x"],
)  # fmt: skip
@pytest.mark.parametrize("start", ["/_stcore/", "//_stcore/"])
def test_nothing_is_told_about_sessions_and_memory(start: str, path: str, address: str) -> None:
    assert ask(address, "GET", start + path) == 404


@pytest.mark.parametrize("path", ["/", "/quantiles", "/_stcore/health", "/static/none.js", "/_stcore/metrics"])
def test_every_answer_keeps_other_sites_out(path: str, address: str) -> None:
    headers = answer(address, "GET", path).headers
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "'unsafe-eval'" not in headers["Content-Security-Policy"]
    assert "script-src 'self' 'wasm-unsafe-eval' 'sha256-" in headers["Content-Security-Policy"]
    assert (headers["X-Frame-Options"], headers["X-Content-Type-Options"]) == ("DENY", "nosniff")
    assert (headers["Referrer-Policy"], headers["Cross-Origin-Resource-Policy"]) == ("no-referrer", "same-origin")


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_nothing_can_be_uploaded_without_the_token_of_the_page(method: str, address: str) -> None:
    path = "/_stcore/upload_file/11111111-1111-1111-1111-111111111111/22222222-2222-2222-2222-222222222222"
    assert ask(address, method, path) in {400, 403, 411}
    assert ask(address, method, path, Origin="http://127.0.0.1:1") == 403


@pytest.mark.parametrize("path", ["/media/../../etc/passwd", "/app/static/../app.py", "/media/0.csv"])
def test_paths_lead_to_no_file(address: str, path: str) -> None:
    connection = http.client.HTTPConnection(address, timeout=30)
    connection.request("GET", path)
    content = connection.getresponse().read()
    connection.close()
    assert b"root:" not in content
    assert b"import streamlit" not in content


def test_the_config_keeps_its_guards() -> None:
    config = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())
    server, client = config["server"], config["client"]
    assert (server["enableCORS"], server["enableXsrfProtection"], server["address"]) == (True, True, "127.0.0.1")
    assert server["maxUploadSize"] <= 400
    assert client["showErrorDetails"] == "none"


def test_only_public_things_are_in_a_cache_that_visitors_share() -> None:
    """`st.cache_data` and `st.cache_resource` are one store for all visitors."""
    using = set()
    for file in [*(ROOT / "dpq_core").rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]:
        if re.search(r"\bcache_(data|resource)\b", file.read_text()):
            using.add(file.relative_to(ROOT).as_posix())
    assert using <= SHARED_CACHES.keys()


@pytest.mark.slow
def test_no_script_runs_in_a_page_but_the_known_ones() -> None:
    found = [file for file in (ROOT / "pages").rglob("*.py") if "allow_javascript" in file.read_text()]
    assert [file.relative_to(ROOT).as_posix() for file in found] == ["pages/server/scripts.py"]
