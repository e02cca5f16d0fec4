"""`panparser parse` and `panparser info`."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import typer

from panparser.cascades import Cascade
from panparser.classifiers import StoredClassifier
from panparser.cli.app import app, is_quiet, print_table, progress
from panparser.cli.stages import show_cascade
from panparser.cli.taggers import show_tagger
from panparser.cli.treebanks import FileFormat
from panparser.confidence import fitting_calibration
from panparser.conllu import Block, conllu_output, iter_blocks, refusal
from panparser.constraints import Constraints, Dropped, keep_names
from panparser.errors import ConstraintError, ModelError, SpecError, TreebankError
from panparser.parser import Parser, ScoredTree, load
from panparser.tagging import Tagger
from panparser.treebank import Treebank

_BLOCK = 1 << 18  # bytes that a thread reads, parses and writes at a time

_Model = Annotated[str, typer.Option("--model", "-m", metavar="MODEL", help="What `panparser train` wrote.")]


@app.command()
def parse(
    model: _Model,
    source: Annotated[
        str, typer.Argument(metavar="[INPUT]", help="CoNLL-U or CoNLL-X; - is standard input; gzip, xz and zstd work.")
    ] = "-",
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUTPUT", help="- is standard output; .gz, .xz and .zst compress.")
    ] = "-",
    threads: Annotated[
        int | None, typer.Option(min=1, max=1024, help="They change no byte of the output.  [default: all cores]")
    ] = None,
    beam: Annotated[int | None, typer.Option(min=1, help="Hypotheses kept.  [default: the model's]")] = None,
    k_best: Annotated[
        int | None, typer.Option("--k-best", min=1, help="Write so many trees for each sentence, best first.")
    ] = None,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Write to MISC how probable each head, and each label, is right.")
    ] = False,
    ensemble: Annotated[
        list[str] | None,
        typer.Option("--ensemble", metavar="MODEL", help="Other models whose agreement tells; see `calibrate`."),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            help="Annotations of the input that all trees keep, joined by commas: heads (all that HEAD has), labels "
            "(DEPREL), constraints (Constraint= in MISC).",
        ),
    ] = None,
    relax_constraints: Annotated[
        bool,
        typer.Option("--relax-constraints", help="Keep as much as one tree can, and tell what was dropped."),
    ] = False,
    format: Annotated[FileFormat, typer.Option(help="CoNLL-X is recognized where the file leaves no doubt.")] = (
        FileFormat.auto
    ),
) -> None:
    """Parse sentences: heads and labels are written, everything else stays as it is.

    Input of any size takes the same memory. With --k-best each sentence comes several times, with the comments
    `# tree = 1/3` and `# score = ...`. With --confidence MISC tells `Confidence=0.97` (the head is right) and
    `LabelConfidence=0.95` (head and label are).

    With --keep, what the input says stays, and the parser fills the gaps. MISC may hold Constraint=left (or right: the
    side that the head is on), Constraint=3,5 (allowed heads; 0 is Root), Constraint=subtree:2-5 and closed:2-5 (on any
    word); several are joined by semicolons. Where no tree keeps everything, nothing more is written and the smallest
    conflict is named; with --relax-constraints each constraint that is dropped is a line on standard error.

    Examples:

      panparser parse -m en.panparser raw.conllu -o parsed.conllu

      zcat raw.conllu.gz | panparser parse -m en.panparser --threads 4 | gzip > parsed.conllu.gz

      panparser parse -m en.panparser raw.conllu --k-best 3

      panparser parse -m en.panparser raw.conllu --confidence

      panparser parse -m en.panparser corrected.conllu --keep heads,labels -o parsed.conllu

      panparser parse -m en.panparser raw.conllu --keep constraints --relax-constraints -o parsed.conllu
    """
    kept = _kept(keep, relax_constraints)
    parser = load(model)
    if isinstance(parser, Tagger):
        raise ModelError(f"{model}: expected a parser, found a tagger of {'+'.join(parser.spec.columns)}")
    others = [Parser.load(other) for other in ensemble or ()]
    _check_confidence(parser, confidence, beam, others, k_best, keep)
    blocks = iter_blocks(source, format=format.value, block=_BLOCK)
    start, done, dropped = time.perf_counter(), 0, 0
    with progress() as report, conllu_output(output) as stream:
        sure = {"confidence": True, "ensemble": others} if confidence else {}
        results = _parsed(parser, blocks, threads or _cores(), beam, k_best, kept, relax_constraints, sure)
        for text, words, lost in results:
            stream.write(text)
            done += words
            dropped += len(lost)
            for constraint in lost:
                print(constraint, file=sys.stderr)
            report(f"{done / (time.perf_counter() - start):,.0f} words/s", done, 0)

    if dropped:
        print(f"{dropped} constraint{'s' * (dropped > 1)} dropped", file=sys.stderr)


def _kept(keep: str | None, relax: bool) -> frozenset[str] | None:
    if keep is None and relax:
        raise ConstraintError("--relax-constraints goes with --keep, which says what to keep")
    return None if keep is None else keep_names(name.strip() for name in keep.split(","))


def _check_confidence(
    parser: Parser | Cascade,
    confidence: bool,
    beam: int | None,
    ensemble: list[Parser],
    k_best: int | None,
    keep: str | None,
) -> None:
    """Refuses what cannot be, before anything is read."""
    if ensemble and not confidence:
        raise SpecError("--ensemble tells how sure a parser is: it needs --confidence")
    if not confidence:
        return
    if k_best is not None:
        raise SpecError("--confidence tells of the best tree, and --k-best writes several: choose one of them")
    if keep is not None:
        raise SpecError("--confidence is calibrated for parsing without --keep: choose one of them")
    if isinstance(parser, Cascade):
        raise SpecError("--confidence is for parsers, and the model is a cascade")
    fitting_calibration(parser, beam, len(ensemble))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _parsed(
    parser: Parser | Cascade,
    blocks: Iterator[Block],
    threads: int,
    beam: int | None,
    k_best: int | None,
    keep: frozenset[str] | None,
    relax: bool,
    sure: dict[str, Any],
) -> Iterator[tuple[bytes, int, list[Dropped]]]:
    """Blocks as they are to be written, their numbers of words, and the constraints that were dropped.

    They come in order, and few are in memory at a time.
    """

    def work(block: Block) -> tuple[bytes, int, list[Dropped]]:
        treebank = block.read()
        if fatal := [problem for problem in treebank.problems if problem.fatal]:
            raise refusal(fatal)
        constraints = None if keep is None else Constraints.of(treebank, keep=keep)
        if k_best is not None:
            found, dropped = _best(parser, treebank, k_best, beam, constraints, relax)
            return found.to_bytes(), treebank.words, dropped
        parser.annotate(treebank, beam=beam, constraints=constraints, relax=relax, **sure)
        return treebank.to_bytes(), treebank.words, constraints.dropped if constraints else []

    pending: deque[Future[tuple[bytes, int, list[Dropped]]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for block in blocks:
                pending.append(pool.submit(work, block))
                if len(pending) >= 2 * threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _best(
    parser: Parser | Cascade,
    treebank: Treebank,
    count: int,
    beam: int | None,
    constraints: Constraints | None,
    relax: bool,
) -> tuple[Treebank, list[Dropped]]:
    """A treebank with each sentence as often as it has trees, and the constraints that were dropped."""
    if treebank.format == "conllx":
        raise TreebankError(f"{treebank.path}: several trees need comments to tell them apart; CoNLL-X has none")
    trees: list[list[ScoredTree]] = []
    dropped: list[Dropped] = []
    for sentence in treebank:
        trees.append(parser.best(sentence, count, beam=beam, constraints=constraints, relax=relax))
        dropped += constraints.dropped if constraints else []
    repeated = treebank[[number for number, found in enumerate(trees) for _ in found]]
    position = 0
    for found in trees:
        for rank, tree in enumerate(found, start=1):
            sentence = repeated[position]
            sentence.heads = tree.heads
            if parser.spec.labeled:
                sentence.labels = list(tree.labels)
            kept = [line for line in sentence.comments if rank == 1 or not line.startswith(("# newdoc", "# newpar"))]
            sentence.comments = [*kept, f"# tree = {rank}/{len(found)}", f"# score = {tree.score:.4f}"]
            position += 1
    return repeated, dropped


@app.command()
def info(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="What `panparser train` wrote.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what a model is made of, and how it was trained.

    Examples:

      panparser info en.panparser

      panparser info en.panparser --json
    """
    parser = load(model, StoredClassifier)
    manifest = parser.manifest()
    size, weights = Path(model).stat().st_size, parser.size
    if as_json:
        print(json.dumps(manifest | {"file_size": size, "weights_size": weights}, indent=2, ensure_ascii=False))
        return
    if is_quiet():
        return
    if not isinstance(parser, Parser):
        file = f"{model}, format {manifest['format']}, {size:,} bytes ({weights:,} of weights)"
        rows = [("file", file), *_training_rows(parser.training)]
        if isinstance(parser, Cascade):
            show_cascade(parser, rows)
        else:
            show_tagger(parser, rows)
        return
    spec, training = parser.spec, parser.training
    single = "one child of Root" if spec.system.single_root else "any number of roots"
    rows = [
        ("file", f"{model}, format {manifest['format']}, {size:,} bytes ({weights:,} of weights)"),
        ("system", f"{spec.system.name}, Root {spec.system.root}, {single}"),
        *([("classifier", parser.classifier.name)] if parser.classifier else []),
        ("beam", f"{spec.beam}, margin {parser.margin:,}" if parser.margin is not None else str(spec.beam)),
        ("confidence", f"calibrated on {parser.calibration.words:,} words" if parser.calibration else "not calibrated"),
        ("templates", str(len(spec.used_templates))),
        ("labels", " ".join(parser.plain_labels) if spec.labeled else "none: unlabeled"),
        ("crossing arcs", spec.crossing),
        *_voter_rows(parser),
        *_training_rows(training),
    ]
    print_table((), rows, "ll")
    if history := training.get("history"):
        print()
        _print_history(history, training.get("best_epoch"))


