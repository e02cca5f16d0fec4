"""panparser: transition-based dependency parsing. Transition systems are tables; their oracles are exact."""

from importlib.metadata import version

from panparser._engine import ILLEGAL_COST
from panparser.atoms import Address, Atom
from panparser.batch import StateBatch
from panparser.classifiers import Classifier, Setup
from panparser.conllu import iter_conllu, parse_conllu, read_conllu, write_conllu
from panparser.decoding import maximum_spanning_tree, projective_tree
from panparser.deriving import Derived, derive
from panparser.errors import (
    BatchError,
    CheckFailed,
    ConlluError,
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
from panparser.gold import EMPTY, LEFT, RIGHT, Gold
from panparser.listeners import EpochReport, Listener, Update
from panparser.oracles import oracle_derivations, static_derivation
from panparser.parser import Parser, ParserSpec, ScoredTree, load
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
from panparser.sentence import Sentence, Token
from panparser.states import State
from panparser.statistics import stats
from panparser.strategies import EARLY_UPDATE, MAX_VIOLATION, STRATEGIES, Schedule, Strategy
from panparser.subsampling import Subsample
from panparser.systems import system
from panparser.template_sets import FAST, RICH, RICH_STACK, ZN11
from panparser.templates import Template, Templates
from panparser.text import Lemmatizer, RawText, Tokenizer, iter_text, raw_text, train_lemmatizer, train_tokenizer
from panparser.training import Training, train
from panparser.transitions import Transition, TransitionSystem
from panparser.treebank import Treebank
from panparser.vectors import Vectors, read_vectors

__version__ = version("panparser")

__all__ = [
    "Address",
    "Atom",
    "BatchError",
    "CheckFailed",
    "Classifier",
    "ConlluError",
    "CurvePoint",
    "DecodingError",
    "Derived",
    "EARLY_UPDATE",
    "EMPTY",
    "EpochReport",
    "FAST",
    "Evaluation",
    "FoldScore",
    "Gold",
    "GoldError",
    "ILLEGAL_COST",
    "IllegalTransitionError",
    "LEFT",
    "Lemmatizer",
    "Listener",
    "MAX_VIOLATION",
    "ModelError",
    "PanParserError",
    "Parser",
    "ParserSpec",
    "PythonSystem",
    "RICH",
    "RICH_STACK",
    "RIGHT",
    "RawText",
    "Recipe",
    "STRATEGIES",
    "Schedule",
    "ScoredTree",
    "Sentence",
    "Setup",
    "SpecError",
    "State",
    "StateBatch",
    "StateView",
    "Strategy",
    "StrategyError",
    "StuckError",
    "Subsample",
    "TableError",
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
    "ZN11",
    "compare",
    "conflicts",
    "cross_validate",
    "crossing_arcs",
    "deprojectivize",
    "derive",
    "evaluate",
    "gap_degree",
    "is_projective",
    "iter_conllu",
    "iter_text",
    "jackknife",
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
    "train",
    "train_lemmatizer",
    "train_seeds",
    "train_tokenizer",
    "write_conllu",
]
