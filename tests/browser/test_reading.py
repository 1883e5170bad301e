"""What the page says of how a file is read is seen, can be contradicted, and follows what was said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.driving import PHONE, WIDE, idle
from tests.every_run import kept

MESSY = "income;split\n" + "45,000.50;3:45\n-;4:10\n9999999;3:05\n" * 20
READ = "Read this column"
SCREENS: dict[str, tuple[ViewportSize, str]] = {"wide": (WIDE, "light"), "phone": (PHONE, "dark")}


def choose_file(page: Page, path: Path) -> None:
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_role("button", name=READ).wait_for()
    idle(page)


@pytest.mark.parametrize("screen", kept(SCREENS, "phone"))
def test_how_a_column_was_read_is_in_view_and_follows_what_is_said(
    open_page: Callable[..., Page], tmp_path: Path, screen: str
) -> None:
    viewport, scheme = SCREENS[screen]
    path = tmp_path / "messy.csv"
    path.write_text(MESSY)
    page = open_page("/?data=file", viewport=viewport, color_scheme=scheme)
    choose_file(page, path)
    page.get_by_role("button", name=READ).click()
    page.get_by_role("button", name="“-” is zero").click()
    line = page.get_by_text("income: numbers, point as decimal mark")
    expect(line).to_be_in_viewport()
    expect(line).to_contain_text('zero: "-"')
    page.get_by_role("button", name="Change", exact=True).click()
    codes = page.get_by_role("textbox", name="Codes that mean a missing value")
    codes.fill("9999999, -99")
    codes.press("Tab")
    idle(page)
    so = page.get_by_role("button", name="Read it so")
    so.scroll_into_view_if_needed()
    expect(so).to_be_in_viewport(ratio=1)
    so.click()
    expect(line).to_contain_text(
        'zero: "-"; missing: blank cells, and texts such as NA, null or ?, and 9999999 and -99'
    )
    idle(page)
    expect(line).to_be_in_viewport()
