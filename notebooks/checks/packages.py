"""Packages that answers do without: they solve what the course teaches to write.

Importing one costs nothing: what is imported stands in for it, and says so in an error when it is used. Only an import
that has an answer of its own to an ImportError gets one, as on a computer without the package:

    try:
        from scipy.special import expit
    except ImportError:
        def expit(z): ...
"""

from __future__ import annotations

import ast
import importlib
import linecache
import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NoReturn

WITHOUT = ("scipy", "sklearn")
ALLOWED = "allowed.txt"  # beside this file, if the course allows any of them: a name in each line
_CATCH_ALL = ("ImportError", "ModuleNotFoundError", "Exception", "BaseException")


def hide(allow: Iterable[str] | None = None) -> None:
    """From now on, importing one of them gives a placeholder in this process, as it does when a notebook is graded.

    Packages in `allow` are imported as they are; by default, those that this copy of the course names.
    """
    allowed = _named() if allow is None else tuple(allow)
    sys.meta_path.insert(0, _Finder(tuple(name for name in WITHOUT if name not in allowed)))


def _named() -> tuple[str, ...]:
    path = Path(__file__).with_name(ALLOWED)
    return tuple(path.read_text(encoding="utf-8").split()) if path.exists() else ()


def _sentence(name: str) -> str:
    return f"{name} is not there when this notebook is graded: answers need Python and NumPy alone"


# --- What stands in for a package -------------------------------------------------------------------------------------


class MissingPackage:
    """Stands in for something of a package: it has parts, can be named, passed on and shown, and not be used.

    What is not there is false, and nothing is an instance of it. Names that begin with an underscore are what Python,
    IPython and NumPy ask of any object, to find out what it can do: those it does not have.
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return "0.0.0"
        if name.startswith("_"):
            raise AttributeError(f"a placeholder has no {name}")  # not even its own name is sure: copies begin empty
        part = MissingPackage(f"{self.__name__}.{name}")
        self.__dict__[name] = part  # the same one next time
        return part

    def __repr__(self) -> str:
        return f"<{self.__name__}, which is not there when this notebook is graded>"

    def __format__(self, how: str) -> str:
        return self._used() if how else repr(self)

    def __bool__(self) -> bool:
        return False

    def __instancecheck__(self, instance: object) -> bool:
        return False

    def __subclasscheck__(self, subclass: type) -> bool:
        return False

    def _used(self, /, *args: object, **named: object) -> NoReturn:
        raise ModuleNotFoundError(_sentence(self.__name__), name=self.__name__.partition(".")[0])


# What else Python and NumPy do with an object is a use; `==` is not, it says that this is nothing else.
_OPERATORS = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor".split()
_OTHERS = (
    "call mro_entries getitem setitem delitem contains iter next reversed len enter exit await aiter anext lt le gt ge "
    "neg pos abs invert round trunc floor ceil int float complex index bytes fspath array_ufunc array_function"
).split()
for _use in (*_OPERATORS, *(f"r{name}" for name in _OPERATORS), *_OTHERS):
    setattr(MissingPackage, f"__{_use}__", MissingPackage._used)


class _MissingModule(MissingPackage, ModuleType):
    """The same for what an import statement names, which has to be a module."""

    __all__: Sequence[str] = ()  # so that a star imports nothing


# --- How an import finds it -------------------------------------------------------------------------------------------


class _Finder:
    """Finds a placeholder for some packages and everything in them, wherever they are installed."""

    def __init__(self, missing: Sequence[str]) -> None:
        self._missing = missing

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name.partition(".")[0] not in self._missing:
            return None
        if _has_a_fallback(_importer()):
            raise ModuleNotFoundError(_sentence(name), name=name)
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _MissingModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


def _importer() -> FrameType | None:
    """Who imports: the innermost frame outside of this file and of Python's own machinery."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        file = frame.f_code.co_filename
        if file not in (__file__, importlib.__file__) and not file.startswith("<frozen importlib"):
            return frame
        frame = frame.f_back
    return None


def _has_a_fallback(frame: FrameType | None) -> bool:
    """Whether the line that is run there is tried, and something else is done if it is an ImportError."""
    if frame is None:
        return False
    try:
        tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    around = [node for node in ast.walk(tree) if isinstance(node, ast.Try | ast.With)]
    return any(_catches(node) for node in around if _covers(node.body, frame.f_lineno))


def _covers(body: list[ast.stmt], line: int) -> bool:
    return body[0].lineno <= line <= (body[-1].end_lineno or 0)


def _catches(node: ast.Try | ast.With) -> bool:
    if isinstance(node, ast.With):
        return any(_suppresses_imports(item.context_expr) for item in node.items)
    return any(_is_for_imports(handler.type) and not _raises(handler) for handler in node.handlers)


def _is_for_imports(caught: ast.expr | None) -> bool:
    if caught is None:
        return True
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(isinstance(kind, ast.Name) and kind.id in _CATCH_ALL for kind in kinds)


def _raises(handler: ast.ExceptHandler) -> bool:
    """Whether it only says in other words that there is no package; then a placeholder costs less."""
    return any(isinstance(node, ast.Raise) for node in ast.walk(handler))


def _suppresses_imports(manager: ast.expr) -> bool:
    return (
        isinstance(manager, ast.Call)
        and ast.unparse(manager.func).endswith("suppress")
        and any(_is_for_imports(kind) for kind in manager.args)
    )
