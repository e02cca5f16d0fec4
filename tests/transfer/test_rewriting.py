"""Rewriting: the words, their heads and labels stay; the order becomes that of the target."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from panparser.errors import SpecError, TreebankError
from panparser.transfer.dependents import CLASSES, NAMES, classes_of
from panparser.transfer.rewriting import new_order, target_share
from panparser.trees.enumeration import is_projective, random_projective_tree, random_tree

MIRROR = dict.fromkeys(NAMES[:10], "after")


def sentence(*rows, comments=()):
    """A sentence of rows: form, UPOS, head, label, and perhaps FEATS."""
    lines = [f"{line}\n" for line in comments]
    for id, (form, tag, head, label, *feats) in enumerate(rows, start=1):
        lines.append(f"{id}\t{form}\t_\t{tag}\t_\t{feats[0] if feats else '_'}\t{head}\t{label}\t_\t_\n")
    return "".join(lines) + "\n"


DEF, IND = "Definite=Def|PronType=Art", "Definite=Ind|PronType=Art"
WALK = sentence(
    ("because", "SCONJ", 8, "mark"),
    ("those", "DET", 5, "det", "PronType=Dem"),
    ("three", "NUM", 5, "nummod"),
    ("tall", "ADJ", 5, "amod"),
    ("girls", "NOUN", 8, "nsubj"),
    ("from", "ADP", 7, "case"),
    ("Oslo", "PROPN", 5, "nmod"),
    ("saw", "VERB", 0, "root"),
    ("a", "DET", 10, "det", IND),
    ("fox", "NOUN", 8, "obj"),
    (".", "PUNCT", 8, "punct"),
)


def words(treebank, index=0):
    return " ".join(treebank[index].forms)


def target(**values):
    return pp.transfer.Typology.from_values(values)


# --- Worked examples; a sentence with one word of a class has the share 0 or 1, so that chance is 0.9 ---


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"adposition": "after"}, "because those three tall girls Oslo from saw a fox ."),
        ({"genitive": "before"}, "because those three tall from Oslo girls saw a fox ."),
        ({"adjective": "after"}, "because those three girls tall from Oslo saw a fox ."),
        (
            {"adjective": "after", "numeral": "after", "demonstrative": "after"},
            "because girls tall three those from Oslo saw a fox .",
        ),
        ({"subordinator": "after"}, "those three tall girls from Oslo saw a fox . because"),
        ({"subject": "after"}, "because saw those three tall girls from Oslo a fox ."),
        ({"object": "before"}, "because those three tall girls from Oslo a fox saw ."),
        ({"subject": "after", "object": "before"}, "because a fox saw those three tall girls from Oslo ."),
        ({"indefinite_article": False}, "because those three tall girls from Oslo saw fox ."),
        ({"demonstrative": False, "subordinator": False}, "three tall girls from Oslo saw a fox ."),
        (
            {"definite_article": False, "indefinite_article": True},
            "because those three tall girls from Oslo saw a fox .",
        ),
    ],
)
def test_where_words_go(wanted, expected):
    treebank = pp.parse_conllu(WALK)
    found = {words(pp.transfer.rewrite_word_order(treebank, target(**wanted), seed=seed)[0]) for seed in range(40)}
    assert expected in found


HUT = """\
# newdoc
# sent_id = s1
# text = In the hut.
# text_fr = x
1\tIn\tin\tADP\tP\t_\t3\tcase\t3:case\tSpacesAfter=\\n
2-3\tthehut\t_\t_\t_\t_\t_\t_\t_\t_
2\tthe\tthe\tDET\t_\tDefinite=Def\t3\tdet\t3:det\t_
3\thut\thut\tNOUN\tN\tNumber=Sing\t0\troot\t0:root\tGloss=h|SpaceAfter=No|TokenRange=4:7
3.1\tis\tbe\tAUX\t_\t_\t_\t_\t3:cop\t_

