"""FileTask: a file, or a part of one, that a worker process reads, parses and writes."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from panparser import _engine
from panparser.base.kinds import COUNT, NOTHING, TEXT, ListOf, Nullable, Table, TableOf, check, parse_json
from panparser.corpora.job import ParseJob, ParseJobOptions, joined
from panparser.corpora.parts import Part
from panparser.errors import ModelError, PanParserError
from panparser.parsing.known_tags import UnseenTags
from panparser.pipeline.bundled_models import find
from panparser.storage.locations import opened, stamp, whole
from panparser.treebank.conllu import conllu_output
from panparser.treebank.rendering import Rendered
from panparser.work.keys import file_digest

MAX_CACHED_MODELS = 2  # models in the memory of a process: that of the work at hand, and the one before
_jobs: dict[tuple[ParseJobOptions, tuple[str, ...]], ParseJob] = {}


@dataclass(frozen=True)
class FileTask:
    """What is to be done: plain values, which can be sent to other processes."""

    options: ParseJobOptions
    models: tuple[str, ...]  # hashes of the files of the model and of the ensemble
    input: str
    output: str
    record: str | None = None  # the file that says, after the output is there, what it was made of and how
    key: str = ""  # of the record
    part: Part | None = None


@dataclass
class FileOutcome:
    """What came of it: plain values, too."""

    words: int = 0
    sentences: int = 0
    dropped: int = 0  # constraints
    skipped: int = 0  # sentences, or what could not be read
    messages: list[str] = field(default_factory=list)  # of all these, and warnings
    unknown: dict[str, int] | None = None  # tags that the model does not know: their words
    error: str | None = None  # nothing was written, for this reason
    problems: int = 1  # of which `error` names the first

    def add(self, other: FileOutcome) -> None:
        """The outcome of the next part."""
        self.words += other.words
        self.sentences += other.sentences
        self.dropped += other.dropped
        self.skipped += other.skipped
        self.messages += other.messages
        if other.unknown is not None:
            self.unknown = dict(Counter(self.unknown or {}) + Counter(other.unknown))
        if self.error is None:
            self.error, self.problems = other.error, other.problems

    @property
    def unknown_tags(self) -> UnseenTags | None:
        return None if self.unknown is None else UnseenTags(self.words, Counter(self.unknown))


_OUTCOME = Table(
    {},
    {
        **dict.fromkeys(("words", "sentences", "dropped", "skipped", "problems"), COUNT),
        "messages": ListOf(TEXT),
        "unknown": Nullable(TableOf(COUNT)),
        "error": NOTHING,  # what failed has no record
    },
    closed=True,
)
_RECORD = Table(
    {"key": TEXT, "input": TEXT, "input_stamp": Nullable(TEXT), "output_stamp": Nullable(TEXT), "outcome": _OUTCOME},
    closed=True,
)


@dataclass(frozen=True)
class OutputRecord:
    """Says of an output what it was made of: the options and models, by a key, and the input, by its bytes."""

    key: str
    input: str  # hash of its bytes
    input_stamp: str | None
    output_stamp: str | None
    outcome: Mapping[str, Any]

    @classmethod
    def read(cls, path: str) -> Self | None:
        """None if there is none, or none that can be used."""
        try:
            with opened(path) as stream:
                values = parse_json(stream.read().decode(), path, ModelError)
            return cls(**check(values, _RECORD, path))
        except (OSError, UnicodeDecodeError, ModelError):
            return None

    def write(self, path: str) -> None:
        with whole(path) as stream:
            stream.write(json.dumps(asdict(self), ensure_ascii=False).encode())


def do(task: FileTask) -> FileOutcome:
    """Does it with one thread, in this process."""
    return perform(task, 1, lambda words: None)


def perform(task: FileTask, threads: int, progress: Callable[[int], None]) -> FileOutcome:
    """Does it, and calls `report` with each number of words that are done."""
    outcome = FileOutcome()
    before = None if task.record is None else stamp(task.input)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            _write(task, _job(task.options, task.models), threads, outcome, progress)
            outcome.messages += dict.fromkeys(f"warning: {warning.message}" for warning in warned)
            if task.record is not None and stamp(task.input) == before:
                made_of = task.part.digest if task.part is not None else file_digest(task.input)
                OutputRecord(task.key, made_of, before, stamp(task.output), asdict(outcome)).write(task.record)
        except PanParserError as error:
            return FileOutcome(error=str(error), problems=getattr(error, "problems", 1))
        except (OSError, MemoryError) as error:
            return FileOutcome(error=f"{task.input}: {error or 'out of memory'}")
    return outcome


def _write(task: FileTask, job: ParseJob, threads: int, outcome: FileOutcome, progress: Callable[[int], None]) -> None:
    def skip(message: str) -> None:
        outcome.messages.append(message)
        outcome.skipped += 1

    source = job.source(task.input, skip, part=task.part)
    source.check(task.options.model, job.keep, task.options.stop_after)

    def pieces() -> Iterator[list[Rendered]]:
        for result in job.results(source, threads):
            yield result.pieces
            outcome.words += result.words
            outcome.sentences += result.sentences
            outcome.dropped += len(result.dropped)
            outcome.messages += map(str, result.dropped)
            for message in result.skipped:
                skip(message)
            if result.unseen_tags is not None:
                outcome.unknown = dict(Counter(outcome.unknown or {}) + result.unseen_tags.counts)
            progress(result.words)

    with conllu_output(task.output) as stream:
        for piece in joined(task.options.output_format, pieces()):
            stream.write(piece)


def _job(options: ParseJobOptions, models: tuple[str, ...]) -> ParseJob:
    """The models, loaded once in the life of a process. Raises ModelError if this machine has other ones."""
    if (found := _jobs.get((options, models))) is None:
        for name, expected in zip((options.model, *options.ensemble), models, strict=True):
            if file_digest(find(name)) != expected:
                raise ModelError(f"{name}: expected the model with which the run started, found another")
        _engine.keep_memory()  # the next block needs what the last one did
        while len(_jobs) >= MAX_CACHED_MODELS:
            del _jobs[next(iter(_jobs))]
        found = _jobs[options, models] = ParseJob(options)
    return found