def _voter_rows(parser: Parser) -> list[tuple[str, str]]:
    """Of each parser that votes: its weight, what it sees, what it was trained on."""
    rows = []
    for number, voter in enumerate(parser.voters, start=1):
        known = {"seed": voter.training.get("seed"), "words": voter.training.get("words")}
        trained = "".join(f", {name} {value:,}" for name, value in known.items() if isinstance(value, int))
        seen = f"{len(voter.templates)} templates, {len(voter.labels)} labels"
        rows.append((f"voter {number}", f"weight {voter.weight:g}, {seen}{trained}"))
    return rows + ([("weights", str(parser.training.get("weights")))] if rows else [])


def _training_rows(training: dict[str, Any]) -> list[tuple[str, str]]:
    shown: dict[str, Callable[[Any], str | None]] = {
        "strategy": lambda value: value if isinstance(value, str) else " ".join(f"{k}={v}" for k, v in value.items()),
        "seed": str,
        "prune": lambda value: f"weights below {value:g} updates" if value else None,
        "max_size": lambda value: f"{value:,} bytes" if value else None,
        "subsample": lambda value: " ".join(f"{k}={v}" for k, v in value.items()) if value else None,
        "init": lambda value: "went on from another model" if value else None,
        "interrupted": lambda value: "yes" if value else None,
        "sentences": "{:,}".format,
        "words": "{:,}".format,
    }
    rows = [(name.replace("_", " "), show(training[name])) for name, show in shown.items() if name in training]
    rows += [(f"{name} SHA-256", digest) for name, digest in training.get("data", {}).items()]
    return [(name, text) for name, text in rows if text]


def _print_history(history: list[dict[str, Any]], best: int | None) -> None:
    rows = [
        (
            f"{report['epoch']}{'*' if report['epoch'] == best else ''}",
            f"{report['updates']:,}",
            *("" if report[name] is None else f"{report[name]:.2f}" for name in ("uas", "las")),
        )
        for report in history
    ]
    print_table(("epoch", "updates", "UAS", "LAS"), rows, "lrrr")
