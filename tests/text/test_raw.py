"""Raw text: where tokens and sentences end, and treebanks that account for every character."""

from __future__ import annotations

import gzip
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import panparser as pp
from panparser import _engine
from panparser.text import characters
from panparser.text import raw_text as raw
from panparser.text import text_files as reading
from panparser.text import text_output as writing
from panparser.text.multiword import surface_words
from places import ENGLISH, SHARED

TEXTS = st.text(
    st.one_of(
        st.sampled_from(" \t\r\n\xa0\u3000ab.,|\\_#=\u0301\u200d🏳\U0001f1e6\x00\x1c"), st.characters(codec="utf-8")
    )
)


@given(TEXTS, st.randoms(use_true_random=False), st.booleans())
@example("a ", Random(1), True)
@example("a\u2029\u2029b\x85", Random(1), False)
def test_any_text_with_any_marks_is_rebuilt_from_its_treebank(text, random, ranges):
    marks = np.array([random.choice((0, 0, 1, 2)) for _ in text], dtype=np.uint8)
    treebank = writing.to_treebank(text, marks, place=writing.Place(ranges=ranges))
    assert not treebank.parse_problems
    if not text.strip(characters.WHITE):
        assert len(treebank) == 0
        return
    rebuilt = raw.extract_raw_text(treebank)
    assert rebuilt.text == text
    assert [text[a:b] for a, b in zip(*rebuilt.tokens(), strict=True)] == [
        text[a:b] for a, b in zip(*raw.RawText(text, marks).tokens(), strict=True)
    ]
    again = writing.to_treebank(rebuilt.text, rebuilt.marks, place=writing.Place(ranges=ranges))
    assert again.to_bytes() == treebank.to_bytes()
    if ranges:
        for sentence in treebank:
            for token in sentence:
                start, end = token.misc_values["TokenRange"].split(":")
                spelled = token.misc_values.get("SpacesInToken")
                assert text[int(start) : int(end)] == (raw.unescape(spelled) if spelled else token.form)


def test_a_treebank_gives_its_text_and_the_text_its_treebank():
    _check_identity(pp.read_conllu(ENGLISH))


@pytest.mark.parametrize("name", ["ud20/hu", "ud20/vi", "ud216/fr_sequoia"])
def test_real_treebanks_give_their_text(name):
    archive = SHARED / f"{name}.tar.xz"
    if not archive.exists():
        pytest.skip("the treebanks are not on this machine")
    with tarfile.open(archive) as files:
        member = next(m for m in files.getmembers() if m.name.endswith("dev.conllu"))
        content = files.extractfile(member)
        assert content is not None
        _check_identity(pp.parse_conllu(content.read()))


def _check_identity(treebank):
    text = raw.extract_raw_text(treebank)
    splits = [words for _, words in surface_words(treebank)]
    rebuilt = writing.to_treebank(text.text, text.marks, splits=splits)
    assert [s.forms for s in rebuilt] == [s.forms for s in treebank]
    assert [s.text for s in rebuilt] == [s.text for s in treebank]
    again = raw.extract_raw_text(rebuilt)
    assert again.text == text.text
    assert (again.marks == text.marks).all()
    scores = pp.evaluate(treebank, rebuilt, bootstrap_samples=0)
    assert [scores[name].f1 for name in ("Tokens", "Sentences", "Words")] == [100.0] * 3


WORD = "{}\t{}\t_\t_\t_\t_\t_\t_\t_\t{}\n"


def test_spacing_follows_the_conventions_of_the_format():
    treebank = pp.parse_conllu(
        "# newdoc\n"
        + WORD.format(1, "a", "SpacesBefore=\\t|SpaceAfter=No")
        + WORD.format(2, ".", "_")
        + "\n"
        + WORD.format("1-2", "du", "SpacesAfter=\\s\\n")
        + WORD.format(1, "de", "SpaceAfter=No")
        + WORD.format(2, "le", "_")
        + WORD.format(3, "x y", "SpacesInToken=x\\n\\sy|SpaceAfter=No")
        + "\n# newpar\n"
        + WORD.format(1, "|", "_")
        + "\n# text = c  d\n"
        + WORD.format(1, "c", "SpaceAfter=No")
        + WORD.format(2, "d", "_")
        + "\n# text = other\n"
        + WORD.format(1, "e", "_")
        + WORD.format(2, "f", "_")
        + "\n"
    )
    text = raw.extract_raw_text(treebank)
    assert text.text == "\ta. du \nx\n y\n\n| c  d e f\n"
    ends = [text.text[i] for i in np.flatnonzero(text.marks == raw.SENTENCE)]
    assert ends == [".", "y", "|", "d", "f"]


def test_escapes_are_undone():
    assert raw.unescape(r"\s\t\r\n\p\\s") == " \t\r\n|\\s"
    assert raw.escape(" \t\r\n|\\s") == r"\s\t\r\n\p\\s"


def test_marks_must_fit_the_text():
    with pytest.raises(pp.PanParserError, match="RawText: marks must be 2 values, one per character; got 1"):
        raw.RawText("ab", np.zeros(1, dtype=np.uint8))