"""


def test_what_is_written():
    treebank = pp.parse_conllu(HUT)
    wanted = target(adposition="after", definite_article=False)
    rewritten = next(
        each
        for seed in range(40)
        if words(each := pp.transfer.rewrite_word_order(treebank, wanted, seed=seed)[0]) == "hut In"
    )
    assert rewritten.to_conllu() == (
        "# newdoc\n# sent_id = s1\n# text_fr = x\n# rewritten = 85A:1 37A:-1\n"
        "1\thut\thut\tNOUN\tN\tNumber=Sing\t0\troot\t_\tGloss=h\n2\tIn\tin\tADP\tP\t_\t1\tcase\t_\t_\n\n"
    )
    assert treebank.to_conllu() == HUT


def test_conllx_has_neither_comments_nor_deps():
    row = "{}\t{}\t_\t{}\t{}\t_\t{}\t{}\t2\tx\n"
    text = row.format(1, "old", "ADJ", "A", 2, "amod") + row.format(2, "hut", "NOUN", "N", 0, "root") + "\n"
    treebank = pp.parse_conllu(text * 30, format="conllx")
    rewritten, _ = pp.transfer.rewrite_word_order(treebank, target(adjective="after"))
    assert rewritten.format == "conllx"
    assert rewritten[0].to_conllu() == "1\thut\t_\tNOUN\tN\t_\t0\troot\t_\t_\n2\told\t_\tADJ\tA\t_\t1\tamod\t_\t_\n\n"


# --- Properties ---

TAGS = "ADP NOUN PROPN PRON ADJ DET NUM ADV SCONJ VERB PUNCT".split()
LABELS = {"ADP": "case", "ADJ": "amod", "DET": "det", "NUM": "nummod", "ADV": "advmod", "SCONJ": "mark"}
OTHERS = ("nmod", "compound", "nsubj", "obj", "acl:relcl", "conj")
FEATS = ("_", DEF, IND, "PronType=Dem", "PronType=Tot")
orders = st.sampled_from(["before", "after", "both", 0.0, 0.3, 0.8])
typologies = st.fixed_dictionaries(
    {}, optional={each.name: st.booleans() if each.is_article else orders for each in CLASSES}
).map(pp.transfer.Typology.from_values)


@st.composite
def treebanks(draw, projective=0.9):
    """Trees whose forms are the numbers of their words, with tags and labels of all classes."""
    rng, rows = Random(draw(st.integers(0, 2**32))), []
    for number in range(draw(st.integers(1, 12))):
        length = rng.randint(1, 12)
        heads = (random_projective_tree if rng.random() < projective else random_tree)(length, rng, rng.random() < 0.9)
        tags = [rng.choice(TAGS) for _ in heads]
        labels = [LABELS.get(tag) or rng.choice(OTHERS) for tag in tags]
        feats = [rng.choice(FEATS) if tag == "DET" else "_" for tag in tags]
        forms = (f"{number}.{word}" for word in range(1, length + 1))
        rows.append(sentence(*zip(forms, tags, heads, labels, feats, strict=True)))
    return pp.parse_conllu("".join(rows))


def arcs(sentence):
    """By form: the head's form and the label."""
    forms = ["", *sentence.forms]
    heads = zip(sentence.heads.tolist(), sentence.labels, strict=True)
    return {form: (forms[head], label) for form, (head, label) in zip(forms[1:], heads, strict=True)}


def columns(sentence):
    return {token.form: (token.upos, token.feats) for token in sentence}


@settings(max_examples=60)
@given(treebanks(), typologies, st.sampled_from(["full", "cautious"]), st.integers(0, 99))
def test_words_keep_heads_and_labels_and_trees_stay_projective(treebank, wanted, goal, seed):
    before = treebank.to_bytes()
    rewritten, done = pp.transfer.rewrite_word_order(treebank, wanted, strength=goal, seed=seed)
    assert treebank.to_bytes() == before
    assert rewritten.parse_problems == []
    assert len(rewritten) == len(treebank) == done.sentences
    deleted, changed = Counter(), 0
    for old, new in zip(treebank, rewritten, strict=True):
        kept = arcs(new)
        lost = [word for word, form in enumerate(old.forms) if form not in kept]
        assert len(new) == len(kept) == len(old) - len(lost)
        assert kept == {form: arc for form, arc in arcs(old).items() if form in kept}
        assert columns(new) == {form: cells for form, cells in columns(old).items() if form in kept}
        if is_projective(old.heads.tolist()):
            assert is_projective(new.heads.tolist())
        else:
            assert new.to_conllu() == old.to_conllu()
        assert not lost or len(new) >= 2
        assert not any(word + 1 in old.heads.tolist() for word in lost)  # only leaves
        deleted.update(classes_of(treebank[[old.position]])[word] for word in lost)
        same = new.to_conllu() == old.to_conllu()
        assert ("rewritten" in new.metadata) == (not same)
        changed += not same
    assert {number: count.deleted for number, count in enumerate(done.counts) if count.deleted} == deleted
    assert changed == done.changed
    assert done.nonprojective == sum(not is_projective(each.heads.tolist()) for each in treebank)


@settings(max_examples=30)
@given(treebanks(), st.integers(0, 99))
def test_nothing_is_done_if_the_orders_are_the_same(treebank, seed):
    measured = pp.transfer.Typology.from_treebank(treebank, min_count=1)
    own = pp.transfer.Typology(tuple(trait for trait in measured if not isinstance(trait.value, str)))
    if any(not is_projective(sentence.heads.tolist()) for sentence in treebank):
        return  # the share of the others may be another
    for goal in ("full", "cautious"):
        rewritten, done = pp.transfer.rewrite_word_order(treebank, own, strength=goal, seed=seed)
        assert rewritten.to_bytes() == treebank.to_bytes()
        assert (done.changed, sum(count.moved for count in done.counts)) == (0, 0)
    assert (
        pp.transfer.rewrite_word_order(treebank, pp.transfer.Typology(), seed=seed)[0].to_bytes() == treebank.to_bytes()
    )


