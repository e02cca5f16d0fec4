"""`panparser parse`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from panparser import _engine
from panparser._threads import cores
from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat
from panparser.cli.corpora import Sharing, check_files, is_many, parse_files
from panparser.cli.progress import PATIENCE, progress
from panparser.corpora.job import Job, Options, Result, joined
from panparser.corpora.sources import InputFormat, InputKind, Last, OutputKind, output_kind
from panparser.errors import ConlluError, ConstraintError, SpecError
from panparser.parsing.constraints.constraints import KEEP as KEEP_TREES
from panparser.parsing.constraints.constraints import keep_names
from panparser.parsing.parser import Parser
from panparser.pipeline.bundled import DEFAULT, find
from panparser.pipeline.pipeline import KEEP
from panparser.storage.places import check_place
from panparser.treebank.conllu import conllu_output
from panparser.treebank.rendering import Rendered

if TYPE_CHECKING:
    from panparser.parsing.tags import UnknownTags


@app.command()
def parse(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[INPUT...]",
            help="Text, CoNLL-U or CoNLL-X; - is standard input; gzip, xz and zstd work. Or files and folders, which "
            "need a folder as --output.  [default: -]",
            show_default=False,
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
            help="What the input is: CoNLL-U, text, a paragraph a line (paragraphs), a sentence a line (lines), the "
            "same with spaces between tokens (tokens), a token a line (vertical). auto: by the name of the file, or "
            "how it begins.",
        ),
    ] = InputKind.auto,
    input_format: Annotated[
        InputFormat | None,
        typer.Option(
            metavar="FORMAT",
            help="In place of --input, a format of UDPipe, read as `panparser serve` reads it: conllu, plaintext, "
            "presegmented, generic_tokenizer, horizontal, vertical.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="OUTPUT",
            help="- is standard output; .gz, .xz and .zst compress. A folder, for several files or those of a folder.",
        ),
    ] = "-",
    output_format: Annotated[
        OutputKind | None,
        typer.Option(
            metavar="FORMAT",
            help="conllu, tree, json, jsonl, svg, html, and as UDPipe writes them horizontal, vertical, plaintext, "
            "matxin.  [default: that of the suffix of OUTPUT, or conllu]",
            show_default=False,
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=1024, help="They change no byte of the output.  [default: all cores]")
    ] = None,
    beam: Annotated[int | None, typer.Option(min=1, help="Hypotheses kept.  [default: the model's]")] = None,
    k_best: Annotated[
        int | None,
        typer.Option(
            "--k-best", min=1, help="Write this many trees for each sentence, best first, by a beam at least as wide."
        ),
    ] = None,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Write to MISC how probable each head, and each label, is right.")
    ] = False,
    least_confidence: Annotated[
        float | None,
        typer.Option(min=0.01, max=0.99, help="Leave words without a head that --confidence says less of."),
    ] = None,
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
    until: Annotated[Last, typer.Option(help="The last thing to predict: tokens, tags (with lemmas), or trees.")] = (
        Last.trees
    ),
    any_tags: Annotated[
        bool,
        typer.Option(
            "--any-tags", help="Parse even if the model knows the tags (UPOS) of less than half of the words."
        ),
    ] = False,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Skip what cannot be read or parsed, say where it is, and go on.")
    ] = False,
    format: Annotated[FileFormat, typer.Option(help="CoNLL-X is recognized where the file leaves no doubt.")] = (
        FileFormat.auto
    ),
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, max=1024, help="Processes that share the work, each with one thread.  [default: one, with --threads]"
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE",
            help="Who shares the work: processes of this machine, local (a cluster of Dask here), or the address of a "
            "scheduler of Dask.  [default: processes, with --jobs]",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Parse files again whose output in the folder is finished.")
    ] = False,
) -> None:
    """Parse text or sentences.

    A pipeline (-m en, or what `train --pipeline` wrote) makes trees from raw text. From CoNLL-U it keeps the tokens and
    predicts tags, lemmas, heads and labels, but for what --keep names. A model that is a parser alone reads the tags of
    the file and writes heads and labels; everything else stays as it is. Where it has learned from other tags than
    most words have, it refuses.

    Input of any size takes the same memory (but for SVG, which is written as a whole). With --k-best each sentence
    comes several times, with the comments `# tree = 1/3` and `# score = ...`. With --confidence MISC has
    `Confidence=0.97` (the head is right) and `LabelConfidence=0.95` (head and label are). With --least-confidence 0.9,
    words with less have no head: partial trees, which another parser can learn from.

    With --keep, annotations of the input stay, and the parser fills the gaps. MISC may hold Constraint=left (or
    right: the side that the head is on), Constraint=3,5 (allowed heads; 0 is Root), Constraint=subtree:2-5 and
    closed:2-5 (on any word); several are joined by semicolons. Where no tree keeps everything, nothing more is
    written and the smallest conflict is named; with --relax-constraints each constraint that is dropped is a line
    on standard error.

    With --lenient, sentences that cannot be read or parsed (malformed lines, too many words, constraints that no tree
    keeps) are left out, each with a message that names its line; bytes of a text that are not UTF-8 are read as U+FFFD.

    Files and folders go to a folder, which gets the same structure: in it are as many files, with the ending of their
    format. Those that are finished (made of the same bytes, by the same model and options) are left alone, so that the
    command, given again, goes on where it was stopped. A file that cannot be parsed is named at the end, with exit code
    2, and the others are parsed.

    With --jobs or --cluster, processes share the files, and the parts of large ones: the output has the same bytes.
    Inputs and outputs may be addresses such as s3://bucket/texts (with the extra `remote`).

    Examples:

      panparser parse --text "They ate the pizza with anchovies." --output-format tree

      panparser parse -m en novel.txt -o novel.conllu

      panparser parse -m en novel.txt -o novel.html

      panparser parse -m en novel.txt -o novel.conllu --until tags

      panparser parse -m en words.txt --input-format horizontal --output-format matxin

      panparser parse -m en.panparser raw.conllu -o parsed.conllu

      zcat raw.conllu.gz | panparser parse -m en.panparser --threads 4 | gzip > parsed.conllu.gz

      panparser parse -m en.panparser raw.conllu --k-best 3

      panparser parse -m en.panparser raw.conllu --confidence

      panparser parse -m en.panparser raw.conllu --confidence --least-confidence 0.9 -o sure.conllu

      panparser parse -m en.panparser corrected.conllu --keep heads,labels -o parsed.conllu

      panparser parse -m en.panparser raw.conllu --keep constraints --relax-constraints -o parsed.conllu

      panparser parse -m en texts/ -o parsed/

      panparser parse -m en texts/ -o parsed/ --jobs 8

      panparser parse -m en large.txt -o large.conllu --cluster tcp://127.0.0.1:8786
    """
    _engine.keep_memory()  # the next block needs what the last one did
    kept = _kept(keep, relax_constraints)
    if least_confidence is not None and not confidence:
        raise SpecError("--least-confidence is about confidence: it needs --confidence")
    given = sources or []
    options = Options(
        model,
        tuple(ensemble or ()),
        beam,
        k_best,
        tuple(sorted(kept)),
        relax_constraints,
        confidence,
        least_confidence,
        until.value,
        lenient,
        any_tags,
        input_kind.value,
        None if input_format is None else input_format.value,
        format.value,
        output_kind(output_format, output).value,
    )
    sharing = Sharing(cluster, jobs, threads, force)
    many = sharing.is_asked or is_many(given, output)
    if many:
        check_files(given, text, output)
    elif force:
        raise SpecError("--force is for folders: expected a folder as --output")
    models = [find(name) for name in (model, *options.ensemble)]
    if output != "-" and not is_many(given, output):
        check_place(output, ConlluError, *given, *models)
    job = Job(options)
    _check_confidence(job, kept)
    _check_until(job, model)
    if many:
        parse_files(job, given, output, sharing)
    else:
        _parse_one(job, given[0] if given else None, text, output, threads or cores())


def _parse_one(job: Job, path: str | None, text: str | None, output: str, threads: int) -> None:
    """Parses a file, or a text, in this process."""
    told = _Told(job.options.model)
    source = job.source(path, told.skip, text=text)
    if source.is_typed and not is_quiet():
        awaited = "text" if job.reads_text else "CoNLL-U"
        end = "Ctrl-Z and Enter end" if sys.platform == "win32" else "Ctrl-D ends"
        print(f"panparser: reading {awaited} from the terminal; {end} it (-h shows other ways)", file=sys.stderr)
    source.check(job.options.model, job.keep, job.options.until)
    with progress(PATIENCE) as report, conllu_output(output) as stream:
        for piece in joined(job.options.shown, told.counted(job.results(source, threads), report)):
            stream.write(piece)
    told.sum_up()


class _Told:
    """Counts what is parsed, and says what is left out."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._start = time.perf_counter()
        self._unknown: UnknownTags | None = None
        self._words = self._dropped = self._skipped = 0

    def skip(self, message: str) -> None:
        self._skipped += 1
        if not is_quiet():
            print(f"panparser: {message}", file=sys.stderr)

    def counted(self, results: Iterable[Result], report: Callable[[str, int, int], None]) -> Iterator[list[Rendered]]:
        for result in results:
            yield result.pieces
            self._words += result.words
            self._dropped += len(result.dropped)
            if result.unknown is not None and self._unknown is not None:
                self._unknown.add(result.unknown)
            else:
                self._unknown = self._unknown or result.unknown
            for constraint in result.dropped:
                print(constraint, file=sys.stderr)
            for message in result.skipped:
                self.skip(message)
            report(f"{self._words / (time.perf_counter() - self._start):,.0f} words/s", self._words, 0)

    def sum_up(self) -> None:
        if self._dropped:
            print(f"{self._dropped} constraint{'s' * (self._dropped > 1)} dropped", file=sys.stderr)
        if self._skipped and not is_quiet():
            problems = f"{self._skipped} problem{'s' * (self._skipped > 1)}"
            print(f"panparser: {problems}; the rest was parsed ({self._words:,} words)", file=sys.stderr)
        if self._unknown is not None and self._unknown.deserves_warning and not is_quiet():
            expected = f"expected tags (UPOS) that {self._model} has learned from"
            print(f"panparser: warning: {expected}, found {self._unknown}", file=sys.stderr)


