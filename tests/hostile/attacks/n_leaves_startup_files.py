"""Leaves files that would change the next submission: start-up files, site packages, caches."""

# class n
# posterior: not attempted
# %%
import os
import site
import sys
import sysconfig

spoil = "import builtins; builtins.SPOILT = True"
home = os.path.expanduser("~")
for path in (
    f"{home}/.ipython/profile_default/startup/00.py",
    f"{home}/.config/matplotlib/matplotlibrc",
    f"{home}/.pythonrc.py",
    f"{home}/numpy.py",
    "./sitecustomize.py",
):  # its own home: allowed, and gone afterwards
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "w").write(spoil)
for path in (
    "@HOME@/.ipython/profile_default/startup/00.py",
    "@HOME@/.bashrc",
    f"{site.getsitepackages()[0]}/spoil.pth",
    f"{site.getsitepackages()[0]}/numpy/__init__.py",
    f"{sysconfig.get_path('stdlib')}/sitecustomize.py",
    f"{sysconfig.get_path('stdlib')}/__pycache__/spoil.pyc",
    f"{os.path.dirname(checks.__file__)}/__init__.py",
    f"{os.path.dirname(checks.__file__)}/exercises/spoil.py",
    str(checks.data("penguins.csv")),
    "/tmp/spoil",
    "/var/tmp/spoil",
    "/dev/shm/spoil",
    "/usr/lib/spoil",
    "/etc/spoil",
    "/spoil",
    "@TEMPORARY@/spoil",
    "@LEFT@/spoil",
    "/proc/self/oom_score_adj",
    "/proc/sys/kernel/core_pattern",
):
    try:
        open(path, "a").close()  # that it can be opened for writing is enough to know
        won(f"wrote {path}")
    except OSError:
        pass
