"""glossed_treebank: lemmas, tags, features and MISC of glossed words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from glossed_files import DOGS, flextext
from panparser.text.raw_text import unescape
from panparser.transfer.glossed.flex import read_flextext
from panparser.transfer.glossed.gloss_table import shipped_table
from panparser.transfer.glossed.leipzig import read_leipzig


def treebank(words: str, glosses: str, **options) -> pp.Treebank:
    return pp.transfer.glossed.convert_glosses(read_leipzig(f"{words}\n{glosses}\n'Something.'\n"), **options).treebank


@pytest.mark.parametrize(
    ("form", "gloss", "upos", "feats"),
    [
        ("lát-nak", "see-3PL.PRS", "VERB", "Number=Plur|Person=3|Tense=Pres"),
        ("kutyá-k", "dog-PL", "NOUN", "Number=Plur"),
        ("ház-a-i-m", "house-POSS-PL-1SG", "NOUN", "Number=Plur,Sing|Person=1|Poss=Yes"),
        ("ház-ai-m", "house-PL-1SG.POSS", "NOUN", "Number=Plur|Number[psor]=Sing|Person[psor]=1"),
        ("az", "DEM.DIST", "DET", "Deixis=Remt|PronType=Dem"),
        ("a", "DEF", "DET", "Definite=Def"),
        ("én", "1SG", "PRON", "Number=Sing|Person=1"),
        ("enyém", "1SG.POSS", "PRON", "Number=Sing|Person=1|Poss=Yes"),
        ("nem", "NEG", "PART", "Polarity=Neg"),
        ("jött", "come.PST.3SG", "VERB", "Number=Sing|Person=3|Tense=Past"),
        ("lát-lak", "see-1SG>2SG", "VERB", "Number[obj]=Sing|Number[subj]=Sing|Person[obj]=2|Person[subj]=1"),
        ("lát-ás", "see-NMLZ", "NOUN", "VerbForm=Vnoun"),
        ("és", "and", "CCONJ", "_"),
        ("két", "two", "NUM", "_"),
        ("Péter-t", "Peter-ACC", "PROPN", "Case=Acc"),
        ("péter", "Peter", "_", "_"),
        ("én", "I", "PRON", "_"),
        ("1999", "1999", "NUM", "_"),
        ("nagy", "big", "_", "_"),
        ("b<um>ili", "<PFV>buy", "VERB", "Aspect=Perf"),
    ],
)
def test_tags_and_features(form, gloss, upos, feats):
    (sentence,) = treebank(form, gloss)
    assert (sentence[0].upos, sentence[0].feats) == (upos, feats)


def test_parts_of_speech_go_before_glosses():
    said = [
        pp.transfer.glossed.GlossedWord(
            form="futás", tag="n", morphemes=(pp.transfer.glossed.Morpheme(form="futás", gloss="run.PST"),)
        )
    ]
    stem = pp.transfer.glossed.Morpheme(form="fut", gloss="run", tag="v.intr", is_stem=True)
    said.append(pp.transfer.glossed.GlossedWord(form="fut", morphemes=(stem,)))
    said.append(
        pp.transfer.glossed.GlossedWord(
            form="futás", morphemes=(stem, pp.transfer.glossed.Morpheme(form="ás", gloss="nmlz", is_stem=False))
        )
    )
    found = pp.transfer.glossed.convert_glosses([pp.transfer.glossed.GlossedSentence(words=tuple(said))]).treebank[0]
    assert found.values("upos") == ["NOUN", "VERB", "NOUN"]
    assert found.values("xpos") == ["n", "v.intr", "v.intr"]
    assert found.values("lemma") == ["futás", "fut", "fut"]


def test_lemmas_are_citation_forms_or_stems():
    data = flextext(DOGS).replace('lang="und">kutyá<', 'lang="und">kutyá</item><item type="cf" lang="und">kutya<')
    found = pp.transfer.glossed.convert_glosses(read_flextext(data.encode())).treebank
    assert found[0].values("lemma") == ["a", "kutya", "lát"]
    assert treebank("insulārum", "island-GEN-PL")[0].values("lemma") == ["_"]  # its stem is not set apart
    assert treebank("ki-kubwa", "C7-big")[0].values("lemma") == ["kubwa"]


def test_lines_around_the_words():
    sentences = read_leipzig("# sent_id = a b\na\nb\n'It is\tb|c.'\n\n(x) a\nb\n\n(x) a\nb\n")
    found = pp.transfer.glossed.convert_glosses(sentences).treebank
    assert [sentence.sent_id for sentence in found] == ["1", "x", "x-2"]
    assert found[0].metadata == {"sent_id": "1", "text": "a", "text_en": "It is b|c."}
    words = (pp.transfer.glossed.GlossedWord(form="a"),)
    named = [pp.transfer.glossed.GlossedSentence(words=words, id=each) for each in ("a b", "a/b", "a_b-2", "")]
    assert [s.sent_id for s in pp.transfer.glossed.convert_glosses(named).treebank] == ["a_b", "a_b-2", "a_b-2-2", "_"]


def test_unknown_glosses_are_counted():
    found = pp.transfer.glossed.convert_glosses(read_leipzig("a-b c-d\nx-QQQ y-QQQ.ZZ\n"))
    assert found.unknown == {"QQQ": 2, "ZZ": 1}
    assert (found.tagged, found.headed) == (0, 0)
    table = shipped_table().extend({"features": {"QQQ": "Tense=Past", "ZZ": ""}})
    assert pp.transfer.glossed.convert_glosses(read_leipzig("a-b c-d\nx-QQQ y-QQQ.ZZ\n"), table=table).unknown == {}


def test_characters_are_normalized():
    (sentence,) = treebank("e\u0301t", "eat")
    assert sentence[0].form == "ét"


CELLS = st.text(st.sampled_from("ab |=\\\t\u00a0-~.:#_é<>\n'"), max_size=8)


@settings(max_examples=60)
@given(CELLS, CELLS, CELLS, CELLS)
def test_any_gloss_can_be_written_and_read_again(form, gloss, tag, translation):
    form = " ".join(form.split())
    word = pp.transfer.glossed.GlossedWord(
        form=form or "x",
        morphemes=(
            pp.transfer.glossed.Morpheme(form=form, gloss=gloss, tag=tag),
            pp.transfer.glossed.Morpheme(gloss="PL", separator="-"),
        ),
        glossed=gloss,
        segmented=form,
    )
    sentence = pp.transfer.glossed.GlossedSentence(words=(word, word), translation=translation, id=tag, document=gloss)
    found = pp.transfer.glossed.convert_glosses([sentence, sentence]).treebank
    assert found.parse_problems == []
    again = pp.parse_conllu(found.to_bytes())
    values = dict(item.split("=", 1) for item in again[0][0].misc.split("|") if "=" in item)
    assert unescape(values.get("MGloss", "")) == " ".join(gloss.split())
    assert unescape(values.get("MSeg", "")) == form


def test_what_is_written_is_valid(tmp_path):
    text = "(1) A kutyák, látnak engem.\na kutyá-k lát-nak engem\nthe dog-PL see-3PL.PRS 1SG.ACC\n'The dogs see me.'\n"
    path = tmp_path / "dogs.conllu"
    pp.write_conllu(path, pp.transfer.glossed.convert_glosses(read_leipzig(text)).treebank)
    (first,) = pp.validate(path, level=1)
    assert first.is_valid
    (second,) = pp.validate(path)
    assert set(second.counts) == {"invalid-head", "invalid-deprel"}  # there is no tree yet


def test_trees_need_a_model():
    with pytest.raises(pp.SpecError, match="convert_glosses: trees need nlp"):
        treebank("a", "b", trees=True)
    assert len(pp.transfer.glossed.convert_glosses([]).treebank) == 0
