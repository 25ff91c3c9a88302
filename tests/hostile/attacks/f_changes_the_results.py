"""Writes marks into the folder of results, and takes some from a classmate."""

# class f
# posterior: not attempted
# %%
import os
import sqlite3

for path in (
    "@RESULTS@/grades.csv",
    "@RESULTS@/gradebook.db",
    "@VICTIM_RESULT@",
    "@RESULTS@/results/mallory/01_bayes_rule.json",
):
    for way in (
        lambda: os.makedirs(os.path.dirname(path)),
        lambda: open(path, "w").write("400"),
        lambda: open(path, "a").write("400"),
        lambda: os.truncate(path, 0),
        lambda: os.open(path, os.O_RDONLY | os.O_TRUNC),
        lambda: os.open(path, os.O_CREAT | os.O_RDWR),
        lambda: sqlite3.connect(path).execute("create table grade (score)"),
    ):
        try:
            way()
            won(f"changed {path}")
        except (OSError, sqlite3.Error):
            pass
# Where these seem to work nothing happens; the test looks at the files.
for path in ("@VICTIM_RESULT@", "@VICTIM@", "@SUITES@/test_01_bayes_rule.py", "@DATA@/README.md", "@SUITES@"):
    for way in (
        lambda: os.chmod(path, 0),
        lambda: os.utime(path, (1, 1)),
        lambda: os.remove(path),
        lambda: os.rmdir(path),
        lambda: os.rename(path, path + "x"),
    ):
        try:
            way()
        except OSError:
            pass
