"""`panparser parse`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from panparser import _engine
from panparser.base.threads import cores
from panparser.cli.parse_files import WorkerOptions, check_files, is_many, parse_files
from panparser.cli.terminal import (
    PROGRESS_DELAY_SECONDS,
    BeamOption,
    ParsingModelOption,
    ThreadsOption,
    choose_format,
    is_quiet,
    progress,
)
from panparser.corpora.job import ParseJob, ParseJobOptions, RenderedBatch, joined
from panparser.corpora.sources import OutputKind, StopAfter
from panparser.errors import ConlluError, ConstraintError, SpecError
from panparser.parsing.constraints import KEEP as KEEP_TREES
from panparser.parsing.constraints import keep_names
from panparser.parsing.parser import Parser
from panparser.pipeline.bundled_models import DEFAULT, find
from panparser.pipeline.pipeline import KEEP
from panparser.storage.locations import check_place
from panparser.treebank.conllu import conllu_output
from panparser.treebank.rendering import Rendered

if TYPE_CHECKING:
    from panparser.parsing.known_tags import UnseenTags

TEXT_INPUTS = {
    "text": "text",
    "paragraphs": "paragraphs",
    "lines": "lines",
    "tokens": "tokens",
    "token-lines": "vertical",
}


class ParseInput(StrEnum):
    """Input formats: of treebanks, of texts, and of UDPipe."""

    auto = "auto"
    conllu = "conllu"
    conllx = "conllx"
    text = "text"
    paragraphs = "paragraphs"
    lines = "lines"
    tokens = "tokens"
    token_lines = "token-lines"
    plaintext = "plaintext"
    presegmented = "presegmented"
    generic_tokenizer = "generic_tokenizer"
    horizontal = "horizontal"
    vertical = "vertical"


def parse(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[INPUT...]",
            help="Texts or treebanks, or folders of them; several need a folder as --output.  [default: -]",
            show_default=False,
        ),
    ] = None,
    model: ParsingModelOption = DEFAULT,
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="Parse this text.")] = None,
    input_format: Annotated[
        ParseInput,
        typer.Option(
            metavar="FORMAT",
            help="Input format: auto (by suffix and content), conllu, conllx, text, paragraphs, lines, tokens, "
            "token-lines, or one of UDPipe's: plaintext, presegmented, generic_tokenizer, horizontal, vertical.",
        ),
    ] = ParseInput.auto,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="OUTPUT", help="Output file, or a folder for several inputs."),
    ] = "-",
    output_format: Annotated[
        OutputKind | None,
        typer.Option(
            metavar="FORMAT",
            help="Output format: conllu, tree, json, jsonl, svg, html, or one of UDPipe's: horizontal, vertical, "
            "plaintext, matxin.  [default: by the suffix of OUTPUT, or conllu]",
            show_default=False,
        ),
    ] = None,
    threads: ThreadsOption = None,
    beam: BeamOption = None,
    k_best: Annotated[
        int | None,
        typer.Option("--k-best", min=1, help="Number of trees per sentence, best first; widens the beam if needed."),
    ] = None,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Write the confidence of heads and labels to MISC.")
    ] = False,
    min_confidence: Annotated[
        float | None,
        typer.Option(min=0.01, max=0.99, help="Remove heads below this confidence (with --confidence)."),
    ] = None,
    ensemble: Annotated[
        list[str] | None,
        typer.Option(
            "--ensemble", metavar="MODEL", help="Additional model for --confidence (see `calibrate`); repeatable."
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            help="Annotations of the input to keep, comma-separated: tags, lemmas, heads, labels, constraints.",
        ),
    ] = None,
    relax_constraints: Annotated[
        bool,
        typer.Option("--relax-constraints", help="Drop constraints that fit no tree, and report them (with --keep)."),
    ] = False,
    stop_after: Annotated[
        StopAfter, typer.Option(help="Last step: tokens, tags (with lemmas), or trees.")
    ] = StopAfter.trees,
    allow_unseen_tags: Annotated[
        bool,
        typer.Option("--allow-unseen-tags", help="Parse even if most words have UPOS tags unseen in training."),
    ] = False,
    skip_errors: Annotated[
        bool, typer.Option("--skip-errors", help="Skip sentences that cannot be read or parsed, and report them.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, max=1024, help="Number of processes, each with one thread.  [default: 1]"),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="processes|local|ADDRESS",
            help="Run on local processes, a local Dask cluster, or a Dask scheduler.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Parse files again that are finished in the output folder.")
    ] = False,
) -> None:
    """Parse text or treebanks.

    A pipeline (the default model en, or one trained with `train --pipeline`) parses raw text. In CoNLL-U it keeps the
    tokens and replaces tags, lemmas, heads and labels, except for the annotations in --keep. A single parser reads the
    tags of the file and writes only heads and labels; it refuses files in which most words have tags that it was not
    trained on.

    Input formats: text is divided into sentences and tokens; paragraphs and lines have a paragraph or a sentence per
    line; tokens has a sentence per line with spaces between tokens; token-lines has a token per line and a blank line
    after each sentence. In UDPipe's horizontal and vertical, words are never split.

    Memory does not grow with the input, except for SVG. --k-best writes several trees per sentence, with the comments
    `# tree = 1/3` and `# score = ...`. --confidence writes `Confidence=0.97` (the head is correct) and
    `LabelConfidence=0.95` (head and label are correct) to MISC; with --min-confidence 0.9, less certain words have no
    head: a parser can be trained on such partial trees.

    With --keep, the parser only fills the gaps. MISC may contain Constraint=left or right (the side of the head),
    Constraint=3,5 (allowed heads; 0 is the root), Constraint=subtree:2-5 and closed:2-5 (on any word), separated by
    semicolons. If no tree satisfies all constraints, parsing stops and names the smallest conflict, unless
    --relax-constraints is set.

    With --skip-errors, malformed, too long and contradictory sentences are left out, each with a message that names its
    line; invalid UTF-8 in texts is read as U+FFFD.

    Input folders are mirrored in the output folder. Files that are finished (same input, model and options) are
    skipped, so the same command resumes after an interruption. Files that cannot be parsed are listed at the end (exit
    code 2). --jobs and --cluster do not change the output. Inputs and outputs may be URLs such as s3://bucket/texts
    (with the extra `remote`).
    """
    _engine.keep_memory()  # the next block needs what the last one did
    kept = _kept(keep, relax_constraints)
    if min_confidence is not None and not confidence:
        raise SpecError("--min-confidence requires --confidence")
    inputs = sources or []
    sharing = WorkerOptions(cluster, jobs, threads, force)
    has_folder = is_many(inputs, output)
    models = [find(name) for name in (model, *(ensemble or ()))]
    if output != "-" and not has_folder:
        check_place(output, ConlluError, *inputs, *models)
    chosen_format = choose_format(
        None if output_format is None else output_format.value, "-" if has_folder else output, default="conllu"
    )
    kind, udpipe_format, treebank_format = _input_options(input_format)
    options = ParseJobOptions(
        model,
        tuple(ensemble or ()),
        beam,
        k_best,
        tuple(sorted(kept)),
        relax_constraints,
        confidence,
        min_confidence,
        stop_after.value,
        skip_errors,
        allow_unseen_tags,
        kind,
        udpipe_format,
        treebank_format,
        chosen_format,
    )
    many = sharing.is_requested or has_folder
    if many:
        check_files(inputs, text, output)
    elif force:
        raise SpecError("--force requires a folder as --output")
    job = ParseJob(options)
    _check_confidence(job, kept)
    _check_stop_after(job, model)
    if many:
        parse_files(job, inputs, output, sharing)
    else:
        _parse_one(job, inputs[0] if inputs else None, text, output, threads or cores())


def _input_options(input_format: ParseInput) -> tuple[str, str | None, str]:
    """Return the kind of input, its format if it is one of UDPipe's, and the format of a treebank."""
    name = input_format.value
    if name in TEXT_INPUTS:
        return TEXT_INPUTS[name], None, "auto"
    if input_format in (ParseInput.conllu, ParseInput.conllx):
        return "conllu", None, name
    return ("auto", None, "auto") if input_format == ParseInput.auto else ("auto", name, "auto")


