"""What the classifier of the lemmatizer sees."""

from __future__ import annotations

from functools import lru_cache

from panparser.sequences.model import Window
from panparser.text.windows import window

# At a word; `lemma_dictionary` says what own, hint and other are.
_LEMMATIZER = """
upos | xpos | feats | own upos | own xpos | own feats | shape upos | shape xpos | shape | lower_suffix[1] xpos
lower_suffix[2] xpos | lower_suffix[3] xpos | lower_suffix[4] xpos | lower_suffix[5] xpos
lower_suffix[1] feats | lower_suffix[2] feats | lower_suffix[3] feats | lower_suffix[4] feats
lower_suffix[5] feats | lower_suffix[2] upos | lower_suffix[3] upos | lower_suffix[4] upos
lower_suffix[5] upos | lower_suffix[6] upos | lower_suffix[3] | lower_suffix[4] | lower_prefix[2] upos
lower_prefix[3] upos | lower_prefix[4] upos | lower_prefix[2] lower_suffix[3] upos | shape lower_suffix[2] upos
shape lower_suffix[1] feats | hint | hint upos | hint other upos | hint feats | hint lower_suffix[2] upos
hint lower_suffix[3] upos | hint other shape
W-1.upos upos | upos W1.upos | W-1.lower own | own W1.lower | W-1.upos own W1.upos | W-1.upos lower_suffix[3] upos
"""


@lru_cache
def lemmatizer_window() -> Window:
    return window(_LEMMATIZER, ("own", "hint", "other"))
