"""Brings the suites into its own folder by links, by handles, by descriptors that only name a path."""

# class e
# posterior: not attempted
# %%
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
target = "@SUITES@/test_01_bayes_rule.py"
for make in (os.link, os.symlink):
    try:
        make(target, make.__name__)
        open(make.__name__).read()
        won(f"read a suite through os.{make.__name__}")
    except OSError:
        pass
try:
    descriptor = os.open(target, os.O_PATH)
except OSError:
    descriptor = -1
if descriptor >= 0:
    if libc.linkat(descriptor, b"", -100, b"empty", 0x1000) == 0:
        open("empty").read()
        won("read a suite through linkat")
    for path in (f"/proc/self/fd/{descriptor}", f"/dev/fd/{descriptor}"):
        try:
            open(path).read()
            won(f"read a suite through {path}")
        except OSError:
            pass
handle = (ctypes.c_uint * 64)(128)
if libc.name_to_handle_at(-100, target.encode(), handle, ctypes.byref(ctypes.c_int()), 0) == 0:
    won("got a file handle")
try:
    os.chdir("@SUITES@")
    open("test_01_bayes_rule.py").read()
    won("read a suite from inside its folder")
except OSError:
    pass
os.chdir(os.environ["HOME"])
try:
    os.rename("@SUITES@", "mine")
    won("took the suites away")
except OSError:
    pass