@pytest.mark.parametrize("goal", ["full", "cautious"])
@pytest.mark.parametrize("share", ["before", "after", "both", 0.3])
@pytest.mark.parametrize("name", ["adposition", "adjective", "object"])
def test_goals_are_reached(gold, name, share, goal):
    projective = gold[[each.position for each in gold if is_projective(each.heads.tolist())]]
    for seed in (1, 2):
        rewritten, done = pp.transfer.rewrite_word_order(projective, target(**{name: share}), strength=goal, seed=seed)
        count = done.counts[NAMES.index(name)]
        if count.goal is None:
            assert (count.moved, count.after) == (0, count.before)
            continue
        spread = 2 * (count.moved / count.found * (1 - count.moved / count.found) / count.found) ** 0.5
        assert abs(count.after - count.goal) <= spread + 0.05
        assert count.after == pp.transfer.Typology.from_treebank(rewritten, min_count=1).get(name)
        assert count.before == pp.transfer.Typology.from_treebank(projective, min_count=1).get(name)


def test_the_same_seed_gives_the_same_bytes(gold):
    wanted = pp.transfer.Typology.from_language("tr")
    first, again, other = (pp.transfer.rewrite_word_order(gold, wanted, seed=seed)[0].to_bytes() for seed in (1, 1, 2))
    assert first == again != other


# --- What is aimed at ---


@pytest.mark.parametrize(
    ("source", "wanted", "full", "cautious"),
    [
        (0.0, 1.0, 0.9, 0.5),
        (0.1, 0.5, 0.5, 0.5),
        (1.0, 0.0, 0.1, 0.5),
        (0.98, 0.5, 0.5, 0.5),
        (0.5, 1.0, 0.9, 0.75),
        (0.45, 0.0, 0.1, 0.25),
        (0.7, 1.0, None, None),  # before dominates
        (0.2, 0.0, None, None),
        (0.6, 0.5, None, None),
        (0.95, 0.7, 0.7, None),  # a share is meant as it is
        (0.5, 0.7, 0.7, 0.7),
        (0.0, 0.95, 0.9, 0.5),
        (1.0, 0.6, 0.6, 0.6),
    ],
)
def test_what_is_aimed_at(source, wanted, full, cautious):
    assert (target_share(source, wanted, "full"), target_share(source, wanted, "cautious")) == (full, cautious)


def test_a_source_of_wals_stands_in_for_what_is_measured():
    treebank = pp.parse_conllu(sentence(("old", "ADJ", 2, "amod"), ("hut", "NOUN", 0, "root")) * 50)
    after = target(adjective="after")
    assert pp.transfer.rewrite_word_order(treebank, after)[1].changed > 30
    assert pp.transfer.rewrite_word_order(treebank, after, source=after)[1].changed == 0
    assert (
        pp.transfer.rewrite_word_order(treebank, after, source=target(object="after"))[1].changed > 30
    )  # it does not say
    assert (
        pp.transfer.rewrite_word_order(treebank, target(adjective="before"), source=after)[1].changed == 0
    )  # it is there already


# --- The order of words ---


def slow_order(heads, moves):
    """Words are moved one by one: those nearest to their new place last."""
    left = {head: [w for w, h in enumerate(heads, start=1) if h == head and w < h] for head in range(len(heads) + 1)}
    right = {head: [w for w, h in enumerate(heads, start=1) if h == head and w > h] for head in range(len(heads) + 1)}
    for head in range(len(heads) + 1):
        old_left, old_right = list(left[head]), list(right[head])
        for word in [w for w in old_left if moves.get(w) is False]:
            left[head].remove(word)
            right[head].insert(0, word)
        for word in [w for w in reversed(old_right) if moves.get(w) is False]:
            right[head].remove(word)
            left[head].append(word)
        for word in [w for w in reversed(old_left) if moves.get(w)]:
            left[head].remove(word)
            right[head].append(word)
        for word in [w for w in old_right if moves.get(w)]:
            right[head].remove(word)
            left[head].insert(0, word)

    def below(word):
        first, last = ([each for child in side[word] for each in below(child)] for side in (left, right))
        return [*first, word, *last] if word else last

    return below(0)


