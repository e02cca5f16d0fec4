"""Tokenizer and sentence splitter: learned boundaries, and texts of every kind rebuilt from what comes out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boundaries
import panparser as pp
from panparser import _engine
from panparser.text import characters
from panparser.text.boundaries import NAMES, PAIRS, Layout, Lexicon
from panparser.text.raw_text import extract_raw_text
from places import ENGLISH

TEXTS = st.text(
    st.one_of(
        st.sampled_from(" \t\r\n\xa0\u3000aB.,!?'\"()|\\_#=1\u0301\u200d🏳\U0001f1e6\x00"), st.characters(codec="utf-8")
    )
)


@pytest.fixture(scope="module")
def tokenizer():
    return pp.train_tokenizer(pp.read_conllu(ENGLISH)[:200], epochs=4)


@pytest.fixture(scope="module")
def random_tokenizer():
    """Learned from nonsense: it ends tokens and sentences anywhere, and splits tokens."""
    rng = np.random.default_rng(1)
    lines = []
    for _ in range(40):
        for word in range(1, int(rng.integers(2, 8))):
            form = "".join(rng.choice(list("aB.,!?' (1漢ü"), int(rng.integers(1, 5)))).strip() or "x"
            tight = "SpaceAfter=No" if rng.integers(2) else "_"
            lines.append(f"{word}\t{form}" + "\t_" * 7 + f"\t{tight}")
        lines.append("")
    return pp.train_tokenizer(pp.parse_conllu("\n".join(lines) + "\n"), epochs=1)


def test_it_divides_unseen_text_as_the_treebank_does(tokenizer):
    gold = pp.read_conllu(ENGLISH)[200:]
    found = tokenizer.tokenize(extract_raw_text(gold).text)
    scores = pp.evaluate(gold, found, bootstrap_samples=0)
    assert scores["Tokens"].f1 > 97
    assert scores["Words"].f1 > 97
    assert scores["Sentences"].f1 > 80


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    treebank = pp.read_conllu(ENGLISH)[:60]
    for name in "ab":
        pp.train_tokenizer(treebank, epochs=2, seed=3).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@given(TEXTS)
def test_any_text_is_rebuilt(tokenizer, random_tokenizer, text):
    for one in (tokenizer, random_tokenizer):
        for given_ in ("text", "paragraphs", "lines", "tokens", "vertical"):
            found = one.tokenize(text, input_format=given_)
            assert not found.parse_problems
            if text.strip(characters.WHITE):
                assert extract_raw_text(found).text == text
            else:
                assert len(found) == 0


@given(TEXTS)
def test_no_token_ends_within_a_character_that_readers_see(random_tokenizer, text):
    points = characters.code_points(text)
    marks = random_tokenizer.marks(text)
    assert not (marks[characters.glued(points)] != 0).any()


STRANGE = {
    "one character": "x",
    "no spaces": "thisisalinewithoutaspaceinit" * 40,
    "emoji": "Nice 👩\u200d👩\u200d👧 day 🇫🇷! 👍🏽",
    "combining marks": "Ame\u0301lie s\u0327a e\u0300.",
    "right to left": "ذهب الولد إلى المدرسة. שלום עולם.",
    "no-space scripts": "今日は天気がいい。東京へ行く。ภาษาไทยไม่มีช่องว่าง",
    "NUL": "a\x00b \x00 c.",
    "CRLF": "One line.\r\nAnother one.\r\n\r\nA paragraph.\r\n",
    "long line": "word " * 20_000,
    "long word": "a" * 100_000,
}


@pytest.mark.parametrize("name", STRANGE)
def test_strange_texts_are_accounted_for(tokenizer, name):
    found = tokenizer.tokenize(STRANGE[name])
    assert extract_raw_text(found).text == STRANGE[name]
    assert np.diff(found.offsets).max() <= _engine.MAX_WORDS


def test_nothing_gives_nothing(tokenizer):
    assert len(tokenizer.tokenize("")) == len(tokenizer.tokenize(" \n ")) == 0


def test_half_a_surrogate_pair_is_refused(tokenizer):
    with pytest.raises(pp.errors.TextError, match="lone surrogate"):
        tokenizer.tokenize("a\udc80")


def test_a_blank_line_ends_a_sentence(tokenizer):
    found = tokenizer.tokenize("The old\n\nbaker opened\n \nhis shop")
    assert [s.text for s in found] == ["The old", "baker opened", "his shop"]
    assert ["# newpar" in s.comments for s in found] == [True] * 3


@given(st.lists(TEXTS, max_size=4))
def test_a_stream_of_pieces_is_one_text(tokenizer, pieces):
    found = list(tokenizer.stream(pieces, document="d"))
    text = "".join(pieces)
    sentences = [sentence for treebank in found for sentence in treebank]
    assert [s.sent_id for s in sentences] == [str(i + 1) for i in range(len(sentences))]
    assert ["# newdoc id = d" in s.comments for s in sentences] == [i == 0 for i in range(len(sentences))]
    for sentence in sentences:
        for token in sentence:
            start, end = map(int, token.misc_values["TokenRange"].split(":"))
            assert text[start:end] == token.form or "SpacesInToken" in token.misc


def test_a_paragraph_goes_on_from_piece_to_piece(tokenizer):
    found = [s for part in tokenizer.stream(["A bird.\n \r\n", "Two birds.\n", "Three birds."]) for s in part]
    assert ["# newpar" in sentence.comments for sentence in found] == [True, True, False]
    for pieces in (["\n\n", " "], ["\n", "\n"], ["\u2029"], ["\r", " ", " \r"], ["\n", " \t\n "]):
        *_, last = tokenizer.stream(["A bird.", *pieces, "Two birds."])
        assert "# newpar" in last[-1].comments, pieces
    for pieces in ([" ", " "], ["\r\n", " "], ["\u2028", "\n"]):
        *_, last = tokenizer.stream(["A bird.", *pieces, "Two birds."])
        assert "# newpar" not in last[-1].comments, pieces


def test_given_sentences_stay_and_tokens_are_found(tokenizer):
    found = tokenizer.tokenize("Birds sing. The old baker\nopened, his shop.", input_format="lines")
    assert [s.forms for s in found] == [
        ["Birds", "sing", ".", "The", "old", "baker"],
        ["opened", ",", "his", "shop", "."],
    ]
    with pytest.raises(
        pp.errors.TextError, match="input_format must be one of text, paragraphs, lines, tokens, vertical; got 'line'"
    ):
        tokenizer.tokenize("a", input_format="line")


def test_former_names_of_what_is_given_are_accepted(tokenizer):
    text = "Birds sing. The old baker\nopened, his shop."
    for former, name in (("nothing", "text"), ("sentences", "lines")):
        assert (
            tokenizer.tokenize(text, input_format=former).to_bytes()
            == tokenizer.tokenize(text, input_format=name).to_bytes()
        )


def test_a_paragraph_a_line_is_divided_into_sentences(tokenizer):
    text = "The birds\nThe birds sing. They stopped.\n\nThe road"
    found = tokenizer.tokenize(text, input_format="paragraphs")
    assert [s.text for s in found] == ["The birds", "The birds sing.", "They stopped.", "The road"]
    assert ["# newpar" in s.comments for s in found] == [True, True, False, True]
    assert extract_raw_text(found).text == text
    for cut in (cut for cut, character in enumerate(text) if not character.isspace()):  # as `iter_text` cuts
        pieces = [piece for piece in (text[:cut], text[cut:]) if piece]
        parts = list(tokenizer.stream(pieces, input_format="paragraphs"))
        joined = b"".join(part.to_bytes() for part in parts)
        assert joined.replace(rb"SpacesAfter=\s|", b"") == found.to_bytes(), cut  # named where a treebank ends


def test_no_sentence_is_cut_where_a_piece_ends(tokenizer, tmp_path):
    sentences = [sentence.text for sentence in pp.read_conllu(ENGLISH)][:80]
    text = " ".join(sentences)
    (tmp_path / "long.txt").write_text(text)
    whole = [sentence.text for sentence in tokenizer.tokenize(text)]
    for block in (50, 100, 300):
        parts = list(tokenizer.stream(pp.iter_text(tmp_path / "long.txt", block=block)))
        found = [sentence for part in parts for sentence in part]
        assert len(parts) > 2
        assert [s.sent_id for s in found] == [str(i + 1) for i in range(len(found))]
        same = len({s.text for s in found} & set(whole)) / len(whole)
        assert (block, same >= 0.99) == (block, True)


def test_what_waits_for_the_rest_of_a_sentence_is_bounded(tokenizer):
    taken = []

    def pieces():
        for number in range(40):
            taken.append(number)
            yield "x" * 10_000

    for number, _ in enumerate(tokenizer.stream(pieces())):
        assert len(taken) <= number + 2
    assert len(taken) == 40


def test_a_sentence_of_too_many_words_is_named_by_its_line(tokenizer):
    text = "a b\n" * 3 + "a " * 17_000 + "\nb\n"
    with pytest.raises(
        pp.errors.TextError, match=r"^long.txt:6: expected at most 16000 words in a sentence, found 17000$"
    ):
        list(tokenizer.stream(["\n\n", text], input_format="tokens", path="long.txt"))


def test_threads_change_nothing(tokenizer):
    text = extract_raw_text(pp.read_conllu(ENGLISH)).text * 3
    assert (tokenizer.marks(text) == tokenizer.marks(text, threads=3)).all()


def test_tokens_with_spaces_are_learned():
    lines = []
    for number in range(60):
        forms = ["10 000", "men", "."] if number % 2 else ["1 000", "cats", "."]
        lines += [f"{i}\t{form}" + "\t_" * 8 for i, form in enumerate(forms, start=1)] + [""]
    tokenizer = pp.train_tokenizer(pp.parse_conllu("\n".join(lines) + "\n"), epochs=4)
    assert tokenizer.allows_spaces
    found = tokenizer.tokenize("10 000 cats . 1\n000 men .")
    assert [s.forms for s in found] == [["10 000", "cats", "."], ["1 000", "men", "."]]
    assert extract_raw_text(found).text == "10 000 cats . 1\n000 men ."


def test_words_that_are_sometimes_split_follow_their_neighbours():
    row = "{}\t{}" + "\t_" * 8
    lines = []
    for _ in range(30):
        lines += [row.format(1, "le"), row.format("2-3", "des"), row.format(2, "de"), row.format(3, "les"), ""]
        lines += [row.format(1, "ont"), row.format(2, "des"), row.format(3, "chats"), ""]
    tokenizer = pp.train_tokenizer(pp.parse_conllu("\n".join(lines) + "\n"), epochs=4)
    assert tokenizer.splitter is not None
    assert tokenizer.tokenize("ont des chats", input_format="tokens")[0].forms == ["ont", "des", "chats"]
    split = tokenizer.tokenize("le des", input_format="tokens")[0]
    assert split.forms == ["le", "de", "les"]
    assert [(m.first, m.last, m.form) for m in split.multiword_tokens] == [(2, 3, "des")]
    assert split.multiword_tokens[0].misc == "SpaceAfter=No|TokenRange=3:6"


def test_a_file_holds_the_tokenizer(tokenizer, tmp_path):
    text = extract_raw_text(pp.read_conllu(ENGLISH)[:20]).text
    path = tmp_path / "tokenizer.model"
    tokenizer.save(path)
    loaded = pp.Tokenizer.load(path)
    assert loaded.tokenize(text).to_bytes() == tokenizer.tokenize(text).to_bytes()
    with pytest.raises(pp.ModelError, match="expected a panparser model of kind 'lemmatizer', found 'tokenizer'"):
        pp.Lemmatizer.load(path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(pp.ModelError):
        pp.Tokenizer.load(path)


def test_broken_values_are_refused(tokenizer):
    arrays, values = tokenizer.to_arrays(), tokenizer.to_values()
    broken = [
        (arrays, values | {"spaced": 3}),
        (arrays, values | {"multiword": {}}),
        (arrays, {name: value for name, value in values.items() if name != "model"}),
        (arrays | {"whole": arrays["whole"][:-1]}, values),
        (arrays | {"words": arrays["words"][::-1]}, values),
    ]
    for bad_arrays, bad_values in broken:
        with pytest.raises(pp.ModelError, match=r"not a valid tokenizer|expected rules"):
            pp.Tokenizer.from_file(bad_arrays, bad_values)


def test_training_needs_sentences():
    with pytest.raises(pp.TreebankError, match="train_tokenizer: treebank must be a Treebank; got 3"):
        pp.train_tokenizer(3)
    with pytest.raises(pp.PanParserError, match="expected sentences for training"):
        pp.train_tokenizer(pp.parse_conllu(""))


# --- What the classifier sees ---


@given(TEXTS)
def test_a_layout_has_single_spaces_and_knows_where_they_come_from(text):
    points = characters.code_points(text)
    layout = Layout(points)
    solid = text.strip(characters.WHITE)
    if not solid:
        assert len(layout) == 0
        return
    assert layout.points[-1] == 10
    assert not (layout.gap[1:] & layout.gap[:-1]).any()
    keep = ~layout.gap
    assert (points[layout.origin[keep]] == layout.points[keep]).all()
    assert "".join(map(chr, layout.points[keep])) == "".join(c for c in text if c not in characters.WHITE)


@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=20))
def test_equal_pieces_have_equal_numbers_and_others_do_not(words):
    text = "".join(words)
    ends = np.cumsum([len(word) for word in words])
    starts = ends - [len(word) for word in words]
    numbers = _engine.number_pieces(characters.code_points(text), starts, ends).tolist()
    assert len(set(numbers)) == len(set(words))
    assert all(numbers[i] == numbers[j] for i in range(len(words)) for j in range(i) if words[i] == words[j])


@given(TEXTS, st.integers(0, 2**32 - 1))
def test_the_engine_sees_of_places_what_the_text_says(text, seed):
    rng = np.random.default_rng(seed)
    whole = rng.integers(2, size=PAIRS).astype(bool)
    layout = Layout(characters.code_points(text))
    words = np.unique(layout.runs[1][::2])
    lexicon = Lexicon(words, rng.integers(1, 250, len(words)).astype(np.uint8))
    classes = dict(zip(words.tolist(), lexicon.classes.tolist(), strict=True))
    places = layout.places(whole)
    columns = layout.columns(places, lexicon)
    found = [(int(place), {name: int(columns[name][i]) for name in NAMES}) for i, place in enumerate(places)]
    assert found == [(at, {name: row[name] for name in NAMES}) for at, row in boundaries.rows(text, whole, classes)]


def test_places_that_the_engine_cannot_see_are_refused():
    layout, lexicon = Layout(characters.code_points("a b")), Lexicon(np.empty(0, np.uint64), np.empty(0, np.uint8))
    for places in ([1], [2, 0], [-1], [9]):
        with pytest.raises(ValueError, match="places must rise"):
            layout.columns(np.array(places, dtype=np.int64), lexicon)
    with pytest.raises(ValueError, match="no such code point"):
        _engine.Layout(np.array([0x110000], dtype=np.uint32), np.zeros(0x110000, dtype=np.uint32))
    with pytest.raises(ValueError, match="one entry for each code point"):
        _engine.Layout(np.array([1], dtype=np.uint32), np.zeros(3, dtype=np.uint32))
