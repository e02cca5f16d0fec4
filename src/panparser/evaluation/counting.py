"""Counts for evaluation: the words of two analyses of one text, aligned by characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator

import numpy as np

from panparser import _engine
from panparser.base.types import BoolArray, LongArray
from panparser.errors import TreebankError
from panparser.treebank.treebank import Treebank
from panparser.treebank.universal import base_label

_CONTENT = set(
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod acl amod "
    "conj fixed flat compound list parataxis orphan goeswith reparandum root dep".split()
)
_FUNCTION = set("aux cop mark det clf case cc".split())
_FEATURES = set(  # of the shared task: Universal Dependencies has more by now
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm Mood Tense Aspect "
    "Voice Evident Polarity Person Polite".split()
)


class Side:
    """One treebank as spans of characters."""

    def __init__(self, treebank: Treebank) -> None:
        if not isinstance(treebank, Treebank):
            raise TreebankError(f"expected a Treebank (read_conllu makes one); got {treebank!r}")
        treebank.check()
        self.treebank = treebank
        forms = [_without_spaces(form) for form in treebank.vocabulary("form")]
        words = treebank.words
        self.multiword = np.zeros(words, dtype=np.uint8)
        starts_token = np.ones(words, dtype=bool)
        texts = [forms[i] for i in treebank.column("form").tolist()]
        for index in range(len(treebank)):
            for first, last, line in treebank.extra_lines("ranges", index):
                begin, end = int(treebank.offsets[index]) + first - 1, int(treebank.offsets[index]) + last
                self.multiword[begin:end] = 1
                starts_token[begin + 1 : end] = False
                texts[begin] = _without_spaces(line.split("\t")[1])
        token = np.cumsum(starts_token) - 1
        self.first_words = np.flatnonzero(starts_token)
        self.texts = [texts[i] for i in self.first_words.tolist()]
        ends = np.cumsum([len(text) for text in self.texts], dtype=np.int64)
        starts = np.concatenate([[0], ends[:-1]]).astype(np.int64) if words else ends
        self.token_spans = (starts, ends)
        self.start, self.end = starts[token], ends[token]
        self.sentence_spans = (self.start[treebank.offsets[:-1]], self.end[treebank.offsets[1:] - 1])

    def parents(self) -> LongArray:
        """The index of each word's head; -1 for Root, -2 for none."""
        heads = self.treebank.heads.astype(np.int64)
        first = self.treebank.offsets[self.treebank.sentence_of_word()] if len(heads) else heads
        return np.where(heads > 0, first + heads - 1, heads - 1)


