"""The package `checks` that students' notebooks import: what it says, and that it can be relied upon."""

import ast
import json
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
if str(NOTEBOOKS) not in sys.path:
    sys.path.insert(0, str(NOTEBOOKS))

import checks  # noqa: E402
from checks import checking, costs, relations, running  # noqa: E402
from checks.checking import Code, Mismatch, expect, expect_raises, expect_that  # noqa: E402

STEMS = sorted(path.stem for path in (NOTEBOOKS / "checks" / "exercises").glob("[0-9]*.py"))


class Notebook:
    """A namespace in which `check` works as in a notebook."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self._namespace: dict[str, Any] = {"np": np}
        self.failed = ""  # the message of the check that failed last
        exec('import checks\ncheck = checks.start("01_bayes_rule")', self._namespace)

    def said(self, source: str) -> str:
        """What running some source prints."""
        self.failed = ""
        try:
            exec(compile(textwrap.dedent(source), "<cell>", "exec"), self._namespace)
        except checks.CheckFailed as failed:
            self.failed = str(failed)
        return self._capsys.readouterr().out


@pytest.fixture
def notebook(capsys: pytest.CaptureFixture[str]) -> Notebook:
    return Notebook(capsys)


RIGHT = """
def bayes_binary(p_a, p_b_given_a, p_b_given_not_a):
    p_a = np.asarray(p_a)
    return p_b_given_a * p_a / (p_b_given_a * p_a + p_b_given_not_a * (1 - p_a))
"""


# ------------------------------------------------------------------------------------ what a student reads


def test_a_right_answer_passes_and_is_told_that_hidden_checks_follow(notebook: Notebook) -> None:
    said = notebook.said(RIGHT + 'check("bayes_binary")')
    assert notebook.failed == ""
    assert said.startswith("bayes_binary: all visible checks pass\n")
    assert said.count("  passes: ") == 3
    assert "Hidden checks with other numbers follow when the notebook is graded." in said


def test_a_wrong_answer_reads_call_value_expectation_and_question(notebook: Notebook) -> None:
    said = notebook.said('def bayes_binary(p_a, hit, alarm):\n    return hit\ncheck("bayes_binary")')
    assert said.startswith("bayes_binary: not right yet\n")
    assert "called: bayes_binary(0.05, 0.8, 0.2)\n      came back: 0.8\n      expected: 0.173913\n" in said
    assert "Would your answer change if the flu were ten times rarer?" in said
    assert notebook.failed == "bayes_binary: not right yet (0 of 3 visible checks pass)"


NOT_FLU = """
def bayes_binary(p_a, hit, alarm):
    p_a = np.asarray(p_a)
    return alarm * (1 - p_a) / (hit * p_a + alarm * (1 - p_a))
