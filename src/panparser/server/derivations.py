"""What `/derivation` answers: how a model derives the tree of a sentence, in plain values, for the page at `/step`."""

from __future__ import annotations

import json
from collections.abc import Mapping

from panparser.errors import PanParserError
from panparser.parsing.inspection.derivations import alone
from panparser.parsing.inspection.stepping import DerivationView, TracedDerivation
from panparser.parsing.parser import Parser
from panparser.server.asked import ProcessRequest, number
from panparser.server.limits import Limits
from panparser.server.models import ServedModel
from panparser.server.processing import RequestProcessor
from panparser.server.refusals import RequestError
from panparser.treebank.sentence import Sentence

_MOST_ACTIONS = 20  # for each word: more than any system takes


def derivation(model: ServedModel, parameters: Mapping[str, str], limits: Limits) -> str:
    """The derivation as JSON. Raises RequestError if there is none that is as asked for.

    Parameters are those of `/process` that say what `data` is, and `sentence`, `beam`, `actions`: the first actions,
    from where the parser goes on.
    """
    parser = model.pipeline.parser
    if not isinstance(parser, Parser):
        raise RequestError("The required model does not contain a parser whose derivations can be shown!")
    asked = ProcessRequest.of({**parameters, "parser": ""}, limits)
    sentence = _sentence(
        RequestProcessor(model, asked, limits), number(parameters, "sentence", limits.words) or 1, limits
    )
    actions = parameters.get("actions", "").split()
    if len(actions) > _MOST_ACTIONS * len(sentence):
        raise RequestError(f"A sentence of {len(sentence)} words has no {len(actions)} actions.")
    beam = number(parameters, "beam", limits.shown_beam)
    width = min(parser.spec.beam, limits.shown_beam) if beam is None else beam
    try:
        run = TracedDerivation.of_parser(parser, sentence, beam=width, actions=actions, name=model.id)
    except PanParserError as error:
        raise RequestError(f"Cannot show the derivation.\n{error}") from None
    found = DerivationView.of(sentence, [run])
    return json.dumps({"title": found.title, **found.to_values()}, ensure_ascii=False, separators=(",", ":"))


def _sentence(work: RequestProcessor, wanted: int, limits: Limits) -> Sentence:
    """The wanted sentence, as the model tags it if that is asked for, or if it has no tags."""
    before = 0
    for treebank in work.read():
        if wanted <= before + len(treebank):
            one = alone(treebank[wanted - before - 1])
            if one.words > limits.shown_words:
                raise RequestError(f"Derivations are shown of sentences of at most {limits.shown_words} words.")
            tags = work.asked.tag or work.asked.tokenize or set(one[0].values("upos")) <= {"_"}
            if tags and work.model.pipeline.columns:
                work.model.pipeline.annotate_words(one)
            return one[0]
        before += len(treebank)
    raise RequestError(f"The input has {before} sentences; found 'sentence={wanted}'.")
