"""TransferReport: what `train_transfer` did and why, as text and as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from panparser.transfer.candidates import COMBINED, PLANS, AttachmentCounts, Method, Plan
from panparser.transfer.rewriting import RewritingReport
from panparser.transfer.typology import Typology

GAIN_SENTENCES = 10  # more sentences, whose gain is estimated
_STORED_NAMES = {"skipped_sentences": "unchanged", "projected_gain": "gain", "correct": "right"}
_NAMES = {
    "joint": "all sources, the nearer the more, and the sample together",
    "combined-joint": "each source, the sample, and both together, whose trees are combined",
    "combined": "each source, and all of them, by tags alone, whose trees are combined",
    "pool": "the nearest sources together, by tags alone",
    "all": "all sources, the nearer the more, by tags alone",
    "vote": "each source by tags alone, and they vote, the nearer with the more weight",
    "sample": "the sample alone",
    "target-first": "the sample, for what it is the best at, and all sources for the rest",
    "transfer-first": "all sources, for what they are the best at, and the sample for the rest",
    "region-wise": "each source, and the sample, for what it is the best at, and all of them for the rest",
}


def in_words(method: str) -> str:
    """What a method learns from."""
    return _NAMES.get(method, method)


def _is_used(method: str, is_near: bool) -> bool:
    return method in ("all", "joint", "vote", *COMBINED, *PLANS) or (is_near and method == "pool")


@dataclass(frozen=True)
class SourceReport:
    """A source: its divergence from the target (KLcpos3), sentences in all and learned from, weight, license."""

    name: str
    path: str
    license: str
    divergence: float | None
    sentences: int
    used: int
    weight: float
    is_near: bool  # is one of those that are pooled


@dataclass(frozen=True)
class RuleReport:
    """What rewriting did to a class of dependents in all sources, where the target has what, and how that is known."""

    name: str
    target: str
    known_from: str
    moved: int
    deleted: int


@dataclass(frozen=True)
class ProjectedGain:
    """What more sentences of the sample would bring to a method, estimated from its scores with fewer of them."""

    method: Method
    fewer: int
    fewer_uas: float
    more: int
    more_uas: float
    points: float  # for MORE sentences


@dataclass(frozen=True)
class TagReport:
    """Of a tagger: words of its lexicon, words that it was scored on, and those of them that it tags right."""

    lexicon: int
    words: int
    correct: int

    @property
    def accuracy(self) -> float:
        """In percent."""
        return 100 * self.correct / max(1, self.words)


@dataclass(frozen=True, kw_only=True)
class TransferReport:
    """All that was done: sources, rules, scores by method (best first), what was chosen, and what more would bring."""

    method: Method | Plan
    language: str | None
    sentences: int  # of the sample
    scored_on: str
    scores: tuple[tuple[Method | Plan, AttachmentCounts], ...]
    sources: tuple[SourceReport, ...]
    rules: tuple[RuleReport, ...]
    skipped_sentences: int  # sentences that could not be rewritten
    projected_gain: ProjectedGain | None
    tags: TagReport | None = None
    seed: int
    self_training: dict[str, Any] | None = None  # as in training records

    @property
    def used(self) -> tuple[SourceReport, ...]:
        """The sources that the parser learned from."""
        return tuple(each for each in self.sources if _is_used(self.method, each.is_near))

    def to_values(self) -> dict[str, Any]:
        """Plain values."""
        values = asdict(self)
        values["scores"] = [{"method": method, **_plain(tally)} for method, tally in self.scores]
        if self.tags is None:
            del values["tags"]
        return values | {name: list(values[name]) for name in ("sources", "rules")}

    def record(self) -> dict[str, Any]:
        """Return the plain values as stored in models: without paths, under the names of the file format."""
        values = self.to_values()
        for source in values["sources"]:
            del source["path"]
        if self.tags is not None:
            values["tags"] = {_STORED_NAMES.get(name, name): value for name, value in values["tags"].items()}
        return {_STORED_NAMES.get(name, name): value for name, value in values.items()}

    def __str__(self) -> str:
        return "\n".join(self.lines())

    # --- In words ---

    def lines(self) -> Iterator[str]:
        yield f"The parser learned from {in_words(self.method)}{self._reason()}."
        yield from self._source_lines()
        yield from self._rule_lines()
        yield from self._tag_lines()
        yield from self._score_lines()
        yield from self._self_training_lines()
        yield from self._gain_lines()
        licenses = sorted({each.license for each in self.used})
        if licenses:
            yield ""
            yield f"Licenses of what it learned from: {', '.join(licenses)}."

    def _reason(self) -> str:
        if len(self.scores) < 2:
            return "" if self.sentences else ", as there are no trees of the language"
        if self.method != self.scores[0][0]:
            return ", which none beats by more than chance"
        found = [tally for _, tally in self.scores[:2]]  # of equal ones, the first has the better labels
        first, second = ((tally if tally.tagged is None else tally.tagged).uas for tally in found)
        return f", which scores best ({first:.1f})" if first > second else ", which scores as well as any"

    def _source_lines(self) -> Iterator[str]:
        yield ""
        ranked = any(each.divergence is not None for each in self.sources)
        how = "; KL is less, the more alike the tags follow each other" if ranked else ", unranked: no tagged text"
        yield f"Sources (nearest first{how}):" if ranked else f"Sources{how}:"
        for each in self.sources:
            distance = "" if each.divergence is None else f"KL {each.divergence:.2f}, "
            size = f"{each.used:,} of {each.sentences:,} sentences"
            yield f"  {each.name}: {distance}weight {each.weight:.2f}, {size}, license {each.license}"

    def _rule_lines(self) -> Iterator[str]:
        yield ""
        active = [rule for rule in self.rules if rule.moved or rule.deleted]
        if not self.rules:
            yield "Word order of the sources is as it was: nothing is known of that of the language."
        elif not active:
            yield "Word order of the sources is as it was: it is that of the language."
        else:
            yield "Word order of the sources was changed to that of the language:"
        for rule in active:
            done = [f"{n:,} {what}" for n, what in ((rule.moved, "moved"), (rule.deleted, "deleted")) if n]
            yield f"  {rule.name.replace('_', ' ')}: {rule.target}, {' and '.join(done)} ({rule.known_from})"

    def _tag_lines(self) -> Iterator[str]:
        if self.tags is None:
            return
        known = f", and a lexicon of {self.tags.lexicon:,} words" if self.tags.lexicon else ""
        yield ""
        yield f"A tagger learned from the sample{known}."
        if self.tags.words:
            yield f"Tags on {self.scored_on}: {self.tags.accuracy:.1f} % of {self.tags.words:,} words are right."

    def _score_lines(self) -> Iterator[str]:
        if not self.scores:
            return
        words = self.scores[0][1].words
        yield ""
        yield f"Scores on {self.scored_on}, {words:,} words without punctuation (heads, heads and labels):"
        for method, tally in self.scores:
            line = f"  {in_words(method)}: {tally.uas:.1f} ({tally.heads:,}), {tally.las:.1f} ({tally.labeled:,})"
            tagged = tally.tagged
            yield line if tagged is None else f"{line}; with the tagger's tags {tagged.uas:.1f}, {tagged.las:.1f}"

    def _self_training_lines(self) -> Iterator[str]:
        if self.self_training is None:
            return
        made = self.self_training
        first, *rest = made["rounds"]
        yield ""
        yield f"Self-training on {made['text']:,} words of text, heads of a confidence of at least {made['least']:g}:"
        yield f"  without: {first['uas']:.1f}"
        for number, each in enumerate(rest, start=1):
            kept = " (kept)" if number == made["chosen"] else ""
            yield f"  round {number}: {each['words']:,} words, {each['uas']:.1f}{kept}"
        if not made["chosen"]:
            yield "  It was worse, and is left out."

    def _gain_lines(self) -> Iterator[str]:
        if self.projected_gain is None:
            return
        gain = self.projected_gain
        yield ""
        seen = f"{gain.fewer_uas:.1f} with {gain.fewer} sentences, {gain.more_uas:.1f} with {gain.more}"
        if gain.points < 0.05:
            yield f"What {GAIN_SENTENCES} more sentences would bring cannot be told: {seen}."
        else:
            what = "" if gain.method == self.method else f" to {in_words(gain.method)}"
            points = f"about {gain.points:.1f} points"
            yield f"{GAIN_SENTENCES} more sentences would bring{what} {points}; an estimate, from {seen}."


def _plain(tally: AttachmentCounts) -> dict[str, Any]:
    """The counts and scores of a tally."""
    values: dict[str, Any] = {"words": tally.words, "heads": tally.heads, "both": tally.labeled}
    values |= {"uas": tally.uas, "las": tally.las}
    return values if tally.tagged is None else values | {"tagged": _plain(tally.tagged)}


def rule_reports(done: Sequence[RewritingReport], typology: Typology | None) -> tuple[RuleReport, ...]:
    """What all rewritings did together, by what the typology tells."""
    sums: dict[str, dict[str, int]] = {}
    for counts in (each.counts for each in done):
        for count in counts:
            own = sums.setdefault(count.name, {"moved": 0, "deleted": 0})
            own["moved"] += count.moved
            own["deleted"] += count.deleted
    return tuple(
        RuleReport(name=trait.name, target=trait.in_words, known_from=trait.source, **sums[trait.name])
        for trait in (typology or ())
        if trait.name in sums
    )


def record_rows(record: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """Return the rows of `panparser info` for the record of a transfer: method, sources with licenses, scores."""
    rows: list[tuple[str, str | None]] = [("transfer", f"{record['method']}: {in_words(record['method'])}")]
    for source in record["sources"]:
        if _is_used(record["method"], source["is_near"]):
            divergence = "" if source["divergence"] is None else f"KL {source['divergence']:.2f}, "
            details = f"{divergence}{source['used']:,} sentences, license {source['license']}"
            rows.append((f"source {source['name']}", details))
    for score in record["scores"]:
        scores = f"UAS {score['uas']:.2f}  LAS {score['las']:.2f} on {record['scored_on']}"
        rows.append((f"score, {score['method']}", scores))
    return rows
