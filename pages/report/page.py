"""Report for decision makers: a one-page summary."""

from pages.frame import links, screen
from pages.frame.header import page_header
from pages.report import view

headline = page_header(view.heading(), viewers=True)
links.begin("report")

form, sheet = screen.halves()
with form, screen.controls():
    found = view.choose()
    if found:
        view.actions(found)
with sheet:
    if found:
        view.show(found)

headline.markdown(view.headline(found))
links.write_link()
