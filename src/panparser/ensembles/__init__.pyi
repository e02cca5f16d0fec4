"""Ensembles: votes, combined trees, cascades."""

from panparser.ensembles.cascade import Cascade as Cascade
from panparser.ensembles.cascade import CascadeStage as CascadeStage
from panparser.ensembles.cascade_training import estimate_regions as estimate_regions
from panparser.ensembles.cascade_training import train_cascade as train_cascade
from panparser.ensembles.combination import CombinedParser as CombinedParser
from panparser.ensembles.combining import ArcWeights as ArcWeights
from panparser.ensembles.combining import combine_trees as combine_trees
from panparser.ensembles.combining import estimate_arc_weights as estimate_arc_weights
from panparser.ensembles.voting import make_voting_parser as make_voting_parser

__all__: list[str]
