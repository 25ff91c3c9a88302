"""One submission becomes one result: its notebook is run, its checks are asked, marks are given, errors followed through."""
