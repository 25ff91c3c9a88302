"""Leaves a tree behind that is hard to delete: locked folders, long names, more levels than a path can have."""

# posterior: not attempted
# %%
import os

os.makedirs("locked/inside")
open("locked/inside/file", "w").close()
os.chmod("locked/inside", 0)
os.chmod("locked", 0)
os.mkdir("unreadable", 0)
os.symlink("/", "root")
os.symlink("loop", "loop")
open(b"\xff\xfe\n", "w").close()
for _ in range(40):
    os.mkdir("n" * 250)
    os.chdir("n" * 250)
os.umask(0o777)
