"""The menu, and the server that shows it. Every page is whole by itself: nothing that one needs is made here.

Streamlit runs this file as `__main__` for every visitor. The server imports it as `app`, and finds in it what stands
before Streamlit.
"""

from typing import Any

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from pages.menu import ENTRANCE, MENU, file_of, first_page
from pages.server import signin


# No `icon=`: Streamlit would fetch it from another machine as the tab's icon.
def menu() -> list[Any]:
    """Return all pages in the order of the menu."""
    hidden = {ENTRANCE} if signin.configured() else set()
    return [
        st.Page(
            file_of(page), title=title, url_path=page, help=help, visibility="hidden" if page in hidden else "visible"
        )
        for page, title, help in MENU
    ]


def start() -> None:
    """Lead to the first page. A page that is itself the default would lose its own address."""
    st.switch_page(file_of(first_page()), query_params=st.query_params.to_dict())


if __name__ == "__main__":
    START = st.Page(start, title="Start", default=True, visibility="hidden")
    st.navigation([START, *menu()], position="top").run()
else:
    from pages.server.door import front_door
    from pages.server.work import ready

    PagesManager.uses_pages_directory = False  # else the first link to a page, on a fresh server, leads nowhere

    app = st.App(__file__, middleware=front_door(), lifespan=ready)
