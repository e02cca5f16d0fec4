"""How well confidence is calibrated, which errors it finds, what each source of evidence brings, and what it costs.

    python benchmarks/confidence.py FOLDER... [--ensemble NAME,...] [--models FOLDER]

Each FOLDER has train.conllu, dev.conllu and test.conllu. The default parser is trained (seed 1), calibrated on dev with
each set of sources, and measured on test: area under the ROC curve (how well right and wrong are told apart), the share
of all errors among the 10 and 20 % of the words with the least confidence, and the expected calibration error over 15
bins of equal width and of equal mass. `--ensemble`: for these treebanks, three more seeds are evidence too. Models are
kept where `--models` says, and not trained again. Results go to benchmarks/results/confidence.txt.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from machine import heading, timed

import panparser as pp
from panparser.lab.analysis.reliability import binned, calibration_error
from panparser.parsing.calibrating import calibration_from_evidence, gold_labels
from panparser.parsing.confidence import BEAM, DERIVATION, ENSEMBLE, SOURCES, ConfidenceSignals, fit

RESULTS = Path(__file__).parent / "results" / "confidence.txt"
SETS = {
    "trees at the end": ("tree",),
    "beams": BEAM,
    "derivation": DERIVATION,
    "beams, derivation": (*BEAM, *DERIVATION),
    "the default: and facts": SOURCES,
    "ensemble": ENSEMBLE,
    "ensemble and default": (*SOURCES, *ENSEMBLE),
}
SEEDS = (2, 3, 4)  # of an ensemble
RUNS = 7
FOLDS = 5
Right = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


def roc_area(confidence: Floats, right: Right) -> float:
    """How often a right word has more confidence than a wrong one; ties count half."""
    values, place = np.unique(confidence, return_inverse=True)
    good, bad = (np.bincount(place[chosen], minlength=len(values)) for chosen in (right, ~right))
    below = np.cumsum(bad) - bad
    return float((good * (below + bad / 2)).sum() / max(1, good.sum() * bad.sum()))


def found_errors(confidence: Floats, right: Right, share: float) -> float:
    """The share of all errors that are among the words with the least confidence."""
    lowest = np.argsort(confidence, kind="stable")[: int(share * len(right))]
    return float((~right[lowest]).sum() / max(1, (~right).sum()))


def figures(confidence: Floats, right: Right) -> str:
    errors = [calibration_error(binned(confidence, right, binning=equal)) for equal in ("width", "mass")]
    shares = [found_errors(confidence, right, share) for share in (0.1, 0.2)]
    return (
        f"{roc_area(confidence, right):8.3f}"
        + "".join(f"{100 * share:7.1f}" for share in shares)
        + "".join(f"{error:8.4f}" for error in errors)
    )


def trained(folder: Path, seed: int, models: Path) -> pp.Parser:
    path = models / f"{folder.name}-{seed}.panparser"
    if not path.exists():
        train, dev = (pp.read_conllu(folder / f"{part}.conllu") for part in ("train", "dev"))
        pp.train(pp.ParserSpec(), train, dev=dev, seed=seed).save(path)
    return pp.Parser.load(path)


def outcomes(parser: pp.Parser, evidence: ConfidenceSignals, gold: pp.Treebank) -> tuple[Right, Right]:
    """Which heads are right, and which heads with labels."""
    heads = evidence.heads == gold.heads
    return heads, heads & (evidence.labels == gold_labels(parser, gold))


def report(folder: Path, models: Path, with_others: bool) -> Iterator[str]:
    parser = trained(folder, 1, models)
    others = [trained(folder, seed, models) for seed in SEEDS] if with_others else []
    dev, test = (pp.read_conllu(folder / f"{part}.conllu") for part in ("dev", "test"))
    known, unknown = (parser.gather_evidence(treebank, ensemble=others) for treebank in (dev, test))
    heads, labels = outcomes(parser, unknown, test)
    scores = f"UAS {100 * heads.mean():.2f}, LAS {100 * labels.mean():.2f}"
    yield f"{folder.name}: dev {dev.words} words, test {test.words}; {scores}"
    yield ""
    yield f"{'':24}{'heads':^38}  {'heads and labels':^38}"
    yield f"{'evidence':24}" + "  ".join([f"{'AUC':>8}{'10 %':>7}{'20 %':>7}{'ECE':>8}{'mass':>8}"] * 2)
    for name, sources in SETS.items():
        if set(sources) & set(ENSEMBLE) and not others:
            continue
        calibration = calibration_from_evidence(parser, known, dev, None, len(others), sources)
        assert calibration is not None
        assert calibration.labels is not None
        columns = calibration.columns(unknown)
        of_heads = calibration.heads(columns)
        yield f"{name:24}{figures(of_heads, heads)}  {figures(of_heads * calibration.labels(columns), labels)}"
        if sources == SOURCES:
            columns_of_dev, mean = calibration.columns(known), of_heads.mean()
            in_sample = calibration.heads(columns_of_dev)
    yield ""
    right = outcomes(parser, known, dev)[0]
    fold = dev.sentence_of_word() % FOLDS
    crossed = np.empty(dev.words)
    for number in range(FOLDS):
        out = fold == number
        crossed[out] = fit(columns_of_dev[~out], right[~out])(columns_of_dev[out])
    error, crossed_error = (calibration_error(binned(values, right)) for values in (in_sample, crossed))
    yield f"mean confidence on test {100 * mean:.2f}; ECE on dev {error:.4f}, cross-validated {crossed_error:.4f}"
    _, calibrating = timed(lambda: pp.calibrate(parser, dev), RUNS)
    _, plain = timed(lambda: parser.predict(test), RUNS)
    _, confident = timed(lambda: parser.confidence(test), RUNS)
    yield (
        f"words a CPU second: {test.words / plain:,.0f} parsed, {test.words / confident:,.0f} with confidence "
        f"({100 * (confident / plain - 1):.0f} % more time); "
        f"calibrating {calibrating:.2f} s"
    )
    yield ""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--ensemble", default="", help="names of folders, with commas between them")
    parser.add_argument("--models", type=Path, default=Path("build/benchmarks/confidence"))
    options = parser.parse_args(arguments)
    options.models.mkdir(parents=True, exist_ok=True)
    lines = [heading(), ""]
    for folder in options.folders:
        for line in report(folder, options.models, folder.name in options.ensemble.split(",")):
            print(line, flush=True)
            lines.append(line)
    RESULTS.write_text("\n".join(lines).rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