class Pair:
    """Gold and predicted words, aligned."""

    def __init__(self, gold: Treebank, predicted: Treebank) -> None:
        self.gold, self.predicted = Side(gold), Side(predicted)
        _check_texts(self.gold, self.predicted)
        forms = [
            np.where(side.multiword, whole, bare)  # white space counts only within multiword tokens
            for side, whole, bare in zip((self.gold, self.predicted), *self.forms(), strict=True)
        ]
        sides = zip((self.gold, self.predicted), forms, strict=True)
        arrays = [(side.start, side.end, code.astype(np.int32), side.multiword) for side, code in sides]
        pairs = _engine.align(*arrays[0], *arrays[1])
        self.g, self.p = pairs[:, 0], pairs[:, 1]
        # Every count belongs to a gold sentence: that of the gold word, or that in which the predicted word starts.
        self.sentences = len(gold)
        self.gold_sentence = gold.sentence_of_word()
        self.sentence_starts = self.gold.sentence_spans[0]
        self.predicted_sentence = self.sentence_at(self.predicted.start)

    def forms(self) -> tuple[tuple[LongArray, LongArray], tuple[LongArray, LongArray]]:
        """Lower-cased forms as numbers: with and without white space."""
        numbers: dict[str, int] = {}
        whole = self.codes("form", str.lower, numbers)
        return whole, self.codes("form", lambda form: _without_spaces(form).lower(), numbers)

    def sentence_at(self, start: LongArray) -> LongArray:
        return np.maximum(np.searchsorted(self.sentence_starts, start, side="right") - 1, 0)

    def codes(
        self, column: str, change: Callable[[str], str] = str, numbers: dict[str, int] | None = None
    ) -> tuple[LongArray, LongArray]:
        """A column of both treebanks as numbers that are equal if the strings, after a transformation, are equal."""
        numbers = {} if numbers is None else numbers
        coded = []
        for side in (self.gold, self.predicted):
            strings = side.treebank.vocabulary(column)
            table = np.array([numbers.setdefault(change(text), len(numbers)) for text in strings], dtype=np.int64)
            coded.append(table[side.treebank.column(column)])
        return coded[0], coded[1]

    def per_sentence(self, sentence: LongArray, chosen: BoolArray | None = None) -> LongArray:
        return np.bincount(sentence if chosen is None else sentence[chosen], minlength=self.sentences)

    def spans(
        self, gold: tuple[LongArray, LongArray], predicted: tuple[LongArray, LongArray]
    ) -> tuple[LongArray, LongArray, LongArray, None]:
        """Spans that are the same in both."""
        wanted = dict(zip(gold[0].tolist(), gold[1].tolist(), strict=True))
        same = np.array([wanted.get(s) == e for s, e in zip(*(x.tolist() for x in predicted), strict=True)], dtype=bool)
        at = self.sentence_at(predicted[0])
        return self.per_sentence(at, same), self.per_sentence(self.sentence_at(gold[0])), self.per_sentence(at), None

    def words(
        self, correct: BoolArray, gold: BoolArray | None = None, predicted: BoolArray | None = None
    ) -> tuple[LongArray, LongArray, LongArray, int]:
        """Aligned and correct words, among those that count in each file."""
        counted = np.ones(len(self.g), dtype=bool) if gold is None else gold[self.g]
        return (
            self.per_sentence(self.gold_sentence[self.g], correct & counted),
            self.per_sentence(self.gold_sentence, gold),
            self.per_sentence(self.predicted_sentence, predicted),
            int(counted.sum()),
        )

    def metrics(self) -> Iterator[tuple[str, tuple[LongArray, LongArray, LongArray, int | None]]]:
        g, p = self.g, self.p
        yield "Tokens", self.spans(self.gold.token_spans, self.predicted.token_spans)
        yield "Sentences", self.spans(self.gold.sentence_spans, self.predicted.sentence_spans)
        yield "Words", (*self.words(np.ones(len(g), dtype=bool))[:3], None)
        upos, xpos = self.codes("upos"), self.codes("xpos")
        feats = self.codes("feats", universal_features)
        same = {name: a[g] == b[p] for name, (a, b) in (("upos", upos), ("xpos", xpos), ("feats", feats))}
        yield "UPOS", self.words(same["upos"])
        yield "XPOS", self.words(same["xpos"])
        yield "UFeats", self.words(same["feats"])
        yield "AllTags", self.words(same["upos"] & same["xpos"] & same["feats"])
        lemmas = self.codes("lemma")
        lemma = (lemmas[0][g] == lemmas[1][p]) | (self.gold.treebank.column("lemma")[g] == 0)
        yield "Lemmas", self.words(lemma)
        yield from self.attachments(same, lemma)

    def attachments(
        self, same: dict[str, BoolArray], lemma: BoolArray
    ) -> Iterator[tuple[str, tuple[LongArray, LongArray, LongArray, int | None]]]:
        g, p = self.g, self.p
        parents = self.gold.parents()
        to_gold = np.full(self.predicted.treebank.words + 2, -3, dtype=np.int64)  # -3: not aligned
        to_gold[p] = g
        to_gold[-1], to_gold[-2] = -1, -4  # Root; a predicted word without a head is never correct
        mapped = to_gold[self.predicted.parents()]
        uas = parents[g] == mapped[p]
        labels, full = self.codes("deprel", base_label), self.codes("deprel")
        las = uas & (labels[0][g] == labels[1][p])
        annotated, headed = self.headed(parents)
        yield "UAS", self.words(uas, annotated, headed)
        yield "LAS", self.words(las, annotated, headed)
        content = [self.has_label(side, _CONTENT) for side in (self.gold, self.predicted)]
        filters = (content[0] & annotated, content[1] & headed)
        yield "CLAS", self.words(las, *filters)
        function = self.function_words(parents, mapped, labels, same, headed)
        yield "MLAS", self.words(las & same["upos"] & same["feats"] & function, *filters)
        yield "BLEX", self.words(las & lemma, *filters)
        yield "FullLAS", self.words(uas & (full[0][g] == full[1][p]), annotated, headed)
        punctuation = [self.has_tag(side, "PUNCT") for side in (self.gold, self.predicted)]
        not_punctuation = (annotated & ~punctuation[0], headed & ~self.follow_gold(punctuation))
        yield "UAS-punct", self.words(uas, *not_punctuation)
        yield "LAS-punct", self.words(las, *not_punctuation)
        for name, right in (("Exact-UAS", uas), ("Exact-LAS", las)):
            yield name, self.exact(right, annotated)

    def headed(self, parents: LongArray) -> tuple[BoolArray, BoolArray]:
        """Words whose attachment counts: annotated gold ones, predicted ones with a head unless the gold has none."""
        annotated = parents != -2
        headed = self.predicted.treebank.heads >= 0
        headed[self.p] &= annotated[self.g]
        return annotated, headed

    def has_label(self, side: Side, wanted: set[str]) -> BoolArray:
        table = np.array([base_label(label) in wanted for label in side.treebank.vocabulary("deprel")], dtype=bool)
        return table[side.treebank.column("deprel")]

    def has_tag(self, side: Side, wanted: str) -> BoolArray:
        table = np.array([tag == wanted for tag in side.treebank.vocabulary("upos")], dtype=bool)
        return table[side.treebank.column("upos")]

    def follow_gold(self, flags: list[BoolArray]) -> BoolArray:
        """A flag of predicted words, taken from the gold if the word is aligned."""
        followed = flags[1].copy()
        followed[self.p] = flags[0][self.g]
        return followed

    def function_words(
        self,
        parents: LongArray,
        mapped: LongArray,
        labels: tuple[LongArray, LongArray],
        same: dict[str, BoolArray],
        headed: BoolArray,
    ) -> BoolArray:
        """For each aligned pair: do both have the same function words, with the same labels, tags and features?

        Alignment keeps the order, so it is enough that each predicted child matches a gold child, and that both words
        have equally many.
        """
        g, p = self.g, self.p
        is_function = [self.has_label(side, _FUNCTION) for side in (self.gold, self.predicted)]
        predicted_parents = self.predicted.parents()
        good = (
            is_function[0][g]
            & is_function[1][p]
            & same["upos"]
            & same["feats"]
            & (labels[0][g] == labels[1][p])
            & (parents[g] == mapped[p])
            & (parents[g] >= 0)
        )
        matched = np.bincount(predicted_parents[p][good], minlength=len(predicted_parents))
        in_gold = np.bincount(parents[is_function[0] & (parents >= 0)], minlength=len(parents))
        chosen = is_function[1] & (predicted_parents >= 0) & headed
        in_predicted = np.bincount(predicted_parents[chosen], minlength=len(predicted_parents))
        same_children: BoolArray = (in_gold[g] == in_predicted[p]) & (in_predicted[p] == matched[p])
        return same_children

    def exact(self, right: BoolArray, annotated: BoolArray) -> tuple[LongArray, LongArray, LongArray, None]:
        """Gold sentences whose annotated words are all correct."""
        found = self.per_sentence(self.gold_sentence[self.g], right & annotated[self.g])
        wanted = self.per_sentence(self.gold_sentence, annotated)
        one = (wanted > 0).astype(np.int64)  # a sentence without annotation never counts as correct
        return ((found == wanted) & (wanted > 0)).astype(np.int64), one, one, None


