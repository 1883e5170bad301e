"""What has been spent?"""

from dpq_core.ui import quantiles
from dpq_core.ui.budget import spending
from dpq_core.ui.shell import links, page_header

headline = page_header("What has been spent?")
quantiles.show_notes(links.begin("budget"))

told = spending.choose_account()

if told is None:
    headline.markdown(":gray[Every release of every data set on this server, and what is left]")
else:
    headline.markdown(spending.about(told.found.account))
    spending.show_totals(told)
    spending.show_history(told)
    spending.show_files(told)

links.write_link()
