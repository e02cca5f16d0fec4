"""A component for spaCy, `nlp.add_pipe("panparser")`: tags, lemmas, heads and labels of a pipeline in a Doc.

It needs the extra `spacy`; only spaCy imports this module.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, POS, TAG
from spacy.language import Language
from spacy.parts_of_speech import IDS
from spacy.tokens import Doc

from panparser.errors import ModelError
from panparser.pipeline.bundled_models import DEFAULT
from panparser.pipeline.loading import load
from panparser.pipeline.pipeline import Pipeline
from panparser.text.raw_text import SENTENCE
from panparser.text.text_output import Tokens, to_treebank
from panparser.treebank.treebank import Treebank

_COLUMNS = [POS, TAG, LEMMA, MORPH, DEP, HEAD]
_ROOT = "ROOT"  # spaCy's label of a root
_ASSIGNS = ["token.pos", "token.tag", "token.morph", "token.lemma", "token.head", "token.dep", "doc.sents"]


@Language.factory(  # type: ignore[untyped-decorator]
    "panparser", assigns=_ASSIGNS, default_config={"model": DEFAULT, "threads": 1}
)
def make(nlp: Language, name: str, model: str, threads: int) -> Component:
    """What `add_pipe` calls; `model` is a name or a file, as for `load`."""
    return Component(model, threads)


class Component:
    """Annotates the tokens of a Doc. Sentences are those of the Doc if it has any, else the pipeline finds them."""

    def __init__(self, model: str | os.PathLike[str], threads: int = 1) -> None:
        found = load(model)
        if not isinstance(found, Pipeline) or found.parser is None:
            raise ModelError(f"{os.fspath(model)}: expected a pipeline with a parser, found {found!r}")
        self.pipeline = found
        self.threads = threads

    def __call__(self, doc: Doc) -> Doc:
        words = [token.i for token in doc if not token.is_space]
        if not words:
            return doc
        starts = np.array([doc[i].idx for i in words], dtype=np.int64)
        ends = np.array([doc[i].idx + len(doc[i]) for i in words], dtype=np.int64)
        last = self._last(doc, words, ends)
        treebank = to_treebank(doc.text, Tokens(starts, ends, last))
        self.pipeline.annotate(treebank, threads=self.threads)
        return _written(doc, treebank, np.array(words))

    def _last(self, doc: Doc, words: list[int], ends: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """Which words are the last of their sentences."""
        if doc.has_annotation("SENT_START"):
            sentence = np.zeros(len(doc), dtype=np.int64)
            for number, span in enumerate(doc.sents):
                sentence[span.start : span.end] = number
            last = np.diff(sentence[words], append=-1) != 0
        elif self.pipeline.tokenizer is not None:
            marks = self.pipeline.tokenizer.marks(doc.text)
            ended = np.cumsum(marks == SENTENCE)
            last = np.diff(ended[ends - 1], prepend=0) > 0
        else:
            last = np.zeros(len(words), dtype=bool)
        last[-1] = True
        return np.asarray(last, dtype=np.uint8)


def _written(doc: Doc, treebank: Treebank, words: npt.NDArray[np.int64]) -> Doc:
    """The Doc with the treebank's annotation of some of its tokens; white space is attached to the word before it."""
    heads = np.maximum(np.searchsorted(words, np.arange(len(doc)), side="right") - 1, 0)
    table = np.zeros((len(doc), len(_COLUMNS)), dtype=np.uint64)
    table[:, 0] = IDS["SPACE"]
    table[:, 5] = (words[heads] - np.arange(len(doc))).astype(np.int64).view(np.uint64)
    upos, labels = treebank.vocabulary("upos"), treebank.vocabulary("deprel")
    sentence = treebank.sentence_of_word()
    tree = treebank.heads.astype(np.int64)
    is_root = tree <= 0
    target = np.where(is_root, np.arange(len(words)), tree - 1 + treebank.offsets[sentence])
    table[words, 5] = (words[target] - words).astype(np.int64).view(np.uint64)
    table[words, 0] = np.array([IDS.get(name, IDS["X"]) for name in upos], dtype=np.uint64)[treebank.column("upos")]
    strings, morphology = doc.vocab.strings, doc.vocab.morphology
    for place, name, add in ((1, "xpos", strings.add), (2, "lemma", strings.add), (3, "feats", morphology.add)):
        ids = np.array([_id(text, add) for text in treebank.vocabulary(name)], dtype=np.uint64)
        table[words, place] = ids[treebank.column(name)]
    named = np.array([_id(text, strings.add) for text in labels], dtype=np.uint64)[treebank.labels]
    table[words, 4] = np.where(is_root, np.uint64(strings.add(_ROOT)), named)
    return doc.from_array(_COLUMNS, table)


def _id(text: str, add: Any) -> int:
    return int(add("" if text == "_" else text))
