"""panparser: transition-based dependency parsing. Transition systems are tables; their oracles are exact."""

from importlib.metadata import version

from panparser._cascade_training import train_cascade
from panparser._engine import ILLEGAL_COST
from panparser.arc_weights import Weights, learn_weights
from panparser.atoms import Address, Atom
from panparser.batch import StateBatch
from panparser.cascade_recipes import CascadeRecipe
from panparser.cascades import Cascade, Stage
from panparser.classifiers import Classifier, Setup
from panparser.combining import combine
from panparser.confidence import Calibration, Confidence, calibrate
from panparser.conllu import iter_conllu, parse_conllu, read_conllu, write_conllu
from panparser.constraints import Constraint, Constraints, Dropped
from panparser.decoding import maximum_spanning_tree, projective_tree
from panparser.deriving import Derived, derive
from panparser.errors import (
    AnalysisError,
    BatchError,
    CheckFailed,
    ConlluError,
    ConstraintError,
    DecodingError,
    GoldError,
    IllegalTransitionError,
    ModelError,
    PanParserError,
    SpecError,
    StrategyError,
    StuckError,
    TableError,
    TemplateError,
    TextError,
    TreebankError,
    UnknownSystemError,
    VectorsError,
)
from panparser.evaluation import Evaluation, compare, evaluate
from panparser.experiments import CurvePoint, FoldScore, cross_validate, jackknife, learning_curve, train_seeds
from panparser.gold import EMPTY, LEFT, RIGHT, Gold, Span
from panparser.listeners import EpochReport, Listener, Update
from panparser.oracles import oracle_derivations, static_derivation
from panparser.loading import load
from panparser.parser import Parser, ParserSpec, ScoredTree
from panparser.pipeline import Pipeline, PipelineSpec, train_pipeline
from panparser.projectivity import (
    conflicts,
    crossing_arcs,
    deprojectivize,
    gap_degree,
    is_projective,
    nonprojectivity,
    projective_subset,
    projectivize,
)
from panparser.python_system import PythonSystem, StateView
from panparser.recipes import Recipe
from panparser.regions import Region, estimate_regions
from panparser.sentence import Sentence, Token
from panparser.sequence_training import SequenceReport, train_sequences
from panparser.sequences import Allowed, Classes, Items, SequenceModel, Window
from panparser.states import State
from panparser.statistics import stats
from panparser.strategies import EARLY_UPDATE, MAX_VIOLATION, STRATEGIES, Schedule, Strategy
from panparser.subsampling import Subsample
from panparser.systems import system
from panparser.tag_dictionary import DictionaryRule, TagDictionary
from panparser.tagging import Tagger, TaggerSpec, train_tagger
from panparser.tagging_templates import TAGGING, tagging_templates
from panparser.tasks import Prediction, Task, TaskModel, train_task
from panparser.template_sets import FAST, GIVEN, RICH, RICH_STACK, ZN11
from panparser.templates import Template, Templates
from panparser.text import Lemmatizer, RawText, Tokenizer, iter_text, raw_text, train_lemmatizer, train_tokenizer
from panparser.training import Training, train
from panparser.transitions import Transition, TransitionSystem
from panparser.treebank import Treebank
from panparser.vectors import Vectors, read_vectors
from panparser.voting import vote

__version__ = version("panparser")

__all__ = [
    "Address",
    "Allowed",
    "AnalysisError",
    "Atom",
    "BatchError",
    "Calibration",
    "Cascade",
    "CascadeRecipe",
    "CheckFailed",
    "Classes",
    "Classifier",
    "Confidence",
    "ConlluError",
    "Constraint",
    "ConstraintError",
    "Constraints",
    "CurvePoint",
    "DecodingError",
    "Derived",
    "DictionaryRule",
    "Dropped",
    "EARLY_UPDATE",
    "EMPTY",
    "EpochReport",
    "Evaluation",
    "FAST",
    "FoldScore",
    "GIVEN",
    "Gold",
    "GoldError",
    "ILLEGAL_COST",
    "IllegalTransitionError",
    "Items",
    "LEFT",
    "Lemmatizer",
    "Listener",
    "MAX_VIOLATION",
    "ModelError",
    "PanParserError",
    "Parser",
    "ParserSpec",
    "Prediction",
    "Pipeline",
    "PipelineSpec",
    "PythonSystem",
    "RICH",
    "RICH_STACK",
    "RIGHT",
    "RawText",
    "Recipe",
    "Region",
    "STRATEGIES",
    "Schedule",
    "ScoredTree",
    "Sentence",
    "SequenceModel",
    "SequenceReport",
    "Setup",
    "Span",
    "SpecError",
    "State",
    "StateBatch",
    "StateView",
    "Stage",
    "Strategy",
    "StrategyError",
    "StuckError",
    "Subsample",
    "TAGGING",
    "TableError",
    "TagDictionary",
    "Tagger",
    "TaggerSpec",
    "Task",
    "TaskModel",
    "Template",
    "TemplateError",
    "Templates",
    "TextError",
    "Token",
    "Tokenizer",
    "Training",
    "Transition",
    "TransitionSystem",
    "Treebank",
    "TreebankError",
    "UnknownSystemError",
    "Update",
    "Vectors",
    "VectorsError",
    "Weights",
    "Window",
    "ZN11",
    "calibrate",
    "combine",
    "compare",
    "conflicts",
    "cross_validate",
    "crossing_arcs",
    "deprojectivize",
    "derive",
    "estimate_regions",
    "evaluate",
    "gap_degree",
    "is_projective",
    "iter_conllu",
    "iter_text",
    "jackknife",
    "learn_weights",
    "learning_curve",
    "load",
    "maximum_spanning_tree",
    "nonprojectivity",
    "oracle_derivations",
    "parse_conllu",
    "projective_subset",
    "projective_tree",
    "projectivize",
    "raw_text",
    "read_conllu",
    "read_vectors",
    "static_derivation",
    "stats",
    "system",
    "tagging_templates",
    "train",
    "train_cascade",
    "train_lemmatizer",
    "train_pipeline",
    "train_seeds",
    "train_tokenizer",
    "train_sequences",
    "train_tagger",
    "train_task",
    "vote",
    "write_conllu",
]
