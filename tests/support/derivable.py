"""Systems whose losses can be derived, or cannot."""

from __future__ import annotations

import panparser as pp
from panparser.systems.terms import B0, S0, S1, arc, is_attached, is_unattached, is_word, pop, shift
from variants import variants

LOCAL = [system for system in variants() if not system.potential and not system.static_oracle]

HEAD_FINAL = pp.TransitionSystem(
    "head-final",
    (
        pp.Transition("SHIFT", when=(is_word(B0),), then=(shift,)),
        pp.Transition("LEFT", when=(is_word(S0),), then=(arc(head=B0, dependent=S0), pop)),
    ),
)

SECOND_CHANCE = (
    pp.Transition("SHIFT", when=(is_word(B0),), then=(shift,)),
    pp.Transition("LEFT", when=(is_unattached(S0),), then=(arc(head=B0, dependent=S0), pop)),
    pp.Transition("RIGHT", when=(is_word(B0),), then=(arc(head=S0, dependent=B0), shift)),
    pp.Transition("REDUCE", when=(is_attached(S0),), then=(pop,)),
    pp.Transition("ATTACH", when=(is_unattached(S0),), then=(arc(head=S1, dependent=S0), pop)),
)
