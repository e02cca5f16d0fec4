"""Pipelines: raw text to trees in one model; loading of models; the component for spaCy."""

from panparser.pipeline.loading import load as load
from panparser.pipeline.pipeline import Pipeline as Pipeline
from panparser.pipeline.pipeline_training import PipelineSpec as PipelineSpec
from panparser.pipeline.pipeline_training import train_pipeline as train_pipeline

__all__: list[str]
