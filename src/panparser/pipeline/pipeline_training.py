"""train_pipeline: part by part; the parser is trained on tags and lemmas predicted by models that did not see them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Unpack

import numpy as np

from panparser.base.checks import MAX_BEAM, MAX_EPOCHS, NON_NEGATIVE
from panparser.base.kinds import BOOLEAN, Kind, Nullable, integer, number
from panparser.base.options import Form, Options, instance_of, option
from panparser.base.threads import capped_default_threads, resolve_threads
from panparser.batches.classifier import Classifier
from panparser.errors import SpecError, TreebankError
from panparser.evaluation.metrics import evaluate
from panparser.features.vectors import WordVectors
from panparser.learning.epochs import digests
from panparser.learning.folds import Fold, jackknife
from panparser.learning.listeners import Listener, check_listeners, notice
from panparser.learning.training import TrainingConfig, TrainingOptions, check_options
from panparser.learning.training_record import PIPELINE, TrainingRecord, whole
from panparser.networks.network import NetworkSpec
from panparser.networks.network_classifier import NetworkClassifier, check_torch
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.pipeline.pipeline import WORD_COLUMNS, Pipeline
from panparser.tagging.lexicon import Lexicon
from panparser.tagging.network_tagger import NetworkTagger
from panparser.tagging.tagger import COLUMNS, Tagger, TaggerSpec, train_tagger
from panparser.text.lemmatizer import EPOCHS as LEMMATIZER_EPOCHS
from panparser.text.lemmatizer import Lemmatizer, train_lemmatizer
from panparser.text.raw_text import extract_raw_text
from panparser.text.tokenizer import EPOCHS as TOKENIZER_EPOCHS
from panparser.text.tokenizer import Tokenizer, train_tokenizer
from panparser.training.parser_run import choose_classifier, network_of
from panparser.training.training_parsers import parser_training, train
from panparser.treebank.treebank import Treebank, check_treebanks
from panparser.work.store import CheckpointFolder

PARTS = ("tokenizer", "tagger", "lemmatizer", "parser")
_OF_PERCEPTRONS = ("tagger_beam", "tagger_prune", "lemmatizer_epochs")  # options
_OF_TAGGERS = ("joint_tagger", "columns", "folds", "tagger_epochs", *_OF_PERCEPTRONS)  # options
_SCORES = {  # of what a pipeline predicts
    "upos": ("UPOS",),
    "xpos": ("XPOS",),
    "feats": ("UFeats",),
    "lemma": ("Lemmas",),
    "parser": ("UAS", "LAS"),
}
_TOKEN_SCORES = ("Tokens", "Sentences", "Words")


def _some_of(names: tuple[str, ...]) -> Kind:
    return Kind(
        f"a list of {', '.join(names)}",
        lambda value: isinstance(value, tuple | list) and len(value) > 0 and all(name in names for name in value),
    )


def _in_order(parts: Any) -> Any:
    return tuple(part for part in PARTS if part in parts) if _PARTS.test(parts) else parts


_PARTS = _some_of(PARTS)


class PipelineSpec(Options):
    """The parts of a pipeline, and what they are made of.

    If the parser has a network, taggers are networks with such an encoder, which predict lemmas, too: there is no
    lemmatizer.
    """

    parts: tuple[str, ...] = option(
        _PARTS,
        default=PARTS,
        convert=_in_order,
        usual="all",
        help="Parts to train, of tokenizer, tagger, lemmatizer and parser.",
    )
    parser_predicts_tags: bool | None = option(
        Nullable(BOOLEAN),
        default=None,
        stored=Form("by_parser"),
        recipe=None,
        help="Tags and lemmas come from the encoder of the parser's network, all of them unless the network names "
        "some, and are learned together with trees; False: from taggers and a lemmatizer, which come before the "
        "parser; None: by the parser if its network names some.",
    )
    joint_tagger: bool = option(
        BOOLEAN,
        default=True,
        stored=Form("joint"),
        recipe=None,
        help="Train one tagger for UPOS, XPOS and FEATS together, or one for each of them.",
    )
    columns: tuple[str, ...] | None = option(
        Nullable(_some_of(COLUMNS)),
        default=None,
        usual="all that are annotated",
        help='A list of `"upos"`, `"xpos"`, `"feats"`: tag only these.',
    )
    folds: int = option(
        Kind("0, or an integer >= 2", lambda value: integer(0).test(value) and value != 1),
        default=5,
        help="The parser learns from tags and lemmas predicted in this many folds, each by taggers and lemmatizers "
        "trained on the others; 0: from those of the treebank.",
    )
    parser: ParserSpec = option(
        instance_of(ParserSpec),
        factory=ParserSpec,
        stored=Form(encode=ParserSpec.to_values),
        recipe=None,
        help="Specification of the parser.",
    )
    tokenizer_epochs: int = option(
        integer(1, MAX_EPOCHS), default=TOKENIZER_EPOCHS, help="Epochs of the tokenizer, at most."
    )
    tagger_epochs: int | None = option(
        Nullable(integer(1, MAX_EPOCHS)),
        default=None,
        usual="8, or as many as a network states",
        help="Epochs of each tagger, at most.",
    )
    tagger_beam: int = option(integer(1, MAX_BEAM), default=1, help="The beam of taggers.")
    tagger_prune: float = option(
        number(NON_NEGATIVE),
        default=0.0,
        help="Weights of taggers that are smaller than this many updates are dropped.",
    )
    lemmatizer_epochs: int = option(
        integer(1, MAX_EPOCHS), default=LEMMATIZER_EPOCHS, help="Epochs of the lemmatizer, at most."
    )

    def with_defaults(self, network: NetworkSpec | None) -> PipelineSpec:
        """The same with a parser of this network, if any. Raises SpecError for what does not go together."""
        names_tags = network is not None and bool(network.tags) and "parser" in self.parts
        by_parser = names_tags if self.parser_predicts_tags is None else self.parser_predicts_tags
        if by_parser and (network is None or "parser" not in self.parts):
            raise SpecError("PipelineSpec: parser_predicts_tags must not be True without a parser that has a network")
        if not by_parser and network is not None and network.tags:
            raise SpecError("PipelineSpec: parser_predicts_tags must not be False with a network that predicts tags")
        usual = PipelineSpec()
        for name in _OF_TAGGERS if by_parser else ():
            if getattr(self, name) != getattr(usual, name):
                raise SpecError(
                    f"PipelineSpec: {name} is about taggers and lemmatizer, and parser_predicts_tags is not False"
                )
        for name in _OF_PERCEPTRONS if network is not None and "parser" in self.parts else ():
            if getattr(self, name) != getattr(usual, name):
                raise SpecError(f"PipelineSpec: {name} is not for taggers that are networks")
        own = TrainingConfig().epochs if network is None else network.training.epochs
        epochs = self.tagger_epochs if by_parser or self.tagger_epochs is not None else own
        return replace(self, parser_predicts_tags=by_parser, tagger_epochs=epochs)


def train_pipeline(
    spec: PipelineSpec,
    treebank: Treebank,
    *,
    dev: Treebank | None = None,
    threads: int | None = None,
    vectors: WordVectors | None = None,
    classifier: Classifier | None = None,
    network: NetworkSpec | None = None,
    lexicon: Lexicon | None = None,
    sources: Sequence[Treebank] = (),
    treebank_weights: Sequence[float] | None = None,
    listeners: Sequence[Listener] = (),
    on_part_start: Callable[[str], None] = lambda name: None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    **options: Unpack[TrainingOptions],
) -> Pipeline:
    """Train a pipeline; `options` are those of `TrainingConfig`, for the parser, as are vectors and classifier.

    Parts that the treebank has no annotation for are left out; `training["left_out"]` gives the reasons. With `dev` the
    best epoch of each part is kept, and `training["dev"]` has the scores of the pipeline on it. `on_part_start` is
    called before each part; `threads` (None: one for each core) change no byte. Ctrl-C raises KeyboardInterrupt: there
    are no incomplete pipelines. The folder `checkpoint` holds what is finished; with `resume` training goes on from
    there, and gives the same pipeline as if it had never stopped. A `network` is short for a classifier of it, as in
    `train`. A `lexicon` is for the tagger of UPOS, as in `train_tagger`. The parser learns from the `sources`, too,
    treebanks of other languages, as they are; `treebank_weights` are those of the sources and of the treebank, as in
    `train`.
    """
    if not isinstance(spec, PipelineSpec):
        raise SpecError(f"train_pipeline: spec must be a PipelineSpec; got {spec!r}")
    check_treebanks("train_pipeline", treebank, dev)
    check_listeners("train_pipeline", listeners)
    threads = resolve_threads("train_pipeline: threads", threads)
    arguments = (
        *("dev", "threads", "vectors", "classifier", "network", "lexicon"),
        *("sources", "treebank_weights", "listeners", "checkpoint", "resume"),
    )
    check_options("train_pipeline", options, TrainingConfig.declarations, arguments)
    if not treebank.words:
        raise TreebankError(f"{treebank.path}: expected sentences for training, found none")
    classifier = choose_classifier("train_pipeline", classifier, network)
    known = network_of(classifier)
    seed = options.setdefault("seed", TrainingConfig().seed)
    spec = spec.with_defaults(known if isinstance(classifier, NetworkClassifier) else None)
    training = parser_training(spec.parser, options, known)  # valid, before other parts are trained
    if known is not None and "parser" in spec.parts:
        check_torch()
    of_parser = {"vectors": vectors, "classifier": classifier, **options}
    set_options = [name for name, value in of_parser.items() if name != "seed" and value is not None]
    if set_options and "parser" not in spec.parts:
        raise SpecError(f"train_pipeline: {set_options[0]} requires a parser among the parts")
    _check_lexicon(lexicon, spec, known)
    _check_sources(sources, treebank_weights, spec)
    identity = {
        "spec": spec.to_values(),
        "training": {name: value for name, value in training.to_values().items() if name != "epochs"},
        "network": known.to_values() if known is not None else None,
        "data": digests(treebank, dev) | {"vectors": vectors.digest if vectors is not None else None},
        "lexicon": None if lexicon is None else lexicon.to_values(),
        "sources": [digests(each, None) for each in sources],
        "weights": None if treebank_weights is None else list(treebank_weights),
    }
    checkpoints = CheckpointFolder.open(checkpoint, identity, resume=resume, on_error=partial(notice, listeners))
    with capped_default_threads(threads):
        run = _Run(spec, treebank, dev, seed, threads, listeners, on_part_start, of_parser, checkpoints, lexicon)
        run.sources, run.treebank_weights = list(sources), treebank_weights
        return run.run()


def _check_lexicon(lexicon: Lexicon | None, spec: PipelineSpec, network: NetworkSpec | None) -> None:
    if lexicon is None:
        return
    if not isinstance(lexicon, Lexicon):
        raise SpecError(f"train_pipeline: lexicon must be a Lexicon; got {lexicon!r}")
    has_tagger = "tagger" in spec.parts and "upos" in (spec.columns or COLUMNS)
    if network is not None or not has_tagger:
        found = "a network" if network is not None else "no such tagger"
        raise SpecError(f"train_pipeline: lexicon requires a perceptron as tagger of upos; got {found}")


def _check_sources(sources: Sequence[Treebank], treebank_weights: Sequence[float] | None, spec: PipelineSpec) -> None:
    if not sources:
        if treebank_weights is not None:
            raise SpecError("train_pipeline: treebank_weights requires sources")
        return
    if "parser" not in spec.parts:
        raise SpecError("train_pipeline: sources require a parser among the parts")
    if wrong := [each for each in sources if not isinstance(each, Treebank)]:
        raise TreebankError(f"train_pipeline: sources must be Treebanks; got {wrong[0]!r}")


def missing(treebank: Treebank) -> dict[str, str]:
    """Why parts, or columns of tags, cannot be learned from a treebank: by name."""
    found = {}
    raw = extract_raw_text(treebank)
    starts, ends = raw.tokens()
    inner = any(" " in form for form in treebank.vocabulary("form"))
    if not inner and not (starts[1:] == ends[:-1]).any():
        found["tokenizer"] = "nothing is told of spaces: one follows every token"
    for name in WORD_COLUMNS:
        if not treebank.column(name).any():
            found["lemmatizer" if name == "lemma" else name] = f"no word has {name.upper()}"
    if all(name in found for name in COLUMNS):
        found["tagger"] = "no word has tags"
    if not (treebank.heads >= 0).any():
        found["parser"] = "no word has a head"
    return found


@dataclass
class _Run:
    spec: PipelineSpec
    treebank: Treebank
    dev: Treebank | None
    seed: int
    threads: int
    listeners: Sequence[Listener]
    on_part_start: Callable[[str], None]
    of_parser: dict[str, Any]  # options of `train`
    checkpoints: CheckpointFolder
    lexicon: Lexicon | None = None
    sources: Sequence[Treebank] = ()  # of the parser alone
    treebank_weights: Sequence[float] | None = None

    def run(self) -> Pipeline:
        absent = missing(self.treebank)
        wanted = [part for part in self.spec.parts if part not in absent]
        if not wanted:
            raise TreebankError(f"{self.treebank.path}: {absent[self.spec.parts[0]]}: there is nothing to learn")
        chosen = [name for name in self.spec.columns or COLUMNS if "tagger" in wanted]
        self.columns = [name for name in COLUMNS if name in chosen and name not in absent]
        self.lemmas = "lemmatizer" in wanted
        tokenizer = self._tokenizer() if "tokenizer" in wanted else None
        is_joint = bool(self.spec.parser_predicts_tags) and "parser" in wanted
        parts = {"parser": self._joint_parser()} if is_joint else self._one_by_one(wanted)
        found = Pipeline(tokenizer=tokenizer, **parts)
        asked = {*self.spec.parts, *(COLUMNS if "tagger" in self.spec.parts else ())}
        found.training = TrainingRecord(
            written=PIPELINE,
            seed=self.seed,
            folds=0 if is_joint else self.folds,
            left_out={name: why for name, why in absent.items() if name in asked},
            sentences=len(self.treebank),
            words=self.treebank.words,
            data=digests(self.treebank, self.dev),
            dev=scores(found, self.dev) if self.dev is not None else None,
        )
        return found

    def _joint_parser(self) -> Parser:
        """A parser whose network predicts tags and lemmas as well; it sees none."""
        network = self.of_parser["classifier"].network
        asked = network.tags or WORD_COLUMNS
        columns = [name for name in asked if name in self.columns or (name == "lemma" and self.lemmas)]
        classifier = self.of_parser["classifier"].with_network(network.without(*WORD_COLUMNS).joint(*columns))
        return self._parser(self.treebank, self.dev, classifier=classifier)

    def _one_by_one(self, wanted: Sequence[str]) -> dict[str, Any]:
        """Taggers, lemmatizer and parser; each learns from what those before it predict."""
        taggers = self._taggers(self.treebank, dev=self.dev, notify=True)
        parser, lemmatizer = None, None
        jackknifed, dev = self.treebank, self.dev
        has_lemmatizer = self.lemmas and self.network is None
        if has_lemmatizer or "parser" in wanted:
            epochs = [tagger.training.best_epoch for tagger in taggers] if self.network is None else ()
            jackknifed = self._jackknifed(epochs, lemmas=self.lemmas and "parser" in wanted)
            dev = self._annotated(self.dev, taggers)
        if has_lemmatizer:
            self.on_part_start("lemmatizer")
            known = with_columns(jackknifed, self.treebank, ["lemma"])
            learn = partial(self._lemmatizer, known, dev=dev, listeners=self.listeners)
            lemmatizer = self.checkpoints.get("lemmatizer", learn)
            if dev is not None and self.folds:
                lemmatizer.annotate(dev)
        if "parser" in wanted:
            parser = self._parser(jackknifed, self._blanked(dev) if dev is not None else None)
        return {"taggers": taggers, "lemmatizer": lemmatizer, "parser": parser}

    @property
    def network(self) -> NetworkSpec | None:
        """What taggers are made of, unless they are perceptrons."""
        classifier = self.of_parser["classifier"]
        return classifier.network if isinstance(classifier, NetworkClassifier) else None

    # --- Parts ---

    def _tokenizer(self) -> Tokenizer:
        self.on_part_start("tokenizer")
        learn = partial(
            train_tokenizer,
            self.treebank,
            dev=self.dev,
            listeners=self.listeners,
            epochs=self.spec.tokenizer_epochs,
            seed=self.seed,
        )
        return self.checkpoints.get("tokenizer", lambda: whole(learn()))

    def _taggers(
        self,
        treebank: Treebank,
        *,
        dev: Treebank | None = None,
        notify: bool = False,
        epochs: Sequence[int] = (),
        listeners: Sequence[Listener] = (),
    ) -> list[Tagger | NetworkTagger]:
        tagged = [*self.columns, *["lemma"] * (self.lemmas and self.network is not None)]
        groups = [tuple(tagged)] if self.spec.joint_tagger else [(name,) for name in tagged]
        taggers = []
        for i, columns in enumerate(groups if tagged else []):
            if notify:
                self.on_part_start(f"tagger {'+'.join(columns)}")
            options: dict[str, Any] = {"seed": self.seed, "listeners": self.listeners if notify else listeners}
            if (most := epochs[i] if epochs else self.spec.tagger_epochs) is not None:
                options["epochs"] = most
            learn: Callable[[], Tagger | NetworkTagger]
            if self.network is None:
                spec = TaggerSpec(columns=columns, beam=self.spec.tagger_beam)
                options["lexicon"] = self.lexicon if "upos" in columns else None
                learn = partial(
                    train_tagger, spec, treebank, dev=dev, prune_threshold=self.spec.tagger_prune, **options
                )
            else:
                options["vectors"] = self.of_parser["vectors"]
                learn = partial(train_tagger, self.network.as_tagger(*columns), treebank, dev=dev, **options)
            taggers.append(self._kept_tagger(columns, learn) if notify else whole(learn()))
        return taggers

    def _kept_tagger(
        self, columns: Sequence[str], learn: Callable[[], Tagger | NetworkTagger]
    ) -> Tagger | NetworkTagger:
        found: Tagger | NetworkTagger = self.checkpoints.get(f"tagger-{'-'.join(columns)}", lambda: whole(learn()))
        return found

    def _lemmatizer(
        self, treebank: Treebank, *, dev: Treebank | None = None, listeners: Sequence[Listener] = ()
    ) -> Lemmatizer:
        return whole(
            train_lemmatizer(treebank, dev=dev, listeners=listeners, epochs=self.spec.lemmatizer_epochs, seed=self.seed)
        )

    def _parser(self, treebank: Treebank, dev: Treebank | None, **more: Any) -> Parser:
        self.on_part_start("parser")
        keeping: dict[str, Any] = {"checkpoint": self.checkpoints.path("parser"), "resume": self.checkpoints.resume}
        options = self.of_parser | more | keeping | {"listeners": self.listeners}
        if not self.sources:
            return whole(train(self.spec.parser, treebank, dev=dev, **options))
        return whole(
            train(
                self.spec.parser, [*self.sources, treebank], dev=dev, treebank_weights=self.treebank_weights, **options
            )
        )

    # --- What the parser sees ---

    @property
    def folds(self) -> int:
        """Number of folds of the spec; 0 if there are too few sentences."""
        return self.spec.folds if len(self.treebank) >= self.spec.folds else 0

    def _jackknifed(self, epochs: Sequence[int], *, lemmas: bool) -> Treebank:
        """The treebank with tags (and lemmas) predicted by models that were not trained on the sentence."""
        predicted = self._blanked(self.treebank)
        columns = [*self.columns, *["lemma"] * lemmas]
        if not self.folds or not columns:
            return predicted
        self.on_part_start(f"{self.folds} folds")

        def learn(rest: Treebank, fold: Fold, stop: Listener) -> Pipeline:
            taggers = self._taggers(rest, epochs=epochs, listeners=[stop])
            lemmatizer = self._lemmatizer(rest, listeners=[stop]) if lemmas and self.network is None else None
            return Pipeline(taggers=taggers, lemmatizer=lemmatizer)

        def annotate(taggers: Pipeline, held_out: Treebank) -> list[str]:
            taggers.annotate_words(held_out)
            return columns

        def kept(number: int, learn: Callable[[], Pipeline]) -> Pipeline:
            return self.checkpoints.get(f"fold-{number}", learn)

        return jackknife(self.treebank, self.folds, learn, annotate, into=predicted, threads=self.threads, kept=kept)

    def _annotated(self, treebank: Treebank | None, taggers: Sequence[Tagger | NetworkTagger]) -> Treebank | None:
        """A copy with the tags of the taggers, and its own lemmas."""
        if treebank is None:
            return None
        found = treebank.copy()
        for tagger in taggers if self.folds else ():
            tagger.annotate(found)
        return found

    def _blanked(self, treebank: Treebank) -> Treebank:
        """A copy without the columns that no part predicts: they will be missing in new texts as well."""
        found = treebank.copy()
        kept = [*self.columns, *["lemma"] * self.lemmas]
        for name in WORD_COLUMNS:
            if name not in kept:
                found.column(name)[:] = 0
        return found


def scores(pipeline: Pipeline, gold: Treebank) -> dict[str, dict[str, float]]:
    """F1 of a pipeline as the CoNLL 2018 shared task counts, from gold tokens and, with a tokenizer, from raw text.

    Columns that it does not predict are neither scored nor visible to it.
    """
    predicted = {*pipeline.columns, *pipeline.parts}
    names = [name for part, of_part in _SCORES.items() if part in predicted for name in of_part]
    found = gold.copy()
    for name in WORD_COLUMNS:
        found.column(name)[:] = 0
    pipeline.annotate(found)
    known = evaluate(gold, found, bootstrap_samples=0)
    result = {"gold tokens": {name: known[name].f1 for name in names}} if names else {}
    if pipeline.tokenizer is not None:
        raw = evaluate(gold, pipeline(extract_raw_text(gold).text), bootstrap_samples=0)
        result["raw text"] = {name: raw[name].f1 for name in (*_TOKEN_SCORES, *names)}
    return result


def with_columns(treebank: Treebank, other: Treebank, names: Sequence[str]) -> Treebank:
    """A copy with some columns of a treebank of the same words."""
    found = treebank.copy()
    for name in names:
        ids = np.array([found.id_of(name, text) for text in other.vocabulary(name)], dtype=np.int32)
        found.column(name)[:] = ids[other.column(name)]
    return found
