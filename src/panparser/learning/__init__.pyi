"""Learning: what all training shares, such as options, strategies, epochs, listeners and folds."""

from panparser.learning.listeners import SKIP as SKIP
from panparser.learning.listeners import EpochReport as EpochReport
from panparser.learning.listeners import Listener as Listener
from panparser.learning.listeners import Replacement as Replacement
from panparser.learning.listeners import SearchListener as SearchListener
from panparser.learning.listeners import SequenceEpochReport as SequenceEpochReport
from panparser.learning.listeners import StopTraining as StopTraining
from panparser.learning.listeners import Update as Update
from panparser.learning.strategies import EARLY_UPDATE as EARLY_UPDATE
from panparser.learning.strategies import MAX_VIOLATION as MAX_VIOLATION
from panparser.learning.strategies import STRATEGIES as STRATEGIES
from panparser.learning.strategies import EpochSchedule as EpochSchedule
from panparser.learning.strategies import TrainingStrategy as TrainingStrategy
from panparser.learning.training import Subsampling as Subsampling
from panparser.learning.training import TrainingConfig as TrainingConfig

__all__: list[str]
