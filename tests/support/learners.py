"""Engine and reference side by side: the same training by both, in a form that compares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import panparser as pp
from panparser.inspection.naive_features import Reader, seen_by_labels
from panparser.learning.training import TrainingConfig
from panparser.training.engine_parser_run import PerceptronRun
from panparser.training.training_constraints import TrainingConstraints
from places import ENGLISH as ENGLISH_FILE
from reference.learning import Example, Perceptron, ReferenceLearner, Update

PERCEPTRON_STRATEGIES = {name: strategy for name, strategy in pp.STRATEGIES.items() if strategy.competitor == "best"}
ENGLISH = pp.read_conllu(ENGLISH_FILE)
SMALL = pp.Templates.parse("""
    S0.form
    S0.upos B0.upos
    B0.form B1.upos
    S0.upos S0.left[0].upos B0.upos
    S0.left_valency S0.right_valency S0.upos
    S0.label S0.right_labels
    S1.upos S0.upos
    distance(S0,B0) S0.upos
    history[0]
""")


def short_sentences(count: int, words: int = 9, treebank: pp.Treebank = ENGLISH) -> pp.Treebank:
    """The first sentences of at most so many words."""
    chosen = [i for i, sentence in enumerate(treebank) if len(sentence) <= words][:count]
    return pp.parse_conllu("".join(treebank[i].to_conllu() for i in chosen))


def treebank_of(*sentences: str) -> pp.Treebank:
    """Sentences of words `form/tag/head/label`, the label perhaps left out."""
    lines = []
    for sentence in sentences:
        for number, word in enumerate(sentence.split(), start=1):
            form, tag, head, label = [*word.split("/"), "_"][:4]
            lines.append(f"{number}\t{form}\t{form}\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n")
        lines.append("\n")
    return pp.parse_conllu("".join(lines))


def without_heads(treebank: pp.Treebank, share: float, seed: int = 1) -> pp.Treebank:
    """A copy of which a share of the words, drawn at random, has neither head nor label."""
    partial = pp.parse_conllu(treebank.to_bytes().decode())
    unknown = np.random.default_rng(seed).random(partial.words) < share
    partial.heads[unknown] = -1
    partial.column("deprel")[unknown] = partial.id_of("deprel", "_")
    return partial


class Recorder(pp.Listener):
    """Hears of every update and the order of sentences."""

    def __init__(self) -> None:
        self.updates: list[Update] = []
        self.order: list[tuple[int, int]] = []

    def before_sentence(self, epoch, sentence):
        self.order.append((epoch, sentence))

    def before_update(self, update):
        scores = (update.positive_score, update.negative_score)
        self.updates.append(Update(update.positive, update.negative, *scores, update.started))


@dataclass
class Learned:
    """What came of a training by the engine."""

    run: PerceptronRun
    updates: list[Update]
    order: list[tuple[int, int]]
    parser: pp.Parser

    @property
    def learner(self):
        (learner,) = self.run.learners
        return learner

    def actions(self) -> dict[int, tuple[tuple[int, ...], tuple[int, ...]]]:
        """By key: the weights of all actions, and their sums over time."""
        rows = self.learner.actions()
        shape = (len(rows.keys), len(self.run.spec.system.names))
        weights, dated = rows.weights.reshape(shape).astype(np.int64), rows.dated.reshape(shape)
        totals = self.learner.time * weights - dated
        each = zip(rows.keys, weights, totals, strict=True)
        return {int(key): (tuple(row.tolist()), tuple(total.tolist())) for key, row, total in each}

    def labels(self) -> dict[int, dict[str, tuple[int, int]]]:
        """By key and label: a weight, and its sum over time."""
        found = self.learner.labels()
        labels, weights, dated = found.labels.tolist(), found.weights.tolist(), found.dated.tolist()
        names, time, at = self.run.labels.names, self.learner.time, 0
        rows = {}
        for key, count in zip(found.keys.tolist(), found.counts.tolist(), strict=True):
            cells = range(at, at + count)
            rows[key] = {names[labels[i]]: (weights[i], time * weights[i] - dated[i]) for i in cells}
            at += count
        return rows


def start(
    spec: pp.ParserSpec, treebank: pp.Treebank, listeners: Sequence[pp.Listener] = (), constraints=None, **options
) -> PerceptronRun:
    """A training that has not begun."""
    training = TrainingConfig(**options)
    given = None
    if constraints is not None:
        given = TrainingConstraints(constraints, None, treebank, None, training.seed)
    return PerceptronRun(
        spec=spec,
        treebank=treebank,
        dev=None,
        vectors=None,
        init=None,
        listeners=listeners,
        checkpoint=None,
        training=training,
        constraints=given,
    )


def learn(spec: pp.ParserSpec, treebank: pp.Treebank, **options) -> Learned:
    """One perceptron's training, with all that it did."""
    recorder = Recorder()
    run = start(spec, treebank, [recorder], members=1, **options)
    parser = run.run(False)
    return Learned(run, recorder.updates, recorder.order, parser)


