"""From raw text to words and lemmas: tokenizer and sentence splitter, multiword tokens, lemmatizer.

raw_text        the text of a treebank, and where its tokens and sentences end
to_treebank     the way back: a treebank that accounts for every character
iter_text       text files, in pieces
train_tokenizer, Tokenizer, train_lemmatizer, Lemmatizer
"""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(
    __name__,
    **{"tokenizer.multiword": "MultiwordRules", "writing": "Place Tokens to_treebank", "reading": "read_text"},
)
