"""Classes of dependents: who belongs to them."""

from __future__ import annotations

import pytest

import panparser as pp
from panparser.transfer.dependents import ABSENT, CLASSES, NAMES, NO_CLASS, classes_of


def names(*rows):
    """The classes of the words of a sentence: rows of UPOS, FEATS, HEAD, DEPREL."""
    lines = (f"{id}\tw{id}\t_\t{tag}\t_\t{feats}\t{head}\t{label}\t_\t_\n" for id, (tag, feats, head, label) in rows)
    treebank = pp.parse_conllu("".join(lines) + "\n")
    return [NAMES[number] if number != NO_CLASS else None for number in classes_of(treebank).tolist()]


@pytest.mark.parametrize(
    ("dependent", "head", "expected"),
    [
        (("ADP", "_", "case"), "NOUN", "adposition"),
        (("ADP", "_", "case"), "VERB", "adposition"),
        (("PART", "_", "case"), "NOUN", None),
        (("PROPN", "_", "nmod:poss"), "NOUN", "genitive"),
        (("NOUN", "_", "compound"), "PROPN", "genitive"),
        (("NOUN", "_", "nmod"), "VERB", None),
        (("ADJ", "_", "amod"), "NOUN", "adjective"),
        (("ADJ", "_", "amod"), "PRON", None),
        (("VERB", "_", "amod"), "NOUN", None),
        (("DET", "Number=Sing|PronType=Dem", "det"), "NOUN", "demonstrative"),
        (("DET", "PronType=Dem,Rel", "det"), "NOUN", "demonstrative"),
        (("DET", "Definite=Def|PronType=Dem", "det"), "NOUN", "demonstrative"),
        (("DET", "Definite=Def|PronType=Art", "det"), "NOUN", "definite_article"),
        (("DET", "PronType=Art", "det"), "ADJ", "definite_article"),
        (("DET", "Definite=Ind|PronType=Art", "det"), "NOUN", "indefinite_article"),
        (("DET", "PronType=Tot", "det"), "NOUN", None),
        (("DET", "_", "det"), "NOUN", None),
        (("NUM", "_", "nummod:gov"), "NOUN", "numeral"),
        (("VERB", "_", "acl:relcl"), "NOUN", "relative_clause"),
        (("ADV", "_", "advmod"), "ADJ", "degree_word"),
        (("ADV", "_", "advmod"), "VERB", None),
        (("SCONJ", "_", "mark"), "VERB", "subordinator"),
        (("PRON", "_", "nsubj:pass"), "VERB", "subject"),
        (("VERB", "_", "csubj"), "VERB", "subject"),
        (("NOUN", "_", "nsubj"), "ADJ", None),
        (("NOUN", "_", "obj"), "VERB", "object"),
        (("NOUN", "_", "iobj"), "VERB", None),
    ],
)
def test_who_belongs_where(dependent, head, expected):
    tag, feats, label = dependent
    rows = [(1, (tag, feats, 2, label)), (2, (head, "_", 0, "root")), (3, (tag, feats, 2, label))]
    assert names(*rows) == [expected, None, expected]


def test_the_head_is_a_word_of_the_same_sentence():
    assert names((1, ("ADJ", "_", 0, "amod")), (2, ("NOUN", "_", 1, "obj"))) == [None, None]
    rows = "1\ta\t_\t{}\t_\t_\t0\troot\t_\t_\n2\tb\t_\tADJ\t_\t_\t1\tamod\t_\t_\n\n"
    treebank = pp.parse_conllu(rows.format("VERB") + rows.format("NOUN"))
    assert classes_of(treebank).tolist() == [NO_CLASS, NO_CLASS, NO_CLASS, NAMES.index("adjective")]


def test_headless_words_and_empty_treebanks_have_no_class():
    assert names((1, ("ADJ", "_", "_", "amod")), (2, ("NOUN", "_", 0, "root"))) == [None, None]
    assert classes_of(pp.parse_conllu("")).tolist() == []


def test_the_table():
    assert len({each.feature for each in CLASSES}) == len(set(NAMES)) == len(CLASSES) == 12
    assert [each.name for each in CLASSES if each.is_article] == ["definite_article", "indefinite_article"]
    absent = [each.name for each in CLASSES if ABSENT in each.values.values()]
    assert absent == ["demonstrative", "subordinator", "definite_article", "indefinite_article"]
    assert [each.name for each in CLASSES if each.at_edge] == ["adposition", "subordinator"]
