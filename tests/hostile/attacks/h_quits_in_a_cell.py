"""Asks IPython to leave in a cell: `exit`, `quit`, SystemExit."""

# class h
# posterior: not attempted
# %%
exit()
# %%
raise SystemExit(0)
# %%
import atexit, os

atexit.register(os._exit, 0)
get_ipython().ask_exit()
