"""From text to trees in one model: tokenizer, taggers, lemmatizer and parser.

Pipeline        the parts in a row; it annotates, is saved and loaded
PipelineSpec    what a pipeline is made of, as data
train_pipeline  makes one from a treebank, the parser on predicted tags and lemmas
"""

from panparser.pipeline.pipeline import Pipeline
from panparser.pipeline.training import PipelineSpec, train_pipeline

__all__ = ["Pipeline", "PipelineSpec", "train_pipeline"]
