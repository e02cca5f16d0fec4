"""`derive`: the exact losses of a table of conditions and effects, found by search, or why none exist."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, get_args

from panparser._checks import MAX_PROVEN_WORDS, check_range
from panparser.errors import DeclarationError, ProofError
from panparser.systems.deriving.candidates import conditions
from panparser.systems.deriving.evidence import Evidence, Search
from panparser.systems.deriving.fitting import LossMismatch, fit
from panparser.systems.deriving.witness import Counterexample
from panparser.systems.proof.check import CheckReport, Progress, check_system
from panparser.systems.proof.golds import GOLD_NOUNS, Golds, default_golds
from panparser.systems.registry import system as as_system
from panparser.systems.table import TransitionSystem
from panparser.systems.terms import Loss, back

_BESIDE_LOSSES = ("blocked-chain-1", "blocked-chain-2", "cycles")  # potentials that are added to losses


@dataclass(frozen=True)
class DerivedLosses:
    """What `derive` found: the system with its losses, or a witness that no table of losses is exact.

    `learned` is the length of the longest sentences that the losses were found on, and `proofs` what they were proven
    on. If there are no losses for head directions, `directions` is the witness of that, and the table has no costs for
    them.
    """

    system: TransitionSystem | None
    witness: Counterexample | None = None
    directions: Counterexample | None = None
    learned: int = 0
    proofs: tuple[CheckReport, ...] = ()

    def __str__(self) -> str:
        if self.system is None:
            return str(self.witness)
        golds = " and every ".join(GOLD_NOUNS[str(proof.golds)] for proof in self.proofs)
        lines = [
            str(self.system),
            "",
            f"found on sentences of up to {self.learned} words; proven up to {self.proofs[0].rows[-1].words}: "
            "the cost of every transition",
            f"equals the exhaustive definition, for every {golds}",
        ]
        if self.directions:
            lines.append(f"no losses are exact for head directions: {self.directions.summary}")
        return "\n".join(lines)


def derive_losses(
    system: Any,
    max_words: int = 5,
    *,
    golds: Golds | None = None,
    directions: bool = True,
    potential: str | None = None,
    progress: Progress | None = None,
) -> DerivedLosses:
    """Finds the losses of a transition system from its conditions and effects alone.

    The system is a name, a file or a table; losses, potential and static oracle that it has are ignored. True costs
    come from exhaustive search. The losses are found on sentences of fewer than `max_words` words (on all, if
    necessary), and proven by `check_system` up to `max_words`, for the golds that it takes (or other `golds`); so are
    those for head `directions`. Guards are used only if nothing fits without; then the fewest terms win, then those of
    the fewest words. With a `potential` (one that losses can stand beside: blocked-chain-1, blocked-chain-2, cycles),
    losses are found for what it leaves.

    Raises CheckFailed, with a drawing, if the system is unsound (gets stuck, never ends, or its output is not a tree).
    """
    bare = without_costs(system, potential)
    check_range("max_words", max_words, 1, MAX_PROVEN_WORDS)
    if golds is not None and golds not in get_args(Golds):
        raise ValueError(f"golds must be one of {', '.join(get_args(Golds))}; got {golds!r}")
    work = LossSearch(bare, max_words, progress or (lambda *_: None))
    found = work.table(golds or default_golds(bare), bare)
    if isinstance(found, Counterexample):
        return DerivedLosses(None, found)
    table, learned, proof = found
    if not directions:
        return DerivedLosses(table, None, None, learned, (proof,))
    directed = work.table("directions", table)
    if isinstance(directed, Counterexample):
        return DerivedLosses(table, None, directed, learned, (proof,))
    proofs = tuple(each for each in (proof, directed[2]) if each.rows)
    return DerivedLosses(directed[0], None, None, max(learned, directed[1]), proofs)


def without_costs(system: Any, potential: str | None = None) -> TransitionSystem:
    """The conditions and effects of a system, by name, file or value. Raises TableError if it cannot have losses."""
    if potential is not None and potential not in _BESIDE_LOSSES:
        raise DeclarationError(
            f"losses are derived beside {', '.join(_BESIDE_LOSSES)}; got the potential {potential!r}"
        )
    table = as_system(system)
    if not isinstance(table, TransitionSystem):
        raise DeclarationError(f"{table.name} is written in Python; losses can be derived for tables")
    if table.focus == "free":
        raise DeclarationError(f"the focus of {table.name} is free; losses are found where it is fixed")
    for row in table.transitions:
        if back in row.then:
            raise DeclarationError(
                f"{table.name}: {row.name} uses back, so costs need a static oracle: there are no losses"
            )
    rows = tuple(replace(row, loses=()) for row in table.transitions)
    return replace(table, transitions=rows, potential=potential, static_oracle=None)


class LossSearch:
    """The search for a table, first for arcs, then for directions; states are explored only once for each length."""

    def __init__(self, bare: TransitionSystem, max_words: int, report: Progress) -> None:
        self.bare, self.max_words, self.report = bare, max_words, report
        self.searches: dict[int, Search] = {}

    def table(self, kind: Golds, table: TransitionSystem) -> tuple[TransitionSystem, int, CheckReport] | Counterexample:
        """The table with the losses for a kind of golds, the longest sentences they were found on, and the proof."""
        evidence = Evidence(conditions(self.bare))
        for words in range(1, self.max_words + 1):
            if words == self.max_words > 1:
                found = self._fitted(evidence, table)
                if isinstance(found, Counterexample):
                    return found
                try:
                    proof = self._proof(found, kind)
                    if not any(row.relaxed for row in proof.rows):
                        return found, words - 1, proof
                except ProofError:
                    pass  # the longest sentences show something new
            search = self._search(words)
            clash = search.clash(kind)
            if clash:
                return Counterexample(self.bare, "sum", clash)
            evidence.gather(search, kind)
            if evidence.odd:
                return Counterexample(self.bare, "potential", (evidence.odd,))
        found = self._fitted(evidence, table)
        return found if isinstance(found, Counterexample) else (found, self.max_words, self._proof(found, kind))

    def _search(self, words: int) -> Search:
        if words not in self.searches:
            self.searches[words] = Search(self.bare, words, self.report)
        return self.searches[words]

    def _proof(self, table: TransitionSystem, kind: Golds) -> CheckReport:
        if kind == "directions" and not table.knows_directions:
            return CheckReport(table.name, kind)  # nothing has a cost; the engine rejects them, so nothing is claimed
        return check_system(table, self.max_words, golds=kind, progress=self.report)

    def _fitted(self, evidence: Evidence, table: TransitionSystem) -> TransitionSystem | Counterexample:
        losses: dict[str, tuple[Loss, ...]] = {}
        for number, ((name, mark), seen) in enumerate(evidence.seen.items()):
            self.report(f"losses of {name}", number, len(evidence.seen))
            fitted = fit(seen, mark, evidence.conditions, table.has_list)
            if isinstance(fitted, LossMismatch):
                return Counterexample.of(self.bare, fitted)
            losses[name] = losses.get(name, ()) + fitted
        for name, added in losses.items():
            table = table.also_losing(name, *added)
        return table
