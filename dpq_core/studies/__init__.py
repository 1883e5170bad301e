"""Studies: simulations and what is learnt from them. Private, or made from public data; never a release.

trials.py    many simulated answers of one plan, and one run seen from inside
grid.py      what a study asks: every combination of mechanisms, budgets, quantiles and data, as JSON
cell.py      one combination, with seeds of its own
shapes.py    public data of any size
break_it.py  public data and settings that are hard for one mechanism or another
engine.py    runs a grid, a Row for each cell as soon as it is there
cluster.py   the same on a Dask cluster; streaming_cluster.py a stream on one
costs.py     how long a study will take
tables.py    Rows as a frame and as a file
bounds.py    what the papers' theorems say
search.py    from a wanted error to the smallest budget; wanted.py several such questions as one job
reference.py OpenDP's quantile beside ours, where it is installed
advice.py    which mechanism suits, from public facts and short simulations of public shapes; advice_*.py its parts
papers.py    the papers' figures and tables: what is printed, what we measure; papers_*.py the work
streaming.py a column read in batches, looked at as it grows; stream_feeds.py where it comes from
"""
