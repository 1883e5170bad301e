"""Studies: simulations and what is learnt from them. Private, or made from public data; never a release.

grid.py           what a study asks: every combination of mechanisms, budgets, quantiles and data, as JSON
configuration.py  one combination, with seeds of its own, and how long it will take
shapes.py         public data of any size
break_it.py       public data and settings that are hard for one mechanism or another
engine.py         runs a grid, a Row for each configuration as soon as it is there
tables.py         Rows as a frame and as a file
bounds.py         what is known of errors before anything is run: theorems, and what no mechanism can do better
measures.py       the three measures of error, with one name each
takes.py          what each way to count a person's rows estimates, and loses
reference.py      OpenDP's quantile beside ours, where it is installed
streams/          a column read in batches, looked at as it grows, and where it comes from
"""
