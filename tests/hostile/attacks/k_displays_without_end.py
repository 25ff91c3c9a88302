"""Displays figures, tables and pages without end, and returns a huge text as the cell's value."""

# class k
# posterior: not attempted
# %%
from IPython.display import HTML, Image, display

for _ in range(200):
    display(HTML("<script>alert(1)</script>" * 1000), {"text/plain": "x" * 100_000}, raw=False)
display({"image/png": "A" * 30_000_000, "text/plain": "x", "application/javascript": "alert(1)"}, raw=True)
# %%
"x" * 30_000_000
