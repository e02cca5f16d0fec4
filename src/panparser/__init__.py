"""panparser: transition-based dependency parsing. Transition systems are tables; their oracles are exact."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Modules with their public names. They are imported when one of those is first asked for, so that a command starts
# with what it needs; `__init__.pyi` tells type checkers the same.
_NAMES = {
    "_cascade_training": "train_cascade",
    "_engine": "ILLEGAL_COST",
    "arc_weights": "Weights learn_weights",
    "atoms": "Address Atom",
    "batch": "StateBatch",
    "cascade_recipes": "CascadeRecipe",
    "cascades": "Cascade Stage",
    "classifiers": "Classifier Setup",
    "combining": "combine",
    "confidence": "Calibration Confidence calibrate",
    "conllu": "iter_conllu parse_conllu read_conllu write_conllu",
    "constraints": "Constraint Constraints Dropped",
    "decoding": "maximum_spanning_tree projective_tree",
    "deriving": "Derived derive",
    "errors": (
        "AnalysisError BatchError CheckFailed ConlluError ConstraintError DecodingError GoldError "
        "IllegalTransitionError ModelError PanParserError SpecError StrategyError StuckError TableError "
        "TemplateError TextError TreebankError UnknownSystemError VectorsError"
    ),
    "evaluation": "Evaluation compare evaluate",
    "experiments": "CurvePoint FoldScore cross_validate jackknife learning_curve train_seeds",
    "gold": "EMPTY Gold LEFT RIGHT Span",
    "listeners": "EpochReport Listener Update",
    "loading": "load",
    "oracles": "oracle_derivations static_derivation",
    "parser": "Parser ScoredTree",
    "pipeline": "Pipeline",
    "pipeline_training": "PipelineSpec train_pipeline",
    "projectivity": (
        "conflicts crossing_arcs deprojectivize gap_degree is_projective nonprojectivity projective_subset projectivize"
    ),
    "python_system": "PythonSystem StateView",
    "recipes": "Recipe",
    "regions": "Region estimate_regions",
    "sentence": "Sentence Token",
    "sequence_training": "SequenceReport train_sequences",
    "sequences": "Allowed Classes Items SequenceModel Window",
    "spec": "ParserSpec",
    "states": "State",
    "statistics": "stats",
    "strategies": "EARLY_UPDATE MAX_VIOLATION STRATEGIES Schedule Strategy",
    "subsampling": "Subsample",
    "systems": "system",
    "tag_dictionary": "DictionaryRule TagDictionary",
    "tagging": "Tagger TaggerSpec train_tagger",
    "tagging_templates": "TAGGING tagging_templates",
    "tasks": "Prediction Task TaskModel train_task",
    "template_sets": "FAST GIVEN RICH RICH_STACK ZN11",
    "templates": "Template Templates",
    "text": "Lemmatizer RawText Tokenizer iter_text raw_text train_lemmatizer train_tokenizer",
    "training": "Training train",
    "transitions": "Transition TransitionSystem",
    "treebank": "Treebank",
    "vectors": "Vectors read_vectors",
    "voting": "vote",
}
_PACKAGES = ("analysis", "errors", "testing", "text")  # that may be used without an import of their own
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("panparser")
    elif name in _HOME:
        value = getattr(import_module(f"panparser.{_HOME[name]}"), name)
    elif name in _PACKAGES:
        value = import_module(f"panparser.{name}")
    else:
        raise AttributeError(f"module 'panparser' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__, "__version__"]
