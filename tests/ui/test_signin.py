"""Roles: what the identity provider says decides, and a mistake in the settings opens no door."""

from __future__ import annotations

from typing import Any

import pytest

from dpq_core.ledger.accounts import checked_text
from pages.server.signin import CURATORS, Role, recorded_name, role_of

LIST = {CURATORS: " ada@example.org, Grace@Example.org,,"}


@pytest.mark.parametrize(
    ("user", "role"),
    [
        ({"is_logged_in": True, "email": "ada@example.org"}, Role.CURATOR),
        ({"is_logged_in": True, "email": "GRACE@example.org", "email_verified": True}, Role.CURATOR),
        ({"is_logged_in": True, "email": "ada@example.org", "email_verified": False}, Role.VIEWER),
        ({"is_logged_in": True, "email": "ada@example.org", "email_verified": "false"}, Role.VIEWER),
        ({"is_logged_in": True, "email": "eve@example.org"}, Role.VIEWER),
        ({"is_logged_in": True, "email": ""}, Role.VIEWER),
        ({"is_logged_in": True}, Role.VIEWER),
        ({"is_logged_in": False, "email": "ada@example.org"}, Role.STRANGER),
        ({"is_logged_in": "yes", "email": "ada@example.org"}, Role.STRANGER),
        ({}, Role.STRANGER),
    ],
)
def test_role(user: dict[str, Any], role: Role) -> None:
    assert role_of(user, LIST) is role


def test_without_a_list_nobody_is_a_curator() -> None:
    for environment in ({}, {CURATORS: ""}, {CURATORS: " , "}):
        assert role_of({"is_logged_in": True, "email": ""}, environment) is Role.VIEWER
        assert role_of({"is_logged_in": True, "email": "ada@example.org"}, environment) is Role.VIEWER


@pytest.mark.parametrize(
    ("user", "name"),
    [
        ({"email": "ada@example.org", "name": "Ada"}, "ada@example.org"),
        ({"name": "Ada L."}, "Ada L."),
        ({"email": None, "name": ""}, ""),
        ({}, ""),
        ({"email": "=HYPERLINK(1)@x"}, "user =HYPERLINK(1)@x"),
        ({"email": "a\nb\x00@x"}, "ab@x"),
        ({"email": "a" * 500}, "a" * 180),
        ({"email": " _@x"}, "user _@x"),
    ],
)
def test_the_name_that_the_ledger_records_is_one_that_it_takes(user: dict[str, Any], name: str) -> None:
    assert recorded_name(user) == name
    assert name == "" or checked_text(name, "who") == name
