"""Projection: what one-to-one links carry over, and that it is always a part of a tree; several sources; tags."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import panparser as pp
from panparser.errors import AlignmentError, SpecError, TreebankError
from parallel import parallel, treebank_of

SOURCE, TARGET, LINKS = parallel(12)


@st.composite
def linked(draw):
    """A tree, sometimes with words without a head; a sentence; any links between them."""
    words, others = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    order = draw(st.permutations(range(1, words + 1)))
    heads = {order[0]: 0} | {word: order[draw(st.integers(0, at))] for at, word in enumerate(order[1:])}
    heads |= dict.fromkeys(draw(st.sets(st.sampled_from(order), max_size=1)))
    assume(any(head is not None for head in heads.values()))
    tags = st.sampled_from("AB")
    source = [(f"s{word}", draw(tags), heads[word], f"l{word}:sub") for word in range(1, words + 1)]
    target = [(f"t{word}", draw(tags), 1, "old") for word in range(others)]
    pairs = draw(st.sets(st.tuples(st.integers(0, words - 1), st.integers(0, others - 1))))
    return source, target, tuple(sorted(pairs))


def by_hand(source, target, pairs, same_tag):
    """Heads and labels by the words of the documentation."""
    alone = [
        (s, t)
        for s, t in pairs
        if sum(o == s for o, _ in pairs) == 1
        and sum(o == t for _, o in pairs) == 1
        and (not same_tag or source[s][1] == target[t][1])
    ]
    translation = {s + 1: t + 1 for s, t in alone} | {0: 0}
    found = {
        t: (translation[source[s][2]], source[s][3].split(":")[0]) for s, t in alone if source[s][2] in translation
    }
    return [found.get(place, (-1, "_")) for place in range(len(target))]


@given(linked(), st.booleans())
def test_heads_are_those_of_links_and_always_part_of_a_tree(drawn, same_tag):
    source, target, pairs = drawn
    found = pp.transfer.projection.project_trees(
        treebank_of([source]), treebank_of([target]), pp.transfer.projection.WordAlignments((pairs,)), same_tag=same_tag
    )[0]
    assert list(zip(found.heads.tolist(), found.labels, strict=True)) == by_hand(source, target, pairs, same_tag)
    heads = found.heads.tolist()
    assert heads.count(0) <= 1
    for word in range(1, len(heads) + 1):
        seen = set()
        while word > 0:
            assert word not in seen
            seen.add(word)
            word = heads[word - 1]


def test_the_trees_of_a_translation():
    found = pp.transfer.projection.project_trees(SOURCE, TARGET, LINKS)
    assert found.to_bytes() == TARGET.to_bytes()
    assert pp.transfer.projection.project_trees(SOURCE, TARGET).path == TARGET.path


def test_only_heads_and_labels_change():
    text = (
        "# sent_id = s1\n# note = kept\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "1\ta\tla\tNOUN\tx\tF=1\t2\tnsubj\t2:nsubj\tConfidence=0.9|Gloss=g\n2\tb\t_\tVERB\t_\t_\t0\troot\t0:root\t_\n"
        "2.1\tc\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    )
    target = pp.parse_conllu(text)
    source = treebank_of([[("x", "VERB", 0, "root"), ("y", "NOUN", 1, "obj:own")]])
    found = pp.transfer.projection.project_trees(
        source, target, pp.transfer.projection.WordAlignments((((0, 1), (1, 0)),))
    )
    expected = text.replace("2\tnsubj\t2:nsubj\tConfidence=0.9|", "2\tobj\t_\t").replace(
        "0\troot\t0:root", "0\troot\t_"
    )
    assert found.to_conllu() == expected
    assert target.to_conllu() == text


def test_tags_must_agree_by_default_where_there_are_any():
    source = treebank_of([[("a", "VERB", 0, "root"), ("b", "NOUN", 1, "obj")]])
    target = treebank_of([[("A", "VERB", None, "_"), ("B", "ADJ", None, "_")]])
    links = pp.transfer.projection.WordAlignments((((0, 0), (1, 1)),))
    assert pp.transfer.projection.project_trees(source, target, links).heads.tolist() == [0, -1]
    assert pp.transfer.projection.project_trees(source, target, links, same_tag=False).heads.tolist() == [0, 1]
    bare = treebank_of([[("A", "_", None, "_"), ("B", "_", None, "_")]])
    assert pp.transfer.projection.project_trees(source, bare, links).heads.tolist() == [0, 1]
    with pytest.raises(TreebankError, match=r"expected tags \(UPOS\) that can be compared, found none"):
        pp.transfer.projection.project_trees(source, bare, links, same_tag=True)


def test_sentences_with_too_few_heads_are_left_out():
    cut = pp.transfer.projection.WordAlignments(
        tuple(pairs if number % 3 else pairs[1:2] for number, pairs in enumerate(LINKS))
    )
    found = pp.transfer.projection.project_trees(SOURCE, TARGET, cut, min_attached_share=0.8)
    assert [sentence.sent_id for sentence in found] == [s.sent_id for i, s in enumerate(TARGET) if i % 3]
    assert len(pp.transfer.projection.project_trees(SOURCE, TARGET, cut)) == len(TARGET)
    assert (
        len(
            pp.transfer.projection.project_trees(
                SOURCE, TARGET, pp.transfer.projection.WordAlignments(((),) * 12), min_attached_share=0.5
            )
        )
        == 0
    )


def test_tags_are_carried_over():
    bare = treebank_of([[(t.form, "X", None, "_") for t in sentence] for sentence in TARGET])
    found = pp.transfer.projection.project_trees(SOURCE, bare, LINKS, tags=True)
    assert [s.values("upos") for s in found] == [s.values("upos") for s in TARGET]
    assert found.heads.tolist() == TARGET.heads.tolist()
    partly = pp.transfer.projection.project_trees(
        SOURCE, bare, pp.transfer.projection.WordAlignments((((3, 2),),) + ((),) * 11), tags=True
    )
    assert set(partly[1].values("upos")) == {"X"}  # no link tells another
    assert [tag != "X" for tag in partly[0].values("upos")] == [place == 2 for place in range(len(partly[0]))]
    with pytest.raises(SpecError, match="tags and same_tag cannot be combined"):
        pp.transfer.projection.project_trees(SOURCE, bare, LINKS, tags=True, same_tag=True)


def three():
    """Three sources of a sentence of three words: two agree on heads and tags, one does not."""
    links = pp.transfer.projection.WordAlignments((((0, 0), (1, 1), (2, 2)),))
    first = treebank_of([[("a", "DET", 2, "det"), ("b", "NOUN", 0, "root"), ("c", "ADV", None, "_")]])
    second = treebank_of([[("a", "DET", 2, "det"), ("b", "NOUN", 0, "root"), ("c", "ADV", 2, "advmod")]])
    third = treebank_of([[("a", "NOUN", 0, "root"), ("b", "VERB", 1, "acl"), ("c", "ADJ", 1, "amod")]])
    target = treebank_of([[("A", "_", None, "_"), ("B", "_", None, "_"), ("C", "_", None, "_")]])
    return [first, second, third], target, [links] * 3


def test_several_sources_vote():
    sources, target, links = three()
    found = pp.transfer.projection.project_trees(sources, target, links, tags=True)[0]
    assert found.heads.tolist() == [2, 0, 2]
    assert found.values("upos") == ["DET", "NOUN", "ADV"]
    twice = pp.transfer.projection.project_trees(sources, target, links, min_sources=2)[0]
    assert (twice.heads.tolist(), twice.labels) == ([2, 0, -1], ["det", "root", "_"])
    assert pp.transfer.projection.project_trees(sources, target, links, min_sources=3).heads.tolist() == [-1, -1, -1]


def test_progress():
    seen = []
    sources, target, _ = three()
    pp.transfer.projection.project_trees(sources, target, progress=lambda *done: seen.append(done[0]))
    assert {"aligning", "combining"} == set(seen)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"min_attached_share": 1.5}, SpecError, r"project_trees: min_attached_share must be in \[0, 1\]"),
        ({"min_sources": 2}, SpecError, "project_trees: min_sources must be <= 1"),
        ({"links": [LINKS, LINKS]}, AlignmentError, "project_trees: links must be as many as sources, 1; got 2"),
        (
            {"links": pp.transfer.projection.WordAlignments(LINKS.pairs[:3])},
            AlignmentError,
            "expected a line for each of the 12 sentences",
        ),
        (
            {"links": pp.transfer.projection.WordAlignments((((9, 0),),) * 12)},
            AlignmentError,
            "links:1: expected words 0..",
        ),
    ],
)
def test_what_is_refused(options, error, said):
    with pytest.raises(error, match=said):
        pp.transfer.projection.project_trees(SOURCE, TARGET, **options)


def test_treebanks_that_do_not_match_are_refused():
    with pytest.raises(TreebankError, match=r"found no more sentences \(12 and 11 sentences\)"):
        pp.transfer.projection.project_trees(SOURCE, TARGET[:11])
    bare = SOURCE.copy()
    bare.heads[:] = -1
    with pytest.raises(TreebankError, match="expected a treebank with heads to carry over"):
        pp.transfer.projection.project_trees(bare, TARGET)
    untagged = SOURCE.copy()
    untagged.column("upos")[:] = untagged.id_of("upos", "_")
    with pytest.raises(TreebankError, match=r"expected tags \(UPOS\) to carry over"):
        pp.transfer.projection.project_trees(untagged, TARGET, tags=True)
    with pytest.raises(TreebankError, match="got none"):
        pp.transfer.projection.project_trees([], TARGET)
    with pytest.raises(TreebankError, match="expected a Treebank"):
        pp.transfer.projection.project_trees(SOURCE, "fr.conllu")  # type: ignore[arg-type]


def test_parsers_learn_from_what_is_projected():
    source, target, links = parallel(40)
    spec = pp.ParserSpec(templates=pp.templates("fast"), beam=1)
    parser = pp.train(spec, pp.transfer.projection.project_trees(source, target, links), epochs=2, members=1)
    assert pp.evaluate(target, parser.parse(target)).uas > 95
