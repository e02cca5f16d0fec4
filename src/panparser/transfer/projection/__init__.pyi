"""Projection: word alignment, and trees projected to translations."""

from panparser.transfer.projection.alignment import AlignerConfig as AlignerConfig
from panparser.transfer.projection.alignment import align_words as align_words
from panparser.transfer.projection.links import WordAlignments as WordAlignments
from panparser.transfer.projection.links import read_alignments as read_alignments
from panparser.transfer.projection.links import write_alignments as write_alignments
from panparser.transfer.projection.projecting import project_trees as project_trees

__all__: list[str]
