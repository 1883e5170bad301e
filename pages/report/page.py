"""Report for decision makers: a one-page summary."""

from pages import report
from pages.frame import links, page_header, screen

headline = page_header(report.heading(), viewers=True)
links.begin("report")

form, sheet = screen.halves()
with form, screen.controls():
    found = report.choose()
    if found:
        report.actions(found)
with sheet:
    if found:
        report.show(found)

headline.markdown(report.headline(found))
links.write_link()
