"""The only corner of dpq_core that imports streamlit: what the pages are made of.

page.py      the frame of every page: heading, glossary, messages
quantiles.py what the Quantiles page does between its controls and its results
state.py     what a session remembers, and the one decision between Explore and Release
settings.py  every setting of a page as text, in session state and in the link
wording.py   values, units and people in words
data.py      DataSet: the chosen column and everything public about it
runs.py      one press of the button: simulate or release, as a frozen outcome
exports.py   an outcome as a file
results.py   an outcome on the screen
jobs.py      work that takes longer than a second
forms/       the controls
texts/       words that are longer than a label
"""
