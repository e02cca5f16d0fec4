"""`panparser parse`."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from panparser import _engine
from panparser._threads import cores
from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat
from panparser.cli.progress import progress
from panparser.cli.sources import InputKind, OutputKind, Source, output_kind
from panparser.errors import ConlluError, ConstraintError, SpecError, TreebankError
from panparser.parsing.confidence import fitting_calibration, forget
from panparser.parsing.constraints.constraints import KEEP as KEEP_TREES
from panparser.parsing.constraints.constraints import Constraints, Dropped, keep_names
from panparser.parsing.parser import Parser, ScoredTree
from panparser.pipeline.bundled import DEFAULT, find
from panparser.pipeline.loading import load, load_parser
from panparser.pipeline.pipeline import KEEP, Pipeline, kept_constraints
from panparser.storage.files import check_writable
from panparser.treebank.conllu import conllu_output
from panparser.treebank.rendering import Rendered, join, render
from panparser.treebank.treebank import Treebank

if TYPE_CHECKING:
    from panparser.ensembles.cascade import Cascade

_PATIENCE = 0.5  # seconds before a progress bar appears
_BLOCK = 1 << 18  # bytes that a thread reads, parses and writes at a time


@app.command()
def parse(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[INPUT]",
            help="Text, CoNLL-U or CoNLL-X; - is standard input; gzip, xz and zstd work.  [default: -]",
        ),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="What `panparser train` wrote; en is the bundled English model (a file of that name is ./en).",
        ),
    ] = DEFAULT,
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="Parse this text.")] = None,
    input_kind: Annotated[
        InputKind,
        typer.Option(
            "--input",
            help="What the input is: CoNLL-U, text, text with a sentence a line (lines), the same with spaces between "
            "tokens (tokens), a token a line (vertical). auto: by the name of the file, or how it begins.",
        ),
    ] = InputKind.auto,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUTPUT", help="- is standard output; .gz, .xz and .zst compress.")
    ] = "-",
    output_format: Annotated[
        OutputKind | None,
        typer.Option(
            help="Format of the output.  [default: that of the suffix of OUTPUT, or conllu]", show_default=False
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=1024, help="They change no byte of the output.  [default: all cores]")
    ] = None,
    beam: Annotated[int | None, typer.Option(min=1, help="Hypotheses kept.  [default: the model's]")] = None,
    k_best: Annotated[
        int | None, typer.Option("--k-best", min=1, help="Write this many trees for each sentence, best first.")
    ] = None,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Write to MISC how probable each head, and each label, is right.")
    ] = False,
    ensemble: Annotated[
        list[str] | None,
        typer.Option(
            "--ensemble", metavar="MODEL", help="Other models whose agreement is taken into account; see `calibrate`."
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            help="Annotations of the input that are kept, joined by commas: tags, lemmas, heads (all that HEAD has), "
            "labels (DEPREL), constraints (Constraint= in MISC); tokens always are.",
        ),
    ] = None,
    relax_constraints: Annotated[
        bool,
        typer.Option("--relax-constraints", help="Keep as much as one tree can, and report what was dropped."),
    ] = False,
    format: Annotated[FileFormat, typer.Option(help="CoNLL-X is recognized where the file leaves no doubt.")] = (
        FileFormat.auto
    ),
) -> None:
    """Parse text or sentences.

    A pipeline (-m en, or what `train --pipeline` wrote) makes trees from raw text. From CoNLL-U it keeps the tokens and
    predicts tags, lemmas, heads and labels, but for what --keep names. A model that is a parser alone reads the tags of
    the file and writes heads and labels; everything else stays as it is.

    Input of any size takes the same memory (but for SVG, which is written as a whole). With --k-best each sentence
    comes several times, with the comments `# tree = 1/3` and `# score = ...`. With --confidence MISC has
    `Confidence=0.97` (the head is right) and `LabelConfidence=0.95` (head and label are).

    With --keep, annotations of the input stay, and the parser fills the gaps. MISC may hold Constraint=left (or
    right: the side that the head is on), Constraint=3,5 (allowed heads; 0 is Root), Constraint=subtree:2-5 and
    closed:2-5 (on any word); several are joined by semicolons. Where no tree keeps everything, nothing more is
    written and the smallest conflict is named; with --relax-constraints each constraint that is dropped is a line
    on standard error.

    Examples:

      panparser parse --text "They ate the pizza with anchovies." --output-format tree

      panparser parse -m en novel.txt -o novel.conllu

      panparser parse -m en novel.txt -o novel.html

      panparser parse -m en.panparser raw.conllu -o parsed.conllu

      zcat raw.conllu.gz | panparser parse -m en.panparser --threads 4 | gzip > parsed.conllu.gz

      panparser parse -m en.panparser raw.conllu --k-best 3

      panparser parse -m en.panparser raw.conllu --confidence

      panparser parse -m en.panparser corrected.conllu --keep heads,labels -o parsed.conllu

      panparser parse -m en.panparser raw.conllu --keep constraints --relax-constraints -o parsed.conllu
    """
    _engine.keep_memory()  # the next block needs what the last one did
    kept = _kept(keep, relax_constraints)
    shown = output_kind(output_format, output)
    if output != "-":
        check_writable(Path(output), ConlluError, source, find(model), *(find(other) for other in ensemble or ()))
    found = load(model)
    pipeline = Pipeline.of(found)
    words = None if pipeline.parser is found else pipeline  # a parser alone reads no text
    others = [load_parser(other) for other in ensemble or ()]
    _check_confidence(pipeline.parser, confidence, beam, others, k_best, kept)
    job = _Job(pipeline, beam, k_best, kept, relax_constraints, confidence, others)
    given = Source(source, text, input_kind, format.value, _BLOCK)
    if given.is_typed and not is_quiet():
        awaited = "text" if words is not None else "CoNLL-U"
        end = "Ctrl-Z and Enter end" if sys.platform == "win32" else "Ctrl-D ends"
        print(f"panparser: reading {awaited} from the terminal; {end} it (-h shows other ways)", file=sys.stderr)
    given.check(words, model, kept)
    start, done, dropped = time.perf_counter(), 0, 0

    def counted(results: Iterable[_Result]) -> Iterator[list[Rendered]]:
        nonlocal done, dropped
        for pieces, count, lost in results:
            yield pieces
            done += count
            dropped += len(lost)
            for constraint in lost:
                print(constraint, file=sys.stderr)
            report(f"{done / (time.perf_counter() - start):,.0f} words/s", done, 0)

    with progress(_PATIENCE) as report, conllu_output(output) as stream:
        results = _parsed(job, given.treebanks(words), threads or cores(), shown.value)
        for piece in join(shown.value, counted(results)):
            stream.write(piece)

    if dropped:
        print(f"{dropped} constraint{'s' * (dropped > 1)} dropped", file=sys.stderr)


def _kept(keep: str | None, relax: bool) -> frozenset[str]:
    if keep is None and relax:
        raise ConstraintError("--relax-constraints needs --keep, which names what to keep")
    return frozenset() if keep is None else keep_names((name.strip() for name in keep.split(",")), KEEP)


def _check_confidence(
    parser: Parser | Cascade | None,
    confidence: bool,
    beam: int | None,
    ensemble: list[Parser],
    k_best: int | None,
    keep: frozenset[str],
) -> None:
    """Validate the options before reading any input."""
    asked = {"--confidence": confidence, "--k-best": k_best, "--beam": beam}
    if parser is None and (given := [name for name, value in asked.items() if value]):
        raise SpecError(f"{given[0]} is about trees, and the model has no parser")
    if ensemble and not confidence:
        raise SpecError("--ensemble contributes to confidence: it needs --confidence")
    if not confidence:
        return
    if k_best is not None:
        raise SpecError("--confidence is that of the best tree, and --k-best writes several: choose one of them")
    if keep & set(KEEP_TREES):
        raise SpecError("--confidence is calibrated for parsing without --keep: choose one of them")
    if not isinstance(parser, Parser):
        raise SpecError("--confidence is for parsers, and the model is a cascade")
    fitting_calibration(parser, beam, len(ensemble))


_Result = tuple[list[Rendered], int, list[Dropped]]  # sentences as they are written, words, what was dropped


@dataclass
class _Job:
    """What is done with the sentences of a treebank."""

    pipeline: Pipeline
    beam: int | None
    k_best: int | None
    keep: frozenset[str]
    relax: bool
    confidence: bool
    ensemble: list[Parser]

    def run(self, treebank: Treebank) -> tuple[Treebank, list[Dropped]]:
        """The treebank to be written, and the constraints that were dropped."""
        if self.k_best is not None and self.pipeline.parser is not None:
            self.pipeline.annotate_words(treebank, keep=self.keep)
            constraints = kept_constraints(treebank, self.keep)
            return _best(self.pipeline.parser, treebank, self.k_best, self.beam, constraints, self.relax)
        return treebank, self.pipeline.annotate(
            treebank,
            keep=self.keep,
            beam=self.beam,
            relax=self.relax,
            confidence=self.confidence,
            ensemble=self.ensemble,
        )


def _parsed(job: _Job, treebanks: Iterable[Callable[[], Treebank]], threads: int, shown: Any) -> Iterator[_Result]:
    """What is to be written of each treebank. They come in order, and few are in memory at a time."""

    def work(read: Callable[[], Treebank]) -> _Result:
        treebank = read()
        found, dropped = job.run(treebank)
        return render(found, shown), treebank.words, dropped

    pending: deque[Future[_Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for read in treebanks:
                pending.append(pool.submit(work, read))
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
    forget(treebank)
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
