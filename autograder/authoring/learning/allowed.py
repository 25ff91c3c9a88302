"""What code from a class may consist of before it may be an entry of the catalogue.

Answers of the catalogue are called in the process that also has the suites. So this is a list of what may be there, not
of what may not: arithmetic, loops, conditions, and names of NumPy and Python that only calculate.
"""

from __future__ import annotations

import ast
import copy
import symtable
from collections.abc import Iterator
from typing import TypeGuard

MODULES = ("math", "numpy", "numpy.linalg")
_MOST_NODES, _LONGEST_TEXT, _LARGEST, _LARGEST_POWER = 3000, 60, 10**12, 100

BUILTINS = frozenset(
    "abs all any bool complex dict divmod enumerate filter float frozenset int isinstance iter len list map max min "
    "next pow range reversed round set slice sorted str sum tuple zip "
    "ArithmeticError AssertionError AttributeError Exception FloatingPointError IndexError KeyError LookupError "
    "NotImplementedError OverflowError RuntimeError StopIteration TypeError ValueError ZeroDivisionError".split()
)
"""Names of Python that may be used."""

ATTRIBUTES = frozenset(
    # NumPy: making arrays, and changing their form
    "array asarray asanyarray ascontiguousarray atleast_1d atleast_2d atleast_3d arange linspace logspace geomspace "
    "zeros ones empty full zeros_like ones_like empty_like full_like eye identity diag diagflat tri tril triu "
    "tril_indices triu_indices diag_indices meshgrid indices ix_ mgrid ogrid newaxis copy reshape ravel flatten "
    "squeeze expand_dims broadcast_to broadcast_arrays transpose swapaxes moveaxis rollaxis T mT concatenate stack "
    "vstack hstack dstack column_stack row_stack append insert delete repeat tile flip fliplr flipud roll rot90 pad "
    "split array_split hsplit vsplit astype take put take_along_axis put_along_axis choose compress select where "
    "nonzero flatnonzero argwhere extract place putmask fromiter fromfunction item tolist fill resize "
    # NumPy: calculating
    "add subtract multiply divide true_divide floor_divide mod remainder fmod divmod power float_power square sqrt "
    "cbrt reciprocal negative positive absolute fabs abs sign signbit copysign exp exp2 expm1 log log2 log10 log1p "
    "logaddexp logaddexp2 sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh hypot "
    "maximum minimum fmax fmin clip round rint floor ceil trunc fix around sum prod cumsum cumprod nansum nanprod "
    "diff ediff1d gradient trapezoid interp mean average median std var nanmean nanstd nanvar nanmedian max min "
    "amax amin nanmax nanmin argmax argmin nanargmax nanargmin ptp percentile quantile sort argsort lexsort "
    "partition argpartition searchsorted digitize bincount histogram histogram2d unique unique_counts count_nonzero "
    "any all isclose allclose array_equal equal not_equal less less_equal greater greater_equal logical_and "
    "logical_or logical_not logical_xor bitwise_and bitwise_or bitwise_xor invert isnan isinf isfinite isin in1d "
    "union1d intersect1d setdiff1d dot vdot inner outer matmul tensordot einsum cross kron trace diagonal convolve "
    "correlate cov corrcoef polyfit polyval apply_along_axis apply_over_axes vectorize nan_to_num heaviside sinc "
    "real imag conj conjugate isreal iscomplex isscalar isneginf isposinf ndim shape size dtype result_type "
    "can_cast issubdtype finfo iinfo eps tiny kind broadcast_shapes multi_index reduce accumulate reduceat at "
    "errstate nditer ndenumerate ndindex unravel_index ravel_multi_index "
    # NumPy: names of types and constants
    "ndarray generic number integer signedinteger unsignedinteger floating inexact int8 int16 int32 int64 intp int_ "
    "uint8 uint16 uint32 uint64 float16 float32 float64 double longdouble complex64 complex128 bool_ bool str_ pi e "
    "inf nan euler_gamma "
    # NumPy: linear algebra and random numbers
    "linalg norm solve inv pinv det slogdet eig eigh eigvals eigvalsh svd qr lstsq cholesky matrix_rank "
    "matrix_power multi_dot LinAlgError random default_rng Generator rand randn randint integers choice permutation "
    "permuted shuffle normal uniform standard_normal binomial multinomial poisson exponential beta gamma dirichlet "
    "multivariate_normal "
    # math
    "comb perm factorial gcd lcm fsum isqrt erf erfc lgamma ldexp frexp modf degrees radians dist tau acos asin "
    "atan atan2 acosh asinh atanh pow fma sumprod nextafter ulp "
    # lists, dictionaries, sets, texts, functions
    "extend pop remove clear index count reverse keys values items get setdefault update discard union intersection "
    "difference symmetric_difference issubset issuperset join lower upper strip startswith endswith replace "
    "find".split()
)
"""What may stand behind a dot, whatever stands before it: each of these only calculates, on any value there is here."""
_COLUMNS = ("c_", "r_")  # with a single text between the brackets, NumPy looks for a variable of that name

_NODES = (
    *(ast.FunctionDef, ast.arguments, ast.arg, ast.Lambda, ast.Return, ast.Nonlocal, ast.Pass, ast.Break, ast.Continue),
    *(ast.Assign, ast.AugAssign, ast.NamedExpr, ast.Delete, ast.Expr, ast.Assert, ast.Raise),
    *(ast.If, ast.IfExp, ast.For, ast.While, ast.With, ast.withitem, ast.Try, ast.ExceptHandler),
    *(ast.Import, ast.ImportFrom, ast.alias, ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice),
    *(ast.Call, ast.keyword, ast.Starred, ast.List, ast.Tuple, ast.Set, ast.Dict),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension),
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare),
    *(ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop),
)


