"""What `make setup` installs: one version of everything, known by its hash, the same for students and staff."""

import ast
import importlib.metadata
import importlib.resources
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import autograder

ROOT = Path(__file__).parents[1]
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
SYSTEMS = {
    "Linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    "macOS": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    "Windows": {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
}


def entries(path: str) -> list[tuple[Requirement, list[str]]]:
    """The requirements of a file, each with its hashes."""
    text = (ROOT / path).read_text().replace("\\\n", " ")
    lines = [re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines()]
    return [
        (Requirement(line.partition(" --hash")[0].strip()), re.findall(r"--hash=(\S+)", line)) for line in lines if line
    ]


def versions(path: str) -> dict[str, str]:
    """The version that a file pins each package to."""
    return {canonicalize_name(entry.name): str(entry.specifier).removeprefix("==") for entry, _ in entries(path)}


# --- requirements.txt ------------------------------------------------------------------------------------------------


def test_every_requirement_has_one_version_and_its_hashes() -> None:
    compiled = entries("requirements.txt")
    assert len(compiled) > 100
    for requirement, hashes in compiled:
        assert re.fullmatch(r"==[\w.!+]+", str(requirement.specifier)), f"{requirement} is not pinned"
        assert hashes, f"{requirement} has no hash: run make lock"
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", value) for value in hashes), requirement.name


def test_numpy_is_the_version_that_also_runs_in_the_browser() -> None:
    assert versions("requirements.txt")["numpy"] == "2.4.6"


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("python", PYTHONS)
def test_no_package_is_asked_for_twice(python: str, system: str) -> None:
    environment = {"python_version": python, "python_full_version": f"{python}.9", **SYSTEMS[system]}
    wanted = [
        canonicalize_name(requirement.name)
        for requirement, _ in entries("requirements.txt")
        if requirement.marker is None or requirement.marker.evaluate(environment)
    ]
    assert len(wanted) == len(set(wanted))
    assert {canonicalize_name(requirement.name) for requirement, _ in entries("requirements.in")} <= set(wanted)


def test_requirements_txt_satisfies_requirements_in() -> None:
    compiled = versions("requirements.txt")
    for requirement, _ in entries("requirements.in"):
        name = canonicalize_name(requirement.name)
        assert name in compiled, f"{name} is missing: run make lock"
        assert requirement.specifier.contains(compiled[name]), f"{requirement} changed: run make lock"


def test_this_environment_has_the_versions_of_requirements_txt() -> None:
    for requirement, _ in entries("requirements.txt"):
        if requirement.marker is None or requirement.marker.evaluate():
            installed = importlib.metadata.version(requirement.name)
            assert requirement.specifier.contains(installed), f"{requirement} wanted, {installed} found: run make setup"


@pytest.mark.parametrize(
    "path",
    ["requirements.in", "requirements.txt", "notebooks/requirements.txt", "pyproject.toml", "Makefile", ".ci/run"],
)
def test_packages_are_asked_for_by_name_only(path: str) -> None:
    text = (ROOT / path).read_text()
    assert "://" not in text
    assert not re.search(r"--(extra-)?index-url|--find-links|--trusted-host|(?<=\s)/(home|root|opt|tmp)/", text)


# --- notebooks/requirements.txt --------------------------------------------------------------------------------------


def test_students_get_the_versions_that_we_test() -> None:
    students, ours = versions("notebooks/requirements.txt"), versions("requirements.txt")
    assert {"numpy", "matplotlib", "jupyterlab", "ipywidgets"} <= set(students)
    assert students.items() <= ours.items()


def test_students_need_no_hashes_and_no_autograder() -> None:
    students = entries("notebooks/requirements.txt")
    assert len(students) <= 5
    assert not any(hashes for _, hashes in students)


# --- pyproject.toml --------------------------------------------------------------------------------------------------


def test_what_the_autograder_imports_is_declared_and_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {canonicalize_name(name) for name in project["dependencies"]}
    extras = project["optional-dependencies"].values()
    optional = {canonicalize_name(Requirement(wanted).name) for extra in extras for wanted in extra}
    assert declared | optional <= set(versions("requirements.txt"))

    imported = set()
    for file in (ROOT / "autograder").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                imported.add(node.module.partition(".")[0])
    distributions = importlib.metadata.packages_distributions()
    foreign = imported - set(sys.stdlib_module_names) - {"autograder", "checks"}
    needed = {canonicalize_name(name) for module in foreign for name in distributions[module]}
    assert needed <= declared | optional


# --- Version ---------------------------------------------------------------------------------------------------------


