"""The only corner of dpq_core that imports streamlit: what the pages are made of, a folder for each.

server/      what stands before and around the pages: door, uploads, downloads, sessions, sign-in
settings/    every setting of every page as text, and what was said of a column
shell/       what all pages share: heading, links, pieces of results, a job on the screen
files/       files that people bring
forms/       the controls that several pages have
budget/      whose budget a release spends, and what was spent
quantiles/   columns/ inside/ microscope/ stream/ compare/ tradeoff/ report/ papers/ learn/: one page or tab each
studies/     what Compare and Trade-off share
lessons/     the texts of the lessons, and what can be moved in each
texts/       words that are longer than a label
"""
