"""What has been spent?"""

from pages.budget import panel, spending, underway
from pages.frame import links
from pages.frame.header import page_header

headline = page_header("What has been spent?")
links.begin("budget")
panel.say_if_closed()

underway.show()
history = spending.choose_history()

if history is None:
    headline.markdown(":gray[Every release of every data set on this server, and what is left]")
else:
    headline.markdown(spending.about(history.found.account))
    spending.show_totals(history)
    spending.show_history(history)
    spending.show_files(history)

links.write_link()
