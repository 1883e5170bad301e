"""Run studies and read columns and tables on a Dask cluster; the optional extra [cluster]."""
