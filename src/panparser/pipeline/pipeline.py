"""Pipeline: everything from raw text to trees, as one model."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from panparser.base.checks import check_choice, check_threads
from panparser.base.kinds import TABLE, ListOf, Nullable, Table
from panparser.base.threads import map_in_order
from panparser.batches.classifier import Classifier, check_class, tag_columns
from panparser.errors import SpecError, TextError, TreebankError
from panparser.learning.training_record import TrainingRecord
from panparser.parsing.confidence import clear_parse_metadata
from panparser.parsing.constraints import KEEP as KEEP_TREES
from panparser.parsing.constraints import Constraints, DroppedConstraint, keep_names
from panparser.parsing.parse_options import Parsed, ScoredTree, TreeParser
from panparser.parsing.parser import Parser
from panparser.pipeline.bundled_models import find
from panparser.storage.containers import Arrays
from panparser.storage.stored import MULTI_PARSER_KINDS, ModelSource, StoredModel, class_of, prefixed, without_prefix
from panparser.tagging.tagger import COLUMNS, Tagger
from panparser.text.lemmatizer import Lemmatizer
from panparser.text.streaming import Report, TextFormat, TextStart
from panparser.text.tokenizer import Tokenizer, divided
from panparser.treebank.treebank import Treebank

if TYPE_CHECKING:
    from panparser.ensembles.cascade import Cascade
    from panparser.ensembles.combination import CombinedParser
    from panparser.tagging.network_tagger import NetworkTagger

Text = str | Sequence[str] | Sequence[Sequence[str]]  # or the tokens of a sentence, or of several
LastStep = Literal["tokens", "tags", "trees"]  # the last thing that is predicted
WORD_COLUMNS = (*COLUMNS, "lemma")  # of tags and lemmas
KEEP = ("tokens", "tags", "lemmas", *KEEP_TREES)  # may be taken from a treebank instead of being predicted
_NETWORK_TAGGER = "network-tagger"  # the kind
_TOKENIZER, _TAGGER, _LEMMATIZER, _PARSER = "tokenizer.", "tagger.{}.", "lemmatizer.", "parser."  # before arrays' names


class Pipeline(StoredModel, kind="pipeline", newest=1):
    """Parts in sequence, made by `train_pipeline` or `load`. Called with a text, it returns its treebank.

    >>> nlp = load("en")
    >>> print(nlp("They ate the pizza with anchovies.").draw())
    """

    declared = Table(
        {
            **dict.fromkeys(("tokenizer", "lemmatizer", "parser"), Nullable(TABLE)),
            "taggers": ListOf(TABLE),
            "training": TABLE,
        }
    )

    def __init__(
        self,
        *,
        tokenizer: Tokenizer | None = None,
        taggers: Sequence[Tagger | NetworkTagger] = (),
        lemmatizer: Lemmatizer | None = None,
        parser: Parser | Cascade | CombinedParser | None = None,
        training: Mapping[str, Any] | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self.taggers = tuple(taggers)
        self.lemmatizer = lemmatizer
        self.parser = parser
        self.training = TrainingRecord.from_values({} if training is None else training)
        if not self.parts:
            raise SpecError("Pipeline: expected at least one part: tokenizer, tagger, lemmatizer or parser")
        columns = [column for tagger in self.taggers for column in tagger.columns]
        if len(set(columns)) < len(columns):
            raise SpecError(f"Pipeline: taggers must have different columns; got {', '.join(columns)}")

    @classmethod
    def from_model(
        cls, part: Pipeline | Tokenizer | Tagger | NetworkTagger | Lemmatizer | Parser | Cascade | CombinedParser
    ) -> Pipeline:
        """A pipeline of one part; a pipeline is one already."""
        if isinstance(part, Pipeline):
            return part
        if isinstance(part, Tokenizer):
            return cls(tokenizer=part)
        if part.kind in ("tagger", _NETWORK_TAGGER):
            return cls(taggers=[cast("Tagger | NetworkTagger", part)])
        return (
            cls(lemmatizer=part)
            if isinstance(part, Lemmatizer)
            else cls(parser=cast("Parser | Cascade | CombinedParser", part))
        )

    def with_parser(self, parser: Parser | Cascade | CombinedParser) -> Pipeline:
        """Return the pipeline with another parser."""
        return Pipeline(
            tokenizer=self.tokenizer,
            taggers=self.taggers,
            lemmatizer=self.lemmatizer,
            parser=parser,
            training=self.training,
        )

    def __repr__(self) -> str:
        return f"<Pipeline {', '.join(self.parts)}>"

    @property
    def parts(self) -> dict[str, Tokenizer | Tagger | NetworkTagger | Lemmatizer | Parser | Cascade | CombinedParser]:
        """The existing parts, by name, in order."""
        taggers = {f"tagger {'+'.join(tagger.columns)}": tagger for tagger in self.taggers}
        named = {"tokenizer": self.tokenizer, **taggers, "lemmatizer": self.lemmatizer, "parser": self.parser}
        return {name: part for name, part in named.items() if part is not None}

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of tags and lemmas that some part predicts."""
        found = {*(name for tagger in self.taggers for name in tagger.columns), *self._parser_columns}
        found |= {"lemma"} if self.lemmatizer is not None else set()
        return tuple(name for name in WORD_COLUMNS if name in found)

    @property
    def _parser_columns(self) -> tuple[str, ...]:
        return tag_columns(getattr(self.parser, "classifier", None))

    # --- Text ---

    def __call__(
        self, text: Text, *, input_format: TextFormat = "text", stop_after: LastStep = "trees", threads: int = 1
    ) -> Treebank:
        """The treebank of a text, with all that the pipeline predicts; `input_format` as in `Tokenizer.tokenize`.

        In place of a text: the tokens of a sentence as a list, or a list of such lists. `stop_after`: "tokens" and
        "tags" (with lemmas) leave out the parts that come after.
        """
        if isinstance(text, str):
            (found,) = self.stream([text], input_format=input_format, stop_after=stop_after, threads=threads)
            return found
        if isinstance(text, bytes) or not isinstance(text, Sequence):
            raise TextError(f"expected a text, a list of tokens or a list of such lists; got {type(text).__name__}")
        from panparser.treebank.treebank import from_tokens  # few texts are lists

        found = from_tokens(text)
        self.annotate(found, stop_after=stop_after, threads=threads)
        return found

    def pipe(
        self,
        texts: Iterable[Text],
        *,
        input_format: TextFormat = "text",
        stop_after: LastStep = "trees",
        threads: int = 1,
    ) -> Iterator[Treebank]:
        """The treebanks of many texts, which have nothing to do with each other, in order; as from `nlp(text)`.

        Threads work on several texts at a time, and a few of them are in memory.
        """
        if isinstance(texts, str):
            raise TextError("expected texts; got one text: [text] is a list of one")
        check_threads("threads", threads)

        def work(text: Text) -> Treebank:
            return self(text, input_format=input_format, stop_after=stop_after)

        return map(work, texts) if threads == 1 else map_in_order(work, texts, threads)

    def stream(
        self,
        pieces: Iterable[str],
        *,
        input_format: TextFormat = "text",
        document: str = "",
        stop_after: LastStep = "trees",
        threads: int = 1,
    ) -> Iterator[Treebank]:
        """The treebanks of a text in pieces, as from `iter_text`: constant memory for texts of any size."""
        for treebank in self.tokens(pieces, input_format=input_format, document=document, threads=threads):
            self.annotate(treebank, stop_after=stop_after, threads=threads)
            yield treebank

    def tokens(
        self,
        pieces: Iterable[str],
        *,
        input_format: TextFormat = "text",
        document: str = "",
        path: str = "<text>",
        threads: int = 1,
        report: Report | None = None,
        ranges: bool = True,
        start: TextStart | None = None,
    ) -> Iterator[Treebank]:
        """Like `stream`, but only tokens; without `ranges`, MISC has no TokenRange.

        With `report`, sentences of too many words are left out, and it is called with a message for each. `start`:
        where the text begins, if it is a part of another.
        """
        told: dict[str, Any] = {"path": path, "report": report, "ranges": ranges, "start": start}
        options: dict[str, Any] = {"input_format": input_format, "document": document, **told}
        if self.tokenizer is not None:
            return self.tokenizer.stream(pieces, threads=threads, **options)
        if input_format not in ("tokens", "vertical"):
            raise TextError("the model has no tokenizer: expected text that is already divided into tokens, or CoNLL-U")
        return divided(pieces, **options)

    # --- Treebanks ---

    def annotate(
        self,
        treebank: Treebank,
        *,
        keep: Iterable[str] = (),
        beam: int | None = None,
        threads: int = 1,
        relax: bool = False,
        confidence: bool = False,
        ensemble: Sequence[Parser] = (),
        stop_after: LastStep = "trees",
    ) -> Parsed | None:
        """Write tags, lemmas, heads and labels into a treebank, and return what the parser found; None without trees.

        `keep`: existing annotation is kept, and only what is missing is predicted: "tags" (all those of words that have
        UPOS or XPOS), "lemmas", "heads", "labels", "constraints" (as in `Constraints.from_treebank`); "tokens" are
        always kept. `stop_after`: "tokens" writes nothing, "tags" only tags and lemmas. The other options are those of
        `Parser.annotate`.
        """
        check_choice("Pipeline: stop_after", stop_after, get_args(LastStep))
        if (confidence or ensemble) and not isinstance(self.parser, Parser):
            raise SpecError("confidence requires a pipeline with a single parser")
        kept = keep_names(keep, KEEP)
        if stop_after == "tokens":
            return None
        if stop_after == "tags" or self.parser is None:
            self.annotate_words(treebank, keep=kept, threads=threads)
            return None
        known = self._annotate_by_taggers(treebank, kept, threads)
        parsed = self.parser.annotate(
            treebank,
            beam=beam,
            threads=threads,
            constraints=kept_constraints(treebank, kept),
            relax=relax,
            confidence=confidence,
            ensemble=ensemble,
        )
        known.restore(self._parser_columns)
        return parsed

    def annotate_words(self, treebank: Treebank, *, keep: Iterable[str] = (), threads: int = 1) -> None:
        """Writes only tags and lemmas; `keep` as in `annotate`."""
        known = self._annotate_by_taggers(treebank, keep_names(keep, KEEP), threads)
        if isinstance(self.parser, Parser) and not known.has(self._parser_columns):
            self.parser.tag(treebank, threads=threads)
            known.restore(self._parser_columns)

    def _annotate_by_taggers(self, treebank: Treebank, kept: frozenset[str], threads: int) -> _Known:
        """Writes what taggers and lemmatizer predict; gives what is known already of words."""
        if not isinstance(treebank, Treebank):
            raise TreebankError(f"expected a Treebank to annotate; got {treebank!r}")
        known = _Known(treebank, kept)
        for part, columns in (
            *((tagger, tagger.columns) for tagger in self.taggers),
            *([(self.lemmatizer, ("lemma",))] if self.lemmatizer is not None else []),
        ):
            if not known.has(columns):
                part.annotate(treebank, threads=threads)
                known.restore(columns)
        return known

    # --- Files ---

    def to_arrays(self) -> Arrays:
        """What was learned, as a model file holds it."""
        arrays: Arrays = prefixed(_TOKENIZER, self.tokenizer.to_arrays()) if self.tokenizer else {}
        for number, tagger in enumerate(self.taggers):
            arrays |= prefixed(_TAGGER.format(number), tagger.to_arrays())
        arrays |= prefixed(_LEMMATIZER, self.lemmatizer.to_arrays()) if self.lemmatizer else {}
        return arrays | (prefixed(_PARSER, self.parser.to_arrays()) if self.parser else {})

    def to_values(self) -> dict[str, Any]:
        """The rest, in plain values."""
        return {
            "tokenizer": self.tokenizer.to_values() if self.tokenizer else None,
            "taggers": [
                tagger.to_values() if isinstance(tagger, Tagger) else tagger.manifest() for tagger in self.taggers
            ],
            "lemmatizer": self.lemmatizer.to_values() if self.lemmatizer else None,
            "parser": self.parser.manifest() if self.parser else None,
            "training": self.training.to_values(),
        }

    def external_code(self) -> dict[str, Any]:
        return {} if self.parser is None else self.parser.external_code()

    @classmethod
    def load(cls, path: str | os.PathLike[str], classifier: type[Classifier] | None = None) -> Pipeline:
        """The pipeline of a file; raises ModelError if the file is not a valid pipeline.

        A file holds no code: if the parser has a classifier, its class must be given.
        """
        if classifier is not None:
            check_class(classifier)
        return cls.read(find(path), classifier=classifier)

    @classmethod
    def from_parts(cls, arrays: Arrays, values: Mapping[str, Any], source: ModelSource) -> Pipeline:
        tokenizer, lemmatizer, parser = (values[name] for name in ("tokenizer", "lemmatizer", "parser"))

        def own(prefix: str) -> Arrays:
            return without_prefix(prefix, arrays)

        taggers: list[Any] = []
        for number, tagger in enumerate(values["taggers"]):
            owner = class_of(_NETWORK_TAGGER) if tagger.get("kind") == _NETWORK_TAGGER else Tagger
            taggers.append(owner.from_file(own(_TAGGER.format(number)), tagger, source.part("tagger")))
        trees = None
        if parser:
            kind = parser["kind"] if parser.get("kind") in MULTI_PARSER_KINDS else "parser"
            trees = class_of(kind).from_manifest(own(_PARSER), parser, source.part("parser"))
        return cls(
            tokenizer=Tokenizer.from_file(own(_TOKENIZER), tokenizer, source.part("tokenizer")) if tokenizer else None,
            taggers=taggers,
            lemmatizer=Lemmatizer.from_file(own(_LEMMATIZER), lemmatizer, source.part("lemmatizer"))
            if lemmatizer
            else None,
            parser=cast("Parser | Cascade | CombinedParser | None", trees),
            training=TrainingRecord.from_values(values["training"]),
        )