def test_the_engine_refuses_spans_that_do_not_fit():
    def write(starts, ends, splits=(), words=()):
        arrays = [np.array(x, dtype=np.int64) for x in (starts, ends)]
        last = np.zeros(len(starts), dtype=np.uint8)
        tokens = writing.Tokens(*arrays, last)
        numbers = np.array(splits, dtype=np.int32)
        return _engine.write_tokens(
            "aé b".encode(), tokens.starts, tokens.ends, last, numbers, words, 1, 0, True, None, False, False
        )

    assert write([0, 3], [2, 4]).count(b"\t_") == 14
    for starts, ends in ([0, 1], [2, 4]), ([0], [9]), ([1], [1]), ([0, 3], [2]):
        with pytest.raises(ValueError, match=r"token|same length"):
            write(starts, ends)
    for splits, words in ([7], [["a", "b"]]), ([0], [["a"]]), ([0, 0], [["a", "b"]]):
        with pytest.raises(ValueError, match=r"token is split|names a list|same length"):
            write([0], [2], splits, words)


def test_a_megabyte_without_a_line_end_takes_linear_time():
    def seconds(size):
        text = "ab " * (size // 3)
        start = time.process_time()
        treebank = writing.to_treebank(text, writing.tokens_by_spaces(text))
        assert treebank.words == size // 3
        return time.process_time() - start

    seconds(1000)
    assert seconds(1_000_000) < 40 * max(seconds(100_000), 0.01)


# --- Input that is divided already ---


def forms(text, marks):
    return [s.forms for s in writing.to_treebank(text, marks)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_divided_input(end):
    text = f" a bc  d{end}{end} e\u3000f {end}g"
    assert forms(text, writing.tokens_by_spaces(text)) == [["a", "bc", "d"], ["e", "f"], ["g"]]
    vertical = f"a{end}b c{end}{end}{end}d{end}"
    assert forms(vertical, writing.tokens_by_lines(vertical)) == [["a", "b c"], ["d"]]
    lines = writing.sentence_per_line(characters.code_points(text))
    assert np.flatnonzero(lines).tolist() == [text.index("d"), text.index("f"), text.index("g")]


def test_empty_input_has_no_sentences():
    for text in "", " \n\n ":
        for marks in writing.tokens_by_lines, writing.tokens_by_spaces:
            assert len(writing.to_treebank(text, marks(text))) == 0


def test_pieces_of_a_longer_text_go_on_counting():
    place = writing.Place(sentence=7, offset=100, document=None)
    treebank = writing.to_treebank("a\n\nb", writing.tokens_by_spaces("a\n\nb"), place=place)
    assert [s.sent_id for s in treebank] == ["7", "8"]
    assert treebank[1][0].misc == "SpaceAfter=No|TokenRange=103:104"
    assert "# newpar" in treebank[1].comments
    assert treebank[0].comments == ["# sent_id = 7", "# text = a"]
    assert writing.to_treebank("a", np.zeros(1, np.uint8), place=writing.Place(document="x"))[0].comments[:2] == [
        "# newdoc id = x",
        "# newpar",
    ]


def test_the_id_of_a_document_is_one_line():
    with pytest.raises(pp.errors.TextError, match="must be one printable line"):
        writing.to_treebank("a", np.zeros(1, np.uint8), place=writing.Place(document="a\nb"))


# --- Characters ---


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("ae\u0301b", ["a", "e\u0301", "b"]),
        ("👩\u200d👩\u200d👧x", ["👩\u200d👩\u200d👧", "x"]),
        ("👍🏽👍", ["👍🏽", "👍"]),
        ("🇫🇷🇭🇺🇹", ["🇫🇷", "🇭🇺", "🇹"]),
        ("1\ufe0f\u20e32", ["1\ufe0f\u20e3", "2"]),
        ("กำแพง", ["ก", "ำ", "แ", "พ", "ง"]),
        (" \u0301a", [" ", "\u0301", "a"]),
    ],
)
def test_no_token_ends_within_a_character_that_readers_see(text, pieces):
    held = characters.glued(characters.code_points(text))
    found, start = [], 0
    for end, hold in enumerate(held.tolist(), start=1):
        if not hold:
            found.append(text[start:end])
            start = end
    assert found == pieces


def test_kinds_of_characters():
    def names(text):
        return [characters.KINDS[kind] for kind in characters.kinds(characters.code_points(text))]

    assert names("aÉא漢กあ1²") == ["lower", "upper", "letter", *["ideograph"] * 3, "digit", "number"]
    assert names("\xa0\u3000\x1c\u0301.€") == ["space", "space", "other", "mark", "punctuation", "symbol"]


def test_half_a_surrogate_pair_is_no_text():
    with pytest.raises(pp.PanParserError, match=r"found the lone surrogate U\+D800 at 1"):
        characters.code_points("a\ud800")


# --- Files ---


@given(TEXTS, st.integers(1, 20))
def test_pieces_of_a_file_are_its_text(tmp_path_factory, text, block):
    path = tmp_path_factory.mktemp("pieces") / "text.txt"
    path.write_bytes(text.encode())
    assert "".join(reading.iter_text(path, block=block)) == text.removeprefix("\ufeff")