def _check_until(job: Job, model: str) -> None:
    """Validates --until before reading any input."""
    options = job.options
    if options.until == Last.trees:
        return
    if given := _about_trees(options):
        raise SpecError(f"{given[0]} is about trees, and --until {options.until} makes none")
    if options.until == Last.tags and not job.pipeline.columns:
        raise SpecError(f"--until tags: {model} has no tagger")


def _about_trees(options: Options) -> list[str]:
    """Flags that are about trees."""
    asked = {"--confidence": options.confidence, "--k-best": options.k_best, "--beam": options.beam}
    return [name for name, value in asked.items() if value]


def _kept(keep: str | None, relax: bool) -> frozenset[str]:
    if keep is None and relax:
        raise ConstraintError("--relax-constraints needs --keep, which names what to keep")
    return frozenset() if keep is None else keep_names((name.strip() for name in keep.split(",")), KEEP)


def _check_confidence(job: Job, keep: frozenset[str]) -> None:
    """Validates the options before reading any input."""
    options, parser = job.options, job.pipeline.parser
    if parser is None and (given := _about_trees(options)):
        raise SpecError(f"{given[0]} is about trees, and the model has no parser")
    if options.ensemble and not options.confidence:
        raise SpecError("--ensemble contributes to confidence: it needs --confidence")
    if not options.confidence or parser is None:
        return
    if options.k_best is not None:
        raise SpecError("--confidence is that of the best tree, and --k-best writes several: choose one of them")
    if keep & set(KEEP_TREES):
        raise SpecError("--confidence is calibrated for parsing without --keep: choose one of them")
    if not isinstance(parser, Parser):
        raise SpecError(f"--confidence is for single parsers, and the model is a {parser.kind}")
    parser.calibration_for(options.beam, len(options.ensemble))