def kept_constraints(treebank: Treebank, kept: frozenset[str]) -> Constraints | None:
    """The parts of a treebank's trees that are to be kept; None if there are none."""
    trees = kept & set(KEEP_TREES)
    return Constraints.from_treebank(treebank, keep=trees) if trees else None


class _Known:
    """Tags and lemmas that words of a treebank have before any are predicted, and are to keep."""

    def __init__(self, treebank: Treebank, kept: frozenset[str]) -> None:
        none = np.zeros(treebank.words, dtype=bool)
        tagged = (treebank.column("upos") != 0) | (treebank.column("xpos") != 0) if "tags" in kept else none
        self.words = {**dict.fromkeys(COLUMNS, tagged), "lemma": none}  # that have one
        if "lemmas" in kept:
            self.words["lemma"] = treebank.column("lemma") != 0
        self.treebank = treebank
        self.values = {name: treebank.column(name)[words] for name, words in self.words.items()}

    def has(self, columns: Sequence[str]) -> bool:
        """Is there nothing to predict in these columns?"""
        return all(self.words[name].all() for name in columns)

    def restore(self, columns: Sequence[str]) -> None:
        for name in columns:
            self.treebank.column(name)[self.words[name]] = self.values[name]


def k_best_trees(
    parser: TreeParser,
    treebank: Treebank,
    count: int,
    beam: int | None,
    constraints: Constraints | None,
    relax: bool,
) -> tuple[list[list[ScoredTree]], list[DroppedConstraint]]:
    """At most `count` trees for each sentence, and the constraints that were dropped."""
    if treebank.format == "conllx":
        raise TreebankError(f"{treebank.path}: CoNLL-X has no comments, which several trees per sentence require")
    trees: list[list[ScoredTree]] = []
    dropped: list[DroppedConstraint] = []
    for sentence in treebank:
        best = parser.search_best(sentence, count, beam=beam, constraints=constraints, relax=relax)
        trees.append(best.trees)
        dropped += best.dropped
    return trees, dropped


def repeat_sentences(treebank: Treebank, trees: list[list[ScoredTree]], *, labeled: bool) -> Treebank:
    """A treebank with each sentence as often as it has trees."""
    clear_parse_metadata(treebank)
    copies = treebank[[number for number, found in enumerate(trees) for _ in found]]
    position = 0
    for found in trees:
        for rank, tree in enumerate(found, start=1):
            sentence = copies[position]
            sentence.heads = tree.heads
            if labeled:
                sentence.labels = list(tree.labels)
            kept = [line for line in sentence.comments if rank == 1 or not line.startswith(("# newdoc", "# newpar"))]
            sentence.comments = [*kept, f"# tree = {rank}/{len(found)}", f"# score = {tree.score:.4f}"]
            position += 1
    return copies
