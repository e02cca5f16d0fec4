"""MaltParser as a peer: its command line, on gold tokens and gold tags.

    python benchmarks/peer_malt.py train TRAIN MODEL --malt maltparser-1.9.2.jar    # CoNLL-U; MODEL is a folder
    python benchmarks/peer_malt.py parse MODEL INPUT OUTPUT --malt maltparser-1.9.2.jar

Needs Java (Debian: default-jre-headless) and the jar of MaltParser, from its site. Its settings are the defaults that
Aufrant & Wisniewski (2018) name: ArcEager, a linear classifier, no pseudo-projective trees. Files are converted to
CoNLL-X for it: words alone, UPOS where there is no XPOS, no spaces within forms and lemmas.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

OPTIONS = ("-a", "nivreeager", "-l", "liblinear")
NAME = "model"  # of the configuration, in the folder of the model
MEMORY = "4g"


def conllx(lines: Iterator[str]) -> Iterator[str]:
    """Lines of CoNLL-X for those of CoNLL-U."""
    for line in lines:
        fields = line.rstrip("\n").split("\t")
        if len(fields) == 1:
            if not line.startswith("#"):
                yield "\n"
            continue
        if not fields[0].isdecimal():  # a multiword token or an empty node
            continue
        form, lemma = (field.replace(" ", "_") for field in fields[1:3])
        xpos = fields[3] if fields[4] == "_" else fields[4].replace(" ", "_")
        yield "\t".join([fields[0], form, lemma, fields[3], xpos, *fields[5:8], "_", "_"]) + "\n"


def with_trees(lines: Iterator[str], parsed: Iterator[str]) -> Iterator[str]:
    """Lines of CoNLL-U with the heads and labels of CoNLL-X, word by word."""
    words = (line.rstrip("\n").split("\t") for line in parsed if line.strip())
    for line in lines:
        fields = line.rstrip("\n").split("\t")
        if fields[0].isdecimal():
            found = next(words, None)
            if found is None or found[0] != fields[0]:
                raise ValueError(f"expected word {fields[0]}, found {'none' if found is None else found[0]}")
            fields[6:8] = found[6:8]
            line = "\t".join(fields) + "\n"
        yield line
    if next(words, None) is not None:
        raise ValueError("expected no more words, found some")


def command(jar: Path, mode: str, *options: str) -> list[str]:
    """Learns or parses, in the folder of the model."""
    return [
        "java", f"-Xmx{MEMORY}", "-jar", str(jar.resolve()), "-c", NAME, "-m", mode, "-v", "error", *options,
    ]  # fmt: skip


def run(jar: Path, folder: Path, mode: str, *options: str) -> None:
    if shutil.which("java") is None:
        sys.exit("MaltParser needs Java: there is no command java")
    found = subprocess.run(command(jar, mode, *options), cwd=folder, capture_output=True, text=True, check=False)
    if found.returncode:
        sys.exit(f"MaltParser: {(found.stderr or found.stdout).strip()[-500:]}")


def convert(source: Path, target: Path) -> None:
    with source.open(encoding="utf-8") as lines, target.open("w", encoding="utf-8") as file:
        file.writelines(conllx(lines))


def train(source: Path, model: Path, jar: Path) -> None:
    model.mkdir(parents=True, exist_ok=True)
    convert(source, model / "train.conll")
    run(jar, model, "learn", "-i", "train.conll", *OPTIONS)
    (model / "train.conll").unlink()


def parse(model: Path, source: Path, output: Path, jar: Path) -> None:
    convert(source, model / "input.conll")
    run(jar, model, "parse", "-i", "input.conll", "-o", "output.conll")
    with (
        source.open(encoding="utf-8") as lines,
        (model / "output.conll").open(encoding="utf-8") as parsed,
        output.open("w", encoding="utf-8") as file,
    ):
        file.writelines(with_trees(lines, parsed))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("train", "parse"))
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--malt", type=Path, required=True, metavar="JAR")
    options = parser.parse_args()
    expected = 2 if options.action == "train" else 3
    if len(options.paths) != expected:
        parser.error(f"{options.action}: expected {expected} paths, found {len(options.paths)}")
    if options.action == "train":
        source, model = options.paths
        train(source, model, options.malt)
    else:
        model, source, output = options.paths
        parse(model, source, output, options.malt)


if __name__ == "__main__":
    main()
