"""Tagging: sequence models, taggers, lexicons."""

from panparser.tagging.lexicon import Lexicon as Lexicon
from panparser.tagging.network_tagger import NetworkTagger as NetworkTagger
from panparser.tagging.sequence_training import train_sequence_model as train_sequence_model
from panparser.tagging.sequences import AllowedLabels as AllowedLabels
from panparser.tagging.sequences import LabelSet as LabelSet
from panparser.tagging.sequences import SequenceFeatures as SequenceFeatures
from panparser.tagging.sequences import SequenceItems as SequenceItems
from panparser.tagging.sequences import SequenceModel as SequenceModel
from panparser.tagging.tag_dictionary import TagDictionary as TagDictionary
from panparser.tagging.tag_dictionary import TagDictionaryThresholds as TagDictionaryThresholds
from panparser.tagging.tagger import Tagger as Tagger
from panparser.tagging.tagger import TaggerSpec as TaggerSpec
from panparser.tagging.tagger import train_tagger as train_tagger

__all__: list[str]