"""


def test_a_relation_that_explains_every_wrong_value_is_asked_about_once(notebook: Notebook) -> None:
    said = notebook.said(NOT_FLU + 'check("bayes_binary")')
    assert notebook.failed == "bayes_binary: not right yet (0 of 3 visible checks pass)"
    assert said.count(relations.QUESTIONS["complement"]) == 1


def test_a_value_that_contradicts_a_relation_silences_it(notebook: Notebook) -> None:
    said = notebook.said(
        NOT_FLU + "f = bayes_binary\ndef bayes_binary(p, a, b):\n    return f(p, a, b) - (p == 0.5) / 9"
    )
    said = notebook.said('check("bayes_binary")')
    assert "came back: 0.826087" in said and relations.QUESTIONS["complement"] not in said


def test_a_question_that_a_check_knows_wins_over_a_relation(notebook: Notebook) -> None:
    said = notebook.said('def posterior(prior, likelihood):\n    return prior * likelihood\ncheck("posterior")')
    assert "What do they sum to, and what is that number called?" in said
    assert not any(question in said for question in relations.QUESTIONS.values())


def test_a_check_that_fails_says_what_it_costs_unless_nobody_grades_it(notebook: Notebook) -> None:
    wrong = 'def bayes_binary(p_a, hit, alarm):\n    return hit\ncheck("bayes_binary")'
    plain = "costs: up to 100 % of the points (plain numbers: without them nothing else counts)\n"
    assert f"      expected: 0.173913\n      {plain}" in notebook.said(wrong)
    assert "costs:" not in notebook.said(RIGHT + 'check("bayes_binary")')
    tour = 'check = checks.start("00_start_here")\ndef percent(part, whole):\n    return part / whole\ncheck("percent")'
    said = notebook.said(tour)
    assert "not right yet" in said and "costs" not in said


@pytest.mark.parametrize(
    ("failed", "words"),
    [
        ([("stability", False)], "up to 20 % of the points (stability)"),
        ([("stability", True)], "up to 30 % of the points (stability, which the task stresses)"),
        ([("edge case", False), ("type", False), ("edge case", False)], "up to 15 % of the points (edge case, type)"),
        (
            [("stability", True), ("edge case", False), ("speed", True)],
            "up to 40 % of the points (edge case; stability, speed, which the task stresses)",
        ),
        ([("edge case", False), ("plain numbers", False)], "up to 100 % of the points (plain numbers)"),
    ],
)
def test_what_is_at_stake_is_said_by_the_kinds_of_checks(failed: list[tuple[str, bool]], words: str) -> None:
    assert costs.at_stake(failed) == words


def test_progress_says_what_is_at_stake_where_some_of_it_is_not_right() -> None:
    def far_left(student: Any) -> None:
        """Far to the left."""

    check = checking.exercise("sigmoid", costs.STABILITY)(far_left)
    plain = checking.exercise("sigmoid")(far_left)
    found = (running.Outcome(plain, running.Verdict.PASSES), running.Outcome(check, running.Verdict.DIFFERS))
    stub = running.Outcome(plain, running.Verdict.NOT_ATTEMPTED)
    said = repr(checks.rendering.progress({"sigmoid": found, "other": (stub,)}, {"sigmoid": 2, "other": 2}))
    assert "  sigmoid (2 points): not right yet; at stake: up to 20 % of the points (stability)\n" in said
    assert "  other (2 points): not attempted yet\n" in said


def test_a_stub_is_not_attempted_yet(notebook: Notebook) -> None:
    said = notebook.said('def posterior(prior, likelihood):\n    raise NotImplementedError()\ncheck("posterior")')
    assert said.startswith("posterior: not attempted yet\n")
    assert "Replace `raise NotImplementedError()` by your code" in said
    assert notebook.failed == "posterior: not attempted yet (0 of 2 visible checks pass)"


def test_a_name_that_is_not_defined_says_what_to_run(notebook: Notebook) -> None:
    said = notebook.said('check("posterior")')
    assert said.startswith("posterior: cannot be checked yet\n")
    assert "`posterior` is not defined: run the cell that defines it" in said
    assert notebook.failed


def test_a_name_that_is_no_function_any_more_is_named(notebook: Notebook) -> None:
    assert "`posterior` is now a number, no longer a function" in notebook.said('posterior = 0.5\ncheck("posterior")')


def test_an_error_in_the_students_code_shows_type_message_and_line(notebook: Notebook) -> None:
    said = notebook.said(
        'def prob(joint, event, given=None):\n    table = joint + 1\n    return table["x"]\ncheck("prob")'
    )
    assert "stopped with an error: P(Male | poor)" in said
    assert "called: prob(" in said
    assert "error: IndexError: only integers" in said
    assert "where: prob, line 3 of its cell" in said
    assert "Traceback" not in said and "checking.py" not in said


def test_an_answer_of_the_wrong_kind_is_the_checks_own_complaint() -> None:
    def uses_the_answer(student: Any) -> None:
        """The answer can be summed."""
        student.f().sum()

    check = checking.exercise("f")(uses_the_answer)
    outcome = running.examine(check, {"f": lambda: None})
    assert outcome.verdict is running.Verdict.FAILS
    assert ("where", "in the check: what came back is not of the kind that the exercise asks for") in outcome.rows


def test_exit_inside_an_answer_is_reported_and_does_not_end_python(notebook: Notebook) -> None:
    said = notebook.said('import sys\ndef posterior(prior, likelihood):\n    sys.exit()\ncheck("posterior")')
    assert "error: SystemExit" in said


def test_a_missing_return_is_asked_about(notebook: Notebook) -> None:
    said = notebook.said('def posterior(prior, likelihood):\n    prior * 2\ncheck("posterior")')
    assert "came back: None" in said and "Does your function end in `return` with a value?" in said


def test_progress_lists_every_exercise_and_never_raises(notebook: Notebook) -> None:
    said = notebook.said(RIGHT + "def prob(joint, event, given=None):\n    raise NotImplementedError()\ncheck()")
    assert notebook.failed == ""
    assert said.startswith("1 of 6 exercises pass their visible checks: up to 3 of 20 points so far\n")
    assert "  bayes_binary (3 points): all visible checks pass\n" in said
    assert "  prob (4 points): not attempted yet\n" in said
    assert "  conditional (3 points): cannot be checked yet\n" in said
    assert "  Left to do: 5 exercises (17 points); next is `posterior`.\n" in said
    assert "Hidden checks are not counted here; they decide about the points" in said


def test_progress_of_a_finished_notebook_says_how_to_go_on() -> None:
    passed = running.Outcome(checking.load("01_bayes_rule")[0], running.Verdict.PASSES)
    said = repr(checks.rendering.progress({"one": (passed,), "two": (passed,)}, {"one": 1, "two": 4}))
    assert said.startswith(
        "2 of 2 exercises pass their visible checks: up to 5 of 5 points so far\n  one (1 point): all"
    )
    assert "Nothing is left to do but to save (Ctrl+S) and to hand in: `checks.hand_in()`." in said
    assert "Hidden checks are not counted here" in said


@pytest.mark.parametrize("content", [None, "", "{}", '{"cells": 7}', '{"cells": [{"metadata": {"nbgrader": {}}}]}'])
def test_progress_speaks_of_exercises_only_where_the_points_are_not_to_be_found(
    notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    monkeypatch.setattr(checks, "HERE", tmp_path / "course" / "notebooks" / "checks")
    checks.HERE.mkdir(parents=True)
    if content is not None:
        (checks.HERE.parent / "01_bayes_rule.ipynb").write_text(content)
    said = notebook.said("check()")
    assert said.startswith("0 of 6 exercises pass their visible checks\n")
    assert "Left to do: 6 exercises; next is `bayes_binary`.\n" in said and "point" not in said.split("Hidden")[0]


def test_an_unknown_exercise_suggests_the_nearest_one(notebook: Notebook) -> None:
    notebook.said('check("posteriour")')
    assert notebook.failed.startswith("there is no exercise 'posteriour' in 01_bayes_rule; did you mean 'posterior'?")
    assert "bayes_binary, posterior, sequential_posterior" in notebook.failed


def test_an_unknown_notebook_names_the_known_ones() -> None:
    with pytest.raises(
        LookupError, match=r"no notebook '01_bayes'; did you mean '01_bayes_rule'\? Known are: 00_start_here, 01_bayes"
    ):
        checks.start("01_bayes")


# ------------------------------------------------------------------------------ comparisons that cannot be fooled


@pytest.mark.parametrize(
    ("actual", "expected", "reason"),
    [
        ([], [0.5], "an array of shape (0,) instead of an array of shape (1,)"),
        ([0.5], 0.5, "an array of shape (1,) instead of a number"),
        (0.5, [0.5], "a number instead of an array of shape (1,)"),
        ([[0.5]], [0.5], "an array of shape (1, 1) instead of an array of shape (1,)"),
        (None, 0.5, "None instead of a number"),
        ("0.5", 0.5, "text instead of a number"),
        (np.array(0.5, dtype=object), 0.5, "a number instead of a number"),
        (0.5 + 0j, 0.5, "something of type complex instead of a number"),
        ([[1.0], [1.0, 2.0]], [1.0, 2.0], "rows of different lengths instead of an array"),
        (float("nan"), 0.5, "nan where 0.5 is expected"),
        ([1.0, float("inf")], [1.0, 2.0], "inf where 2 is expected"),
        (0.5, float("nan"), ""),
        ([0.5, 0.6], [0.5, 0.7], "1 of 2 numbers differ"),
        (0.5 + 1e-6, 0.5, ""),
        ((0.5,), (0.5, 0.6), "a tuple of 1 instead of 2 values"),
        (0.5, (0.5, 0.6), "a number instead of 2 values"),
        ((0.5, 0.7), (0.5, 0.6), "value 2 differs"),
        ((0.5, [1, 2]), (0.5, [1, 3]), "value 2: 1 of 2 numbers differ"),
        ({"a": 1}, {"a": 1, "b": 2}, "a dictionary with the keys 'a' instead of a dictionary with the keys 'a', 'b'"),
        ({"a": 1, "b": 3}, {"a": 1, "b": 2}, "'b' differs"),
        ("ham", "spam", "the text differs"),
        (["y - p"], ["y", "p"], "the text differs"),
    ],
)
def test_what_is_not_equal_is_refused_with_the_reason(actual: Any, expected: Any, reason: str) -> None:
    with pytest.raises(Mismatch) as refused:
        expect(actual, equals=expected)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (0.5, 0.5),
        (np.float32(0.5), 0.5),
        (np.array(0.5), 0.5),
        (1, 1.0),
        ([1, 2], np.array([1.0, 2.0])),
        ((1, 2), np.array([1.0, 2.0])),
        (np.array([np.nan, np.inf]), [np.nan, np.inf]),
        ((np.array([0, 1]), 0.3), ([0, 1], 0.3)),
        ([0.1, 0.2], (0.1, 0.2)),
        ({"b": [1, 2], "a": 1}, {"a": 1, "b": [1, 2]}),
        (["y", "p"], ["y", "p"]),
        (np.True_, True),
        (1, True),
        (None, None),
        (0.5 + 1e-12, 0.5),
    ],
)
def test_equal_values_in_another_dress_are_accepted(actual: Any, expected: Any) -> None:
    expect(actual, equals=expected)


def test_a_difference_in_hidden_digits_is_shown_in_full() -> None:
    with pytest.raises(Mismatch, match="came back: 0.1739130[0-9]+\nexpected: 0.17391304347826.*\n.*precision"):
        expect(4 / 23 + 1e-8, equals=4 / 23, rtol=1e-9)


def test_a_known_mistake_is_recognised_from_six_digits_in_any_shape() -> None:
    for mistakes in ({(0.25, 0.333333): "Why?"}, [(np.array([0.25, 0.333333]), "Why?")]):
        with pytest.raises(Mismatch) as refused:
            expect([1 / 4, 1 / 3], equals=[0.5, 0.5], mistakes=mistakes)
        assert refused.value.question == "Why?" and str(refused.value).endswith("\nWhy?")
    with pytest.raises(Mismatch) as refused:
        expect([0.25, 0.34], equals=[0.5, 0.5], mistakes={(0.25, 0.333333): "Why?"})
    assert refused.value.question is None


def test_an_expected_error_must_be_raised_and_a_stub_does_not_count() -> None:
    def stub(*args: Any) -> None:
        raise NotImplementedError

    expect_raises(ValueError, int, "x")
    with pytest.raises(NotImplementedError):
        expect_raises(RuntimeError, stub)
    with pytest.raises(
        Mismatch, match="came back: 3\nexpected: ValueError\ndifference: nothing was raised; ValueError was"
    ):
        expect_raises(ValueError, int, "3")


def test_a_law_that_does_not_hold_is_stated() -> None:
    expect_that(True, "rows sum to 1")
    with pytest.raises(Mismatch, match="this does not hold: rows sum to 1\nWhich axis?"):
        expect_that(False, "rows sum to 1", question="Which axis?")


def test_a_check_without_a_description_is_refused() -> None:
    with pytest.raises(TypeError, match="nameless needs a docstring"):

        @checking.exercise("posterior")
        def nameless(student: Any) -> None:
            pass


# --------------------------------------------------------------------------- the notebook's names as a student


def test_a_list_of_numbers_comes_back_as_an_array_and_tuples_stay_tuples() -> None:
    student = running.Student({"f": lambda: ([1, 2], {"rows": [[1], [2]]}, ["y", "p"]), "x": [1.5]})
    answer = student.f()
    assert isinstance(answer, tuple) and isinstance(student["x"], np.ndarray)
    assert answer[0].shape == (2,) and answer[1]["rows"].shape == (2, 1) and answer[2] == ["y", "p"]


def test_an_answer_that_spoils_its_arguments_spoils_only_copies() -> None:
    def spoil(array: Any, rows: Any) -> None:
        array[0] = rows[0][0] = 99

    array, rows = np.zeros(2), [[0.0]]
    running.Student({"spoil": spoil}).spoil(array, rows=rows)
    assert array.tolist() == [0, 0] and rows == [[0.0]]


def test_code_is_evaluated_beside_the_student() -> None:
    student = running.Student({"apply": lambda f, w: f(w)})
    assert student.apply(Code("lambda w: np.sum(w ** 2)"), np.array([1, 2])) == 5
    assert student.apply(f=Code("np.cos"), w=0) == 1


def test_a_variable_that_is_not_there_says_what_to_run() -> None:
    with pytest.raises(running.Missing, match="`prior` is not defined: run the cell that defines it"):
        running.Student({})["prior"]


def test_a_check_takes_any_student_and_lets_its_errors_through() -> None:
    class Remote:
        def __getattr__(self, name: str) -> Callable[..., None]:
            def call(*args: Any, **kwargs: Any) -> None:
                raise KeyError("far away")

            return call

    check = checking.load("01_bayes_rule")[0]
    with pytest.raises(KeyError) as error:
        check.run(Remote())
    assert error.value.__notes__ == ["called: bayes_binary(0.05, 0.8, 0.2)"]
    assert (check.exercise, check.name) == ("bayes_binary", "one_cough")


# ----------------------------------------------------------------------------------------------- rendering


def bundle_for(function: Callable[..., Any], name: str = "posterior") -> dict[str, str]:
    outcomes = tuple(running.examine(c, {name: function}) for c in checking.load("01_bayes_rule") if c.exercise == name)
    return checks.rendering.report_on(name, outcomes)._repr_mimebundle_()


def test_html_is_escaped() -> None:
    def wrong(prior: Any, likelihood: Any) -> None:
        raise ValueError("<script>alert('a & b')</script>")

    html = bundle_for(wrong)["text/html"]
    assert "<script>" not in html and "&lt;script&gt;alert(&#x27;a &amp; b&#x27;)&lt;/script&gt;" in html
    assert "<script>" not in bundle_for(lambda p, q: "<script>")["text/html"]


def test_words_carry_the_verdict_without_colour_or_style() -> None:
    html = bundle_for(lambda p, q: p)["text/html"]
    assert html.startswith("<div><p><strong>posterior: not right yet</strong></p>")
    assert "style" not in html and "class" not in html


def test_html_and_text_say_the_same() -> None:
    bundle = bundle_for(lambda p, q: [0.2, 0.8])
    for words in ["posterior: not right yet", "came back: [0.2, 0.8]", "Which of your two arguments does this answer"]:
        assert words in bundle["text/plain"] and words in bundle["text/html"]


@pytest.mark.parametrize("answer", [object(), [object()], (object(),), {"key": object()}, print, {1}])
def test_nothing_shown_changes_from_run_to_run(answer: Callable[..., Any]) -> None:
    assert " at 0x" not in bundle_for(lambda prior, likelihood: answer)["text/plain"]


def test_large_answers_are_shortened() -> None:
    text = bundle_for(lambda p, q: np.arange(10_000.0))["text/plain"]
    assert "[0, 1, 2, ..., 9997, 9998, 9999] of shape (10000,)" in text
    assert len(bundle_for(lambda p, q: "x" * 10_000)["text/plain"]) < 2_000


# ------------------------------------------------------------------------------ data, figures, surroundings


def test_data_is_found_beside_the_notebook_or_one_folder_higher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "HERE", tmp_path / "notebooks" / "checks")
    above, beside = tmp_path / "data" / "a.csv", tmp_path / "notebooks" / "data" / "a.csv"
    above.parent.mkdir()
    above.touch()
    assert checks.data("a.csv") == above
    beside.parent.mkdir(parents=True)
    beside.touch()
    assert checks.data("a.csv") == beside


def test_missing_data_says_which_file_and_where_it_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "HERE", tmp_path / "notebooks" / "checks")
    with pytest.raises(FileNotFoundError) as error:
        checks.data("b.csv")
    message = str(error.value)
    assert message.startswith("The data file 'b.csv' is not there. Looked in ")
    assert str(tmp_path / "notebooks" / "data") in message and str(tmp_path / "data") in message
    assert "Copy the course's folder `data` beside the notebook" in message


def run_python(source: str) -> str:
    """What a fresh Python prints when it runs `source` with the notebooks' folder on its path."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)], cwd=NOTEBOOKS, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_plain_python_prints_text_and_needs_numpy_only() -> None:
    printed = run_python(
        """
        import sys
        for name in ["IPython", "matplotlib", "scipy", "sklearn", "ipywidgets", "pandas"]:
            sys.modules[name] = None          # importing it would fail
        import checks
        check = checks.start("01_bayes_rule")
        def posterior(prior, likelihood):
            return likelihood
        try:
            check("posterior")
        except checks.CheckFailed as failed:
            print("raised:", failed)
        checks.show(None, "a figure that nobody sees")
        """
    )
    assert printed.startswith("posterior: not right yet\n")
    assert printed.endswith("raised: posterior: not right yet (0 of 2 visible checks pass)\n")


