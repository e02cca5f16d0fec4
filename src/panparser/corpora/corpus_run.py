"""Parsing of many or large files by worker processes; finished outputs are skipped."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import PurePath

import panparser
from panparser.corpora import sources
from panparser.corpora.file_pairs import Pair
from panparser.corpora.file_tasks import FileOutcome, FileTask, OutputRecord, do, perform
from panparser.corpora.job import ParseJob
from panparser.corpora.parts import CONTINUED_SENTENCE_ID, Part, changed, conllu_parts, renumber, text_parts
from panparser.corpora.sources import InputFormat, InputKind, Source
from panparser.errors import PanParserError
from panparser.pipeline.bundled_models import find
from panparser.storage.locations import (
    inside,
    is_empty,
    is_folder,
    is_remote,
    make_folder,
    opened,
    remove_folder,
    size_of,
    stamp,
    whole,
)
from panparser.treebank.conllu import conllu_output, is_compressed
from panparser.work.keys import digest, file_digest, own_build
from panparser.work.pool import CallFuture, ClusterLostError, Pool, WorkerDied

PART_BYTES = 1 << 21  # bytes of a file that are a part of it, about
PARTS_MARKER_FILE = "panparser-parts.txt"  # in folders of parts, and in no other one
MAX_ATTEMPTS = 2  # of work on which a worker died
_JOINED = ("conllu", "tree", "horizontal", "vertical", "plaintext")  # formats in which sentences only follow each other
Progress = Callable[[int, int], None]  # told of words and of bytes of input that are done


@dataclass
class RunTotals:
    """What came of all files."""

    parsed: int = 0
    finished: int = 0  # before
    outcome: FileOutcome = field(default_factory=FileOutcome)
    failed: list[FileOutcome] = field(default_factory=list)


@dataclass
class _File:
    """A file that is being parsed: as a whole, or in parts."""

    pair: Pair
    size: int
    stamp: str | None
    kind: str | None = None  # what it is divided as; None: it is one whole
    digest: str = ""
    parts: list[Part] = field(default_factory=list)
    outcomes: dict[int, FileOutcome] = field(default_factory=dict)
    is_planned: bool = False
    failure: FileOutcome | None = None

    def fail(self, outcome: FileOutcome) -> None:
        self.failure = self.failure or outcome


class Run:
    """Parses files by a job, alone or with workers."""

    def __init__(self, job: ParseJob, *, force: bool = False, progress: Progress = lambda words, size: None) -> None:
        self._job, self._force, self._progress = job, force, progress
        self._models = tuple(file_digest(find(name)) for name in (job.options.model, *job.options.ensemble))
        made_by = [panparser.__version__, own_build(), asdict(job.options), self._models]
        self._key = digest(made_by)
        self.totals = RunTotals()

    def alone(self, pairs: Iterable[Pair], threads: int) -> RunTotals:
        """In this process, one file after the other."""
        for file in self._unfinished(pairs):
            outcome = perform(self._whole(file), threads, lambda words: self._progress(words, 0))
            self._end(file, outcome)
        return self.totals

    def shared(self, pairs: Iterable[Pair], pool: Pool) -> RunTotals:
        """By workers: a few parts for each of them are under way at a time.

        Parts whose worker died are tried again at the end, one at a time and with no other worker in memory.
        """
        died: list[_Step] = []

        def submit_alone(step: _Step) -> CallFuture:
            pool.stop_workers()
            return pool.submit(do, step.task, retries=MAX_ATTEMPTS - 1)

        try:
            steps = self._tasks(pairs)
            for step, future in _completed(pool, steps, lambda step: pool.submit(do, step.task), 2):
                if isinstance(future.exception(), WorkerDied):
                    died.append(step)
                else:
                    self._take(step, future.result())
            for step, future in _completed(pool, died, submit_alone, 0):
                if isinstance(error := future.exception(), WorkerDied):
                    times = f"a worker died {1 + MAX_ATTEMPTS} times while it worked on it ({error})"
                    self._take(step, FileOutcome(error=f"{step.task.input}: {times}; is there too little memory?"))
                else:
                    self._take(step, future.result())
        except ClusterLostError as lost:
            raise ClusterLostError(f"--cluster: {lost}; run the same command again to continue") from None
        return self.totals

    # --- What there is to do ---

    def _unfinished(self, pairs: Iterable[Pair]) -> Iterator[_File]:
        for pair in pairs:
            try:
                file = _File(pair, size_of(pair.input), stamp(pair.input))
                if self._is_finished(file):
                    self.totals.finished += 1
                    self._progress(0, file.size)
                    continue
                for place in (pair.output, pair.record):
                    if place is not None:
                        make_folder(_above(place))
            except OSError as error:
                self.totals.failed.append(FileOutcome(error=f"{pair.input}: cannot be read: {error.strerror or error}"))
                continue
            yield file

    def _is_finished(self, file: _File) -> bool:
        """Is the output there, made of the same bytes by the same models and options?"""
        pair = file.pair
        if self._force or pair.record is None or (record := OutputRecord.read(pair.record)) is None:
            return False
        if record.key != self._key or record.output_stamp is None or record.output_stamp != stamp(pair.output):
            return False
        return record.input_stamp == file.stamp or record.input == file_digest(pair.input)

    def _tasks(self, pairs: Iterable[Pair]) -> Iterator[_Step]:
        for file in self._unfinished(pairs):
            source = self._divisible(file)
            if source is None:
                file.is_planned = True
                yield _Step(file, None, self._whole(file))
                continue
            try:
                _begin_parts(file.pair.parts)
                yield from self._parts(file, source)
            except PanParserError as error:
                file.fail(FileOutcome(error=str(error), problems=getattr(error, "problems", 1)))
            file.is_planned = True
            self._end_if_complete(file)

    def _parts(self, file: _File, source: Source) -> Iterator[_Step]:
        """What is left to do of a file that is divided, anew each time: next to parsing, that takes no time."""
        state, path = hashlib.sha256(), file.pair.input
        if file.kind == InputKind.conllu:
            found = conllu_parts(path, source.format, sources.BLOCK_BYTES, PART_BYTES, state)
        else:
            found = text_parts(path, str(file.kind), sources.BLOCK_BYTES, PART_BYTES, state)
        for number, part in enumerate(found):
            if file.failure is not None:
                return
            file.parts.append(part)
            place = self._place(file, part)
            record = None if self._force else OutputRecord.read(f"{place}.json")
            if record is not None and record.key == self._key and record.output_stamp == stamp(place):
                self._progress(0, part.stop - part.start)
                file.outcomes[number] = FileOutcome(**record.outcome)
            else:
                options = self._job.options
                yield _Step(
                    file, number, FileTask(options, self._models, path, place, f"{place}.json", self._key, part)
                )
        file.digest = state.hexdigest()

    def _place(self, file: _File, part: Part) -> str:
        """The file of a part: its name tells its bytes, its place, and what is done with it."""
        return inside(file.pair.parts, digest([self._key, asdict(part)])[:32])

    def _whole(self, file: _File) -> FileTask:
        pair = file.pair
        return FileTask(self._job.options, self._models, pair.input, pair.output, pair.record, self._key)

    def _divisible(self, file: _File) -> Source | None:
        """Whether parts of a file can be parsed apart: the source, or None."""
        options, path = self._job.options, file.pair.input
        if file.size < 2 * PART_BYTES or options.input_format not in (None, InputFormat.conllu):
            return None
        source = self._job.source(path)
        try:
            source.check(options.model, self._job.keep, options.stop_after)
            if is_compressed(path):
                return None
        except PanParserError:
            return None  # which is told where it is parsed
        is_treebank = source.kind == InputKind.conllu
        if options.output_format not in _JOINED and not (is_treebank and options.output_format == "jsonl"):
            return None
        if options.skip_errors and not is_treebank:  # bytes that are no UTF-8 have no place in a text
            return None
        file.kind = source.kind.value
        return source

    # --- What has been done ---

    def _take(self, step: _Step, outcome: FileOutcome) -> None:
        file = step.file
        if step.number is None:
            self._end(file, outcome)
            return
        if outcome.error is not None:
            file.fail(outcome)
        file.outcomes[step.number] = outcome
        part = file.parts[step.number]
        self._progress(outcome.words, part.stop - part.start)
        self._end_if_complete(file)

    def _end_if_complete(self, file: _File) -> None:
        if not file.is_planned or len(file.outcomes) < len(file.parts):
            return
        outcome = FileOutcome()
        for number in range(len(file.parts)):
            outcome.add(file.outcomes[number])
        if file.failure is None:
            try:
                self._put_together(file)
            except (PanParserError, OSError) as error:
                file.fail(FileOutcome(error=str(error)))
        self._end(file, file.failure or outcome)

    def _put_together(self, file: _File) -> None:
        pair = file.pair
        if stamp(pair.input) != file.stamp:
            raise changed(pair.input)
        sentences = 0
        with conllu_output(pair.output) as stream:
            for number, part in enumerate(file.parts):
                with opened(self._place(file, part)) as piece:
                    if file.kind == InputKind.conllu or self._job.options.output_format != "conllu":
                        shutil.copyfileobj(piece, stream, 1 << 20)
                    else:
                        renumber(piece, sentences + 1 - CONTINUED_SENTENCE_ID if number else 0, stream.write)
                sentences += file.outcomes[number].sentences
        if pair.record is not None:
            OutputRecord(self._key, file.digest, file.stamp, stamp(pair.output), {}).write(pair.record)
        remove_folder(pair.parts)

    def _end(self, file: _File, outcome: FileOutcome) -> None:
        if outcome.error is not None:
            self.totals.failed.append(outcome)
        else:
            self.totals.parsed += 1
            self.totals.outcome.add(outcome)
        if file.kind is None:
            self._progress(outcome.words, file.size)


@dataclass(frozen=True)
class _Step:
    """Work that a worker gets: a file, or one of its parts by number."""

    file: _File
    number: int | None
    task: FileTask


def _completed(
    pool: Pool, steps: Iterable[_Step], submit: Callable[[_Step], CallFuture], per_worker: int
) -> Iterator[tuple[_Step, CallFuture]]:
    """Yield steps as they complete; so many for each worker are under way at a time, or one if that is 0."""
    for batch in pool.completed(steps, submit, ahead=lambda: per_worker * pool.count or 1):
        yield from batch


def _begin_parts(folder: str) -> None:
    """Makes a folder of parts, which will be removed. Raises PanParserError if there is one that is somebody else's."""
    ours = inside(folder, PARTS_MARKER_FILE)
    try:
        if is_folder(folder) and not is_empty(folder) and stamp(ours) is None:
            raise PanParserError(f"{folder}: expected parts of the output, or no folder; found other files: move it")
        make_folder(folder)
    except OSError as error:
        raise PanParserError(f"{folder}: cannot be made: {error.strerror or error}") from None
    with whole(ours) as stream:
        stream.write(b"Parts of a file that is being parsed: removed as soon as it is finished.\n")


def _above(path: str) -> str:
    return path.rpartition("/")[0] if is_remote(path) else str(PurePath(path).parent)
