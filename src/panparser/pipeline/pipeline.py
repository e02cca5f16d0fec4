"""Pipeline: tokenizer, taggers, lemmatizer and parser in a row, each of them optional, in one model file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from panparser.errors import ModelError, SpecError, TextError, TreebankError
from panparser.learning.record import TrainingRecord
from panparser.parsing.constraints.constraints import KEEP as KEEP_TREES
from panparser.parsing.constraints.constraints import Constraints, Dropped, keep_names
from panparser.parsing.options import SearchOptions
from panparser.parsing.parser import Parser
from panparser.pipeline.loading import find, parser_from_file
from panparser.sequences.tagger import Tagger
from panparser.storage.arrays import Arrays, check_kind, read_arrays, write_arrays
from panparser.text.lemmatizer.lemmatizer import Lemmatizer
from panparser.text.tokenizer.tokenizer import Given, Tokenizer, divided
from panparser.treebank.treebank import Treebank

if TYPE_CHECKING:
    from panparser.ensembles.cascade import Cascade
    from panparser.learning.classifiers import Classifier

KIND, FORMAT = "pipeline", 1  # in model files
KEEP = ("tokens", "tags", "lemmas", *KEEP_TREES)  # what may be taken from a treebank instead of being predicted
_TOKENIZER, _TAGGER, _LEMMATIZER, _PARSER = "tokenizer.", "tagger.{}.", "lemmatizer.", "parser."  # before arrays' names


class Pipeline:
    """Parts in a row; `train_pipeline` and `load` make one. Called with a text, it gives a treebank of it.

    >>> nlp = load("en")
    >>> print(nlp("They ate the pizza with anchovies.").draw())
    """

    def __init__(
        self,
        *,
        tokenizer: Tokenizer | None = None,
        taggers: Sequence[Tagger] = (),
        lemmatizer: Lemmatizer | None = None,
        parser: Parser | Cascade | None = None,
        training: Mapping[str, Any] | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self.taggers = tuple(taggers)
        self.lemmatizer = lemmatizer
        self.parser = parser
        self.training = TrainingRecord.from_values({} if training is None else training)
        if not self.parts:
            raise SpecError("a pipeline has at least one part: tokenizer, tagger, lemmatizer or parser")
        columns = [column for tagger in self.taggers for column in tagger.spec.columns]
        if len(set(columns)) < len(columns):
            raise SpecError(f"taggers of a pipeline must have different columns; got {', '.join(columns)}")

    @classmethod
    def of(cls, part: Pipeline | Tokenizer | Tagger | Lemmatizer | Parser | Cascade) -> Pipeline:
        """A pipeline of one part; a pipeline is one already."""
        if isinstance(part, Pipeline):
            return part
        if isinstance(part, Tokenizer):
            return cls(tokenizer=part)
        if isinstance(part, Tagger):
            return cls(taggers=[part])
        return cls(lemmatizer=part) if isinstance(part, Lemmatizer) else cls(parser=part)

    def __repr__(self) -> str:
        return f"<Pipeline {', '.join(self.parts)}>"

    @property
    def parts(self) -> dict[str, Tokenizer | Tagger | Lemmatizer | Parser | Cascade]:
        """The parts that there are, by name, in their order."""
        taggers = {f"tagger {'+'.join(tagger.spec.columns)}": tagger for tagger in self.taggers}
        named = {"tokenizer": self.tokenizer, **taggers, "lemmatizer": self.lemmatizer, "parser": self.parser}
        return {name: part for name, part in named.items() if part is not None}

    # --- Text ---

    def __call__(self, text: str, *, given: Given = "nothing", threads: int = 1) -> Treebank:
        """The treebank of a text, with everything that the pipeline predicts; `given` as in `Tokenizer.tokenize`."""
        if not isinstance(text, str):
            raise TextError(f"expected a text; got {type(text).__name__}")
        (found,) = self.stream([text], given=given, threads=threads)
        return found

    def stream(
        self, pieces: Iterable[str], *, given: Given = "nothing", document: str = "", threads: int = 1
    ) -> Iterator[Treebank]:
        """The treebanks of a text in pieces, as `iter_text` gives them: a text of any size in the same memory."""
        for treebank in self.tokens(pieces, given=given, document=document, threads=threads):
            self.annotate(treebank, threads=threads)
            yield treebank

    def tokens(
        self, pieces: Iterable[str], *, given: Given = "nothing", document: str = "", threads: int = 1
    ) -> Iterator[Treebank]:
        """As `stream`, but the tokens alone."""
        if self.tokenizer is not None:
            return self.tokenizer.stream(pieces, given=given, document=document, threads=threads)
        if given not in ("tokens", "vertical"):
            raise TextError("the model has no tokenizer: expected text that is divided into tokens already, or CoNLL-U")
        return divided(pieces, given=given, document=document)

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
    ) -> list[Dropped]:
        """Writes tags, lemmas, heads and labels into a treebank, and lists the constraints that were dropped.

        `keep`: what the treebank says already is kept, and what it leaves open is predicted: "tags" (all those of words
        that have UPOS or XPOS), "lemmas", "heads", "labels", "constraints" (as in `Constraints.of`); "tokens" always
        are. The other options are those of `Parser.annotate`.
        """
        if (confidence or ensemble) and not isinstance(self.parser, Parser):
            raise SpecError("confidence is that of a parser, and the pipeline has none, or a cascade")
        kept = keep_names(keep, KEEP)
        self.annotate_words(treebank, keep=kept, threads=threads)
        if self.parser is None:
            return []
        constraints = kept_constraints(treebank, kept)
        search: SearchOptions = {"beam": beam, "threads": threads, "constraints": constraints, "relax": relax}
        if isinstance(self.parser, Parser):
            self.parser.annotate(treebank, confidence=confidence, ensemble=ensemble, **search)
        else:
            self.parser.annotate(treebank, **search)
        return constraints.dropped if constraints else []

    def annotate_words(self, treebank: Treebank, *, keep: Iterable[str] = (), threads: int = 1) -> None:
        """Writes tags and lemmas alone; `keep` as in `annotate`."""
        if not isinstance(treebank, Treebank):
            raise TreebankError(f"expected a Treebank to annotate; got {treebank!r}")
        kept = keep_names(keep, KEEP)
        if not treebank.words:
            return
        none = np.zeros(treebank.words, dtype=bool)
        tagged = (treebank.column("upos") != 0) | (treebank.column("xpos") != 0) if "tags" in kept else none
        if not tagged.all():
            for tagger in self.taggers:
                before = {name: treebank.column(name)[tagged] for name in tagger.spec.columns}
                tagger.annotate(treebank, threads=threads)
                _restore(treebank, tagged, before)
        if self.lemmatizer is not None:
            known = treebank.column("lemma") != 0 if "lemmas" in kept else none
            lemmas = {"lemma": treebank.column("lemma")[known]}
            if not known.all():
                self.lemmatizer.annotate(treebank, threads=threads)
                _restore(treebank, known, lemmas)

    # --- Files ---

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the pipeline to one file; the same pipeline gives the same bytes."""
        write_arrays(Path(path), self.to_arrays(), self.manifest())

    def to_arrays(self) -> Arrays:
        """What was learned, as a model file holds it."""
        arrays: Arrays = self.tokenizer.to_arrays(_TOKENIZER) if self.tokenizer else {}
        for number, tagger in enumerate(self.taggers):
            arrays |= tagger.to_arrays(_TAGGER.format(number))
        arrays |= self.lemmatizer.to_arrays(_LEMMATIZER) if self.lemmatizer else {}
        trees = self.parser.to_arrays() if self.parser else {}
        return arrays | {f"{_PARSER}{name}": array for name, array in trees.items()}

    @property
    def size(self) -> int:
        """Of the weights, in bytes."""
        return sum(array.nbytes for array in self.to_arrays().values())

    def manifest(self) -> dict[str, Any]:
        """What a model file says of the pipeline, in plain values."""
        return {
            "format": FORMAT,
            "kind": KIND,
            "tokenizer": self.tokenizer.to_values() if self.tokenizer else None,
            "taggers": [tagger.to_values() for tagger in self.taggers],
            "lemmatizer": self.lemmatizer.to_values() if self.lemmatizer else None,
            "parser": self.parser.manifest() if self.parser else None,
            "training": self.training.to_values(),
        }

    @classmethod
    def load(cls, path: str | os.PathLike[str], classifier: type[Classifier] | None = None) -> Pipeline:
        """The pipeline of a file, mapped into memory; `ModelError` says what is wrong with a file that is none.

        A file holds no code: where the parser has a classifier, its class must be given.
        """
        place = find(path)
        return cls.from_file(*read_arrays(place, "panparser model"), place, classifier)

    @classmethod
    def from_file(
        cls, arrays: Arrays, manifest: dict[str, Any], path: str, classifier: type[Classifier] | None = None
    ) -> Pipeline:
        """The pipeline of the arrays and the manifest of a file; errors name the path."""
        check_kind(manifest, KIND, path, FORMAT)
        try:
            tokenizer, lemmatizer, parser = (manifest[name] for name in ("tokenizer", "lemmatizer", "parser"))
            taggers = enumerate(manifest["taggers"])
            own = {name.removeprefix(_PARSER): array for name, array in arrays.items() if name.startswith(_PARSER)}
            return cls(
                tokenizer=Tokenizer.from_file(arrays, tokenizer, _TOKENIZER) if tokenizer else None,
                taggers=[Tagger.from_file(arrays, values, _TAGGER.format(number)) for number, values in taggers],
                lemmatizer=Lemmatizer.from_file(arrays, lemmatizer, _LEMMATIZER) if lemmatizer else None,
                parser=parser_from_file(own, parser, f"{path}: parser", classifier) if parser else None,
                training=TrainingRecord.from_values(manifest["training"]),
            )
        except ModelError as error:
            place = "" if str(error).startswith(path) else f"{path}: "
            raise ModelError(f"{place}{error}") from None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(f"{path}: not a pipeline that can be used: {error}") from None


def kept_constraints(treebank: Treebank, kept: frozenset[str]) -> Constraints | None:
    """What a treebank says of its trees, of what is to be kept; None: nothing of that is."""
    trees = kept & set(KEEP_TREES)
    return Constraints.of(treebank, keep=trees) if trees else None


def _restore(treebank: Treebank, words: npt.NDArray[np.bool_], values: dict[str, npt.NDArray[np.int32]]) -> None:
    for name, ids in values.items():
        treebank.column(name)[words] = ids
