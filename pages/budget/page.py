"""What has been spent?"""

import streamlit as st

from pages import budget
from pages.budget import spending
from pages.frame import links, page_header

headline = page_header("What has been spent?")
links.begin("budget")
budget.say_if_closed()

budget.underway.show()
history = spending.choose_history()

if history is None:
    headline.markdown(":gray[Every release of every data set on this server, and what is left]")
else:
    headline.markdown(spending.about(history.found.account))
    budget.tell_of_account(st.container(), history.found.account)
    spending.show_totals(history)
    spending.show_history(history)
    spending.show_files(history)

links.write_link()
