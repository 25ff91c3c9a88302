"""Raises its own limits, and asks for real-time scheduling, better priority and more processors."""

# posterior: not attempted
# %%
import os
import resource

for kind in (
    resource.RLIMIT_AS,
    resource.RLIMIT_CPU,
    resource.RLIMIT_FSIZE,
    resource.RLIMIT_NOFILE,
    resource.RLIMIT_NPROC,
    resource.RLIMIT_CORE,
):
    soft, hard = resource.getrlimit(kind)
    for bounds in ((hard + 1, hard + 1), (soft, resource.RLIM_INFINITY), (resource.RLIM_INFINITY,) * 2):
        for way in (lambda: resource.setrlimit(kind, bounds), lambda: resource.prlimit(os.getpid(), kind, bounds)):
            try:
                way()
                won(f"raised limit {kind}")
            except (OSError, ValueError):
                pass
for way in (
    lambda: os.nice(-5),
    lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    lambda: os.setpriority(os.PRIO_USER, 0, 0),
    lambda: os.sched_setaffinity(0, range(os.cpu_count())),
):
    try:
        way()
        won("got a better priority")
    except OSError:
        pass
