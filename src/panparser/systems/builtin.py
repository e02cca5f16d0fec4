"""The built-in transition systems: each function returns one table, as the paper it cites would print it.

Tables follow the published ones, and differ where exhaustive search shows those to be wrong (docs/concepts/oracles.md);
`panparser check NAME` proves any of them again. The losses of a transition are the words that it cuts from their gold
head.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from panparser.base.checks import check_choice, check_count
from panparser.errors import DeclarationError
from panparser.systems.terms import (
    B0,
    BUFFER,
    LIST,
    ROOT,
    S0,
    S1,
    S2,
    STACK,
    AnyOf,
    Loss,
    Position,
    StateCondition,
    above_bottom,
    any_of,
    arc,
    aside,
    back,
    children,
    clear,
    does_not_dominate,
    dominates,
    head,
    headless,
    is_attached,
    is_root,
    is_unattached,
    is_word,
    pop,
    precedes,
    propose,
    restore,
    shift,
    size,
    span,
    tree,
    unattached,
    wanting,
    wants,
)
from panparser.systems.transition_system import Transition, TransitionSystem
from panparser.trees.gold import HEAD_LEFT, HEAD_RIGHT, Root

SwapOracle = Literal["eager", "lazy", "dynamic", "static-dynamic"]
_LEFT_ARC = arc(head=B0, dependent=S0)
_RIGHT_ARC = (arc(head=S1, dependent=S0), pop)
_LOST_CHILDREN = children(S0).among(BUFFER)  # of a word that leaves the stack
_LOST_OPEN_CHILDREN = children(B0).among(STACK, unattached)  # of a word that enters the stack
# What the ArcHybrid family loses when B0 enters the stack, and when S0 leaves it to the left or to the right.
_HYBRID_ENTER: tuple[Loss, ...] = (head(B0).among(STACK - S0), children(B0).among(STACK))
_HYBRID_LEFT: tuple[Loss, ...] = (head(S0).among(BUFFER - B0), head(S0).among(S1), _LOST_CHILDREN)
_HYBRID_LEAVE: tuple[Loss, ...] = (head(S0).among(BUFFER), _LOST_CHILDREN)


def arc_eager(root: Root = "last", single_root: bool = False) -> TransitionSystem:
    """Nivre 2003, 2004; costs: Goldberg & Nivre 2012, figure 4; Aufrant & Wisniewski 2018, tables 1 and 2."""
    left: tuple[Loss, ...] = (head(S0).among(BUFFER - B0), _LOST_CHILDREN)
    shift_loses: tuple[Loss, ...] = (head(B0).among(STACK), _LOST_OPEN_CHILDREN)
    right_loses: tuple[Loss, ...] = (
        head(B0).among(BUFFER - B0),
        head(B0).among(STACK - S0),
        _LOST_OPEN_CHILDREN,
    )
    when_shift: tuple[Any, ...] = (is_word(B0),)
    when_right: tuple[Any, ...] = (is_word(B0),)
    when_reduce: tuple[Any, ...] = (is_attached(S0),)
    final: tuple[StateCondition, ...] = ()
    potential = None
    if root == "none":
        final = (size(BUFFER) == 0,)
        right_loses += (headless(B0), wanting(STACK, HEAD_RIGHT).when(size(BUFFER) == 1))
        shift_loses += (wanting(STACK, HEAD_RIGHT).when(size(BUFFER) == 1),)
        left += (headless(S0).when(size(STACK) == 1) if single_root else headless(S0),)
    if root == "first":
        # Without these, words would be left over that cannot be attached; with them, arcs exclude each other.
        when_shift += (size(BUFFER) >= 2,)
        when_right += (any_of(size(BUFFER) >= 2, size(STACK, unattached) == 0),)
        potential = "blocked-chain-1"
    if single_root and root == "none":
        # The last word joins the others when one of them, the lowest, has no head; or it is alone.
        when_shift += (any_of(size(BUFFER) >= 2, size(STACK) == 0),)
        when_right += (any_of(size(BUFFER) >= 2, size(STACK, unattached) == 1),)
        shift_loses += (headless(B0).when(size(STACK) >= 1),)
        potential = "blocked-chain-2"
    elif single_root and root == "first":
        free = size(children(ROOT)) == 0
        when_right += (any_of(is_word(S0), free),)
        when_reduce += (any_of(size(BUFFER) == 0, size(STACK) >= 3),)
        shift_loses = (head(B0).among(STACK - ROOT), head(B0).among(ROOT).when(free), _LOST_OPEN_CHILDREN)
        right_loses = (
            head(B0).among(BUFFER - B0),
            head(B0).among(STACK - S0 - ROOT),
            head(B0).among((STACK - S0) & ROOT).when(free),
            _LOST_OPEN_CHILDREN,
            children(ROOT).among(BUFFER - B0).when(is_root(S0)),
        )
    elif single_root:
        when_shift += (any_of(size(BUFFER) >= 3, size(STACK) == 0),)
        when_right += (any_of(size(BUFFER) >= 3, size(STACK, unattached) == 1),)
        shift_loses += (head(B0).among(ROOT).when(size(STACK) >= 1),)
        left = (*_ahead_of_root(), _LOST_CHILDREN)
        potential = "blocked-chain-2"
    return TransitionSystem(
        "arc-eager",
        (
            Transition(
                "SHIFT",
                when=when_shift,
                then=(shift,),
                loses=(*shift_loses, wants(B0, HEAD_LEFT).when(size(STACK) >= 1)),
            ),
            Transition(
                "LEFT",
                when=(is_word(S0), is_unattached(S0)),
                then=(_LEFT_ARC, pop),
                loses=(*left, wants(B0, HEAD_LEFT).when(size(STACK) == 1)),
            ),
            Transition(
                "RIGHT",
                when=when_right,
                then=(arc(head=S0, dependent=B0), shift),
                loses=(*right_loses, wants(B0, HEAD_RIGHT).when(size(BUFFER) >= 2)),
            ),
            Transition("REDUCE", when=when_reduce, then=(pop,), loses=(_LOST_CHILDREN,)),
        ),
        root=root,
        single_root=single_root,
        potential=potential,
        ties=("LEFT", "RIGHT", "SHIFT", "REDUCE"),
        final=final,
    )


def arc_swift(root: Root = "last", single_root: bool = False, k: int = 3) -> TransitionSystem:
    """Qi & Manning 2017: ArcEager that reaches below attached words in one step, up to k deep; deeper down, it reduces.

    The costs are derived: `panparser derive` finds them from the conditions and effects.
    """
    check_count("arc-swift: k", k, maximum=3, error=DeclarationError)
    last = root == "last"
    when_shift, when_right = _one_root_left(root) if single_root else ((), ())
    rows = [
        Transition(
            "SHIFT",
            when=(is_word(B0), *when_shift) if last else when_shift,
            then=(shift,),
            loses=(
                *_lost_by_entering(root, single_root),
                *([wants(B0, HEAD_LEFT).when(is_word(S0))] if last else []),
            ),
        )
    ]
    for depth, word in enumerate((S0, S1, S2)[:k]):
        above = (S0, S1)[:depth]
        leaving = tuple(children(each).among(BUFFER) for each in above)  # of B0's own heads, too
        deeper = STACK - word
        for each in above:
            deeper -= each
        rows += [
            Transition(
                f"LEFT{depth + 1}",
                when=(*map(is_attached, above), is_word(word), is_unattached(word)),
                then=(arc(head=B0, dependent=word), *(pop for _ in above), pop),
                loses=(
                    *_lost_later_head(root, word, depth + 1 if single_root else None),
                    *leaving,
                    children(word).among(BUFFER),
                    *([wants(B0, HEAD_LEFT).when(size(STACK) == depth + 1)] if last else []),
                ),
            ),
            Transition(
                f"RIGHT{depth + 1}",
                when=(*map(is_attached, above), is_word(B0), *([is_word(word)] if single_root else []), *when_right),
                then=(arc(head=word, dependent=B0), *(pop for _ in above), shift),
                loses=(
                    head(B0).among(deeper),
                    head(B0).among(BUFFER),
                    _LOST_OPEN_CHILDREN,
                    *leaving,
                    *_lost_root(root),
                    *([wants(B0, HEAD_RIGHT)] if last else []),
                ),
            ),
        ]
    rows.append(
        Transition("REDUCE", when=tuple(map(is_attached, (S0, S1, S2)[:k])), then=(pop,), loses=(_LOST_CHILDREN,))
    )
    return TransitionSystem(
        "arc-swift",
        tuple(rows),
        root=root,
        single_root=single_root,
        potential="blocked-chain-2" if single_root else None,
        final=(is_root(B0), size(STACK, unattached) == 0) if last else (size(BUFFER) == 0,),
        ties=(*(row.name for row in rows if row.labeled), "SHIFT", "REDUCE"),
    )


def arc_hybrid(root: Root = "last", single_root: bool = False) -> TransitionSystem:
    """Kuhlmann, Gómez-Rodríguez & Satta 2011; Goldberg & Nivre 2013; Aufrant & Wisniewski 2018, tables 3, 4."""
    enter, left, leave = _hybrid_rows(root, single_root)
    last = _hybrid_root_rows(root, single_root)
    return TransitionSystem(
        "arc-hybrid",
        (enter, left, Transition("RIGHT", *leave), *last),
        root=root,
        single_root=single_root,
        ties=("LEFT", "RIGHT", *(row.name for row in last), "SHIFT"),
    )


def non_monotonic_arc_eager(root: Root = "last", single_root: bool = False) -> TransitionSystem:
    """Honnibal, Goldberg & Johnson 2013; Aufrant & Wisniewski 2018, tables 6 and 7.

    ArcHybrid with two ways to shift: RIGHT remembers S0 as the likely head, which REDUCE confirms and LEFT overrides.
    """
    enter, left, leave = _hybrid_rows(root, single_root)
    propose_right = (propose(head=S0, dependent=B0), shift)
    last = _hybrid_root_rows(root, single_root)
    return TransitionSystem(
        "non-monotonic-arc-eager",
        (
            enter,
            left,
            Transition("RIGHT", enter.when, propose_right, enter.loses),
            Transition("REDUCE", *leave),
            *last,
        ),
        root=root,
        single_root=single_root,
        ties=("LEFT", "REDUCE", *(row.name for row in last), "RIGHT", "SHIFT"),
    )


def _ahead_of_root(word: Position = S0, lowest: int = 1) -> tuple[Loss, ...]:
    """The head of a word behind B0; Root, last, only if it is the one word that Root can still take, the lowest."""
    return (
        head(word).among(BUFFER - B0 - ROOT),
        head(word).among((BUFFER - B0) & ROOT).when(size(STACK) == lowest),
    )


def _hybrid_rows(root: Root, single_root: bool) -> tuple[Transition, Transition, tuple[Any, ...]]:
    """SHIFT, LEFT, and (when, then, loses) of RIGHT in ArcHybrid, which its non-monotonic variant calls REDUCE."""
    when_left: tuple[Any, ...] = (is_word(S0),)
    when_leave: tuple[Any, ...] = ()
    enter, left, leave = _HYBRID_ENTER, _HYBRID_LEFT, _HYBRID_LEAVE
    if root == "none":  # only the lowest word of the stack can stay without a head
        enter += (headless(B0).when(size(STACK) >= 1),)
        left += (headless(S0).when(size(STACK) == 1),)
    elif single_root and root == "first":
        when_leave = (any_of(is_word(S1), size(BUFFER) == 0),)
    elif single_root:
        when_left += (any_of(is_word(B0), size(STACK) == 1),)
        last_word = (
            size(BUFFER) == 2
        )  # once it is shifted onto others, only the lowest token can get a head on the right
        enter += (
            head(B0).among(ROOT).when(size(STACK) >= 1),
            wants(B0, HEAD_RIGHT).when(last_word, size(STACK) >= 1),
            wanting(STACK, HEAD_RIGHT, above_bottom).when(last_word),
        )
        left = (*_ahead_of_root(), head(S0).among(S1), _LOST_CHILDREN)
        # There are at least two words on the stack, so S0 has already lost Root.
        leave = (head(S0).among(BUFFER - ROOT), _LOST_CHILDREN)
    if root != "last":
        enter += (wanting(STACK, HEAD_RIGHT).when(size(BUFFER) == 1),)
    left += (wants(B0, HEAD_LEFT).when(size(STACK) == 1), wants(S0, HEAD_LEFT).when(size(STACK) >= 2))
    leave += (wants(S0, HEAD_RIGHT).when(size(BUFFER) >= (2 if single_root and root == "last" else 1)),)
    return (
        Transition("SHIFT", when=(is_word(B0),), then=(shift,), loses=enter),
        Transition("LEFT", when=when_left, then=(_LEFT_ARC, pop), loses=left),
        (when_leave, _RIGHT_ARC, leave),
    )


def _hybrid_root_rows(root: Root, single_root: bool) -> tuple[Transition, ...]:
    """Without Root, if there may be several roots: the lowest word of the stack stays without a head."""
    if root != "none" or single_root:
        return ()
    loses = (*_HYBRID_LEAVE, wants(S0, HEAD_RIGHT), wants(B0, HEAD_LEFT))
    return (Transition("ROOT", when=(size(STACK) == 1,), then=(pop,), loses=loses),)


def arc_standard(root: Root = "last", single_root: bool = False) -> TransitionSystem:
    """Nivre 2003; costs by the tabular loss of Goldberg, Sartorio & Satta 2014; Aufrant & Wisniewski 2018, table 5."""
    last = _standard_root_rows(root, single_root)
    return TransitionSystem(
        "arc-standard",
        (*_standard_rows(root, single_root), *last),
        root=root,
        single_root=single_root,
        ends=_on_stack(root),
        potential="arc-standard-loss",
        ties=("LEFT", "RIGHT", *(row.name for row in last), "SHIFT"),
    )


def attardi(root: Root = "last", single_root: bool = False) -> TransitionSystem:
    """Attardi 2006, of degree 2: most non-projective trees; costs: Gómez-Rodríguez, Sartorio & Satta 2014."""
    one_root = (is_word(S2),) if single_root and root == "first" else ()
    last = _standard_root_rows(root, single_root, depth=2)
    return TransitionSystem(
        "attardi",
        (
            *_standard_rows(root, single_root),
            Transition("LEFT2", when=(is_word(S2),), then=(arc(head=S0, dependent=S2), pop(S2))),
            Transition("RIGHT2", when=(is_word(S0), *one_root), then=(arc(head=S2, dependent=S0), pop)),
            *last,
        ),
        root=root,
        single_root=single_root,
        starts=None if root == "none" else "buffer",
        ends=_on_stack(root),
        potential="attardi-loss",
        ties=("LEFT", "RIGHT", "LEFT2", "RIGHT2", *(row.name for row in last), "SHIFT"),
    )


def swap_standard(root: Root = "last", single_root: bool = False, oracle: SwapOracle = "lazy") -> TransitionSystem:
    """Nivre 2009, with its eager static oracle, or the lazy one of Nivre, Kuhlmann & Hall 2009; any tree.

    The oracle "dynamic" has exact costs. Two words can change places at no cost nearly everywhere, so there is also
    "static-dynamic" (after de Lhoneux, Stymne & Nivre 2017): the lazy oracle says when to shift and when to swap.
    """
    check_choice("swap-standard: oracle", oracle, get_args(SwapOracle), DeclarationError)
    static = {"dynamic": None, "static-dynamic": "swap-lazy"}.get(oracle, f"swap-{oracle}")
    searched = "dynamic" in oracle
    swap = Transition("SWAP", when=(is_word(S1), is_word(S0), precedes(S1, S0)), then=(back,))
    last = _standard_root_rows(root, single_root)
    return TransitionSystem(
        "swap-standard",
        (*_standard_rows(root, single_root), swap, *last),
        root=root,
        single_root=single_root,
        ends=_on_stack(root),
        potential="swap-loss" if searched else None,
        static_oracle=static,
        ties=("LEFT", "RIGHT", *(row.name for row in last), "SHIFT", "SWAP") if searched else (),
    )


def _standard_rows(root: Root, single_root: bool) -> tuple[Transition, ...]:
    when_shift: tuple[Any, ...] = ()
    when_right: tuple[Any, ...] = (is_word(S0),)
    if single_root and root == "first":
        when_right += (any_of(is_word(S1), size(BUFFER) == 0), any_of(is_word(S1), size(STACK) == 2))
    elif single_root and root == "last":
        when_shift = (any_of(is_word(B0), size(STACK) == 1),)
    return (
        Transition("SHIFT", when=when_shift, then=(shift,)),
        Transition("LEFT", when=(is_word(S1),), then=(arc(head=S0, dependent=S1), pop(S1))),
        Transition("RIGHT", when=when_right, then=(arc(head=S1, dependent=S0), pop)),
    )


def easy_first(root: Root = "last", single_root: bool = False) -> TransitionSystem:
    """Goldberg & Elhadad 2010: any two neighbors can be joined, in any order, and the dependent leaves."""
    when_left: tuple[Any, ...] = (is_word(S0),)
    when_right: tuple[Any, ...] = (is_word(B0),)
    rest = STACK | BUFFER
    left: tuple[Loss, ...] = (headless(S0),) if root == "none" else ()
    last: tuple[Transition, ...] = ()
    if root == "none" and not single_root:
        loses = (head(S0).among(rest), children(S0).among(rest))
        last = (Transition("ROOT", when=(size(STACK) == 1,), then=(pop,), loses=loses),)
    if single_root and root == "first":
        when_right += (any_of(is_word(S0), size(BUFFER) == 1),)
    elif single_root and root == "last":
        when_left += (any_of(is_word(B0), size(STACK) == 1),)
    return TransitionSystem(
        "easy-first",
        (
            Transition(
                "LEFT",
                when=when_left,
                then=(_LEFT_ARC, pop),
                loses=(head(S0).among(rest - B0), children(S0).among(rest), *left),
            ),
            Transition(
                "RIGHT",
                when=when_right,
                then=(arc(head=S0, dependent=B0), pop(B0)),
                loses=(head(B0).among(rest - S0), children(B0).among(rest), *_lost_root(root)),
            ),
            *last,
        ),
        root=root,
        single_root=single_root,
        focus="free",
        potential="crossing-arcs",
    )


def covington(root: Root = "last", single_root: bool = False) -> TransitionSystem:
    """Covington 2001, with two lists as in Nivre 2008: any tree; costs: Gómez-Rodríguez & Fernández-González 2015.

    Every word meets all those before it, nearest first: the stack has those that B0 has not met yet, the list those
    that it has. Words left without a head go to Root. If there may be only one, the last word joins what is left: on
    the list, none but the top of one tree may be without a head, and a word of that tree must be ahead until the last
    word is in it.
    """
    last = root == "last"
    no_arc: tuple[Any, ...] = (any_of(is_word(B0), is_attached(S0)),) if last else ()  # Root takes what is left
    right: tuple[Any, ...] = (is_word(B0), is_unattached(B0), does_not_dominate(B0, S0))
    enter: tuple[Any, ...] = ()
    if single_root:
        early = (size(BUFFER) >= 3, is_root(B0)) if last else (size(BUFFER) >= 2,)  # B0 is not the last word
        none_aside = size(LIST, unattached) == 0
        is_top = (*early, is_attached(S0), dominates(S0, B0))
        no_arc += (
            any_of(*early, is_attached(B0), dominates(B0, S0), size(STACK, tree(S0)) >= 2),
            any_of(*is_top, is_unattached(B0)),
            any_of(*is_top, none_aside),
        )
        right += (is_word(S0), any_of(*early, none_aside, size(STACK, tree(S0), unattached) == 0))
        enter = (any_of(*early, size(STACK, unattached) == 0), any_of(*early, is_attached(B0), none_aside))
    lost_head = head(B0).among(S0 - ROOT).when(is_unattached(B0))  # when S0 and B0 part
    lost_child = head(S0).among(B0 - ROOT).when(is_unattached(S0))
    return _list_based(
        "covington",
        root,
        enter=(head(B0).among(STACK - ROOT).when(is_unattached(B0)), _LOST_OPEN_CHILDREN),
        rows=(
            Transition(
                "NO_ARC",
                when=no_arc,
                then=(aside,),
                loses=(lost_head, lost_child),
            ),
            Transition(
                "LEFT",
                when=(is_word(S0), is_unattached(S0), does_not_dominate(S0, B0)),
                then=(_LEFT_ARC, aside),
                loses=(*_lost_later_head(root), lost_head),
            ),
            Transition(
                "RIGHT",
                when=right,
                then=(arc(head=S0, dependent=B0), aside),
                loses=(head(B0).among(STACK - S0), head(B0).among(BUFFER - B0), lost_child, *_lost_root(root)),
            ),
        ),
        when=enter,
        single_root=single_root,
        potential="cycles",
    )


def covington_projective(root: Root = "last", single_root: bool = False) -> TransitionSystem:
    """The projective list-based system of Nivre 2008: ArcEager that looks below a word without taking it away."""
    last = root == "last"
    when_shift, when_right = _one_root_left(root) if single_root else ((), ())
    passed = children(LIST).among(BUFFER - B0)
    return _list_based(
        "covington-projective",
        root,
        enter=(
            *_lost_by_entering(root, single_root),
            *([wants(B0, HEAD_LEFT).when(is_word(S0))] if last else []),
        ),
        rows=(
            Transition("NO_ARC", when=(is_attached(S0),), then=(aside,), loses=(head(B0).among(S0),)),
            Transition(
                "LEFT",
                when=(is_word(S0), is_unattached(S0)),
                then=(_LEFT_ARC, pop, clear),
                loses=(
                    *_lost_later_head(root, S0, 1 if single_root else None),
                    _LOST_CHILDREN,
                    passed,
                    *([wants(B0, HEAD_LEFT).when(size(STACK) == 1)] if last else []),
                ),
            ),
            Transition(
                "RIGHT",
                when=(is_word(B0), *([is_word(S0)] if single_root else []), *when_right),
                then=(arc(head=S0, dependent=B0), clear, shift),
                loses=(
                    head(B0).among(STACK - S0),
                    head(B0).among(BUFFER - B0),
                    _LOST_OPEN_CHILDREN,
                    passed,
                    *_lost_root(root),
                    *([wants(B0, HEAD_RIGHT)] if last else []),
                ),
            ),
        ),
        when=when_shift,
        single_root=single_root,
        potential="blocked-chain-2" if single_root else None,
    )


def _one_root_left(root: Root) -> tuple[tuple[AnyOf, ...], tuple[AnyOf, ...]]:
    """When SHIFT and RIGHT leave one word to Root at most: the last word is the only one left, or joins the only one.

    Words with a head are on the stack together with the one that is above them all.
    """
    early = size(BUFFER) >= (3 if root == "last" else 2)
    alone = size(STACK) == (1 if root == "first" else 0)
    return (any_of(early, alone),), (any_of(early, size(STACK, unattached) == 1),)


def _lost_by_entering(root: Root, single_root: bool) -> tuple[Loss, ...]:
    """Of B0, when it enters the stack without a head. If there may be one root, it is the lowest word of the stack."""
    lost = (head(B0).among(STACK if root == "last" else STACK - ROOT), _LOST_OPEN_CHILDREN)
    if not single_root:
        return lost
    if root == "none":
        return (*lost, headless(B0).when(size(STACK) >= 1))
    return (*lost, head(B0).among(ROOT).when(size(STACK) >= (2 if root == "first" else 1)))


def _lost_later_head(root: Root, word: Position = S0, lowest: int | None = None) -> tuple[Loss, ...]:
    """Of a word, when B0 becomes its head: one behind B0; or Root, which any word may be left to.

    Or only the lowest one on the stack, when the stack has `lowest` words.
    """
    if lowest is None:
        rest = {"first": (head(word).among(ROOT),), "last": (), "none": (headless(word),)}[root]
        return (head(word).among(BUFFER - B0), *rest)
    if root == "last":
        return _ahead_of_root(word, lowest)
    of_root = headless(word) if root == "none" else head(word).among(ROOT)
    return (head(word).among(BUFFER - B0), of_root.when(size(STACK) == lowest + (root == "first")))


def _lost_root(root: Root) -> tuple[Loss, ...]:
    """Of B0, when it gets a head and there is no Root among the tokens."""
    return (headless(B0),) if root == "none" else ()


def _list_based(
    name: str,
    root: Root,
    enter: tuple[Loss, ...],
    rows: tuple[Transition, ...],
    when: tuple[Any, ...] = (),
    single_root: bool = False,
    potential: str | None = None,
) -> TransitionSystem:
    last = root == "last"
    when = (is_word(B0), *when) if last else when
    shift_all = Transition("SHIFT", when=when, then=(restore, shift), loses=enter)
    return TransitionSystem(
        name,
        (shift_all, *rows),
        root=root,
        single_root=single_root,
        final=(is_root(B0), size(STACK) == 0) if last else (size(BUFFER) == 0,),
        potential=potential,
        ties=("LEFT", "RIGHT", "NO_ARC", "SHIFT"),
    )


def _standard_root_rows(root: Root, single_root: bool, depth: int = 1) -> tuple[Transition, ...]:
    """Without Root, if there may be several roots: S0 stays without a head, where Root could take it from below."""
    if root != "none" or single_root:
        return ()
    return (Transition("ROOT", when=(size(STACK) <= depth,), then=(pop,)),)


def _on_stack(root: Root) -> Literal["stack"] | None:
    return None if root == "none" else "stack"


def arc_eager_partial(root: Root = "last") -> TransitionSystem:
    """Aufrant & Wisniewski 2018, tables 8 and 9: ArcEager that may leave words headless."""
    return _eager_partial("arc-eager-partial", root, None)


def arc_eager_span(root: Root = "last", k: int = 3) -> TransitionSystem:
    """Aufrant & Wisniewski 2018, supplementary A.7: ArcEagerPartial with arcs of length k at most."""
    return _eager_partial("arc-eager-span", root, k)


def arc_hybrid_partial(root: Root = "last") -> TransitionSystem:
    """Aufrant & Wisniewski 2018, tables 10 and 11: ArcHybrid that may leave words headless."""
    return _hybrid_partial("arc-hybrid-partial", root, None)


def arc_hybrid_span(root: Root = "last", k: int = 3) -> TransitionSystem:
    """Aufrant & Wisniewski 2018, supplementary A.7: ArcHybridPartial with arcs of length k at most."""
    return _hybrid_partial("arc-hybrid-span", root, k)


def _eager_partial(name: str, root: Root, k: int | None) -> TransitionSystem:
    short = (span(S0, B0) <= _length(name, k),) if k is not None else ()
    enter = (head(B0).among(STACK), _LOST_OPEN_CHILDREN)
    return TransitionSystem(
        name,
        (
            Transition("SHIFT", when=(is_word(B0),), then=(shift,), loses=enter),
            Transition(
                "LEFT",
                when=(is_word(S0), is_unattached(S0), *short),
                then=(_LEFT_ARC, pop),
                loses=(headless(S0), head(S0).among(BUFFER - B0), _LOST_CHILDREN),
            ),
            Transition(
                "RIGHT",
                when=(is_word(B0), *short),
                then=(arc(head=S0, dependent=B0), shift),
                loses=(
                    headless(B0),
                    head(B0).among(BUFFER - B0),
                    head(B0).among(STACK - S0),
                    _LOST_OPEN_CHILDREN,
                ),
            ),
            Transition(
                "REDUCE",
                when=(is_word(S0),),
                then=(pop,),
                loses=(head(S0).among(BUFFER).when(is_unattached(S0)), _LOST_CHILDREN),
            ),
        ),
        root=root,
        partial=True,
        max_span=k,
        ties=("LEFT", "RIGHT", "SHIFT", "REDUCE"),
    )


def _hybrid_partial(name: str, root: Root, k: int | None) -> TransitionSystem:
    short_left: tuple[StateCondition, ...] = (span(S0, B0) <= _length(name, k),) if k is not None else ()
    short_right: tuple[StateCondition, ...] = (span(S1, S0) <= _length(name, k),) if k is not None else ()
    return TransitionSystem(
        name,
        (
            Transition("SHIFT", when=(is_word(B0),), then=(shift,), loses=_HYBRID_ENTER),
            Transition(
                "LEFT",
                when=(is_word(S0), *short_left),
                then=(_LEFT_ARC, pop),
                loses=(headless(S0), *_HYBRID_LEFT),
            ),
            Transition("RIGHT", when=short_right, then=_RIGHT_ARC, loses=(headless(S0), *_HYBRID_LEAVE)),
            Transition(
                "REDUCE",
                when=(is_word(S0),),
                then=(pop,),
                loses=(head(S0).among(S1), *_HYBRID_LEAVE),
            ),
        ),
        root=root,
        partial=True,
        max_span=k,
        ties=("LEFT", "RIGHT", "SHIFT", "REDUCE"),
    )


def _length(name: str, k: object) -> int:
    check_count(f"{name}: k", k, maximum=(1 << 31) - 1, error=DeclarationError)
    assert isinstance(k, int)
    return k
