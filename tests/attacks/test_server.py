"""What the server refuses to whoever is not the person at the page; and what it would share between people."""

from __future__ import annotations

import ast
import http.client
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser import driving

ROOT = Path(__file__).parents[2]
SHARED_CACHES = {
    "dpq_core/ui/forms/data.py": "public example columns, read-only",
    "dpq_core/ui/stream_sources.py": "names of files that the server offers to everybody",
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


def ask(address: str, method: str, path: str, **headers: str) -> int:
    connection = http.client.HTTPConnection(address, timeout=30)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): text for name, text in headers.items()})
        return connection.getresponse().status
    finally:
        connection.close()


def test_a_page_of_another_site_cannot_connect(address: str) -> None:
    stream = "/_stcore/stream"
    assert ask(address, "GET", stream, Origin=f"http://{address}", **HANDSHAKE) == 101
    assert ask(address, "GET", stream, Origin="https://example.org", **HANDSHAKE) >= 400


def test_a_name_that_was_made_to_lead_here_cannot_connect(address: str) -> None:
    """DNS rebinding: the browser believes that it talks to another site."""
    asked = HANDSHAKE | {"Host": "rebound.example.org", "Origin": "http://rebound.example.org"}
    assert ask(address, "GET", "/_stcore/stream", **asked) >= 400


def test_nothing_can_be_uploaded_without_the_token_of_the_page(address: str) -> None:
    path = "/_stcore/upload_file/11111111-1111-1111-1111-111111111111/22222222-2222-2222-2222-222222222222"
    assert ask(address, "PUT", path) in {400, 403}
    assert ask(address, "DELETE", path) in {400, 403}


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
    for file in [*(ROOT / "dpq_core").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"]:
        names = {node.attr for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Attribute)}
        if names & {"cache_data", "cache_resource"}:
            using.add(file.relative_to(ROOT).as_posix())
    assert using <= SHARED_CACHES.keys()
