"""Interlinear glossed text: formats, glosses, trees."""

from panparser.transfer.glossed.gloss_conversion import GlossedTreebank as GlossedTreebank
from panparser.transfer.glossed.gloss_conversion import convert_glosses as convert_glosses
from panparser.transfer.glossed.gloss_conversion import read_igt as read_igt
from panparser.transfer.glossed.gloss_table import GlossTable as GlossTable
from panparser.transfer.glossed.sentences import GlossedSentence as GlossedSentence
from panparser.transfer.glossed.sentences import GlossedWord as GlossedWord
from panparser.transfer.glossed.sentences import Morpheme as Morpheme

__all__: list[str]