@given(st.integers(1, 10), st.integers(0, 10**6))
def test_the_new_order_is_that_of_moving_words_one_by_one(length, seed):
    rng = Random(seed)
    heads = random_projective_tree(length, rng)
    moves = {word: rng.random() < 0.4 for word in range(1, length + 1) if heads[word - 1] and rng.random() < 0.5}
    assert new_order(heads, moves) == slow_order(heads, moves)
    assert new_order(heads, {}) == list(range(1, length + 1))


def test_deep_trees_and_long_sentences():
    length = 5000
    assert new_order(range(length), {2: False}) == [*range(2, length + 1), 1]


# --- What stays as it is, and what is refused ---


def test_sentences_without_a_whole_tree_stay_as_they_are():
    partial = WALK.replace("\tADJ\t_\t_\t5\tamod", "\tADJ\t_\t_\t_\t_")
    treebank = pp.parse_conllu(partial + WALK + partial)
    rewritten, done = pp.transfer.rewrite_word_order(treebank, target(**MIRROR))
    assert (done.missing_heads, done.nonprojective, done.changed) == (2, 0, 1)
    assert [rewritten[i].to_conllu() == treebank[i].to_conllu() for i in range(3)] == [True, False, True]
    assert done.counts[NAMES.index("adposition")].found == 1


def test_forests_are_rewritten():
    forest = sentence(
        ("old", "ADJ", 2, "amod"), ("hut", "NOUN", 0, "root"), ("red", "ADJ", 4, "amod"), ("fox", "NOUN", 0, "x")
    )
    rewritten, _ = pp.transfer.rewrite_word_order(pp.parse_conllu(forest * 20), target(adjective="after"))
    assert "hut old fox red" in {words(rewritten, index) for index in range(20)}


def test_two_words_are_left():
    the = sentence(("the", "DET", 2, "det", DEF), ("hut", "NOUN", 0, "root"))
    three = sentence(("the", "DET", 3, "det", DEF), ("the", "DET", 3, "det", DEF), ("hut", "NOUN", 0, "root"))
    rewritten, done = pp.transfer.rewrite_word_order(pp.parse_conllu(the + three), target(definite_article=False))
    assert [len(each) for each in rewritten] == [2, 2]
    assert done.counts[NAMES.index("definite_article")].deleted == 1


def test_articles_with_dependents_stay():
    the = sentence(("not", "PART", 2, "advmod"), ("the", "DET", 3, "det", DEF), ("hut", "NOUN", 0, "root"))
    assert pp.transfer.rewrite_word_order(pp.parse_conllu(the), target(definite_article=False))[1].changed == 0


def test_an_empty_treebank():
    rewritten, done = pp.transfer.rewrite_word_order(pp.parse_conllu(""), target(adjective="after"))
    assert (len(rewritten), done.sentences, done.changed) == (0, 0, 0)


def test_progress_is_reported(gold):
    calls = []
    pp.transfer.rewrite_word_order(
        gold, target(adposition="after"), progress=lambda done, total: calls.append((done, total))
    )
    assert calls[0] == (0, len(gold))


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"treebank": "x"}, TreebankError, "rewrite_word_order: treebank must be a Treebank; got 'x'"),
        ({"target": "fr"}, SpecError, "rewrite_word_order: target must be a Typology; got 'fr'"),
        ({"source": "fr"}, SpecError, "rewrite_word_order: source must be a Typology; got 'fr'"),
        ({"strength": "half"}, SpecError, "rewrite_word_order: strength must be full or cautious; got 'half'"),
        ({"seed": -1}, SpecError, "rewrite_word_order: seed must be an integer >= 0"),
    ],
)
def test_arguments_are_checked(change, error, said):
    given = {"treebank": pp.parse_conllu(WALK), "target": pp.transfer.Typology(), **change}
    with pytest.raises(error, match=said):
        pp.transfer.rewrite_word_order(given.pop("treebank"), given.pop("target"), **given)


def test_treebanks_without_tags_or_trees_are_refused():
    bare = sentence(("a", "_", 2, "det"), ("b", "_", 0, "root"))
    with pytest.raises(TreebankError, match="expected words with UPOS, by which rewriting knows them, found none"):
        pp.transfer.rewrite_word_order(pp.parse_conllu(bare), pp.transfer.Typology())
    with pytest.raises(TreebankError, match="expected trees, found words without heads only"):
        pp.transfer.rewrite_word_order(
            pp.parse_conllu(sentence(("a", "DET", "_", "_"), ("b", "NOUN", "_", "_"))), pp.transfer.Typology()
        )
    cycle = pp.parse_conllu(sentence(("a", "DET", 2, "x"), ("b", "NOUN", 1, "x")), path="c.conllu", lenient=True)
    with pytest.raises(TreebankError, match=r"c\.conllu:1: .*cycle"):
        pp.transfer.rewrite_word_order(cycle, pp.transfer.Typology())
