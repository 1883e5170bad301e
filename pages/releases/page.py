"""What was released? Totals and history of a data set, and a report for each release. Viewers see reports only."""

import streamlit as st

from dpq_core.errors import LedgerError
from pages.payment.ledger import show_underway
from pages.releases import choice, history, report
from pages.server.signin import Role, role, sign_out
from pages.shell import links, screen
from pages.shell.header import escape, page_header

curator = role() is Role.CURATOR
headline = page_header("What was released?", viewers=True)
links.begin("releases")
headline.markdown(choice.ABOUT)

try:
    if curator:
        show_underway()
    account, releases = choice.data_set(curator=curator)
    if account is not None:
        told = history.read(account) if curator else None
        headline.markdown(choice.about(account))
        if told:
            history.show_totals(told)
        if releases:
            form, sheet = screen.halves()
            with form, screen.controls():
                found = report.choose(choice.release(releases))
            with sheet:
                if found:
                    report.show(found)
        if told:
            history.show(told)
except LedgerError as error:
    st.error(escape(str(error)))

sign_out()
links.write_link()
