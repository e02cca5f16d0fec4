"""Tokens by rules: the first text is divided as UDPipe's generic tokenizer does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panparser.pipeline.udpipe_input import generic_marks
from panparser.text.raw_text import SENTENCE


def divided(text: str) -> list[str]:
    """The sentences of a text, with spaces between tokens."""
    found, start, forms = [], 0, []
    for place, mark in enumerate(generic_marks(text).tolist()):
        if mark:
            forms.append(text[start : place + 1].strip())
            start = place + 1
        if mark == SENTENCE:
            found.append(" ".join(forms))
            forms = []
    return [*found, " ".join(forms)] if forms else found


def test_text_of_all_kinds():
    text = (
        'Mr. Smith said: "Go away!" Then, he paid 3,500.25 € to him.\nNext line... ok? Yes. no\n\n'
        "It-s don't http://a.b/c."
    )
    assert divided(text) == [
        "Mr .",
        'Smith said : " Go away ! "',
        "Then , he paid 3 , 500.25 € to him .",
        "Next line . . . ok ?",
        "Yes . no",
        "It - s don ' t http : / / a . b / c .",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("नमस्ते दुनिया। ठीक", ["नमस्ते दुनिया ।", "ठीक"]),
        ("你好。再见！", ["你 好 。", "再 见 ！"]),
        ("cafe\u0301s", ["cafe\u0301s"]),
        ("👩‍🚀 🇫🇷🇩🇪", ["👩‍🚀 🇫🇷 🇩🇪"]),
        ("(He left.) She stayed.", ["( He left . )", "She stayed ."]),
        ("", []),
        ("  \n", []),
    ],
)
def test_scripts_and_signs(text, expected):
    assert divided(text) == expected


@given(st.text(max_size=40))
def test_every_character_but_white_space_is_in_a_token(text):
    assert "".join("".join(divided(text)).split()) == "".join(text.split())
