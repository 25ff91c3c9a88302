"""Imports, or finds in the modules already there, anything that holds a hidden check or an answer."""

# class e
# posterior: not attempted
# %%
import importlib
import importlib.util
import pkgutil
import sys

if any("suites" in name or "misconception" in name or "diagnosis" in name for name in sys.modules):
    won("a secret module is loaded")
for name in (
    "autograder.suites.test_01_bayes_rule",
    "autograder.misconceptions",
    "autograder.grading.grade",
    "autograder.course.suite",
    "autograder.engine.diagnosis",
):
    try:
        module = importlib.import_module(name)
        if module.__spec__.origin is not None:  # more than the name of a folder
            won(f"imported {name}")
    except (ImportError, OSError):
        pass
import autograder

found = [module.name for module in pkgutil.walk_packages(autograder.__path__, "autograder.")]
if found:
    won(f"walked {found}")
for loader in (
    module.__spec__.loader
    for name, module in list(sys.modules.items())
    if name.startswith("autograder") and module.__spec__
):
    try:
        loader.get_data("@SUITES@/test_01_bayes_rule.py")
        won("read a suite through the loader")
    except (OSError, AttributeError):
        pass
