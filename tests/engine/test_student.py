"""What a check sees of a student: plain data, errors of builtin kinds, objects that stay where they are."""

from __future__ import annotations

import textwrap

import pytest
import sandboxes
from sandboxes import student_with

from autograder.engine.running import StudentStopped
from autograder.engine.student import StudentRaised
from autograder.sandbox.process import Zygote

zygote = sandboxes.zygote


def test_a_student_s_error_is_of_the_nearest_builtin_kind(zygote: Zygote) -> None:
    cell = """
        class Own(ValueError): pass
        def f(): raise Own("x")
        def g(_): raise StopIteration
        def h(): raise OSError(2, "x")
    """
    with student_with(zygote, textwrap.dedent(cell)) as student:
        with pytest.raises(ValueError, match="x") as raised:
            student.f()
        assert isinstance(raised.value, StudentRaised)
        assert (raised.value.kind, raised.value.type_name) == ("ValueError", "Own")
        with pytest.raises(OSError, match="x"):
            student.h()
        with pytest.raises(StudentRaised):  # never a StopIteration, which `all` would take for the end
            assert all(map(student.g, range(3)))


def test_an_object_is_no_array(zygote: Zygote) -> None:
    cell = """
        class Model:
            def fit(self, n): return n + 1
            def sum(self): return 1.0
            all = sum
        def f(): return Model()
    """
    with student_with(zygote, textwrap.dedent(cell)) as student:
        model = student.f()
        assert model.fit(1) == 2
        for name in ("sum", "all", "shape", "mean", "dtype", "_secret", "__array__"):
            with pytest.raises(AttributeError):
                getattr(model, name)


def test_the_name_of_an_object_s_type_steers_no_terminal(zygote: Zygote) -> None:
    cell = "def f(): return [type('Kind\\x1b[2J\\x9b\\u202e', (), {})()]"
    with student_with(zygote, cell) as student:
        assert repr(student.f()[0]) == "<Kind\ufffd[2J\ufffd\ufffd in the student's process>"


def test_lists_become_arrays_and_texts_stay(zygote: Zygote) -> None:
    with student_with(zygote, "def f(x): return x") as student:
        assert student.f([[1, 2], [3, 4]]).shape == (2, 2)
        assert student.f([[1, 2], [3]])[1].tolist() == [3]
        assert student.f(["a", 1]) == ["a", 1]
        assert student.f((1, [2.0]))[1].tolist() == [2.0]


def test_text_that_would_make_a_huge_table_is_refused(zygote: Zygote) -> None:
    cell = "def f(): return ['x' * 500_000] + ['y'] * 50_000"
    with student_with(zygote, cell) as student, pytest.raises(StudentStopped, match="too much"):
        student.f()