def _check_texts(gold: Side, predicted: Side) -> None:
    texts = ["".join(side.texts) for side in (gold, predicted)]
    for side in (gold, predicted):
        if "" in side.texts:
            raise TreebankError(f"{side.treebank.path}: expected words of more than spaces, found one of spaces alone")
    if texts[0] == texts[1]:
        return
    if not all(texts):
        empty = gold if not texts[0] else predicted
        raise TreebankError(f"{empty.treebank.path}: expected the words of the other file, found none")
    at = next((i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts)))
    places = []
    for side, text in zip((gold, predicted), texts, strict=True):
        token = int(np.searchsorted(side.token_spans[1], at, side="right"))
        word = int(side.first_words[min(token, len(side.texts) - 1)])
        sentence = side.treebank[int(np.searchsorted(side.treebank.offsets, word, side="right")) - 1]
        found = repr(text[at : at + 20]) if at < len(text) else "the end"
        places.append(f"{side.treebank.path} has {found} (sentence {sentence.position + 1}, line {sentence.line})")
    raise TreebankError(f"the two files must have the same text, white space aside; {', '.join(places)}")


def _without_spaces(form: str) -> str:
    if form.isascii():
        return form.replace(" ", "")
    return "".join(c for c in form if unicodedata.category(c) != "Zs")


def universal_features(feats: str) -> str:
    return "|".join(sorted(item for item in feats.split("|") if item.partition("=")[0] in _FEATURES))
