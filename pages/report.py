"""What do I show the stakeholder?"""

import streamlit as st

from dpq_core.ui import links, quantiles, report
from dpq_core.ui.page import page_header

headline = page_header(report.heading(), viewers=True)
quantiles.show_notes(links.begin("report"))

if report.is_presented():
    found = report.presented()
    if found:
        report.show(found, present=True)
    report.leave()
else:
    form, sheet = st.columns((28, 72), gap="large")
    with form, st.container(border=True):
        found = report.choose()
        if found:
            report.actions(found)
    with sheet:
        if found:
            report.show(found, present=False)

headline.markdown(report.headline(found))
links.write_link()
