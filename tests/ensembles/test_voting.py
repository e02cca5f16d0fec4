"""A vote scores as its parsers together do, whatever their templates and labels; it is saved, loaded, refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from panparser.errors import ModelError, SpecError
from panparser.parsing.model_protocol import Search
from panparser.storage.containers import encode, read_arrays
from places import ENGLISH
from reference.voting import SlowVoter, slow_vote

TREEBANK = pp.read_conllu(ENGLISH)
DEV = TREEBANK[80:110]
SHORT = TREEBANK[[number for number in range(110, 200) if 4 <= len(TREEBANK[number].forms) <= 9][:6]]
SYSTEM = pp.system("arc-eager", root="last", single_root=True)

FAST = pp.templates("fast")


def trained(first=0, last=60, system=SYSTEM, templates=FAST, beam=4, **options):
    spec = pp.ParserSpec(
        system=system,
        templates=templates,
        beam=beam,
        labeled=options.pop("labeled", True),
        nonprojective=options.pop("nonprojective", None),
    )
    return pp.train(spec, TREEBANK[first:last], **{"epochs": 2, "members": 1, **options})


def renamed(treebank, old, new):
    """The same trees with another name for a label, so that labels have another order too."""
    return pp.parse_conllu(treebank.to_bytes().decode().replace(f"\t{old}\t", f"\t{new}\t"))


@pytest.fixture(scope="module")
def first():
    return trained(seed=1)


@pytest.fixture(scope="module")
def second():
    return trained(seed=2)


@pytest.fixture(scope="module")
def other():
    """Other templates, other labels in another order, another beam."""
    spec = pp.ParserSpec(system=SYSTEM, templates=pp.templates("zn11"), beam=2)
    return pp.train(spec, renamed(TREEBANK[40:110], "obj", "aaa"), epochs=2, members=1)


@pytest.fixture(scope="module")
def unlabeled():
    return trained(labeled=False, templates=pp.templates("zn11"))


def same_trees(one, two, treebank=DEV, **options):
    found = [parser.parse(treebank, **options).to_bytes() for parser in (one, two)]
    return found[0] == found[1]


def by_reference(parsers, weights, vote, treebank, beam):
    """Heads and labels of each sentence, from scores that each parser computes by itself."""
    voters = [SlowVoter(parser, treebank) for parser in parsers]
    heads, labels = [], []
    for sentence in range(len(treebank)):
        derivation = slow_vote(voters, weights, vote.labels, sentence, beam)
        batch = pp.parsing.StateBatch(vote.spec.system, treebank, labels=vote.labels, start=[sentence])
        names = vote.labels.names
        for action, label in derivation:
            number = names.index(label) if label else -1
            batch.apply(np.array([action], dtype=np.int32), np.array([number], dtype=np.int32))
        found = batch.trees()
        heads.append(found[0].ravel()[found[0].ravel() > -2])
        labels.append(found[1].ravel())
    return np.concatenate(heads), np.concatenate(labels)


@pytest.mark.unmeasured
@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("weights", [(1, 1, 1), (3, 0.5, 1)])
def test_a_vote_parses_as_the_sum_of_its_parsers(first, other, unlabeled, beam, weights):
    parsers = [first, other, unlabeled]
    vote = pp.make_voting_parser(parsers, weights=weights, beam=beam)
    vote = replace(vote, pruning_margin=None)
    heads, labels, *_ = vote.model.find(SHORT, Search(beam=beam))
    expected = by_reference(parsers, weights, vote, SHORT, beam)
    assert heads.tolist() == expected[0].tolist()
    assert labels.tolist() == expected[1].tolist()
    assert not same_trees(vote, first)


@pytest.mark.unmeasured
@pytest.mark.parametrize("name", ["arc-standard", "arc-hybrid", "attardi"])
def test_votes_in_other_systems(name):
    system = pp.system(name, root="first", single_root=True)
    parsers = [
        trained(system=system, templates=pp.templates("fast"), last=40),
        trained(system=system, templates=pp.templates("zn11"), first=20, last=70),
    ]
    vote = pp.make_voting_parser(parsers, beam=3)
    heads, labels, *_ = vote.model.find(SHORT, Search(beam=3))
    expected = by_reference(parsers, (1, 1), vote, SHORT, 3)
    assert heads.tolist() == expected[0].tolist()
    assert labels.tolist() == expected[1].tolist()


@pytest.mark.parametrize("beam", [1, 4])
def test_a_parser_that_votes_with_itself_parses_as_it_did(first, other, beam):
    for parser in (first, other):
        for parsers in ([parser], [parser] * 3):
            assert same_trees(pp.make_voting_parser(parsers), parser, beam=beam)


def test_a_parser_on_top_of_another_votes_with_all_its_layers(first):
    more = pp.train(first.spec, renamed(TREEBANK[110:150], "obj", "new"), init=first, epochs=1, members=1)
    assert len(more.layers) == 2
    vote = pp.make_voting_parser([more, more])
    assert len(vote.layers) == 4
    assert (vote.predict(DEV)[0] == more.predict(DEV)[0]).mean() > 0.98  # factors of layers are rounded anew
    assert (vote.predict(DEV)[0] == first.predict(DEV)[0]).mean() < 0.95
    assert pp.make_voting_parser([first, more]).labels.names == more.labels.names


def test_margins_are_summed_and_change_next_to_nothing(first):
    first = trained(dev=DEV, beam=8)
    second = trained(dev=DEV, beam=8, seed=2)
    assert first.pruning_margin is not None
    vote = pp.make_voting_parser([first, second])
    assert vote.pruning_margin is not None
    assert same_trees(pp.make_voting_parser([first, first]), first)
    free = replace(vote, pruning_margin=None)
    different = (vote.predict(DEV)[0] != free.predict(DEV)[0]).mean()
    assert different < 0.02
    assert pp.make_voting_parser([first, trained(beam=1)]).pruning_margin is None


def test_a_weight_of_zero_leaves_a_parser_out(first, other):
    vote = pp.make_voting_parser([first, other], weights=[2, 0])
    assert len(vote.voters) == 1
    assert vote.labels.names[: len(first.labels.names)] == first.labels.names
    assert same_trees(vote, first)


def test_votes_vote(first, second, other):
    vote = pp.make_voting_parser([pp.make_voting_parser([first, second], weights=[1, 2]), other], weights=[2, 1])
    assert [voter.weight for voter in vote.voters] == [2, 4, 1]
    assert same_trees(vote, pp.make_voting_parser([first, second, other], weights=[2, 4, 1]))


def test_weights_are_learned_from_a_development_set(first, second, other):
    heard = []
    vote = pp.make_voting_parser(
        [other, first, second], dev=DEV, progress=lambda done, total: heard.append((done, total))
    )
    equal = pp.make_voting_parser([other, first, second])
    scores = [pp.evaluate(DEV, parser.parse(DEV, beam=4)).las for parser in (equal, vote)]
    assert scores[1] >= scores[0]
    assert vote.training["weights"] == "learned"
    assert vote.pruning_margin is not None
    assert heard[-1][0] <= heard[-1][1]


def test_it_is_saved_and_loaded_like_every_parser(first, other, tmp_path):
    vote = pp.make_voting_parser([first, other], weights=[2, 1])
    vote.save(tmp_path / "vote")
    loaded = pp.load(tmp_path / "vote")
    assert same_trees(loaded, vote)
    assert loaded.manifest() == vote.manifest()
    assert loaded.manifest()["format"] == 2
    assert [voter.weight for voter in loaded.voters] == [2, 1]
    assert "a vote of 2" in repr(loaded)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "vote").read_bytes()
    assert loaded.k_best(DEV[0], 2)[0].heads == vote.k_best(DEV[0], 2)[0].heads


def test_a_trained_parser_is_written_as_before(first):
    manifest = first.manifest()
    assert manifest["format"] == 1
    assert "voters" not in manifest


def test_scores_of_trees_are_in_updates(first):
    alone, vote = (parser.k_best(DEV[0], 1)[0].score for parser in (first, pp.make_voting_parser([first, first])))
    assert vote == pytest.approx(2 * alone, rel=0.01)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"weight": 0}, r"voters\[0\].weight: expected a number > 0, found 0"),
        ({"layers": 2}, "layers together"),
        ({"labels": ["no such"]}, "not a valid parser"),
        ({"templates": ["S0.form"]}, "not a valid parser"),
        ({"training": None}, "training"),
    ],
)
def test_broken_votes_are_refused(first, second, tmp_path, change, said):
    pp.make_voting_parser([first, second]).save(tmp_path / "vote")
    arrays, manifest = read_arrays(tmp_path / "vote", "model")
    manifest["voters"][0] |= change
    (tmp_path / "broken").write_bytes(encode(arrays, manifest))
    with pytest.raises(ModelError, match=said):
        pp.load(tmp_path / "broken")


def test_what_cannot_vote_together_is_refused(first, english):
    for parsers, said in (
        ([], "1 to 32"),
        (first, "1 to 32"),
        ([first] * 33, "1 to 32"),
        ([first, "x"], "must be Parsers"),
        ([pp.make_voting_parser([first] * 20)] * 2, "at most 32"),
        ([first, trained(system=pp.system("arc-hybrid", root="last", single_root=True))], "one transition system"),
        ([first, trained(nonprojective="reduce")], "lift crossing arcs"),
    ):
        with pytest.raises(SpecError, match=said):
            pp.make_voting_parser(parsers)
    assert pp.make_voting_parser([first, first], weights=np.array([1, 2])).voters[1].weight == 2
    for weights, said in (
        (3, "2 numbers"),
        ([1], "2 numbers"),
        ([0, 0], "not all 0"),
        ([1, -1], ">= 0"),
        ([1, "a"], ">= 0"),
    ):
        with pytest.raises(SpecError, match=said):
            pp.make_voting_parser([first, first], weights=weights)
    with pytest.raises(SpecError, match="got both"):
        pp.make_voting_parser([first, first], weights=[1, 1], dev=DEV)
    with pytest.raises(SpecError, match="with known heads"):
        pp.make_voting_parser([first, first], dev=TREEBANK[:0])
    with pytest.raises(SpecError, match="must be one parser"):
        pp.train(first.spec, TREEBANK[:10], init=pp.make_voting_parser([first, first]), epochs=1)


def test_parsers_with_the_same_vectors_vote(tmp_path):
    rng = np.random.default_rng(1)
    forms = TREEBANK[:60].vocabulary("form")
    vectors, others = (pp.WordVectors.from_dict({form: rng.normal(size=4) for form in forms}) for _ in range(2))
    templates = pp.Templates((*pp.templates("fast").templates, *pp.Templates.parse("S0.vector\nB0.vector").templates))
    spec = pp.ParserSpec(system=SYSTEM, templates=templates, beam=2)

    def learned(known, last=60, **options):
        return pp.train(spec, TREEBANK[:last], vectors=known, epochs=1, **options)

    one, two = learned(vectors), learned(vectors, seed=2)
    assert same_trees(pp.make_voting_parser([one, one]), one)
    vote = pp.make_voting_parser([one, two])
    assert not same_trees(vote, one)
    vote.save(tmp_path / "vote")
    assert same_trees(pp.load(tmp_path / "vote"), vote)
    for other, said in (
        (learned(others), "same vectors, or none"),
        (trained(), "same vectors, or none"),
        (learned(vectors, last=20), "same templates and labels"),
    ):
        with pytest.raises(SpecError, match=said):
            pp.make_voting_parser([one, other])


def test_parsers_with_more_labels_than_a_set_has_bits_vote():
    def labeled(first, last):
        treebank = TREEBANK[first:last]
        for number, sentence in enumerate(treebank):
            sentence.labels = [f"{label}:{number % 7}" for label in sentence.labels]
        return pp.train(
            pp.ParserSpec(system=SYSTEM, templates=pp.templates("zn11"), beam=2), treebank, epochs=1, members=1
        )

    one, two = labeled(0, 60), labeled(60, 110)
    vote = pp.make_voting_parser([one, two])
    assert len(vote.labels.names) > 64
    assert set(vote.labels.names) == {*one.labels.names, *two.labels.names}
    labels = [label for sentence in vote.parse(DEV) for label in sentence.labels]
    assert set(labels) <= set(vote.label_names)
