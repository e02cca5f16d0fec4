"""Lessons: six derivations to show, each a page of `panparser step --lesson`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from panparser.errors import SpecError
from panparser.inspection.stepping import DerivationView, TracedDerivation, gold_of
from panparser.parsing.parser import Parser
from panparser.pipeline.bundled_models import DEFAULT
from panparser.pipeline.loading import load
from panparser.pipeline.pipeline import Pipeline
from panparser.systems.registry import system
from panparser.treebank.conllu import parse_conllu
from panparser.treebank.sentences import Sentence
from panparser.trees.gold import GoldTree


@dataclass(frozen=True)
class Lesson:
    """A sentence with its gold tree, derivations of it, and what there is to see."""

    name: str
    title: str
    words: str  # form/tag/head/label
    text: tuple[str, ...]
    runs: Callable[[Sentence, GoldTree], Iterable[TracedDerivation]]
    needs_model: bool = False  # the bundled one, which also tags the words

    def stepping(self) -> DerivationView:
        """The derivations."""
        cells = [word.rsplit("/", 3) for word in self.words.split()]
        lines = (
            f"{i}\t{w}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n" for i, (w, tag, head, label) in enumerate(cells, 1)
        )
        treebank = parse_conllu("".join(lines) + "\n")
        if self.needs_model:
            _model().annotate_words(treebank)
        sentence = treebank[0]
        gold = gold_of(sentence)
        assert gold is not None
        return replace(DerivationView.from_runs(sentence, self.runs(sentence, gold), self.title), text=self.text)


def _model() -> Pipeline:
    return Pipeline.from_model(load(DEFAULT))


def _parsed(sentence: Sentence, beam: int, name: str) -> TracedDerivation:
    parser = _model().parser
    assert isinstance(parser, Parser)
    return TracedDerivation.from_parser(parser, sentence, beam=beam, name=name)


def _spurious(_: Sentence, gold: GoldTree) -> Iterable[TracedDerivation]:
    names = ("SHIFT", "LEFT", "RIGHT", "REDUCE")
    yield TracedDerivation.from_oracle("arc-eager", gold, ties=names, name="ArcEager, shifts first")
    yield TracedDerivation.from_oracle("arc-eager", gold, ties=names[::-1], name="ArcEager, reduces first")


def _propagation(sentence: Sentence, _: GoldTree) -> Iterable[TracedDerivation]:
    yield _parsed(sentence, 1, "The English model, greedy")


def _dynamic(_: Sentence, gold: GoldTree) -> Iterable[TracedDerivation]:
    yield TracedDerivation.from_oracle("arc-eager", gold, name="ArcEager, the gold derivation")
    mistake = ("SHIFT", "LEFT", "SHIFT", "RIGHT", "SHIFT", "LEFT", "RIGHT")
    yield TracedDerivation.from_actions(
        "arc-eager", gold, mistake, name="ArcEager, one mistake, then the best of what is left"
    )


def _crossing(_: Sentence, gold: GoldTree) -> Iterable[TracedDerivation]:
    yield TracedDerivation.from_oracle("arc-standard", gold, name="ArcStandard")
    yield TracedDerivation.from_oracle(system("swap-standard", oracle="lazy"), gold, name="SwapStandard")


def _two_systems(_: Sentence, gold: GoldTree) -> Iterable[TracedDerivation]:
    yield TracedDerivation.from_oracle("arc-standard", gold, name="ArcStandard")
    yield TracedDerivation.from_oracle("arc-eager", gold, name="ArcEager")


def _beam(sentence: Sentence, _: GoldTree) -> Iterable[TracedDerivation]:
    yield _parsed(sentence, 1, "Greedy")
    yield _parsed(sentence, 8, "Beam of 8")


LESSONS = {
    lesson.name: lesson
    for lesson in (
        Lesson(
            "spurious-ambiguity",
            "One tree, several derivations",
            "They/PRON/2/nsubj bought/VERB/0/root books/NOUN/2/obj in/ADP/5/case Paris/PROPN/2/obl",
            (
                "Both derivations build the same tree, and no step of either loses an arc. They part where the stack "
                "is “bought”, “books”: one shifts “in” and reduces “books” later, the other reduces “books” first.",
                "Watch the costs: at that step two actions cost 0. A static oracle has to pick one and teaches the "
                "parser that the other is wrong; a dynamic oracle accepts both.",
            ),
            _spurious,
        ),
        Lesson(
            "error-propagation",
            "One error brings others",
            "Her/PRON/2/nmod:poss answer/NOUN/8/nsubj given/VERB/2/acl in/ADP/5/case haste/NOUN/3/obl was/AUX/8/cop "
            "too/ADV/8/advmod short/ADJ/0/root ./PUNCT/8/punct",
            (
                "A greedy parser takes one decision at a time and never goes back. Press e for its first error: "
                "“answer” becomes the subject of “given”. That costs 2, as no later action can give either of them "
                "its gold head.",
                "The rest follows. When “short” is read, “given” holds the place of the root; so “short” is attached "
                "to “given”, and the full stop as well. The last wrong arc, from Root to “given”, costs nothing: it is "
                "the best of what is left.",
            ),
            _propagation,
            needs_model=True,
        ),
        Lesson(
            "dynamic-oracle",
            "Why a dynamic oracle",
            "He/PRON/2/nsubj wrote/VERB/0/root her/PRON/2/iobj a/DET/5/det letter/NOUN/2/obj today/NOUN/2/obl",
            (
                "On the right, one action is wrong: “her” becomes the head of “letter”. It costs 1, as that arc is "
                "lost. From there on, the state is none that the gold derivation passes through.",
                "A static oracle knows only the derivation on the left and has no advice here. A dynamic oracle has "
                "exact costs in every state, so a parser can be taught what to do after its own mistakes: nothing "
                "more is lost.",
            ),
            _dynamic,
        ),
        Lesson(
            "crossing-arcs",
            "Crossing arcs and Swap",
            "A/DET/2/det letter/NOUN/3/nsubj arrived/VERB/0/root yesterday/NOUN/3/obl about/ADP/6/case "
            "taxes/NOUN/2/nmod",
            (
                "The arc from “letter” to “taxes” crosses others. ArcStandard joins only neighbors on its stack, so it "
                "cannot make all arcs of this tree: one word gets a wrong head, though every step is the best there "
                "is.",
                "SwapStandard moves words back to the buffer until those that belong together are neighbors. Watch "
                "the order of the words on stack and buffer change; it needs more steps, and every tree can be built.",
            ),
            _crossing,
        ),
        Lesson(
            "arc-standard-arc-eager",
            "ArcStandard against ArcEager",
            "They/PRON/2/nsubj gave/VERB/0/root the/DET/4/det children/NOUN/2/iobj old/ADJ/6/amod books/NOUN/2/obj",
            (
                "ArcStandard attaches a word when all its own dependents are attached: bottom up. ArcEager attaches "
                "“children” to “gave” as soon as both meet, and keeps it on the stack, as dependents of it might "
                "follow.",
                "So ArcEager connects words earlier, from left to right, and needs REDUCE to take finished words off "
                "the stack.",
            ),
            _two_systems,
        ),
        Lesson(
            "beam",
            "What a beam is for",
            "The/DET/2/det teacher/NOUN/3/nsubj knew/VERB/0/root the/DET/5/det answer/NOUN/7/nsubj was/AUX/7/cop "
            "wrong/ADJ/3/ccomp ./PUNCT/3/punct",
            (
                "Both are the same model. Up to “answer”, an object of “knew” is the better guess, and the greedy "
                "parser takes it for good.",
                "The beam keeps eight derivations. Follow the line that becomes the tree: it is not always the first, "
                "and comes to the top once “was” has been read.",
            ),
            _beam,
            needs_model=True,
        ),
    )
}


def show_lesson(name: str) -> DerivationView:
    """The derivations of a lesson."""
    if name not in LESSONS:
        raise SpecError(f"expected a lesson: {', '.join(LESSONS)}; got {name!r}")
    return LESSONS[name].stepping()