def _parse_one(job: ParseJob, path: str | None, text: str | None, output: str, threads: int) -> None:
    """Parses a file, or a text, in this process."""
    summary = ParseReport(job.options.model)
    source = job.source(path, summary.skip, text=text)
    if source.is_typed and not is_quiet():
        awaited = "text" if job.reads_text else "CoNLL-U"
        end = "Ctrl-Z and Enter end" if sys.platform == "win32" else "Ctrl-D ends"
        print(f"panparser: reading {awaited} from the terminal; {end} it (-h shows other ways)", file=sys.stderr)
    source.check(job.options.model, job.keep, job.options.stop_after)
    with progress(PROGRESS_DELAY_SECONDS) as report, conllu_output(output) as stream:
        for piece in joined(job.options.output_format, summary.count(job.results(source, threads), report)):
            stream.write(piece)
    summary.print_summary()


class ParseReport:
    """Counts of parsed words and of problems, printed at the end."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._start = time.perf_counter()
        self._unknown: UnseenTags | None = None
        self._words = self._dropped = self._skipped = 0

    def skip(self, message: str) -> None:
        self._skipped += 1
        if not is_quiet():
            print(f"panparser: {message}", file=sys.stderr)

    def count(
        self, results: Iterable[RenderedBatch], progress: Callable[[str, int, int], None]
    ) -> Iterator[list[Rendered]]:
        for result in results:
            yield result.pieces
            self._words += result.words
            self._dropped += len(result.dropped)
            if result.unseen_tags is not None and self._unknown is not None:
                self._unknown.add(result.unseen_tags)
            else:
                self._unknown = self._unknown or result.unseen_tags
            for constraint in result.dropped:
                print(constraint, file=sys.stderr)
            for message in result.skipped:
                self.skip(message)
            progress(f"{self._words / (time.perf_counter() - self._start):,.0f} words/s", self._words, 0)

    def print_summary(self) -> None:
        if self._dropped:
            print(f"{self._dropped} constraint{'s' * (self._dropped > 1)} dropped", file=sys.stderr)
        if self._skipped and not is_quiet():
            problems = f"{self._skipped} problem{'s' * (self._skipped > 1)}"
            print(f"panparser: {problems}; the rest was parsed ({self._words:,} words)", file=sys.stderr)
        if self._unknown is not None and self._unknown.should_warn and not is_quiet():
            expected = f"expected UPOS tags that {self._model} was trained on"
            print(f"panparser: warning: {expected}; got {self._unknown}", file=sys.stderr)


def _check_stop_after(job: ParseJob, model: str) -> None:
    """Check --stop-after before reading any input."""
    options = job.options
    if options.stop_after == StopAfter.trees:
        return
    if given := _about_trees(options):
        raise SpecError(f"{given[0]} cannot be used with --stop-after {options.stop_after}")
    if options.stop_after == StopAfter.tags and not job.pipeline.columns:
        raise SpecError(f"--stop-after tags: {model} has no tagger")


def _about_trees(options: ParseJobOptions) -> list[str]:
    """Flags that are about trees."""
    asked = {"--confidence": options.confidence, "--k-best": options.k_best, "--beam": options.beam}
    return [name for name, value in asked.items() if value]


def _kept(keep: str | None, relax: bool) -> frozenset[str]:
    if keep is None and relax:
        raise ConstraintError("--relax-constraints requires --keep")
    return frozenset() if keep is None else keep_names((name.strip() for name in keep.split(",")), KEEP)


def _check_confidence(job: ParseJob, keep: frozenset[str]) -> None:
    """Validates the options before reading any input."""
    options, parser = job.options, job.pipeline.parser
    if parser is None and (given := _about_trees(options)):
        raise SpecError(f"{given[0]}: the model has no parser")
    if options.ensemble and not options.confidence:
        raise SpecError("--ensemble requires --confidence")
    if not options.confidence or parser is None:
        return
    if options.k_best is not None:
        raise SpecError("--confidence cannot be used with --k-best")
    if keep & set(KEEP_TREES):
        raise SpecError(
            "--confidence cannot be used with --keep heads, labels or constraints: it is calibrated without them"
        )
    if not isinstance(parser, Parser):
        raise SpecError(f"--confidence is not supported for a {parser.kind}")
    parser.calibration_for(options.beam, len(options.ensemble))
