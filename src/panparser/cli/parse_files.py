"""`panparser parse` for many files, and for those that processes share."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import typer

from panparser.base.threads import cores
from panparser.cli.terminal import PROGRESS_DELAY_SECONDS, is_quiet, progress
from panparser.corpora.file_pairs import Pair, pairs, single
from panparser.corpora.job import ParseJob
from panparser.errors import SpecError
from panparser.storage.locations import is_folder, is_remote, make_folder, size_of

MAX_LISTED_FILES = 5  # files that a message names


@dataclass(frozen=True)
class WorkerOptions:
    """Who does the work, and whether what is finished is done again."""

    cluster: str | None
    jobs: int | None
    threads: int | None
    force: bool

    @property
    def is_requested(self) -> bool:
        return self.cluster is not None or self.jobs is not None


def is_many(given: Sequence[str], output: str) -> bool:
    """Is the output a folder, because there may be several files?"""
    if output == "-":
        return len(given) > 1 or any(_is_folder(each) for each in given)
    return len(given) > 1 or output.endswith("/") or _is_folder(output) or any(_is_folder(each) for each in given)


def _is_folder(name: str) -> bool:
    return name != "-" and is_folder(name)


def check_files(given: Sequence[str], text: str | None, output: str) -> None:
    """Raises SpecError unless names of files are given, which other processes can open, too."""
    if text is not None:
        raise SpecError("--text cannot be used with a folder, --jobs or --cluster")
    if not given or "-" in given:
        raise SpecError("expected files or folders; got standard input")
    if output == "-":
        raise SpecError("expected a file or a folder as --output; got standard output")


def parse_files(job: ParseJob, given: Sequence[str], output: str, sharing: WorkerOptions) -> None:
    """Parses files, and says what came of them. Exits with code 2 if some could not be parsed."""
    from panparser.corpora.corpus_run import Run  # few commands need it

    files, left_out = _files(job, given, output)
    if left_out and not is_quiet():
        named = ", ".join(left_out[:MAX_LISTED_FILES]) + (", ..." if len(left_out) > MAX_LISTED_FILES else "")
        what = "the ending of its name does" if len(left_out) == 1 else "the endings of their names do"
        print(f"panparser: {_count(left_out)} left out, since {what} not name a format: {named}", file=sys.stderr)
    with progress(PROGRESS_DELAY_SECONDS, unit=" %") as report:
        reporter = ProgressReporter(files, report)
        run = Run(job, force=sharing.force, progress=reporter.add)
        if sharing.is_requested:
            from panparser.work.pool import PROCESSES, open_pool

            if sharing.threads is not None:
                raise SpecError("--threads cannot be used with --jobs or --cluster: each process has one thread")
            with open_pool(sharing.jobs or cores(), sharing.cluster or PROCESSES) as pool:
                totals = run.shared(files, pool)
        else:
            totals = run.alone(files, sharing.threads or cores())
    _sum_up(job, totals, len(files), reporter.seconds)


def _files(job: ParseJob, given: Sequence[str], output: str) -> tuple[list[Pair], list[str]]:
    if not is_many(given, output):
        return [single(given[0], output)], []
    options = job.options
    has_kind = options.kind != "auto" or options.input_format is not None
    files, left_out = pairs(given, output, options.output_format, any_ending=has_kind)
    if not files:
        found = f", found {_count(left_out)} with other endings (see --input-format)" if left_out else ""
        raise SpecError(f"{', '.join(given)}: expected files with names such as a.txt or a.conllu{found}")
    try:
        make_folder(output)
    except OSError as error:
        raise SpecError(f"{output}: cannot be written: {error.strerror}") from None
    return files, left_out


class ProgressReporter:
    """Progress over the bytes of all files."""

    def __init__(self, files: Sequence[Pair], report: Callable[[str, int, int], None]) -> None:
        self._report, self._start = report, time.perf_counter()
        self._total = sum(_size(pair.input) for pair in files)
        self._words = self._size = self._before = 0

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start

    def add(self, words: int, size: int) -> None:
        """Words that were parsed, and bytes of input that are done (before, if there are no words)."""
        self._words += words
        self._size += size
        self._before += 0 if words else size
        rate = f"{self._words / self.seconds:,.0f} words/s"
        done = self._size - self._before
        left = f", {_clock(self.seconds * (self._total - self._size) / done)} left" if done and self._words else ""
        self._report(rate + left, 100 * self._size // max(self._total, 1), 100)


def _size(path: str) -> int:
    try:
        return 0 if is_remote(path) else size_of(path)
    except OSError:
        return 0  # reported when the file is read


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def _count(files: Sequence[object] | int) -> str:
    number = files if isinstance(files, int) else len(files)
    return f"{number:,} file{'s' * (number != 1)}"


def _sum_up(job: ParseJob, totals: object, files: int, seconds: float) -> None:
    from panparser.corpora.corpus_run import RunTotals

    assert isinstance(totals, RunTotals)
    outcome, failed = totals.outcome, totals.failed
    if not is_quiet():
        for message in outcome.messages:
            print(f"panparser: {message}", file=sys.stderr)
        if (unknown := outcome.unknown_tags) is not None and unknown.should_warn:
            expected = f"expected UPOS tags that {job.options.model} was trained on"
            print(f"panparser: warning: {expected}; got {unknown}", file=sys.stderr)
        before = f"; {_count(totals.finished)} finished before" if totals.finished else ""
        rate = f"{outcome.words:,} words in {_clock(seconds)}"
        print(f"panparser: {_count(totals.parsed)} parsed ({rate}){before}", file=sys.stderr)
    for each in failed:
        more = "; `panparser validate` lists them all" if each.problems > 1 else ""
        print(f"panparser: {each.error}{more}", file=sys.stderr)
    if failed:
        if files > 1:
            print(f"panparser: {len(failed)} of {_count(files)} could not be parsed", file=sys.stderr)
        raise typer.Exit(2)