IN_IPYTHON = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
shell = InteractiveShell.instance(history_length=0)
shell.history_manager.enabled = False
def cell(source):
    with capture_output() as captured:
        result = shell.run_cell(source)
    return {"error": type(result.error_in_exec).__name__, "out": captured.stdout, "err": captured.stderr,
            "shown": [[o.data, o.metadata] for o in captured.outputs]}
"""


def test_ipython_shows_the_report_and_one_line_of_the_error() -> None:
    printed = run_python(
        IN_IPYTHON
        + """
cell("import checks\\ncheck = checks.start('01_bayes_rule')\\n"
     "def posterior(prior, likelihood):\\n    return 1 / 0")
print(json.dumps(cell("check('posterior')")))
"""
    )
    answer = json.loads(printed.splitlines()[-1])
    assert answer["error"] == "CheckFailed"
    [[data, _]] = answer["shown"]
    assert set(data) == {"text/plain", "text/html"}
    assert "where: posterior, line 4 of its cell:  return 1 / 0" in data["text/plain"]
    error = (answer["out"] + answer["err"]).strip()
    assert error == "CheckFailed: posterior: not right yet (0 of 2 visible checks pass)"


def test_ipython_says_in_one_line_which_stub_a_cell_needs_and_shows_other_errors_in_full() -> None:
    printed = run_python(
        IN_IPYTHON
        + """
