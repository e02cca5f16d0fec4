"""What a network does not see of a state: to know what an input contributes, it is hidden.

The vector of an input of a word becomes 0, as dropout makes it now and then while the network learns; a label, or an
action of the past, becomes that of none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from panparser._arrays import LongArray
from panparser.networks.scoring import StateInputs


@dataclass(frozen=True)
class MaskedInput:
    """One thing that is hidden: an input of a word (0 is Root), the label at an address, or an action of the past."""

    kind: Literal["word", "labels", "history"]
    place: int  # the word, the place in `labels_of`, or how many actions ago
    column: str = ""  # of the word


def without(seen: StateInputs, sentences: LongArray, hidden: tuple[MaskedInput | None, ...]) -> StateInputs:
    """What remains of the labels and the history that are seen, with what is hidden of each sentence."""
    labels, history = np.array(seen.labels), np.array(seen.history)
    kept = {"labels": labels, "history": history}
    for row, sentence in enumerate(sentences.tolist()):
        one = hidden[sentence]
        if one is not None and one.kind in kept:
            kept[one.kind][row, one.place] = 0
    return replace(seen, labels=labels, history=history)
