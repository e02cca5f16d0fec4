"""The classifier that learns: a network, or another."""

from __future__ import annotations

from dataclasses import replace

from panparser.errors import SpecError
from panparser.learning.classifiers import Classifier, CompositeClassifier
from panparser.networks.classifier import NetworkClassifier
from panparser.networks.network import NetworkSpec
from panparser.parsing.parser import Parser


def network_of(classifier: Classifier | None) -> NetworkSpec | None:
    """The network of a classifier, or of the first part that has one."""
    if isinstance(classifier, NetworkClassifier):
        return classifier.network
    parts = classifier.parts if isinstance(classifier, CompositeClassifier) else ()
    return next((found for part in parts if (found := network_of(part)) is not None), None)


def chosen_classifier(
    owner: str, classifier: Classifier | None, network: NetworkSpec | None, init: Parser | None = None
) -> Classifier | None:
    """What learns: the classifier, or one of the network, or that of the parser to continue from; None: a perceptron.

    A network given beside `init` may only differ from that of `init` in how it learns, and in its precision.
    """
    if network is not None and not isinstance(network, NetworkSpec):
        hint = f"; pp.{network.upper().replace('-', '_')} is one" if isinstance(network, str) else ""
        raise SpecError(f"{owner}: network must be a Network; got {network!r}{hint}")
    if network is not None and classifier is not None:
        raise SpecError(f"{owner} takes a network or a classifier; got both")
    known = init.classifier if isinstance(init, Parser) else None
    if network is None:
        return known if classifier is None else classifier
    if not isinstance(known, NetworkClassifier):
        return NetworkClassifier(network)
    if replace(network, learning=known.network.learning, precision=known.network.precision) != known.network:
        raise SpecError(
            f"{owner}: network must be that of init, except for learning and precision: it keeps its weights"
        )
    return known.with_network(network)
