"""The public names, for type checkers; `__init__.py` finds them when they are asked for."""

from panparser import analysis as analysis
from panparser import errors as errors
from panparser import testing as testing
from panparser import text as text
from panparser._cascade_training import train_cascade as train_cascade
from panparser._engine import ILLEGAL_COST as ILLEGAL_COST
from panparser.arc_weights import Weights as Weights
from panparser.arc_weights import learn_weights as learn_weights
from panparser.atoms import Address as Address
from panparser.atoms import Atom as Atom
from panparser.batch import StateBatch as StateBatch
from panparser.cascade_recipes import CascadeRecipe as CascadeRecipe
from panparser.cascades import Cascade as Cascade
from panparser.cascades import Stage as Stage
from panparser.classifiers import Classifier as Classifier
from panparser.classifiers import Setup as Setup
from panparser.combining import combine as combine
from panparser.confidence import Calibration as Calibration
from panparser.confidence import Confidence as Confidence
from panparser.confidence import calibrate as calibrate
from panparser.conllu import (
    iter_conllu as iter_conllu,
)
from panparser.conllu import (
    parse_conllu as parse_conllu,
)
from panparser.conllu import (
    read_conllu as read_conllu,
)
from panparser.conllu import (
    write_conllu as write_conllu,
)
from panparser.constraints import Constraint as Constraint
from panparser.constraints import Constraints as Constraints
from panparser.constraints import Dropped as Dropped
from panparser.decoding import maximum_spanning_tree as maximum_spanning_tree
from panparser.decoding import projective_tree as projective_tree
from panparser.deriving import Derived as Derived
from panparser.deriving import derive as derive
from panparser.errors import (
    AnalysisError as AnalysisError,
)
from panparser.errors import (
    BatchError as BatchError,
)
from panparser.errors import (
    CheckFailed as CheckFailed,
)
from panparser.errors import (
    ConlluError as ConlluError,
)
from panparser.errors import (
    ConstraintError as ConstraintError,
)
from panparser.errors import (
    DecodingError as DecodingError,
)
from panparser.errors import (
    GoldError as GoldError,
)
from panparser.errors import (
    IllegalTransitionError as IllegalTransitionError,
)
from panparser.errors import (
    ModelError as ModelError,
)
from panparser.errors import (
    PanParserError as PanParserError,
)
from panparser.errors import (
    SpecError as SpecError,
)
from panparser.errors import (
    StrategyError as StrategyError,
)
from panparser.errors import (
    StuckError as StuckError,
)
from panparser.errors import (
    TableError as TableError,
)
from panparser.errors import (
    TemplateError as TemplateError,
)
from panparser.errors import (
    TextError as TextError,
)
from panparser.errors import (
    TreebankError as TreebankError,
)
from panparser.errors import (
    UnknownSystemError as UnknownSystemError,
)
from panparser.errors import (
    VectorsError as VectorsError,
)
from panparser.evaluation import Evaluation as Evaluation
from panparser.evaluation import compare as compare
from panparser.evaluation import evaluate as evaluate
from panparser.experiments import (
    CurvePoint as CurvePoint,
)
from panparser.experiments import (
    FoldScore as FoldScore,
)
from panparser.experiments import (
    cross_validate as cross_validate,
)
from panparser.experiments import (
    jackknife as jackknife,
)
from panparser.experiments import (
    learning_curve as learning_curve,
)
from panparser.experiments import (
    train_seeds as train_seeds,
)
from panparser.gold import EMPTY as EMPTY
from panparser.gold import LEFT as LEFT
from panparser.gold import RIGHT as RIGHT
from panparser.gold import Gold as Gold
from panparser.gold import Span as Span
from panparser.listeners import EpochReport as EpochReport
from panparser.listeners import Listener as Listener
from panparser.listeners import Update as Update
from panparser.loading import load as load
from panparser.oracles import oracle_derivations as oracle_derivations
from panparser.oracles import static_derivation as static_derivation
from panparser.parser import Parser as Parser
from panparser.parser import ScoredTree as ScoredTree
from panparser.pipeline import Pipeline as Pipeline
from panparser.pipeline_training import PipelineSpec as PipelineSpec
from panparser.pipeline_training import train_pipeline as train_pipeline
from panparser.projectivity import (
    conflicts as conflicts,
)
from panparser.projectivity import (
    crossing_arcs as crossing_arcs,
)
from panparser.projectivity import (
    deprojectivize as deprojectivize,
)
from panparser.projectivity import (
    gap_degree as gap_degree,
)
from panparser.projectivity import (
    is_projective as is_projective,
)
from panparser.projectivity import (
    nonprojectivity as nonprojectivity,
)
from panparser.projectivity import (
    projective_subset as projective_subset,
)
from panparser.projectivity import (
    projectivize as projectivize,
)
from panparser.python_system import PythonSystem as PythonSystem
from panparser.python_system import StateView as StateView
from panparser.recipes import Recipe as Recipe
from panparser.regions import Region as Region
from panparser.regions import estimate_regions as estimate_regions
from panparser.sentence import Sentence as Sentence
from panparser.sentence import Token as Token
from panparser.sequence_training import SequenceReport as SequenceReport
from panparser.sequence_training import train_sequences as train_sequences
from panparser.sequences import (
    Allowed as Allowed,
)
from panparser.sequences import (
    Classes as Classes,
)
from panparser.sequences import (
    Items as Items,
)
from panparser.sequences import (
    SequenceModel as SequenceModel,
)
from panparser.sequences import (
    Window as Window,
)
from panparser.spec import ParserSpec as ParserSpec
from panparser.states import State as State
from panparser.statistics import stats as stats
from panparser.strategies import (
    EARLY_UPDATE as EARLY_UPDATE,
)
from panparser.strategies import (
    MAX_VIOLATION as MAX_VIOLATION,
)
from panparser.strategies import (
    STRATEGIES as STRATEGIES,
)
from panparser.strategies import (
    Schedule as Schedule,
)
from panparser.strategies import (
    Strategy as Strategy,
)
from panparser.subsampling import Subsample as Subsample
from panparser.systems import system as system
from panparser.tag_dictionary import DictionaryRule as DictionaryRule
from panparser.tag_dictionary import TagDictionary as TagDictionary
from panparser.tagging import Tagger as Tagger
from panparser.tagging import TaggerSpec as TaggerSpec
from panparser.tagging import train_tagger as train_tagger
from panparser.tagging_templates import TAGGING as TAGGING
from panparser.tagging_templates import tagging_templates as tagging_templates
from panparser.tasks import Prediction as Prediction
from panparser.tasks import Task as Task
from panparser.tasks import TaskModel as TaskModel
from panparser.tasks import train_task as train_task
from panparser.template_sets import FAST as FAST
from panparser.template_sets import GIVEN as GIVEN
from panparser.template_sets import RICH as RICH
from panparser.template_sets import RICH_STACK as RICH_STACK
from panparser.template_sets import ZN11 as ZN11
from panparser.templates import Template as Template
from panparser.templates import Templates as Templates
from panparser.text import (
    Lemmatizer as Lemmatizer,
)
from panparser.text import (
    RawText as RawText,
)
from panparser.text import (
    Tokenizer as Tokenizer,
)
from panparser.text import (
    iter_text as iter_text,
)
from panparser.text import (
    raw_text as raw_text,
)
from panparser.text import (
    train_lemmatizer as train_lemmatizer,
)
from panparser.text import (
    train_tokenizer as train_tokenizer,
)
from panparser.training import Training as Training
from panparser.training import train as train
from panparser.transitions import Transition as Transition
from panparser.transitions import TransitionSystem as TransitionSystem
from panparser.treebank import Treebank as Treebank
from panparser.vectors import Vectors as Vectors
from panparser.vectors import read_vectors as read_vectors
from panparser.voting import vote as vote

__version__: str
__all__: list[str]
