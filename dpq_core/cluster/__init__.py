"""A table in partitions on a Dask cluster: rows stay with the workers, and a release reads what it needs of them.

One pass over the table reads all columns. Where rows belong to persons, Dask shuffles them by id once, through the
disks of the workers, and nothing holds the rows that were read. What counts of a person is then taken inside one
partition, by the code that does it in memory. Records are put in order by a second shuffle: those of a whole column
into ranges of its grid (`cells`), those of groups into blocks of whole groups (`blocks`). If a release finds the
groups, these blocks also hold their names (`found`).

What leaves the workers. Of a whole column the client gets the number of records, whether any row was left out, the
records at the cuts of its ranges with their ranks, and the order statistics that a mechanism asks for. Of groups it
gets the answers alone, with the names that were found. It gets no number of a partition. Ids travel as whole numbers or
as digests, under no names of their own; task keys are names of functions and random numbers. Workers and scheduler see
the data, so they must be as trustworthy as the machine that holds it.

A lost worker. Dask computes its partitions again, in the order of rows in the table, and every partition has a secret
key, drawn once. Tie-breaking bits, and the random choice among a person's rows, are functions of this key. So the
records are the same again, also those that were read before.
"""