def problem(function: ast.FunctionDef, known: frozenset[str]) -> str:
    """Why code must not be an entry, in words: the first thing in it that is not on the list; empty if all is.

    `known` are names that the module has in which it will stand, such as `np`. Decorators of the function itself are
    looked at by whoever reads them.
    """
    if sum(1 for _ in ast.walk(function)) > _MOST_NODES:
        return "it is too long"
    return next((f"line {line}: {words}" for line, words in _problems(function, known)), "")


def _problems(function: ast.FunctionDef, known: frozenset[str]) -> Iterator[tuple[int, str]]:
    side_by_side = {id(node.value) for node in ast.walk(function) if _is_side_by_side(node)}
    docstring = function.body[0].value if ast.get_docstring(function, clean=False) is not None else None  # type: ignore[attr-defined]
    for node in ast.walk(function):
        if _is_in(function.decorator_list, node):
            continue
        line = getattr(node, "lineno", function.lineno)
        words = _problem_of(node, function) if node is not docstring and id(node) not in side_by_side else ""
        if words:
            yield line, words
    for name in sorted(_from_outside(function) - known - BUILTINS):
        yield function.lineno, f"it uses `{name:.60}`, which is none of the names that may be used"


def _is_side_by_side(node: ast.AST) -> TypeGuard[ast.Subscript]:
    """Whether arrays are put side by side with `np.c_[one, other]`."""
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr in _COLUMNS
        and isinstance(node.slice, ast.Tuple)
        and len(node.slice.elts) > 1
    )


def _is_in(decorators: list[ast.expr], node: ast.AST) -> bool:
    return any(node is part for decorator in decorators for part in ast.walk(decorator))


def _problem_of(node: ast.AST, function: ast.FunctionDef) -> str:
    if not isinstance(node, _NODES):
        return f"there is something ({type(node).__name__}) that entries do without"
    if isinstance(node, ast.FunctionDef) and node is not function and node.decorator_list:
        return "there is a decorator"
    if isinstance(node, ast.FunctionDef) and (node.returns or getattr(node, "type_params", None)):
        return "there is an annotation"
    if isinstance(node, ast.arg) and node.annotation:
        return "there is an annotation"
    if isinstance(node, ast.arguments):
        return (
            "" if all(map(_is_plain, [*node.defaults, *filter(None, node.kw_defaults)])) else "a default is not plain"
        )
    if isinstance(node, ast.Attribute) and node.attr not in ATTRIBUTES:
        return f"it uses `.{node.attr:.60}`, which is none of the names that may be used"
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        return f"it changes `.{node.attr}` of something, which may be everybody's"
    if isinstance(node, ast.comprehension) and node.is_async:
        return "there is something (async) that entries do without"
    if isinstance(node, ast.Import | ast.ImportFrom):
        return _problem_of_import(node)
    if isinstance(node, ast.ExceptHandler) and node.type is None:
        return "it catches every error, those that stop it among them"
    if isinstance(node, ast.Constant):
        return _problem_of_constant(node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow | ast.LShift):
        return _problem_of_power(node)
    return ""


def _is_plain(default: ast.expr) -> bool:
    """Whether a default is a number, a truth value, nothing, a text, or a tuple of these."""
    if isinstance(default, ast.Tuple):
        return all(map(_is_plain, default.elts))
    if isinstance(default, ast.UnaryOp):
        return isinstance(default.op, ast.USub) and isinstance(default.operand, ast.Constant)
    return isinstance(default, ast.Constant)


def _problem_of_import(node: ast.Import | ast.ImportFrom) -> str:
    if isinstance(node, ast.Import):
        wrong = [alias.name for alias in node.names if alias.name not in MODULES]
    else:
        module = node.module or ""
        wrong = [module] if node.level or module not in MODULES else []
        wrong += [alias.name for alias in node.names if alias.name not in ATTRIBUTES]
    return f"it imports `{wrong[0]:.60}`; only NumPy and math may be imported" if wrong else ""


def _problem_of_constant(value: object) -> str:
    if isinstance(value, str):
        return "there is an unusual text" if len(value) > _LONGEST_TEXT or "__" in value else ""
    if isinstance(value, int | float | complex):
        return "there is a huge number" if isinstance(value, int) and abs(value) > _LARGEST else ""
    return "" if value is None or value is Ellipsis else f"there are {type(value).__name__}"


def _problem_of_power(node: ast.BinOp) -> str:
    """Powers of numbers that are written out can be larger than any memory."""
    if any(isinstance(part, ast.Name | ast.Call) for part in ast.walk(node.right)):
        return ""
    small = isinstance(node.right, ast.Constant | ast.UnaryOp) and all(
        abs(part.value) <= _LARGEST_POWER
        for part in ast.walk(node.right)
        if isinstance(part, ast.Constant) and isinstance(part.value, int | float | complex)
    )
    return "" if small else "there is a huge power"


def _from_outside(function: ast.FunctionDef) -> set[str]:
    """The names that a function, and functions in it, take from the module that it stands in."""
    bare = copy.copy(function)
    bare.decorator_list = []
    return names_from_outside(symtable.symtable(ast.unparse(bare), "entry", "exec"))


def names_from_outside(table: symtable.SymbolTable) -> set[str]:
    """The names that the functions in a table, at any depth, take from the module."""
    found: set[str] = set()
    waiting = list(table.get_children())
    while waiting:
        one = waiting.pop()
        found |= {symbol.get_name() for symbol in one.get_symbols() if symbol.is_global()}
        waiting += one.get_children()
    return found
