"""From raw text to words and lemmas: tokenizer and sentence splitter, multiword tokens, lemmatizer.

raw_text        the text of a treebank, and where its tokens and sentences end
to_treebank     the way back: a treebank that accounts for every character
iter_text       text files, in pieces
train_tokenizer, Tokenizer, train_lemmatizer, Lemmatizer
"""

from panparser.text.lemmatizer import Lemmatizer, train_lemmatizer
from panparser.text.multiword import MultiwordRules
from panparser.text.raw import RawText, raw_text
from panparser.text.reading import iter_text, read_text
from panparser.text.tokenizer import Tokenizer, train_tokenizer
from panparser.text.writing import Place, Tokens, to_treebank

__all__ = [
    "Lemmatizer",
    "MultiwordRules",
    "Place",
    "RawText",
    "Tokenizer",
    "Tokens",
    "iter_text",
    "raw_text",
    "read_text",
    "to_treebank",
    "train_lemmatizer",
    "train_tokenizer",
]
