"""Sign-in against a provider of OpenID Connect on this machine: stranger, viewer, curator, by any URL."""

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.history.entries import standing
from pages.menu import MENU
from tests.browser.asking import bring, press, say
from tests.browser.driving import free_port, idle, release_ages, running, serve, sign_in

if not all(map(find_spec, ("oidc_provider_mock", "authlib"))):
    pytest.skip("oidc-provider-mock or the extra [signin] is not installed", allow_module_level=True)

pytestmark = pytest.mark.slow

CURATOR, VIEWER = "ada@example.org", "eve@example.org"
PAGES = tuple(sorted(page for page, _, _ in MENU))


@pytest.fixture(scope="module")
def signed_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("signin") / "ledger.sqlite"


@pytest.fixture(scope="module")
def signed_url(chromium_path: str, signed_ledger: Path) -> Iterator[str]:
    """A dashboard where people sign in with the provider."""
    folder = signed_ledger.parent
    port, provider_port = free_port(), free_port()
    url, metadata = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{provider_port}/.well-known/openid-configuration"
    secrets = folder / "secrets.toml"
    secrets.write_text(
        f'[auth]\nredirect_uri = "{url}/oauth2callback"\ncookie_secret = "{"c" * 40}"\nclient_id = "dpq"\n'
        f'client_secret = "{"s" * 40}"\nserver_metadata_url = "{metadata}"\n'
    )
    provider = ["oidc_provider_mock", "--host", "127.0.0.1", "--port", str(provider_port)]
    environment = {"DPQ_CURATORS": CURATOR, "DPQ_LEDGER_URL": str(signed_ledger)}
    with (
        running(provider, folder / "provider.log", metadata),
        serve(folder / "dashboard.log", port, "--secrets.files", str(secrets), **environment),
    ):
        yield url


@pytest.fixture
def visit(visitor: BrowserContext, signed_url: str) -> Page:
    """A visitor of their own. The provider's form asks another machine for its looks, and gets none."""
    page = visitor.new_page()
    page.route(re.compile("^https://"), lambda route: route.abort())
    page.goto(f"{signed_url}/releases")
    return page


def test_a_stranger_sees_nothing_by_any_url(signed_url: str, visit: Page) -> None:
    for name in PAGES:
        visit.goto(f"{signed_url}/{name}")
        expect(visit.get_by_role("button", name="Sign in")).to_be_visible()
        expect(visit.get_by_test_id("stSelectbox")).to_have_count(0)


def test_a_viewer_reads_reports_only(signed_url: str, signed_ledger: Path, visit: Page) -> None:
    release_ages(signed_ledger)
    sign_in(visit, VIEWER)
    expect(visit.get_by_text("Signed in as")).to_be_visible()
    for name in sorted({*PAGES} - {"releases"}):
        visit.goto(f"{signed_url}/{name}")
        expect(visit.get_by_text("This page is for those who look after the data")).to_be_visible()
        expect(visit.get_by_test_id("stSelectbox")).to_have_count(0)
    visit.get_by_role("button", name="Go to the reports").click()
    expect(visit.locator(".dpq-headline").first).to_be_visible()
    expect(visit.get_by_test_id("stMetricValue")).to_have_count(0)
    expect(visit.get_by_role("button", name="Sign out")).to_be_visible()


def test_a_curator_sees_all_and_is_named(signed_url: str, signed_ledger: Path, visit: Page, tmp_path: Path) -> None:
    sign_in(visit, CURATOR)
    expect(visit.get_by_test_id("stMetricValue").first).to_be_visible()
    visit.goto(f"{signed_url}/release?data=file&quantiles=median")
    idle(visit)
    file = tmp_path / "patients.csv"
    file.write_text("age\n" + "\n".join(str(18 + k % 70) for k in range(300)) + "\n")
    bring(visit, file, "age")
    say(visit, Lowest="0", Highest="120", Step="1")
    press(visit, "Release")
    account = Ledger.at(signed_ledger).account("patients")
    assert [entry.who for entry in standing(account).entries] == [CURATOR]
