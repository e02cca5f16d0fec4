"""read_glossed: formats that tell the same, how they are recognized, and files that are none of them."""

from __future__ import annotations

import gzip
import io

import pytest
from hypothesis import given, settings

import panparser as pp
from glossed_files import DOGS, SENTENCES, flextext, form, leipzig, toolbox


def read(text: str | bytes, **options) -> list[pp.transfer.glossed.GlossedSentence]:
    return pp.transfer.glossed.read_igt(io.BytesIO(text.encode() if isinstance(text, str) else text), **options)


def told(sentences):
    """What a file says, without what only some formats have."""
    return [
        ([(word.form, word.segmented, word.glossed) for word in sentence.words], sentence.translation)
        for sentence in sentences
    ]


@settings(max_examples=60)
@given(SENTENCES)
def test_all_formats_tell_the_same(sentences):
    expected = [
        (
            [
                (
                    form(word),
                    "-".join(part for part, _ in word) if len(word) > 1 else "",
                    "-".join(gloss for _, gloss in word),
                )
                for word in words
            ],
            translation,
        )
        for words, translation in sentences
    ]
    assert told(read(leipzig(sentences))) == expected
    assert told(read(flextext(sentences))) == expected
    for columns in ("bytes", "characters", "none"):
        assert told(read(toolbox(sentences, columns))) == expected


@settings(max_examples=30)
@given(SENTENCES)
def test_treebanks_of_all_formats_have_the_same_tags_and_features(sentences):
    first, *others = (
        pp.transfer.glossed.convert_glosses(read(text)).treebank
        for text in (flextext(sentences), toolbox(sentences, "none"), toolbox(sentences))
    )
    for other in others:
        for name in ("form", "upos", "feats", "misc"):
            assert [s.values(name) for s in other] == [s.values(name) for s in first]


def test_a_file_is_recognized_by_how_it_begins():
    for text in (leipzig(DOGS), toolbox(DOGS), flextext(DOGS), "\ufeff" + leipzig(DOGS), "\ufeff" + toolbox(DOGS)):
        assert len(read(text)) == 2
        assert len(read(gzip.compress(text.encode()))) == 2
    assert len(read(flextext(DOGS).replace("utf-8", "utf-16").encode("utf-16"))) == 2
    assert read(leipzig(DOGS), format="leipzig")[1].words[1].form == "házat"
    for text in (leipzig(DOGS), toolbox(DOGS)):
        for line_end in ("\r\n", "\r"):
            assert told(read(text.replace("\n", line_end))) == told(read(text))
        assert {sentence.language for sentence in read(text, language="es")} == {"es"}


def test_what_cannot_be_read_is_refused(tmp_path):
    for text, message in (
        ("", "expected glossed sentences, found none"),
        ("\n\n# only a comment\n", "expected glossed sentences, found none"),
        (b"\xff\xfea\x00", ":1: expected UTF-8, found UTF-16"),
        (b"a b\nc d\n'e\xe9'\n", ":3: expected UTF-8, found the byte 0xe9"),
        (b"a\x00 b\nc d\n", ":1: expected text, found a null character"),
    ):
        with pytest.raises(pp.errors.TextError, match=message):
            read(text)
    with pytest.raises(pp.errors.TextError, match=r"nowhere\.txt: cannot be read"):
        pp.transfer.glossed.read_igt(tmp_path / "nowhere.txt")
    with pytest.raises(pp.SpecError, match="format must be one of flextext, toolbox, leipzig or auto; got 'elan'"):
        read(leipzig(DOGS), format="elan")


def test_a_file_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr("panparser.transfer.glossed.gloss_conversion._MAX_BYTES", 20)
    with pytest.raises(pp.errors.TextError, match="expected at most 0 MB, found more"):
        read(leipzig(DOGS))
