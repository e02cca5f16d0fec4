"""The parts of deriving: candidates, covers, evidence; refusals, files, the command."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from derivable import HEAD_FINAL, LOCAL, SECOND_CHANCE
from panparser.proofs.deriving import smallest_cover, without_costs
from panparser.proofs.evidence import GoldObservation, candidates, conditions, counts, reference_state, slots, weight
from panparser.proofs.interpreter import ReferenceSystem
from panparser.proofs.system_proof import check_system
from panparser.trees.gold import HEAD_LEFT, HEAD_RIGHT, NO_HEAD, reference_heads

# --- The parts ---


@given(
    st.integers(0, 7).flatmap(
        lambda n: st.tuples(
            st.just(n), st.lists(st.tuples(st.integers(0, max(0, 2**n - 1)), st.integers(0, 9)), max_size=9)
        )
    )
)
def test_the_solver_finds_the_best_cover(problem):
    elements, pairs = problem
    sets, weights = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    expected = None
    for count in range(elements + 1):
        for chosen in combinations(range(len(sets)), count):
            members = [sets[index] for index in chosen]
            if all(members) and sum(members) == 2**elements - 1 == _union(members):
                price = (count, sum(weights[index] for index in chosen))
                expected = price if expected is None else min(expected, price)
    found = smallest_cover(elements, sets, weights)
    assert (found is None) == (expected is None)
    if found is not None:
        assert sum(sets[index] for index in found) == _union([sets[index] for index in found]) == 2**elements - 1
        assert (len(found), sum(weights[index] for index in found)) == expected


def _union(members):
    union = 0
    for each in members:
        union |= each
    return union


def test_the_solver_beyond_brute_force():
    """A hidden partition of 60 elements among 300 random sets."""
    rng = random.Random(3)
    cells = [rng.randrange(6) for _ in range(60)]
    hidden = [sum(1 << i for i, cell in enumerate(cells) if cell == number) for number in range(6)]
    sets = hidden + [rng.getrandbits(60) & rng.getrandbits(60) for _ in range(300)]
    assert smallest_cover(60, sets, [1] * len(sets)) == tuple(range(6))
    assert smallest_cover(60, sets[1:], [1] * (len(sets) - 1)) is None


def test_ties_go_to_the_lightest_then_to_the_first():
    assert smallest_cover(2, [0b01, 0b10, 0b11, 0b11], [1, 1, 9, 8]) == (3,)
    assert smallest_cover(2, [0b01, 0b10, 0b01, 0b10], [5, 5, 5, 5]) == (0, 1)
    assert smallest_cover(0, [], []) == ()


@pytest.mark.parametrize("root", ["first", "last"])
def test_sights_tell_what_losses_count(root):
    """A loss counts a sight if and only if the slow reference counts the annotation."""
    rng = random.Random(4)
    system = pp.system("arc-eager-partial", root=root)
    reference = ReferenceSystem(system)
    words = 6
    for _ in range(30):
        state = system.initial(words)
        for _ in range(rng.randrange(2 * words)):
            state = system.apply(state, rng.choice(system.legal(state)))
        seen = reference_state(reference, state)
        where = slots(seen)
        for heads in ((None,) * w + (mark,) + (None,) * (words - w - 1) for w in range(words) for mark in _marks(w)):
            word = next(w for w, head in enumerate(heads, 1) if head is not None)
            placed = reference_heads(pp.GoldTree(heads), root, None)
            mark = heads[word - 1] if isinstance(heads[word - 1], type(NO_HEAD)) else None
            head = None if mark else placed[word - 1]
            if word not in where or (head is not None and head not in where):
                continue
            lowest = bool(seen.stack) and seen.stack[0] == word
            sight = GoldObservation(where[word], None if head is None else where[head], word in seen.heads, lowest, 0)
            for loss in candidates(mark, False) if mark else rng.sample(candidates(None, False), 40):
                counted = reference._loss(loss, seen, dict(enumerate(placed, 1)))
                assert counted == counts(loss, sight), (loss, state, heads)


def _marks(word):
    return [NO_HEAD, HEAD_LEFT, HEAD_RIGHT, *(head for head in range(7) if head != word + 1)]


def test_candidates_are_terms_of_the_language_and_the_simplest_come_first():
    from panparser.systems.table_syntax import parse_term

    for mark, has_list in product((None, NO_HEAD, HEAD_LEFT, HEAD_RIGHT), (False, True)):
        losses = candidates(mark, has_list)
        assert len(losses) == len(set(map(str, losses)))
        assert [parse_term(str(loss)) for loss in losses] == list(losses)
        assert sorted(map(weight, losses)) == list(map(weight, losses))
        assert any("L" in str(loss).replace("LEFT", "") for loss in losses) == has_list
    assert str(candidates(None, False)[0]) == "head(S0).among(STACK)"


def test_every_term_of_the_built_in_tables_is_a_candidate():
    for system in LOCAL:
        for row in system.transitions:
            for loss in row.loses:
                mark = {"headless": NO_HEAD}.get(loss.kind, loss.direction)
                assert replace(loss, guard=()) in candidates(mark, system.has_list), loss
                assert set(loss.guard) <= set(conditions(system)), loss


# --- Refusals, files, the command ---


class Shift(pp.PythonSystem):
    transitions = ("SHIFT",)


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ("swap-standard", "SWAP uses back, so costs need a static oracle: there are no losses"),
        (Shift(), "is written in Python; losses can be derived for tables"),
        ("arc-hybird", "did you mean arc-hybrid"),
    ],
)
def test_what_has_no_losses_is_refused(system, message):
    with pytest.raises(pp.PanParserError, match=message):
        pp.proofs.derive_losses(system)


@pytest.mark.parametrize("max_words", [0, -1, 2.5])
def test_lengths_must_be_positive(max_words):
    with pytest.raises(ValueError, match="max_words must be an integer between 1 and 12"):
        pp.proofs.derive_losses("arc-hybrid", max_words)


def test_an_unsound_system_is_drawn():
    with pytest.raises(pp.errors.ProofError, match="stuck: no transition is legal"):
        pp.proofs.derive_losses(replace(HEAD_FINAL, root="first", starts="stack", ends="stack"))


def test_progress_is_reported():
    seen = []
    pp.proofs.derive_losses("arc-hybrid", 3, progress=lambda *call: seen.append(call))
    texts = {text for text, _, _ in seen}
    assert {"2 words: true costs", "losses of LEFT", "3 words: costs"} <= texts


@pytest.mark.unmeasured
@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_from_effects_to_a_parser_on_the_command_line(run, tmp_path, suffix, english):
    bare, mine = tmp_path / f"bare{suffix}", tmp_path / f"mine{suffix}"
    pp.TransitionSystem("second-chance", SECOND_CHANCE, root="first").save(bare)
    code, out, err = run("derive", bare, "-o", mine, "--max-words", "4", "--no-directions")
    assert (code, err) == (0, "")
    assert "found on sentences of up to 4 words; proven up to 4" in out
    assert without_costs(pp.system(mine)) == pp.system(bare)
    assert run("check", mine)[0] == 0
    parser = pp.train(pp.ParserSpec(system=pp.system(mine), beam=2), english[0], epochs=2)
    assert pp.evaluate(english[1], parser.parse(english[1])).uas > 60


def test_the_command_prints_a_declaration_or_a_witness(run, tmp_path):
    code, out, _ = run("derive", "arc-hybrid", "--single-root", "--no-directions", "--json", "--quiet")
    assert code == 0
    found = pp.TransitionSystem.from_json(out)
    assert (found.single_root, found.knows_directions) == (True, False)
    check_system(found)
    output = tmp_path / "none.json"
    code, out, err = run("derive", "arc-standard", "-o", output)
    assert (code, err, output.exists()) == (1, "", False)
    assert "arc-standard, Root last: no table of losses is exact" in out
    code, out, _ = run("derive", "arc-eager", "--root", "first", "--json")
    assert code == 1
    assert json.loads(out)["derived"] is False
    assert run("derive", "arc-hybrid", "--max-words", "2", "--quiet")[:2] == (0, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["arc-hybrid", "-o", "mine.txt"], "mine.txt: expected a file name that ends in .toml or .json"),
        (["arc-hybrid", "-o", "nowhere/mine.toml"], "nowhere/mine.toml: cannot be written"),
        (["swap-standard"], "SWAP uses back"),
        (["arc-hybrid", "-k", "2"], "arc-hybrid takes root, single_root; got k"),
        (["nowhere.toml"], "nowhere.toml: cannot be read"),
        (["arc-eager", "--max-words", "0"], "--max-words"),
    ],
)
def test_bad_input_is_one_message(run, arguments, message):
    code, _, err = run("derive", *arguments)
    assert code == 2
    assert message in err
    assert "Traceback" not in err


def test_an_unsound_table_in_a_file(run, tmp_path):
    path = tmp_path / "stuck.json"
    path.write_text(replace(HEAD_FINAL, root="first", starts="stack", ends="stack").to_json())
    code, out, _ = run("derive", path)
    assert code == 1
    assert "stuck" in out