def golds(constraints: pp.Constraints) -> list[pp.GoldTree]:
    """Given heads and labels, sentence by sentence."""
    found = []
    for number in range(len(constraints.treebank)):
        words = constraints.word_slice(number)
        heads = [None if head < 0 else head for head in constraints.heads[words].tolist()]
        labels = [None if label < 0 else constraints.texts[label] for label in constraints.labels[words].tolist()]
        found.append(pp.GoldTree(heads, labels))
    return found


def examples(spec: pp.ParserSpec, treebank: pp.Treebank, given: list[pp.GoldTree] | None = None) -> list[Example]:
    """The sentences as the reference takes them; in a system that leaves words headless, `_` says that one is."""
    unknown = pp.NO_HEAD if spec.system.partial else None
    found = []
    for number, sentence in enumerate(treebank):
        gold = sentence.gold()
        heads = pp.GoldTree(unknown if head is None else head for head in gold.heads)
        known = given[number] if given else None
        reader = Reader.from_sentence(spec.used_templates, sentence, known)
        found.append(Example(reader, heads, gold.labels or (), given=known))
    return found


def attaches_deeper(system: pp.TransitionSystem, positions: Sequence[str] = ("S1", "S2")) -> bool:
    """Are there arcs from or to S1 or S2?"""
    joined = {str(p) for row in system.transitions for e in row.then if e.kind == "arc" for p in e.positions}
    return bool(joined & set(positions))


def reference(learned: Learned) -> ReferenceLearner:
    """The same training by the reference, sentence by sentence in the order of the engine."""
    run = learned.run
    spec, labels = run.spec, run.labels
    given = golds(run.constraints.for_epoch(1)) if run.constraints else None
    deeper, deepest = attaches_deeper(spec.system), attaches_deeper(spec.system, ["S2"])
    seen = {
        str(template): (deepest and not template.actions_only) or seen_by_labels(template, deeper)
        for template in spec.used_templates
    }
    learner = ReferenceLearner(
        spec.system,
        spec.beam,
        [name for name, is_root in zip(labels.names, labels.of_root, strict=True) if is_root],
        [name for name, is_word in zip(labels.names, labels.of_words, strict=True) if is_word],
        for_labels=lambda feature: seen[feature[0]],
        seed=run.training.seed,
        unit=run._unit,
    )
    sentences = examples(spec, run.treebank, given)
    for epoch, sentence in learned.order:
        strategy = run.training.strategy_for(epoch, sentence)
        learner.train_one_sentence(sentences[sentence], strategy, strategy.exploration(epoch))
    return learner


def action_rows(actions: Perceptron, names: tuple[str, ...]) -> Counter:
    """Rows of weights and sums of the reference, without the features that they belong to."""
    return Counter(
        (tuple(row.get(name, 0) for name in names), tuple(actions.totals[feature].get(name, 0) for name in names))
        for feature, row in actions.weights.items()
    )


def label_rows(labels: Perceptron) -> Counter:
    return Counter(
        frozenset((name, (weight, labels.totals[feature][name])) for name, weight in row.items())
        for feature, row in labels.weights.items()
    )


def assert_same(learned: Learned, expected: ReferenceLearner) -> None:
    """Same updates with the same scores, same weights, same sums over time."""
    assert learned.updates == expected.updates
    names = learned.run.spec.system.names
    assert Counter(learned.actions().values()) == action_rows(expected.actions, names)
    assert Counter(frozenset(row.items()) for row in learned.labels().values()) == label_rows(expected.labels)
