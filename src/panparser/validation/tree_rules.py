"""Rules for heads, basic and enhanced (level 2)."""

from __future__ import annotations

import re
from itertools import pairwise

from panparser.treebank.sentence_lines import Report, SentenceLines, quoted
from panparser.validation.line_rules import CachedCheck

_NUMBER = re.compile(r"0|[1-9][0-9]*", re.ASCII)
_NODE = re.compile(r"(0|[1-9][0-9]*)(?:\.([1-9][0-9]*))?", re.ASCII)


class TreeRules:
    """The rules for the heads of a sentence, and for DEPS in the whole treebank."""

    def __init__(self, enhanced: CachedCheck) -> None:
        self._enhanced = enhanced
        self._with_deps = self._without_deps = ""  # where the first sentence with them is, and the first without

    def check(self, sentence: SentenceLines, place: str, report: Report) -> None:
        """Reports what is wrong; `place` is that of the sentence, for other sentences to refer to."""
        words = [(at, row) for at, row in enumerate(sentence.rows) if "-" not in row[0] and "." not in row[0]]
        _check_heads(sentence, words, report)
        self._check_deps(sentence, place, report)

    def _check_deps(self, sentence: SentenceLines, place: str, report: Report) -> None:
        nodes = [(at, row) for at, row in enumerate(sentence.rows) if "-" not in row[0]]
        exist = any(row[8] != "_" or "." in row[0] for _, row in nodes)
        self._check_all_or_none(exist, place, sentence.line(0), report)
        if not exist:
            return
        known = {"0", *(row[0] for _, row in nodes)}
        dependents: dict[str, list[str]] = {}
        good = True
        for at, row in nodes:
            arcs = _arcs(row[8], known, sentence.line(at), report)
            if arcs is None:
                good = False
                continue
            self._check_order(row, arcs, sentence.line(at), report)
            for head, label in arcs:
                dependents.setdefault(head, []).append(row[0])
                for rule, found in self._enhanced(label) if label != "_" else (("invalid-edeprel", "'_'"),):
                    report(rule, sentence.line(at), found)
        if good:
            reached = _reached(dependents)
            if lost := [(at, row[0]) for at, row in nodes if row[0] not in reached]:
                names = ", ".join(name for _, name in lost[:10]) + ", ..." * (len(lost) > 10)
                report("unconnected-egraph", sentence.line(lost[0][0]), f"no way from 0 to {names}")

    def _check_order(self, row: list[str], arcs: list[tuple[str, str]], line: int, report: Report) -> None:
        keys = [_key(head) for head, _ in arcs]
        if keys != sorted(keys):
            report("unsorted-deps", line, quoted(row[8]))
        else:
            for (head, label), (next_head, next_label) in pairwise(arcs):
                if head == next_head and next_label <= label:
                    report("repeated-deps" if label == next_label else "unsorted-deps-2", line, quoted(row[8]))
        if any(head == row[0] for head, _ in arcs):
            report("deps-self-loop", line, quoted(row[8]))

    def _check_all_or_none(self, exist: bool, place: str, line: int, report: Report) -> None:
        """Reports once where it changes whether sentences have DEPS."""
        first = not (self._with_deps if exist else self._without_deps)
        if exist:
            self._with_deps = self._with_deps or place
        else:
            self._without_deps = self._without_deps or place
        if first and (other := self._without_deps if exist else self._with_deps):
            report("edeps-only-sometimes", line, f"{'some' if exist else 'none'}, unlike {other}")


def _check_heads(sentence: SentenceLines, words: list[tuple[int, list[str]]], report: Report) -> None:
    heads = [0]
    good = True
    for number, (at, row) in enumerate(words, start=1):
        head = row[6]
        value = int(head) if _NUMBER.fullmatch(head) and len(head) < 10 else -1
        rule = ""
        if not _NUMBER.fullmatch(head):
            rule = "invalid-head"
        elif not 0 <= value <= len(words):
            rule = "unknown-head"
        elif value == number:
            rule = "head-self-loop"
        if rule:
            report(rule, sentence.line(at), quoted(head))
            good = False
        elif (value == 0) != (row[7].split(":")[0] == "root"):
            report("root-is-not-0" if value else "0-is-not-root", sentence.line(at), f"{quoted(row[7])} at HEAD {head}")
        heads.append(value)
    if not good:
        return
    roots = [number for number, head in enumerate(heads) if head == 0][1:]
    if len(roots) > 1:
        report("multiple-roots", sentence.line(words[roots[1] - 1][0]), f"words {', '.join(map(str, roots))}")
    if (lost := _on_no_way_to_root(heads)) is not None:
        report("non-tree", sentence.line(words[lost - 1][0]), f"a cycle through word {lost}")


def _on_no_way_to_root(heads: list[int]) -> int | None:
    """A word on a cycle, if there is one; `heads[0]` is that of Root."""
    seen = [0] * len(heads)  # by which climb
    for word in range(1, len(heads)):
        at = word
        while at and not seen[at]:
            seen[at] = word
            at = heads[at]
        if at and seen[at] == word:
            return at
    return None


def _arcs(deps: str, known: set[str], line: int, report: Report) -> list[tuple[str, str]] | None:
    """The heads and relations of DEPS, if they are those of nodes of the sentence."""
    if deps == "_":
        return []
    arcs = []
    for item in deps.split("|"):
        head, colon, label = item.partition(":")
        if head in known and colon:
            arcs.append((head, label))
            continue
        rule = "invalid-deps" if not colon else "unknown-ehead" if _NODE.fullmatch(head) else "invalid-ehead"
        report(rule, line, quoted(deps if rule == "invalid-deps" else head))
        return None
    return arcs


def _key(head: str) -> tuple[int, int]:
    major, _, minor = head.partition(".")
    return int(major), int(minor or 0)


def _reached(dependents: dict[str, list[str]]) -> set[str]:
    """The nodes that a way leads to from 0."""
    reached, pending = {"0"}, ["0"]
    while pending:
        for node in dependents.get(pending.pop(), ()):
            if node not in reached:
                reached.add(node)
                pending.append(node)
    return reached
