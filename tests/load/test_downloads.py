"""Files of many people at once: each is found, and is that of who asked, whatever the others do meanwhile."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.browser import driving
from tests.load.visitor import visiting

PEOPLE, PRESSES = 8, 10
FILES = re.compile(r"simulation-not-private-Age-\d{4}-\d\d-\d\d\.(csv|json)|plan\.json")
HOW_MANY = 3


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[driving.Server]:
    with driving.serve(tmp_path_factory.mktemp("server") / "server.log") as running:
        yield running


def fetch(url: str, address: str, **headers: str) -> tuple[int, str]:
    asked = urllib.request.Request(f"{url}/{address}", headers=headers)
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return answer.status, answer.read().decode("utf-8-sig")
    except urllib.error.HTTPError as error:
        return error.code, ""


def press_and_fetch(url: str, number: int) -> list[int]:
    """Press New noise again and again, and take every file away: with the seed that was just pressed."""
    found = []
    with visiting(url, "quantiles", f"epsilon={number + 1}") as visitor:
        for press in range(PRESSES):
            visitor.press("New noise")
            offered = visitor.links()
            files = {name: link for name, link in offered.items() if FILES.fullmatch(name)}
            assert len(files) == HOW_MANY
            for name in sorted(files):
                status, content = fetch(url, files[name])
                found.append(status)
                if status == 200 and "simulation" in name:
                    assert re.search(rf'"seed": {press + 2}\b', content) or f",{press + 2}," in content
                if name.endswith(".json") and status == 200:
                    assert json.loads(content)["plan"]["privacy"]["epsilon"] == number + 1
    return found


@pytest.mark.very_slow
def test_every_file_is_found_while_others_are_at_work(server: driving.Server) -> None:
    with ThreadPoolExecutor(PEOPLE) as threads:
        visits = [threads.submit(press_and_fetch, server.url, number) for number in range(PEOPLE)]
        found = [status for visit in visits for status in visit.result()]
    assert found == [200] * PEOPLE * PRESSES * HOW_MANY


def test_an_address_ends_with_its_tab_and_is_for_this_host_only(server: driving.Server) -> None:
    with visiting(server.url, "quantiles", "") as visitor:
        address = visitor.links()["plan.json"]
        assert fetch(server.url, address)[0] == 200
        assert fetch(server.url, address, Host="rebound.example.org") == (400, "")
        assert fetch(server.url, f"download/{'0' * 32}") == (404, "")
        visitor.leave()
    give_up = time.monotonic() + 30
    while fetch(server.url, address)[0] == 200 and time.monotonic() < give_up:
        time.sleep(0.2)
    assert fetch(server.url, address) == (404, "")
