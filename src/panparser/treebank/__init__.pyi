"""Treebanks: the columns of CoNLL-U, sentences and tokens, files, statistics, drawings."""

from panparser.treebank.arc_regions import ArcRegion as ArcRegion
from panparser.treebank.conllu import iter_conllu as iter_conllu
from panparser.treebank.conllu import parse_conllu as parse_conllu
from panparser.treebank.conllu import read_conllu as read_conllu
from panparser.treebank.conllu import write_conllu as write_conllu
from panparser.treebank.sentences import Sentence as Sentence
from panparser.treebank.sentences import Token as Token
from panparser.treebank.statistics import treebank_statistics as treebank_statistics
from panparser.treebank.treebank import Treebank as Treebank
from panparser.treebank.treebank import sample_sentences as sample_sentences

__all__: list[str]
