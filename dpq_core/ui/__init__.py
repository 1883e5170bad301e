"""The only corner of dpq_core that imports streamlit: what the pages are made of.

page.py      the frame of every page: heading, glossary, messages
style.py     the few CSS rules of our own
screen.py    controls and answer on wide screens and on phones
quantiles.py what the Quantiles page does between its controls and its results
state.py     what a session remembers, and the one decision between Explore and Release
settings.py  every setting of every page as text: one table
said.py      what was said about a column, kept for that column alone
links.py     settings in the address bar; labels.py what their fields are called
wording.py   values, units and people in words
data.py      DataSet: the chosen column and everything public about it
runs.py      quantiles, simulated or released, as a frozen outcome
columns.py   a synthetic column, simulated or released, as a frozen outcome
counts.py    how many records there are, and whether the screen may know it
drawing.py   one press of a button: the one place where noise is drawn, and the ledger asked first
questions.py what is asked before a large budget is spent
refusals.py  why a mechanism is not available, with buttons that set what it needs
budget.py    whose budget a release spends: the account step of the form
spending.py  what data sets have spent, on the page Budget
exports.py   an outcome as a file; export_scripts.py as a Python script
pieces.py    what every outcome on the screen is made of
results.py   quantiles on the screen
synthetic.py the tab for a synthetic column
inside.py    what the Inside page does between its controls and its results
inside_*.py  a run as a frozen outcome, its steps on the screen, its words and its numbers
microscope.py and microscope_*.py  a tiny pair of neighbours under the exact audit
subjects.py  what a study runs on: an example, an explored column, or a public shape in its place
studies.py   the form, the job and the screen that Compare and Trade-off share; study_exports.py their files
compare.py   the leaderboard; advice_card.py what is advised
tradeoff.py  sweeps and smallest budgets; tradeoff_results.py their figures
stream.py    a stream on the screen; stream_*.py where it comes from and what is shown of it
papers.py    a figure of a paper on the screen; papers_panels.py its small multiples
report.py    the stakeholder's sheet: form and screen; report_*.py what is told, its words, its file
signin.py    who may see what, where people sign in
learn.py     a lesson on the screen
lessons/     what can be moved in each lesson, and its figure
jobs.py      work that takes longer than a second: stages, the line, Cancel
processes.py steps of work, in place or in a process of their own
waiting.py   a job on the screen
strangers.py files that anybody may have made, opened in a child process
sessions.py  a session ends with its tab
uploads.py   who may upload, and how much; downloads.py files to take away, and who gets them
startup.py   what the server loads before its first visitor
door.py      what stands before Streamlit on every route; page_scripts.py the scripts that it lets run in a page
forms/       the controls
texts/       words that are longer than a label
"""
