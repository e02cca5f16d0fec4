"""FLEx: what its XML says, XML that is damaged, and XML that is an attack."""

from __future__ import annotations

import pytest

import panparser as pp
from glossed_files import DOGS, flextext
from panparser.transfer.glossed import flex
from panparser.transfer.glossed.flex import read_flextext

WORDS = """
<word><item type="punct" lang="hu">«</item></word>
<word><item type="txt" lang="hu">kutyák</item>
  <morphemes>
    <morph type="stem"><item type="txt" lang="hu">kutyá</item><item type="cf" lang="hu">kutya</item>
      <item type="hn" lang="hu">1</item><item type="gls" lang="fr">chien</item><item type="gls" lang="en">dog</item>
      <item type="msa" lang="en">n</item></morph>
    <morph type="suffix"><item type="txt" lang="hu">-k</item><item type="cf" lang="hu">-k</item>
      <item type="gls" lang="fr">PL</item><item type="gls" lang="en">PL</item>
      <item type="msa" lang="en">n:num</item></morph>
    <morph type="enclitic"><item type="txt" lang="hu">=e</item><item type="gls" lang="en">Q</item></morph>
  </morphemes>
  <item type="gls" lang="fr">chiens</item><item type="gls" lang="en">dogs?</item>
  <item type="pos" lang="en">n</item></word>
<word><item type="punct" lang="hu">»</item></word>
<word/>
<word><item type="txt" lang="hu">itt</item></word>
<word><item type="punct" lang="hu">?</item></word>
"""
PHRASE = f"""<phrase><item type="segnum" lang="en">1.2</item><words>{WORDS}</words>
<item type="gls" lang="fr">Chiens ?</item><item type="gls" lang="en">Dogs
here?</item></phrase>"""


def text(*phrases: str, title: str = "") -> bytes:
    inside = "".join(f"<paragraph><phrases>{phrase}</phrases></paragraph>" for phrase in phrases)
    whole = f"<interlinear-text>{title}<paragraphs>{inside}</paragraphs></interlinear-text>"
    return f'<document version="2">{whole}</document>'.encode()


def test_a_phrase():
    (sentence,) = read_flextext(text(PHRASE, title='<item type="title" lang="en">My story</item>'))
    assert (sentence.id, sentence.document, sentence.translation) == ("My story-1.2", "My story", "Dogs here?")
    assert [word.form for word in sentence.words] == ["«", "kutyák", "»", "itt", "?"]
    assert sentence.text == "«kutyák» itt?"
    word = sentence.words[1]
    assert (word.gloss, word.tag, word.segmented, word.glossed) == ("dogs?", "n", "kutyá-k=e", "dog-PL=Q")
    assert [(part.lemma, part.tag, part.is_stem) for part in word.morphemes] == [
        ("kutya", "n", True),
        ("k", "n:num", False),
        ("", "", False),
    ]


def test_glosses_in_several_languages():
    (english,), (french,) = read_flextext(text(PHRASE)), read_flextext(text(PHRASE), language="fr")
    assert (french.translation, french.language, french.words[1].morphemes[0].gloss) == ("Chiens ?", "fr", "chien")
    assert english.language == "en"
    (only,) = read_flextext(text(PHRASE.replace('lang="en"', 'lang="es"').replace('lang="fr"', 'lang="pt"')))
    assert only.language == "pt"
    assert only.words[1].morphemes[2].gloss == ""  # glossed in another language only
    with pytest.raises(pp.errors.TextError, match="t: expected glosses and translations in 'de', found fr, en"):
        read_flextext(text(PHRASE), "t", language="de")


def test_spaces_are_those_of_the_text_where_there_is_one():
    phrase = PHRASE.replace("<words>", '<item type="txt" lang="hu">« kutyák » itt ?</item><words>')
    assert read_flextext(text(phrase))[0].text == "« kutyák » itt ?"


def test_a_phrase_that_is_not_divided_is_divided_at_spaces():
    phrase = '<phrase><item type="txt" lang="hu">A kutyák, itt.</item><item type="gls" lang="en">Dogs.</item></phrase>'
    (sentence,) = read_flextext(text(phrase, "<phrase/>"))
    assert [word.form for word in sentence.words] == ["A", "kutyák", ",", "itt", "."]


def test_texts_and_their_phrases_have_names():
    one = '<interlinear-text><phrase><words><word><item type="txt">a</item></word></words></phrase></interlinear-text>'
    found = read_flextext(f"<document>{one * 2}</document>".encode())
    assert [(each.id, each.document) for each in found] == [("1-1", "1"), ("2-1", "2")]
    assert [each.id for each in read_flextext(one.encode())] == ["1"]
    spaced = one.replace("<interlinear-text>", '<interlinear-text xmlns="urn:x">')
    assert [each.text for each in read_flextext(spaced.encode())] == ["a"]


def test_proclitics_and_words_without_a_form_of_their_own():
    parts = (("proclitic", "l="), ("root", "ami"))
    morphs = "".join(f'<morph type="{kind}"><item type="txt">{form}</item></morph>' for kind, form in parts)
    (sentence,) = read_flextext(text(f"<phrase><words><word><morphemes>{morphs}</morphemes></word></words></phrase>"))
    assert (sentence.words[0].form, sentence.words[0].segmented) == ("lami", "l=ami")
    glosses = '<morph><item type="gls">go</item></morph><morph><item type="gls">PST</item></morph>'
    word = f'<word><item type="txt">ment</item><morphemes>{glosses}</morphemes></word>'
    (sentence,) = read_flextext(text(f"<phrase><words>{word}</words></phrase>"))
    assert (sentence.words[0].segmented, sentence.words[0].glossed) == ("", "go-PST")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<document></document>", "t:1: expected an element <interlinear-text>, found <document> without one"),
        (b"<document>\n<interlinear-text></document>", "t:2: expected well-formed XML, found: mismatched tag"),
        (b"<document>\n<a>&nbsp;</a></document>", "t:2: expected well-formed XML, found: undefined entity"),
        (b'<?xml version="1.0" encoding="klingon"?><a/>', "t:?1?:? expected .*XML"),
        (b"<a>\xff</a>", "t:1: expected well-formed XML, found: not well-formed"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]>\n<a>&b;</a>', "t:1: expected XML without a DOCTYPE, found one"),
        (b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "t:1: expected XML without a DOCTYPE"),
        (b"<a>" * 70 + b"</a>" * 70, "t:1: expected elements nested at most 64 deep, found <a>"),
        (
            text('<phrase><words>\n<word><item type="gls" lang="en">dog</item></word></words></phrase>'),
            "t:2: expected an item txt or punct in <word>, found none",
        ),
    ],
)
def test_what_cannot_be_read_is_named(data, message):
    with pytest.raises(pp.errors.TextError, match=f"^{message}"):
        read_flextext(data, "t")


def test_elements_are_counted(monkeypatch):
    monkeypatch.setattr(flex, "_MAX_ELEMENTS", 10)
    with pytest.raises(pp.errors.TextError, match="expected at most 10 elements"):
        read_flextext(flextext(DOGS).encode())


def test_no_part_of_a_file_is_a_file():
    data = flextext(DOGS, "Dogs").encode()
    for end in range(0, len(data) - len("</document>"), 7):
        with pytest.raises(pp.errors.TextError):
            read_flextext(data[:end])
