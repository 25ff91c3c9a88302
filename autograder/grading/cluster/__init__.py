"""Grading on a Dask cluster: batches of submissions go out, outcomes come in, and every submission counts once."""
