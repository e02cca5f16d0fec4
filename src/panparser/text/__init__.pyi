"""Text: characters, tokenizer, multiword tokens, lemmatizer."""

from panparser.text.lemmatizer import Lemmatizer as Lemmatizer
from panparser.text.lemmatizer import train_lemmatizer as train_lemmatizer
from panparser.text.raw_text import RawText as RawText
from panparser.text.raw_text import extract_raw_text as extract_raw_text
from panparser.text.text_files import iter_text as iter_text
from panparser.text.tokenizer import Tokenizer as Tokenizer
from panparser.text.tokenizer import train_tokenizer as train_tokenizer

__all__: list[str]