def test_package_changelog_and_citation_name_the_same_version() -> None:
    newest = re.search(r"^## \[([\d.]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M)
    assert newest and cited
    assert newest[1] == cited[1] == autograder.__version__ == importlib.metadata.version("autograder")


def test_the_package_is_marked_as_typed() -> None:
    assert importlib.resources.files("autograder").joinpath("py.typed").is_file()


# --- Licences --------------------------------------------------------------------------------------------------------


def test_code_text_and_data_each_have_a_licence_that_the_readme_names() -> None:
    licences = {"LICENSE": "BSD 3-Clause License", "LICENSE-CC-BY-4.0": "Creative Commons Attribution 4.0"}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, words in licences.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        assert words in text and "The From Bayes to Softmax authors" in text
        assert f"]({name})" in readme
    assert "](data/README.md) names them" in readme


def test_the_package_carries_its_licences() -> None:
    installed = importlib.metadata.metadata("autograder")
    assert installed["License-Expression"] == "BSD-3-Clause"
    assert set(installed.get_all("License-File") or []) == {"LICENSE", "LICENSE-CC-BY-4.0"}


def test_nothing_that_we_import_wants_a_licence_of_ours_but_the_driver_of_postgresql() -> None:
    """LGPL lets who only imports a library choose their own licence; GPL and AGPL would not."""
    strict = set()
    for requirement, _ in entries("requirements.txt"):
        if requirement.marker is None or requirement.marker.evaluate():
            metadata = importlib.metadata.metadata(requirement.name)
            fields = ("License-Expression", "License", "Classifier")
            terms = [term.partition("\n")[0] for field in fields for term in metadata.get_all(field) or []]
            if any(re.search(r"GPL|General Public|Affero", term) for term in terms):
                strict.add(canonicalize_name(requirement.name))
    assert strict <= {"psycopg", "psycopg-binary"}


# --- Makefile --------------------------------------------------------------------------------------------------------

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def fake_python(folder: Path, version: str, *, ensurepip: bool) -> Path:
    """A program that answers as a Python of this version would, with or without ensurepip."""
    program = folder / "python"
    program.write_text(
        "#!/bin/sh\n"
        f'case "$*" in --version) echo Python {version} ;;\n'
        f"*sys.version_info*) exit 1 ;; *ensurepip*) exit {0 if ensurepip else 1} ;; esac\n"
    )
    program.chmod(0o755)
    return program


def make_setup(folder: Path, python: object) -> subprocess.CompletedProcess[str]:
    """`make setup` in an otherwise empty folder."""
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    command = ["make", "setup", f"PYTHON={python}"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


@needs_make
def test_an_old_python_is_refused_in_words(tmp_path: Path) -> None:
    python = fake_python(tmp_path, "3.10.13", ensurepip=True)
    result = make_setup(tmp_path, python)
    assert result.returncode != 0
    assert "needs Python 3.11, 3.12, 3.13 or 3.14" in result.stderr
    assert f"{python}: Python 3.10.13\n" in result.stderr
    assert "make setup PYTHON=" in result.stderr
    assert not (tmp_path / ".venv").exists()


@needs_make
def test_a_python_without_ensurepip_is_refused_with_a_remedy(tmp_path: Path) -> None:
    result = make_setup(tmp_path, fake_python(tmp_path, "3.12.1", ensurepip=False))
    assert result.returncode != 0
    assert "Python 3.12.1 without venv or ensurepip" in result.stderr
    assert "apt install python3-venv" in result.stderr


@needs_make
def test_a_python_that_is_not_there_is_named(tmp_path: Path) -> None:
    result = make_setup(tmp_path, "python-of-nowhere")
    assert result.returncode != 0
    assert "python-of-nowhere: not found" in result.stderr


def test_jupyterlab_opens_without_a_question_about_news() -> None:
    lab = Path(sys.prefix) / "share" / "jupyter" / "lab"
    overrides = json.loads((lab / "settings" / "overrides.json").read_text())
    schema = json.loads((lab / "schemas" / "@jupyterlab" / "apputils-extension" / "notification.json").read_text())
    chosen = overrides["@jupyterlab/apputils-extension:notification"]
    assert chosen["fetchNews"] == "false"
    assert "false" in [choice["const"] for choice in schema["properties"]["fetchNews"]["oneOf"]]
    assert chosen.keys() <= schema["properties"].keys()


@needs_make
def test_help_lists_every_target() -> None:
    text = (ROOT / "Makefile").read_text()
    [targets] = re.findall(r"^\.PHONY: (.*)$", text, re.M)
    shown = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=600).stdout
    assert re.findall(r"make ([\w-]+) ", shown) == targets.split()


def test_the_quick_tests_are_there() -> None:
    [chosen] = re.findall(r"^QUICK := ((?:.*\\\n)*.*)$", (ROOT / "Makefile").read_text(), re.M)
    paths = re.findall(r"\S+", chosen.replace("\\\n", " "))
    assert len(paths) > 10 and [path for path in paths if not (ROOT / path).exists()] == []
