"""Prints 200 MB in lines, and 200 MB in one line."""

# class k
# posterior: not attempted
# fault: printed too much
# %%
for _ in range(2000):
    print("x" * 99 + "\n", end="") if _ % 2 else print(("x" * 99 + "\n") * 2000, end="")
# %%
import sys

print("y" * 50_000_000)
print("z" * 50_000_000, file=sys.stderr)
sys.__stdout__.write("w" * 10_000_000)
# %%
import os

for descriptor in (1, 2):
    for _ in range(100):
        os.write(descriptor, b"v" * 1_000_000)
