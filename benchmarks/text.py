"""Tokenizer and lemmatizer: accuracy on test sets, CPU time of training and use, size.

    python benchmarks/text.py FOLDER [FOLDER...]    # treebanks: folders with {train,dev,test}.conllu

Each is trained on the train set alone, with the default options. Tokens, sentences, words: F1 of the CoNLL 2018 shared
task, from the raw text of the test set. Lemmas: percent of its words, from gold tokens and gold tags. Characters and
words a second are by CPU time, one thread, the best of three runs over the test set.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from machine import heading, timed, write_result

import panparser as pp

RUNS = 3


def row(folder: Path) -> str:
    train, test = (pp.read_conllu(folder / f"{part}.conllu", lenient=True) for part in ("train", "test"))
    tokenizer, tokenizer_seconds = timed(lambda: pp.train_tokenizer(train))
    text = pp.extract_raw_text(test).text
    found, seconds = timed(lambda: tokenizer.tokenize(text), RUNS)
    scores = pp.evaluate(test, found, bootstrap_samples=0)
    f1 = [scores[name].f1 for name in ("Tokens", "Sentences", "Words")]
    lemmatizer, lemmatizer_seconds = timed(lambda: pp.train_lemmatizer(train))
    accuracy = lemmatizer.accuracy(test)
    _, lemma_seconds = timed(lambda: lemmatizer.predict(test), RUNS)
    figures = "".join(f"{value:11.2f}" for value in (*f1, accuracy))
    speeds = (
        f"{len(text) / seconds / 1e6:11.2f}{test.words / seconds / 1e3:11.0f}{test.words / lemma_seconds / 1e3:11.0f}"
    )
    sizes = sum(array.nbytes for part in (tokenizer, lemmatizer) for array in part.to_arrays().values())
    return f"{folder.name:12}{figures}{speeds}{tokenizer_seconds:9.1f}{lemmatizer_seconds:9.1f}{sizes / 1e6:8.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    folders = parser.parse_args().folders
    titles = "".join(f"{title:>11}" for title in ("tokens", "sentences", "words", "lemmas", "Mchars/s", "kwords/s"))
    lines = [
        f"{heading()}; text: F1, speed of the tokenizer; lemmas: percent, speed of the lemmatizer; CPU s of training",
        "",
        f"{'treebank':12}{titles}{'lemma kw/s':>11}{'tok. s':>9}{'lemma s':>9}{'MB':>8}",
        *map(row, folders),
    ]
    write_result("text", "\n".join(lines))


if __name__ == "__main__":
    main()
