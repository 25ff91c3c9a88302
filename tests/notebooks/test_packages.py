"""Packages that answers do without: importing one costs nothing, using one says what is the matter."""

from __future__ import annotations

import copy
import linecache
import math
import numbers
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "notebooks"))
from checks import packages

SENTENCE = "{} is not there when this notebook is graded: answers need Python and NumPy alone"


@pytest.fixture(autouse=True)
def modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What this process has imported of these packages is put aside, and comes back."""

    def taken() -> dict[str, Any]:
        names = [name for name in sys.modules if name.partition(".")[0] in packages.WITHOUT]
        return {name: sys.modules.pop(name) for name in names}

    before = taken()
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    yield
    taken()
    sys.modules.update(before)


@pytest.fixture
def hidden() -> None:
    packages.hide(())


def run(source: str) -> dict[str, Any]:
    """The names that a cell defines."""
    names: dict[str, Any] = {"np": np}
    linecache.cache["<cell of a test>"] = len(source), None, source.splitlines(keepends=True), "<cell of a test>"
    exec(compile(source, "<cell of a test>", "exec"), names)
    return names


def told(source: str) -> str:
    with pytest.raises(ModuleNotFoundError) as raised:
        run(source)
    return str(raised.value)


@pytest.mark.usefixtures("hidden")
@pytest.mark.parametrize(
    ("source", "name", "stands_for"),
    [
        ("import scipy", "scipy", "scipy"),
        ("import scipy.special", "scipy", "scipy"),
        ("import scipy.special as sp", "sp", "scipy.special"),
        ("from scipy.special import expit", "expit", "scipy.special.expit"),
        ("from scipy import optimize as o", "o", "scipy.optimize"),
        ("import sklearn.linear_model", "sklearn", "sklearn"),
        ("from sklearn.linear_model import LogisticRegression", "LogisticRegression", "sklearn.linear_model.Logistic"),
        ("from scipy._lib import _util", "_util", "scipy._lib._util"),
        ("import scipy.stats as st; norm = st.norm", "norm", "scipy.stats.norm"),
        ("import importlib; m = importlib.import_module('scipy.linalg')", "m", "scipy.linalg"),
    ],
)
def test_an_import_gives_a_placeholder(source: str, name: str, stands_for: str) -> None:
    assert repr(run(source)[name]).startswith(f"<{stands_for}")


@pytest.mark.usefixtures("hidden")
@pytest.mark.parametrize(
    "source",
    [
        "from scipy import *\nfrom sklearn.metrics import *",
        "import scipy\nprint(scipy, scipy.__version__, f'{scipy.special}')\nint(scipy.__version__.split('.')[0])",
        "import scipy\ndef f(x: scipy.sparse.csr_matrix = None, how=scipy.optimize.minimize) -> list[scipy.x]: pass",
        "from scipy.special import expit\nfast = np.vectorize(expit)\nactivations = {'sigmoid': expit}",
        "import scipy.sparse\nassert not isinstance(np.ones(2), (scipy.sparse.spmatrix, list))",
        "import scipy\nscipy.special.expit = lambda z: 1 / (1 + np.exp(-z))\nassert scipy.special.expit(0) == 0.5",
        "from scipy.special import expit\nassert expit is not None and expit != 3 and expit not in [1, 2]",
    ],
)
def test_what_computes_nothing_passes(source: str) -> None:
    run(source)


@pytest.mark.usefixtures("hidden")
@pytest.mark.parametrize(
    "use",
    [
        "f(1)",
        "f(self=1)",
        "f[0]",
        "f + 1",
        "1 - f",
        "f @ f",
        "-f",
        "f < 1",
        "divmod(2, f)",
        "float(f)",
        "round(f)",
        "range(f)",
        "len(f)",
        "list(f)",
        "1 in f",
        "sum([1, f])",
        "sorted([1, f])",
        "list(map(f, [1]))",
        "f'{f:.3f}'",
        "type('Mine', (), {})() * f",
        "np.ones(3) * f",
        "np.ones(0) * f",
        "np.float64(1) + f",
        "np.exp(f)",
        "np.sum(f)",
        "np.asarray(f) + 1",
        "np.zeros(f)",
        "np.allclose(f, 1)",
        "np.vectorize(f)([1])",
        "open(f)",
    ],
)
def test_every_use_says_what_is_not_there(use: str) -> None:
    assert told(f"from scipy.special import expit as f\n{use}") == SENTENCE.format("scipy.special.expit")


@pytest.mark.usefixtures("hidden")
def test_a_class_of_such_a_package_can_be_neither_made_nor_inherited() -> None:
    start = "from sklearn.linear_model import LogisticRegression\n"
    sentence = SENTENCE.format("sklearn.linear_model.LogisticRegression")
    assert told(f"{start}LogisticRegression(C=1)") == sentence
    assert told(f"{start}class Mine(LogisticRegression): pass") == sentence


@pytest.mark.usefixtures("hidden")
def test_the_module_itself_says_it_too() -> None:
    assert told("import scipy\nscipy()") == SENTENCE.format("scipy")
    assert told("import scipy\nscipy.stats.norm.pdf(0)") == SENTENCE.format("scipy.stats.norm.pdf")


@pytest.mark.usefixtures("hidden")
@pytest.mark.parametrize(
    "source",
    [
        "try:\n    from scipy.special import expit\nexcept ImportError:\n    expit = own",
        "try:\n    import scipy.special\n    expit = scipy.special.expit\nexcept ModuleNotFoundError:\n    expit = own",
        "try:\n    from scipy.special import expit\nexcept (ImportError, AttributeError):\n    expit = own",
        "try:\n    from scipy.special import expit\nexcept:\n    expit = own",
        "import contextlib\nexpit = own\nwith contextlib.suppress(ImportError):\n    from scipy.special import expit",
        "def expit(z):\n    try:\n        import scipy.special as s\n    except Exception:\n        return own(z)\n"
        "    return s.expit(z)",
        "from scipy.special import expit as theirs\nexpit = theirs or own",
        "from scipy.special import expit as theirs\n"
        "def expit(z):\n    try:\n        return theirs(z)\n    except ImportError:\n        return own(z)",
    ],
)
def test_whoever_wrote_what_to_do_without_it_gets_that(source: str) -> None:
    names = run(f"def own(z):\n    return 1 / (1 + np.exp(-z))\n{source}")
    assert names["expit"](0) == 0.5


@pytest.mark.usefixtures("hidden")
def test_whoever_only_complains_that_it_is_not_there_gets_a_placeholder() -> None:
    source = "try:\n    import scipy\nexcept ImportError:\n    raise RuntimeError('install scipy') from None"
    assert repr(run(source)["scipy"]).startswith("<scipy,")


@pytest.mark.usefixtures("hidden")
def test_an_import_that_is_tried_for_another_reason_gets_a_placeholder() -> None:
    assert run("try:\n    import scipy\nfinally:\n    pass")["scipy"] is not None
    assert run("try:\n    import scipy.stats as s\nexcept ValueError:\n    pass")["s"] is not None
    assert run("try:\n    1 / 0\nexcept Exception:\n    import scipy.fft as s")["s"] is not None


@pytest.mark.usefixtures("hidden")
def test_what_python_ipython_and_numpy_ask_of_any_object_is_answered_sanely() -> None:
    expit = run("from scipy.special import expit")["expit"]
    for name in ("__array__", "__array_interface__", "__wrapped__", "_repr_html_", "_ipython_display_", "__fspath"):
        assert not hasattr(expit, name)
    assert list(DisplayFormatter().format(expit)[0]) == ["text/plain"]
    assert repr(copy.deepcopy(expit)) == repr(copy.copy(expit)) == repr(expit)
    assert {expit: 1}[expit] == 1


@pytest.mark.usefixtures("hidden")
def test_numpy_takes_it_neither_for_an_array_nor_for_a_number() -> None:
    expit = run("from scipy.special import expit")["expit"]
    assert not isinstance(expit, np.ndarray | numbers.Number) and not np.isscalar(expit)
    assert np.asarray(expit).dtype == object
    with pytest.raises((ModuleNotFoundError, ValueError)):
        np.asarray(expit, dtype=float)
    with pytest.raises(ModuleNotFoundError):
        math.exp(expit)


def test_an_allowed_package_is_imported_as_it_is_and_the_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "WITHOUT", ("colorsys", "wave"))  # real ones can be imported only once per process
    packages.hide(["colorsys"])
    for name in ("colorsys", "wave"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert run("import colorsys\ngrey = colorsys.rgb_to_hsv(0.5, 0.5, 0.5)")["grey"] == (0.0, 0.0, 0.5)
    assert told("import wave\nwave.open('x')") == SENTENCE.format("wave.open")
    monkeypatch.delitem(sys.modules, "wave")
