"""Treebanks of sentences that are already divided into tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from panparser.errors import TreebankError
from panparser.treebank.treebank import Treebank, is_cell

_EMPTY = "\t_" * 8


def from_tokens(sentences: Sequence[str] | Sequence[Sequence[str]]) -> Treebank:
    """A treebank without annotation, of the tokens of a sentence, or of several sentences: lists of strings."""
    if isinstance(sentences, str | bytes) or not isinstance(sentences, Sequence):
        raise TreebankError(f"expected a text, a list of tokens or a list of such lists; got {sentences!r}")
    listed: Sequence[Any] = [sentences] if sentences and isinstance(sentences[0], str) else sentences
    lines: list[str] = []
    for number, tokens in enumerate(listed, start=1):
        if isinstance(tokens, str) or not isinstance(tokens, Sequence) or not tokens:
            raise TreebankError(f"sentence {number}: expected a list of tokens, at least one; got {tokens!r}")
        for token in tokens:
            if not is_cell(token):
                raise TreebankError(
                    f"sentence {number}: a token must be a text without tabs, line ends and spaces around it; "
                    f"got {token!r}"
                )
        lines += (f"# sent_id = {number}", f"# text = {' '.join(tokens)}")
        lines += (f"{word}\t{token}{_EMPTY}" for word, token in enumerate(tokens, start=1))
        lines.append("")
    return Treebank("".join(f"{line}\n" for line in lines).encode())