cell("import checks\\nchecks.start('01_bayes_rule')\\n"
     "def stub(x):\\n    raise NotImplementedError()\\nuse = lambda x: stub(x) + 1")
sources = ["use(1)", "raise NotImplementedError()", "raise NotImplementedError('later')", "1 / 0"]
print(json.dumps([cell(source) for source in sources]))
"""
    )
    stub, *others = json.loads(printed.splitlines()[-1])
    assert stub["error"] == "NotImplementedError"
    assert (
        stub["out"] + stub["err"]
    ).strip() == "NotImplementedError: this cell needs `stub`, which is not attempted yet."
    assert all("Traceback" in other["out"] + other["err"] for other in others)


def test_ipython_shows_figures_with_their_text_alternative_and_closes_them() -> None:
    printed = run_python(
        IN_IPYTHON
        + """
import matplotlib
matplotlib.use("agg")
from IPython.core.pylabtools import select_figure_formats
select_figure_formats(shell, {"png"})
answer = cell("import checks, matplotlib.pyplot as plt\\n"
              "fig, ax = plt.subplots()\\nchecks.show(fig, 'A line that rises.')")
answer["open"] = shell.ev("plt.get_fignums()")
print(json.dumps(answer))
"""
    )
    answer = json.loads(printed.splitlines()[-1])
    [[data, metadata], [words, _]] = answer["shown"]
    assert "image/png" in data and metadata["image/png"]["alt"] == "A line that rises."
    assert words["text/plain"] == "Figure in words: A line that rises."
    assert words["text/html"] == "<details><summary>Figure in words</summary><p>A line that rises.</p></details>"
    assert answer["open"] == [] and answer["error"] == "NoneType"


# A program of its own, which runs only where nbgrader is installed; and what comes with Jupyter and can be missing.
MORE = {"exchange.py": {"jupyter_core", "nbgrader"}, "reading.py": {"nbformat"}}


def test_the_package_imports_numpy_and_the_standard_library_only() -> None:
    allowed = sys.stdlib_module_names | {"numpy", "checks", "IPython", "traitlets"}  # traitlets comes with IPython
    for path in (NOTEBOOKS / "checks").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert {name.split(".")[0] for name in names} <= allowed | MORE.get(path.name, set()), path


# ------------------------------------------------------------------------------- every notebook's visible checks


def code_cells(stem: str) -> list[dict[str, Any]]:
    source = json.loads((ROOT / "solutions" / f"{stem}.ipynb").read_text())
    return [cell for cell in source["cells"] if cell["cell_type"] == "code"]


def is_check(cell: dict[str, Any]) -> bool:
    return bool(cell["metadata"].get("nbgrader", {}).get("grade", False))


@pytest.mark.parametrize("stem", STEMS)
def test_every_exercise_has_visible_checks_and_every_visible_check_an_exercise(stem: str) -> None:
    asked = [
        cell["metadata"]["nbgrader"]["grade_id"].removesuffix("-check") for cell in code_cells(stem) if is_check(cell)
    ]
    assert list(dict.fromkeys(check.exercise for check in checking.load(stem))) == asked


@pytest.mark.parametrize("stem", STEMS)
def test_no_visible_check_hides_another_of_the_same_name(stem: str) -> None:
    tree = ast.parse((NOTEBOOKS / "checks" / "exercises" / f"{stem}.py").read_text())
    written = [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and any(isinstance(mark, ast.Call) for mark in node.decorator_list)
    ]
    assert [check.name for check in checking.load(stem)] == written


@pytest.mark.parametrize("stem", STEMS)
def test_the_reference_passes_each_visible_check(stem: str) -> None:
    for check in checking.load(stem):
        outcome = running.examine(check, reference.names(stem))
        assert outcome.verdict is running.Verdict.PASSES, outcome
