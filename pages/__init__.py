"""The dashboard: all that knows Streamlit. A folder a page, whose page.py is what runs; beside them what they share.

menu        the pages, their addresses, titles and help
keys        the keys of all widgets and of what a session keeps
server/     what is before and around the pages: door, uploads, downloads, sessions, sign-in
settings/   every setting of every page as text, and what was said of a column
shell/      what all pages share: heading, links, pieces of results, a job on the screen
files/      files that people bring
form/       the controls that several pages have
answers/    how an answer is shown: a simulation or a release
explore/    the first page: public data beside the truth; release/: own data in five steps
payment/    whose budget a release spends, and what was spent
learn/      the lessons; room/: rooms for a class
texts/      words that are longer than a label
"""
