"""Error propagation: actions that lose gold arcs, and the wrong words that they cause.

An error is an action that costs more than another would: it gives up gold arcs that could still have been made. What is
wrong in the tree is the sum of errors; but a wrong arc is often made later than the error that it comes from, by an
action at no further cost, since nothing better was left. So each wrong word is traced to the action that made its gold
arc impossible.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from panparser.base.types import IntArray, LongArray
from panparser.errors import SpecError
from panparser.inspection.derivations import Derivations
from panparser.parsing.parser import Parser
from panparser.training.corpus import TrainingCorpus
from panparser.treebank.treebank import Treebank

BATCH_SENTENCES = 2000  # sentences walked through together
KINDS = ("immediate", "delayed", "tied")  # made by the error itself; made later; given up where no action was better


@dataclass(frozen=True)
class _Steps:
    """The cost of each action of the derivations, and the actions that would have been right (a bit each)."""

    costs: IntArray
    correct: npt.NDArray[np.int64]
    words: IntArray  # [action][S0, B0]: positions; 0 is Root, -1 none
    heads: IntArray  # of the trees, by word
    made: LongArray  # by word, the action that attached it; -1: none


@dataclass(frozen=True)
class Propagation:
    """Errors of a parser on a treebank, and wrong words by the error that caused them; `propagation` makes one."""

    derivations: Derivations
    errors: pd.DataFrame
    words: pd.DataFrame

    def summary(self) -> pd.Series:
        """Numbers of errors, of first errors in a sentence, and of the wrong words that each kind caused."""
        errors, words = self.errors, self.words
        lengths = np.diff(self.derivations.offsets)
        first = errors[errors["first"]]
        until = lengths.copy()
        until[first["sentence"].to_numpy() - 1] = first["step"].to_numpy()
        after = int(lengths.sum() - until.sum())
        traced = words[words["kind"] != "tied"]
        from_first = int(traced["from_first"].sum())
        return pd.Series(
            {
                "sentences": int((lengths > 0).sum()),
                "sentences with errors": len(first),
                "actions": int(lengths.sum()),
                "errors": len(errors),
                "errors in 100 actions, up to the first": _percent(len(first), int(until.sum())),
                "errors in 100 actions, after the first": _percent(len(errors) - len(first), after),
                "wrong words": len(words),
                "wrong words of first errors": from_first,
                "wrong words of later errors": len(traced) - from_first,
                "wrong words attached by the error itself": int((words["kind"] == "immediate").sum()),
                "wrong words attached later": int((words["kind"] == "delayed").sum()),
                "wrong words without an error": len(words) - len(traced),
            },
            dtype=object,
        )

    def table(self, *columns: str) -> pd.DataFrame:
        """Errors by columns of `errors` (default: correct, action): how many, how many came first, what they caused."""
        known = [name for name in self.errors.columns if name not in ("words", "immediate", "delayed", "first")]
        group_by = list(columns or ("correct", "action"))
        for name in group_by:
            if name not in known:
                raise SpecError(f"Propagation.table: columns must be some of {', '.join(known)}; got {name!r}")
        grouped = self.errors.groupby(group_by, sort=True, observed=True)
        table = grouped.agg(
            errors=("step", "size"),
            first=("first", "sum"),
            cost=("cost", "sum"),
            words=("words", "sum"),
            immediate=("immediate", "sum"),
            delayed=("delayed", "sum"),
        )
        table["words_per_error"] = table["words"] / table["errors"]
        return table.sort_values(["words", "errors"], ascending=False, kind="stable").reset_index()


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


def propagation(parser: Parser, gold: Treebank, *, beam: int | None = None) -> Propagation:
    """Follows a parser through a treebank beside the oracle: its errors, and the wrong words that each caused.

    Arcs are those that the parser was taught: where it lifts crossing arcs, the gold tree is lifted too. `errors` has a
    row for each action that cost more than another: what was right, what was done, the tags of S0 and B0, what it cost,
    whether it was the first of its sentence, and the wrong words that it caused, attached immediately or delayed.
    `words` has a row for each wrong word: where its gold arc was lost, and where it was attached.
    """
    derivations = Derivations.from_treebank(parser, gold, beam=beam)
    system = parser.spec.system
    if system.is_static_dynamic:
        raise SpecError(f"{system.name} charges for harmless swaps (static-dynamic): what an action costs is not exact")
    if system.static_oracle is not None:
        raise SpecError(f"{system.name} has a static oracle only: what an action costs off its path is not known")
    if system.focus == "free":
        raise SpecError(f"the focus of {system.name} is free: errors are followed where it is fixed")
    heads, labels = TrainingCorpus(parser.spec, gold).reference(parser.labels)
    steps = _follow(derivations, heads, labels)
    wrong = np.flatnonzero((heads >= 0) & (steps.heads != heads))
    lost = _trace(derivations, heads, wrong)
    return _tables(derivations, steps, wrong, lost)


def _follow(derivations: Derivations, heads: IntArray, labels: IntArray) -> _Steps:
    count = len(derivations.actions)
    costs = np.zeros(count, dtype=np.int32)
    right = np.zeros(count, dtype=np.int64)
    places = np.full((count, 2), -1, dtype=np.int32)
    made = np.full(derivations.treebank.words, -1, dtype=np.int64)
    batch = derivations.batch(gold=(heads, labels), templates=None)
    bits = 1 << np.arange(len(derivations.parser.spec.system.names), dtype=np.int64)
    for at in derivations.walk(batch):
        actions = derivations.actions[at]
        rows = np.arange(len(at), dtype=np.int32)
        every = batch.costs()
        least = every.min(axis=1)
        costs[at] = every[rows, actions] - least
        right[at] = (every == least[:, None]) @ bits
        places[at] = batch.positions(("S0", "B0"))
        _, dependents = batch.arcs(rows, actions)
        arcs = dependents > 0
        first = derivations.treebank.offsets[batch.started[batch.sentence_index[arcs]]]
        made[first + dependents[arcs] - 1] = at[arcs]
    found, _ = batch.trees()
    return _Steps(costs, right, places, found, made)


def _trace(derivations: Derivations, heads: IntArray, wrong: LongArray) -> LongArray:
    """For each of some words, the action that made its gold arc impossible; -1 if none did."""
    treebank = derivations.treebank
    sentence_of = treebank.sentence_of_word()
    lost = np.full(len(wrong), -1, dtype=np.int64)
    for start in range(0, len(wrong), BATCH_SENTENCES):
        words = wrong[start : start + BATCH_SENTENCES]
        sources = sentence_of[words].astype(np.int64)
        copies = treebank[sources.tolist()]
        own = copies.offsets[:-1] + words - treebank.offsets[sources]
        only = np.full(copies.words, -1, dtype=np.int32)  # the head of one word is known in each copy
        only[own] = heads[words]
        twin = Derivations(derivations.parser, copies, derivations.offsets, derivations.steps, derivations.labels)
        batch = twin.batch(gold=(only, np.full(copies.words, -1, dtype=np.int32)), templates=None)
        for at in twin.walk(batch, sources):
            every = batch.costs()
            rows = np.arange(len(at))
            gone = every[rows, derivations.actions[at]] > every.min(axis=1)
            which = start + batch.started[batch.sentence_index[gone]]
            lost[which] = np.where(lost[which] < 0, at[gone], lost[which])
    return lost


def _tables(derivations: Derivations, steps: _Steps, wrong: LongArray, lost: LongArray) -> Propagation:
    treebank, system = derivations.treebank, derivations.parser.spec.system
    at = np.flatnonzero(steps.costs > 0)
    sentence = np.searchsorted(derivations.offsets, at, side="right") - 1
    is_first = np.ones(len(at), dtype=bool)
    is_first[1:] = sentence[1:] != sentence[:-1]
    is_error = (lost >= 0) & (steps.costs[np.maximum(lost, 0)] > 0)
    immediate = is_error & (steps.made[wrong] == lost)
    number = np.searchsorted(at, lost)  # of the error
    counts = {
        name: np.bincount(number[mask], minlength=len(at))
        for name, mask in (("immediate", immediate), ("delayed", is_error & ~immediate))
    }
    names = np.array(system.names, dtype=object)
    tags = np.array([*treebank.vocabulary("upos"), "ROOT", "none"], dtype=object)
    first_word = treebank.offsets[sentence]

    def tag(column: int) -> npt.NDArray[np.object_]:
        words = steps.words[at, column]
        ids = np.where(words > 0, treebank.column("upos")[np.maximum(first_word + words - 1, 0)], words - 2)
        found: npt.NDArray[np.object_] = tags[ids]
        return found

    rights = {
        bits: " ".join(n for i, n in enumerate(names) if bits >> i & 1) for bits in set(steps.correct[at].tolist())
    }
    errors = pd.DataFrame(
        {
            "sentence": sentence + 1,
            "step": at - derivations.offsets[sentence] + 1,
            "correct": [rights[bits] for bits in steps.correct[at].tolist()],
            "action": names[derivations.actions[at]],
            "S0": tag(0),
            "B0": tag(1),
            "cost": steps.costs[at],
            "first": is_first,
            "words": counts["immediate"] + counts["delayed"],
            **counts,
        }
    )
    own = treebank.sentence_of_word()[wrong]
    step_of = np.where(is_error, lost - derivations.offsets[own] + 1, 0)
    made = steps.made[wrong]
    words = pd.DataFrame(
        {
            "sentence": own + 1,
            "word": wrong - treebank.offsets[own] + 1,
            "lost_at": step_of,
            "attached_at": np.where(made >= 0, made - derivations.offsets[own] + 1, 0),
            "kind": np.select([immediate, is_error], KINDS[:2], KINDS[2]),
            "from_first": is_error & is_first[np.minimum(number, max(0, len(at) - 1))] if len(at) else is_error,
        }
    )
    return Propagation(derivations, errors, words)
