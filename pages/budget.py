"""What has been spent?"""

from dpq_core.ui import links, quantiles, spending
from dpq_core.ui.page import page_header

headline = page_header("What has been spent?")
quantiles.show_notes(links.begin("budget"))

found = spending.choose_account()

if found is None:
    headline.markdown(":gray[Every release of every data set on this server, and what is left]")
else:
    headline.markdown(spending.about(found.account))
    spending.show_totals(found)
    spending.show_history(found)
    spending.show_files(found)

links.write_link()
