"""The public names, for type checkers; `__init__.py` finds them when they are asked for."""

from panparser._cascade_training import train_cascade as train_cascade
from panparser._engine import ILLEGAL_COST as ILLEGAL_COST
from panparser.arc_weights import Weights as Weights, learn_weights as learn_weights
from panparser.atoms import Address as Address, Atom as Atom
from panparser.batch import StateBatch as StateBatch
from panparser.cascade_recipes import CascadeRecipe as CascadeRecipe
from panparser.cascades import Cascade as Cascade, Stage as Stage
from panparser.classifiers import Classifier as Classifier, Setup as Setup
from panparser.combining import combine as combine
from panparser.confidence import Calibration as Calibration, Confidence as Confidence, calibrate as calibrate
from panparser.conllu import (
    iter_conllu as iter_conllu,
    parse_conllu as parse_conllu,
    read_conllu as read_conllu,
    write_conllu as write_conllu,
)
from panparser.constraints import Constraint as Constraint, Constraints as Constraints, Dropped as Dropped
from panparser.decoding import maximum_spanning_tree as maximum_spanning_tree, projective_tree as projective_tree
from panparser.deriving import Derived as Derived, derive as derive
from panparser.errors import (
    AnalysisError as AnalysisError,
    BatchError as BatchError,
    CheckFailed as CheckFailed,
    ConlluError as ConlluError,
    ConstraintError as ConstraintError,
    DecodingError as DecodingError,
    GoldError as GoldError,
    IllegalTransitionError as IllegalTransitionError,
    ModelError as ModelError,
    PanParserError as PanParserError,
    SpecError as SpecError,
    StrategyError as StrategyError,
    StuckError as StuckError,
    TableError as TableError,
    TemplateError as TemplateError,
    TextError as TextError,
    TreebankError as TreebankError,
    UnknownSystemError as UnknownSystemError,
    VectorsError as VectorsError,
)
from panparser.evaluation import Evaluation as Evaluation, compare as compare, evaluate as evaluate
from panparser.experiments import (
    CurvePoint as CurvePoint,
    FoldScore as FoldScore,
    cross_validate as cross_validate,
    jackknife as jackknife,
    learning_curve as learning_curve,
    train_seeds as train_seeds,
)
from panparser.gold import EMPTY as EMPTY, Gold as Gold, LEFT as LEFT, RIGHT as RIGHT, Span as Span
from panparser.listeners import EpochReport as EpochReport, Listener as Listener, Update as Update
from panparser.loading import load as load
from panparser.oracles import oracle_derivations as oracle_derivations, static_derivation as static_derivation
from panparser.parser import Parser as Parser, ParserSpec as ParserSpec, ScoredTree as ScoredTree
from panparser.pipeline import Pipeline as Pipeline
from panparser.pipeline_training import PipelineSpec as PipelineSpec, train_pipeline as train_pipeline
from panparser.projectivity import (
    conflicts as conflicts,
    crossing_arcs as crossing_arcs,
    deprojectivize as deprojectivize,
    gap_degree as gap_degree,
    is_projective as is_projective,
    nonprojectivity as nonprojectivity,
    projective_subset as projective_subset,
    projectivize as projectivize,
)
from panparser.python_system import PythonSystem as PythonSystem, StateView as StateView
from panparser.recipes import Recipe as Recipe
from panparser.regions import Region as Region, estimate_regions as estimate_regions
from panparser.sentence import Sentence as Sentence, Token as Token
from panparser.sequence_training import SequenceReport as SequenceReport, train_sequences as train_sequences
from panparser.sequences import (
    Allowed as Allowed,
    Classes as Classes,
    Items as Items,
    SequenceModel as SequenceModel,
    Window as Window,
)
from panparser.states import State as State
from panparser.statistics import stats as stats
from panparser.strategies import (
    EARLY_UPDATE as EARLY_UPDATE,
    MAX_VIOLATION as MAX_VIOLATION,
    STRATEGIES as STRATEGIES,
    Schedule as Schedule,
    Strategy as Strategy,
)
from panparser.subsampling import Subsample as Subsample
from panparser.systems import system as system
from panparser.tag_dictionary import DictionaryRule as DictionaryRule, TagDictionary as TagDictionary
from panparser.tagging import Tagger as Tagger, TaggerSpec as TaggerSpec, train_tagger as train_tagger
from panparser.tagging_templates import TAGGING as TAGGING, tagging_templates as tagging_templates
from panparser.tasks import Prediction as Prediction, Task as Task, TaskModel as TaskModel, train_task as train_task
from panparser.template_sets import FAST as FAST, GIVEN as GIVEN, RICH as RICH, RICH_STACK as RICH_STACK, ZN11 as ZN11
from panparser.templates import Template as Template, Templates as Templates
from panparser.text import (
    Lemmatizer as Lemmatizer,
    RawText as RawText,
    Tokenizer as Tokenizer,
    iter_text as iter_text,
    raw_text as raw_text,
    train_lemmatizer as train_lemmatizer,
    train_tokenizer as train_tokenizer,
)
from panparser.training import Training as Training, train as train
from panparser.transitions import Transition as Transition, TransitionSystem as TransitionSystem
from panparser.treebank import Treebank as Treebank
from panparser.vectors import Vectors as Vectors, read_vectors as read_vectors
from panparser.voting import vote as vote

__version__: str
__all__: list[str]
