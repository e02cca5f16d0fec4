"""Output formats of UDPipe: the expected texts are what UDPipe 1.3 writes for the same file."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import panparser as pp
from panparser.text.udpipe_output import DocumentWriter, render_text
from panparser.treebank.conllu import parse_conllu

FILE = """# newdoc
# newpar
# sent_id = 1
1 He he PRON _ _ 4 nsubj _ _
2-3 didn't _ _ _ _ _ _ _ _
2 did do AUX _ _ 4 aux _ _
3 n't not PART _ A=B 4 advmod _ _
4 go~< _ VERB _ _ 0 root _ SpaceAfter=No
5 . . PUNCT _ _ 4 punct _ SpacesAfter=\\n

# newpar
# sent_id = 2
1 No~1" _ _ _ _ 0 root _ _
2 x _ _ _ _ 1 dep _ _

# sent_id = 3
1 y _ _ _ _ 0 root _ _

"""
LINES = [line if line.startswith("#") else line.replace(" ", "\t").replace("~", " ") for line in FILE.split("\n")]
TREEBANK = parse_conllu("\n".join(LINES))
EXPECTED = {
    "horizontal": "He did n't go\xa0< .\nNo\xa01\" x\ny\n",
    "horizontal=paragraphs": "He did n't go\xa0< .\n\nNo\xa01\" x\ny\n",
    "vertical": "He\ndid\nn't\ngo <\n.\n\nNo 1\"\nx\n\ny\n\n",
    "vertical=paragraphs": "He\ndid\nn't\ngo <\n.\n\n\nNo 1\"\nx\n\ny\n\n",
    "plaintext": "He didn't go <.\nNo 1\" x y ",
    "plaintext=normalized_spaces": "He didn't go <.\n\nNo 1\" x\ny\n",
    "matxin": """<corpus>
<SENTENCE ord="1" alloc="0">
 <NODE ord="4" alloc="0" form="go &lt;" lem="_" mi="" si="root">
  <NODE ord="1" alloc="0" form="He" lem="he" mi="" si="nsubj"/>
  <NODE ord="2" alloc="0" form="did" lem="do" mi="" si="aux"/>
  <NODE ord="3" alloc="0" form="n't" lem="not" mi="A=B" si="advmod"/>
  <NODE ord="5" alloc="0" form="." lem="." mi="" si="punct"/>
 </NODE>
</SENTENCE>

<SENTENCE ord="2" alloc="0">
 <NODE ord="1" alloc="0" form="No 1&quot;" lem="_" mi="" si="root">
  <NODE ord="2" alloc="0" form="x" lem="_" mi="" si="dep"/>
 </NODE>
</SENTENCE>

<SENTENCE ord="3" alloc="0">
 <NODE ord="1" alloc="0" form="y" lem="_" mi="" si="root"/>
</SENTENCE>
</corpus>
""",
}


def written(pieces: list[pp.Treebank], name: str) -> str:
    format, _, option = name.partition("=")
    document = DocumentWriter(format)
    return "".join(document.add(render_text(piece, format, option or None)) for piece in pieces) + document.end()


@pytest.mark.parametrize("name", EXPECTED)
def test_formats_are_those_of_udpipe(name):
    assert written([TREEBANK], name) == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_pieces_make_no_difference(name):
    assert written([TREEBANK[:1], TREEBANK[1:1], TREEBANK[1:]], name) == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_nothing_is_a_document_too(name):
    assert written([], name) == ("<corpus></corpus>\n" if name == "matxin" else "")


def test_a_deep_tree_is_xml():
    lines = [f"{word}\tx\t_\t_\t_\t_\t{word - 1}\tdep\t_\t_\n" for word in range(1, 3001)]
    text = written([parse_conllu("".join(lines) + "\n")], "matxin")
    parser = ElementTree.XMLPullParser(["start"])
    parser.feed(text)
    assert sum(element.tag == "NODE" for _, element in parser.read_events()) == 3000


def test_plain_text_is_what_was_tokenized(english_pipeline):
    text = " Two  spaces.\tA tab, a\nline.\n\nHe didn't go!  \n"
    assert written([english_pipeline(text)], "plaintext") == text


def test_unknown_names_are_refused():
    with pytest.raises(pp.SpecError, match="expected one of horizontal"):
        render_text(TREEBANK, "epe")
    with pytest.raises(pp.SpecError, match="expected no option"):
        render_text(TREEBANK, "matxin", "paragraphs")