def test_pieces_end_after_blank_lines(tmp_path):
    path = tmp_path / "text.txt.gz"
    path.write_bytes(gzip.compress(b"a b\nc\n\nd\r\n \r\ne f g h i"))
    pieces = list(reading.iter_text(path, block=4))
    assert pieces == ["a b\nc\n\n", "d\r\n \r\n", "e f g h i"]
    path.write_bytes(b"x" * 100)
    assert max(map(len, reading.iter_text(path, block=4))) <= 16


@pytest.mark.parametrize("block", [1, 2, 3, 100])
def test_bytes_that_are_no_utf8_are_named(tmp_path, block):
    path = tmp_path / "latin1.txt"
    path.write_bytes("\ufeffhéé\n".encode() + b"caf\xe9 au lait")
    with pytest.raises(
        pp.errors.TextError, match=r"latin1.txt:2: expected UTF-8, found the byte 0xe9, byte 12 of the file"
    ):
        list(reading.iter_text(path, block=block))
    path.write_bytes("é".encode()[:1])
    with pytest.raises(pp.PanParserError, match="found the byte 0xc3, byte 0 of"):
        list(reading.iter_text(path, block=block))
    with pytest.raises(pp.errors.TextError, match="cannot be read"):
        reading.read_text(tmp_path / "nothing")
    path.write_bytes("a".encode("utf-16"))
    with pytest.raises(pp.errors.TextError, match="found UTF-16"):
        reading.read_text(path)


def test_a_byte_order_mark_may_come_in_pieces(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("\ufeffa\ufeffb", encoding="utf-8")
    for block in range(1, 6):
        assert "".join(reading.iter_text(path, block=block)) == "a\ufeffb"


@pytest.mark.parametrize("form", ["\u00a0", "\u3000"])
def test_a_token_of_white_space_is_refused(form):
    rows = [f"1\t{form}", "2\ta", "3\tb"]
    treebank = pp.parse_conllu("\n".join(row + "\t_" * 8 for row in rows) + "\n\n", path="x.conllu")
    with pytest.raises(pp.errors.TextError, match=r"x\.conllu: sentence 1: expected a token of a text, found"):
        pp.extract_raw_text(treebank)


@pytest.mark.parametrize("splits", [[None], [None, ("a",)], [None, ("a", " b")], [None, ("a", "")]])
def test_words_of_tokens_must_fit(splits):
    with pytest.raises(pp.errors.TextError, match="expected"):
        writing.to_treebank("a b", np.array([1, 0, 2], dtype=np.uint8), splits=splits)
    with pytest.raises(pp.errors.TextError, match="one per character"):
        writing.to_treebank("a b", np.array([1, 0], dtype=np.uint8))


def test_characters_are_looked_up_in_any_thread():
    points = np.arange(0x20, 0x4000, dtype=np.uint32)
    seen = []
    looked = characters.Property(lambda character: seen.append(character) or ord(character) % 251)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(looked.values, [points] * 16):
            assert (found == points % 251).all()
    assert len(set(seen)) == len(points)
    count = len(seen)
    assert (looked.values(points) == points % 251).all()
    assert len(seen) == count  # once they are known, they stay so


WHITES = st.lists(st.sampled_from(["a", "b.", " ", "\n", "\n\n", "\r", "\r\n", "\u2029", "\x1c", "\xa0"]), max_size=30)


@given(WHITES.map("".join), st.integers(1, 6))
def test_white_space_is_no_piece_of_its_own(tmp_path_factory, text, block):
    path = tmp_path_factory.mktemp("pieces") / "text.txt"
    path.write_bytes(text.encode())
    pieces = list(reading.iter_text(path, block=block))
    assert "".join(pieces) == text
    if text.strip(characters.WHITE):
        assert all(piece.strip(characters.WHITE) for piece in pieces)
    assert not any(piece[0] in characters.WHITE for piece in pieces[1:])


def test_a_file_that_fits_in_a_block_is_one_piece(tmp_path):
    (tmp_path / "x.txt").write_text("Lone.\n\nTwo.")
    assert list(reading.iter_text(tmp_path / "x.txt", block=11)) == ["Lone.\n\nTwo."]
    assert list(reading.iter_text(tmp_path / "x.txt", block=10)) == ["Lone.\n\n", "Two."]


def test_a_line_that_ends_with_crlf_is_no_blank_line(tmp_path):
    (tmp_path / "x.txt").write_bytes(b"a b\r\nc d\r\ne f\r\n\r\ng h\r\n\x1c\r\ni j")
    assert list(reading.iter_text(tmp_path / "x.txt", block=12)) == [
        "a b\r\nc d\r\ne f\r\n\r\n",
        "g h\r\n\x1c\r\ni j",
    ]


def test_many_line_ends_take_linear_time(tmp_path):
    (tmp_path / "x.txt").write_text("a" + "\n" * 2_000_000 + "b" + " \n" * 500_000)
    start = time.process_time()
    assert sum(map(len, reading.iter_text(tmp_path / "x.txt"))) == 3_000_002
    assert time.process_time() - start < 2
