"""Ends the process in a cell, without a word."""

# class h
# posterior: not attempted
# fault: exit code 0
# %%
import os

os._exit(0)
