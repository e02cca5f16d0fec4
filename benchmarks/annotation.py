"""How many gestures does annotation take? A simulated person annotates 200 sentences with heads and labels.

    python benchmarks/annotation.py FOLDER    # FOLDER/TREEBANK/train.conllu; goes on where it stopped

Of each training set, sentences of 5 to 40 words are drawn by the seed: 20 that are done already, then 200 that are
annotated one after the other, with their gold tags. A correction is one gesture: another head, or another label. A
person who sees a wrong head corrects that first, and the label if it is still wrong then; whoever corrects a label has
decided the head, too. The ways, each of which adds something to the one before:

  a  static       a parser of the first 20 sentences; its errors are corrected
  b  learning     after every 5 sentences, a parser learns all that are done
  c  completion   after each correction, the rest of the sentence is parsed again around all corrections
  d  right so far when a word is corrected, those before it count as right
  e  uncertain    the words that the parser is least sure of are looked at first
  f  transferred  d, and the parser starts from one that learned from tags of other languages

Looking at a word that is right, and going on, is a confirmation: one key, counted apart. In d to f one is counted
whenever words become decided that were not corrected.
Everything but the person is what `panparser annotate` runs: completion, learning, gestures.

Apart from that, which sentences? Of 1000, 120 are annotated as in d, in document order, or those that are expected to
be worth most (`ActiveSelection`); the score on 300 held-out sentences tells how many corrections either way takes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from measured import Measurement, keep, measured
from tasks import arguments, build, finish, publish

import panparser as pp
from panparser.annotate.completion import Completer, Completion
from panparser.annotate.edits import Arc, Confirm, Edit, Head, RightSoFar
from panparser.annotate.live_learning import CompleterTrainer, InitialPrediction, treebank_of
from panparser.annotate.next_sentence import ActiveSelection
from panparser.annotate.sentence_draft import SentenceDraft
from panparser.training.parser_run import score
from panparser.transfer.transferring import train_transfer

TREEBANKS = ("hu", "fr_sequoia", "el", "tr", "got", "sv_lines", "et", "lv")
WAYS = ("static", "learning", "completion", "right so far", "uncertain", "transferred")
FIRST, THEN = 20, 200
SHORTEST, LONGEST = 5, 40
OF_SOURCES = 400  # sentences of each source
POOL, HELD_OUT, ACTIVE = 1000, 300, 120  # sentences to choose from, to score on, and to annotate
EVERY = 5  # sentences after which the parser learns
SURE = 0.15  # words of more confidence are not looked at before the others


@dataclass
class Count:
    """Gestures of a person."""

    heads: int = 0
    labels: int = 0
    confirmations: int = 0

    @property
    def corrections(self) -> int:
        return self.heads + self.labels


def sentences(path: Path, seed: int, most: int = FIRST + THEN) -> list[SentenceDraft]:
    """The sentences, drawn."""
    found = []
    for piece in path.read_text(encoding="utf-8").split("\n\n"):
        if piece.strip():
            draft = SentenceDraft.read(piece.strip("\n") + "\n\n")
            if SHORTEST <= len(draft.words) <= LONGEST and sum(word.head == 0 for word in draft.words) == 1:
                found.append(draft)
    order = np.random.default_rng(seed).permutation(len(found))[:most]
    return [found[at] for at in order]


def without_trees(draft: SentenceDraft) -> SentenceDraft:
    return replace(draft, done=False, words=tuple(replace(word, head=None, label=None) for word in draft.words))


# --- The person ---


def wrong(shown: Completion, gold: SentenceDraft, at: int) -> bool:
    found, right = shown.words[at], gold.words[at]
    return found.head != right.head or found.label != right.label


def post_edit(shown: Completion, gold: SentenceDraft, count: Count) -> None:
    """Corrects all that is wrong, one by one; nothing else changes."""
    for found, right in zip(shown.words, gold.words, strict=True):
        count.heads += found.head != right.head
        count.labels += found.label != right.label


class Person:
    """Annotates one sentence, with completion after each gesture."""

    def __init__(self, completer: Completer, gold: SentenceDraft, count: Count) -> None:
        self.completer, self.gold, self.count = completer, gold, count
        self.draft = without_trees(gold)
        self.shown = completer.complete(self.draft)

    def do(self, edit: Edit) -> None:
        before = self.draft
        self.draft = edit.apply(self.draft, self.shown.words)
        if self.draft != before:
            self.shown = self.completer.complete(self.draft)

    def correct(self, at: int) -> None:
        """A word that is wrong: its head first."""
        right = self.gold.words[at]
        if self.shown.words[at].head != right.head:
            self.do(Head(at + 1, right.head or 0))
            self.count.heads += 1
        if self.shown.words[at].label != right.label:
            self.do(Arc(at + 1, right.head or 0, right.label or "_"))  # a relation decides the arc that is shown
            self.count.labels += 1

    def in_order(self, *, right_so_far: bool) -> None:
        """From left to right."""
        while at := next((at for at in range(len(self.gold.words)) if wrong(self.shown, self.gold, at)), -1) + 1:
            at -= 1
            if right_so_far and at and self._undecided(range(at)):
                self.do(RightSoFar(at))
                self.count.confirmations += 1
                if any(wrong(self.shown, self.gold, before) for before in range(at + 1)) and not wrong(
                    self.shown, self.gold, at
                ):
                    continue
            self.correct(at)
        self.count.confirmations += 1  # done

    def _undecided(self, words: Sequence[int] | range) -> bool:
        return any(self.draft.words[at].head is None or self.draft.words[at].label is None for at in words)

    def uncertain_first(self, sure: float) -> None:
        """The least certain word, as long as there is one below the bound."""
        while (word := self.shown.least_certain(self.draft)) is not None:
            at = word - 1
            confidence = min(self.shown.head_confidence[at], self.shown.label_confidence[at])
            if confidence > sure:
                break
            if wrong(self.shown, self.gold, at):
                self.correct(at)
            else:
                self.count.confirmations += 1
            self.do(Confirm(word))


# --- Ways ---


def simulate(drawn: Sequence[SentenceDraft], seed: int, start: Completer, ways: Sequence[str]) -> dict[str, Count]:
    """What a person does by each way; those who annotate the same sentences have the same parsers."""
    learner = CompleterTrainer(start, seed=seed, every=EVERY)
    done, seen = list(drawn[:FIRST]), []
    first_parser = completer = learner.train(treebank_of(done))
    assert completer is not None
    assert first_parser is not None
    counts, new = {way: Count() for way in ways}, 0
    for gold in drawn[FIRST:]:
        first = completer.complete(without_trees(gold))
        for way in ways:
            annotate(way, first_parser if way == "static" else completer, gold, counts[way])
        done.append(gold)
        if (
            first.evidence is not None
            and (each := InitialPrediction.from_completion(first.evidence, first, gold)) is not None
        ):
            seen.append(each)
        new += 1
        if learner.should_retrain(new, len(done)):
            new = 0
            completer = learner.train(treebank_of(done), seen) or completer
    return counts


def annotate(way: str, completer: Completer, gold: SentenceDraft, count: Count) -> None:
    """One sentence, by one way."""
    person = Person(completer, gold, count)
    if way in ("static", "learning"):
        post_edit(person.shown, gold, count)
        return
    if way == "uncertain":
        person.uncertain_first(SURE)
    person.in_order(right_so_far=way != "completion")


def transferred(folder: Path, name: str, sample: pp.Treebank, seed: int) -> Completer:
    """A start that learned from tags of other languages."""
    sources = [
        pp.read_conllu(path, lenient=True)
        for path in sorted(folder.glob("*/train.conllu"))
        if path.parent.name.partition("_")[0] != name.partition("_")[0]
    ]
    found = train_transfer(
        sources, tagged_text=sample, method="all", max_source_sentences=OF_SOURCES, seed=seed, threads=1
    )
    assert isinstance(found.parser, pp.Parser)
    return Completer(found.parser)


# --- Choosing sentences ---


def until(folder: Path, name: str, seed: int, order: str) -> dict[str, list[float]]:
    """Corrections, and LAS on held-out text, after every 20 sentences: in document order, or chosen."""
    path = folder / name / "train.conllu"
    pool, held_out = sentences(path, seed, POOL), treebank_of(sentences(folder / name / "dev.conllu", seed, HELD_OUT))
    learner, choice, count = CompleterTrainer(seed=seed, every=EVERY), ActiveSelection(), Count()
    done, waiting = pool[:FIRST], pool[FIRST:]
    found: dict[str, list[float]] = {"sentences": [], "words": [], "corrections": [], "las": []}
    completer, words = learner.train(treebank_of(done)), 0
    assert completer is not None
    seen: list[InitialPrediction] = []
    for draft in done:
        choice.add_finished(draft.words)
    while len(done) <= FIRST + ACTIVE:
        if (len(done) - FIRST) % 20 == 0:
            assert completer.parser is not None
            las = score(completer.parser, held_out)[1] or 0.0
            for key, value in (
                ("sentences", len(done)),
                ("words", words),
                ("corrections", count.corrections),
                ("las", las),
            ):
                found[key].append(value)
        for gold in _chosen(completer, choice, waiting, order):
            first = completer.complete(without_trees(gold))
            annotate("right so far", completer, gold, count)
            if (
                first.evidence is not None
                and (each := InitialPrediction.from_completion(first.evidence, first, gold)) is not None
            ):
                seen.append(each)
            waiting.remove(gold)
            done.append(gold)
            choice.add_finished(gold.words)
            words += len(gold.words)
        completer = learner.train(treebank_of(done), seen) or completer
    return found


def _chosen(
    completer: Completer, choice: ActiveSelection, waiting: list[SentenceDraft], order: str
) -> list[SentenceDraft]:
    """The next few sentences."""
    if order == "document":
        return waiting[:EVERY]
    candidates = waiting[:: max(1, len(waiting) // 100)]
    bare = {id(draft): without_trees(draft) for draft in candidates}
    worth = {at: choice.score(draft, completer.complete(draft)) for at, draft in bare.items()}
    return sorted(candidates, key=lambda draft: -worth[id(draft)])[:EVERY]


ORDERS = ("document", "active")


@dataclass(frozen=True)
class ActiveTask:
    """One treebank, seed and order."""

    treebank: str
    seed: int
    order: str

    @property
    def key(self) -> str:
        return json.dumps(asdict(self))

    def effort(self, folder: Path) -> float:
        return 0.0  # after the others

    def run(self, folder: Path) -> Result:
        before = time.process_time()
        return Result(
            until(folder, self.treebank, self.seed, self.order), 0, ACTIVE, time.process_time() - before, build()
        )

    def __str__(self) -> str:
        return f"{self.treebank} {self.seed} {self.order} order"


def reached(points: dict[str, list[float]], las: float, what: str) -> float:
    """Corrections or sentences after which a score is reached first, between the points."""
    scores, values = points["las"], points[what]
    at = next(at for at, found in enumerate(scores) if found >= las)
    if not at:
        return values[0]
    share = (las - scores[at - 1]) / (scores[at] - scores[at - 1])
    return values[at - 1] + share * (values[at] - values[at - 1])


def active_figures(
    results: dict[str, Any], names: Sequence[str], seeds: Sequence[int]
) -> dict[str, dict[str, dict[str, float]]]:
    """By treebank and order: the LAS that both orders reach, and corrections and sentences until then."""
    found = {}
    for name in names:
        pairs = [[results.get(ActiveTask(name, seed, o).key) for o in ORDERS] for seed in seeds]
        done = [(a.counts, b.counts) for a, b in pairs if a is not None and b is not None]
        if not done:
            continue
        goals = [min(max(a["las"]), max(b["las"])) for a, b in done]
        found[name] = {
            order: {"LAS": mean(goals)}
            | {
                what: mean(reached(pair[at], goal, what) for pair, goal in zip(done, goals, strict=True))
                for what in ("corrections", "sentences")
            }
            for at, order in enumerate(ORDERS)
        }
    return found


def active_report(results: dict[str, Any], names: Sequence[str], seeds: Sequence[int]) -> Iterator[str]:
    yield ""
    yield "What it takes until the LAS on held-out text that both orders reach"
    yield ""
    yield f"{'treebank':<11}{'LAS':>6}{'corrections: document':>24}  active{'sentences: document':>22}  active"
    for name, orders in active_figures(results, names, seeds).items():
        cells = [orders[order][what] for what in ("corrections", "sentences") for order in ORDERS]
        yield f"{name:<11}{orders[ORDERS[0]]['LAS']:6.1f}" + "".join(
            f"{v:{w}.0f}" for v, w in zip(cells, (24, 8, 22, 8), strict=True)
        )


def active_measurements(results: dict[str, Any], names: Sequence[str], seeds: Sequence[int]) -> list[Measurement]:
    return [
        measured(
            "active",
            {"treebank": name, "order": order},
            figures,
            build=results[ActiveTask(name, seeds[0], order).key].build,
        )
        for name, orders in active_figures(results, names, seeds).items()
        for order, figures in orders.items()
    ]


@dataclass(frozen=True)
class Task:
    """One treebank and seed, with one start."""

    treebank: str
    seed: int
    start: str = "nothing"  # or "transferred"

    @property
    def key(self) -> str:
        return json.dumps(asdict(self))

    def effort(self, folder: Path) -> float:
        return (folder / self.treebank / "train.conllu").stat().st_size

    def run(self, folder: Path) -> Result:
        before = time.process_time()
        drawn = sentences(folder / self.treebank / "train.conllu", self.seed)
        start, ways = Completer(), list(WAYS[:-1])
        if self.start == "transferred":
            tags = treebank_of([without_trees(draft) for draft in drawn])
            start, ways = transferred(folder, self.treebank, tags, self.seed), [WAYS[3]]
        counts = simulate(drawn, self.seed, start, ways)
        found = {way: asdict(count) for way, count in counts.items()}
        if self.start == "transferred":
            found = {WAYS[-1]: found[WAYS[3]]}
        words = sum(len(draft.words) for draft in drawn[FIRST:])
        return Result(found, words, len(drawn) - FIRST, time.process_time() - before, build())

    def __str__(self) -> str:
        return f"{self.treebank} {self.seed} {self.start}"


@dataclass(frozen=True)
class Result:
    """Gestures by way."""

    counts: Any  # heads, labels and confirmations by way; or what `until` returns
    words: int
    sentences: int
    cpu: float
    build: str

    def __str__(self) -> str:
        if "las" in self.counts:
            return f"{self.counts['corrections'][-1]} corrections, LAS {self.counts['las'][-1]:.1f}"
        return ", ".join(f"{way} {each['heads'] + each['labels']}" for way, each in self.counts.items())


# --- The report ---


def tasks(names: Sequence[str], seeds: Sequence[int]) -> list[Task]:
    return [Task(name, seed, start) for name in names for seed in seeds for start in ("nothing", "transferred")]


def report(results: dict[str, Result], names: Sequence[str], seeds: Sequence[int]) -> Iterator[str]:
    listed = ", ".join(map(str, seeds))
    yield f"Corrections (heads and labels) per sentence, and how many times fewer than a; means over seeds {listed}"
    yield ""
    yield "treebank   " + "".join(f"{letter:>7}       " for letter in "abcdef")
    found = {name: _means(results, name, seeds) for name in names}
    for name in names:
        if row := found[name]:
            yield f"{name:<11}" + "".join(_cell(row.get(way)) for way in WAYS)
    columns = {way: [row[way] for row in found.values() if way in row] for way in WAYS}
    means = {way: _mean(rows) for way, rows in columns.items() if len(rows) == len(names)}
    yield f"{'average':<11}" + "".join(_cell(means.get(way)) for way in WAYS)
    yield ""
    yield "Confirmations (keys that only say: right) per sentence, and all gestures together"
    for letter, way in zip("abcdef", WAYS, strict=True):
        if way in means:
            yield f"{letter} {way:<14}{means[way][2]:7.2f}{means[way][0] + means[way][2]:7.2f}"
    for start, ways in (("nothing", "a to e"), ("transferred", "f")):
        wanted = [Task(name, seed, start) for name in names for seed in seeds]
        if left := [f"{task.treebank} {task.seed}" for task in wanted if task.key not in results]:
            yield f"{ways}: not finished, so not in the table: {', '.join(left)}"
    builds = {result.build for result in results.values()}
    if builds - {build()}:
        yield f"some results are of another build of panparser ({len(builds)} builds in all)"


def _means(results: dict[str, Result], name: str, seeds: Sequence[int]) -> dict[str, list[float]]:
    """By way: corrections per sentence, how many times fewer than a static parser of the same seeds, confirmations."""
    found: dict[str, list[list[float]]] = {}
    for seed in seeds:
        done = [results.get(Task(name, seed, start).key) for start in ("nothing", "transferred")]
        counts = {way: (count, each.sentences) for each in done if each for way, count in each.counts.items()}
        if WAYS[0] not in counts:
            continue
        for way, (count, sentences) in counts.items():
            corrections, static = (each["heads"] + each["labels"] for each in (count, counts[WAYS[0]][0]))
            found.setdefault(way, []).append(
                [corrections / sentences, static / corrections, count["confirmations"] / sentences]
            )
    return {way: _mean(rows) for way, rows in found.items()}


def measurements(results: dict[str, Result], names: Sequence[str], seeds: Sequence[int]) -> list[Measurement]:
    """Per sentence, by treebank, way and seed."""
    return [
        measured(
            "annotation",
            {"treebank": name, "way": way, "seed": str(seed)},
            {"corrections": fixed, "times fewer": fewer, "confirmations": confirmed, "gestures": fixed + confirmed},
            build=results[Task(name, seed).key].build,
        )
        for name in names
        for seed in seeds
        for way, (fixed, fewer, confirmed) in _means(results, name, [seed]).items()
    ]


def _mean(rows: Sequence[Sequence[float]]) -> list[float]:
    return [mean(numbers) for numbers in zip(*rows, strict=True)]


def _cell(numbers: Sequence[float] | None) -> str:
    return f"{numbers[0]:7.2f} {numbers[1]:4.2f}x " if numbers else f"{'–':>7}       "


def main() -> None:
    parser = arguments(__doc__, "annotation", "1,2,3")
    parser.add_argument("--active-seeds", default="1", help="of the comparison of orders; default 1")
    options = parser.parse_args()
    names = options.treebanks.split(",") if options.treebanks else list(TREEBANKS)
    seeds = [int(seed) for seed in options.seeds.split(",")]
    chosen = [int(seed) for seed in options.active_seeds.split(",")]
    orders = [ActiveTask(name, seed, order) for seed in chosen for name in names for order in ORDERS]
    results = finish(options, [*tasks(names, seeds), *orders], Result)
    publish(options, [*report(results, names, seeds), *active_report(results, names, chosen)])
    if not options.report:
        keep("annotation", measurements(results, names, seeds), options.results.parent)
        keep("active", active_measurements(results, names, chosen), options.results.parent)


if __name__ == "__main__":
    main()
