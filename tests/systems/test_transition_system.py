"""Tables as values: equality, JSON, TOML, printing, extension, and what is refused when it is declared."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser.proofs.system_proof import check_system
from panparser.systems.terms import BUFFER, S0, S1, arc, back, children, head, headless, is_word, pop, shift
from variants import each_variant, golden, variants

HYBRID = pp.system("arc-hybrid")


@each_variant()
def test_tables_compare_hash_and_round_trip(system):
    again = pp.TransitionSystem.from_json(system.to_json())
    assert again == system
    assert hash(again) == hash(system)
    assert str(again) == str(system)
    assert len({system, again}) == 1


def test_all_variants_differ():
    assert len(set(variants())) == len(variants())


def test_tables_print_as_reviewed():
    golden("tables.txt", "\n\n".join(map(str, variants())))


@pytest.mark.parametrize("suffix", [".json", ".toml"])
def test_tables_are_saved_and_loaded(tmp_path, suffix):
    for system in variants():
        system.save(tmp_path / f"table{suffix}")
        assert pp.TransitionSystem.load(tmp_path / f"table{suffix}") == system


def test_a_table_is_saved_as_toml_or_json(tmp_path):
    with pytest.raises(pp.errors.DeclarationError, match=r"table.txt: a table's file ends in .toml or .json"):
        pp.system("arc-hybrid").save(tmp_path / "table.txt")
    with pytest.raises(pp.errors.DeclarationError, match="cannot be written"):
        pp.system("arc-hybrid").save(tmp_path / "nowhere" / "table.json")


def test_a_table_from_toml_equals_the_one_in_python(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        """
        name = "mine"
        root = "first"
        [[transitions]]
        name = "SHIFT"
        when = ["is_word(B0)"]
        then = ["shift"]
        [[transitions]]
        name = "RIGHT"
        then = ["arc(head=S1, dependent=S0)", "pop"]
        loses = ["head(S0).among(BUFFER)", "children(S0).among(BUFFER)"]
        """
    )
    rows = (
        pp.Transition("SHIFT", when=("is_word(B0)",), then=(shift,)),
        pp.Transition(
            "RIGHT",
            then=("arc(head=S1, dependent=S0)", pop),
            loses=(head(S0).among(BUFFER), children(S0).among(BUFFER)),
        ),
    )
    expected = pp.TransitionSystem("mine", rows, root="first")
    assert pp.system(path) == pp.system(str(path)) == expected
    json_path = tmp_path / "mine.json"
    json_path.write_text(expected.to_json())
    assert pp.TransitionSystem.load(json_path) == expected


def test_extending_a_table_makes_the_partial_system():
    reduce = pp.system("arc-hybrid-partial")["REDUCE"]
    plain = [
        replace(row, loses=tuple(loss for loss in row.loses if loss.kind != "wants")) for row in HYBRID.transitions
    ]
    mine = replace(HYBRID, transitions=tuple(plain), partial=True).adding(reduce)
    mine = mine.also_losing(("LEFT", "RIGHT"), headless(S0))
    assert mine["LEFT"].loses[-1] == headless(S0)
    assert mine.ties == ("LEFT", "RIGHT", "SHIFT", "REDUCE")
    assert mine.also_losing("LEFT", headless(S0))["LEFT"].loses[-2:] == (headless(S0),) * 2
    check_system(mine, max_words=4)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": "A B", "then": (shift,)}, "must be a word of letters, digits and _, such as NO_ARC; got 'A B'"),
        (
            {"when": is_word(S0), "then": (shift,)},
            "X: when must be a tuple or list of conditions; got is_word(S0) (a comma",
        ),
        ({"when": (shift,), "then": (shift,)}, "when of X, term 1: expected conditions; got shift"),
        ({"then": (shift, is_word(S0))}, "then of X, term 2: expected effects; got is_word(S0)"),
        ({"then": "shift"}, "X: then must be a tuple or list of effects; got 'shift'"),
        ({"then": ()}, "X: then is empty"),
        (
            {"then": (pop, arc(head=S0, dependent=pp.system("arc-eager")["RIGHT"].then[0].positions[1]))},
            "must come before pop",
        ),
        ({"then": (HYBRID["LEFT"].then[0],)}, "moves no token"),
        ({"then": (*HYBRID["LEFT"].then, HYBRID["LEFT"].then[0])}, "at most one arc; got 2"),
        (
            {"then": ("shfit",)},
            "then of X, term 1: unknown word shfit; did you mean shift?\n    shfit\n    ^^^^^",
        ),
        (
            {"then": (shift,), "loses": ("head(S0)",)},
            "loses of X, term 1: expected a condition, an effect or a loss",
        ),
    ],
)
def test_malformed_transitions_are_refused(fields, message):
    with pytest.raises(pp.errors.DeclarationError) as caught:
        pp.Transition(**{"name": "X"} | fields)
    assert message in str(caught.value)


def values(**changes):
    return json.loads(HYBRID.to_json()) | changes


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, "TransitionSystem: name must be a text"),
        ({"root": "middle"}, "arc-hybrid: root must be one of first, last, none; got 'middle'"),
        ({"single_root": 1}, "arc-hybrid: single_root must be true or false; got 1"),
        ({"starts": "stack"}, "arc-hybrid: starts must be buffer, since Root is last; got 'stack'"),
        ({"ends": "heap"}, "arc-hybrid: ends must be stack or buffer; got 'heap'"),
        ({"max_span": 0}, "arc-hybrid: max_span must be an integer between 1 and 2147483647; got 0"),
        ({"potential": "magic"}, "arc-hybrid: potential must be one of blocked-chain-1"),
        ({"potential": "arc-standard-loss"}, "arc-standard-loss replaces all losses; got some in SHIFT"),
        ({"static_oracle": "swap-eager"}, "a static_oracle replaces all costs; got loses in SHIFT as well"),
        ({"ties": 5}, "arc-hybrid: ties must be a list; got 5"),
        ({"ties": ["SHIFT"]}, "arc-hybrid: ties must order SHIFT, LEFT, RIGHT; got SHIFT"),
        ({"transitions": []}, "arc-hybrid: transitions must be one or more Transitions"),
        ({"transitions": [3]}, "transitions must be a list of tables"),
        ({"transitions": values()["transitions"] + values()["transitions"]}, "SHIFT appears twice"),
        (
            {"transitions": [{"name": "A", "then": ["shift"], "cost": 1}]},
            "transition A has no field 'cost'; it has name",
        ),
        ({"transitions": [{"then": ["shift"]}]}, "missing 'name'"),
        ({"colour": "red"}, "the table has no field 'colour'"),
        ({"format": 2}, "expected format 1; a newer version of panparser wrote this"),
    ],
)
def test_malformed_systems_are_refused(changes, message):
    with pytest.raises(pp.errors.DeclarationError) as caught:
        pp.TransitionSystem.from_values(values(**changes))
    assert message in str(caught.value)


def test_words_that_go_back_need_a_static_oracle():
    with pytest.raises(pp.errors.DeclarationError, match="SWAP uses back, so costs need a static_oracle"):
        pp.TransitionSystem("x", (pp.Transition("SHIFT", then=(shift,)), pp.Transition("SWAP", then=(back,))))
    swap = pp.system("swap-standard")
    with pytest.raises(pp.errors.DeclarationError, match="not a swap system"):
        replace(swap, transitions=swap.transitions[1:], ties=())


def test_rows_bring_no_word_back():
    swap = pp.system("swap-standard")
    with pytest.raises(
        pp.errors.DeclarationError, match=r"SWAP uses back, so costs need a static_oracle, .*; got 'rows'"
    ):
        replace(swap, static_oracle="rows")


def test_a_static_oracle_leaves_no_potential():
    with pytest.raises(pp.errors.DeclarationError, match="the potential blocked-chain-1"):
        replace(pp.system("swap-standard"), potential="blocked-chain-1")


def test_too_many_conditions_are_refused():
    rows = tuple(
        pp.Transition(f"T{i}", when=(f"size(STACK) >= {i}", f"size(BUFFER) <= {i}"), then=(shift,)) for i in range(32)
    )
    with pytest.raises(pp.errors.DeclarationError, match="big: malformed table: at most 64 different conditions"):
        pp.TransitionSystem("big", rows)
    with pytest.raises(pp.errors.DeclarationError, match="1 to 32 transitions"):
        pp.TransitionSystem("long", tuple(pp.Transition(f"T{i}", then=(shift,)) for i in range(33)))


@pytest.mark.parametrize(
    ("potential", "then"),
    [
        ("blocked-chain-1", (shift, pop)),
        ("blocked-chain-1", (pop(S1),)),
        ("arc-standard-loss", (pop,)),
        ("arc-standard-loss", ("arc(head=S0, dependent=S1)", pop)),
        ("arc-standard-loss", ("arc(head=B0, dependent=S0)", pop)),
        ("arc-standard-loss", ("arc(head=S2, dependent=S0)", pop)),
        ("attardi-loss", ("arc(head=S2, dependent=S1)", pop(S1))),
        ("attardi-loss", ("arc(head=S0, dependent=S2)", pop)),
    ],
)
def test_potentials_are_refused_where_they_do_not_fit(potential, then):
    with pytest.raises(pp.errors.DeclarationError, match="does not know what"):
        pp.TransitionSystem("x", (pp.Transition("X", then=then),), potential=potential)


def test_tables_can_be_copied():
    for again in (copy.copy(HYBRID), copy.deepcopy(HYBRID)):
        assert again == HYBRID
        assert again.costs(HYBRID.initial(2), [2, 0]) == HYBRID.costs(again.initial(2), [2, 0]) == {"SHIFT": 0}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", b"{", "a.json: expected JSON; line 1, column 2"),
        ("a.json", b"[1]", "a.json: expected a table with name and transitions; got list"),
        ("a.toml", b"name = ", "a.toml:1: expected TOML"),
        ("a.toml", b"\xff", "a.toml: cannot be read"),
        ("a.toml", b"transitions = []", "a.toml: missing 'name'"),
    ],
)
def test_malformed_files_name_the_file(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(pp.errors.DeclarationError) as caught:
        pp.system(path)
    assert message in str(caught.value)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 5)
    | st.sampled_from(["shift", "pop", "SHIFT", "first", "is_word(B0)", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "when", "then", "loses", "transitions", "root", "ties"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(st.sampled_from(sorted(values())), JSON)
def test_any_values_are_taken_or_refused(field, value):
    changed = values(**{field: value})
    try:
        system = pp.TransitionSystem.from_values(changed)
    except pp.errors.DeclarationError:
        return
    assert pp.TransitionSystem.from_json(system.to_json()) == system


def test_unknown_transitions_are_refused():
    with pytest.raises(pp.errors.IllegalTransitionError, match="arc-hybrid has SHIFT, LEFT, RIGHT; got 'JUMP'"):
        HYBRID["JUMP"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"max_span": True}, "arc-eager: max_span must be an integer between 1 and"),
        ({"ties": [1, 2, 3, 4]}, "arc-eager: ties must order SHIFT, .*; got 1, 2, 3, 4"),
        ({"ties": [[], {}]}, "arc-eager: ties must order"),
    ],
)
def test_values_of_another_type_are_refused(change, said):
    with pytest.raises(pp.errors.DeclarationError, match=said):
        pp.TransitionSystem.from_values(pp.system("arc-eager").to_values() | change)


@pytest.mark.parametrize("suffix", ["json", "toml"])
def test_numbers_with_thousands_of_digits_are_refused(tmp_path, suffix):
    path = tmp_path / f"table.{suffix}"
    path.write_text("name = " + "9" * 5000 if suffix == "toml" else '{"name": ' + "9" * 5000 + "}")
    with pytest.raises(pp.errors.DeclarationError, match="a number has too many digits"):
        pp.TransitionSystem.load(path)


def test_a_word_that_needs_a_token_is_not_called_on():
    with pytest.raises(pp.errors.DeclarationError, match=r"expected a token after children: children\(S0\)"):
        pp.Transition("SHIFT", then=("shift",), loses=("children.among(STACK, unattached)",))
